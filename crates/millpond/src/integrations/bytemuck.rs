//! `bytemuck`: handles as plain bytes, and zeroed objects.
//!
//! Invariant: a handle is one integer or two of the same size, and a zero-sized label, so it has no padding.

#[doc(hidden)]
pub use ::bytemuck;

use ::bytemuck::NoUninit;

use crate::handle::{Handle, Handle32};

// SAFETY: a handle is two integers of four bytes each, and a label of no size.
unsafe impl<T: ?Sized + 'static> NoUninit for Handle<T> {}

// SAFETY: a handle is one integer, and a label of no size.
unsafe impl<T: ?Sized + 'static, const INDEX_BITS: u32> NoUninit for Handle32<T, INDEX_BITS> {}

/// Implements it for a key that [`handle_type!`](crate::handle_type) declares.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_with_bytemuck {
    ($name:ident) => {
        // SAFETY: it is a handle and nothing else, by `repr(transparent)`.
        unsafe impl $crate::__private::bytemuck::NoUninit for $name {}
    };
}

#[doc(hidden)]
pub use __key_with_bytemuck as key_with_bytemuck;

/// Requires the feature `bytemuck`.
#[cfg(feature = "recycler")]
impl<T: ::bytemuck::Zeroable> crate::pools::recycler::Recycler<T> {
    /// Creates a recycler of objects whose bits are all zero.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let transforms = Recycler::<[f32; 16]>::zeroed(100);
    /// assert!(transforms.as_slice().iter().all(|transform| *transform == [0.0; 16]));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn zeroed(capacity: usize) -> Self {
        Self::from_fn(capacity, |_| T::zeroed())
    }
}

/// A cast of either to bytes is a cast of an integer.
const _: () = {
    assert!(size_of::<Handle<()>>() == size_of::<u64>());
    assert!(size_of::<Handle32<(), 20>>() == size_of::<u32>());
};
