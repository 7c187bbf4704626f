//! Every kind of pool that is written and read, or takes over another.

use millpond::overflow::Bounded;
use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};
use millpond::snapshot::SnapshotOf;
use millpond::sync::SyncSnapshot;
use millpond::validate::Violation;
use millpond::{
    Handle, Handle32, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, StaticPool,
    Stats, SyncPool, VecPool,
};
use millpond_overflow::{Overflow, PolicyPool, Spill};

use crate::{Counted, Random};

/// A handle of any layout, by its numbers.
pub(crate) type Key = (u32, u32);

/// What the steps do with a pool.
pub(crate) trait Kind: Sized {
    type Past;
    const NAME: &'static str;
    fn build(slots: usize, lifetimes: u32, random: &mut Random) -> Self;
    /// The key of the new object; `None` if the pool is full.
    fn insert(&mut self, number: u64) -> Option<Key>;
    fn remove(&mut self, key: Key) -> bool;
    fn live(&mut self) -> Vec<Key>;
    fn change_each(&mut self);
    fn clear(&mut self);
    fn save(&mut self) -> Self::Past;
    fn restore(&mut self, past: &Self::Past);
    fn stats(&self) -> Stats;
    fn check(&mut self);
    fn write(&mut self) -> String;
    fn read(text: &str) -> Result<Self, String>;
    /// Grows or shrinks, if it can.
    fn resize(&mut self, _random: &mut Random) {}
}

