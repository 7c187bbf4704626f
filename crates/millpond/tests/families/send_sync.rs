//! Which types may go to another thread or be shared with one, with values that may and values that
//! may not: asserted when this file is compiled.

use std::any::Any;
use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::MutexGuard;

use millpond::occupancy::{LiveSlots, Runs};
use millpond::pool::{
    Drain, ExtractIf, Handles, IntoIter, Iter, IterMut, VacantEntry, ValueRuns, ValueRunsMut,
    Values, ValuesMut,
};
use millpond::recycler::{RunSlices, RunSlicesMut};
use millpond::reuse::*;
use millpond::{
    AnyPool, AnyValue, BuildError, Full, GetDisjointMutError, Handle, Handle32, HandleAllocator,
    HandleAllocatorBuilder, InsertAtError, InsertAtErrorKind, Occupancy, PackedPool,
    PackedPoolBuilder, PackedVecPool, Pool, PoolBuilder, Recycler, RecyclerBuilder, Refusal,
    SideTable, Snapshot, StaticPool, Stats, VecPool, packed, side_table, static_pool,
};
use millpond_classic::{
    BytemapError, BytemapPool, ObjectPool, ParticlePool, PoolAllocator, PoolBox, RosterPool,
};
use millpond_memory::{Frame, FrameLink, FrameMemory, FramePool, FrameRef, SizeClasses};
use millpond_overflow::{PolicyPool, Spill};

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

/// Types, named `V` or by another letter in their values, that are sent exactly if those are `Send`, and shared exactly
/// if those are `Sync`.
macro_rules! go_where_values_go {
    ($($type:ty),+ $(,)?) => {$({
        type Of<V> = $type;
        is!(Send: Of<SendOnly>);
        is_not!(Send: Of<SyncOnly>, Of<Neither>);
        is!(Sync: Of<SyncOnly>);
        is_not!(Sync: Of<SendOnly>, Of<Neither>);
    })+};
}

/// As a `&V`: sent and shared exactly if the values may be shared.
macro_rules! go_where_values_are_shared {
    ($($type:ty),+ $(,)?) => {$({
        type Of<V> = $type;
        is!(Send: Of<SyncOnly>);
        is!(Sync: Of<SyncOnly>);
        is_not!(Send: Of<SendOnly>, Of<Neither>);
        is_not!(Sync: Of<SendOnly>, Of<Neither>);
    })+};
}

macro_rules! go_anywhere {
    ($($type:ty),+ $(,)?) => {$({
        is!(Send: $type);
        is!(Sync: $type);
    })+};
}

type Choose<T> = fn(Handle<T>, &mut T) -> bool;
type H = Handle<Neither>;

#[test]
fn the_values_of_this_file_are_what_it_says() {
    is!(Send: SendOnly);
    is_not!(Sync: SendOnly, Neither);
    is!(Sync: SyncOnly);
    is_not!(Send: SyncOnly, Neither);
}

