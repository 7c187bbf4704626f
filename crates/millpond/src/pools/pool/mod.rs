//! [`Pool`] and what its methods return.

mod builder;
#[cfg(feature = "debug-aids")]
mod debug;
mod faces;
mod overflow;
mod snapshot;
mod traits;

pub use crate::pools::faces::{Handles, Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::PoolBuilder;
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry};
pub use snapshot::Snapshot;

use crate::base::memory::OutOfMemory;
use crate::handle::{Handle, HandleLayout, Issue, Refusal, Word};
use crate::occupancy::Occupancy;
use crate::policies::{EvictLeast, Policy};
use crate::pools::settings::{BuildError, Settings};
use crate::reports::errors::{Full, GetDisjointMutError, InsertAtError};
use crate::reports::stats::Stats;
use crate::slots::handle_at;
use crate::slots::reuse::{Lifo, Queue, ReuseOrder, Roster, roster};
use crate::slots::{Circle, Core};
use crate::values::PoolStorage;

/// A pool of values: they move in when inserted, stay at their address, and move out when removed.
///
/// ```text
/// handle 2v3 ──▶ index 2, generation 3
///                     │
///   values       [ a ][   ][ c ][ d ][   ]…    one array, nothing ever moves
///   generations  [ 1 ][ †2][ 3 ][ 1 ][ †9]…    3 = 3: the handle is good († dead)
///   occupancy      1    0    1    1    0       runs: 0..1, 2..4
///   free stack   [ 4 ][ 1 ]                    the next value goes to slot 1
/// ```
///
/// **Memory**: one block, taken and touched when the pool is created, none after; or
/// [memory of the program's own](PoolBuilder::build_in). Per slot the value, a
/// generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of 16 or more index bits), one bit,
/// and what the [reuse order](crate::reuse) takes: for the default 4 and 1/16 bytes. So a
/// `Pool<[f32; 4]>` has 24.2 bytes per slot.
///
/// **Time**: insert, get and remove are O(1). Iterating costs O(capacity / 64 + live): a bitmap of the
/// live slots is read a word at a time, and a run of live slots is a plain loop. In a pool of up to 256 slots, and
/// in a larger one once it is iterated over often, each insertion and removal writes its bit. Otherwise a mutable
/// iteration first brings the bitmap up to date from the generation words (about 0.05 ns per slot), and a shared
/// one reads these words itself.
///
/// **Safety**: a handle is good for one lifetime of one slot. After that the pool refuses it for
/// ever, also after `clear`, `drain` and the like, and whatever bits it was made from.
///
/// ```
/// use millpond::Pool;
///
/// let mut ships = Pool::new(100);
/// let cutter = ships.insert("cutter").unwrap();
/// let barge = ships.insert("barge").unwrap();
///
/// assert_eq!(ships[cutter], "cutter");
/// assert_eq!(ships.remove(cutter), Some("cutter"));
/// assert_eq!(ships.get(cutter), None); // stale, and refused for ever
///
/// let tug = ships.insert("tug").unwrap(); // takes the same slot
/// assert_eq!(tug.index(), cutter.index());
/// assert_eq!(ships.get(cutter), None);
/// assert_eq!(ships.values().copied().collect::<Vec<_>>(), ["tug", "barge"]);
/// ```
#[repr(C)]
pub struct Pool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    /// The order in `core` has each slot that is vacant in `storage`, but while one of the methods below
    /// is on its way between the two, where no user code runs.
    storage: PoolStorage<T, R, H>,
    core: Core<R, H>,
}

