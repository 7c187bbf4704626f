//! One face for all pools that have debug aids: an adapter each, and a new pool has all checks.

use std::cell::Cell;

use millpond::debug::{DebugAids, LiveReport, Removal};
use millpond::overflow::Bounded;
use millpond::reuse::ReuseOrder;
use millpond::snapshot::SnapshotOf;
use millpond::{
    Handle, HandleAllocator, HandleLayout, PackedPool, PackedVecPool, Pool, Recycler, SyncPool,
    VecPool,
};
use millpond_overflow::{EvictLeast, EvictOldest, Overflow, Policy, PolicyPool, Refuse, Spill};

pub(crate) type Value = [u8; 21];

const VALUE: Value = [7; 21];

thread_local! {
    /// How many values were made by functions that a pool was given.
    pub(crate) static MADE: Cell<u32> = const { Cell::new(0) };
}

fn made() -> Value {
    MADE.set(MADE.get() + 1);
    VALUE
}

/// A pool named "bullets" of a few slots, with aids.
pub(crate) trait Aided: Sized {
    type Handle: HandleLayout;

    const CAPACITY: usize;
    /// How many ways there are to insert into a pool that is not full, ...
    const PLAIN: usize;
    /// ... and how many more of which a full one evicts.
    const EVICTING: usize;

    fn with_aids(aids: DebugAids) -> Self;

    #[track_caller]
    fn insert_by(&mut self, way: usize) -> Option<Self::Handle>;
    #[track_caller]
    fn add(&mut self) -> Option<Self::Handle> {
        self.insert_by(0)
    }
    #[track_caller]
    fn fill_up(&mut self) {
        while self.len() < Self::CAPACITY {
            self.add().unwrap();
        }
    }
    #[track_caller]
    fn remove(&mut self, handle: Self::Handle) -> bool;
    /// The ways to have no object left, `clear` first.
    fn ways_to_empty() -> Vec<fn(&mut Self)>;

    fn len(&self) -> usize;
    fn live_report(&self) -> Option<LiveReport>;
    fn removal_of(&self, handle: Self::Handle) -> Option<Removal>;
    /// Panics if an invariant does not hold.
    fn check(&self) {}
}

/// A pool that fills its dead slots.
pub(crate) trait Filled: Aided {
    /// The first byte of a live slot, by the number that its messages have.
    fn slot(&mut self, number: usize) -> *mut u8;
}

/// A pool with snapshots.
pub(crate) trait Restored: Aided + Clone {
    fn save(&self) -> SnapshotOf<Self>;
    fn restore_from(&mut self, snapshot: &SnapshotOf<Self>);
}

/// By [`Bounded`], and three policies, of which two evict.
#[track_caller]
fn insert_by_policy<P: Bounded<Value = Value>>(pool: &mut P, way: usize) -> Option<P::Handle> {
    match way {
        0 => Bounded::insert(pool, VALUE).ok(),
        1 => Some(Refuse.insert(pool, VALUE).ok()?.0),
        2 => {
            let mut lowest = EvictLeast(|handle: P::Handle, _: &Value| handle.index());
            Some(lowest.insert(pool, VALUE).ok()?.0)
        }
        _ => {
            let mut oldest = EvictOldest::beside(pool);
            pool.iter().for_each(|(handle, _)| oldest.note(handle));
            Some(oldest.insert(pool, VALUE).ok()?.0)
        }
    }
}

/// What it has methods of its own for.
macro_rules! own_len_and_report {
    () => {
        fn len(&self) -> usize {
            self.len()
        }

        fn live_report(&self) -> Option<LiveReport> {
            self.live_report()
        }

        fn removal_of(&self, handle: Self::Handle) -> Option<Removal> {
            self.removal_of(handle)
        }
    };
    (and_check) => {
        own_len_and_report!();

        fn check(&self) {
            self.validate().unwrap();
        }
    };
}

/// What has no values to give back is released.
macro_rules! removed_by_release {
    () => {
        #[track_caller]
        fn remove(&mut self, handle: Self::Handle) -> bool {
            self.release(handle)
        }
    };
}

macro_rules! release_all {
    ($slots:ident) => {{
        let handles: Vec<_> = $slots.handles().collect();
        handles.into_iter().for_each(|handle| assert!($slots.release(handle)));
    }};
}

