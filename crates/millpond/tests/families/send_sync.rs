//! Which types may go to another thread or be shared with one, with values that may and values that
//! may not: asserted when this file is compiled.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::MutexGuard;

use millpond::classic::{
    BytemapError, BytemapPool, ObjectPool, ParticlePool, PoolAllocator, PoolBox, RosterPool,
};
use millpond::occupancy::{LiveSlots, Runs};
use millpond::overflow::{PolicyPool, Spill};
use millpond::pool::{
    Drain, ExtractIf, Handles, IntoIter, Iter, IterMut, VacantEntry, ValueRuns, ValueRunsMut,
    Values, ValuesMut,
};
use millpond::recycler::{RunSlices, RunSlicesMut};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, Roster};
use millpond::{
    AnyPool, BlockPool, BuildError, Full, GetDisjointMutError, Handle, Handle32, HandleAllocator,
    HandleAllocatorBuilder, InsertAtError, InsertAtErrorKind, Occupancy, PackedPool,
    PackedPoolBuilder, Pool, PoolBuilder, Recycler, RecyclerBuilder, Refusal, SideTable,
    SizeClasses, Snapshot, StaticPool, Stats, VecPool, packed, side_table, static_pool,
};

/// Neither `Send` nor `Sync`.
type Neither = Rc<u8>;
/// `Send`, not `Sync`.
type SendOnly = Cell<u8>;
/// `Sync`, not `Send`.
type SyncOnly = MutexGuard<'static, u8>;

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

/// Does not compile if the type implements the trait: the call is ambiguous then.
macro_rules! is_not {
    ($bound:ident: $($type:ty),+ $(,)?) => {$({
        trait AmbiguousIfImplemented<A> {
            fn check() {}
        }
        impl<T: ?Sized> AmbiguousIfImplemented<()> for T {}
        impl<T: ?Sized + $bound> AmbiguousIfImplemented<u8> for T {}
        <$type as AmbiguousIfImplemented<_>>::check();
    })+};
}

macro_rules! is {
    (Send: $($type:ty),+ $(,)?) => {$( is_send::<$type>(); )+};
    (Sync: $($type:ty),+ $(,)?) => {$( is_sync::<$type>(); )+};
}

type PoolOf<T> = Pool<T>;
type Choose<T> = fn(Handle<T>, &mut T) -> bool;

#[test]
fn the_values_of_this_file_are_what_it_says() {
    is!(Send: SendOnly);
    is_not!(Sync: SendOnly, Neither);
    is!(Sync: SyncOnly);
    is_not!(Send: SyncOnly, Neither);
}

#[test]
fn handles_go_anywhere_whatever_they_name() {
    is!(Send: Handle<Neither>, Handle32<Neither>, Handle<dyn Fn()>, Handle32<SyncOnly, 16>);
    is!(Sync: Handle<Neither>, Handle32<Neither>, Handle<dyn Fn()>, Handle32<SendOnly, 16>);
}

#[test]
fn pools_go_where_their_values_go() {
    is!(Send: Pool<u8>, Pool<SendOnly>, Pool<SendOnly, Fifo>, Pool<SendOnly, LowestFirst>);
    is!(Send: Pool<SendOnly, Roster>, Pool<SendOnly, NextFit>, Pool<SendOnly, Intrusive>);
    is!(Send: Pool<SendOnly, Lifo, Handle32<Neither>>);
    is_not!(Send: Pool<Neither>, Pool<SyncOnly>, Pool<SyncOnly, Fifo>, Pool<SyncOnly, Intrusive>);
    is_not!(Send: Pool<SyncOnly, LowestFirst>, Pool<SyncOnly, Roster>, Pool<SyncOnly, NextFit>);
    is!(Sync: Pool<u8>, Pool<SyncOnly>, Pool<SyncOnly, Fifo>, Pool<SyncOnly, LowestFirst>);
    is!(Sync: Pool<SyncOnly, Roster>, Pool<SyncOnly, NextFit>, Pool<SyncOnly, Intrusive>);
    is_not!(Sync: Pool<Neither>, Pool<SendOnly>, Pool<SendOnly, Fifo>, Pool<SendOnly, Intrusive>);
    is_not!(Sync: Pool<SendOnly, LowestFirst>, Pool<SendOnly, Roster>, Pool<SendOnly, NextFit>);
}

