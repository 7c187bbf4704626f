//! What an array of a pool may hold.

use core::fmt::Debug;

/// What a reuse order keeps in an array of the pool's place.
#[doc(hidden)]
pub trait Entry: Copy + Debug + Send + Sync + 'static {
    /// What the array is filled with at first.
    const EMPTY: Self;
    /// Whether the order threads its list through the dead slots, if they have room.
    const LINKS_IN_SLOTS: bool = false;
}

impl Entry for () {
    const EMPTY: Self = ();
}

impl Entry for u16 {
    const EMPTY: Self = 0;
}

impl Entry for u32 {
    const EMPTY: Self = 0;
}

impl Entry for u64 {
    const EMPTY: Self = 0;
}
