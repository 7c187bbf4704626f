//! All pools behind one face, for tests of what they have in common: a step does something to a pool and
//! says all that can be seen of it.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fmt::Debug;

use millpond::reuse::ReuseOrder;
use millpond::snapshot::{Checksum, SnapshotOf, State, ToChecksum};
use millpond::{
    BlockPool, Handle, HandleAllocator, HandleLayout, PackedPool, Pool, Recycler, SideTable,
    StaticPool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value of a test: made from a number, and back.
pub(crate) trait Value:
    Clone + Debug + PartialEq + ToChecksum + Default + Serialize + DeserializeOwned
{
    fn of(number: u64) -> Self;
}

impl Value for u32 {
    fn of(number: u64) -> Self {
        number as u32
    }
}

impl Value for [u64; 3] {
    fn of(number: u64) -> Self {
        [number; 3]
    }
}

impl Value for String {
    fn of(number: u64) -> Self {
        number.to_string()
    }
}

impl Value for () {
    fn of(_: u64) -> Self {}
}

/// A pool of any kind.
pub(crate) trait Subject: State + Clone {
    /// One step of a program, chosen by random bits: what it answers.
    fn step(&mut self, bits: u64) -> u64;
    /// All that can be seen of it.
    fn seen(&self) -> u64;
    fn sum(&self) -> u64;
    fn take_snapshot(&self) -> SnapshotOf<Self>;
    fn save(&self, snapshot: &mut SnapshotOf<Self>);
    fn load(&mut self, snapshot: &SnapshotOf<Self>);
    fn check_all(&self);
}

/// A sum over anything that can be printed, the same on every platform.
pub(crate) fn hash(what: impl Debug) -> u64 {
    let mut sum = Checksum::new();
    sum.add(&format!("{what:?}"));
    sum.finish()
}

/// One of so many, chosen by some of the bits.
fn pick(bits: u64, count: usize) -> usize {
    ((bits >> 16) % count.max(1) as u64) as usize
}

/// A handle of the layout, near what pools of the tests issue.
pub(crate) fn some_handle<H: HandleLayout>(bits: u64, capacity: usize) -> Option<H> {
    let index = (bits >> 8) % (capacity as u64 + 1);
    H::from_parts(index as u32, 1 + (bits >> 40) as u32 % 6)
}

macro_rules! past {
    () => {
        fn sum(&self) -> u64 {
            self.checksum()
        }
        fn take_snapshot(&self) -> SnapshotOf<Self> {
            self.snapshot()
        }
        fn save(&self, snapshot: &mut SnapshotOf<Self>) {
            self.save_into(snapshot).unwrap();
        }
        fn load(&mut self, snapshot: &SnapshotOf<Self>) {
            self.restore(snapshot).unwrap();
        }
        fn check_all(&self) {
            self.validate().unwrap();
        }
    };
}

macro_rules! inserting_pool {
    ([$($generics:tt)*] $pool:ty, $handle:ty) => {
        impl<$($generics)*> Subject for $pool {
            fn step(&mut self, bits: u64) -> u64 {
                let value = T::of(bits >> 32);
                let live: Vec<$handle> = self.handles().collect();
                let nth = live.get(pick(bits, live.len())).copied();
                match bits % 32 {
                    0..13 => hash(self.insert(value).ok()),
                    13..25 => hash(nth.and_then(|handle| self.remove(handle))),
                    25..28 => hash(nth.and_then(|handle| self.get_mut(handle)).map(|old| {
                        std::mem::replace(old, value)
                    })),
                    28 | 29 => {
                        let handle = some_handle::<$handle>(bits, self.capacity());
                        hash(handle.map(|handle| self.insert_at(handle, value).map_err(|e| e.kind())))
                    }
                    30 => {
                        self.retain(|handle, _| handle.index() % 3 != bits as u32 % 5);
                        0
                    }
                    _ if bits >> 60 == 0 => {
                        self.clear();
                        1
                    }
                    _ => hash(self.insert_with(|_| T::of(bits)).ok()),
                }
            }

            fn seen(&self) -> u64 {
                let all: Vec<_> = self.iter().collect();
                hash((all, self.stats()))
            }

            past!();
        }
    };
}

inserting_pool!([T: Value, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>, H);
inserting_pool!([T: Value, H: HandleLayout] PackedPool<T, H>, H);
inserting_pool!([T: Value, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, H);
inserting_pool!([T: Value, const N: usize, H: HandleLayout] StaticPool<T, N, H>, H);

impl<T: Value, R: ReuseOrder, H: HandleLayout> Subject for Recycler<T, R, H> {
    fn step(&mut self, bits: u64) -> u64 {
        let live: Vec<H> = self.handles().collect();
        let nth = live.get(pick(bits, live.len())).copied();
        match bits % 32 {
            0..13 => hash(
                self.acquire()
                    .map(|(handle, object)| (handle, std::mem::replace(object, T::of(bits >> 32)))),
            ),
            13..25 => hash(nth.map(|handle| self.release(handle))),
            25..28 => {
                let index = pick(bits, self.capacity());
                hash(self.as_mut_slice().get_mut(index).map(|object| *object = T::of(bits >> 32)))
            }
            28 | 29 => {
                let handle = some_handle::<H>(bits, self.capacity());
                hash(handle.map(|handle| self.acquire_at(handle).map(drop).map_err(|e| e.kind())))
            }
            _ if bits >> 60 == 0 => {
                self.clear();
                1
            }
            _ => 2,
        }
    }

    fn seen(&self) -> u64 {
        let all: Vec<_> = self.iter().collect();
        hash((all, self.as_slice(), self.stats()))
    }

    past!();
}

impl<R: ReuseOrder, H: HandleLayout> Subject for HandleAllocator<R, H> {
    fn step(&mut self, bits: u64) -> u64 {
        let live: Vec<H> = self.handles().collect();
        let nth = live.get(pick(bits, live.len())).copied();
        match bits % 32 {
            0..14 => hash(self.acquire()),
            14..27 => hash(nth.map(|handle| self.release(handle))),
            27..31 => {
                let handle = some_handle::<H>(bits, self.capacity());
                hash(handle.map(|handle| self.acquire_at(handle).map_err(|e| e.kind())))
            }
            _ if bits >> 60 == 0 => {
                self.clear();
                1
            }
            _ => 2,
        }
    }

    fn seen(&self) -> u64 {
        hash((self.handles().collect::<Vec<_>>(), self.stats()))
    }

    past!();
}

impl<V: Value> Subject for SideTable<Handle<u8>, V> {
    fn step(&mut self, bits: u64) -> u64 {
        let Some(handle) = some_handle::<Handle<u8>>(bits, self.capacity()) else { return 0 };
        match bits % 8 {
            0..5 => hash(self.insert(handle, V::of(bits >> 32)).map_err(|e| e.kind())),
            5..7 => hash(self.remove(handle)),
            _ if bits >> 60 == 0 => {
                self.clear();
                1
            }
            _ => 2,
        }
    }

    fn seen(&self) -> u64 {
        hash(self.iter().collect::<Vec<_>>())
    }

    past!();
}

/// Builds every pool in every order and layout, and calls a function with each and its name: a program must
/// have the same past in all of them.
macro_rules! with_every_pool {
    ($function:ident) => {{
        use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
        use millpond::*;

        fn ordered<R: ReuseOrder>() {
            type Short = Handle32<(), 24>;
            for capacity in [0, 1, 5, 70] {
                $function(
                    R::NAME,
                    Pool::<u32>::builder().reuse(R::default()).capacity(capacity).build(),
                );
                let linked = Pool::<[u64; 3]>::builder().reuse(R::default()).capacity(capacity);
                $function(R::NAME, linked.name("named").build());
                let cloned = Pool::<String>::builder().reuse(R::default()).capacity(capacity);
                $function(R::NAME, cloned.build());
                // Few lifetimes, so that slots retire, or go round.
                let retiring = Pool::<u32>::builder().reuse(R::default()).handle::<Short>();
                $function(R::NAME, retiring.capacity(capacity).lifetimes(3).build());
                let wrapping = Pool::<String>::builder().reuse(R::default()).handle::<Short>();
                $function(R::NAME, wrapping.capacity(capacity).lifetimes(4).wrap().build());
                let recycler = Recycler::<u32>::builder().reuse(R::default()).capacity(capacity);
                $function(R::NAME, recycler.build());
                let recycler = Recycler::<String>::builder().reuse(R::default()).capacity(capacity);
                $function(R::NAME, recycler.lifetimes(3).build());
                let slots = HandleAllocator::builder().reuse(R::default()).capacity(capacity);
                $function(R::NAME, slots.build());
            }
        }
        ordered::<Lifo>();
        ordered::<Fifo>();
        ordered::<LowestFirst>();
        ordered::<Roster>();
        ordered::<NextFit>();
        ordered::<Intrusive>();
        for capacity in [0, 1, 5, 70] {
            $function("packed", PackedPool::<u32>::builder().capacity(capacity).build());
            let few = PackedPool::<String>::builder().capacity(capacity).lifetimes(3);
            $function("packed", few.build());
            $function("table", SideTable::<Handle<u8>, u32>::new(capacity));
            $function("table", SideTable::<Handle<u8>, String>::new(capacity));
        }
        $function("static", StaticPool::<u32, 0>::new());
        $function("static", StaticPool::<u32, 70>::named("static"));
        $function("static", StaticPool::<String, 5, Handle32<(), 24>>::with_handle());
    }};
}
pub(crate) use with_every_pool;

/// The same for pools made of blocks, small ones and large ones, which are given back soon or never.
#[allow(unused_macros, reason = "each test file uses its own part")]
macro_rules! with_block_pools {
    ($function:ident) => {{
        use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
        use millpond::*;

        fn blocks<R: ReuseOrder>() {
            for (slots, blocks) in [(1, 5), (4, 3), (32, 2)] {
                let some = || BlockPool::<u32>::builder().slots_per_block(slots).max_blocks(blocks);
                $function(R::NAME, some().reuse(R::default()).build());
                let few = some().give_back_beyond(0).lifetimes(3).name("blocks");
                $function(R::NAME, few.reuse(R::default()).build());
                let cloned = BlockPool::<String>::builder().slots_per_block(slots);
                let cloned = cloned.max_blocks(blocks).give_back_beyond(1);
                $function(R::NAME, cloned.reuse(R::default()).build());
            }
        }
        blocks::<Lifo>();
        blocks::<Fifo>();
        blocks::<LowestFirst>();
        blocks::<Roster>();
        blocks::<NextFit>();
        blocks::<Intrusive>();
    }};
}
#[allow(unused_imports, reason = "each test file uses its own part")]
pub(crate) use with_block_pools;