/// What pools of values have in common.
macro_rules! aided_pool {
    (
        [$($generics:tt)*] $pool:ty, $capacity:expr, |$aids:ident| $build:expr,
        emptied by $($empty:expr),*
    ) => {
        impl<$($generics)*> Aided for $pool {
            type Handle = Handle<Value>;

            const CAPACITY: usize = $capacity;
            const PLAIN: usize = 6;
            const EVICTING: usize = 3;

            fn with_aids($aids: DebugAids) -> Self {
                $build
            }

            #[track_caller]
            fn insert_by(&mut self, way: usize) -> Option<Handle<Value>> {
                match way {
                    0 => self.insert(VALUE).ok(),
                    1 => self.insert_with(|_| made()).ok(),
                    2 => {
                        let entry = self.vacant_entry()?;
                        Some(entry.insert(VALUE))
                    }
                    3 => {
                        let next = self.vacant_entry()?.handle();
                        self.insert_at(next, VALUE).ok()
                    }
                    8 => Some(self.insert_or_evict(VALUE, |handle, _| handle.index()).0),
                    _ => insert_by_policy(self, way - 4),
                }
            }

            #[track_caller]
            fn remove(&mut self, handle: Handle<Value>) -> bool {
                self.remove(handle).is_some()
            }

            fn ways_to_empty() -> Vec<fn(&mut Self)> {
                vec![
                    |pool| pool.clear(),
                    |pool| pool.retain(|_, _| false),
                    |pool| drop(pool.drain()),
                    |pool| pool.drain().for_each(drop),
                    |pool| pool.extract_if(|_, _| true).for_each(drop),
                    |pool| {
                        let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
                        handles.into_iter().for_each(|handle| _ = pool.remove(handle));
                    },
                    $($empty,)*
                ]
            }

            own_len_and_report!(and_check);
        }

        restored!([$($generics)*] $pool);
    };
}

macro_rules! restored {
    ([$($generics:tt)*] $pool:ty) => {
        impl<$($generics)*> Restored for $pool {
            fn save(&self) -> SnapshotOf<Self> {
                self.snapshot()
            }

            fn restore_from(&mut self, snapshot: &SnapshotOf<Self>) {
                self.restore(snapshot).unwrap();
            }
        }
    };
}

aided_pool! {
    [R: ReuseOrder] Pool<Value, R>, 5,
    |aids| {
        // The order comes last, as the builder must keep what it was told before.
        let builder = Pool::<Value>::builder().name("bullets").capacity(5).debug_aids(aids);
        builder.reuse(R::default()).build()
    },
    emptied by
        |pool| pool.drain().rev().for_each(drop),
        |pool| (0..5).for_each(|index| _ = pool.remove_at(index))
}

impl<R: ReuseOrder> Filled for Pool<Value, R> {
    fn slot(&mut self, number: usize) -> *mut u8 {
        self.get_at_mut(number).unwrap().as_mut_ptr()
    }
}

aided_pool! {
    [] VecPool<Value>, 6,
    |aids| VecPool::<Value>::builder().capacity_max(6).name("bullets").debug_aids(aids).build(),
    emptied by |pool| (0..6).for_each(|index| _ = pool.remove_at(index))
}

aided_pool! {
    [] PackedPool<Value>, 5,
    |aids| {
        let builder = PackedPool::<Value>::builder().capacity(5).name("bullets");
        builder.debug_aids(aids).build()
    },
    emptied by
}

aided_pool! {
    [] PackedVecPool<Value>, 6,
    |aids| {
        let builder = PackedVecPool::<Value>::builder().capacity_max(6).name("bullets");
        builder.debug_aids(aids).build()
    },
    emptied by
}

macro_rules! filled_by_index {
    ($($pool:ty),+) => {$(
        impl Filled for $pool {
            fn slot(&mut self, number: usize) -> *mut u8 {
                self.get_at_mut(number).unwrap().as_mut_ptr()
            }
        }
    )+};
}
filled_by_index!(VecPool<Value>);

/// The number is a position.
macro_rules! filled_by_position {
    ($($pool:ty),+) => {$(
        impl Filled for $pool {
            fn slot(&mut self, number: usize) -> *mut u8 {
                self.as_mut_slice()[number].as_mut_ptr()
            }
        }
    )+};
}
filled_by_position!(PackedPool<Value>, PackedVecPool<Value>);

impl Aided for SyncPool<Value> {
    type Handle = Handle<Value>;

    const CAPACITY: usize = 5;
    const PLAIN: usize = 3;
    const EVICTING: usize = 0;

    fn with_aids(aids: DebugAids) -> Self {
        SyncPool::builder().capacity(5).name("bullets").debug_aids(aids).build()
    }

    #[track_caller]
    fn insert_by(&mut self, way: usize) -> Option<Handle<Value>> {
        match way {
            0 => self.insert(VALUE).ok(),
            1 => self.insert_with(|_| made()).ok(),
            _ => self.home(1).insert(VALUE).ok(),
        }
    }

    #[track_caller]
    fn remove(&mut self, handle: Handle<Value>) -> bool {
        // Both are removals; the one that gives the value back is asked for what is in an even slot.
        match handle.index() % 2 {
            0 => self.take(handle).is_ok(),
            _ => SyncPool::remove(self, handle),
        }
    }

