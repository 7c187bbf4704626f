//! Aids for finding a program's mistakes with a pool's objects: writes through stale raw pointers, removals of objects
//! that are already removed, objects that are never removed.
//!
//! They need the feature `debug-aids`, and are off unless a pool's builder [enables
//! them](crate::PoolBuilder::debug_aids). Without the feature, the program contains no instruction of them.
//!
//! ```
//! use millpond::Pool;
//! use millpond::debug::DebugAids;
//!
//! let mut bullets = Pool::<u64>::builder()
//!     .capacity(100)
//!     .name("bullets")
//!     .debug_aids(DebugAids::all().report_on_drop(|report| eprintln!("{report}")))
//!     .build();
//! let bullet = bullets.insert(7).unwrap();
//! let report = bullets.live_report().unwrap();
//! assert_eq!(report.origins()[0].count(), 1);
//! assert_eq!(report.origins()[0].location().file(), file!());
//! ```
//!
//! # Which pools have which aids
//!
//! | | dead slots filled | refused removals panic | live objects by source line | who removed it |
//! | --- | --- | --- | --- | --- |
//! | [`Pool`], [`VecPool`], [`PolicyPool`] | yes | yes | yes | yes |
//! | [`PackedPool`], [`PackedVecPool`] | the memory after the last value; anew when it grows | yes | yes | yes |
//! | [`Recycler`] | no: every slot has a valid object | yes, `release` | yes, by `acquire` | yes |
//! | [`SyncPool`] | yes | yes, `remove` and `take` | yes, by line, on all threads | yes, not `insert_or_evict` |
//! | [`HandleAllocator`] | no: it has no values | yes, `release` | yes, the handles that were not released | yes |
//!
//! A [`StaticPool`] has none: it has no heap to store origins in, and its size, on which programs without a heap rely,
//! must not depend on a feature. A [`SyncRecycler`](crate::SyncRecycler) has none: its
//! guards are the only way to an object, and there are no removals. A deserialised pool has none; restore its snapshot
//! into a pool that was built with them.
//!
//! If every slot has a valid object, the program defines the fill: [`Recycler::scramble_released`] calls a function for
//! each released object, so that a field that the next initialiser forgets does not look right. [`forgotten_fields`]
//! and `forgotten_bytes` (feature `bytemuck`) run an initialiser over two different fills and list the parts that it
//! leaves unchanged.
//!
//! # AddressSanitizer
//!
//! For a sanitizer, a pool's array is one block that lives as long as the pool, so the use of a dead slot is not an
//! error. Compiled with `--cfg millpond_asan`, every pool on the heap that moves values in and out poisons its dead
//! slots for AddressSanitizer, which then reports every access through an old pointer: [`Pool`], [`VecPool`],
//! [`PackedPool`] and [`PackedVecPool`] (the memory after their last value) and [`SideTable`].
//! (Not [`StaticPool`], which may be moved together with its dead slots, and not [`Recycler`], which has a valid object
//! in every slot.)
//!
//! ```sh
//! RUSTFLAGS='-Zsanitizer=address --cfg millpond_asan' \
//!     cargo +nightly test -Zbuild-std --target x86_64-unknown-linux-gnu
//! ```
//!
//! This needs no feature and no choice in the builder. A program whose C or C++ parts are compiled with
//! `-fsanitize=address` can use it with a stable compiler. Slots of less than eight bytes are only poisoned in part,
//! because the sanitizer's unit is eight bytes.
//!
//! [`HandleAllocator`]: crate::HandleAllocator
//! [`PackedPool`]: crate::PackedPool
//! [`PackedVecPool`]: crate::PackedVecPool
//! [`PolicyPool`]: https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.PolicyPool.html
//! [`Pool`]: crate::Pool
//! [`Recycler::scramble_released`]: crate::Recycler::scramble_released
//! [`Recycler`]: crate::Recycler
//! [`SideTable`]: crate::SideTable
//! [`StaticPool`]: crate::StaticPool
//! [`SyncPool`]: crate::SyncPool
//! [`VecPool`]: crate::VecPool

#[doc(hidden)]
pub mod fill;
mod initialiser;
mod live_report;
#[allow(unsafe_code)]
mod origin;
mod removal;
mod watch;

pub(crate) use fill::{Filled, fill, filled, find_changed};
pub use initialiser::*;
pub use live_report::{LiveReport, Origin};
pub use removal::Removal;
pub(crate) use watch::Watch;

/// Which aids a pool has; see [the module](self). Start with [`all`](Self::all) or
/// [`none`](Self::none).
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugAids {
    pub(crate) fill: bool,
    pub(crate) panics_on_refused_removal: bool,
    pub(crate) origins: bool,
    pub(crate) removals: bool,
    pub(crate) clock: Option<fn() -> u64>,
    pub(crate) on_drop: Option<fn(&LiveReport)>,
    /// The number of the pool's first slot in the whole that it is part of.
    pub(crate) first_slot: usize,
}

