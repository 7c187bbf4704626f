use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroU64;

/// Names a value in a [`FramePool`](super::FramePool) until the pool is reset. 8 bytes, and so is
/// `Option<FrameLink<T>>`.
///
/// A link is the number of the value among all that the pool has ever had, so no two values have the same link, and a
/// link from an earlier frame is below all of this frame's.
pub struct FrameLink<T> {
    number: NonZeroU64,
    value: PhantomData<fn() -> T>,
}

impl<T> FrameLink<T> {
    /// The link of the value with this number; numbers begin with 1.
    #[inline]
    pub(super) fn of(number: u64) -> Self {
        let number = NonZeroU64::new(number).expect("fewer than 2^64 values were ever inserted");
        Self { number, value: PhantomData }
    }

    #[inline]
    pub(super) fn number(self) -> u64 {
        self.number.get()
    }
}

impl<T> Clone for FrameLink<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FrameLink<T> {}

impl<T> PartialEq for FrameLink<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for FrameLink<T> {}

impl<T> PartialOrd for FrameLink<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// In the order of insertion.
impl<T> Ord for FrameLink<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.number.cmp(&other.number)
    }
}

impl<T> Hash for FrameLink<T> {
    #[inline]
    fn hash<S: Hasher>(&self, state: &mut S) {
        state.write_u64(self.number.get());
    }
}

/// `#7`: the seventh value that the pool ever had.
impl<T> fmt::Debug for FrameLink<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.number)
    }
}