    fn ways_to_empty() -> Vec<fn(&mut Self)> {
        vec![
            |pool| pool.clear(),
            |pool| pool.retain(|_, _| false),
            |pool| drop(pool.drain()),
            |pool| pool.drain().for_each(drop),
            |pool| pool.iter().for_each(|(handle, _)| assert!(SyncPool::remove(pool, handle))),
            |pool| {
                let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
                handles.into_iter().for_each(|handle| assert_eq!(pool.take(handle), Ok(VALUE)));
            },
        ]
    }

    own_len_and_report!(and_check);
}

impl Filled for SyncPool<Value> {
    fn slot(&mut self, number: usize) -> *mut u8 {
        let mut live = self.iter_mut();
        let found = live.find(|(handle, _)| handle.index() as usize == number);
        found.unwrap().1.as_mut_ptr()
    }
}

impl Aided for Recycler<Value> {
    type Handle = Handle<Value>;

    const CAPACITY: usize = 5;
    const PLAIN: usize = 2;
    const EVICTING: usize = 2;

    fn with_aids(aids: DebugAids) -> Self {
        let builder = Recycler::<Value>::builder().capacity(5).name("bullets");
        builder.debug_aids(aids).build_with(|_| VALUE)
    }

    #[track_caller]
    fn insert_by(&mut self, way: usize) -> Option<Handle<Value>> {
        match way {
            0 => Some(self.acquire()?.0),
            1 => {
                let next = self.snapshot().as_pool().clone().acquire()?.0;
                self.acquire_at(next).ok()?;
                Some(next)
            }
            2 => Some(self.acquire_or_evict(|handle, _| handle.index())?.0),
            _ => {
                let mut oldest = EvictOldest::beside(self);
                self.handles().for_each(|handle| oldest.note(handle));
                Some(oldest.acquire(self)?.0)
            }
        }
    }

    removed_by_release!();

    fn ways_to_empty() -> Vec<fn(&mut Self)> {
        vec![|pool| pool.clear(), |pool| pool.retain(|_, _| false), |pool| release_all!(pool)]
    }

    own_len_and_report!();

    fn check(&self) {
        self.validate().unwrap();
        assert_eq!(self.as_slice(), [VALUE; 5], "dead objects are left as they are");
    }
}

restored!([] Recycler<Value>);

impl<R: ReuseOrder> Aided for HandleAllocator<R> {
    type Handle = Handle<()>;

    const CAPACITY: usize = 5;
    const PLAIN: usize = 2;
    const EVICTING: usize = 0;

    fn with_aids(aids: DebugAids) -> Self {
        let builder = HandleAllocator::builder().reuse(R::default()).capacity(5);
        builder.name("bullets").debug_aids(aids).build()
    }

    #[track_caller]
    fn insert_by(&mut self, way: usize) -> Option<Handle<()>> {
        match way {
            0 => self.acquire(),
            _ => {
                let next = self.next_handle()?;
                self.acquire_at(next).ok()?;
                Some(next)
            }
        }
    }

    removed_by_release!();

    fn ways_to_empty() -> Vec<fn(&mut Self)> {
        vec![|slots| slots.clear(), |slots| release_all!(slots)]
    }

    own_len_and_report!(and_check);
}

restored!([R: ReuseOrder] HandleAllocator<R>);

/// What a pool that is reached through something else has.
macro_rules! aided_within {
    (
        [$($generics:tt)*] $pool:ty, capacity $capacity:expr, ways $plain:expr, $evicting:expr,
        |$aids:ident| $build:expr, insert |$self:ident, $way:ident| $insert:expr,
        aids of |$aided:ident| $part:expr
    ) => {
        impl<$($generics)*> Aided for $pool {
            type Handle = Handle<Value>;

            const CAPACITY: usize = $capacity;
            const PLAIN: usize = $plain;
            const EVICTING: usize = $evicting;

            fn with_aids($aids: DebugAids) -> Self {
                $build
            }

            #[track_caller]
            fn insert_by(&mut self, $way: usize) -> Option<Handle<Value>> {
                let $self = &mut self.0;
                $insert
            }

            #[track_caller]
            fn remove(&mut self, handle: Handle<Value>) -> bool {
                self.0.remove(handle).is_some()
            }

            fn ways_to_empty() -> Vec<fn(&mut Self)> {
                vec![|pool| pool.0.clear(), |pool| pool.0.retain(|_, _| false)]
            }

            fn len(&self) -> usize {
                self.0.len()
            }

            fn live_report(&self) -> Option<LiveReport> {
                let $aided = &self.0;
                $part.live_report()
            }

            fn removal_of(&self, handle: Handle<Value>) -> Option<Removal> {
                let $aided = &self.0;
                $part.removal_of(handle)
            }
        }
    };
}

