use core::fmt;
use core::marker::PhantomData;

use millpond::__parts::guard::guard;
use millpond::Full;
use millpond::Stats;

/// An object that knows that it is pooled: its state says whether it is in use, and while it is
/// unused, its memory holds the link to the next unused object.
///
/// An `enum` with a variant for the unused object suffices. If a variant in use has a niche (a
/// [`NonZeroU32`](core::num::NonZeroU32), a reference, a `bool`), the compiler stores both in the
/// memory of one:
///
/// ```
/// use std::num::NonZeroU32;
///
/// use millpond_classic::Pooled;
///
/// enum Spark {
///     Lit { x: f32, speed: f32, frames_left: NonZeroU32 },
///     Unused { next: Option<u32> },
/// }
///
/// impl Pooled for Spark {
///     fn unused(next: Option<u32>) -> Self {
///         Self::Unused { next }
///     }
///
///     fn in_use(&self) -> bool {
///         matches!(self, Self::Lit { .. })
///     }
///
///     fn next_unused(&self) -> Option<u32> {
///         match self {
///             Self::Unused { next } => *next,
///             Self::Lit { .. } => None,
///         }
///     }
/// }
/// assert_eq!(size_of::<Spark>(), 12); // as large as the three fields
/// ```
///
/// For such an `enum`, [`pooled!`](crate::pooled) writes the implementation. An incorrect or
/// panicking implementation can make its pool panic or lose slots, and nothing worse: the pool has
/// no unsafe code.
pub trait Pooled: Sized {
    /// Returns an unused object that stores `next`. It replaces the object that was in use, which
    /// is dropped.
    fn unused(next: Option<u32>) -> Self;

    /// Returns whether the object is in use. This must change only through `&mut self`.
    #[doc(alias = "inUse")]
    fn in_use(&self) -> bool;

    /// Returns the `next` given to [`unused`](Self::unused); `None` while the object is in use.
    #[doc(alias = "getNext")]
    fn next_unused(&self) -> Option<u32>;
}

/// Implements [`Pooled`](crate::Pooled) for an `enum` with a variant for the unused
/// object, whose only field is `next`. Every other variant is in use.
///
/// ```
/// use millpond_classic::ObjectPool;
///
/// enum Voice {
///     Playing { clip: &'static str, samples_left: u32 },
///     Fading(f32),
///     Unused { next: Option<u32> },
/// }
/// millpond_classic::pooled!(Voice, Unused);
///
/// let mut voices = ObjectPool::<Voice, 32>::new();
/// voices.create(Voice::Playing { clip: "step", samples_left: 2 })?;
/// voices.create(Voice::Fading(0.5))?;
/// assert_eq!(voices.len(), 2);
/// voices.release(1);
/// assert!(voices.available().eq(1..32));
/// # Ok::<(), millpond::Full<Voice>>(())
/// ```
///
/// Generic parameters are written twice, for the `impl` and for the type:
/// `pooled!(<'a> Shot<'a>, Unused)`.
///
/// ```
/// enum Shot<'a> {
///     Flying { owner: &'a str },
///     Unused { next: Option<u32> },
/// }
/// millpond_classic::pooled!(<'a> Shot<'a>, Unused);
/// # fn main() { let _ = Shot::Flying { owner: "" }; }
/// ```
#[macro_export]
macro_rules! pooled {
    (@methods $unused:ident) => {
        fn unused(next: ::core::option::Option<::core::primitive::u32>) -> Self {
            Self::$unused { next }
        }

        fn in_use(&self) -> ::core::primitive::bool {
            !::core::matches!(self, Self::$unused { .. })
        }

        fn next_unused(&self) -> ::core::option::Option<::core::primitive::u32> {
            match self {
                Self::$unused { next } => *next,
                _ => ::core::option::Option::None,
            }
        }
    };
    (<$($parameter:tt $(: $bound:path)?),+ $(,)?> $type:ty, $unused:ident) => {
        impl<$($parameter $(: $bound)?),+> $crate::Pooled for $type {
            $crate::pooled!(@methods $unused);
        }
    };
    ($type:ty, $unused:ident) => {
        impl $crate::Pooled for $type {
            $crate::pooled!(@methods $unused);
        }
    };
}

