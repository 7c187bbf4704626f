#[cfg(feature = "debug-aids")]
mod debug;
mod error;
#[allow(unsafe_code)]
mod slots;
#[cfg(feature = "validate")]
mod validate;

pub use error::BytemapError;

use core::fmt;

use millpond::__parts::dead_slots::Filled;
use slots::{FREE, Slots};

/// The number of seeds that a byte can hold beside the free bit.
const SEEDS: u8 = 0x80;
/// The seed after which a slot's seeds start again, or the slot retires.
const SEED_LAST: u8 = SEEDS - 1;

/// Design 2, the byte-map pool of three well-known games: slots, one byte for each, and a cursor.
///
/// Bit 7 of the byte is set while the slot is free; the low 7 bits are a seed, which changes with
/// each use of the slot. A handle is a signed 32-bit number, `index << 8 | byte`.
///
/// | published operation | here |
/// | --- | --- |
/// | `Initialise(count)` | [`new`](Self::new), [`initialise`](Self::initialise) after a flush |
/// | `Clear()` | [`clear`](Self::clear) |
/// | `Flush()` | [`flush`](Self::flush) |
/// | `GetAt(index)` | [`get_at`](Self::get_at) |
/// | `GetAtHandle(handle)` | [`get`](Self::get) |
/// | `GetJustIndex(object)` | [`index_of`](Self::index_of) |
/// | `GetIndex(object)` | [`handle_of`](Self::handle_of) |
/// | `New()` | [`insert`](Self::insert) |
/// | `New(handle)` | [`insert_at`](Self::insert_at) |
/// | `Delete(object)` | [`remove`](Self::remove), [`remove_at`](Self::remove_at) |
///
/// The handles are the same, bit for bit, and so is the order in which [`insert`](Self::insert) and
/// [`remove`](Self::remove) reuse slots. This implementation adds what the published ones lack:
/// every access is bounds-checked (also that of the insertion after one that failed, which leaves the
/// cursor at the end), and the number of live slots is known without a scan. The published search
/// starts after the cursor, wraps at the end, and then passes all slots, so it reads those after the
/// cursor twice; the second time finds nothing that the first did not, and is left out here.
///
/// # Where it deviates from the published text
///
/// In three places. For saved games of those three, nothing else than this is right: each handle
/// that was saved names its object again, and each slot that is free is found.
///
/// 1. **`GetAtHandle` of a free slot.** The text compares the whole byte. So `index << 8 | byte` of a *free* slot,
///    whose bit 7 is set, finds the dead object in it. Here it finds nothing: a removed value has been moved out or
///    dropped, and no handle that was issued has this bit.
/// 2. **The byte after `New(handle)`.** The sources disagree: some advance the slot's seed. Here the byte becomes the
///    handle's, because only then the saved handle is valid again, which is what the operation is for.
/// 3. **The cursor after `New(handle)`.** The text sets it to the first slot whose free flag is *unset*, which is the
///    lowest **live** slot. Here it is set to the lowest **free** slot, as readers of the program
///    describe it. The cursor is the field "first free"; `Delete` keeps it from skipping a freed
///    slot. Set to the lowest live slot, it would skip all free slots below that one: after one
///    object was loaded into slot 90 of an empty pool, the next `New()` would use slot 91. So after
///    `New(handle)`, later calls of `New()` can use other slots than in the text; the loaded
///    handles are the same.
///
/// # When seeds run out
///
/// A slot's seed wraps round after 128 uses, and a handle that was kept that long names another
/// object. This is the design, and [`new`](Self::new) follows it;
/// [`seeds_restarted`](Self::seeds_restarted) counts how often it happens. A pool created by
/// [`retiring`](Self::retiring) retires such a slot instead, so that no stale handle is ever
/// accepted, even after a flush. `millpond odds` prints the odds.
///
/// **Memory**: each slot takes the value and one byte. **Time**: O(1), except for
/// [`insert`](Self::insert), which searches for a free slot from the cursor on, eight bytes at a time:
/// O(slots / 8) in the worst case; [`insert_at`](Self::insert_at), which searches for the lowest
/// free slot in the same way; and [`clear`](Self::clear), [`flush`](Self::flush) and
/// [`initialise`](Self::initialise), which are O(slots).
///
/// ```
/// use millpond_classic::BytemapPool;
///
/// let mut cars = BytemapPool::new(110);
/// let taxi = cars.insert("taxi").unwrap();
/// let bus = cars.insert("bus").unwrap();
/// assert_eq!((taxi, bus), (0 << 8 | 1, 1 << 8 | 1)); // seeds start with 1
/// assert_eq!(cars.get(bus), Some(&"bus"));
/// assert_eq!(cars.remove(bus), Some("bus"));
/// assert_eq!(cars.get(bus), None);
/// ```
#[doc(alias = "CPool")]
pub struct BytemapPool<T> {
    slots: Slots<T>,
    /// The slot used last, or freed below that one; −1 before the first, the number of slots after a failed search.
    cursor: i32,
    retires: bool,
    retired: usize,
    /// In a retiring pool, the highest seed that a slot had at a flush: later slots go on from it.
    seed_floor: u8,
    seeds_restarted: u64,
}