impl DebugAids {
    /// No aids, the default.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            fill: false,
            panics_on_refused_removal: false,
            origins: false,
            removals: false,
            clock: None,
            on_drop: None,
            first_slot: 0,
        }
    }

    /// All aids except the report on drop and the clock, which need a function.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            fill: true,
            panics_on_refused_removal: true,
            origins: true,
            removals: true,
            ..Self::none()
        }
    }

    /// Fills each slot with `0x1deadb0b` when its object is removed, and checks the fill when the
    /// slot is reused. If it has changed, code wrote through a stale pointer, and the insertion
    /// panics with the place of the change. Costs a pass over the slot at removal, and two at
    /// reuse. [`restore`](crate::Pool::restore) does not check the dead slots that it fills.
    ///
    /// (A read through a stale pointer yields the number `0x1deadb0b` repeatedly, which is easy to
    /// recognise in a debugger.)
    ///
    /// In a [`PackedPool`], the dead slots are the places after the last value, numbered by
    /// position in [`as_slice`](crate::PackedPool::as_slice): "slot 7" in a message is the place of
    /// the value at position 7, whatever its handle. (A stale pointer to a place that another value
    /// has taken writes to a live value, which cannot be detected.) A [`Recycler`] has a valid
    /// object in every slot, and a [`HandleAllocator`] has no values: they have nothing to fill,
    /// and ignore this aid.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().fill_dead_slots();
    /// let mut pool = Pool::<[u64; 4]>::builder().capacity(8).debug_aids(aids).build();
    /// let handle = pool.insert([1; 4]).unwrap();
    /// pool.remove(handle);
    /// pool.insert([2; 4]).unwrap(); // checks that nothing wrote to the slot in the meantime
    /// ```
    ///
    /// [`HandleAllocator`]: crate::HandleAllocator
    /// [`PackedPool`]: crate::PackedPool
    /// [`Recycler`]: crate::Recycler
    #[must_use]
    pub const fn fill_dead_slots(mut self) -> Self {
        self.fill = true;
        self
    }

    /// Makes a [`remove`](crate::Pool::remove) or [`release`](crate::Recycler::release) with a
    /// refused handle panic instead of returning `None` or `false`; the message has the pool, the
    /// handle and the reason. O(1).
    ///
    /// ```should_panic
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().panic_on_refused_removal();
    /// let mut pool = Pool::<u8>::builder().capacity(8).name("bullets").debug_aids(aids).build();
    /// let bullet = pool.insert(1).unwrap();
    /// pool.remove(bullet);
    /// pool.remove(bullet); // pool "bullets" refuses handle 0v1: slot 0, 1st lifetime: stale
    /// ```
    #[must_use]
    pub const fn panic_on_refused_removal(mut self) -> Self {
        self.panics_on_refused_removal = true;
        self
    }

    /// Stores the source line that inserted each object, for
    /// [`live_report`](crate::Pool::live_report). Costs 8 bytes per slot, allocated at creation, or
    /// when a [`VecPool`](crate::VecPool) grows. A snapshot has no origins: in a
    /// restored pool, only objects whose slots were live in the same generation before keep theirs.
    #[must_use]
    pub const fn remember_origins(mut self) -> Self {
        self.origins = true;
        self
    }

    /// Stores for each slot the source line that removed its last object, for
    /// [`removal_of`](crate::Pool::removal_of), which says who made a handle stale and what lives in its slot now. The
    /// message of `pool[handle]` with such a handle says it, too, and that of
    /// [`panic_on_refused_removal`](Self::panic_on_refused_removal). Costs 24 bytes
    /// per slot, allocated at creation, or when a [`VecPool`](crate::VecPool) grows.
    ///
    /// It is the line that calls `remove`, `retain`, `clear`, `drain`, an eviction or any other method that ends
    /// lifetimes; not that of a [`restore`](crate::Pool::restore), after which the line of a removal is unknown. Of each
    /// slot, only the latest removal is known.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_removals();
    /// let mut pool = Pool::<u8>::builder().capacity(8).debug_aids(aids).build();
    /// let bullet = pool.insert(1).unwrap();
    /// let line = line!() + 1;
    /// pool.retain(|_, _| false);
    /// assert_eq!(pool.removal_of(bullet).unwrap().location().line(), line);
    /// ```
    #[must_use]
    pub const fn remember_removals(mut self) -> Self {
        self.removals = true;
        self
    }

    /// Stores with each removal what `clock` says, for example the number of the frame; see
    /// [`remember_removals`](Self::remember_removals), which this enables. `clock` is called in each removal, on the thread
    /// that removes, and must not use the pool.
    #[must_use]
    pub const fn with_ticks(mut self, clock: fn() -> u64) -> Self {
        self.removals = true;
        self.clock = Some(clock);
        self
    }

    /// Whether no aid is enabled.
    pub(crate) fn is_none(&self) -> bool {
        let Self { fill, panics_on_refused_removal, origins, removals, on_drop, .. } = *self;
        !(fill || panics_on_refused_removal || origins || removals || on_drop.is_some())
    }

    /// These aids for a part of a pool whose first slot is `slot` in the whole.
    pub(crate) fn part_from(self, slot: usize) -> Self {
        Self { first_slot: self.first_slot + slot, ..self }
    }

    /// Calls `report` when the pool is dropped with live objects, before these are dropped, with a report grouped by
    /// the source line that inserted them. Copies of the pool and the iterator returned by `into_iter` do so, too; each
    /// part of a [`PolicyPool`](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.PolicyPool.html)
    /// reports separately; snapshots do not report. If `report` panics during another panic, the program aborts, as in
    /// any drop.
    #[must_use]
    pub const fn report_on_drop(mut self, report: fn(&LiveReport)) -> Self {
        self.origins = true;
        self.on_drop = Some(report);
        self
    }
}
