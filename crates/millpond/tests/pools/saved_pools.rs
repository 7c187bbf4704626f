//! Feature `serde`: the form of saved pools for humans (JSON) and the compact one (postcard); files of the
//! first version can be read; and what cannot be the state of a pool is refused with the reason. (That
//! what is read goes on as what was written, for every pool: `tests/families/save_and_load.rs`; that bad
//! bytes do no harm: `tests/families/hostile_files.rs`.)

use std::path::Path;

use crate::allocations::{during, refusing};
use crate::common::in_every_order;
use millpond::reuse::{Fifo, LowestFirst, ReuseOrder, Roster};
use millpond::snapshot::SnapshotOf;
use millpond::{
    Handle, Handle32, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, SideTable,
    StaticPool, SyncPool, VecPool,
};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::{Value as Json, json};

macro_rules! a_snapshot_is_read_and_restored {
    ($($test:ident: $pool:ty, $build:expr;)*) => {$(
        #[test]
        fn $test() {
            let mut crew: $pool = $build.name("crew").build();
            let cook = crew.insert("cook".to_string()).unwrap();
            let gone = crew.insert("guest".to_string()).unwrap();
            crew.remove(gone);
            let text = serde_json::to_string(&crew.snapshot_cloned()).unwrap();

            let loaded: SnapshotOf<$pool> = serde_json::from_str(&text).unwrap();
            let mut later: $pool = $build.name("crew").build();
            let stowaway = later.insert("stowaway".to_string()).unwrap();
            later.restore(&loaded).unwrap();
            later.validate().unwrap();
            assert_eq!((later.name(), later[cook].as_str(), later.len()), (Some("crew"), "cook", 1));
            assert_eq!((stowaway, later.stats()), (cook, crew.stats()));
            assert_eq!(later.insert(String::new()), crew.insert(String::new()));
            let unnamed: $pool = serde_json::from_str(&text).unwrap();
            assert_eq!((unnamed.name(), unnamed[cook].as_str()), (None, "cook"));
            let mut other: $pool = $build.name("cargo").build();
            assert!(other.restore(&loaded).is_err());
        }
    )*};
}

a_snapshot_is_read_and_restored! {
    a_snapshot_of_a_pool: Pool<String>, Pool::builder().capacity(4);
    a_snapshot_of_a_packed_pool: PackedPool<String>, PackedPool::builder().capacity(4);
    a_snapshot_of_a_packed_vec_pool: PackedVecPool<String>, PackedVecPool::builder();
    a_snapshot_of_a_static_pool: StaticPool<String, 4>, StaticPool::builder();
}

/// In a roster the retired slots come last.
#[test]
fn an_order_with_a_retired_slot_before_others_is_refused() {
    macro_rules! check {
        ($($pool:ty, $build:expr;)*) => {$(
            let mut pool: $pool = $build.lifetimes(1).build();
            let gone = pool.insert(1).unwrap();
            pool.insert(2).unwrap();
            pool.remove(gone).unwrap();
            let mut saved = serde_json::to_value(&pool).unwrap();
            saved["state"]["order"] = json!([[0, 6]]);
            refused::<$pool>("the reuse order lists slot 0, which is retired", saved);
        )*};
    }
    check! {
        Pool<u64, Roster>, Pool::builder().reuse(Roster).capacity(6);
        PackedPool<u64>, PackedPool::builder().capacity(6);
        StaticPool<u64, 6>, StaticPool::builder();
    }
}

/// As many slots as the handle layout can name.
#[test]
fn the_largest_pools_come_back() {
    type Largest = Pool<u64, millpond::reuse::Lifo, Handle32<u64, 8>>;
    let mut pool: Largest = Pool::<u64>::builder().handle().capacity(256).build();
    (0..256).for_each(|value| _ = pool.insert(value).unwrap());
    let read: Largest = postcard::from_bytes(&postcard::to_allocvec(&pool).unwrap()).unwrap();
    assert!(read.iter().eq(pool.iter()) && read.is_full());
}