/// All objects are in one part of it, whatever the policy.
#[derive(Clone)]
pub(crate) struct Ruled<const POLICY: usize>(PolicyPool<Value>);

aided_within! {
    [const POLICY: usize] Ruled<POLICY>, capacity 4,
    ways 1, matches!(Overflow::ALL[POLICY], Overflow::EvictLeast | Overflow::EvictOldest) as usize,
    |aids| {
        let policy = Overflow::ALL[POLICY];
        let is_beyond = matches!(policy, Overflow::Spill | Overflow::Grow);
        let (capacity, more) = if is_beyond { (0, 4) } else { (4, 0) };
        let builder = Pool::builder().capacity(capacity).name("bullets").debug_aids(aids);
        Self(PolicyPool::new(policy, builder, more))
    },
    insert |pool, _way| Some(pool.insert_by(VALUE, |handle, _| handle.index()).ok()?.0),
    aids of |pool| pool
}

impl<const POLICY: usize> Filled for Ruled<POLICY> {
    fn slot(&mut self, number: usize) -> *mut u8 {
        let handle = self.0.handle_at(number).unwrap();
        self.0.get_mut(handle).unwrap().as_mut_ptr()
    }
}

/// All objects are in the first pool.
#[derive(Clone)]
pub(crate) struct InFirst(Spill<PackedPool<Value>, Pool<Value>>);

aided_within! {
    [] InFirst, capacity 5, ways 2, 2,
    |aids| {
        let none = Pool::builder().capacity(0).name("bullets").debug_aids(aids).build();
        Self(Spill::new(PackedPool::with_aids(aids), none))
    },
    insert |pool, way| insert_by_policy(pool, way),
    aids of |pool| pool.first()
}

/// All objects are in the second pool.
#[derive(Clone)]
pub(crate) struct InSecond(Spill<Pool<Value>, PackedPool<Value>>);

aided_within! {
    [] InSecond, capacity 5, ways 2, 2,
    |aids| {
        let none = Pool::builder().capacity(0).name("bullets").debug_aids(aids).build();
        Self(Spill::new(none, PackedPool::with_aids(aids)))
    },
    insert |pool, way| insert_by_policy(pool, way),
    aids of |pool| pool.second()
}

/// Calls a function once for each pool that has debug aids, as its first type parameter.
macro_rules! with_aids {
    ($function:ident) => {{
        crate::aided::with_snapshots!($function);
        $function::<millpond::SyncPool<crate::aided::Value>>();
        crate::aided::within_others!($function);
    }};
}
pub(crate) use with_aids;

/// For those that can be copied.
macro_rules! with_copies {
    ($function:ident) => {{
        crate::aided::with_snapshots!($function);
        crate::aided::within_others!($function);
    }};
}
pub(crate) use with_copies;

/// For those whose past can be restored.
macro_rules! with_snapshots {
    ($function:ident) => {{
        fn in_order<R: millpond::reuse::ReuseOrder>() {
            $function::<millpond::Pool<crate::aided::Value, R>>();
            $function::<millpond::HandleAllocator<R>>();
        }
        crate::common::in_every_order!(in_order());
        $function::<millpond::VecPool<crate::aided::Value>>();
        $function::<millpond::PackedPool<crate::aided::Value>>();
        $function::<millpond::PackedVecPool<crate::aided::Value>>();
        $function::<millpond::Recycler<crate::aided::Value>>();
    }};
}
pub(crate) use with_snapshots;

/// For those that are reached through something else.
macro_rules! within_others {
    ($function:ident) => {{
        crate::aided::ruled!($function);
        $function::<crate::aided::InFirst>();
        $function::<crate::aided::InSecond>();
    }};
}
pub(crate) use within_others;

/// For a policy pool of each policy.
macro_rules! ruled {
    ($function:ident) => {{
        $function::<crate::aided::Ruled<0>>();
        $function::<crate::aided::Ruled<1>>();
        $function::<crate::aided::Ruled<2>>();
        $function::<crate::aided::Ruled<3>>();
        $function::<crate::aided::Ruled<4>>();
    }};
}
pub(crate) use ruled;

/// For those that fill their dead slots.
macro_rules! with_fill {
    ($function:ident) => {{
        fn in_order<R: millpond::reuse::ReuseOrder>() {
            $function::<millpond::Pool<crate::aided::Value, R>>();
        }
        crate::common::in_every_order!(in_order());
        $function::<millpond::SyncPool<crate::aided::Value>>();
        $function::<millpond::VecPool<crate::aided::Value>>();
        $function::<millpond::PackedPool<crate::aided::Value>>();
        $function::<millpond::PackedVecPool<crate::aided::Value>>();
        crate::aided::ruled!($function);
    }};
}
pub(crate) use with_fill;
