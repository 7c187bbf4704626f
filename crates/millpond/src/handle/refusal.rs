use core::fmt;

/// Why a pool refuses a handle.
///
/// ```
/// use millpond::{Handle, Pool, Refusal};
///
/// let mut pool = Pool::new(1);
/// let handle = pool.insert("ship").unwrap();
/// assert_eq!(pool.check(handle), Ok(()));
/// pool.remove(handle);
/// assert_eq!(pool.check(handle), Err(Refusal::Stale));
/// assert_eq!(pool.check(Handle::from_parts(9, 1).unwrap()), Err(Refusal::OutOfRange));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The slot is beyond the pool's capacity.
    OutOfRange,
    /// The slot is past this lifetime: the object was removed.
    Stale,
    /// The slot has not had this lifetime yet.
    NeverIssued,
    /// The pool has never issued a handle with this generation, and its generations start at its
    /// own point (it has a name or a salt): the handle belongs to another pool.
    OtherPool,
}

impl fmt::Display for Refusal {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::OutOfRange => "out of range: there is no such slot",
            Refusal::Stale => "stale: its object was removed",
            Refusal::NeverIssued => {
                "never issued: its slot has not reached that generation; it may be another pool's"
            }
            Refusal::OtherPool => {
                "it is another pool's, because this one has never issued such a generation"
            }
        })
    }
}

impl core::error::Error for Refusal {}
