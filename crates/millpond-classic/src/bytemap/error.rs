use core::fmt;

/// Why a value could not be inserted at a handle. Each variant returns the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytemapError<T> {
    /// The pool has no such slot, or the handle has the free bit set.
    NoSuchHandle(T),
    /// The slot is live.
    Live(T),
    /// The slot of a retiring pool has already had this seed, or has none left.
    Stale(T),
}

impl<T> BytemapError<T> {
    /// Returns the refused value.
    pub fn into_inner(self) -> T {
        match self {
            Self::NoSuchHandle(value) | Self::Live(value) | Self::Stale(value) => value,
        }
    }
}

impl<T> fmt::Display for BytemapError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchHandle(_) => "the pool cannot have this handle",
            Self::Live(_) => "the slot is live: remove its object first",
            Self::Stale(_) => "the slot has had this seed already",
        })
    }
}

impl<T: fmt::Debug> core::error::Error for BytemapError<T> {}
