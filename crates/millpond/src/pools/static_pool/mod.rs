//! [`StaticPool`], which needs no heap, and what its methods return.

mod builder;

pub use crate::pools::iterators::{Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::StaticPoolBuilder;

use crate::handle::{Handle, HandleLayout};
use crate::pools::iterators;
use crate::pools::slot_pool::{Fixed, Growth, SlotPool};
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::InlineRoster;
use crate::slots::{Inline, Ledger};
use crate::values::Storage;

/// A pool of `N` slots that stores its values inline: it needs no heap, and its constructor is
/// `const`.
///
/// Use it for a pool in a `static` (behind a lock of your choice), inside another object, or on a
/// machine without a heap: it works without the feature `alloc`. Otherwise use a [`Pool`](crate::Pool): you can choose its
/// capacity at run time, it is cheap to move, and iterating over a sparse one is faster.
///
/// ```
/// use std::sync::Mutex;
///
/// use millpond::StaticPool;
///
/// static SPARKS: Mutex<StaticPool<[f32; 2], 256>> = Mutex::new(StaticPool::new());
///
/// let mut sparks = SPARKS.lock().unwrap();
/// let spark = sparks.insert([0.5, 1.0]).unwrap();
/// assert_eq!(sparks[spark], [0.5, 1.0]);
/// sparks.remove(spark);
/// assert_eq!(sparks.get(spark), None); // stale: rejected
/// ```
///
/// **Memory**: the pool is one value of `size_of::<StaticPool<T, N>>()` bytes. A slot takes `size_of::<T>()` + 12 bytes: 4
/// for its generation, and 8 for two slot numbers. (With `Handle32<T, 16>`, it takes `size_of::<T>()` + 6 bytes.) The
/// pool takes at most 96 bytes more, or 104 with the feature `recorder`. In a `static`, a new pool takes no space in
/// the executable, because it is all zero bits, unless you give it a name, a salt or a limit. Do not put a large pool
/// into a local variable: it may be too large for the stack, and moving it copies all of it.
///
/// **Time**: insert, get, remove and [`insert_at`](Self::insert_at) are O(1). The slot freed last
/// is reused first, as with [`Roster`](crate::reuse::Roster). Iteration is O(N): it reads the generations of all slots,
/// because the pool keeps no bitmap.
///
/// **Safety**: as in a [`Pool`](crate::Pool), a handle is rejected once its object is removed. A slot that has used up its
/// generations retires, unless you [build](Self::builder) the pool to wrap.
///
/// # Methods
///
/// | to | |
/// | --- | --- |
/// | create | [`new`](Self::new), [`named`](Self::named), [`with_handle`](Self::with_handle), [`named_with_handle`](Self::named_with_handle), [`builder`](Self::builder), [`typed_builder`](Self::typed_builder) |
#[doc = include_str!("../slot_pool/methods.md")]
/// | ask whether a slot is live | [`is_live`](Self::is_live) |
///
/// `StaticPool` is a name of the struct [`SlotPool`], to whose page the links lead. Without JavaScript, the rest of this page
/// shows only some of the methods.
pub type StaticPool<T, const N: usize, H = Handle<T>> =
    SlotPool<T, Fixed, InlineRoster, H, InPool<T, N, H>>;

/// The place of a [`StaticPool`].
#[doc(hidden)]
pub type InPool<T, const N: usize, H> =
    Inline<T, (InlineRoster, <H as HandleLayout>::Word, <H as HandleLayout>::Index), N>;

impl<T, const N: usize, L: HandleLayout> Growth<T, InlineRoster, L, InPool<T, N, L>> for Fixed {
    const KIND: &'static str = "StaticPool";

    #[cfg(all(feature = "serde", feature = "alloc"))]
    fn unused(
        state: &crate::slots::saved::Checked<L::Word>,
    ) -> Result<
        (crate::pools::slot_pool::Slotted<T, InlineRoster, L, InPool<T, N, L>>, Self),
        crate::snapshot::format::Refused,
    > {
        let found = state.words.len();
        if found != N {
            let why = alloc::format!("a saved pool of {found} slots, expected {N}");
            return Err(crate::snapshot::format::Refused::new(why));
        }
        let ledger = Ledger::fresh(&GenerationSettings::PLAIN);
        Ok((Storage::fresh(state.cycle.start(), ledger), Self))
    }
}

impl<T, const N: usize> StaticPool<T, N> {
    /// Creates an empty pool, with eight-byte handles.
    ///
    /// ```
    /// use millpond::StaticPool;
    ///
    /// const EMPTY: StaticPool<u32, 16> = StaticPool::new();
    /// assert_eq!((EMPTY.capacity(), EMPTY.len()), (16, 0));
    ///
    /// // Nothing in it changes while it is shared, so that a constant may also refer to one.
    /// const SHARED: &StaticPool<u32, 16> = &StaticPool::new();
    /// assert!(SHARED.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_handle()
    }

    /// Creates an empty pool with a name for error messages. Pools with different names start their
    /// generations at different points, so that each refuses the other's handles, as with
    /// [`PoolBuilder::name`](crate::PoolBuilder::name).
    ///
    /// ```
    /// use millpond::StaticPool;
    ///
    /// let mut pool = StaticPool::<u8, 0>::named("messages");
    /// let full = pool.insert(1).unwrap_err();
    /// assert!(full.to_string().starts_with("pool \"messages\" is full"));
    /// ```
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self::named_with_handle(name)
    }

    /// Returns a builder, to choose the handle layout, a name and more. It works in constants.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use millpond::StaticPool;
    ///
    /// static LEFT: Mutex<StaticPool<u32, 64>> =
    ///     Mutex::new(StaticPool::builder().name("wheels").salt(1).build());
    /// static RIGHT: Mutex<StaticPool<u32, 64>> =
    ///     Mutex::new(StaticPool::builder().name("wheels").salt(2).build());
    ///
    /// let wheel = LEFT.lock().unwrap().insert(1).unwrap();
    /// assert!(RIGHT.lock().unwrap().get(wheel).is_none());
    /// ```
    pub const fn builder() -> StaticPoolBuilder<T, N> {
        StaticPoolBuilder::new()
    }
}

impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    /// Returns a builder for pools of exactly this type. It works in constants. `builder` starts
    /// with the default handle layout; this one starts with that of `Self`.
    ///
    /// ```
    /// use millpond::StaticPool;
    ///
    /// millpond::handle_type! { struct Key; }
    /// type Keyed = StaticPool<u32, 64, Key>;
    /// const NODES: Keyed = Keyed::typed_builder().name("nodes").build();
    /// assert_eq!(NODES.name(), Some("nodes"));
    /// ```
    pub const fn typed_builder() -> StaticPoolBuilder<T, N, H> {
        StaticPoolBuilder::new()
    }

    /// Creates an empty pool with the handle layout of `Self`, for use where the type is named. Does
    /// not compile if the layout cannot name `N` slots.
    ///
    /// ```
    /// use millpond::{Handle32, StaticPool};
    ///
    /// type Small = Handle32<u32, 16>;
    /// const EMPTY: StaticPool<u32, 100, Small> = StaticPool::with_handle();
    /// assert!(size_of_val(&EMPTY) <= 100 * (4 + 6) + 104);
    /// ```
    ///
    /// ```compile_fail
    /// use millpond::{Handle32, StaticPool};
    /// let pool: StaticPool<u32, 300, Handle32<u32, 8>> = StaticPool::with_handle();
    /// ```
    #[must_use]
    pub const fn with_handle() -> Self {
        Self::of(&GenerationSettings::PLAIN)
    }

    /// Creates an empty pool with the handle layout of `Self` and a name; see
    /// [`named`](StaticPool::named).
    #[must_use]
    pub const fn named_with_handle(name: &'static str) -> Self {
        let settings = GenerationSettings { name: Some(name), ..GenerationSettings::PLAIN };
        Self::of(&settings)
    }

    const fn of(settings: &GenerationSettings) -> Self {
        const { assert!(N <= H::CAPACITY_MAX, "the handle layout cannot name that many slots") };
        let start = settings.start(H::LIFETIMES_MAX);
        Self::of_parts(Storage::fresh(start, Ledger::fresh(settings)), Fixed)
    }

    /// Returns whether slot `index` is live; `false` if `index` is out of range. O(1).
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert("a").unwrap();
    /// assert!(pool.is_live(handle.index() as usize) && !pool.is_live(8));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_live(&self, index: usize) -> bool {
        self.storage.words().is_live(index)
    }
}

