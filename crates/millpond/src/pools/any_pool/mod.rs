//! [`AnyPool`], for values of different types behind one trait, and what its methods return.

mod builder;
#[allow(unsafe_code)]
mod coerces_from;
mod debug;
mod entry;
mod iter;
mod overflow;
#[allow(unsafe_code)]
mod storage;
mod traits;

pub use crate::pools::allocator::Handles;
pub use builder::AnyPoolBuilder;
pub use coerces_from::CoercesFrom;
pub use entry::VacantEntry;
pub use iter::{Iter, IterMut};

use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout, Refusal};
use crate::pools::allocator::HandleAllocator;
use crate::pools::settings::{BuildError, Settings};
use crate::reports::errors::{Full, FullPool, GetDisjointMutError, InsertAtError, PoolName};
use crate::reports::stats::Stats;
use crate::slots::reuse::{Lifo, ReuseOrder};
use storage::AnyStorage;

/// A pool for values of different types: every type that implements a trait and fits into a slot.
///
/// Use it instead of a `Vec<Box<dyn Monster>>` for values that differ in type and are treated alike
/// (monsters, widgets, events, effects). Insertion does not allocate, and the values are adjacent
/// in memory. If there are few types, an `enum` in a [`Pool`](crate::Pool) is smaller and faster;
/// if there are many types and you iterate over each separately, one pool per type is.
///
/// ```
/// use millpond::AnyPool;
///
/// trait Monster {
///     fn damage(&self) -> u32;
///     fn grow(&mut self);
/// }
/// millpond::any_pool_trait!(dyn Monster);
///
/// struct Slime(u32);
/// struct Dragon {
///     heads: [u32; 3],
/// }
/// impl Monster for Slime {
///     fn damage(&self) -> u32 { self.0 }
///     fn grow(&mut self) { self.0 += 1 }
/// }
/// impl Monster for Dragon {
///     fn damage(&self) -> u32 { self.heads.iter().sum() }
///     fn grow(&mut self) { self.heads[0] += 10 }
/// }
///
/// let mut monsters = AnyPool::<dyn Monster, 16>::new(100);
/// let slime = monsters.insert(Slime(1)).unwrap();
/// let dragon = monsters.insert(Dragon { heads: [20, 20, 20] }).unwrap();
/// monsters.values_mut().for_each(|monster| monster.grow());
/// assert_eq!((monsters[slime].damage(), monsters[dragon].damage()), (2, 70));
///
/// // `get_as` returns a value as its own type.
/// assert_eq!(monsters.get_as::<Dragon>(dragon).unwrap().heads, [30, 20, 20]);
/// assert!(monsters.get_as::<Dragon>(slime).is_none());
/// assert!(monsters.remove(slime)); // runs the drop of a `Slime`
/// assert!(monsters.get(slime).is_none()); // stale, and refused for ever
/// ```
///
/// Inserting a value that is too large, or whose alignment is larger than 16, does not compile:
///
/// ```compile_fail
/// use std::any::Any;
/// millpond::AnyPool::<dyn Any, 16>::new(1).insert([0_u8; 17]);
/// ```
/// ```compile_fail
/// use std::any::Any;
/// #[repr(align(32))]
/// struct Wide;
/// millpond::AnyPool::<dyn Any, 64>::new(1).insert(Wide);
/// ```
///
/// **Memory**: allocated and touched at creation. Each slot takes `SLOT_BYTES` rounded up to a
/// multiple of 16, 24 bytes that describe the value, a generation word (4 bytes; 2 with
/// [`Handle32`](crate::Handle32) of 16 or more index bits), one bit, and the [reuse
/// order](crate::reuse)'s data.
///
/// **Time**: insert, get, remove and type checks are O(1).
///
/// **Threads**: a pool of `dyn Monster + Send` accepts only values that are `Send`, and is itself
/// `Send`; likewise for `Sync`.
pub struct AnyPool<
    D: ?Sized,
    const SLOT_BYTES: usize,
    R: ReuseOrder = Lifo,
    H: HandleLayout = Handle<D>,
