use core::fmt;

/// Why exclusive access to a value is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TakeError {
    /// The handle is refused: its object was removed, or belongs to another pool.
    Stale,
    /// The value has guards. It is still live.
    Busy,
}

impl fmt::Display for TakeError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TakeError::Stale => "the handle is refused: its object is not in the pool",
            TakeError::Busy => "the value has guards, and is still live",
        })
    }
}

impl core::error::Error for TakeError {}