impl<T, const N: usize, H: HandleLayout> Default for StaticPool<T, N, H> {
    fn default() -> Self {
        Self::with_handle()
    }
}

/// The free slot reserved for a static pool's next value; returned by [`StaticPool::vacant_entry`].
pub type VacantEntry<'a, T, const N: usize, H> = iterators::VacantEntry<'a, StaticPool<T, N, H>>;

/// An iterator over a static pool's handles and values in index order; returned by
/// [`StaticPool::iter`].
pub type Iter<'a, T, const N: usize, H> = iterators::Iter<'a, T, InlineRoster, H>;

/// An iterator over a static pool's handles and mutable values in index order; returned by
/// [`StaticPool::iter_mut`].
pub type IterMut<'a, T, const N: usize, H> = iterators::IterMut<'a, T, InlineRoster, H>;

/// An iterator over a static pool's handles in index order; returned by [`StaticPool::handles`].
pub type Handles<'a, const N: usize, H> = iterators::Handles<'a, InlineRoster, H>;

/// An iterator that moves all values out of a static pool in index order; returned by
/// [`StaticPool::drain`].
pub type Drain<'a, T, const N: usize, H> = iterators::Drain<'a, StaticPool<T, N, H>>;

/// An iterator that moves chosen values out of a static pool in index order; returned by
/// [`StaticPool::extract_if`].
pub type ExtractIf<'a, T, const N: usize, H, F> = iterators::ExtractIf<'a, StaticPool<T, N, H>, F>;

/// An iterator over the values of a static pool that it owns, in index order.
pub type IntoIter<T, const N: usize, H> = iterators::IntoIter<StaticPool<T, N, H>>;

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Handle32;
    use crate::reports::stats::Stats;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = StaticPool::<u8, 3>::new();
        pool.validate().unwrap();
        pool.storage.slots_mut().count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }

    #[test]
    fn validation_asks_what_knows_the_order() {
        type Short = StaticPool<u8, 5, Handle32<u8, 30>>;
        let mut pool = Short::with_handle();
        for value in 0..3 {
            let handle = pool.insert(value).unwrap();
            pool.remove(handle); // the third time for ever
        }
        pool.insert(3).unwrap();
        pool.insert(4).unwrap();
        let Stats { live, retired, .. } = pool.stats();
        assert_eq!((live, retired), (2, 1));
        pool.validate().unwrap();
        let broken = |from: usize, to: usize| {
            let mut pool = pool.clone();
            let entries = pool.storage.slots_mut().broken().entries_mut();
            entries[to] = entries[from];
            pool.validate().unwrap_err().rule()
        };
        // The first three slots have changed places, each in its table.
        let inverse = "the reverse table is the roster's inverse";
        for (from, to) in [(3, 0), (0, 2), (8, 5), (6, 5)] {
            assert_eq!(broken(from, to), inverse);
        }
    }

    #[test]
    fn the_order_is_true_after_each_change() {
        let mut pool = StaticPool::<usize, 9>::new();
        for step in 0..200_usize {
            match step * step % 7 {
                0 | 2 => drop(pool.insert(step)),
                1 => drop(pool.remove_at(step % 9)),
                _ => {
                    let handle = Handle::from_parts(step as u32 % 9, 50);
                    let _ = handle.map(|handle| pool.insert_at(handle, step));
                }
            }
            pool.validate().unwrap();
        }
    }
}
