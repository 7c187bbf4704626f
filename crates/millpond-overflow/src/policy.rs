use millpond::Full;
use millpond::overflow::{Bounded, Inserted};

/// An overflow policy: inserts into a pool, full or not.
pub trait Policy<P: Bounded> {
    /// Inserts `value` into `pool`; if the pool is full, applies the policy.
    ///
    /// # Errors
    ///
    /// If the pool is full and the policy makes no room. The error returns `value`.
    #[track_caller]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>>;
}

/// The default overflow policy: a full pool returns the value in an error.
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{Policy, Refuse};
///
/// let mut pool = Pool::new(1);
/// let (handle, evicted) = Refuse.insert(&mut pool, "a").unwrap();
/// assert_eq!((pool[handle], evicted), ("a", None));
/// assert_eq!(Refuse.insert(&mut pool, "b").unwrap_err().into_inner(), "b");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refuse;

impl<P: Bounded> Policy<P> for Refuse {
    #[inline]
    #[track_caller]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>> {
        pool.insert(value).map(|handle| (handle, None))
    }
}