impl<T> BytemapPool<T> {
    /// The maximum number of slots: a handle has 24 bits for the index, one of them the sign.
    pub const CAPACITY_MAX: usize = 1 << 23;

    /// Creates a pool of `count` slots whose seeds wrap round.
    ///
    /// # Panics
    ///
    /// If `count` is more than [`CAPACITY_MAX`](Self::CAPACITY_MAX), or there is not enough memory.
    #[doc(alias = "Initialise")]
    #[must_use]
    #[track_caller]
    pub fn new(count: usize) -> Self {
        Self::of(count, false, 0, None)
    }

    /// Creates a pool of `count` slots, each of which retires after its 127th use, the last before
    /// its seed would start again.
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut pool = BytemapPool::retiring(1);
    /// let handles: Vec<i32> = (0..127)
    ///     .map(|value| {
    ///         let handle = pool.insert(value).unwrap();
    ///         pool.remove(handle);
    ///         handle
    ///     })
    ///     .collect();
    /// assert_eq!(pool.insert(127), Err(127));
    /// assert!(handles.iter().all(|handle| pool.get(*handle).is_none()));
    /// ```
    ///
    /// # Panics
    ///
    /// Same as for [`new`](Self::new).
    #[must_use]
    #[track_caller]
    pub fn retiring(count: usize) -> Self {
        Self::of(count, true, 0, None)
    }

    #[track_caller]
    fn of(count: usize, retires: bool, seed_floor: u8, fills: Option<Filled>) -> Self {
        assert!(
            count <= Self::CAPACITY_MAX,
            "a byte-map pool has at most {} slots, not {count}",
            Self::CAPACITY_MAX
        );
        let Ok(slots) = Slots::try_new(count, seed_floor, fills) else {
            panic!("no memory for {count} slots")
        };
        let retired = if seed_floor == SEED_LAST { count } else { 0 };
        Self { slots, cursor: -1, retires, retired, seed_floor, seeds_restarted: 0 }
    }

    /// Makes a flushed pool usable again, with `count` slots. Their seeds start again; in a
    /// [`retiring`](Self::retiring) pool, they continue from the highest seed that a slot has had,
    /// and if that was the last, all slots are retired.
    ///
    /// # Panics
    ///
    /// If the pool has slots (flush it first), or where [`new`](Self::new) panics.
    #[track_caller]
    pub fn initialise(&mut self, count: usize) {
        assert!(self.capacity() == 0, "the pool has slots already: flush it first");
        let seeds_restarted = self.seeds_restarted;
        let pool = Self::of(count, self.retires, self.seed_floor, self.slots.fills());
        *self = Self { seeds_restarted, ..pool };
    }

