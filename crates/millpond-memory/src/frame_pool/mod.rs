//! The pool that is reset as a whole.

#[allow(unsafe_code)]
mod values;

pub use values::FrameLink;

use core::fmt;
use core::ops::{Index, IndexMut};

use millpond::__parts::or_panic;
use millpond::{BuildError, Full, Stats};
use values::FrameValues;

/// A pool whose values are all dropped at once, for data that is rebuilt in every frame.
///
/// ```text
/// frame 7   values [ root ][ node ][ node ]             links #41 #42 #43
/// reset()
/// frame 8   values [ root ][ node ]                     links #44 #45; #41 to #43 are refused
/// ```
///
/// Values are adjacent, in insertion order, as in an arena. They refer to each other by
/// [`FrameLink`]s, which are valid until the next [`reset`](Self::reset) and refused ever after. A
/// link holds the value's position in the sequence of all values that the pool ever had, so one
/// subtraction and one comparison find the value and refuse a stale link.
/// [`FrameMemory`](crate::FrameMemory) saves these, in exchange for lifetimes in the types. Insertion
/// and reset cost the same as in an arena of references.
///
/// Use it for a quadtree over the actors, a path search, a list of visible objects. Single values
/// cannot be removed: for that, and for links that last, use a [`Pool`](millpond::Pool).
///
/// **Memory**: `size_of::<T>()` per slot, allocated at creation. **Time**: O(1), including a reset
/// if `T` has no `Drop`.
///
/// ```
/// use millpond_memory::{FrameLink, FramePool};
///
/// struct Node {
///     key: u32,
///     children: [Option<FrameLink<Node>>; 2], // 8 bytes each
/// }
///
/// let mut nodes = FramePool::new(1000);
/// for frame in 0..60 {
///     nodes.reset(); // O(1)
///     let left = nodes.insert(Node { key: frame, children: [None, None] })?;
///     let root = nodes.insert(Node { key: frame + 1, children: [Some(left), None] })?;
///     assert_eq!(nodes[root].children[0].map(|child| nodes[child].key), Some(frame));
/// }
/// assert_eq!(nodes.stats().peak, 2);
/// # Ok::<(), millpond::Full<Node>>(())
/// ```
#[derive(Clone)]
#[doc(alias = "arena")]
#[doc(alias = "bump")]
#[doc(alias = "timber")]
pub struct FramePool<T> {
    /// Has the pool's capacity, and never grows.
    values: FrameValues<T>,
    /// The highest number of values in a frame before this one.
    peak_before: usize,
    refused: u64,
}