/// Design 4 for your own objects, which know that they are pooled ([`Pooled`]): a fixed array of
/// them, and a free list threaded through the unused ones.
///
/// The objects are created up front, stay in place, and end their own lives:
/// [`update`](Self::update) iterates over those in use, and an object that is no longer in use
/// afterwards is back in the pool. Besides the objects, the pool stores only the first link and the
/// counters.
///
/// Use it to port a pool whose objects have an `inUse()`. Objects are identified only by their
/// index: for objects that others refer to, use a [`Pool`](millpond::Pool), whose objects need not
/// know that they are pooled.
///
/// If the type's constructors are private, only the pool's module can create such objects; several
/// constructors serve as several initialisers:
///
/// ```
/// mod sound {
///     use millpond_classic::Pooled;
///
///     pub enum Voice {
///         Playing { clip: &'static str, samples_left: u32 },
///         Unused { next: Option<u32> },
///     }
///
///     impl Voice {
///         pub(crate) fn once(clip: &'static str) -> Self {
///             Self::Playing { clip, samples_left: 2 }
///         }
///
///         pub(crate) fn long(clip: &'static str, samples_left: u32) -> Self {
///             Self::Playing { clip, samples_left }
///         }
///
///         pub fn play(&mut self) {
///             match self {
///                 Self::Playing { samples_left: 0..=1, .. } => *self = Self::unused(None),
///                 Self::Playing { samples_left, .. } => *samples_left -= 1,
///                 Self::Unused { .. } => {}
///             }
///         }
///     }
///     millpond_classic::pooled!(Voice, Unused);
/// }
/// use millpond_classic::ObjectPool;
/// use sound::Voice;
///
/// let mut voices = ObjectPool::<Voice, 32>::new();
/// voices.create(Voice::once("step"))?;
/// voices.create(Voice::long("wind", 48_000))?;
/// voices.update(|_, voice| voice.play());
/// voices.update(|_, voice| voice.play()); // the step has ended
/// assert!(!voices.in_use(0) && voices.in_use(1));
/// # Ok::<(), millpond::Full<Voice>>(())
/// ```
///
/// **Where the objects are**: in the pool itself, an array of `N`. A [`HeapObjectPool`](super::HeapObjectPool) has as
/// many as a number that is known only at run time, on the heap.
#[derive(Clone)]
#[doc(alias = "GenericPool")]
pub struct ObjectPool<T, const N: usize, S = [T; N]> {
    objects: S,
    first_unused: Option<u32>,
    stats: Stats,
    types: PhantomData<T>,
}

impl<T: Pooled, const N: usize> ObjectPool<T, N> {
    /// Creates a pool of `N` objects, none of them in use. The lowest is used first.
    #[must_use]
    pub fn new() -> Self {
        Self::of_linked(core::array::from_fn(|index| T::unused(next_in_new(index, N))), N)
    }
}

impl<T, const N: usize, S> ObjectPool<T, N, S> {
    /// Creates a pool of these objects, each of which stores the index of the next.
    pub(super) const fn of_linked(objects: S, capacity: usize) -> Self {
        assert!(capacity < u32::MAX as usize, "an object pool has fewer than 2^32 - 1 slots");
        let first_unused = if capacity > 0 { Some(0) } else { None };
        let mut stats = Stats::NONE;
        stats.capacity = capacity;
        Self { objects, first_unused, stats, types: PhantomData }
    }

    /// Returns the number of objects in use. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        self.stats.live
    }

    /// Returns whether no object is in use.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of objects, in use or not.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.stats.capacity
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    #[must_use]
    pub const fn stats(&self) -> Stats {
        self.stats
    }
}

impl<T: Pooled, const N: usize, S: AsRef<[T]> + AsMut<[T]>> ObjectPool<T, N, S> {
    /// Moves `object` into the place of the first unused object, and returns its index. O(1).
    ///
    /// Returns `Ok(None)`, and takes no place, if `object` is not [in use](Pooled::in_use).
    ///
    /// # Errors
    ///
    /// If all objects are in use. The error returns `object`.
    ///
    /// # Panics
    ///
    /// If the free list leads to an object in use or out of range, because [`Pooled`] is
    /// implemented incorrectly or an object was put in use without the pool. The pool is unchanged.
    #[inline]
    pub fn create(&mut self, object: T) -> Result<Option<usize>, Full<T>> {
        let Some(first) = self.first_unused else {
            return Err(refused(object, &mut self.stats));
        };
        if !object.in_use() {
            return Ok(None);
        }
        let index = first as usize;
        let place = &mut self.objects.as_mut()[index];
        assert!(!place.in_use(), "object {index} was put in use without its pool");
        self.first_unused = place.next_unused();
        self.stats.inserted += 1;
        self.stats.live += 1;
        self.stats.peak = self.stats.peak.max(self.stats.live);
        *place = object;
        Ok(Some(index))
    }

    /// Calls `change` for each object in use, in index order. Objects that are not in use
    /// afterwards return to the pool in the same pass. O(N).
    ///
    /// If `change` panics, the objects after that one are unchanged.
    pub fn update(&mut self, mut change: impl FnMut(usize, &mut T)) {
        for index in 0..self.capacity() {
            self.update_at(index, |object| change(index, object));
        }
    }