/// (The rest of the form for humans is in the recorded files.)
#[test]
fn objects_of_dead_slots_are_written_without_a_handle() {
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

/// What is read of either form of a recorded file is all that is in it: written again it is the same.
fn is_read<P: Serialize + DeserializeOwned>(name: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saved_v1");
    let file = |ending: &str| std::fs::read(directory.join(format!("{name}.{ending}"))).unwrap();
    let (text, bytes) = (file("json"), file("postcard"));
    let from_text: P = serde_json::from_slice(&text).unwrap();
    let from_bytes: P = postcard::from_bytes(&bytes).unwrap();
    let text: Json = serde_json::from_slice(&text).unwrap();
    for read in [from_text, from_bytes] {
        assert_eq!(serde_json::to_value(&read).unwrap(), text, "{name}");
        assert_eq!(postcard::to_allocvec(&read).unwrap(), bytes, "{name}");
    }
}

/// Files of version 1, written when that was the current one: a pool of each kind, with some past.
#[test]
fn files_of_the_first_version_can_be_read() {
    is_read::<Pool<u64>>("lifo");
    is_read::<Pool<u64, Fifo>>("fifo");
    is_read::<Pool<String, LowestFirst>>("lowest_first");
    is_read::<Pool<u64, Roster, Handle32<u64, 24>>>("roster");
    is_read::<Pool<u64>>("named");
    is_read::<Pool<u64>>("retiring");
    is_read::<Pool<u64>>("wrapping");
    is_read::<Recycler<u64>>("recycler");
    is_read::<PackedPool<u64>>("packed");
    is_read::<StaticPool<u64, 9>>("static");
    is_read::<SideTable<Handle<u64>, String>>("side_table");
}

/// An allocator is a pool of `()` now, and was a kind of its own when these were written.
#[test]
fn files_of_allocators_of_the_first_version_can_be_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saved_v1");
    let file = |name: &str| std::fs::read(directory.join(name)).unwrap();
    let text = file("allocator.json");
    let from_text: HandleAllocator = serde_json::from_slice(&text).unwrap();
    let from_bytes: HandleAllocator = postcard::from_bytes(&file("allocator.postcard")).unwrap();
    let mut text: Json = serde_json::from_slice(&text).unwrap();
    text["state"]["pool"] = json!("Pool");
    for read in [from_text, from_bytes] {
        assert_eq!(serde_json::to_value(&read).unwrap(), text);
    }
    let mut other = serde_json::to_value(PackedPool::<u64>::new(3)).unwrap();
    other["state"]["pool"] = json!("HandleAllocator");
    refused::<PackedPool<u64>>("a saved pool of another kind, expected PackedPool", other);
}

fn sample_pool() -> Pool<u64> {
    let mut pool = Pool::<u64>::builder().capacity(5).lifetimes(2).build();
    let handles: Vec<_> = (0..4).map(|i| pool.insert(i).unwrap()).collect();
    pool.remove(handles[1]); // vacant, 1v2 is next
    pool.remove(handles[2]);
    let again = pool.insert(9).unwrap();
    pool.remove(again); // retired
    pool
}

fn sample() -> Json {
    in_the_first_version(&sample_pool())
}

/// A `Lifo` pool as the first version wrote it, which listed all slots.
fn in_the_first_version<P: Serialize>(pool: &P) -> Json {
    let mut saved = serde_json::to_value(pool).unwrap();
    let Some(capacity) = saved.as_object_mut().unwrap().remove("capacity") else { return saved };
    saved["version"] = json!(1);
    let (capacity, first) = (capacity.as_u64().unwrap(), saved["state"]["first"].clone());
    let generations = saved["state"]["generations"].as_array_mut().unwrap();
    let listed = generations.len();
    generations.resize(capacity as usize, first);
    let order = saved["state"]["order"].as_array_mut().unwrap();
    order.push(json!([listed, capacity as usize - listed]));
    saved
}

#[track_caller]
fn refused<P: DeserializeOwned>(reason: &str, saved: Json) {
    let error = serde_json::from_value::<P>(saved).err().expect("refused").to_string();
    assert!(error.contains(reason), "{error}");
}

/// The saved pool with another value at this place.
fn changed(mut saved: Json, at: &str, value: Json) -> Json {
    *saved.pointer_mut(at).expect("a place") = value;
    saved
}

