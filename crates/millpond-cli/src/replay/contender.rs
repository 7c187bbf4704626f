//! What a trace is replayed through.

use std::marker::PhantomData;

use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{BlockPool, Handle, PackedPool, Pool, Recycler};

use super::object::Value;
use super::run::{Lap, lap, timed};
use super::script::Script;

/// One way to keep objects.
pub(super) trait Contender: 'static {
    type Store<T: Value>;
    /// How the program finds an object again.
    type Key<T: Value>;

    fn new<T: Value>(capacity: usize) -> Self::Store<T>;
    /// `None` if there is no room, which there is.
    fn insert<T: Value>(store: &mut Self::Store<T>, number: u64) -> Option<Self::Key<T>>;
    /// The number of the object that was removed; `None` if there is none, which there is.
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> Option<u64>;
}

/// What a contender is to a program that has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values move in and out.
    Pool,
    /// Objects stay made, and are renewed: less work, for programs that can do with it.
    Recycler,
    /// What the pools are compared with.
    Box,
}

/// A contender, its types forgotten.
pub(super) struct Entrant {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Replays the script so many times in new stores.
    pub(super) lap: fn(&Script, usize) -> Lap,
    /// Replays it once in new stores and lowers each event's nanoseconds to what it took; returns the
    /// longest that any took.
    pub(super) timed: fn(&Script, &mut [u32]) -> u32,
}

/// All contenders: the pools, the one that needs the least thought first, and the system's allocator.
pub(super) fn all() -> Vec<Entrant> {
    fn entrant<C: Contender>(kind: Kind, name: &'static str) -> Entrant {
        Entrant { name, kind, lap: lap::<C>, timed: timed::<C> }
    }
    vec![
        entrant::<Pooled<Lifo>>(Kind::Pool, "Pool, Lifo"),
        entrant::<Pooled<Fifo>>(Kind::Pool, "Pool, Fifo"),
        entrant::<Pooled<LowestFirst>>(Kind::Pool, "Pool, LowestFirst"),
        entrant::<Pooled<Roster>>(Kind::Pool, "Pool, Roster"),
        entrant::<Pooled<NextFit>>(Kind::Pool, "Pool, NextFit"),
        entrant::<Pooled<Intrusive>>(Kind::Pool, "Pool, Intrusive"),
        entrant::<Packed>(Kind::Pool, "PackedPool"),
        entrant::<InBlocks>(Kind::Pool, "BlockPool"),
        entrant::<Recycled>(Kind::Recycler, "Recycler, Lifo"),
        entrant::<Boxed>(Kind::Box, "Box"),
    ]
}

struct Pooled<R>(PhantomData<R>);

impl<R: ReuseOrder> Contender for Pooled<R> {
    type Store<T: Value> = Pool<T, R>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Pool<T, R> {
        Pool::with_capacity(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Pool<T, R>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Pool<T, R>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }
}

struct Packed;

impl Contender for Packed {
    type Store<T: Value> = PackedPool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> PackedPool<T> {
        PackedPool::new(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut PackedPool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut PackedPool<T>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }
}

/// Grows as the objects come, which single operations show.
struct InBlocks;

/// A block has about so many of all slots.
const BLOCKS: usize = 8;

impl Contender for InBlocks {
    type Store<T: Value> = BlockPool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> BlockPool<T> {
        let slots = capacity.div_ceil(BLOCKS).next_power_of_two();
        BlockPool::with_blocks(slots, capacity.div_ceil(slots))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut BlockPool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut BlockPool<T>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }
}

struct Recycled;

impl Contender for Recycled {
    type Store<T: Value> = Recycler<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Recycler<T> {
        Recycler::new(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Recycler<T>, number: u64) -> Option<Handle<T>> {
        let (handle, object) = store.acquire()?;
        object.renew(number);
        Some(handle)
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Recycler<T>, key: Handle<T>) -> Option<u64> {
        let number = store.get(key)?.number();
        store.release(key).then_some(number)
    }
}

struct Boxed;

impl Contender for Boxed {
    type Store<T: Value> = ();
    type Key<T: Value> = Box<T>;

    fn new<T: Value>(_capacity: usize) {}

    #[inline(always)]
    fn insert<T: Value>(_store: &mut (), number: u64) -> Option<Box<T>> {
        Some(Box::new(T::new(number)))
    }

    #[inline(always)]
    fn remove<T: Value>(_store: &mut (), key: Box<T>) -> Option<u64> {
        Some(key.number())
    }
}