/// A short way to an implementation of [`Kind`] for a pool of values.
macro_rules! kinds {
    ($($name:literal $pool:ty, $handle:ty, |$slots:ident, $lifetimes:ident, $random:ident| $build:expr,
        insert |$into:ident, $value:ident| $insert:expr $(, resize |$sized:ident, $any:ident| $resize:expr)?;)*) => {$(
        impl Kind for $pool {
            type Past = SnapshotOf<Self>;
            const NAME: &'static str = $name;

            #[allow(unused_variables)]
            fn build($slots: usize, $lifetimes: u32, $random: &mut Random) -> Self {
                $build
            }

            fn insert(&mut self, number: u64) -> Option<Key> {
                let ($into, $value) = (self, Counted::new(number));
                let handle: Option<$handle> = $insert;
                handle.map(|handle| (handle.index(), handle.generation()))
            }

            fn remove(&mut self, (slot, generation): Key) -> bool {
                <$handle>::from_parts(slot, generation).is_some_and(|handle| self.remove(handle).is_some())
            }

            fn live(&mut self) -> Vec<Key> {
                let live = self.iter().map(|(handle, value)| {
                    value.number();
                    (handle.index(), handle.generation())
                });
                live.collect()
            }

            fn change_each(&mut self) {
                self.iter_mut().for_each(|(_, value)| *value = Counted::new(value.number() ^ 1));
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn save(&mut self) -> Self::Past {
                self.snapshot_cloned()
            }

            fn restore(&mut self, past: &Self::Past) {
                // A pool that was read since may have another shape.
                let _ = self.restore(past);
            }

            fn stats(&self) -> Stats {
                self.stats()
            }

            fn check(&mut self) {
                self.validate().unwrap();
            }

            fn write(&mut self) -> String {
                serde_json::to_string(self).unwrap()
            }

            fn read(text: &str) -> Result<Self, String> {
                serde_json::from_str(text).map_err(|error| error.to_string())
            }

            $(fn resize(&mut self, $any: &mut Random) {
                let $sized = self;
                $resize
            })?
        }
    )*};
}

/// A pool of each policy.
fn policy(slots: usize, lifetimes: u32, random: &mut Random) -> PolicyPool<Counted> {
    let builder = Pool::builder().capacity(slots).lifetimes(lifetimes);
    match random.below(3) {
        0 => PolicyPool::new(Overflow::Spill, builder, slots / 2 + 1),
        1 => PolicyPool::new(Overflow::Grow, builder, slots),
        _ => PolicyPool::new(Overflow::EvictOldest, builder, 0),
    }
}

/// Checks every invariant of pools that have no such method of their own, but parts that have.
pub(crate) trait Parts {
    fn validate(&self) -> Result<(), Violation>;
}

/// Pools that are parts of others.
macro_rules! parts {
    ($($pool:ty),*) => {$(
        impl<T> Parts for $pool {
            fn validate(&self) -> Result<(), Violation> {
                self.validate()
            }
        }
    )*};
}

parts! { Pool<T>, VecPool<T>, PackedPool<T> }

impl<A, B> Parts for Spill<A, B>
where
    A: Bounded + Parts,
    B: Bounded<Value = A::Value, Handle = A::Handle> + Parts,
{
    fn validate(&self) -> Result<(), Violation> {
        self.first().validate()?;
        self.second().validate()
    }
}

pub(crate) type Spilling = Spill<Pool<Counted>, PackedPool<Counted>>;

kinds! {
    "Pool of Lifo" Pool<Counted>, Handle<Counted>,
        |slots, lifetimes, random| Pool::builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "Pool of Fifo" Pool<Counted, Fifo>, Handle<Counted>,
        |slots, lifetimes, random| Pool::typed_builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "Pool of LowestFirst" Pool<Counted, LowestFirst>, Handle<Counted>,
        |slots, lifetimes, random| Pool::typed_builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "Pool of Roster" Pool<Counted, Roster>, Handle<Counted>,
        |slots, lifetimes, random| Pool::typed_builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "Pool of short handles" Pool<Counted, Lifo, Handle32<Counted, 24>>, Handle32<Counted, 24>,
        |slots, lifetimes, random| Pool::typed_builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "VecPool of Lifo" VecPool<Counted>, Handle<Counted>,
        |slots, lifetimes, random| VecPool::builder().capacity_max(3 * slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok(),
        resize |pool, random| match random.below(2) {
            0 => _ = pool.shrink_to_fit(),
            _ => _ = pool.reserve(random.below(9)),
        };
    "VecPool of Fifo" VecPool<Counted, Fifo>, Handle<Counted>,
        |slots, lifetimes, random| VecPool::typed_builder().capacity_max(3 * slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok(),
        resize |pool, random| match random.below(2) {
            0 => _ = pool.shrink_to_fit(),
            _ => _ = pool.reserve(random.below(9)),
        };
    "VecPool of Roster" VecPool<Counted, Roster>, Handle<Counted>,
        |slots, lifetimes, random| VecPool::typed_builder().capacity_max(3 * slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok(),
        resize |pool, random| match random.below(2) {
            0 => _ = pool.shrink_to_fit(),
            _ => _ = pool.reserve(random.below(9)),
        };
    "StaticPool" StaticPool<Counted, 70>, Handle<Counted>,
        |slots, lifetimes, random| StaticPool::new(),
        insert |pool, value| pool.insert(value).ok();
    "PackedPool" PackedPool<Counted>, Handle<Counted>,
        |slots, lifetimes, random| PackedPool::builder().capacity(slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok();
    "PackedVecPool" PackedVecPool<Counted>, Handle<Counted>,
        |slots, lifetimes, random| PackedVecPool::builder().capacity_max(3 * slots).lifetimes(lifetimes).build(),
        insert |pool, value| pool.insert(value).ok(),
        resize |pool, random| match random.below(2) {
            0 => _ = pool.shrink_to_fit(),
            _ => _ = pool.reserve(random.below(9)),
        };
    "Spill" Spilling, Handle<Counted>,
        |slots, lifetimes, random| Spill::new(
            Pool::builder().capacity(slots).lifetimes(lifetimes).build(),
            PackedPool::builder().capacity(slots / 2 + 1).lifetimes(lifetimes).build(),
        ),
        insert |pool, value| pool.insert(value).ok();
    "PolicyPool" PolicyPool<Counted>, Handle<Counted>,
        |slots, lifetimes, random| policy(slots, lifetimes, random),
        insert |pool, value| pool.insert_by(value, |_, value| value.number()).ok().map(|(handle, _)| handle);
}

impl Kind for Recycler<Counted> {
    type Past = SnapshotOf<Self>;
    const NAME: &'static str = "Recycler";

    fn build(slots: usize, lifetimes: u32, _: &mut Random) -> Self {
        let builder = Recycler::builder().capacity(slots).lifetimes(lifetimes);
        builder.build_with(|index| Counted::new(index as u64))
    }

    fn insert(&mut self, number: u64) -> Option<Key> {
        let (handle, object) = self.acquire()?;
        *object = Counted::new(number);
        Some((handle.index(), handle.generation()))
    }

    fn remove(&mut self, (slot, generation): Key) -> bool {
        Handle::from_parts(slot, generation).is_some_and(|handle| self.release(handle))
    }

    fn live(&mut self) -> Vec<Key> {
        self.iter().map(|(handle, _)| (handle.index(), handle.generation())).collect()
    }

    fn change_each(&mut self) {
        self.iter_mut().for_each(|(_, value)| *value = Counted::new(value.number() ^ 1));
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn save(&mut self) -> Self::Past {
        self.snapshot_cloned()
    }

    fn restore(&mut self, past: &Self::Past) {
        let _ = self.restore(past);
    }

    fn stats(&self) -> Stats {
        self.stats()
    }

    fn check(&mut self) {
        self.validate().unwrap();
    }

    fn write(&mut self) -> String {
        serde_json::to_string(self).unwrap()
    }

    fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// The values are nothing.
macro_rules! of_nothing {
    ($($name:literal $order:ty;)*) => {$(
        impl Kind for HandleAllocator<$order> {
            type Past = SnapshotOf<Self>;
            const NAME: &'static str = $name;

            fn build(slots: usize, lifetimes: u32, _: &mut Random) -> Self {
                HandleAllocator::typed_builder().capacity(slots).lifetimes(lifetimes).build()
            }

            fn insert(&mut self, _: u64) -> Option<Key> {
                self.acquire().map(|handle| (handle.index(), handle.generation()))
            }

            fn remove(&mut self, (slot, generation): Key) -> bool {
                Handle::from_parts(slot, generation).is_some_and(|handle| self.release(handle))
            }

            fn live(&mut self) -> Vec<Key> {
                self.handles().map(|handle| (handle.index(), handle.generation())).collect()
            }

            fn change_each(&mut self) {
                assert_eq!(self.slot_runs().map(|run| run.len()).sum::<usize>(), self.len());
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn save(&mut self) -> Self::Past {
                self.snapshot()
            }

            fn restore(&mut self, past: &Self::Past) {
                let _ = self.restore(past);
            }

            fn stats(&self) -> Stats {
                self.stats()
            }

            fn check(&mut self) {
                self.validate().unwrap();
            }

            fn write(&mut self) -> String {
                serde_json::to_string(self).unwrap()
            }

            fn read(text: &str) -> Result<Self, String> {
                serde_json::from_str(text).map_err(|error| error.to_string())
            }
        }
    )*};
}

of_nothing! {
    "HandleAllocator of Lifo" Lifo;
    "HandleAllocator of Roster" Roster;
}

impl Kind for SyncPool<Counted> {
    type Past = SyncSnapshot<Counted>;
    const NAME: &'static str = "SyncPool";

    fn build(slots: usize, lifetimes: u32, _: &mut Random) -> Self {
        SyncPool::builder().capacity(slots).lifetimes(lifetimes).build()
    }

    fn insert(&mut self, number: u64) -> Option<Key> {
        let handle = SyncPool::insert(self, Counted::new(number)).ok()?;
        Some((handle.index(), handle.generation()))
    }

    fn remove(&mut self, (slot, generation): Key) -> bool {
        Handle::from_parts(slot, generation).is_some_and(|handle| SyncPool::remove(self, handle))
    }

    fn live(&mut self) -> Vec<Key> {
        self.iter_mut().map(|(handle, _)| (handle.index(), handle.generation())).collect()
    }

    fn change_each(&mut self) {
        self.iter_mut().for_each(|(_, value)| *value = Counted::new(value.number() ^ 1));
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn save(&mut self) -> Self::Past {
        self.snapshot()
    }

    fn restore(&mut self, past: &Self::Past) {
        let _ = self.restore(past);
    }

    fn stats(&self) -> Stats {
        self.stats()
    }

    fn check(&mut self) {
        self.validate().unwrap();
    }

    fn write(&mut self) -> String {
        serde_json::to_string(&self.frozen()).unwrap()
    }

    fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}
