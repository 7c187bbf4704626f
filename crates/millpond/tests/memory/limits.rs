//! Capacities at the limits of handles and of memory, indices and addresses at those of a pool.

use crate::allocations::refusing;
use crate::common::{in_every_order, panic_of};
use millpond::debug::DebugAids;
use millpond::reuse::{Lifo, ReuseOrder};
use millpond::{
    BuildError, GetDisjointMutError, Handle, Handle32, HandleAllocator, HandleLayout,
    InsertAtErrorKind, PackedVecPool, Pool, Recycler, Refusal, SyncPool, SyncRecycler, VecPool,
};

fn all_that_the_layout_names<R: ReuseOrder, H: HandleLayout>() {
    let last = H::CAPACITY_MAX - 1;
    let mut pool = Pool::<usize, R, H>::with_capacity(last + 1);
    for value in 0..=last {
        assert_eq!(pool.insert(value).unwrap().index() as usize, value);
    }
    assert!(pool.insert(0).is_err());
    assert_eq!(pool.remove(pool.handle_at(last).unwrap()), Some(last));
    let again = pool.insert(7).unwrap();
    assert_eq!((again.index() as usize, again.generation()), (last, 2));
    assert_eq!(
        pool.runs().map(|(first, run)| (first, run.len())).collect::<Vec<_>>(),
        [(0, last + 1)]
    );
}

#[test]
fn layouts_of_16_bits_and_of_1_bit_of_index_name_65_536_and_2_slots() {
    in_every_order!(all_that_the_layout_names::<Handle32<u16, 16>>());
    in_every_order!(all_that_the_layout_names::<Handle32<u16, 1>>());
}

#[test]
fn capacity_beyond_the_layout_is_an_error_that_says_both() {
    let builder = Pool::<u8>::builder().handle::<Handle32<u8, 16>>();
    let error = builder.capacity(65_537).try_build().unwrap_err();
    assert_eq!(error, BuildError::CapacityTooLarge { capacity: 65_537, capacity_max: 65_536 });
    let text = error.to_string();
    assert!(text.contains("65537") && text.contains("65536"), "{text}");
    let allocator = HandleAllocator::builder().handle::<Handle32<u8, 4>>().capacity(17);
    assert!(matches!(allocator.try_build(), Err(BuildError::CapacityTooLarge { .. })));
    let recycler = Recycler::<u8>::builder().handle::<Handle32<u8, 4>>().capacity(usize::MAX);
    let error = recycler.try_build_with(|_| panic!("no object is made")).unwrap_err();
    assert!(matches!(error, BuildError::CapacityTooLarge { capacity: usize::MAX, .. }));
}

/// On 32 bits, no number is that large.
#[test]
#[cfg(target_pointer_width = "64")]
fn capacity_beyond_the_handles_of_threads_is_an_error_that_says_both() {
    for capacity in [usize::MAX, 1 << 62] {
        let too_large = BuildError::CapacityTooLarge { capacity, capacity_max: u32::MAX as usize };
        let pool = SyncPool::<u8>::builder().capacity(capacity).try_build();
        assert_eq!(pool.unwrap_err(), too_large);
        let recycler = SyncRecycler::<u8>::builder().capacity(capacity);
        let recycler = recycler.try_build_with(|_| panic!("no object is made"));
        assert_eq!(recycler.unwrap_err(), too_large);
    }
}

#[test]
fn builder_without_a_capacity_is_an_error_that_says_what_to_do() {
    let error = Pool::<u8>::builder().try_build().unwrap_err();
    assert_eq!(error, BuildError::NoCapacity);
    assert!(error.to_string().contains(".capacity("));
    assert_eq!(HandleAllocator::builder().try_build().unwrap_err(), BuildError::NoCapacity);
    let recycler = Recycler::<u8>::builder().try_build_with(|_| 0);
    assert_eq!(recycler.unwrap_err(), BuildError::NoCapacity);
}

