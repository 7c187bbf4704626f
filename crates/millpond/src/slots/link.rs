//! The link of a slot in a list of vacant ones.

use crate::base::entry::Entry;

/// The neighbours of a vacant slot in a list.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Link {
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

impl Link {
    /// "No slot": no layout names an index of `u32::MAX`.
    pub(crate) const NO_SLOT: u32 = u32::MAX;
    pub(crate) const NONE: Self = Self { next: Self::NO_SLOT, previous: Self::NO_SLOT };
}

impl Entry for Link {
    const EMPTY: Self = Self::NONE;
    const EMPTY_IS_ZERO: bool = false;
}
