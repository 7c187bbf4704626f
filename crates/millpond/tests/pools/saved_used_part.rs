//! Feature `serde`: the file of a pool, or of a handle allocator, leaves out the slots that were never used, where they take no memory in the pool that
//! is read from it. (That no page of theirs is touched then: `tests/page_faults.rs`.)

use millpond::reuse::{Fifo, LowestFirst, ReuseOrder, Roster};
use millpond::snapshot::{SnapshotOf, UpTo, UsedPart};
use millpond::{Handle, Handle32, HandleAllocator, PackedVecPool, Pool, VecPool};
use millpond_overflow::{EvictOldest, Overflow, PolicyPool, Spill};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::allocations::during;

type Lifo<T> = Pool<T>;

const SLOTS: usize = 1 << 20;

/// A few slots are in use; of others, two are free, and one was taken out of turn.
fn in_use<R: ReuseOrder>(slots: usize, is_untouched: bool) -> Pool<u64, R> {
    let builder = Pool::<u64>::builder().reuse(R::default()).capacity(slots);
    let mut pool = if is_untouched { builder.untouched().build() } else { builder.build() };
    let handles: Vec<_> = (0..9).map(|value| pool.insert(value).unwrap()).collect();
    [3, 7, 0].iter().for_each(|at| assert!(pool.remove(handles[*at]).is_some()));
    let far = Handle::from_parts(13, 1).unwrap();
    pool.insert_at(far, 13).unwrap();
    pool.insert(20).unwrap();
    pool
}

/// Both forms.
fn read<P: Serialize + DeserializeOwned>(pool: &P) -> [P; 2] {
    let bytes = postcard::to_allocvec(pool).unwrap();
    [json_of::<P, P>(pool), postcard::from_bytes(&bytes).unwrap()]
}

fn json_of<P: Serialize, Q: DeserializeOwned>(pool: &P) -> Q {
    serde_json::from_str(&serde_json::to_string(pool).unwrap()).unwrap()
}

fn a_file_costs_what_is_used<R: ReuseOrder>() {
    let mut pool: Pool<u64, R> = in_use(SLOTS, true);
    let text = serde_json::to_string(&pool).unwrap();
    assert!(text.len() < 400, "{text}");
    assert!(postcard::to_allocvec(&pool).unwrap().len() < 100);
    // Whether the memory was touched is no part of the state.
    assert_eq!(serde_json::to_string(&in_use::<R>(SLOTS, false)).unwrap(), text);
    // By way of a map in another order.
    let sorted: Json = serde_json::from_str(&text).unwrap();
    let sorted: Pool<u64, R> = serde_json::from_value(sorted).unwrap();
    let mut all: Vec<Pool<u64, R>> = read(&pool).into_iter().chain([sorted]).collect();
    let past: SnapshotOf<Pool<u64, R>> = json_of(&pool.snapshot());
    all.push(in_use(SLOTS, true));
    all[3].clear();
    all[3].restore(&past).unwrap();
    for read in &mut all {
        read.validate().unwrap();
        assert_eq!(read.capacity(), SLOTS);
        assert_eq!((read.checksum(), read.stats()), (pool.checksum(), pool.stats()));
        assert_eq!(serde_json::to_string(read).unwrap(), text);
    }
    for value in 0..40 {
        let next = pool.insert(value).unwrap();
        assert!(all.iter_mut().all(|read| read.insert(value) == Ok(next)));
        if value % 3 == 0 {
            assert!(all.iter_mut().chain([&mut pool]).all(|pool| pool.remove(next).is_some()));
        }
    }
    for read in &all {
        read.validate().unwrap();
        assert_eq!(read.checksum(), pool.checksum());
    }
}

#[test]
fn the_file_of_a_pool_costs_what_is_used() {
    a_file_costs_what_is_used::<millpond::reuse::Lifo>();
    a_file_costs_what_is_used::<LowestFirst>();
}

#[test]
fn a_new_pool_and_a_full_one_come_back() {
    for used in [0, 1, 63, 64, 99, 100] {
        let mut pool = Lifo::<u64>::builder().capacity(100).untouched().build();
        (0..used).for_each(|value| _ = pool.insert(value).unwrap());
        for mut read in read(&pool) {
            read.validate().unwrap();
            assert_eq!((read.capacity(), read.checksum()), (100, pool.checksum()));
            (used..100).for_each(|value| _ = read.insert(value).unwrap());
            assert!(read.is_full());
            read.validate().unwrap();
        }
    }
}

