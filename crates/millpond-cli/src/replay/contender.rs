//! The contenders that a trace is replayed on.

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
    /// Visits all objects and returns the sum of their numbers. A program has the keys, too.
    fn walk<T: Value>(
        store: &mut Self::Store<T>,
        keys: &mut [Option<Self::Key<T>>],
        way: Way,
    ) -> u64;
}

/// How all objects are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// One after the other.
    Values,
    /// Slice by slice, where objects lie side by side.
    Runs,
}

/// The sum of the numbers of all objects that are visited.
#[inline(always)]
fn visited<'a, T: Value>(objects: impl Iterator<Item = &'a mut T>) -> u64 {
    objects.fold(0, |sum: u64, object| sum.wrapping_add(object.visit()))
}

/// What a contender is to a program that has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values move in and out.
    Pool,
    /// Objects stay made, and are renewed: less work, for programs that can do with it.
    Recycler,
    /// The contender that the pools are compared with.
    Box,
}

/// A contender, its types forgotten.
pub(super) struct Entrant {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// How a walk goes over the objects, where there is more than one way.
    pub(super) way: Way,
    /// Replays the script this many times in new stores.
    pub(super) lap: fn(&Script, usize, Way) -> Lap,
    /// Replays it once in new stores and lowers each event's nanoseconds to what it took; returns the
    /// longest that any took.
    pub(super) timed: fn(&Script, &mut [u32], Way) -> u32,
}

/// All contenders: the pools, the one that needs the least thought first, and the system's allocator. To
/// walk, each of the pools comes twice.
pub(super) fn all(walks: bool) -> Vec<Entrant> {
    fn entrants<C: Contender>(kind: Kind, ways: &[(&'static str, Way)]) -> Vec<Entrant> {
        let of_way = |&(name, way)| Entrant { name, kind, way, lap: lap::<C>, timed: timed::<C> };
        ways.iter().map(of_way).collect()
    }
    macro_rules! pools {
        ($($contender:ty, $kind:ident, $name:literal;)*) => {
            [$(entrants::<$contender>(
                Kind::$kind,
                if walks {
                    &[($name, Way::Values), (concat!($name, "; runs"), Way::Runs)]
                } else {
                    &[($name, Way::Values)]
                },
            )),*]
        };
    }
    let pools = pools! {
        Pooled<Lifo>, Pool, "Pool, Lifo";
        Pooled<Fifo>, Pool, "Pool, Fifo";
        Pooled<LowestFirst>, Pool, "Pool, LowestFirst";
        Pooled<Roster>, Pool, "Pool, Roster";
        Pooled<NextFit>, Pool, "Pool, NextFit";
        Pooled<Intrusive>, Pool, "Pool, Intrusive";
        InBlocks, Pool, "BlockPool";
        Recycled, Recycler, "Recycler, Lifo";
    };
    let mut all: Vec<Entrant> = pools.into_iter().flatten().collect();
    // Its objects are one slice, and boxes are none: there is one way only.
    let packed = entrants::<Packed>(Kind::Pool, &[("PackedPool", Way::Values)]);
    let after_pool = all.iter().position(|it| it.name == "BlockPool").unwrap_or(all.len());
    all.splice(after_pool..after_pool, packed);
    all.extend(entrants::<Boxed>(Kind::Box, &[("Box", Way::Values)]));
    all
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

    #[inline(always)]
    fn walk<T: Value>(store: &mut Pool<T, R>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.values_mut()),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
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

    #[inline(always)]
    fn walk<T: Value>(
        store: &mut PackedPool<T>,
        _keys: &mut [Option<Handle<T>>],
        _way: Way,
    ) -> u64 {
        visited(store.values_mut())
    }
}

/// Grows as the objects come, which single operations show.
struct InBlocks;

/// A block has about this many of all slots.
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

    #[inline(always)]
    fn walk<T: Value>(store: &mut BlockPool<T>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.values_mut()),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
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

    #[inline(always)]
    fn walk<T: Value>(store: &mut Recycler<T>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.iter_mut().map(|(_, object)| object)),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
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

    #[inline(always)]
    fn walk<T: Value>(_store: &mut (), keys: &mut [Option<Box<T>>], _way: Way) -> u64 {
        visited(keys.iter_mut().flatten().map(|object| &mut **object))
    }
}