#[test]
fn recyclers_and_classic_pools_go_where_their_objects_go() {
    is!(Send: Recycler<SendOnly>, RosterPool<SendOnly>, BytemapPool<SendOnly>);
    is_not!(Send: Recycler<SyncOnly>, RosterPool<SyncOnly>, BytemapPool<SyncOnly>);
    is!(Sync: Recycler<SyncOnly>, RosterPool<SyncOnly>, BytemapPool<SyncOnly>);
    is_not!(Sync: Recycler<SendOnly>, RosterPool<SendOnly>, BytemapPool<SendOnly>);
}

#[test]
fn pools_with_books_of_their_own_go_where_their_values_go() {
    type Table<V> = SideTable<Handle<Neither>, V>;
    is!(Send: PackedPool<SendOnly>, StaticPool<SendOnly, 3>, Table<SendOnly>);
    is_not!(Send: PackedPool<SyncOnly>, StaticPool<SyncOnly, 3>, Table<SyncOnly>);
    is!(Sync: PackedPool<SyncOnly>, StaticPool<SyncOnly, 3>, Table<SyncOnly>);
    is_not!(Sync: PackedPool<SendOnly>, StaticPool<SendOnly, 3>, Table<SendOnly>);
    is_not!(Send: PackedPool<Neither>, StaticPool<Neither, 3>, Table<Neither>);
    is_not!(Sync: PackedPool<Neither>, StaticPool<Neither, 3>, Table<Neither>);
    is!(Send: PackedPoolBuilder<Neither>);
    is!(Sync: PackedPoolBuilder<Neither>);
}

#[test]
fn pools_made_of_pools_and_snapshots_go_where_their_values_go() {
    type Both<V> = Spill<Pool<V>, BlockPool<V>>;
    is!(Send: VecPool<SendOnly>);
    is_not!(Send: VecPool<SyncOnly>);
    is!(Sync: VecPool<SyncOnly>);
    is_not!(Sync: VecPool<SendOnly>);
    is!(Send: BlockPool<SendOnly>, PolicyPool<SendOnly>, Both<SendOnly>, Snapshot<SendOnly>);
    is_not!(Send: BlockPool<SyncOnly>, PolicyPool<SyncOnly>, Both<SyncOnly>, Snapshot<SyncOnly>);
    is!(Sync: BlockPool<SyncOnly>, PolicyPool<SyncOnly>, Both<SyncOnly>, Snapshot<SyncOnly>);
    is_not!(Sync: BlockPool<SendOnly>, PolicyPool<SendOnly>, Both<SendOnly>, Snapshot<SendOnly>);
}

#[test]
fn pools_of_any_values_go_where_what_is_said_of_them_does() {
    is!(Send: AnyPool<dyn Fn() + Send, 8>);
    is_not!(Send: AnyPool<dyn Fn() + Sync, 8>, AnyPool<dyn Fn(), 8>);
    is!(Sync: AnyPool<dyn Fn() + Sync, 8>);
    is_not!(Sync: AnyPool<dyn Fn() + Send, 8>, AnyPool<dyn Fn(), 8>);
}

/// Whoever has the allocator's memory may be on one thread only; what has no values goes anywhere.
#[test]
fn allocators_stay_with_those_that_use_them() {
    is!(Send: ObjectPool<SendOnly, 1>);
    is_not!(Send: ObjectPool<SyncOnly, 1>);
    is!(Sync: ObjectPool<SyncOnly, 1>);
    is_not!(Sync: ObjectPool<SendOnly, 1>);
    is!(Send: SizeClasses, ParticlePool);
    is!(Sync: ParticlePool, PoolBox<SyncOnly>);
    is_not!(Sync: SizeClasses, PoolAllocator<u8>, PoolBox<SendOnly>);
    is_not!(Send: PoolAllocator<u8>, PoolBox<u8>);
}