/// The saved pool with one object more.
fn with_object(mut saved: Json, handle: &str) -> Json {
    saved["objects"][handle] = json!(5);
    saved
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    type Saved = Pool<u64>;
    serde_json::from_value::<Saved>(sample()).unwrap().validate().unwrap();
    refused::<Pool<u64, Fifo>>("a saved pool of another reuse order, expected Fifo", sample());
    refused::<Recycler<u64>>("", sample());
    for (handle, reason) in [
        ("5v1", "slot 5 is beyond those that are listed"),
        ("4294967294v1", "slot 4294967294 is beyond those that are listed"),
        ("0v2", "slot 0 occurs twice"),
        ("2v2", "slot 2 is live and has retired"),
        ("4v2", "the object in slot 4 has another generation than 1"),
        ("first", "not a handle"),
        ("4v0", "no handle of this layout"),
        ("1v2", "the reuse order lists slot 1, which is live"),
    ] {
        refused::<Saved>(reason, with_object(sample(), handle));
    }
    let version = "a saved pool of version 3, but this program reads versions 1 and 2";
    refused::<Saved>(version, changed(sample(), "/version", json!(3)));
    refused::<Saved>("missing field `capacity`", changed(sample(), "/version", json!(2)));
    for (at, value, reason) in [
        ("pool", json!("PackedPool"), "a saved pool of another kind, expected Pool"),
        ("pool", json!("x".repeat(40)), "of another kind"),
        ("generations/0", json!(3), "generation 3 of slot 0 is out of range"),
        ("generations/0", json!(1_u64 << 31), "generation 2147483648 of slot 0 is out of range"),
        ("generations/0", json!(0), "slot 0 is live and has retired"),
        ("first", json!(0), "the first or last generation"),
        ("last", json!(1_u64 << 31), "the first or last generation"),
        ("wraps", json!(true), "generation 0 of slot 2 is out of range"),
        ("order", json!([[1, 1]]), "the reuse order lists 1 slots, expected 2"),
        ("order", json!([[1, 1], [1, 1]]), "the reuse order lists slot 1, which is in it twice"),
        ("order", json!([[1, 2]]), "the reuse order lists slot 2, which is retired"),
        ("order", json!([[4, u32::MAX]]), "slot 5 is beyond those that are listed"),
        ("order", json!([[u32::MAX, u32::MAX]]), "slot 4294967295 is beyond those that are listed"),
        ("inserted", json!(1), "fewer were inserted than are live"),
        ("peak", json!(1), "the peak is less than what is live"),
        ("peak", json!(6), "the peak is more than the capacity"),
        ("evicted", json!(9), "more were evicted than removed"),
        ("inserted", json!(u64::MAX), "a count is 2^62 or more"),
    ] {
        refused::<Saved>(reason, changed(sample(), &format!("/state/{at}"), value));
    }
    let mut saved = sample();
    saved["state"].as_object_mut().unwrap().remove("peak");
    refused::<Saved>("missing field `peak`", saved);
    let mut saved = sample();
    saved["more"] = json!(1);
    refused::<Saved>("unknown field", saved);
    for (once, twice, reason) in [
        ("\"version\"", "\"objects\":{},\"version\"", "duplicate field `objects`"),
        ("\"0v1\":0", "\"0v1\":0,\"0v1\":0", "slot 0 occurs twice"),
    ] {
        let text = sample().to_string().replacen(once, twice, 1);
        let error = serde_json::from_str::<Saved>(&text).err().unwrap().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn what_cannot_be_of_the_other_pools_is_refused_too() {
    let mut recycler = serde_json::to_value(Recycler::<u64>::new(2)).unwrap();
    recycler["objects"] = json!([[null, 1]]);
    refused::<Recycler<u64>>("1 objects, though 2 slots have one", recycler.clone());
    recycler["objects"] = json!([[null, 1], ["0v1", 1]]);
    refused::<Recycler<u64>>("slot 0 occurs twice", recycler);

    let mut packed = PackedPool::<u64>::new(3);
    packed.insert(1).unwrap();
    let mut packed = serde_json::to_value(packed).unwrap();
    packed["state"]["order"] = json!([[1, 1], [0, 1], [2, 1]]);
    refused::<PackedPool<u64>>("the reuse order lists slot 1, which is vacant", packed.clone());
    packed["state"]["order"] = json!([[0, 2]]);
    refused::<PackedPool<u64>>("the reuse order lists 2 slots, expected 3", packed);

    let three = serde_json::to_value(StaticPool::<u64, 3>::new()).unwrap();
    refused::<StaticPool<u64, 4>>("a saved pool of 3 slots, expected 4", three);

    let version = "a saved pool of version 2, but this program reads version 1";
    let packed = serde_json::to_value(PackedPool::<u64>::new(3)).unwrap();
    refused::<PackedPool<u64>>(version, changed(packed, "/version", json!(2)));

    let mut lowest = serde_json::to_value(full::<LowestFirst>()).unwrap();
    lowest["state"]["order"] = json!([[0, 1]]);
    refused::<Pool<u64, LowestFirst>>("the reuse order lists 1 slots, expected 0", lowest);

    let mut small = serde_json::to_value(HandleAllocator::new(1)).unwrap();
    small["capacity"] = json!(300);
    small["state"]["generations"] = json!(vec![1; 300]);
    small["state"]["order"] = json!([[0, 300]]);
    small["state"]["last"] = json!(255);
    serde_json::from_value::<HandleAllocator>(small.clone()).unwrap();
    type Tiny = HandleAllocator<millpond::reuse::Lifo, Handle32<(), 8>>;
    refused::<Tiny>("300 slots are more than the handle layout can name", small);
}

fn full<R: ReuseOrder>() -> Pool<u64, R> {
    let mut pool = Pool::with_capacity(3);
    while pool.insert(1).is_ok() {}
    pool
}

/// Slots that are there, and some that were.
fn sample_that_shrank() -> VecPool<u64> {
    let mut pool = VecPool::builder().capacity_max(16).lifetimes(2).build();
    let handles: Vec<_> = (0..9).map(|i| pool.insert(i).unwrap()).collect();
    [1, 8, 5, 4, 6].iter().for_each(|at| assert!(pool.remove(handles[*at]).is_some()));
    let again = pool.insert(9).unwrap(); // slot 6, which retires
    pool.remove(again).unwrap();
    pool.remove(handles[7]).unwrap();
    assert_eq!((pool.shrink_to_fit(), pool.capacity()), (12, 4));
    pool
}

#[test]
fn a_pool_that_shrank_comes_back_with_what_was_given_back() {
    let pool = sample_that_shrank();
    let read: VecPool<u64> = serde_json::from_value(serde_json::to_value(&pool).unwrap()).unwrap();
    assert_eq!((read.capacity(), read.capacity_max()), (4, 16));
    assert_eq!(read.stats(), pool.stats());
}

#[test]
fn what_cannot_be_of_a_pool_that_grows_is_refused_with_the_reason() {
    type Saved = VecPool<u64>;
    let sample = || serde_json::to_value(sample_that_shrank()).unwrap();
    let changed = |at: &str, value: Json| changed(sample(), &format!("/state{at}"), value);
    refused::<Pool<u64>>("", sample());
    refused::<VecPool<u64, Fifo>>("another reuse order, expected Fifo", sample());
    refused::<Saved>("slot 0 occurs twice", with_object(sample(), "0v2"));
    refused::<Saved>("slot 4 is beyond those that are listed", with_object(sample(), "4v1"));
    refused::<Saved>("missing field `slots`", {
        let mut saved = sample();
        saved["state"].as_object_mut().unwrap().remove("slots");
        saved
    });
    for (at, value, reason) in [
        ("", json!(7), "expected the slots of a pool that grows"),
        ("/slots/pool", json!("Pool"), "another kind, expected VecPool"),
        ("/slots/first", json!(0), "the first or last generation"),
        ("/slots/generations/0", json!(0), "slot 0 is live and has retired"),
        ("/slots/generations/1", json!(3), "generation 3 of slot 1 is out of range"),
        ("/slots/order", json!([[0, 1]]), "lists slot 0, which is live"),
        ("/slots/inserted", json!(2), "fewer were inserted than are live"),
        ("/capacity_max", json!(u64::MAX), "is more than the handle layout can name"),
        ("/capacity_max", json!(8), "9 slots are more"),
        ("/slots_there", json!(16), "16 slots exist, but 9 have a generation"),
        ("/slots_there", json!(u64::MAX), "slots exist"),
        ("/slots_there", json!(2), "slot 2 is beyond those that are listed"),
        ("/slots/generations/5", json!(3), "generation 3 of slot 1 is out of range"),
        ("/slots/order", json!([[1, 1], [4, 1]]), "slot 4 is beyond those that are listed"),
        ("/slots/order", json!([]), "lists 0 slots, expected 1"),
        ("/slots/peak", json!(17), "the peak is more than the capacity"),
        ("/slots/peak", json!(2), "the peak is less than what is live"),
    ] {
        refused::<Saved>(reason, changed(at, value));
    }
}

/// A peak of more slots than there are: those that come later bring none, and were never used all the same.
#[test]
fn slots_below_a_peak_of_the_files_making_are_copied_once_they_are_used() {
    fn grown<R: ReuseOrder>() {
        let mut pool = VecPool::<u64>::builder().reuse(R::default()).capacity_max(16).build();
        let first = pool.push(1);
        pool.remove(first);
        let saved = serde_json::to_value(&pool).unwrap();
        let saved = changed(saved, "/state/slots/inserted", json!(99));
        let saved = changed(saved, "/state/slots/peak", json!(16));
        let mut pool: VecPool<u64, R> = serde_json::from_value(saved).unwrap();
        let mut handles: Vec<_> = (0..9).map(|value| pool.push(value)).collect();
        pool.validate().unwrap();
        let nine = pool.snapshot();
        handles.drain(..).for_each(|handle| assert!(pool.remove(handle).is_some()));
        let mut other = VecPool::builder().reuse(R::default()).capacity_max(16).build();
        other.restore(&nine).unwrap();
        pool.restore(&nine).unwrap();
        for pool in [&mut pool, &mut other] {
            pool.validate().unwrap();
            let mut values: Vec<_> = pool.values().copied().collect();
            values.sort_unstable();
            assert!(values.into_iter().eq(0..9));
        }
    }
    in_every_order!(grown());
}

/// The words in which the homes of a pool for threads look first.
#[test]
fn homes_that_cannot_be_are_refused_with_the_reason() {
    let mut pool = SyncPool::<u64>::builder().capacity(100).homes(2).build();
    pool.insert(1).unwrap();
    let saved = serde_json::to_value(pool.snapshot()).unwrap();
    let with_homes = |homes: Json| changed(saved.clone(), "/state/order", homes);
    serde_json::from_value::<SyncPool<u64>>(with_homes(json!([[0, 2]]))).unwrap();
    refused::<SyncPool<u64>>("slot 320 is beyond the capacity", with_homes(json!([[5, 1]])));
    refused::<SyncPool<u64>>("lists 3 slots, expected 2", with_homes(json!([[0, 2], [0, 1]])));
    refused::<SyncPool<u64>>("lists 0 slots, expected 1", with_homes(json!([])));
}

/// Nothing that can be counted comes near 2 to the 62nd; sums of counts below that are numbers too.
#[test]
fn counts_are_believed_up_to_a_limit() {
    const MOST: u64 = (1 << 62) - 1;
    for (place, most) in [("inserted", MOST), ("refused", MOST)] {
        let mut saved = sample();
        saved["state"][place] = json!(most);
        let read: Pool<u64> = serde_json::from_value(saved.clone()).unwrap();
        read.validate().unwrap();
        saved["state"][place] = json!(most + 1);
        refused::<Pool<u64>>("a count is 2^62 or more", saved);
    }
}

/// A format for machines that says of what type each thing is, as CBOR does.
struct SelfDescribing(Json);

impl<'de> Deserializer<'de> for SelfDescribing {
    type Error = serde_json::Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> serde_json::Result<V::Value> {
        match self.0 {
            Json::Array(list) => {
                visitor.visit_seq(SeqDeserializer::new(list.into_iter().map(SelfDescribing)))
            }
            Json::Object(map) => {
                let entries = map.into_iter().map(|(key, value)| (key, SelfDescribing(value)));
                visitor.visit_map(MapDeserializer::new(entries))
            }
            single => single.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl IntoDeserializer<'_, serde_json::Error> for SelfDescribing {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[test]
fn what_is_of_another_type_is_refused_with_what_was_expected() {
    type Saved = Pool<u64>;
    let changed = |at: &str, value: Json| changed(sample(), at, value);
    refused::<Saved>("expected a saved Pool of version 1", json!(5));
    refused::<VecPool<u64>>("expected a saved VecPool of version 1", json!("a pool"));
    refused::<Saved>("expected a list", changed("/state/generations", json!(5)));
    refused::<Saved>("expected a list", changed("/state/order", json!({})));
    refused::<Saved>("expected a map from handles to objects", changed("/objects", json!([])));
    refused::<Saved>("expected a string", changed("/state/pool", json!(5)));
    refused::<Saved>("of another reuse order", changed("/state/reuse", json!("x".repeat(999))));
    let mut recycler = serde_json::to_value(Recycler::<u64>::new(1)).unwrap();
    recycler["objects"] = json!({});
    refused::<Recycler<u64>>(
        "expected a list of pairs of a handle or null and an object",
        recycler.clone(),
    );
    recycler["objects"] = json!([[5, 5]]);
    refused::<Recycler<u64>>("expected a handle as text, such as \"3v7\"", recycler);

    let for_machines = |objects: Json| {
        let saved = SelfDescribing(changed("/objects", objects));
        <Saved as serde::Deserialize>::deserialize(saved).map_err(|error| error.to_string())
    };
    let read = for_machines(json!([[[0, 1], [3, 1]], [0, 3]])).unwrap();
    let original: Saved = serde_json::from_value(sample()).unwrap();
    assert!(read.iter().eq(original.iter()));
    for (objects, expected) in [
        (json!(5), "expected the runs of live slots, and the values"),
        (json!([]), "expected two lists"),
        (json!([[[0, 1]]]), "expected two lists"),
        (json!([5, []]), "expected a list"),
        (json!([[], 5]), "expected a list"),
    ] {
        let told = for_machines(objects).expect_err("refused");
        assert!(told.contains(expected), "{told}");
    }
}

/// A list gets room in advance for as much as fits in a page, whatever its length is said to be.
#[test]
fn a_length_that_lies_takes_no_memory() {
    let nothing = Vec::<(u32, u32)>::new();
    let labels = (1_u32, ("Pool", "Lifo"), (1_u32, 9_u32, false));
    let counters = (0_u64, 0_u64, 0_u64, 0_u64);
    let lists = (Vec::<u32>::new(), &nothing, counters, &nothing);
    let mut lies = postcard::to_allocvec(&(labels, lists, 1000_u32)).unwrap();
    lies.extend([0; 1000]); // values of 32 bytes at least
    let (read, allocations) = during(|| postcard::from_bytes::<Pool<[u64; 32]>>(&lies).err());
    assert!(read.is_some());
    assert!(allocations.bytes_taken < 5000, "{allocations:?}");
}

#[test]
fn without_memory_for_the_slots_the_error_says_how_many() {
    let mut pool = VecPool::<[u64; 32]>::with_capacity(64);
    pool.insert([7_u64; 32]).unwrap();
    let text = serde_json::to_string(&pool).unwrap();
    let error = refusing(64 * 256, || serde_json::from_str::<VecPool<[u64; 32]>>(&text).err());
    let told = error.expect("no memory").to_string();
    assert!(told.starts_with("no memory for a pool of 64 slots"), "{told}");
}

/// A pool that may have as many slots as there can be, and says so in a few bytes.
#[test]
fn large_limits_take_no_memory() {
    let pool = VecPool::<[u8; 24]>::builder().capacity_max(1 << 31).build();
    let text = serde_json::to_string(&pool).unwrap();
    let (read, allocations) = during(|| serde_json::from_str::<VecPool<[u8; 24]>>(&text));
    assert_eq!(read.unwrap().capacity_max(), 1 << 31);
    assert!(allocations.bytes_taken < 16_384, "{allocations:?}");
}

/// Handles among the values are written as text, and are as good or as stale as before.
#[test]
fn handles_inside_of_saved_objects_stay_good() {
    #[derive(Clone, Serialize, serde::Deserialize)]
    struct Ship {
        target: Option<Handle<Ship>>,
    }
    let mut ships = Pool::new(4);
    let [prey, gone] = [(); 2].map(|()| ships.insert(Ship { target: None }).unwrap());
    let hunters = [prey, gone].map(|it| ships.insert(Ship { target: Some(it) }).unwrap());
    ships.remove(gone);
    let text = serde_json::to_string(&ships).unwrap();
    assert!(text.contains(r#""2v1":{"target":"0v1"}"#), "{text}");
    let mut loaded: Pool<Ship> = serde_json::from_str(&text).unwrap();
    loaded.insert(Ship { target: None }).unwrap();
    let targets = hunters.map(|hunter| loaded[hunter].target.unwrap());
    assert_eq!((targets, targets.map(|it| loaded.contains(it))), ([prey, gone], [true, false]));
}
