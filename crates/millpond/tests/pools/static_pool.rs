//! `StaticPool`: a constant constructor, and so no heap. (That it does what a pool should: `tests/families`.)

use std::sync::Mutex;

use millpond::{Handle, Handle32, Refusal, StaticPool};

static SHARED: Mutex<StaticPool<u64, 1000>> = Mutex::new(StaticPool::new());
static NAMED: Mutex<StaticPool<u64, 3, Handle32<u64, 16>>> =
    Mutex::new(StaticPool::named_with_handle("three"));

#[test]
fn lives_in_a_static_and_is_shared_by_threads() {
    let handles: Vec<Handle<u64>> = std::thread::scope(|scope| {
        let insert = |id| move || SHARED.lock().unwrap().insert(id).unwrap();
        let threads: Vec<_> = (0..4).map(|id| scope.spawn(insert(id))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut pool = SHARED.lock().unwrap();
    for (id, handle) in handles.iter().enumerate() {
        assert_eq!(pool[*handle], id as u64);
    }
    pool.clear();
    assert!(handles.iter().all(|handle| pool.get(*handle).is_none()));
}

#[test]
fn a_named_one_in_a_static_says_so_and_refuses_the_handles_of_others() {
    let mut pool = NAMED.lock().unwrap();
    let mut other: StaticPool<u64, 3, Handle32<u64, 16>> = StaticPool::named_with_handle("other");
    let handle = other.insert(1).unwrap();
    pool.insert(2).unwrap();
    assert_eq!(pool.check(handle), Err(Refusal::OtherPool));
    pool.insert(3).unwrap();
    pool.insert(4).unwrap();
    let full = pool.insert(5).unwrap_err().to_string();
    assert_eq!(full, "pool \"three\" is full: all 3 slots are live");
    // As a named pool on the heap, which takes its first generation from the same name.
    let heap = millpond::Pool::<u64>::builder().handle::<Handle32<u64, 16>>().name("other");
    assert_eq!(heap.capacity(3).build().insert(1).unwrap(), handle);
}

/// It compiles only if nothing in such a pool can change while it is shared.
const REFERRED_TO: &StaticPool<u64, 3> = &StaticPool::new();
const REFERRED_TO_BY_NAME: &StaticPool<u64, 3, Handle32<u64, 16>> =
    &StaticPool::named_with_handle("three");

#[test]
fn a_constant_may_refer_to_one() {
    assert_eq!((REFERRED_TO.len(), REFERRED_TO.iter().count()), (0, 0));
    assert_eq!(REFERRED_TO_BY_NAME.name(), Some("three"));
    let mut pool = REFERRED_TO.clone();
    let handle = pool.insert(7).unwrap();
    assert_eq!((pool[handle], REFERRED_TO.get(handle)), (7, None));
}

#[test]
fn takes_the_documented_bytes() {
    const SLOTS: usize = 1000;
    let wide = size_of::<StaticPool<[u32; 4], SLOTS>>();
    assert!((SLOTS * (16 + 12)..=SLOTS * (16 + 12) + 104).contains(&wide), "{wide}");
    let narrow = size_of::<StaticPool<[u16; 4], SLOTS, Handle32<(), 16>>>();
    assert!((SLOTS * (8 + 6)..=SLOTS * (8 + 6) + 104).contains(&narrow), "{narrow}");
}

#[test]
fn a_slot_is_live_while_its_object_is_there() {
    let mut pool = StaticPool::<u64, 3>::new();
    let handle = pool.insert(1).unwrap();
    let _ = pool.insert(2).unwrap();
    pool.remove(handle);
    assert_eq!([0, 1, 2, 3].map(|index| pool.is_live(index)), [false, true, false, false]);
}
