//! Memory for the values of one frame, with links that the compiler checks.
//!
//! # Invariant
//!
//! 1. A [`Frame`] and its [`FrameRef`]s share a lifetime that no other frame has: `frame` makes it
//!    up for each call, and both types are invariant in it. So a frame is only ever used with its
//!    own links, and no link outlives its frame.
//! 2. Each link points to a value that its frame holds, and no two links that differ point to bytes of the same value.
//!    A frame neither moves nor removes a value.
//! 3. From `next` to `end` is memory of the frame that holds no value.
//!
//! So a link needs no check, and the borrow of the frame is the borrow of all of its values.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::{MaybeUninit, needs_drop};
use core::ops::{Index, IndexMut};
use core::ptr::NonNull;

use millpond::__parts::guard::guard;
use millpond::__parts::memory;

/// The unit of the memory: it begins at a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

/// A lifetime that is equal to no other.
type Brand<'frame> = PhantomData<fn(&'frame ()) -> &'frame ()>;

/// Memory for values of any types that are rebuilt in each frame, with links that cost no more than
/// pointers.
///
/// ```text
/// frame 7   [ root ][ node ][ node ][ list entry ]  …          links of type FrameRef<'frame 7, _>
/// frame 8   [ root ][ node ]                        …          links of type FrameRef<'frame 8, _>
/// ```
///
/// [`frame`](Self::frame) lends the empty memory to a closure, as a [`Frame`]. Values that the
/// closure inserts refer to each other by [`FrameRef`]s, and the compiler rejects a link that
/// outlives its frame or is used with another frame. So nothing is checked at run time: an
/// insertion is that of a bump arena, and a lookup follows a pointer. In a bump arena, values that
/// change later need a `Cell` each; here, a mutable borrow of the frame suffices.
///
/// In exchange, the values' types have a lifetime, and links cannot be kept after the closure. A
/// [`FramePool`](crate::FramePool) has neither limit, and checks each link instead.
///
/// **Memory**: the requested bytes, rounded up to a multiple of 64, allocated at creation.
/// **Time**: O(1).
///
/// ```
/// use millpond_memory::{FrameMemory, FrameRef};
///
/// struct Node<'frame> {
///     key: u32,
///     children: [Option<FrameRef<'frame, Node<'frame>>>; 2], // 8 bytes each
/// }
///
/// let mut memory = FrameMemory::new(1000 * size_of::<Node>());
/// for key in 0..60 {
///     let found = memory.frame(|frame| {
///         let root = frame.insert(Node { key, children: [None, None] }).unwrap();
///         let left = frame.insert(Node { key: key + 1, children: [None, None] }).unwrap();
///         frame[root].children[0] = Some(left);
///         frame[root].children[0].map(|child| frame[child].key)
///     });
///     assert_eq!(found, Some(key + 1));
/// }
/// assert_eq!(memory.peak(), 2 * size_of::<Node>());
/// ```
///
/// A link cannot leave its frame:
///
/// ```compile_fail,E0521
/// use millpond_memory::FrameMemory;
///
/// let mut memory = FrameMemory::new(64);
/// let mut kept = None;
/// memory.frame(|frame| kept = frame.insert(7).ok());
/// ```
///
/// Nor is it valid in another frame:
///
/// ```compile_fail
/// use millpond_memory::FrameMemory;
///
/// let (mut one, mut two) = (FrameMemory::new(64), FrameMemory::new(64));
/// one.frame(|first| {
///     let link = first.insert(7).unwrap();
///     two.frame(|second| assert_eq!(second[link], 7));
/// });
/// ```
#[doc(alias = "arena")]
#[doc(alias = "bump")]
#[doc(alias = "timber")]
#[doc(alias = "scratch")]
pub struct FrameMemory {
    /// Of these there is only the room.
    lines: Vec<Line>,
    peak: usize,
    refused: u64,
}

impl FrameMemory {
    /// Allocates memory of at least `bytes` bytes.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn new(bytes: usize) -> Self {
        match Self::try_new(bytes) {
            Some(memory) => memory,
            None => panic!("no memory for frames of {bytes} bytes"),
        }
    }

    /// Allocates memory of at least `bytes` bytes, or returns `None` if there is not enough.
    #[must_use]
    #[inline]
    pub fn try_new(bytes: usize) -> Option<Self> {
        let lines = memory::reserved_and_touched(bytes.div_ceil(size_of::<Line>())).ok()?;
        Some(Self { lines, peak: 0, refused: 0 })
    }

    /// Lends the memory to `work` for one frame, and returns what `work` returns. O(1).
    ///
    /// The frame begins empty. When `work` returns, its values are gone; nothing is dropped,
    /// because no value needs it. If `work` panics, the memory is ready for the next frame.
    #[inline]
    pub fn frame<R>(&mut self, work: impl for<'frame> FnOnce(&mut Frame<'frame>) -> R) -> R {
        let lines = self.lines.spare_capacity_mut().as_mut_ptr_range();
        let (start, end) = (lines.start.cast::<u8>(), lines.end.cast::<u8>());
        let frame = Frame { next: start, end, refused: 0, brand: PhantomData };
        let mut frame = guard(frame, move |frame| {
            self.peak = self.peak.max(frame.next.addr() - start.addr());
            self.refused += frame.refused;
        });
        work(&mut frame)
    }

    /// Returns the number of bytes in a frame.
    #[must_use]
    #[inline]
    pub fn capacity(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// Returns the number of bytes that the fullest frame needed, including gaps for alignment.
    #[must_use]
    #[inline]
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Returns the number of refused insertions, in all frames.
    #[must_use]
    #[inline]
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

impl fmt::Debug for FrameMemory {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameMemory")
            .field("capacity", &self.capacity())
            .field("peak", &self.peak)
            .field("refused", &self.refused)
            .finish()
    }
}

