//! How a side table allocates its slots.

use super::SideTable;
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::pools::settings::{BuildError, Settings};
use crate::reports::errors::InsertAtErrorKind;
use crate::values::table::TableStorage;

/// A table without a limit allocates up to this much memory, however few values it has.
const BYTES_UNASKED: usize = 16 << 20;

/// Beyond that, it allocates up to this many slots per value.
const SLOTS_PER_VALUE: usize = 64;

/// The smallest capacity that a table grows to, unless its limit is less.
const SLOTS_MIN: usize = 4;

/// Whether, and how far, a table grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableGrowth {
    Never,
    /// In proportion to its values, beyond a first stretch.
    InProportion,
    /// To this many slots.
    UpTo(usize),
}

impl<H: HandleLayout, V> SideTable<H, V> {
    /// Creates an empty table that grows as handles need it. Does not allocate yet.
    ///
    /// ```
    /// use millpond::{Handle, Pool, SideTable};
    ///
    /// static NAMES: std::sync::Mutex<SideTable<Handle<u8>, &str>> =
    ///     std::sync::Mutex::new(SideTable::new());
    ///
    /// let mut pool = Pool::new(1000);
    /// let handle = pool.insert(7).unwrap();
    /// NAMES.lock().unwrap().insert(handle, "seven").unwrap();
    /// assert_eq!(NAMES.lock().unwrap().get(handle), Some(&"seven"));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { storage: TableStorage::empty(0, ()), growth: TableGrowth::InProportion }
    }

    /// Creates an empty table that grows up to `slots_max` slots, such as the pool's capacity,
    /// however far apart they are. Does not allocate yet.
    ///
    /// ```
    /// use millpond::{Handle, InsertAtErrorKind, SideTable};
    ///
    /// let mut table = SideTable::<Handle<()>, [u8; 64]>::with_limit(1_000_000);
    /// let far = Handle::from_parts(999_999, 1).unwrap();
    /// table.insert(far, [0; 64]).unwrap(); // takes 68 MB
    ///
    /// // Without the limit, a single value may not make the table allocate that much.
    /// let mut table = SideTable::<Handle<()>, [u8; 64]>::new();
    /// let error = table.insert(far, [0; 64]).unwrap_err();
    /// assert_eq!(error.kind(), InsertAtErrorKind::TooFar);
    /// ```
    #[must_use]
    pub const fn with_limit(slots_max: usize) -> Self {
        Self { storage: TableStorage::empty(0, ()), growth: TableGrowth::UpTo(slots_max) }
    }

    /// Creates a table with a fixed capacity, for the handles of a pool of `capacity` slots. All of
    /// its memory is allocated and touched here.
    ///
    /// ```
    /// use millpond::{Handle, SideTable};
    ///
    /// struct Ship;
    /// let table: SideTable<Handle<Ship>, f32> = SideTable::with_capacity(512);
    /// assert_eq!((table.capacity(), table.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::try_with_capacity(capacity).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`with_capacity`](Self::with_capacity), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    pub fn try_with_capacity(capacity: usize) -> Result<Self, BuildError> {
        Settings::of_capacity(capacity).allocate::<H, _>(|capacity| {
            let storage = TableStorage::try_table(capacity)?;
            Ok(Self { storage, growth: TableGrowth::Never })
        })
    }

    /// Returns whether the table grows.
    #[must_use]
    pub fn grows(&self) -> bool {
        self.growth != TableGrowth::Never
    }

    /// Returns the number of slots. A handle of one of these slots never makes the table grow.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// Allocates memory for `slots` slots in all, such as the [capacity](crate::Pool::capacity) of
    /// the pool, so that no handle of these slots makes the table grow later. O(capacity).
    ///
    /// ```
    /// use millpond::{Pool, SideTable};
    ///
    /// let mut ships = Pool::new(100);
    /// let mut cargo = SideTable::new();
    /// cargo.reserve(ships.capacity()).unwrap();
    /// cargo.insert(ships.insert("barge").unwrap(), "coal").unwrap();
    /// assert_eq!(cargo.capacity(), 100);
    /// ```
    ///
    /// # Errors
    ///
    /// If `slots` exceeds the table's fixed capacity or limit, the handle layout cannot name that
    /// many slots, or there is not enough memory. The table is then unchanged.
    pub fn reserve(&mut self, slots: usize) -> Result<(), BuildError> {
        if slots <= self.capacity() {
            return Ok(());
        }
        let capacity = slots;
        if slots > H::CAPACITY_MAX {
            let capacity_max = H::CAPACITY_MAX;
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        }
        let capacity_max = self.limit();
        if slots > capacity_max {
            return Err(BuildError::BeyondLimit { capacity, capacity_max });
        }
        self.grow(slots).map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })
    }

    /// The number of slots that the table may have.
    pub(super) fn limit(&self) -> usize {
        match self.growth {
            TableGrowth::Never => self.capacity(),
            TableGrowth::InProportion => H::CAPACITY_MAX,
            TableGrowth::UpTo(slots_max) => slots_max.min(H::CAPACITY_MAX),
        }
    }

    fn grow(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        self.storage.try_grow_table(slots)
    }

    /// Makes room for slot `index`, which is beyond the capacity, by at least doubling it.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_to(&mut self, index: usize) -> Result<(), InsertAtErrorKind> {
        let (slots_max, beyond) = match self.growth {
            TableGrowth::Never => return Err(InsertAtErrorKind::OutOfRange),
            TableGrowth::UpTo(slots_max) => (slots_max, InsertAtErrorKind::OutOfRange),
            TableGrowth::InProportion => (self.slots_in_proportion(), InsertAtErrorKind::TooFar),
        };
        if index >= H::CAPACITY_MAX {
            return Err(InsertAtErrorKind::OutOfRange);
        }
        if index >= slots_max {
            return Err(beyond);
        }
        let doubled = self.capacity().saturating_mul(2).max(SLOTS_MIN);
        let slots = doubled.min(slots_max).min(H::CAPACITY_MAX).max(index + 1);
        self.grow(slots).map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }

    /// The number of slots that the table may have with one more value.
    fn slots_in_proportion(&self) -> usize {
        let unasked = BYTES_UNASKED / (size_of::<V>() + size_of::<H::Word>());
        unasked.max((self.len() + 1).saturating_mul(SLOTS_PER_VALUE))
    }
}

/// Creates an empty table that grows.
impl<H: HandleLayout, V> Default for SideTable<H, V> {
    fn default() -> Self {
        Self::new()
    }
}