    /// Drops all objects, and resets every byte to that of a new pool: seed 0, free. The cursor
    /// stays. O(slots).
    ///
    /// So the pool issues the same handles again, which [`seeds_restarted`](Self::seeds_restarted)
    /// counts. In a [`retiring`](Self::retiring) pool, the seeds stay as they are instead. If an
    /// object's drop panics, the objects not yet dropped stay.
    #[doc(alias = "Clear")]
    pub fn clear(&mut self) {
        for index in 0..self.capacity() {
            drop(self.take(index));
        }
        if !self.retires {
            self.count_seeds_given_up();
            self.slots.reset_bytes(FREE);
        }
    }

    /// Drops all objects and frees the memory: the pool then has no slots, and its cursor is 0.
    ///
    /// If it is [initialised](Self::initialise) again, the pool issues the same handles again,
    /// which [`seeds_restarted`](Self::seeds_restarted) counts. A [`retiring`](Self::retiring) pool
    /// does not.
    #[doc(alias = "Flush")]
    pub fn flush(&mut self) {
        if self.capacity() == 0 {
            return;
        }
        let Ok(slots) = Slots::try_new(0, 0, self.slots.fills()) else {
            panic!("no slots need no memory")
        };
        if self.retires {
            let highest = self.bytes().iter().map(|byte| byte & !FREE).max();
            self.seed_floor = self.seed_floor.max(highest.unwrap_or(0));
        } else {
            self.count_seeds_given_up();
        }
        self.cursor = 0;
        self.retired = 0;
        drop(core::mem::replace(&mut self.slots, slots));
    }