/// Their iterators, as those of a pool.
#[test]
fn iterators_of_these_pools_go_where_the_values_go() {
    type H = Handle<Neither>;
    is!(Send: packed::IterMut<'_, SendOnly, H>, packed::Drain<'_, SendOnly, H>);
    is!(Send: packed::Iter<'_, SyncOnly, H>, static_pool::Iter<'_, SyncOnly, 3, H>);
    is!(Send: static_pool::IterMut<'_, SendOnly, 3, H>, static_pool::Drain<'_, SendOnly, 3, H>);
    is!(Send: static_pool::ValueRunsMut<'_, SendOnly>, side_table::Iter<'_, H, SyncOnly>);
    is!(Send: side_table::IterMut<'_, H, SendOnly>);
    is_not!(Send: packed::IterMut<'_, SyncOnly, H>, packed::Drain<'_, SyncOnly, H>);
    is_not!(Send: packed::Iter<'_, SendOnly, H>, static_pool::Iter<'_, SendOnly, 3, H>);
    is_not!(Send: static_pool::IterMut<'_, SyncOnly, 3, H>, static_pool::Drain<'_, SyncOnly, 3, H>);
    is_not!(Send: static_pool::ValueRunsMut<'_, SyncOnly>, side_table::Iter<'_, H, SendOnly>);
    is_not!(Send: side_table::IterMut<'_, H, SyncOnly>);
}

#[test]
fn allocators_and_builders_hold_no_values_and_go_anywhere() {
    is!(Send: HandleAllocator, HandleAllocator<Fifo, Handle<Neither>>, Occupancy);
    is!(Sync: HandleAllocator, HandleAllocator<Fifo, Handle<Neither>>, Occupancy);
    is!(Send: PoolBuilder<Neither>, RecyclerBuilder<Neither>);
    is!(Sync: PoolBuilder<Neither>, RecyclerBuilder<Neither>);
    is!(Send: HandleAllocatorBuilder<Neither, Lifo, Handle<Neither>>);
    is!(Sync: HandleAllocatorBuilder<Neither, Lifo, Handle<Neither>>);
}

/// As `&T`: sent where the values may be shared.
#[test]
fn shared_iterators_are_sent_and_shared_where_the_values_may_be_shared() {
    is!(Send: Iter<'_, SyncOnly, Lifo, Handle<SyncOnly>>, Values<'_, SyncOnly>);
    is!(Sync: Iter<'_, SyncOnly, Lifo, Handle<SyncOnly>>, Values<'_, SyncOnly>);
    is!(Send: ValueRuns<'_, SyncOnly>, RunSlices<'_, SyncOnly>);
    is!(Sync: ValueRuns<'_, SyncOnly>, RunSlices<'_, SyncOnly>);
    is_not!(Send: Iter<'_, SendOnly, Lifo, Handle<SendOnly>>, Values<'_, SendOnly>);
    is_not!(Sync: Iter<'_, SendOnly, Lifo, Handle<SendOnly>>, Values<'_, SendOnly>);
    is_not!(Send: ValueRuns<'_, SendOnly>, RunSlices<'_, SendOnly>);
    is_not!(Sync: ValueRuns<'_, SendOnly>, RunSlices<'_, SendOnly>);
    is!(Send: Handles<'_, Lifo, Handle<Neither>>, LiveSlots<'_>, Runs<'_>);
    is!(Sync: Handles<'_, Lifo, Handle<Neither>>, LiveSlots<'_>, Runs<'_>);
}

/// As `&mut T`: sent where the values may be sent, shared where they may be shared.
#[test]
fn exclusive_iterators_go_where_the_values_go() {
    is!(Send: IterMut<'_, SendOnly, Lifo, Handle<SendOnly>>, ValuesMut<'_, SendOnly>);
    is_not!(Send: IterMut<'_, SyncOnly, Lifo, Handle<SyncOnly>>, ValuesMut<'_, SyncOnly>);
    is!(Sync: IterMut<'_, SyncOnly, Lifo, Handle<SyncOnly>>, ValuesMut<'_, SyncOnly>);
    is_not!(Sync: IterMut<'_, SendOnly, Lifo, Handle<SendOnly>>, ValuesMut<'_, SendOnly>);
    is!(Send: ValueRunsMut<'_, SendOnly>, RunSlicesMut<'_, SendOnly>);
    is_not!(Send: ValueRunsMut<'_, SyncOnly>, RunSlicesMut<'_, SyncOnly>);
    is!(Sync: ValueRunsMut<'_, SyncOnly>, RunSlicesMut<'_, SyncOnly>);
    is_not!(Sync: ValueRunsMut<'_, SendOnly>, RunSlicesMut<'_, SendOnly>);
}

#[test]
fn entries_and_owning_iterators_go_where_the_pool_goes() {
    is!(Send: VacantEntry<'_, SendOnly, Lifo, Handle<SendOnly>>);
    is!(Send: Drain<'_, SendOnly, Lifo, Handle<SendOnly>>, IntoIter<SendOnly, Lifo, Handle<u8>>);
    is!(Send: ExtractIf<'_, SendOnly, Lifo, Handle<SendOnly>, Choose<SendOnly>>);
    is_not!(Send: VacantEntry<'_, SyncOnly, Lifo, Handle<SyncOnly>>);
    is_not!(Send: Drain<'_, SyncOnly, Lifo, Handle<u8>>, IntoIter<SyncOnly, Lifo, Handle<u8>>);
    is_not!(Send: ExtractIf<'_, SyncOnly, Lifo, Handle<SyncOnly>, Choose<SyncOnly>>);
    // The function counts too.
    is_not!(Send: ExtractIf<'_, u8, Lifo, Handle<u8>, Neither>);
    is!(Sync: VacantEntry<'_, SyncOnly, Lifo, Handle<SyncOnly>>);
    is!(Sync: Drain<'_, SyncOnly, Lifo, Handle<u8>>, IntoIter<SyncOnly, Lifo, Handle<u8>>);
    is_not!(Sync: VacantEntry<'_, SendOnly, Lifo, Handle<SendOnly>>);
    is_not!(Sync: Drain<'_, SendOnly, Lifo, Handle<u8>>, IntoIter<SendOnly, Lifo, Handle<u8>>);
}

#[test]
fn errors_go_where_the_value_goes_that_they_give_back() {
    is!(Send: Full<SendOnly>, InsertAtError<SendOnly>, BytemapError<SendOnly>);
    is_not!(Send: Full<SyncOnly>, InsertAtError<SyncOnly>, BytemapError<SyncOnly>);
    is!(Sync: Full<SyncOnly>, InsertAtError<SyncOnly>, BytemapError<SyncOnly>);
    is_not!(Sync: Full<SendOnly>, InsertAtError<SendOnly>, BytemapError<SendOnly>);
    is!(Send: BuildError, GetDisjointMutError, InsertAtErrorKind, Refusal, Stats);
    is!(Sync: BuildError, GetDisjointMutError, InsertAtErrorKind, Refusal, Stats);
}

#[test]
fn pools_of_plain_values_may_be_looked_at_after_a_panic() {
    fn is_unwind_safe<T: UnwindSafe + RefUnwindSafe>() {}
    is_unwind_safe::<PoolOf<u8>>();
    is_unwind_safe::<Pool<String, Intrusive>>();
    is_unwind_safe::<Recycler<u8>>();
    is_unwind_safe::<HandleAllocator>();
    is_unwind_safe::<BytemapPool<u8>>();
    is_unwind_safe::<Handle<Neither>>();
}

/// What lives for shorter may be put where something that lives for longer is read.
#[test]
fn pools_and_handles_are_covariant_in_their_values() {
    fn pool<'short>(pool: Pool<&'static str>) -> Pool<&'short str, Lifo, Handle<&'static str>> {
        pool
    }
    fn handle<'short>(handle: Handle<&'static str>) -> Handle<&'short str> {
        handle
    }
    fn iter<'a>(iter: Values<'a, &'static str>) -> Values<'a, &'a str> {
        iter
    }
    let mut words = Pool::new(1);
    let word = words.insert("word").unwrap();
    assert_eq!(handle(word).index(), 0);
    assert_eq!(iter(words.values()).next(), Some(&"word"));
    assert_eq!(pool(words).len(), 1);
}

#[test]
fn pool_is_used_from_threads() {
    let mut pool = Pool::new(100);
    let handles: Vec<_> = (0..100).map(|value| pool.insert(value).unwrap()).collect();
    std::thread::scope(|scope| {
        for part in handles.chunks(25) {
            let pool = &pool;
            scope.spawn(move || {
                assert!(part.iter().all(|handle| pool[*handle] == handle.index() as usize));
            });
        }
    });
    let sum = std::thread::spawn(move || pool.values().sum::<usize>()).join().unwrap();
    assert_eq!(sum, 99 * 50);
    // A pool of what is neither is of use on its own thread.
    let mut own = Pool::new(1);
    let handle = own.insert((Rc::new(1), PhantomData::<Neither>)).unwrap();
    assert_eq!(*own[handle].0, 1);
}

#[test]
fn pools_of_threads_go_and_are_shared_where_their_values_may() {
    use millpond::sync::{Acquired, AcquiredOwned, Frozen, RunsMut, Shared, SharedOwned};
    use millpond::{SyncPool, SyncRecycler};
    use std::sync::Arc;

    is!(Send: SyncPool<u8>, SyncPool<SendOnly>);
    is_not!(Send: SyncPool<Neither>, SyncPool<SyncOnly>);
    is!(Sync: SyncPool<u8>);
    // A shared pool moves values from thread to thread and shares them: both are needed.
    is_not!(Sync: SyncPool<Neither>, SyncPool<SyncOnly>, SyncPool<SendOnly>);
    // The last guard drops the value, wherever it is.
    is!(Send: Shared<'static, u8>, SharedOwned<u8>);
    is!(Sync: Shared<'static, u8>, SharedOwned<u8>);
    is_not!(Send: Shared<'static, SendOnly>, Shared<'static, SyncOnly>, SharedOwned<SendOnly>);
    is_not!(Send: SharedOwned<SyncOnly>, SharedOwned<Neither>);
    is_not!(Sync: Shared<'static, SendOnly>, Shared<'static, SyncOnly>, SharedOwned<SyncOnly>);
    is!(Send: Frozen<'static, u8>, Frozen<'static, SyncOnly>, RunsMut<'static, SendOnly>);
    is!(Sync: Frozen<'static, SyncOnly>, RunsMut<'static, SyncOnly>);
    is_not!(Send: Frozen<'static, SendOnly>, RunsMut<'static, SyncOnly>);
    is_not!(Sync: Frozen<'static, SendOnly>, RunsMut<'static, SendOnly>);

    // One thread at a time has an object: that it may be sent is enough.
    is!(Send: SyncRecycler<u8>, SyncRecycler<SendOnly>, Arc<SyncRecycler<SendOnly>>);
    is!(Sync: SyncRecycler<u8>, SyncRecycler<SendOnly>);
    is_not!(Send: SyncRecycler<Neither>, SyncRecycler<SyncOnly>);
    is_not!(Sync: SyncRecycler<Neither>, SyncRecycler<SyncOnly>);
    is!(Send: Acquired<'static, SendOnly>, AcquiredOwned<SendOnly>);
    is_not!(Send: Acquired<'static, SyncOnly>, AcquiredOwned<SyncOnly>, AcquiredOwned<Neither>);
    is!(Sync: Acquired<'static, u8>, Acquired<'static, SyncOnly>, AcquiredOwned<u8>);
    // A reference to a guard is a reference to its object.
    is_not!(Sync: Acquired<'static, SendOnly>, AcquiredOwned<SendOnly>, AcquiredOwned<Neither>);
}