/// Their memory is touched when they are built, and when they are read, so the file has a number for each slot.
#[test]
fn pools_whose_slots_all_take_memory_list_them() {
    #[derive(Serialize, Deserialize)]
    #[repr(align(128))]
    struct Wide(u64);
    fn listed<P: Serialize>(pool: P) -> (u64, usize) {
        let saved = serde_json::to_value(pool).unwrap();
        let listed = saved["state"]["generations"].as_array().unwrap().len();
        (saved["version"].as_u64().unwrap(), listed)
    }
    assert_eq!(listed(in_use::<Fifo>(50, true)), (1, 50));
    assert_eq!(listed(in_use::<Roster>(50, true)), (1, 50));
    let mut wide = Lifo::<Wide>::builder().capacity(50).untouched().build();
    let handle = wide.insert(Wide(7)).unwrap();
    let [read, _] = read(&wide);
    assert_eq!((listed(wide), read[handle].0), ((1, 50), 7));
    assert_eq!(listed(in_use::<LowestFirst>(50, true)), (2, 14));
}

fn changed(at: &str, value: Json) -> Json {
    let mut saved = serde_json::to_value(in_use::<millpond::reuse::Lifo>(SLOTS, true)).unwrap();
    *saved.pointer_mut(at).unwrap() = value;
    saved
}

#[track_caller]
fn refused<P: DeserializeOwned>(reason: &str, saved: Json) {
    let error = serde_json::from_value::<P>(saved).err().expect("refused").to_string();
    assert!(error.contains(reason) && !error.contains('\n'), "{error}");
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    for (at, value, reason) in [
        ("/version", json!(1), "unknown field `capacity`"),
        ("/version", json!(0), "version 0, but this program reads versions 1 and 2"),
        ("/capacity", json!(13), "14 slots are listed, but there are 13"),
        (
            "/capacity",
            json!(1_u64 << 32),
            "4294967296 slots are more than the handle layout can name",
        ),
        ("/capacity", json!(u64::MAX), "slots are more than the handle layout can name"),
        ("/capacity", json!(-1), "invalid value"),
        ("/state/peak", json!(15), "the peak is more than the slots that are listed"),
        ("/state/order", json!([[14, 1]]), "slot 14 is beyond those that are listed"),
    ] {
        refused::<Lifo<u64>>(reason, changed(at, value));
    }
    let mut saved = changed("/version", json!(2));
    saved["objects"]["14v1"] = json!(1);
    refused::<Lifo<u64>>("slot 14 is beyond those that are listed", saved);
    let narrow = Pool::<u64>::builder().handle::<Handle32<u64, 8>>().capacity(200).build();
    let mut narrow = serde_json::to_value(narrow).unwrap();
    narrow["capacity"] = json!(257);
    refused::<Pool<u64, millpond::reuse::Lifo, Handle32<u64, 8>>>(
        "257 slots are more than the handle layout can name",
        narrow,
    );
}

/// A few bytes name a capacity: the addresses are limited, and a used part has none of them.
#[test]
fn what_a_file_claims_is_limited() {
    let claimed = changed("/capacity", json!(u32::MAX - 1));
    let text = claimed.to_string();
    let (error, allocations) = during(|| serde_json::from_str::<Lifo<u64>>(&text).unwrap_err());
    let error = error.to_string();
    assert!(
        error.starts_with(
            "a pool of 4294967294 slots of which the file lists 14 would take more than"
        ) && error.contains("read it as a `UsedPart`, and let a pool of your own take that over"),
        "{error}"
    );
    assert!(allocations.bytes_taken < 10_000, "{allocations:?}");

    for claim in [14, 100, u64::from(u32::MAX), u64::MAX] {
        let text = changed("/capacity", json!(claim)).to_string();
        let (part, allocations) =
            during(|| serde_json::from_str::<UsedPart<Lifo<u64>>>(&text).unwrap());
        assert!(allocations.bytes_taken < 10_000, "{allocations:?}");
        assert_eq!((part.0.capacity(), part.0.len()), (14, 8));
        let mut pool = Pool::builder().capacity(50).untouched().name("own").build();
        let past = in_use::<millpond::reuse::Lifo>(50, false);
        pool.migrate_from(part.0).unwrap();
        pool.validate().unwrap();
        assert!(pool.iter().eq(past.iter()));
        assert_eq!((pool.stats(), pool.name()), (past.stats(), Some("own")));
    }
    // The values' type may be aligned by now so that a file of this pool would list all slots.
    #[derive(Debug, Deserialize)]
    #[repr(align(128))]
    struct Wide(u64);
    let text = changed("/capacity", json!(100)).to_string();
    let part: UsedPart<Lifo<Wide>> = serde_json::from_str(&text).unwrap();
    assert_eq!((part.0.capacity(), part.0.values().next().unwrap().0), (14, 20));
    serde_json::from_str::<Lifo<Wide>>(&text).unwrap_err();
    // Of any pool, whatever form it has.
    let part: UsedPart<Pool<u64, Fifo>> = json_of(&in_use::<Fifo>(50, false));
    assert_eq!(part.0.capacity(), 50);
}