    /// Calls `change` for the object at `index`, if it is in use. If it is not in use afterwards,
    /// it returns to the pool, even if `change` panics. Returns `None` if the object is not in use
    /// or does not exist. O(1).
    pub fn update_at<R>(&mut self, index: usize, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.get(index)?;
        let mut pool = guard(self, move |pool| pool.put_back(index));
        Some(change(&mut pool.objects.as_mut()[index]))
    }

    /// Returns an object to the pool, if it is no longer in use.
    fn put_back(&mut self, index: usize) {
        if !self.objects.as_ref()[index].in_use() {
            // An incorrect `Pooled` may report an object as free twice.
            self.stats.live = self.stats.live.saturating_sub(1);
            self.stats.removed += 1;
            self.link(index);
        }
    }

    /// Returns the object at `index` to the pool. Returns `false` if it is not in use or does not
    /// exist. O(1).
    pub fn release(&mut self, index: usize) -> bool {
        self.update_at(index, |object| *object = T::unused(None)).is_some()
    }

    /// Returns all objects to the pool; the lowest is used first again. O(N).
    ///
    /// If an object's drop panics, the objects not yet dropped stay in use.
    pub fn clear(&mut self) {
        for index in 0..self.capacity() {
            self.release(index);
        }
        self.first_unused = None;
        for index in (0..self.capacity()).rev() {
            self.link(index);
        }
    }

    /// Puts an unused object at the front of the free list. The old object is dropped last, when
    /// the list is consistent again, because the drop may panic.
    fn link(&mut self, index: usize) {
        let unused = T::unused(self.first_unused);
        let before = core::mem::replace(&mut self.objects.as_mut()[index], unused);
        self.first_unused = Some(index as u32);
        drop(before);
    }

    /// Returns whether the object at `index` is in use; `false` if it does not exist. O(1).
    #[must_use]
    pub fn in_use(&self, index: usize) -> bool {
        self.get(index).is_some()
    }

    /// Returns a reference to the object at `index`, or `None` if it is not in use. O(1).
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.objects.as_ref().get(index).filter(|object| object.in_use())
    }

    /// Iterates over the objects in use and their indices, in index order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &T)> {
        self.objects.as_ref().iter().enumerate().filter(|(_, object)| object.in_use())
    }

    /// Iterates over the indices of the unused objects, in the order in which they will be used:
    /// along the free list.
    pub fn available(&self) -> impl Iterator<Item = usize> {
        let next = |index: &usize| {
            self.objects.as_ref().get(*index)?.next_unused().map(|next| next as usize)
        };
        // No list is longer than the array, whatever the objects say.
        core::iter::successors(self.first_unused.map(|first| first as usize), next)
            .take(self.capacity())
    }

    /// All objects, mutable. Whether an object is in use must not change.
    pub(super) fn objects_mut(&mut self) -> &mut [T] {
        self.objects.as_mut()
    }

    /// Calls `change` for each object, in use or not, in index order, with the link that it stores
    /// if it dies in the call. `change` returns whether it did. O(N).
    ///
    /// For objects of this crate, whose code neither panics nor lies.
    #[inline]
    pub(super) fn update_and_link(&mut self, mut change: impl FnMut(&mut T, Option<u32>) -> bool) {
        let (mut first, mut died) = (self.first_unused, 0);
        let mut index = 0;
        let mut step = |object: &mut T| {
            if change(object, first) {
                first = Some(index);
                died += 1;
            }
            index += 1;
        };
        // Eight in a turn: a turn of one is so short that a third of its time depends on where the
        // linker puts it.
        let mut eights = self.objects.as_mut().chunks_exact_mut(8);
        eights.by_ref().for_each(|eight| eight.iter_mut().for_each(&mut step));
        eights.into_remainder().iter_mut().for_each(step);
        self.first_unused = first;
        self.stats.live -= died;
        self.stats.removed += died as u64;
    }
}

/// Counts a refusal, and returns the error.
#[cold]
fn refused<T>(value: T, stats: &mut Stats) -> Full<T> {
    stats.refused += 1;
    Full::new(value, stats)
}

/// The link that object `index` of a new pool of `count` stores.
#[inline]
pub(super) const fn next_in_new(index: usize, count: usize) -> Option<u32> {
    if index + 1 < count { Some(index as u32 + 1) } else { None }
}

impl<T: Pooled, const N: usize> Default for ObjectPool<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Formats the pool as a map from indices to the objects in use.
impl<T, const N: usize, S> fmt::Debug for ObjectPool<T, N, S>
where
    T: Pooled + fmt::Debug,
    S: AsRef<[T]> + AsMut<[T]>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