#[test]
fn what_holds_no_values_goes_anywhere() {
    go_anywhere!(Handle<Neither>, Handle32<Neither>, Handle<dyn Fn()>, Handle32<SyncOnly, 16>);
    go_anywhere!(HandleAllocator, HandleAllocator<Fifo, Handle<Neither>>, Occupancy, ParticlePool);
    go_anywhere!(PoolBuilder<Neither>, PackedPoolBuilder<Neither>, RecyclerBuilder<Neither>);
    go_anywhere!(HandleAllocatorBuilder<Neither, Lifo, Handle<Neither>>);
    go_anywhere!(Handles<'static, Lifo, Handle<Neither>>, LiveSlots<'static>, Runs<'static>);
    go_anywhere!(FrameLink<Neither>, FrameMemory);
    go_anywhere!(BuildError, GetDisjointMutError, InsertAtErrorKind, Refusal, Stats);
}

#[test]
fn pools_snapshots_entries_and_errors_go_where_their_values_go() {
    go_where_values_go!(FramePool<V>);
    is_not!(Send: Frame<'static>, FrameRef<'static, u8>);
    is_not!(Sync: Frame<'static>, FrameRef<'static, u8>);
    go_where_values_go!(
        Pool<V>, Pool<V, Fifo>, Pool<V, LowestFirst>, Pool<V, Roster>,
        Pool<V, Lifo, Handle32<Neither>>, Recycler<V>, RosterPool<V>,
        BytemapPool<V>, PackedPool<V>, PackedVecPool<V>, StaticPool<V, 3>, SideTable<H, V>, VecPool<V>,
        PolicyPool<V>, Spill<Pool<V>, VecPool<V>>, Snapshot<V>, ObjectPool<V, 1>,
        VacantEntry<'static, V, Lifo, Handle<V>>, Full<V>, InsertAtError<V>, BytemapError<V>,
    );
}

#[test]
fn pools_of_any_values_go_where_what_is_said_of_them_does() {
    is!(Send: AnyValue<dyn Fn() + Send, 8>, AnyPool<dyn Fn() + Send, 8>);
    is_not!(Send: AnyValue<dyn Fn() + Sync, 8>, AnyValue<dyn Fn(), 8>, AnyPool<dyn Fn(), 8>);
    is!(Sync: AnyValue<dyn Fn() + Sync, 8>, AnyPool<dyn Fn() + Sync, 8>);
    is_not!(Sync: AnyValue<dyn Fn() + Send, 8>, AnyValue<dyn Fn(), 8>, AnyPool<dyn Fn(), 8>);
}

/// Whoever has the allocator's memory may be on one thread only.
#[test]
fn allocators_stay_with_those_that_use_them() {
    is!(Send: SizeClasses);
    is!(Sync: PoolBox<SyncOnly>);
    is_not!(Sync: SizeClasses, PoolAllocator<u8>, PoolBox<SendOnly>);
    is_not!(Send: PoolAllocator<u8>, PoolBox<u8>);
}

#[test]
fn iterators_go_where_the_values_or_references_to_them_go() {
    go_where_values_are_shared!(
        Iter<'static, V, Lifo, Handle<V>>,
        Values<'static, V>,
        ValueRuns<'static, V>,
        RunSlices<'static, V>,
        packed::Iter<'static, V, H>,
        static_pool::Iter<'static, V, 3, H>,
        side_table::Iter<'static, H, V>,
    );
    go_where_values_go!(
        IterMut<'static, V, Lifo, Handle<V>>, ValuesMut<'static, V>, ValueRunsMut<'static, V>,
        RunSlicesMut<'static, V>, Drain<'static, V, Lifo, Handle<V>>, IntoIter<V, Lifo, Handle<V>>,
        packed::IterMut<'static, V, H>, packed::Drain<'static, V, H>,
        static_pool::IterMut<'static, V, 3, H>, static_pool::Drain<'static, V, 3, H>,
        static_pool::ValueRunsMut<'static, V>, side_table::IterMut<'static, H, V>,
    );
    is!(Send: ExtractIf<'_, SendOnly, Lifo, Handle<SendOnly>, Choose<SendOnly>>);
    is_not!(Send: ExtractIf<'_, SyncOnly, Lifo, Handle<SyncOnly>, Choose<SyncOnly>>);
    // The function counts too.
    is_not!(Send: ExtractIf<'_, u8, Lifo, Handle<u8>, Neither>);
}

#[test]
fn pools_of_plain_values_may_be_looked_at_after_a_panic() {
    fn is_unwind_safe<T: UnwindSafe + RefUnwindSafe>() {}
    is_unwind_safe::<Pool<u8>>();
    is_unwind_safe::<Pool<String, Fifo>>();
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
    fn any<'short>(value: AnyValue<dyn Any, 8>) -> AnyValue<dyn Any + 'short, 8> {
        value
    }
    drop(any(AnyValue::new(1_u8)));
    let mut words = Pool::new(1);
    let word = words.insert("word").unwrap();
    assert_eq!(handle(word).index(), 0);
    assert_eq!(iter(words.values()).next(), Some(&"word"));
    assert_eq!(pool(words).len(), 1);
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