impl<T> FramePool<T> {
    /// Creates a pool with room for `capacity` values.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        or_panic(Self::try_new(capacity))
    }

    /// Creates a pool with room for `capacity` values.
    ///
    /// ```
    /// use millpond::BuildError;
    /// use millpond_memory::FramePool;
    ///
    /// let capacity = usize::MAX / 8;
    /// let error = FramePool::<u64>::try_new(capacity).unwrap_err();
    /// assert_eq!(error, BuildError::OutOfMemory { capacity });
    /// ```
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn try_new(capacity: usize) -> Result<Self, BuildError> {
        let values =
            FrameValues::try_new(capacity).map_err(|_| BuildError::OutOfMemory { capacity })?;
        Ok(Self { values, peak_before: 0, refused: 0 })
    }

    /// Moves `value` in, after the last one, and returns its link. O(1).
    ///
    /// # Errors
    ///
    /// If the pool is full. The error returns `value`.
    #[inline]
    pub fn insert(&mut self, value: T) -> Result<FrameLink<T>, Full<T>> {
        self.values.push(value).map_err(|value| self.refuse(value))
    }

    #[cold]
    fn refuse(&mut self, value: T) -> Full<T> {
        self.refused += 1;
        Full::new(value, &self.stats())
    }

    #[cold]
    #[track_caller]
    fn refuse_link(&self, link: FrameLink<T>) -> ! {
        let past = self.values.is_past(link);
        let why = if past { "of an earlier frame" } else { "of another pool" };
        let values = self.len();
        panic!(
            "the frame pool refuses link {link:?}, which is {why}; values in this frame: {values}"
        );
    }

    /// Drops all values: the pool is empty, and every link is stale. O(1) if `T` has no `Drop`,
    /// otherwise O(values).
    ///
    /// If a value's drop panics, the others are still dropped.
    ///
    /// ```
    /// use millpond_memory::FramePool;
    ///
    /// let mut pool = FramePool::new(8);
    /// let link = pool.insert("a").unwrap();
    /// pool.reset();
    /// let same_place = pool.insert("b").unwrap();
    /// assert_eq!((pool.get(link), pool.get(same_place)), (None, Some(&"b")));
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool has had 2^62 bytes of values.
    #[doc(alias = "clear")]
    #[inline]
    pub fn reset(&mut self) {
        self.peak_before = self.peak_before.max(self.len());
        self.values.reset();
    }

    /// Returns a reference to the link's value, or `None` if the link is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, link: FrameLink<T>) -> Option<&T> {
        self.values.get(link)
    }

    /// Returns a mutable reference to the link's value, or `None` if the link is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, link: FrameLink<T>) -> Option<&mut T> {
        self.values.get_mut(link)
    }

    /// Returns a reference to the link's value, without checking that the link is of this frame.
    /// Following links is then like following pointers.
    ///
    /// # Safety
    ///
    /// The pool must [contain](Self::contains) `link`.
    ///
    /// ```
    /// use millpond_memory::FramePool;
    ///
    /// let mut pool = FramePool::new(8);
    /// let link = pool.insert(7).unwrap();
    /// // SAFETY: the link was made in this frame, by this pool.
    /// assert_eq!(unsafe { pool.get_unchecked(link) }, &7);
    /// ```
    #[allow(unsafe_code, reason = "the caller vouches for the link")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, link: FrameLink<T>) -> &T {
        // SAFETY: as the caller promises.
        unsafe { self.values.get_unchecked(link) }
    }

    /// Returns a mutable reference to the link's value, like
    /// [`get_unchecked`](Self::get_unchecked).
    ///
    /// # Safety
    ///
    /// The pool must [contain](Self::contains) `link`.
    #[allow(unsafe_code, reason = "the caller vouches for the link")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, link: FrameLink<T>) -> &mut T {
        // SAFETY: as the caller promises.
        unsafe { self.values.get_unchecked_mut(link) }
    }

    /// Returns whether `link` is of this frame. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, link: FrameLink<T>) -> bool {
        self.values.contains(link)
    }

    /// Returns the number of values in this frame.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Returns whether this frame has no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Returns whether an insertion would be refused.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }

    /// Returns how many values there is room for.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.values.room()
    }

    /// Returns this frame's values, in insertion order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.values.as_slice()
    }

    /// Returns this frame's values as a mutable slice, in insertion order.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.values.as_mut_slice()
    }

    /// Iterates over this frame's values and their links, in insertion order.
    ///
    /// ```
    /// use millpond_memory::FramePool;
    ///
    /// let mut pool = FramePool::new(8);
    /// let links = ["a", "b"].map(|value| pool.insert(value).unwrap());
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(links[0], &"a"), (links[1], &"b")]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (FrameLink<T>, &T)> + Clone {
        self.values.links().zip(self.as_slice())
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    /// `peak` is that of the fullest frame.
    ///
    /// ```
    /// use millpond_memory::FramePool;
    ///
    /// let mut pool = FramePool::new(8);
    /// for values in [3, 5, 1] {
    ///     pool.reset();
    ///     (0..values).for_each(|value| _ = pool.insert(value));
    /// }
    /// let stats = pool.stats();
    /// assert_eq!((stats.live, stats.peak, stats.inserted, stats.removed), (1, 5, 9, 8));
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::NONE;
        (stats.capacity, stats.live) = (self.capacity(), self.len());
        stats.peak = self.peak_before.max(self.len());
        stats.removed = self.values.gone();
        stats.inserted = stats.removed + self.len() as u64;
        stats.refused = self.refused;
        stats
    }
}

/// Returns a pool without room for a value, which allocates nothing: for structs that derive
/// `Default` and later replace it with a pool of the right capacity.
impl<T> Default for FramePool<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

/// # Panics
///
/// If the link is of an earlier frame, or of another pool and names no value here.
impl<T> Index<FrameLink<T>> for FramePool<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, link: FrameLink<T>) -> &T {
        match self.get(link) {
            Some(value) => value,
            None => self.refuse_link(link),
        }
    }
}

/// # Panics
///
/// If the link is of an earlier frame, or of another pool and names no value here.
impl<T> IndexMut<FrameLink<T>> for FramePool<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, link: FrameLink<T>) -> &mut T {
        if !self.contains(link) {
            self.refuse_link(link);
        }
        self.get_mut(link).expect("a link of this frame has a value")
    }
}

/// Formats this frame as a map from links to values.
impl<T: fmt::Debug> fmt::Debug for FramePool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