/// The list of ages has a place for each slot.
#[test]
fn a_pool_that_evicts_lists_all_slots() {
    let parts = |policy| {
        let builder = Pool::<u64>::builder().capacity(100).untouched();
        let mut pool = PolicyPool::try_new(policy, builder, 0).unwrap();
        pool.insert_by(5, |_, value| *value).unwrap();
        (pool.checksum(), serde_json::to_value(&pool).unwrap())
    };
    for (policy, listed) in [(Overflow::EvictOldest, 100), (Overflow::Refuse, 1)] {
        let (sum, saved) = parts(policy);
        let generations = saved["first"]["state"]["generations"].as_array().unwrap();
        assert_eq!(generations.len(), listed, "{policy}");
        let read: PolicyPool<u64> = serde_json::from_value(saved).unwrap();
        assert_eq!((read.checksum(), read.capacity()), (sum, 100));
    }
    let (_, mut saved) = parts(Overflow::EvictOldest);
    saved["first"] = parts(Overflow::Refuse).1["first"].clone();
    refused::<PolicyPool<u64>>("a pool that evicts has slots that are not listed", saved);

    // Beside a pool, the list is as long as the program's own.
    let mut pool = Lifo::<u64>::builder().capacity(100).untouched().build();
    let mut ages = EvictOldest::beside(&pool);
    ages.note(pool.insert(5).unwrap());
    let [pair, _] = read(&Spill::new(pool, Lifo::new(3)));
    assert_eq!((pair.first().capacity(), pair.second().capacity()), (100, 3));
}

/// What slots were used in the pool itself, and are not in the old one, is forgotten.
#[test]
fn a_pool_takes_over_less_than_it_had() {
    fn takes_over<R: ReuseOrder>() {
        for own in [0, 5, 14, 15, 200, 300] {
            let mut pool = Pool::<u64>::builder().reuse(R::default()).capacity(300).build();
            (0..own).for_each(|value| _ = pool.insert(value).unwrap());
            let old: Pool<u64, R> = in_use(64, false);
            let expected: Vec<_> = old.iter().map(|(handle, value)| (handle, *value)).collect();
            pool.migrate_from(old).unwrap();
            pool.validate().unwrap();
            assert!(pool.iter().map(|(handle, value)| (handle, *value)).eq(expected), "{own}");
            let mut slots: Vec<_> = pool.handles().map(|handle| handle.index()).collect();
            while let Ok(handle) = pool.insert(1) {
                slots.push(handle.index());
            }
            slots.sort_unstable();
            assert!(slots.into_iter().eq(0..300), "{own}");
            pool.validate().unwrap();
        }
    }
    crate::common::in_every_order!(takes_over());
}

/// Of as many slots; the first ones were used, and each third of them is free again.
fn handles_in_use<R: ReuseOrder>(slots: usize, used: usize) -> HandleAllocator<R> {
    let mut rows = HandleAllocator::<R>::with_capacity(slots);
    let handles: Vec<_> = (0..used).map(|_| rows.acquire().unwrap()).collect();
    handles.iter().step_by(3).for_each(|handle| assert!(rows.release(*handle)));
    rows
}