> {
    /// A slot has a value in the storage exactly if it is live here. The first field, so that its
    /// debug aids report live values before these are dropped.
    slots: HandleAllocator<R, H>,
    storage: AnyStorage<D, SLOT_BYTES>,
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPool<D, SLOT_BYTES, R, H>
{
    /// Creates a pool with the reuse order and handle layout of `Self`, for types that are written
    /// out.
    ///
    /// ```
    /// use std::any::Any;
    ///
    /// use millpond::AnyPool;
    /// use millpond::reuse::LowestFirst;
    ///
    /// let pool: AnyPool<dyn Any, 32, LowestFirst> = AnyPool::with_capacity(512);
    /// assert!(pool.is_empty());
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        or_panic(Self::from_settings(&Settings::of_capacity(capacity)))
    }

    crate::pools::shell::typed_builder_method!(AnyPoolBuilder<D, SLOT_BYTES, R, H>, example "AnyPool<dyn std::any::Any, 32, reuse::Fifo, Key>", ".capacity(8).build()");

    fn from_settings(settings: &Settings<R, H>) -> Result<Self, BuildError> {
        let storage = settings.allocate(AnyStorage::try_new)?;
        let mut pool = Self { slots: HandleAllocator::from_settings(settings)?, storage };
        if pool.slots.watched().is_some_and(crate::reports::debug::Watch::fills) {
            pool.storage.fill_dead();
        }
        Ok(pool)
    }

    /// Returns the number of slots: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns the number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns whether an insertion would fail because each slot is live or retired.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.slots.is_full()
    }

    crate::reports::recorder_hook::record_methods!(
        |pool, track| pool.slots.listen(track),
        crate::reports::recorder::type_name::<D>()
    );

    crate::pools::shell::books_methods!(|pool| pool.slots.core());

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots.stats()
    }

    /// Moves `value` into a free slot and returns its handle. O(1) in every [reuse
    /// order](crate::reuse) but `NextFit`; amortised in `Lifo` once `insert_at` is used.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(1);
    /// let handle = pool.insert("a").unwrap();
    /// let full = pool.insert(2_u64).unwrap_err();
    /// assert_eq!(full.into_inner(), 2);
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full. The error returns `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[inline]
    #[track_caller]
    pub fn insert<T: 'static>(&mut self, value: T) -> Result<H, Full<T>>
    where
        D: CoercesFrom<T>,
    {
        self.inspect_next();
        match self.slots.acquire() {
            Some(handle) => {
                self.storage.put(handle.index() as usize, value);
                Ok(handle)
            }
            None => Err(self.full(value)),
        }
    }

    /// Inserts the value that `make` returns. `make` receives the value's future handle. If `make`
    /// panics, the pool is unchanged.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(1);
    /// let handle = pool.insert_with(|me| me.to_bits()).unwrap();
    /// assert_eq!(pool.get_as::<u64>(handle), Some(&handle.to_bits()));
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full. `make` is not called then.
    #[track_caller]
    pub fn insert_with<T: 'static>(&mut self, make: impl FnOnce(H) -> T) -> Result<H, Full<()>>
    where
        D: CoercesFrom<T>,
    {
        self.inspect_next();
        match self.slots.next_handle() {
            Some(handle) => {
                let value = make(handle);
                self.insert(value).map_err(|full| Full { value: (), pool: full.pool })
            }
            None => {
                self.slots.core_mut().count_refusal();
                Err(self.full(()))
            }
        }
    }

    /// Reserves the slot for the next value, or returns `None` if the pool is full. Dropping the
    /// entry inserts nothing.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(1);
    /// let entry = pool.vacant_entry().unwrap();
    /// let promised = entry.handle();
    /// assert_eq!(entry.insert("value"), promised);
    /// ```
    pub fn vacant_entry(&mut self) -> Option<VacantEntry<'_, D, SLOT_BYTES, R, H>> {
        let Some(handle) = self.slots.next_handle() else {
            self.slots.core_mut().count_refusal();
            return None;
        };
        Some(VacantEntry { pool: self, handle })
    }

    /// Inserts `value` at exactly this handle, for loading saved objects. O(1) amortised.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::{AnyPool, Handle};
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let saved = Handle::from_parts(5, 3).unwrap();
    /// pool.insert_at(saved, "a").unwrap();
    /// assert_eq!(pool.get_as(saved), Some(&"a"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already (unless the pool
    /// wraps), or can never have it. The error returns `value`.
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn insert_at<T: 'static>(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>>
    where
        D: CoercesFrom<T>,
    {
        self.inspect(handle);
        match self.slots.acquire_at(handle) {
            Ok(()) => {
                self.storage.put(handle.index() as usize, value);
                Ok(handle)
            }
            Err(error) => Err(InsertAtError { value, kind: error.kind }),
        }
    }

    /// Inserts `value`; if the pool is full, first drops the live value with the smallest key.
    /// Returns the new handle, and the handle that the evicted value had. Of values with equal
    /// keys, the one in the lowest slot is evicted.
    ///
    /// `key` is called once per live value; if it panics, the pool is unchanged. Values in the last
    /// lifetime of their slot are skipped, because that slot retires afterwards. Wrap
    /// floating-point keys in [`Total`](crate::overflow::Total).
    ///
    /// ```
    /// # use std::fmt::Display;
    /// # trait Sound { fn volume(&self) -> u32; }
    /// # impl Sound for u32 { fn volume(&self) -> u32 { *self } }
    /// # impl Sound for u8 { fn volume(&self) -> u32 { (*self).into() } }
    /// # millpond::any_pool_trait!(dyn Sound);
    /// # use millpond::AnyPool;
    /// let mut voices = AnyPool::<dyn Sound, 16>::new(2);
    /// let loud = voices.insert(90_u32).unwrap();
    /// let quiet = voices.insert(10_u8).unwrap();
    /// let (new, evicted) = voices.insert_or_evict(70_u32, |_, voice| voice.volume());
    /// assert_eq!((evicted, voices[new].volume()), (Some(quiet), 70));
    /// ```
    ///
    /// # Panics
    ///
    /// If no slot is free and no object can be evicted: the capacity is 0, or every live object is
    /// one of those that are skipped.
    /// [`try_insert_or_evict`](Self::try_insert_or_evict) returns an error instead.
    #[track_caller]
    pub fn insert_or_evict<T: 'static, K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &D) -> K,
    ) -> (H, Option<H>)
    where
        D: CoercesFrom<T>,
    {
        let name = self.name();
        match self.try_insert_or_evict(value, key) {
            Ok(inserted) => inserted,
            Err(full) => panic!("{} has no object that can be evicted: {full}", PoolName(name)),
        }
    }

    /// Like [`insert_or_evict`](Self::insert_or_evict), for pools in which, at times, no object
    /// can be evicted.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::builder().capacity(1).lifetimes(1).build();
    /// pool.insert(1_u8).unwrap();
    /// let full = pool.try_insert_or_evict("a", |_, _| 0).unwrap_err();
    /// assert_eq!((full.into_inner(), pool.len()), ("a", 1));
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is free and no object can be evicted. The error returns `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn try_insert_or_evict<T: 'static, K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &D) -> K,
    ) -> Result<(H, Option<H>), Full<T>>
    where
        D: CoercesFrom<T>,
    {
        let evicted = if self.is_full() { self.least(key) } else { None };
        if let Some(handle) = evicted {
            self.slots.core_mut().count_eviction();
            self.remove(handle);
        }
        self.insert(value).map(|handle| (handle, evicted))
    }

    /// The live value with the smallest key, of those whose slots can be used again.
    fn least<K: Ord>(&self, mut key: impl FnMut(H, &D) -> K) -> Option<H> {
        let keys = self.iter().map(|(handle, value)| (key(handle, value), handle));
        crate::policies::least_of(keys, |handle| self.slots.core().is_last(handle))
    }

    #[cold]
    fn full<V>(&self, value: V) -> Full<V> {
        let Stats { capacity, peak, retired, .. } = self.stats();
        Full {
            value,
            pool: FullPool { name: self.name(), capacity, peak, retired, out_of_memory: false },
        }
    }

    /// Returns a reference to the handle's value, or `None` if the handle is refused. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert!(pool.get(handle).unwrap().is::<&str>());
    /// pool.remove(handle);
    /// assert!(pool.get(handle).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&D> {
        self.storage.get(self.slots.find(handle)?)
    }

    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut D> {
        self.storage.get_mut(self.slots.find(handle)?)
    }

    /// Returns a reference to the handle's value as a `T`, or `None` if the handle is refused or
    /// the value is of another type. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert(7_u32).unwrap();
    /// assert_eq!(pool.get_as::<u32>(handle), Some(&7));
    /// assert_eq!(pool.get_as::<i32>(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_as<T: 'static>(&self, handle: H) -> Option<&T> {
        self.storage.get_as(self.slots.find(handle)?)
    }

    /// Returns a mutable reference to the handle's value as a `T`, or `None` if the handle is
    /// refused or the value is of another type. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert(7_u32).unwrap();
    /// *pool.get_as_mut::<u32>(handle).unwrap() += 1;
    /// assert_eq!(pool.remove_as::<u32>(handle), Some(8));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_as_mut<T: 'static>(&mut self, handle: H) -> Option<&mut T> {
        self.storage.get_as_mut(self.slots.find(handle)?)
    }

    /// Returns whether the handle's value is a `T`; `false` if the handle is refused. O(1).
    #[must_use]
    pub fn is<T: 'static>(&self, handle: H) -> bool {
        self.slots.find(handle).is_some_and(|index| self.storage.holds::<T>(index))
    }

    /// Returns mutable references to the values of several handles at once. O(N²) for N handles.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let (a, b) = (pool.insert(1_u8).unwrap(), pool.insert(2_u32).unwrap());
    /// let [x, y] = pool.get_disjoint_mut([a, b]).unwrap();
    /// assert!(x.is::<u8>() && y.is::<u32>());
    /// assert!(pool.get_disjoint_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a handle is refused, or two handles name the same value.
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[&mut D; N], GetDisjointMutError> {
        self.slots.check_disjoint(&handles)?;
        let values = self.get_each_mut(handles)?;
        Ok(values.map(|value| value.expect("a good handle has a value")))
    }

    /// Like [`get_disjoint_mut`](Self::get_disjoint_mut), with `None` for each handle that is refused.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let (a, b) = (pool.insert(1_u8).unwrap(), pool.insert(2_u32).unwrap());
    /// pool.remove(a);
    /// let [none, y] = pool.get_each_mut([a, b]).unwrap();
    /// assert!(none.is_none() && y.unwrap().is::<u32>());
    /// assert!(pool.get_each_mut([b, b]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If two valid handles name the same value.
    pub fn get_each_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[Option<&mut D>; N], GetDisjointMutError> {
        self.storage.get_each_mut(handles.map(|handle| self.slots.find(handle)))
    }

    /// Returns whether `handle` names a live value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.slots.contains(handle)
    }

    /// Returns `Ok` if `handle` names a live value, and otherwise why it is refused. O(1).
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        self.slots.check(handle)
    }

    /// Removes and drops the handle's value. Returns `false`, and does nothing, if the handle is
    /// refused. O(1).
    ///
    /// The value cannot be returned, because the pool does not know its type;
    /// [`remove_as`](Self::remove_as) returns it as a type that you name. If the value's drop
    /// panics, the slot is dead all the same.
    #[inline]
    #[track_caller]
    pub fn remove(&mut self, handle: H) -> bool {
        let Some(index) = self.slots.find(handle) else {
            self.slots.note_refused_removal(handle);
            return false;
        };
        self.slots.release_live(index, handle.word());
        self.storage.remove(index)
    }

    /// Moves the handle's value out as a `T`. Returns `None`, and does nothing, if the handle is
    /// refused or the value is of another type. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 32>::new(8);
    /// let handle = pool.insert("a".to_string()).unwrap();
    /// assert_eq!(pool.remove_as::<&str>(handle), None);
    /// assert_eq!(pool.remove_as::<String>(handle), Some("a".to_string()));
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove_as<T: 'static>(&mut self, handle: H) -> Option<T> {
        let Some(index) = self.slots.find(handle) else {
            self.slots.note_refused_removal(handle);
            return None;
        };
        let value = self.storage.take_as(index)?;
        self.slots.release_live(index, handle.word());
        Some(value)
    }

    /// Returns a reference to the value in slot `index`, or `None` if the slot is not live. O(1).
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: usize) -> Option<&D> {
        self.storage.get(index)
    }

    /// Returns a mutable reference to the value in slot `index`, or `None` if the slot is not live.
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut D> {
        self.storage.get_mut(index)
    }

    /// Returns the value in slot `index` with its handle, or `None` if the slot is not live. O(1).
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert!(pool.object_at(0).is_some_and(|(at, value)| at == handle && value.is::<&str>()));
    /// assert!(pool.remove_at(0) && pool.object_at(0).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn object_at(&self, index: usize) -> Option<(H, &D)> {
        Some((self.handle_at(index)?, self.get_at(index)?))
    }

    /// Returns the value in slot `index`, mutable, with its handle, or `None` if the slot is not
    /// live. O(1).
    #[inline]
    #[must_use]
    pub fn object_at_mut(&mut self, index: usize) -> Option<(H, &mut D)> {
        let handle = self.handle_at(index)?;
        Some((handle, self.get_at_mut(index)?))
    }

    /// Removes and drops the value in slot `index`. Returns whether the slot was live. O(1).
    #[inline]
    #[track_caller]
    pub fn remove_at(&mut self, index: usize) -> bool {
        self.handle_at(index).is_some_and(|handle| self.remove(handle))
    }

    /// Returns the bitmap of live slots.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> crate::occupancy::Occupancy<'_> {
        self.slots.occupancy()
    }

    /// Returns the handle of the value in slot `index`, or `None` if the slot is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        self.slots.handle_at(index)
    }

    /// Iterates over handles and values in index order, from both ends.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// let (first, value) = pool.iter().next().unwrap();
    /// assert!(first == handle && value.is::<&str>());
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, D, SLOT_BYTES, R, H> {
        Iter { handles: self.slots.handles(), storage: &self.storage }
    }

    /// Iterates over handles and mutable references to values in index order, from both ends.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, D, R, H> {
        IterMut { handles: self.slots.handles(), values: self.storage.cursor_mut() }
    }

    /// Iterates over the live handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        self.slots.handles()
    }

    /// Iterates over the values in index order, from both ends.
    #[inline]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &D> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
    }

    /// Iterates mutably over the values in index order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut D> + ExactSizeIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Calls `keep` once per live value, in index order, and drops the values for which it returns
    /// `false`. O(capacity). If `keep` panics, the value of that call and all later ones stay.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// pool.insert(1_u8).unwrap();
    /// let word = pool.insert("a").unwrap();
    /// pool.retain(|_, value| value.is::<&str>());
    /// assert_eq!(pool.handles().collect::<Vec<_>>(), [word]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut D) -> bool) {
        for index in 0..self.capacity() {
            let Some(handle) = self.handle_at(index) else { continue };
            if self.storage.get_mut(index).is_some_and(|value| !keep(handle, value)) {
                self.remove(handle);
            }
        }
    }

    /// Removes and drops all values. O(capacity). Every handle is stale afterwards, and the next
    /// insertions use the lowest slots. If a value's drop panics, the values not yet dropped stay.
    ///
    /// ```
    /// # use std::any::Any;
    /// # use millpond::AnyPool;
    /// let mut pool = AnyPool::<dyn Any, 16>::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
        self.slots.clear();
    }
}

#[cfg(feature = "validate")]
impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPool<D, SLOT_BYTES, R, H>
{
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.slots.validate()?;
        for index in 0..self.capacity() {
            crate::reports::validate::ensure(
                self.handle_at(index).is_some() == self.get_at(index).is_some(),
                "a slot has a value exactly if it is live",
                format_args!("slot {index}"),
            )?;
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use core::any::Any;

    use super::*;

    #[test]
    fn validation_finds_a_live_slot_without_a_value() {
        let mut pool = AnyPool::<dyn Any, 8>::new(3);
        pool.insert(1_u8).unwrap();
        pool.validate().unwrap();
        pool.storage.remove(0);
        let rule = "a slot has a value exactly if it is live";
        assert_eq!(pool.validate().unwrap_err().rule(), rule);
    }
}