impl<T> Pool<T> {
    /// A pool of `capacity` slots, with the default reuse order and handles of eight bytes. All of
    /// its memory is taken and touched here.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let pool = Pool::<String>::new(512);
    /// assert_eq!((pool.capacity(), pool.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no memory for so many slots; the builder's
    /// [`try_build`](PoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    /// A builder, to choose the reuse order, the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::reuse::Fifo;
    /// use millpond::{Handle32, Pool};
    ///
    /// struct Bullet;
    /// let mut bullets = Pool::<Bullet>::builder()
    ///     .capacity(4096)
    ///     .reuse(Fifo)
    ///     .handle::<Handle32<Bullet, 16>>()
    ///     .name("bullets")
    ///     .build();
    /// let bullet: Handle32<Bullet, 16> = bullets.insert(Bullet).unwrap();
    /// ```
    pub fn builder() -> PoolBuilder<T> {
        PoolBuilder::new()
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// A pool of any reuse order and handle layout, where the type is written down.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::Pool;
    ///
    /// let pool: Pool<u32, LowestFirst> = Pool::with_capacity(512);
    /// assert_eq!(pool.capacity(), 512);
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name so many slots, or there is no memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        match Self::from_settings(&Settings::of_capacity(capacity)) {
            Ok(pool) => pool,
            Err(error) => panic!("{error}"),
        }
    }

    crate::pools::together::typed_builder_method!(PoolBuilder<T, R, H>, example "Pool<u8, Fifo, Key>", ".capacity(8).build()");

    fn from_settings(settings: &Settings<R, H>) -> Result<Self, BuildError> {
        Self::of_settings(settings, PoolStorage::<T, R, H>::try_new::<R, H>)
    }

    /// The same with the storage that the function makes, for this capacity, with this word of a dead slot.
    fn of_settings(
        settings: &Settings<R, H>,
        make_storage: impl FnOnce(usize, H::Word) -> Result<PoolStorage<T, R, H>, OutOfMemory>,
    ) -> Result<Self, BuildError> {
        let capacity = settings.checked_capacity()?;
        let out_of_memory = |_| BuildError::OutOfMemory { capacity };
        let circle = Circle::new::<H>(&settings.lifetimes);
        let mut storage =
            make_storage(capacity, circle.start().as_dead()).map_err(out_of_memory)?;
        let core = Core::new(circle, settings.lifetimes.name, &mut storage);
        #[cfg_attr(not(feature = "debug-aids"), allow(unused_mut, reason = "watched below"))]
        let mut pool = Self { storage, core };
        #[cfg(feature = "debug-aids")]
        pool.watch(settings.debug_aids).map_err(out_of_memory)?;
        Ok(pool)
    }