/// More bytes than there are addresses, and more than the system can have.
#[cfg(target_pointer_width = "64")]
fn absurd<R: ReuseOrder>() {
    struct Absurd(#[expect(dead_code, reason = "it is there for its size")] [u8; 1 << 40]);
    const SLOTS: usize = u32::MAX as usize;
    let build = Pool::<Absurd>::builder().reuse(R::default()).capacity(SLOTS).try_build();
    assert_eq!(build.err(), Some(BuildError::OutOfMemory { capacity: SLOTS }));
    let build = Pool::<Absurd>::builder().reuse(R::default()).capacity(1 << 18).try_build();
    let error = build.err().unwrap();
    assert_eq!(error, BuildError::OutOfMemory { capacity: 1 << 18 });
    assert_eq!(error.to_string(), "no memory for a pool of 262144 slots");
}

#[test]
#[cfg(target_pointer_width = "64")]
fn pool_for_which_there_is_no_memory_is_an_error_and_no_abort() {
    in_every_order!(absurd());
}

/// Large enough that what a panic's message takes is little beside it.
const LARGE: usize = 1 << 16;

macro_rules! is_whole_and_empty_after_a_restore_without_memory {
    ($pool:ident) => {{
        let mut pool = $pool::<[u8; LARGE]>::new();
        pool.insert_at(Handle::from_parts(2047, 1).unwrap(), [1; LARGE]).unwrap();
        let large = pool.snapshot();
        let mut pool = $pool::<[u8; LARGE]>::new();
        let handles = [2; 5].map(|byte| pool.push([byte; LARGE]));
        pool.remove(handles[4]).unwrap();
        pool.shrink_to_fit();
        let message = refusing(LARGE << 10, || panic_of(|| pool.restore(&large).unwrap()));
        assert_eq!(message.unwrap(), "no memory for the slots of the pool");
        pool.validate().unwrap();
        assert_eq!(
            (pool.capacity(), pool.len(), pool.check(handles[0])),
            (4, 0, Err(Refusal::Stale))
        );
        pool.restore(&large).unwrap();
        assert_eq!((pool.checksum(), pool.capacity()), (large.as_pool().checksum(), 2048));
    }};
}

#[test]
fn a_restore_without_memory_leaves_a_pool_that_is_whole_and_empty() {
    is_whole_and_empty_after_a_restore_without_memory!(VecPool);
}

// A test of its own, because a test's stack has room for a few of these values only.
#[test]
fn a_restore_without_memory_leaves_a_packed_pool_that_is_whole_and_empty() {
    is_whole_and_empty_after_a_restore_without_memory!(PackedVecPool);
}

fn disjoint<R: ReuseOrder>() {
    let mut pool = Pool::<u64, R>::with_capacity(10);
    let [a, b, c, stale] = [1, 2, 3, 4].map(|value| pool.insert(value).unwrap());
    pool.remove(stale);
    let [x, y, z] = pool.get_disjoint_mut([c, a, b]).unwrap();
    assert_eq!((*x, *y, *z), (3, 1, 2));
    (*x, *y, *z) = (30, 10, 20);
    assert_eq!((pool[a], pool[b], pool[c]), (10, 20, 30));
    fn error<R: ReuseOrder, const N: usize>(
        pool: &mut Pool<u64, R>,
        handles: [Handle<u64>; N],
    ) -> GetDisjointMutError {
        pool.get_disjoint_mut(handles).unwrap_err()
    }
    let at = |index, generation| Handle::from_parts(index, generation).unwrap();
    let refused = |position, refusal| GetDisjointMutError::Refused { position, refusal };
    assert_eq!(error(&mut pool, [a, stale]), refused(1, Refusal::Stale));
    assert_eq!(error(&mut pool, [at(10, 1), a, stale]), refused(0, Refusal::OutOfRange));
    assert_eq!(error(&mut pool, [a, b, at(0, 2)]), refused(2, Refusal::NeverIssued));
    let overlapping = |position| GetDisjointMutError::Overlapping { position };
    assert_eq!(error(&mut pool, [a, a]), overlapping(1));
    assert_eq!(error(&mut pool, [a, b, c, b]), overlapping(3));
    assert_eq!(error(&mut pool, [stale, stale]), refused(0, Refusal::Stale));
    let text = error(&mut pool, [a, b, a]).to_string();
    assert_eq!(text, "handle 2 names the same object as one before it");
    assert_eq!((pool[a], pool[b], pool[c]), (10, 20, 30));
}

#[test]
fn get_disjoint_mut_refuses_equal_stale_and_foreign_handles_by_position() {
    in_every_order!(disjoint());
}

fn index_of<R: ReuseOrder>() {
    let mut pool = Pool::<[u8; 8], R>::with_capacity(5);
    let mut other = Pool::<[u8; 8], R>::with_capacity(5);
    let handles: Vec<_> = (0..4).map(|i| pool.insert([i; 8]).unwrap()).collect();
    let foreign = other.insert([9; 8]).unwrap();
    for (slot, handle) in handles.iter().enumerate() {
        assert_eq!(pool.index_of(&pool[*handle]), Some(slot));
    }
    assert_eq!(pool.index_of(&other[foreign]), None);
    assert_eq!(pool.index_of(&[0; 8]), None);
    // A value of the same type that starts inside one element and ends inside the next.
    let (_, run) = pool.runs().next().unwrap();
    for offset in 1..16 {
        let inside: &[u8; 8] = run.as_flattened()[offset..offset + 8].try_into().unwrap();
        assert_eq!(pool.index_of(inside), (offset % 8 == 0).then_some(offset / 8));
    }
}

#[test]
fn index_of_knows_its_own_values_only_by_their_first_byte() {
    in_every_order!(index_of());
}

#[test]
fn index_of_a_value_without_size_or_in_an_empty_pool_is_none() {
    let mut pool = Pool::<()>::new(5);
    let handle = pool.insert(()).unwrap();
    assert_eq!(pool.index_of(&pool[handle]), None);
    assert_eq!(Pool::<u64>::new(0).index_of(&3), None);
}

/// A watched pool looks at the slot that is claimed: not if it is live, or not there.
#[test]
fn refused_claim_of_a_watched_pool_touches_nothing() {
    let builder = Pool::<String>::builder().capacity(2).debug_aids(DebugAids::all());
    let mut pool = builder.build();
    let handle = pool.insert("a longer text".to_string()).unwrap();
    for (index, kind) in [
        (0, InsertAtErrorKind::Occupied),
        (2, InsertAtErrorKind::OutOfRange),
        (4_294_967_294, InsertAtErrorKind::OutOfRange),
    ] {
        let claim = Handle::from_parts(index, handle.generation()).unwrap();
        let error = pool.insert_at(claim, "other".to_string()).unwrap_err();
        assert_eq!((error.kind(), error.into_inner().as_str()), (kind, "other"));
        assert_eq!(pool[handle], "a longer text");
    }
}

#[test]
fn pool_of_no_slots_does_nothing_and_breaks_nothing() {
    let mut pool = Pool::<String>::new(0);
    assert!(pool.is_full() && pool.is_empty());
    let full = pool.insert("a".into()).unwrap_err();
    assert_eq!(full.to_string(), "the pool is full: it has no slots");
    let handle = Handle::from_parts(0, 1).unwrap();
    assert_eq!(pool.check(handle), Err(Refusal::OutOfRange));
    assert_eq!(
        pool.insert_at(handle, "b".into()).unwrap_err().kind(),
        InsertAtErrorKind::OutOfRange
    );
    assert_eq!((pool.runs().count(), pool.runs_mut().count(), pool.drain().count()), (0, 0, 0));
    assert_eq!(pool.extract_if(|_, _| true).count(), 0);
    pool.retain(|_, _| false);
    pool.clear();
    assert_eq!((pool.get_at(0), pool.handle_at(0)), (None, None));
    assert_eq!(pool.clone().into_iter().count(), 0);
    assert_eq!(format!("{pool:?}"), "{}");
}

#[test]
fn evicting_from_a_pool_of_no_slots_panics_and_says_why() {
    let evict = || Pool::<u8, Lifo>::with_capacity(0).insert_or_evict(1, |_, value| *value);
    let panic = std::panic::catch_unwind(evict).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.starts_with("the pool has no object that can be evicted"), "{message}");
}

#[test]
fn eviction_of_equal_keys_takes_the_lowest_index() {
    let mut pool = Pool::<u32>::new(100);
    for value in 0..100 {
        pool.insert(value).unwrap();
    }
    let (new, evicted) = pool.insert_or_evict(1000, |_, value| value % 10 / 3);
    assert_eq!(evicted.unwrap().1, 0);
    assert_eq!(new.index(), 0);
    let (_, evicted) =
        pool.insert_or_evict(1000, |_, value| if (40..200).contains(value) { 2 } else { 5 });
    assert_eq!(evicted.unwrap().1, 40);
}
