use millpond::Full;
use millpond::overflow::{Bounded, Inserted};

/// An overflow policy: inserts into a pool, full or not.
///
/// It is a trait so that a program can have policies of its own, from what a pool that is [`Bounded`] offers:
///
/// ```
/// use millpond::{Full, Pool};
/// use millpond::overflow::{Bounded, Inserted};
/// use millpond_overflow::Policy;
///
/// /// A full pool starts again from nothing: a cache that is cheap to fill.
/// struct ClearAll;
///
/// impl<P: Bounded> Policy<P> for ClearAll {
///     fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>> {
///         if pool.is_full() {
///             pool.clear();
///         }
///         pool.insert(value).map(|handle| (handle, None))
///     }
/// }
///
/// let mut paths = Pool::new(2);
/// ["a to b", "b to c", "c to d"].map(|path| ClearAll.insert(&mut paths, path).unwrap());
/// assert_eq!(paths.values().collect::<Vec<_>>(), [&"c to d"]);
/// ```
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
