//! Feature `serde`: every pool through a format for humans (JSON) and a compact one (postcard). What is read
//! goes on as what was written; files of the first version can be read; and what cannot be the state of
//! a pool is refused with the reason, without memory that the input does not justify.

#[path = "common/allocations.rs"]
mod allocations;
mod common;
#[path = "common/subjects.rs"]
mod subjects;

use std::path::Path;

use allocations::{Counting, during};
use common::Random;
use millpond::reuse::{Fifo, Intrusive, LowestFirst, NextFit, Roster};
use millpond::{
    Handle, Handle32, HandleAllocator, PackedPool, Pool, Recycler, SideTable, Snapshot, StaticPool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use subjects::{Subject, with_every_pool};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A pool of any kind that can be written and read.
trait Saved: Subject + Serialize + DeserializeOwned {}

impl<S: Subject + Serialize + DeserializeOwned> Saved for S {}

fn play<S: Subject>(pool: &mut S, seed: u64, steps: usize) -> Vec<(u64, u64)> {
    let mut random = Random(seed);
    (0..steps).map(|_| (pool.step(random.next()), pool.seen())).collect()
}

fn comes_back<S: Saved>(name: &str, mut pool: S) {
    for seed in 0..3 {
        play(&mut pool, seed, 5 << (2 * seed));
        let text = serde_json::to_string(&pool).unwrap();
        let bytes = postcard::to_allocvec(&pool).unwrap();
        let mut twin = pool.clone();
        let expected = play(&mut twin, 50 + seed, 40);
        let from_text: S = serde_json::from_str(&text).unwrap();
        let from_bytes: S = postcard::from_bytes(&bytes).unwrap();
        for mut read in [from_text, from_bytes] {
            read.check_all();
            assert_eq!((read.seen(), read.sum()), (pool.seen(), pool.sum()), "{name}");
            assert_eq!(serde_json::to_string(&read).unwrap(), text, "{name}");
            // It can be restored to the pool, and goes on in the same way.
            let snapshot = read.take_snapshot();
            assert_eq!(play(&mut read, 50 + seed, 40), expected, "{name}");
            let mut restored = pool.clone();
            play(&mut restored, 70 + seed, 20);
            restored.load(&snapshot);
            restored.check_all();
            assert_eq!(play(&mut restored, 50 + seed, 40), expected, "{name}");
        }
    }
}

#[test]
fn what_is_read_goes_on_as_what_was_written() {
    with_every_pool!(comes_back);
}

#[test]
fn a_snapshot_is_read_and_restored_to_the_pool_with_the_name() {
    let build = || Pool::<String>::builder().capacity(4).name("crew").build();
    let mut crew = build();
    let cook = crew.insert("cook".to_string()).unwrap();
    let text = serde_json::to_string(&crew.snapshot()).unwrap();

    let loaded: Snapshot<String> = serde_json::from_str(&text).unwrap();
    let mut later = build();
    later.restore(&loaded).unwrap();
    assert_eq!((later.name(), later[cook].as_str()), (Some("crew"), "cook"));
    let unnamed: Pool<String> = serde_json::from_str(&text).unwrap();
    assert_eq!((unnamed.name(), unnamed[cook].as_str()), (None, "cook"));
    assert!(Pool::<String>::new(4).restore(&loaded).is_err());
}

#[test]
fn the_form_for_humans_is_readable() {
    let mut pool = Pool::<&str>::new(4);
    let handles: Vec<_> = ["a", "b", "c"].map(|value| pool.insert(value).unwrap()).into();
    pool.remove(handles[1]);
    assert_eq!(
        serde_json::to_value(&pool).unwrap(),
        json!({
            "version": 1,
            "state": {
                "pool": "Pool", "reuse": "Lifo",
                "first": 1, "last": 2_147_483_647, "wraps": false,
                "generations": [1, 2, 1, 1],
                "order": [[1, 1], [3, 1]],
                "inserted": 3, "refused": 0, "evicted": 0, "peak": 3,
            },
            "objects": { "0v1": "a", "2v1": "c" },
        })
    );
    let mut recycler = Recycler::from_fn(2, |index| index);
    let _ = recycler.acquire();
    let objects = serde_json::to_value(&recycler).unwrap()["objects"].clone();
    assert_eq!(objects, json!([["0v1", 0], [null, 1]]));
}

/// The compact form: the bytes beside the values.
#[test]
fn the_form_for_machines_is_compact() {
    let mut pool = Pool::<[u8; 8]>::new(1000);
    (0..900).for_each(|_| _ = pool.insert([7; 8]));
    let bytes = postcard::to_allocvec(&pool).unwrap().len() - 900 * 8;
    assert!(bytes < 1000 + 60, "{bytes}"); // a byte for each generation
}

/// Pools with some past, one of each kind, as they were when the files were written.
fn with_recorded(check: &mut impl Check) {
    fn used<S: Saved>(mut pool: S) -> S {
        play(&mut pool, 7, 60);
        pool
    }
    check.one("lifo", used(Pool::<u32>::new(9)));
    check.one("fifo", used(Pool::<u32, Fifo>::with_capacity(9)));
    check.one("lowest_first", used(Pool::<String, LowestFirst>::with_capacity(9)));
    check.one("roster", used(Pool::<u32, Roster, Handle32<u32, 24>>::with_capacity(9)));
    check.one("next_fit", used(Pool::<u32, NextFit>::with_capacity(9)));
    check.one("intrusive", used(Pool::<[u64; 3], Intrusive>::with_capacity(9)));
    check.one("named", used(Pool::<u32>::builder().capacity(9).name("bullets").salt(3).build()));
    check.one("retiring", used(Pool::<u32>::builder().capacity(9).lifetimes(3).build()));
    check.one("wrapping", used(Pool::<u32>::builder().capacity(9).lifetimes(3).wrap().build()));
    check.one("recycler", used(Recycler::<u32>::new(9)));
    check.one("allocator", used(HandleAllocator::new(9)));
    check.one("packed", used(PackedPool::<u32>::new(9)));
    check.one("static", used(StaticPool::<u32, 9>::new()));
    check.one("side_table", used(SideTable::<Handle<u8>, String>::new(9)));
}

trait Check {
    fn one<S: Saved>(&mut self, name: &str, pool: S);
}

/// Files of version 1, written when that was the current one. `MILLPOND_RECORD=1` writes those that are not
/// there.
#[test]
fn files_of_the_first_version_can_be_read() {
    struct Read;

    impl Check for Read {
        fn one<S: Saved>(&mut self, name: &str, pool: S) {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saved_v1");
            let (json, binary) = (
                directory.join(format!("{name}.json")),
                directory.join(format!("{name}.postcard")),
            );
            if std::env::var_os("MILLPOND_RECORD").is_some() && !json.exists() {
                std::fs::write(&json, serde_json::to_string_pretty(&pool).unwrap() + "\n").unwrap();
                std::fs::write(&binary, postcard::to_allocvec(&pool).unwrap()).unwrap();
            }
            let from_text: S = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
            let from_bytes: S = postcard::from_bytes(&std::fs::read(binary).unwrap()).unwrap();
            for read in [from_text, from_bytes] {
                read.check_all();
                assert_eq!((read.seen(), read.sum()), (pool.seen(), pool.sum()), "{name}");
            }
        }
    }

    with_recorded(&mut Read);
}

fn sample() -> Json {
    let mut pool = Pool::<u32>::builder().capacity(5).lifetimes(2).build();
    let handles: Vec<_> = (0..4).map(|i| pool.insert(i).unwrap()).collect();
    pool.remove(handles[1]); // vacant, 1v2 is next
    pool.remove(handles[2]);
    let again = pool.insert(9).unwrap();
    pool.remove(again); // retired
    serde_json::to_value(&pool).unwrap()
}

#[track_caller]
fn refused<P: DeserializeOwned>(reason: &str, saved: Json) {
    let error = serde_json::from_value::<P>(saved).err().expect("refused").to_string();
    assert!(error.contains(reason), "{error}");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    type Saved = Pool<u32>;
    serde_json::from_value::<Saved>(sample()).unwrap().validate().unwrap();
    let changed = |at: &str, value: Json| {
        let mut saved = sample();
        *saved.pointer_mut(at).unwrap() = value;
        saved
    };
    let with_object = |handle: &str| {
        let mut saved = sample();
        saved["objects"][handle] = json!(5);
        saved
    };
    refused::<Saved>(
        "a saved pool of version 2, but this program reads version 1",
        changed("/version", json!(2)),
    );
    refused::<Saved>(
        "a saved pool of another kind, expected Pool",
        changed("/state/pool", json!("PackedPool")),
    );
    refused::<Pool<u32, Fifo>>("a saved pool of another reuse order, expected Fifo", sample());
    refused::<Recycler<u32>>("", sample());
    refused::<Saved>("invalid length 40", changed("/state/pool", json!("x".repeat(40))));

    refused::<Saved>("slot 5 is beyond the capacity", with_object("5v1"));
    refused::<Saved>("slot 4294967294 is beyond the capacity", with_object("4294967294v1"));
    refused::<Saved>("slot 0 is there twice", with_object("0v2"));
    refused::<Saved>("slot 2 is live and has retired", with_object("2v2"));
    refused::<Saved>("the object in slot 4 has another generation than 1", with_object("4v2"));
    refused::<Saved>("not a handle", with_object("first"));
    refused::<Saved>("no handle of this layout", with_object("4v0"));
    refused::<Saved>("the reuse order lists slot 1, which is live", with_object("1v2"));

    refused::<Saved>(
        "generation 3 of slot 0 is out of range",
        changed("/state/generations/0", json!(3)),
    );
    refused::<Saved>(
        "generation 2147483648 of slot 0 is out of range",
        changed("/state/generations/0", json!(1_u64 << 31)),
    );
    refused::<Saved>("slot 0 is live and has retired", changed("/state/generations/0", json!(0)));
    refused::<Saved>("the first or the last generation", changed("/state/first", json!(0)));
    refused::<Saved>(
        "the first or the last generation",
        changed("/state/last", json!(1_u64 << 31)),
    );
    refused::<Saved>(
        "generation 0 of slot 2 is out of range",
        changed("/state/wraps", json!(true)),
    );

    refused::<Saved>(
        "the reuse order lists 1 slots, expected 2",
        changed("/state/order", json!([[1, 1]])),
    );
    refused::<Saved>(
        "the reuse order lists slot 1, which is in it twice",
        changed("/state/order", json!([[1, 1], [1, 1]])),
    );
    refused::<Saved>(
        "the reuse order lists slot 2, which is retired",
        changed("/state/order", json!([[1, 2]])),
    );
    refused::<Saved>(
        "slot 5 is beyond the capacity",
        changed("/state/order", json!([[4, u32::MAX]])),
    );
    refused::<Saved>(
        "slot 4294967295 is beyond the capacity",
        changed("/state/order", json!([[u32::MAX, u32::MAX]])),
    );

    refused::<Saved>("fewer were inserted than are live", changed("/state/inserted", json!(1)));
    refused::<Saved>("the peak is less than what is live", changed("/state/peak", json!(1)));
    refused::<Saved>("the peak is more than the capacity", changed("/state/peak", json!(6)));
    refused::<Saved>("more were evicted than removed", changed("/state/evicted", json!(9)));
    refused::<Saved>("absurdly large", changed("/state/inserted", json!(u64::MAX)));
    refused::<Saved>("missing field `peak`", {
        let mut saved = sample();
        saved["state"].as_object_mut().unwrap().remove("peak");
        saved
    });
    refused::<Saved>("unknown field", {
        let mut saved = sample();
        saved["more"] = json!(1);
        saved
    });
    let text = sample().to_string();
    let twice = text.replacen("\"version\"", "\"objects\":{},\"version\"", 1);
    let error = serde_json::from_str::<Saved>(&twice).err().unwrap().to_string();
    assert!(error.contains("duplicate field `objects`"), "{error}");
    let twice = text.replacen("\"0v1\":0", "\"0v1\":0,\"0v1\":0", 1);
    let error = serde_json::from_str::<Saved>(&twice).err().unwrap().to_string();
    assert!(error.contains("slot 0 is there twice"), "{error}");
}

#[test]
fn what_cannot_be_of_the_other_pools_is_refused_too() {
    let mut recycler = serde_json::to_value(Recycler::<u32>::new(2)).unwrap();
    recycler["objects"] = json!([[null, 1]]);
    refused::<Recycler<u32>>("1 objects, though 2 slots have one", recycler.clone());
    recycler["objects"] = json!([[null, 1], ["0v1", 1]]);
    refused::<Recycler<u32>>("slot 0 is there twice", recycler);

    let mut packed = PackedPool::<u32>::new(3);
    packed.insert(1).unwrap();
    let mut packed = serde_json::to_value(packed).unwrap();
    packed["state"]["order"] = json!([[1, 1], [0, 1], [2, 1]]);
    refused::<PackedPool<u32>>("the reuse order lists slot 1, which is vacant", packed.clone());
    packed["state"]["order"] = json!([[0, 2]]);
    refused::<PackedPool<u32>>("the reuse order lists 2 slots, expected 3", packed);

    let three = serde_json::to_value(StaticPool::<u32, 3>::new()).unwrap();
    refused::<StaticPool<u32, 4>>("a saved pool of 3 slots, expected 4", three);

    let mut lowest = serde_json::to_value(Pool::<u32, LowestFirst>::with_capacity(3)).unwrap();
    lowest["state"]["order"] = json!([[0, 1]]);
    refused::<Pool<u32, LowestFirst>>("the reuse order lists 1 slots, expected 0", lowest);
    let mut next_fit = serde_json::to_value(Pool::<u32, NextFit>::with_capacity(3)).unwrap();
    next_fit["state"]["order"] = json!([[0, 2]]);
    refused::<Pool<u32, NextFit>>("the reuse order lists 2 slots, expected 1", next_fit);

    let mut small = serde_json::to_value(HandleAllocator::new(1)).unwrap();
    small["state"]["generations"] = json!(vec![1; 300]);
    small["state"]["order"] = json!([[0, 300]]);
    small["state"]["last"] = json!(255);
    serde_json::from_value::<HandleAllocator>(small.clone()).unwrap();
    type Tiny = HandleAllocator<millpond::reuse::Lifo, Handle32<(), 8>>;
    refused::<Tiny>("300 slots are more than the handle layout can name", small);
}

/// Bytes that are cut off, changed at every place, or say that lists are endless.
fn survives_bad_bytes<S: Saved>(name: &str, mut pool: S) {
    play(&mut pool, 5, 30);
    let bytes = postcard::to_allocvec(&pool).unwrap();
    let read = |bytes: &[u8]| {
        let (read, allocations) = during(|| postcard::from_bytes::<S>(bytes));
        // Each byte may be a slot: a value of up to 24 bytes, a word, places in orders and on the way.
        let justified = 16_384 + 600 * bytes.len();
        assert!(allocations.bytes_taken <= justified, "{name}: {allocations:?}");
        if let Ok(read) = read {
            read.check_all();
        }
    };
    // Long ones have long lists of the like: some of their places are enough.
    let step = 1 + bytes.len() / 60;
    for end in (0..bytes.len()).step_by(step) {
        read(&bytes[..end]);
    }
    for at in (0..bytes.len()).step_by(step) {
        for flip in [1, 2, 0x40, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            read(&bytes);
        }
        // A number of five or ten bytes: the largest there are.
        for count in [4, 9] {
            let mut endless = bytes[..at].to_vec();
            endless.extend(vec![0xff; count]);
            endless.push(if count == 4 { 0x0f } else { 1 });
            endless.extend(&bytes[at + 1..]);
            read(&endless);
        }
    }
}

#[test]
fn bad_bytes_do_no_harm_and_take_no_memory() {
    with_every_pool!(survives_bad_bytes);
}

#[test]
fn values_without_a_size_are_not_endless() {
    let mut units = Pool::<()>::new(3);
    units.insert(()).unwrap();
    let mut bytes = postcard::to_allocvec(&units).unwrap();
    assert_eq!(bytes.pop(), Some(1)); // the number of values
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
    assert!(postcard::from_bytes::<Pool<()>>(&bytes).is_err());
}

#[test]
fn handles_inside_of_saved_objects_stay_good() {
    #[derive(Clone, Serialize, serde::Deserialize)]
    struct Ship {
        target: Option<Handle<Ship>>,
    }
    let mut ships = Pool::new(4);
    let prey = ships.insert(Ship { target: None }).unwrap();
    let gone = ships.insert(Ship { target: None }).unwrap();
    let hunter = ships.insert(Ship { target: Some(prey) }).unwrap();
    let ghost_hunter = ships.insert(Ship { target: Some(gone) }).unwrap();
    ships.remove(gone);
    let text = serde_json::to_string(&ships).unwrap();
    assert!(text.contains(r#""2v1":{"target":"0v1"}"#), "{text}");

    let mut loaded: Pool<Ship> = serde_json::from_str(&text).unwrap();
    assert!(loaded.contains(loaded[hunter].target.unwrap()));
    let ghost = loaded[ghost_hunter].target.unwrap();
    assert!(!loaded.contains(ghost)); // stale stays stale
    let new = loaded.insert(Ship { target: None }).unwrap();
    assert_eq!(new.index(), ghost.index());
    assert!(!loaded.contains(ghost));
}