    /// How many slots the pool has, live, dead and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// How many slots are live.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// pool.insert('a').unwrap();
    /// assert_eq!(pool.len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an insertion would fail: every slot is live or retired.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.core.is_full(self.storage.words())
    }

    #[cfg(feature = "recorder")]
    crate::reports::recorder::record_methods!(
        |pool, track| pool.core.listen(track, pool.storage.words()),
        crate::reports::recorder::type_name::<T>()
    );

    /// The name that the builder was given.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.core.name()
    }

    /// How the pool stands, and what it has done. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats(self.storage.words())
    }

    /// Where the generations of the slots begin, and how many lifetimes each slot has. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::slots::generations::Generations {
        crate::slots::generations::Generations::of(&self.core.circle())
    }

    /// Which slots are live.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    /// Moves a value into a slot. Cost: that of the reuse order's *take*, O(1) for most.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(1);
    /// let handle = pool.insert("a").unwrap();
    /// let full = pool.insert("b").unwrap_err();
    /// assert_eq!(full.into_inner(), "b");
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full: the error gives the value back.
    #[must_use = "a full pool gives the value back in the error, and ignoring it drops the value"]
    // Always inlined: as a call, the value would be written to the stack piece by piece and read back
    // as a whole before the pieces have arrived, a stall longer than all of the rest.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        self.insert_if_room(value).map_err(|value| self.refuse(value))
    }

    /// Inserts what the function makes; it is told the handle that the value will have. If it panics,
    /// nothing has happened.
    ///
    /// ```
    /// use millpond::{Handle, Pool};
    ///
    /// struct Node {
    ///     me: Handle<Node>,
    /// }
    /// let mut nodes = Pool::new(8);
    /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
    /// assert_eq!(nodes[handle].me, handle);
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full: the function is not called.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_with(&mut self, make: impl FnOnce(H) -> T) -> Result<H, Full<()>> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        match self.core.peek(&self.storage) {
            Some(handle) => {
                let value = make(handle);
                self.insert_peeked(handle, value);
                Ok(handle)
            }
            None => Err(self.refuse(())),
        }
    }

    /// Inserts at the handle that was peeked at, the pool being unchanged since.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_peeked(&mut self, handle: H, value: T) {
        self.core.take_peeked(handle, &mut self.storage);
        self.storage.put(handle.index() as usize, handle.word(), value);
        #[cfg(feature = "debug-aids")]
        self.note_origin(handle.index() as usize);
    }

    /// The slot that the next value goes to, to be filled or left alone: for values that must know
    /// their handle, when making them may fail. `None` if the pool is full.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(1);
    /// let entry = pool.vacant_entry().unwrap();
    /// let promised = entry.handle();
    /// drop(entry); // nothing happened
    /// assert!(!pool.contains(promised));
    ///
    /// let entry = pool.vacant_entry().unwrap();
    /// assert_eq!(entry.handle(), promised);
    /// assert_eq!(entry.insert("value"), promised);
    /// assert!(pool.vacant_entry().is_none());
    /// ```
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn vacant_entry(&mut self) -> Option<VacantEntry<'_, T, R, H>> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        let Some(handle) = self.core.peek(&self.storage) else {
            self.core.count_refusal();
            return None;
        };
        Some(VacantEntry::new(self, handle))
    }

    /// Inserts at exactly this handle, for loading what was saved: handles inside the saved values
    /// stay good. O(1) amortised, in every reuse order; see [`reuse`](crate::reuse).
    ///
    /// Afterwards the slot goes on from that generation. A handle of an earlier lifetime of the slot
    /// stays refused, and a later generation than the slot's next is taken as it is, also if it comes
    /// from another pool or a damaged file: the lifetimes in between are lost to the slot.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
    ///
    /// let mut loaded = Pool::new(8);
    /// for (handle, value) in saved.into_iter().rev() {
    ///     loaded.insert_at(handle, value).unwrap();
    /// }
    /// assert_eq!((loaded[a], loaded[b]), ("a", "b"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already (unless the pool
    /// wraps), or may never have it. The error gives the value back.
    #[must_use = "a refused handle gives the value back in the error, and ignoring it drops the value"]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_at(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        #[cfg(feature = "debug-aids")]
        self.storage.inspect(handle.index() as usize);
        match self.core.claim(handle, &mut self.storage) {
            Ok(index) => {
                self.storage.put(index, handle.word(), value);
                #[cfg(feature = "debug-aids")]
                self.note_origin(index);
                Ok(handle)
            }
            Err(kind) => Err(InsertAtError { value, kind }),
        }
    }

    /// Inserts; if the pool is full, the live object with the smallest key has to go, and is returned
    /// with the handle that it had. Of equal keys, the lowest index. (An object in the last lifetime of
    /// its slot is passed over, because the slot retires after it.)
    ///
    /// The quietest of 32 voices, the oldest bullet hole: an object whose loss is noticed least. The
    /// key is asked for once per live object, at the speed of iteration; nothing has happened yet if
    /// it panics.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut voices = Pool::new(2);
    /// let loud = voices.insert(("explosion", 90)).unwrap();
    /// let quiet = voices.insert(("crickets", 10)).unwrap();
    ///
    /// let (new, evicted) = voices.insert_or_evict(("thunder", 70), |_, voice| voice.1);
    /// assert_eq!(evicted, Some((quiet, ("crickets", 10))));
    /// assert_eq!(voices[new].0, "thunder");
    /// assert!(voices.contains(loud));
    /// ```
    ///
    /// # Panics
    ///
    /// If no slot can ever take the value: the capacity is 0, or the pool is full and every live slot
    /// is in the last lifetime before it retires. [`try_insert_or_evict`](Self::try_insert_or_evict)
    /// returns an error instead.
    #[track_caller]
    pub fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> (H, Option<(H, T)>) {
        let name = self.name();
        match self.try_insert_or_evict(value, key) {
            Ok(inserted) => inserted,
            Err(full) => {
                let pool = crate::reports::errors::PoolName(name);
                panic!("{pool} has no slot that can be used again: {full}")
            }
        }
    }

    /// As [`insert_or_evict`](Self::insert_or_evict), for pools whose slots may all retire.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::<u8>::builder().capacity(1).lifetimes(1).build();
    /// pool.insert(1).unwrap();
    /// let full = pool.try_insert_or_evict(2, |_, value| *value).unwrap_err();
    /// assert_eq!(full.into_inner(), 2);
    /// assert_eq!(pool.len(), 1);
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot can ever take the value; the error gives it back.
    #[must_use = "a full pool gives the value back in the error, and ignoring it drops the value"]
    #[allow(clippy::type_complexity, reason = "the fixed return type, in a result")]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn try_insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<(H, Option<(H, T)>), Full<T>> {
        EvictLeast(key).insert(self, value)
    }

    /// As [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_if_room(&mut self, value: T) -> Result<H, T> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        let inserted = self.storage.put_next(value, &mut self.core);
        #[cfg(feature = "debug-aids")]
        if let Ok(handle) = inserted {
            self.note_origin(handle.index() as usize);
        }
        inserted
    }

    #[cold]
    fn refuse<V>(&mut self, value: V) -> Full<V> {
        Full { value, pool: self.core.refuse(self.storage.words()) }
    }

    /// The value, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.get(handle), Some(&"a"));
    /// pool.remove(handle);
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.storage.find(handle)
    }

    /// The value, to change, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// if let Some(value) = pool.get_mut(handle) {
    ///     *value += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.storage.find_mut(handle)
    }

    /// The value, without any check.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// // SAFETY: the value was just inserted.
    /// assert_eq!(unsafe { pool.get_unchecked(handle) }, &"a");
    /// ```
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, handle: H) -> &T {
        debug_assert!(self.contains(handle));
        // SAFETY: the pool contains the handle, so its slot is live.
        unsafe { self.storage.get_unchecked(handle.index() as usize) }
    }

    /// The value, to change, without any check.
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut T {
        debug_assert!(self.contains(handle));
        // SAFETY: the pool contains the handle, so its slot is live.
        unsafe { self.storage.get_unchecked_mut(handle.index() as usize) }
    }

    crate::pools::together::object_at_methods!(H, T, example "Pool::new(8)");

    crate::pools::together::get_each_mut_method!(H, T, example "Pool::new(8)", |pool, handles| pool.storage.find_each_mut(handles));

    /// Several values at once, to change. O(N²) for N handles.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// let [x, y] = pool.get_disjoint_mut([a, b]).unwrap();
    /// std::mem::swap(x, y);
    /// assert_eq!((pool[a], pool[b]), (2, 1));
    /// assert!(pool.get_disjoint_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a handle is refused, or two name the same object.
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[&mut T; N], GetDisjointMutError> {
        let Self { storage, core, .. } = self;
        storage.find_disjoint_mut(handles, |handle, words| core.check(handle, words))
    }

    /// Whether the handle's object lives. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.storage.find(handle).is_some()
    }

    /// Whether the handle's object lives, and if not, why the handle is refused. O(1).
    ///
    /// ```
    /// use millpond::{Pool, Refusal};
    ///
    /// let mut bullets = Pool::<u8>::builder().capacity(8).name("bullets").build();
    /// let mut rockets = Pool::<u8>::builder().capacity(8).name("rockets").build();
    /// let bullet = bullets.insert(1).unwrap();
    /// let rocket = rockets.insert(1).unwrap();
    /// assert_eq!(bullets.check(bullet), Ok(()));
    /// assert_eq!(bullets.check(rocket), Err(Refusal::OtherPool));
    /// bullets.remove(bullet);
    /// assert_eq!(bullets.check(bullet), Err(Refusal::Stale));
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        self.core.check(handle, self.storage.words())
    }

    /// Moves the value out, unless the handle is refused. O(1). The handle is stale from now on.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove(handle), Some("a"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        #[cfg(feature = "debug-aids")]
        if !self.contains(handle) {
            self.note_refused_removal(handle);
        }
        self.storage.remove(handle, &mut self.core)
    }

    /// The value in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.get_at(handle.index() as usize), Some(&"a"));
    /// assert_eq!(pool.get_at(7), None);
    /// assert_eq!(pool.get_at(1_000_000), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    /// The value in a slot, to change, if the slot is live. O(1).
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
        self.storage.get_mut(index)
    }

    /// Moves the value in a slot out, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove_at(0), Some("a"));
    /// assert_eq!(pool.remove_at(0), None);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    pub fn remove_at(&mut self, index: usize) -> Option<T> {
        self.storage.end(index, &mut self.core)
    }

    /// The handle of the object in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handle_at(0), Some(handle));
    /// assert_eq!(pool.handle_at(1), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        handle_at(index, self.storage.words())
    }

    /// The slot that a value lies in, from its address. O(1). `None` for a value that is not in the
    /// pool, and for every value of a type without a size, as those have no address of their own.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// assert_eq!(pool.index_of(&pool[handle]), Some(0));
    /// assert_eq!(pool.index_of(&5), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        self.storage.index_of(value)
    }

    /// The handle of a value, from its address. O(1). `None` as in [`index_of`](Self::index_of).
    #[inline]
    #[must_use]
    pub fn handle_of(&self, value: &T) -> Option<H> {
        self.handle_at(self.index_of(value)?)
    }

    /// The handles and values in index order, from both ends. In hot code prefer
    /// [`for_each`](Iterator::for_each) or [`runs`](Self::runs) over `for`.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, R, H> {
        Iter::new(self.storage.words().kept(), self.storage.iter())
    }

    /// The handles and values, to change, in index order, from both ends.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, R, H> {
        let (words, values) = self.storage.words_and_iter_mut();
        IterMut::new(words, values)
    }

    /// The handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        Handles::new(self.storage.words().kept(), self.occupancy())
    }

    /// The values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.values().sum::<i32>(), 3);
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, T> {
        Values::new(self.storage.iter())
    }

    /// The values, to change, in index order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::new(self.storage.iter_mut())
    }

    /// The runs of live slots in index order: `(first index, slice)` for each maximal stretch of
    /// adjacent live slots. As fast as a slice where live slots are adjacent, and the way to hand live
    /// values to code that takes slices; with holes all over, [`values_mut`](Self::values_mut) and
    /// `for_each` are faster.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handles: Vec<_> = (0..5).map(|i| pool.insert(i).unwrap()).collect();
    /// pool.remove(handles[2]);
    /// assert_eq!(pool.runs().collect::<Vec<_>>(), [(0, &[0, 1][..]), (3, &[3, 4])]);
    /// ```
    #[inline]
    pub fn runs(&self) -> ValueRuns<'_, T> {
        self.storage.runs()
    }

    /// The runs of live slots, to change: `(first index, slice)`.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert(1.0).unwrap();
    /// for (_, run) in pool.runs_mut() {
    ///     for value in run {
    ///         *value += 0.5;
    ///     }
    /// }
    /// assert_eq!(pool[handle], 1.5);
    /// ```
    #[inline]
    pub fn runs_mut(&mut self) -> ValueRunsMut<'_, T> {
        self.storage.runs_mut()
    }

    /// Moves all values out, in index order. What is not taken is removed when the iterator is
    /// dropped; if the iterator is leaked, what it has not handed out stays in the pool.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, T, R, H> {
        Drain::new(self)
    }

    /// Moves out the values that the function chooses, one at a time, in index order. What the
    /// iterator has not come to stays in the pool.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// for i in 0..6 {
    ///     pool.insert(i).unwrap();
    /// }
    /// let even: Vec<_> = pool.extract_if(|_, value| *value % 2 == 0).map(|(_, v)| v).collect();
    /// assert_eq!(even, [0, 2, 4]);
    /// assert_eq!(pool.len(), 3);
    /// ```
    #[inline]
    pub fn extract_if<F: FnMut(H, &mut T) -> bool>(
        &mut self,
        choose: F,
    ) -> ExtractIf<'_, T, R, H, F> {
        ExtractIf::new(self, choose)
    }

    /// Calls `keep` once per live object, in index order, and removes the values for which it returns `false`. The
    /// values are dropped after at most 63 further calls. If `keep` panics, the object that it was called with and all
    /// later ones stay.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.values().copied().collect::<Vec<_>>(), [2, 1]);
    /// ```
    pub fn retain(&mut self, keep: impl FnMut(H, &mut T) -> bool) {
        self.storage.retain(&mut self.core, keep);
    }

    /// Removes and drops all values. Slots are handed out from the lowest again; the handles stay
    /// stale for ever. O(capacity). If a value's drop panics, the values that were not dropped yet
    /// stay in the pool.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        /// Makes the order true again, also when a drop has panicked.
        struct ResetOrder<'a, T, R: ReuseOrder, H: HandleLayout>(&'a mut Pool<T, R, H>);
        impl<T, R: ReuseOrder, H: HandleLayout> Drop for ResetOrder<'_, T, R, H> {
            fn drop(&mut self) {
                self.0.core.reset_order(&mut self.0.storage);
            }
        }

        let guard = ResetOrder(self);
        let Pool { core, storage } = &mut *guard.0;
        if !core::mem::needs_drop::<T>() {
            storage.forget_all(&core.circle());
            return;
        }
        let circle = core.circle();
        for index in 0..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, circle.word_after(generation));
        }
    }

    /// The handles that come next, if nothing dies meanwhile.
    #[cfg(target_has_atomic = "32")]
    pub(crate) fn upcoming(&self) -> impl Iterator<Item = H> {
        let words = self.storage.words();
        let slots = self.core.queue().upcoming(&self.storage, self.core.used(words));
        slots.filter_map(|slot| words.of_vacant(slot).map(|word| H::from_kept_parts(slot, word)))
    }

    /// Inserts at one of the [upcoming](Self::upcoming) handles.
    #[cfg(target_has_atomic = "32")]
    pub(crate) fn begin_set_aside(&mut self, handle: H, value: T) {
        // In turn, the way of any insertion; out of turn, a claim.
        if self.core.peek(&self.storage) == Some(handle) {
            self.insert_peeked(handle, value);
        } else {
            self.insert_at(handle, value).expect("the slot was vacant when the update began");
        }
    }

    pub(crate) fn storage(&self) -> &PoolStorage<T, R, H> {
        &self.storage
    }

    pub(crate) fn storage_mut(&mut self) -> &mut PoolStorage<T, R, H> {
        &mut self.storage
    }
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.storage.validate()?;
        self.core.validate(&self.storage)
    }
}

impl<T, H: HandleLayout> Pool<T, Roster, H> {
    /// The live slots as a dense list, in the roster's order: those below the partition.
    ///
    /// ```
    /// use millpond::reuse::Roster;
    /// use millpond::Pool;
    ///
    /// let mut pool: Pool<char, Roster> = Pool::with_capacity(8);
    /// let a = pool.insert('a').unwrap();
    /// pool.insert('b').unwrap();
    /// pool.insert('c').unwrap();
    /// pool.remove(a);
    /// assert_eq!(pool.live_slots(), [2, 1]); // the last live one took the place of the removed one
    /// ```
    #[must_use]
    pub fn live_slots(&self) -> &[H::Index] {
        &roster(self.storage.words())[..self.len()]
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = Pool::<u8>::new(3);
        pool.validate().unwrap();
        pool.core.count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
