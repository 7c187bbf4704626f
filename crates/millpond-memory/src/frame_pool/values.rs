//! The values of a pool that is reset as a whole, and the links between them.
//!
//! # Invariant
//!
//! 1. A link's number is a multiple of the [`STRIDE`](FrameLink::STRIDE), and so is `first`, and neither is 0: only
//!    this module makes links and moves `first`.
//! 2. `bytes` is the number of values times the stride.
//! 3. `room` is at most the capacity of `values`, whose memory stays where it is.
//!
//! So if the difference between a link's number and `first` is less than `bytes`, it is the offset in bytes of a value
//! from the first one, without a multiplication.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU64;

use millpond::__parts::OutOfMemory;
use millpond::__parts::memory;
use millpond::__plain_bits;

/// Names a value in a [`FramePool`](crate::FramePool) until the pool is reset. It has 8 bytes, and
/// so does `Option<FrameLink<T>>`.
///
/// No two values that a pool ever had have the same link, and a link of an earlier frame is less
/// than all of this frame's, so it is refused. (Links do not distinguish pools: a link of another
/// pool with the same value type is refused, or names a value of this pool.)
pub struct FrameLink<T> {
    /// The bytes of all earlier values, in all frames, plus those of one value.
    number: NonZeroU64,
    value: PhantomData<fn() -> T>,
}

impl<T> FrameLink<T> {
    /// The difference between the numbers of consecutive values.
    const STRIDE: u64 = if size_of::<T>() == 0 { 1 } else { size_of::<T>() as u64 };

    /// # Safety
    ///
    /// `number` is a multiple of the stride, and not 0.
    #[inline]
    unsafe fn numbered(number: u64) -> Self {
        // SAFETY: as the caller promises.
        let number = unsafe { NonZeroU64::new_unchecked(number) };
        Self { number, value: PhantomData }
    }

    #[inline]
    fn raw(self) -> u64 {
        self.number.get()
    }

    /// Which of all values that the pool ever had it names, counted from 1.
    fn ordinal(self) -> u64 {
        self.number.get() / Self::STRIDE
    }
}

__plain_bits!([T] FrameLink<T>);

/// Formats the link as `#7`: the seventh value that the pool ever had.
impl<T> fmt::Debug for FrameLink<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.ordinal())
    }
}

/// The values of one frame.
pub(crate) struct FrameValues<T> {
    values: Vec<T>,
    /// The maximum number of values.
    room: usize,
    bytes: u64,
    /// The number of the first value of this frame.
    first: u64,
}

/// The copy has the same room.
impl<T: Clone> Clone for FrameValues<T> {
    fn clone(&self) -> Self {
        let mut values = Vec::with_capacity(self.values.capacity());
        values.extend_from_slice(&self.values);
        Self { values, ..*self }
    }
}

impl<T> FrameValues<T> {
    /// No values, with room for `room`, every page touched.
    pub(crate) fn try_new(room: usize) -> Result<Self, OutOfMemory> {
        let values = memory::reserved_and_touched(room)?;
        Ok(Self { values, room, bytes: 0, first: FrameLink::<T>::STRIDE })
    }

    /// The maximum number of values.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The number of values in earlier frames.
    pub(crate) fn gone(&self) -> u64 {
        self.first / FrameLink::<T>::STRIDE - 1
    }

    /// Appends a value, or returns it if there is no room.
    #[inline]
    pub(crate) fn push(&mut self, value: T) -> Result<FrameLink<T>, T> {
        let len = self.values.len();
        if len >= self.room {
            return Err(value);
        }
        // SAFETY: `first` and `bytes` are multiples of the stride, `first` is not 0 (invariants 1 and 2), and their sum
        // does not overflow: `reset` has tested `first`.
        let link = unsafe { FrameLink::numbered(self.first + self.bytes) };
        let place = placed(self.values.as_mut_ptr(), self.first, link);
        // SAFETY: the place is behind the last value (invariant 2) and within the capacity (invariant 3).
        unsafe { place.write(value) };
        // SAFETY: the value was just written, and there is capacity for it (invariant 3).
        unsafe { self.values.set_len(len + 1) };
        self.bytes += FrameLink::<T>::STRIDE;
        Ok(link)
    }

    /// The links of this frame's values.
    pub(crate) fn links(&self) -> impl DoubleEndedIterator<Item = FrameLink<T>> + Clone {
        let first = self.first;
        (0..self.values.len() as u64).map(move |index| {
            // SAFETY: a multiple of the stride is added to `first`, which is one and not 0 (invariant 1).
            unsafe { FrameLink::numbered(first + index * FrameLink::<T>::STRIDE) }
        })
    }

    /// Drops all values. If a drop panics, the others are still dropped.
    #[inline]
    pub(crate) fn reset(&mut self) {
        // A frame has fewer than 2^63 bytes: no number of the next frame is too large either.
        assert!(self.first <= u64::MAX / 4, "the pool has had 2^62 bytes of values");
        self.first += self.bytes;
        self.bytes = 0;
        self.values.clear();
    }

    /// Whether the link is of this frame.
    #[inline(always)]
    pub(crate) fn contains(&self, link: FrameLink<T>) -> bool {
        // The number of an earlier frame wraps to more than any frame has.
        link.number.get().wrapping_sub(self.first) < self.bytes
    }

    /// Whether the link is of a frame before this one.
    pub(crate) fn is_past(&self, link: FrameLink<T>) -> bool {
        link.number.get() < self.first
    }

    #[inline(always)]
    pub(crate) fn get(&self, link: FrameLink<T>) -> Option<&T> {
        // SAFETY: just tested.
        self.contains(link).then(|| unsafe { self.get_unchecked(link) })
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, link: FrameLink<T>) -> Option<&mut T> {
        if !self.contains(link) {
            return None;
        }
        // SAFETY: just tested.
        Some(unsafe { self.get_unchecked_mut(link) })
    }

    /// # Safety
    ///
    /// The link is of this frame.
    #[inline(always)]
    pub(crate) unsafe fn get_unchecked(&self, link: FrameLink<T>) -> &T {
        debug_assert!(self.contains(link));
        let value = placed(self.values.as_ptr().cast_mut(), self.first, link);
        // SAFETY: the link is of this frame, so this is one of the values.
        unsafe { &*value }
    }

    /// # Safety
    ///
    /// The link is of this frame.
    #[inline(always)]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, link: FrameLink<T>) -> &mut T {
        debug_assert!(self.contains(link));
        let value = placed(self.values.as_mut_ptr(), self.first, link);
        // SAFETY: the link is of this frame, so this is one of the values, which are borrowed
        // exclusively.
        unsafe { &mut *value }
    }
}

/// Where the value of a link of this frame is, or of the one behind the last. The distance of a number from `first` is
/// a multiple of the size (invariant 1) and at most the bytes of all values (invariant 2).
///
/// `first` is taken from the start, which is known before the link is: a walk along links then waits for no more than
/// the links themselves.
#[inline(always)]
fn placed<T>(start: *mut T, first: u64, link: FrameLink<T>) -> *mut T {
    if size_of::<T>() == 0 {
        return start;
    }
    let before = start.wrapping_byte_sub(first as usize);
    before.wrapping_byte_add(link.number.get() as usize)
}