    /// Returns a reference to the object in slot `index`, or `None` if the slot is free or out of
    /// range. O(1).
    #[doc(alias = "GetAt")]
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: usize) -> Option<&T> {
        self.slots.get(index)
    }

    /// Returns a mutable reference to the object in slot `index`, or `None` if the slot is free or
    /// out of range. O(1).
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut speeds = BytemapPool::new(110);
    /// speeds.insert(30).unwrap();
    /// for index in 0..speeds.capacity() {
    ///     if let Some(speed) = speeds.get_at_mut(index) {
    ///         *speed += 5;
    ///     }
    /// }
    /// assert_eq!(speeds.get_at(0), Some(&35));
    /// ```
    #[doc(alias = "GetAt")]
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
        self.slots.get_mut(index)
    }

    /// Returns a reference to the handle's object, or `None` if the slot's byte is not the
    /// handle's. O(1).
    #[doc(alias = "GetAtHandle")]
    #[inline]
    #[must_use]
    pub fn get(&self, handle: i32) -> Option<&T> {
        self.slots.get(self.find(handle)?)
    }

    /// Returns a mutable reference to the handle's object, or `None` if the slot's byte is not the
    /// handle's. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: i32) -> Option<&mut T> {
        let index = self.find(handle)?;
        self.slots.get_mut(index)
    }

    /// Returns the slot of `object`, computed from its address, or `None` for an object outside the
    /// pool and for every object of a zero-sized type. O(1).
    #[doc(alias = "GetJustIndex")]
    #[must_use]
    pub fn index_of(&self, object: &T) -> Option<usize> {
        self.slots.index_of(object)
    }

    /// Returns the handle of `object`, computed from its address, or `None` where
    /// [`index_of`](Self::index_of) returns `None`. O(1).
    #[doc(alias = "GetIndex")]
    #[must_use]
    pub fn handle_of(&self, object: &T) -> Option<i32> {
        self.index_of(object).map(|index| self.handle(index))
    }

    /// Returns the handle of the object in slot `index`, or `None` if the slot is free or out of
    /// range. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<i32> {
        self.slots.is_live(index).then(|| self.handle(index))
    }

    /// Moves `value` into the next free slot after the cursor, searching round once, and returns
    /// its handle. The slot's seed becomes (seed + 1) mod 128.
    ///
    /// The search begins after the cursor, as published. (The text's second round goes on to the end of
    /// the array, over slots that the first one has passed. It finds nothing there, so this search ends
    /// where it began.) So a slot that was just freed, where the cursor now is, is searched last:
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut cars = BytemapPool::new(3);
    /// let taxi = cars.insert("taxi").unwrap();
    /// let bus = cars.insert("bus").unwrap();
    /// cars.remove(taxi);
    /// assert_eq!(cars.cursor(), 0);
    /// assert_eq!(cars.insert("van"), Ok(2 << 8 | 1)); // slot 2; slot 0 comes next
    /// assert_eq!(cars.insert("tram"), Ok(0 << 8 | 2));
    /// # assert!(cars.get(bus).is_some());
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is free. The error is `value`. As published, the cursor is then at the end, so the
    /// next insertion searches from slot 0, or after the lowest slot that was freed in the meantime.
    #[doc(alias = "New")]
    #[track_caller]
    pub fn insert(&mut self, value: T) -> Result<i32, T> {
        let Some(index) = (!self.is_full()).then(|| self.next_after_cursor()).flatten() else {
            self.cursor = self.capacity() as i32;
            return Err(value);
        };
        self.slots.inspect(index);
        let seed = (self.bytes()[index] & !FREE).wrapping_add(1) % SEEDS;
        self.seeds_restarted += u64::from(seed == 0);
        self.cursor = index as i32;
        self.slots.put(index, seed, value);
        Ok(self.handle(index))
    }

    /// Moves `value` into exactly this handle's slot, for loading a saved game.
    ///
    /// The slot's byte then **equals the handle's**, so that the saved handle is valid again, and
    /// the cursor is set to the lowest free slot; both are [deviations from the published
    /// text](Self#where-it-deviates-from-the-published-text), with reasons.
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut cars = BytemapPool::new(110);
    /// let saved = 7 << 8 | 42;
    /// cars.insert_at(saved, "taxi").unwrap();
    /// assert_eq!(cars.get(saved), Some(&"taxi"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool cannot have this handle, the slot is live, or (in a [`retiring`](Self::retiring)
    /// pool) it has already had this seed. The error returns `value`.
    #[doc(alias = "New")]
    #[track_caller]
    pub fn insert_at(&mut self, handle: i32, value: T) -> Result<i32, BytemapError<T>> {
        let (index, byte) = parts(handle);
        match index.filter(|index| *index < self.capacity()) {
            Some(index) if byte & FREE == 0 => {
                if self.slots.is_live(index) {
                    return Err(BytemapError::Live(value));
                }
                let may_have_been = byte <= self.bytes()[index] & !FREE;
                if self.retires && may_have_been {
                    return Err(BytemapError::Stale(value));
                }
                self.slots.inspect(index);
                self.seeds_restarted += u64::from(may_have_been);
                self.slots.put(index, byte, value);
                self.cursor = self.slots.first_free_from(0).unwrap_or(self.capacity() - 1) as i32;
                Ok(handle)
            }
            _ => Err(BytemapError::NoSuchHandle(value)),
        }
    }

    /// Moves the handle's object out, or returns `None` if the slot's byte is not the handle's.
    /// O(1). The slot becomes free and keeps its seed; if it is below the cursor, the cursor moves
    /// there.
    #[doc(alias = "Delete")]
    pub fn remove(&mut self, handle: i32) -> Option<T> {
        self.remove_at(self.find(handle)?)
    }

    /// Moves the object out of slot `index`, or returns `None` if the slot is free or out of range.
    /// O(1).
    #[doc(alias = "Delete")]
    pub fn remove_at(&mut self, index: usize) -> Option<T> {
        let value = self.take(index)?;
        self.cursor = self.cursor.min(index as i32);
        Some(value)
    }

    /// The next slot after the cursor that is free and has a seed left, going round once; the cursor's own comes last.
    fn next_after_cursor(&self) -> Option<usize> {
        let first_from = |from| {
            let mut free = self.slots.first_free_from(from);
            while let Some(index) = free.filter(|index| self.is_retired(*index)) {
                free = self.slots.first_free_from(index + 1);
            }
            free
        };
        // The first search would have found anything that the second finds beyond the cursor.
        first_from((self.cursor + 1) as usize).or_else(|| first_from(0))
    }

    /// Counts the slots whose seeds are about to start again.
    fn count_seeds_given_up(&mut self) {
        let used = self.bytes().iter().filter(|byte| **byte != FREE).count();
        self.seeds_restarted += used as u64;
    }

    /// Frees slot `index` and returns its value, or `None` if it is free or out of range.
    fn take(&mut self, index: usize) -> Option<T> {
        let value = self.slots.take(index)?;
        self.retired += usize::from(self.is_retired(index));
        Some(value)
    }

    /// Returns the number of slots.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.bytes().len()
    }

    /// Returns the number of live slots. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live()
    }

    /// Returns whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether an insertion would fail because every slot is live or retired. O(1).
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() + self.retired == self.capacity()
    }

    /// Returns the slot after which the next search begins: −1 before the first insertion, and the
    /// number of slots after one that failed.
    #[inline]
    #[must_use]
    pub fn cursor(&self) -> i32 {
        self.cursor
    }

    /// Returns the byte map: for each slot, bit 7 is set if it is free, and the other bits are the
    /// seed of its last use.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.slots.bytes()
    }

    /// Returns how often the seed of a slot has started again: by wrapping round, by a clear or a
    /// flush, or by an insertion at a handle whose seed the slot may have had. Once this number has
    /// grown, an earlier handle may name another object.
    #[inline]
    #[must_use]
    pub fn seeds_restarted(&self) -> u64 {
        self.seeds_restarted
    }

    /// Iterates over the live objects and their handles, in index order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i32, &T)> + ExactSizeIterator {
        self.slots.iter().map(|(index, byte, value)| (handle_of(index, byte), value))
    }

    /// Iterates mutably over the live objects, with their handles, in index order.
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut speeds = BytemapPool::new(110);
    /// let taxi = speeds.insert(30).unwrap();
    /// let bus = speeds.insert(20).unwrap();
    /// for (handle, speed) in speeds.iter_mut() {
    ///     *speed += if handle == bus { 1 } else { 2 };
    /// }
    /// assert_eq!((speeds.get(taxi), speeds.get(bus)), (Some(&32), Some(&21)));
    /// ```
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (i32, &mut T)> + ExactSizeIterator {
        self.slots.iter_mut().map(|(index, byte, value)| (handle_of(index, byte), value))
    }

    /// The slot whose byte is the handle's and has no free bit.
    #[inline]
    fn find(&self, handle: i32) -> Option<usize> {
        let (index, byte) = parts(handle);
        let index = index?;
        (byte & FREE == 0 && self.bytes().get(index) == Some(&byte)).then_some(index)
    }

    #[inline]
    fn handle(&self, index: usize) -> i32 {
        handle_of(index, self.bytes()[index])
    }

    /// Whether a slot is free and has had its last seed.
    #[inline]
    fn is_retired(&self, index: usize) -> bool {
        self.retires && self.bytes()[index] == FREE | SEED_LAST
    }
}

#[inline]
fn handle_of(index: usize, byte: u8) -> i32 {
    (index as i32) << 8 | i32::from(byte)
}

/// The slot index and the byte of a handle; no index if the handle is negative.
#[inline]
fn parts(handle: i32) -> (Option<usize>, u8) {
    (usize::try_from(handle >> 8).ok(), handle as u8)
}

impl<T: fmt::Debug> fmt::Debug for BytemapPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
