//! [`StaticPool`] and what its methods return.

mod builder;
mod faces;
mod overflow;
mod snapshot;
mod traits;

pub use crate::pools::faces::{Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::StaticPoolBuilder;
pub use faces::{Drain, ExtractIf, Handles, IntoIter, Iter, IterMut, VacantEntry};

use crate::handle::{Handle, HandleLayout, Refusal};
use crate::occupancy::Occupancy;
use crate::policies::{EvictLeast, Policy};
use crate::reports::errors::{Full, GetDisjointMutError, InsertAtError, PoolName};
use crate::reports::stats::Stats;
use crate::slots::handle_at;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::InlineRoster;
use crate::slots::{Core, EntryOf, Inline};
use crate::values::Storage;

/// A pool of `N` slots that holds its values in itself: no heap, and a constant constructor.
///
/// Pick it for a pool in a `static` (behind a lock of your choice), inside of another object, or on a
/// machine without a heap: it works without the feature `alloc`. Otherwise a
/// [`Pool`](crate::Pool) is better: its capacity need not be known when the program is built, moving it
/// costs nothing, and iterating over a sparse one is faster.
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
/// assert_eq!(sparks.get(spark), None); // stale, and refused for ever
/// ```
///
/// **Memory**: `size_of::<StaticPool<T, N>>()`, where the pool is: per slot the value, a generation
/// word (4 bytes; 2 with [`Handle32`](crate::Handle32) of 16 or more index bits) and two slot numbers
/// (4 bytes each; 2 with at most 16 index bits): `size_of::<T>()` + 12 bytes with the defaults, + 6 with
/// `Handle32<T, 16>`; and at most 88 bytes once (96 with the feature `recorder`). A new pool without a name, a
/// salt or a limit is all zero bits, so that in
/// a `static` it takes no room in the program's file. Beware of the stack: a large pool as a local
/// variable lies there, and moving the pool copies all of it.
///
/// **Time**: insert, get and remove are O(1), at every handle [`insert_at`](Self::insert_at) too. The
/// slot freed last is handed out next, as by [`Roster`](crate::reuse::Roster). Iterating is O(N): there
/// is no bitmap of live slots; they are gathered from the generation words, 64 at a time.
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is good for one lifetime of one slot. A slot whose
/// generations are used up retires, unless the pool was [built](Self::builder) to wrap.
pub struct StaticPool<T, const N: usize, H: HandleLayout = Handle<T>> {
    storage: StaticStorage<T, N, H>,
    core: Core<InlineRoster, H>,
}

/// Every bit of it is 0 at first, but for a pool that starts at another generation than 1: see [`Inline`].
type StaticStorage<T, const N: usize, H> =
    Storage<Inline<<H as HandleLayout>::Word, EntryOf<InlineRoster, H>, T, N>>;

impl<T, const N: usize> StaticPool<T, N> {
    /// An empty pool, with handles of eight bytes.
    ///
    /// ```
    /// use millpond::StaticPool;
    ///
    /// const EMPTY: StaticPool<u32, 16> = StaticPool::new();
    /// assert_eq!((EMPTY.capacity(), EMPTY.len()), (16, 0));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_handle()
    }

    /// An empty pool with a name for error messages. Pools of different names start their generations
    /// at different points, so that a handle of one is refused by the other, as with
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

    /// A builder, to choose the handle layout, a name and more; all of it in a constant, if need be.
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
    /// A builder of pools of exactly this type, in a constant, if need be: the handles are those of the type that is
    /// written down, where `builder` begins with the default ones.
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

    /// An empty pool of any handle layout, where the type is written down. More slots than the layout
    /// can name do not compile.
    ///
    /// ```
    /// use millpond::{Handle32, StaticPool};
    ///
    /// type Small = Handle32<u32, 16>;
    /// const EMPTY: StaticPool<u32, 100, Small> = StaticPool::with_handle();
    /// assert!(size_of_val(&EMPTY) <= 100 * (4 + 6) + 96);
    /// ```
    ///
    /// ```compile_fail
    /// use millpond::{Handle32, StaticPool};
    /// let pool: StaticPool<u32, 300, Handle32<u32, 8>> = StaticPool::with_handle();
    /// ```
    #[must_use]
    pub const fn with_handle() -> Self {
        Self::of(&Lifetimes::PLAIN)
    }

    /// An empty pool of any handle layout, with a name; see [`named`](StaticPool::named).
    #[must_use]
    pub const fn named_with_handle(name: &'static str) -> Self {
        let lifetimes = Lifetimes { name: Some(name), ..Lifetimes::PLAIN };
        Self::of(&lifetimes)
    }

    const fn of(lifetimes: &Lifetimes) -> Self {
        const { assert!(N <= H::CAPACITY_MAX, "the handle layout cannot name so many slots") };
        let start = lifetimes.start(H::LIFETIMES_MAX);
        Self { storage: StaticStorage::<T, N, H>::fresh(start), core: Core::fresh(lifetimes) }
    }

    /// How many slots the pool has, live, dead and retired.
    #[inline]
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// How many slots are live.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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

    /// Whether a slot is live; `false` for an index that is out of range. O(1).
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

    /// Moves a value into a slot. O(1).
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 1>::new();
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
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        self.insert_if_room(value).map_err(|value| self.refuse(value))
    }

    /// Inserts what the function makes; it is told the handle that the value will have. If it panics,
    /// nothing has happened.
    ///
    /// ```
    /// use millpond::{Handle, StaticPool};
    ///
    /// struct Node {
    ///     me: Handle<Node>,
    /// }
    /// let mut nodes = StaticPool::<_, 8>::new();
    /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
    /// assert_eq!(nodes[handle].me, handle);
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full: the function is not called.
    #[inline]
    pub fn insert_with(&mut self, make: impl FnOnce(H) -> T) -> Result<H, Full<()>> {
        match self.core.peek(&self.storage) {
            Some(handle) => {
                let value = make(handle);
                self.insert(value).map_err(Full::without_value)
            }
            None => Err(self.refuse(())),
        }
    }

    /// The slot that the next value goes to, to be filled or left alone: for values that must know
    /// their handle, when making them may fail. `None` if the pool is full.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 1>::new();
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
    pub fn vacant_entry(&mut self) -> Option<VacantEntry<'_, T, N, H>> {
        let Some(handle) = self.core.peek(&self.storage) else {
            self.core.count_refusal();
            return None;
        };
        Some(VacantEntry::new(self, handle))
    }

    /// Inserts at exactly this handle, for loading what was saved: handles inside the saved values
    /// stay good. O(1).
    ///
    /// Afterwards the slot goes on from that generation. A handle of an earlier lifetime of the slot
    /// stays refused, and a later generation than the slot's next is taken as it is.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
    ///
    /// let mut loaded = StaticPool::<_, 8>::new();
    /// for (handle, value) in saved.into_iter().rev() {
    ///     loaded.insert_at(handle, value).unwrap();
    /// }
    /// assert_eq!((loaded[a], loaded[b]), ("a", "b"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already, or may
    /// never have it. The error gives the value back.
    #[must_use = "a refused handle gives the value back in the error, and ignoring it drops the value"]
    pub fn insert_at(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        match self.core.claim(handle, &mut self.storage) {
            Ok(index) => {
                self.storage.put(index, handle.word(), value);
                Ok(handle)
            }
            Err(kind) => Err(InsertAtError { value, kind }),
        }
    }

    /// Inserts; if the pool is full, the live object with the smallest key has to go, and is returned
    /// with the handle that it had. Of equal keys, the lowest index.
    ///
    /// The quietest of 32 voices, the oldest bullet hole: an object whose loss is noticed least. The
    /// key is asked for once per live object, at the speed of iteration; nothing has happened yet if
    /// it panics.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut voices = StaticPool::<_, 2>::new();
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
    /// is in the last lifetime before it retires.
    #[track_caller]
    pub fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> (H, Option<(H, T)>) {
        EvictLeast(key).insert(self, value).unwrap_or_else(|_| {
            let pool = PoolName(self.name());
            panic!("{pool} has no slot that can be used again: {:?}", self.stats());
        })
    }

    #[inline(always)]
    fn insert_if_room(&mut self, value: T) -> Result<H, T> {
        self.storage.put_next(value, &mut self.core)
    }

    /// Removes the value of a live slot; `None` if it is dead.
    #[inline]
    fn remove_at(&mut self, index: usize) -> Option<T> {
        self.storage.end(index, &mut self.core)
    }

    /// Moves a value into the slot that comes next, which has this handle.
    #[inline]
    fn insert_peeked(&mut self, handle: H, value: T) {
        self.core.take_peeked(handle, &mut self.storage);
        self.storage.put(handle.index() as usize, handle.word(), value);
    }

    #[inline]
    fn occupancy(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    #[cold]
    fn refuse<V>(&mut self, value: V) -> Full<V> {
        Full { value, pool: self.core.refuse(self.storage.words()) }
    }

    /// The value, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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

    crate::pools::together::object_at_methods!(H, T, example "StaticPool::<_, 8>::new()");

    crate::pools::together::get_each_mut_method!(H, T, example "StaticPool::<_, 8>::new()", |pool, handles| pool.storage.find_each_mut(handles));

    /// Several values at once, to change. O(K²) for K handles.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    pub fn get_disjoint_mut<const K: usize>(
        &mut self,
        handles: [H; K],
    ) -> Result<[&mut T; K], GetDisjointMutError> {
        let Self { storage, core, .. } = self;
        storage.find_disjoint_mut(handles, |handle, words| core.check(handle, words))
    }

    /// Whether the handle's object lives. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.storage.words().is_live_in(handle.index() as usize, handle.word())
    }

    /// Whether the handle's object lives, and if not, why the handle is refused. O(1).
    ///
    /// ```
    /// use millpond::{Refusal, StaticPool};
    ///
    /// let mut bullets = StaticPool::<u8, 8>::named("bullets");
    /// let mut rockets = StaticPool::<u8, 8>::named("rockets");
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
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove(handle), Some("a"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.storage.remove(handle, &mut self.core)
    }

    /// The value in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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

    /// The handle of the object in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert(5).unwrap();
    /// assert_eq!(pool.index_of(&pool[handle]), Some(0));
    /// assert_eq!(pool.index_of(&5), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        self.storage.index_of(value)
    }

    /// The handles and values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, N, H> {
        Iter::new(self.storage.words().kept(), self.storage.iter())
    }

    /// The handles and values, to change, in index order, from both ends.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, N, H> {
        let (words, values) = self.storage.words_and_iter_mut();
        IterMut::new(words, values)
    }

    /// The handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, N, H> {
        Handles::new(self.storage.words().kept(), self.storage.occupancy())
    }

    /// The values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// adjacent live slots. The fastest way through the pool: the inner loop is over a plain slice.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, T, N, H> {
        Drain::new(self)
    }

    /// Moves out the values that the function chooses, one at a time, in index order. What the
    /// iterator has not come to stays in the pool.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    ) -> ExtractIf<'_, T, N, H, F> {
        ExtractIf::new(self, choose)
    }

    /// Calls `keep` once per live object, in index order, and removes the values for which it returns `false`. The
    /// values are dropped after at most 63 further calls. If `keep` panics, the object that it was called with and all
    /// later ones stay.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
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
    /// stale for ever. O(N). If a value's drop panics, the values that were not dropped yet
    /// stay in the pool.
    ///
    /// ```
    /// # use millpond::StaticPool;
    /// let mut pool = StaticPool::<_, 8>::new();
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        /// Makes the order true again, also when a drop has panicked.
        struct ResetOrder<'a, T, const N: usize, H: HandleLayout>(&'a mut StaticPool<T, N, H>);
        impl<T, const N: usize, H: HandleLayout> Drop for ResetOrder<'_, T, N, H> {
            fn drop(&mut self) {
                self.0.core.reset_order_untold(&mut self.0.storage);
            }
        }

        let guard = ResetOrder(self);
        for index in 0..N {
            drop(guard.0.remove_at(index));
        }
    }
}

#[cfg(feature = "validate")]
impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). O(N).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.storage.validate()?;
        self.core.validate(&self.storage)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Handle32;
    use crate::reports::stats::Stats;
    use crate::slots::reuse::Slots;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = StaticPool::<u8, 3>::new();
        pool.validate().unwrap();
        pool.core.count_eviction();
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
            let entries = Slots::entries_mut(&mut pool.storage);
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
