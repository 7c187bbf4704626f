//! The entries of a pool's arrays.

use core::fmt::Debug;

/// An entry that a reuse order stores in an array beside the slots.
#[doc(hidden)]
pub trait Entry: Copy + Debug + Send + Sync + 'static {
    /// The value that the array is initially filled with.
    const EMPTY: Self;
    /// Whether all bits of [`EMPTY`](Self::EMPTY) are 0.
    const EMPTY_IS_ZERO: bool;
}

impl Entry for () {
    const EMPTY: Self = ();
    const EMPTY_IS_ZERO: bool = true;
}

impl Entry for u16 {
    const EMPTY: Self = 0;
    const EMPTY_IS_ZERO: bool = true;
}

impl Entry for u32 {
    const EMPTY: Self = 0;
    const EMPTY_IS_ZERO: bool = true;
}

impl Entry for u64 {
    const EMPTY: Self = 0;
    const EMPTY_IS_ZERO: bool = true;
}