/// The values of one frame, in the memory that [`FrameMemory::frame`] lends.
///
/// ```
/// millpond_memory::FrameMemory::new(64).frame(|frame| {
///     let name = frame.insert("root").unwrap(); // values of any types
///     let size = frame.insert(3_u8).unwrap();
///     frame[size] += 1;
///     assert_eq!((frame[name], frame[size]), ("root", 4));
///     assert_eq!(frame.free(), 64 - size_of::<&str>() - 1);
/// });
/// ```
pub struct Frame<'frame> {
    next: *mut u8,
    end: *mut u8,
    refused: u64,
    brand: Brand<'frame>,
}

impl<'frame> Frame<'frame> {
    /// Moves `value` in, after the last one, and returns its link. O(1).
    ///
    /// A frame drops nothing, so types that need to be dropped do not compile:
    ///
    /// ```compile_fail,E0080
    /// millpond_memory::FrameMemory::new(64).frame(|frame| {
    ///     let _ = frame.insert(String::new());
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no room. The error returns `value`.
    #[inline]
    pub fn insert<T>(&mut self, value: T) -> Result<FrameRef<'frame, T>, FrameFull<T>> {
        const {
            assert!(!needs_drop::<T>(), "a frame drops no values: use a FramePool for this type");
        }
        let gap = self.next.addr().wrapping_neg() % align_of::<T>();
        if self.free() < gap + size_of::<T>() {
            return Err(self.refuse(value));
        }
        let place = self.next.wrapping_add(gap).cast::<MaybeUninit<T>>();
        // SAFETY: the place is aligned, and behind it there is room for the value in the frame's memory, which holds no
        // value there (invariant 3).
        let value = unsafe { &mut *place }.write(value);
        self.next = place.wrapping_add(1).cast();
        Ok(FrameRef { value: NonNull::from(value), brand: PhantomData })
    }

    #[cold]
    fn refuse<T>(&mut self, value: T) -> FrameFull<T> {
        self.refused += 1;
        FrameFull { value, free: self.free() }
    }

    /// Returns the number of free bytes. A value whose alignment leaves a gap needs more than its
    /// size.
    #[inline]
    #[must_use]
    pub fn free(&self) -> usize {
        self.end.addr() - self.next.addr()
    }

    /// Returns a reference to the link's value. O(1), and never fails: a link is valid as long as
    /// its frame.
    #[inline]
    #[must_use]
    pub fn get<T>(&self, link: FrameRef<'frame, T>) -> &T {
        // SAFETY: the value is one of this frame's (invariants 1 and 2), whose values are borrowed together.
        unsafe { link.value.as_ref() }
    }

    /// Returns a mutable reference to the link's value. O(1), and never fails.
    #[inline]
    #[must_use]
    pub fn get_mut<T>(&mut self, link: FrameRef<'frame, T>) -> &mut T {
        let mut value = link.value;
        // SAFETY: the value is one of this frame's (invariants 1 and 2), and the frame is borrowed exclusively.
        unsafe { value.as_mut() }
    }
}

impl<'frame, T> Index<FrameRef<'frame, T>> for Frame<'frame> {
    type Output = T;

    #[inline]
    fn index(&self, link: FrameRef<'frame, T>) -> &T {
        self.get(link)
    }
}

impl<'frame, T> IndexMut<FrameRef<'frame, T>> for Frame<'frame> {
    #[inline]
    fn index_mut(&mut self, link: FrameRef<'frame, T>) -> &mut T {
        self.get_mut(link)
    }
}

impl fmt::Debug for Frame<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("free", &self.free()).finish_non_exhaustive()
    }
}

/// A type with no subtypes but itself.
type Invariant<T> = fn(T) -> T;

/// Names a value in a [`Frame`], as long as the frame exists. It is as large as a pointer, and so
/// is `Option<FrameRef<T>>`.
pub struct FrameRef<'frame, T> {
    value: NonNull<T>,
    /// Also invariant in `T`: links can be copied, and each copy can replace the value.
    brand: PhantomData<(Brand<'frame>, Invariant<T>)>,
}

impl<T> Clone for FrameRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FrameRef<'_, T> {}

impl<T> PartialEq for FrameRef<'_, T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Eq for FrameRef<'_, T> {}

impl<T> Hash for FrameRef<'_, T> {
    #[inline]
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.value.hash(state);
    }
}

impl<T> fmt::Debug for FrameRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FrameRef").field(&self.value).finish()
    }
}

/// The error of an insertion into a frame without enough room. It returns the value.
///
/// ```
/// use millpond_memory::FrameMemory;
///
/// FrameMemory::new(64).frame(|frame| {
///     frame.insert([0_u8; 60]).unwrap();
///     let full = frame.insert(7_u64).unwrap_err();
///     assert_eq!(full.to_string(), "the frame is full: 4 bytes are free, and a value has 8");
///     assert_eq!(full.into_inner(), 7);
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameFull<T> {
    value: T,
    free: usize,
}

impl<T> FrameFull<T> {
    /// Returns the refused value.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> fmt::Display for FrameFull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (free, size) = (self.free, size_of::<T>());
        write!(f, "the frame is full: {free} bytes are free, and a value has {size}")
    }
}

/// Formats the error without the value, so that `unwrap` works for any `T`.
impl<T> fmt::Debug for FrameFull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameFull").field("free", &self.free).finish_non_exhaustive()
    }
}

impl<T> core::error::Error for FrameFull<T> {}