fn an_allocator_comes_back<R: ReuseOrder>(may_leave_out: bool) {
    for used in [0, 1, 63, 64, 99, 100] {
        let mut rows = handles_in_use::<R>(100, used);
        let saved = serde_json::to_value(&rows).unwrap();
        let listed = saved["state"]["generations"].as_array().unwrap().len();
        let (version, expected) = if may_leave_out && used < 100 { (2, used) } else { (1, 100) };
        assert_eq!((&saved["version"], listed), (&json!(version), expected), "{}", R::NAME);
        let past: SnapshotOf<HandleAllocator<R>> = json_of(&rows.snapshot());
        let mut restored = handles_in_use::<R>(100, 70);
        restored.restore(&past).unwrap();
        let mut migrated = handles_in_use::<R>(100, 70);
        migrated.migrate_from(read(&rows).into_iter().next().unwrap()).unwrap();
        let mut all: Vec<_> = read(&rows).into_iter().chain([restored, migrated]).collect();
        all.push(all[0].clone());
        for read in &all {
            read.validate().unwrap();
            assert_eq!((read.checksum(), read.stats()), (rows.checksum(), rows.stats()));
        }
        loop {
            let next = rows.acquire();
            assert!(all.iter_mut().all(|read| read.acquire() == next), "{} {used}", R::NAME);
            let Some(next) = next else { break };
            if next.index() % 5 == 1 && next.generation() < 3 {
                assert!(all.iter_mut().chain([&mut rows]).all(|rows| rows.release(next)));
            }
        }
        all.iter().for_each(|read| read.validate().unwrap());
    }
}

#[test]
fn an_allocator_comes_back_whatever_part_was_used() {
    an_allocator_comes_back::<millpond::reuse::Lifo>(true);
    an_allocator_comes_back::<LowestFirst>(true);
    an_allocator_comes_back::<Fifo>(false);
    an_allocator_comes_back::<Roster>(false);
}

#[test]
fn the_file_of_an_allocator_costs_what_is_used() {
    let rows = handles_in_use::<millpond::reuse::Lifo>(SLOTS, 14);
    let mut saved = serde_json::to_value(&rows).unwrap();
    assert!(saved.to_string().len() < 400, "{saved}");
    assert!(postcard::to_allocvec(&rows).unwrap().len() < 100);

    // The addresses are limited as those of a pool; a used part has none of them.
    saved["capacity"] = json!(u32::MAX - 1);
    let text = saved.to_string();
    let (error, allocations) =
        during(|| serde_json::from_str::<HandleAllocator>(&text).unwrap_err().to_string());
    assert!(error.contains("of which the file lists 14 would take more than"), "{error}");
    assert!(allocations.bytes_taken < 10_000, "{allocations:?}");
    let part: UsedPart<HandleAllocator> = serde_json::from_str(&text).unwrap();
    assert_eq!((part.0.capacity(), part.0.len()), (14, 9));
    let mut own = handles_in_use::<LowestFirst>(50, 33);
    own.migrate_from(part.0).unwrap();
    own.validate().unwrap();
    assert!(own.handles().eq(rows.handles()));
    saved["capacity"] = json!(13);
    refused::<HandleAllocator>("14 slots are listed, but there are 13", saved);
}

#[test]
fn a_file_that_claims_more_slots_than_the_program_reads_is_refused_before_it_takes_memory() {
    fn read<P: serde::Serialize, const SLOTS: usize>(pool: &P) -> Result<UpTo<P, SLOTS>, String>
    where
        UpTo<P, SLOTS>: serde::de::DeserializeOwned,
    {
        serde_json::from_value(serde_json::to_value(pool).unwrap())
            .map_err(|error| error.to_string())
    }
    let untouched = Pool::<[u64; 8]>::builder().capacity(1000).untouched().build();
    let refusal = "the file has a pool of 1000 slots, and the program reads up to 999";
    assert_eq!(read::<_, 999>(&untouched).err().as_deref(), Some(refusal));
    assert_eq!(read::<_, 1000>(&untouched).unwrap().0.capacity(), 1000);
    let listed = Pool::<u8>::builder().capacity(1000).reuse(Fifo).build();
    assert_eq!(read::<_, 999>(&listed).err().as_deref(), Some(refusal));
    assert_eq!(read::<_, 1000>(&listed).unwrap().0.capacity(), 1000);
    let mut grown = VecPool::new();
    (0..9).for_each(|value| _ = grown.push(value));
    let refusal = "the file has a pool of 16 slots, and the program reads up to 15";
    assert_eq!(read::<_, 15>(&grown).err().as_deref(), Some(refusal));
    assert_eq!(read::<_, 16>(&grown).unwrap().0.len(), 9);
    let packed: PackedVecPool<i32> = (0..16).collect();
    assert_eq!(read::<_, 15>(&packed).err().as_deref(), Some(refusal));
    assert_eq!(read::<_, 16>(&packed).unwrap().0.len(), 16);
}
