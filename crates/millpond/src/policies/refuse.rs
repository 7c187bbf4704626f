use super::{Bounded, Inserted, Policy};
use crate::reports::errors::Full;

/// The default overflow policy: a full pool returns the value in an error.
///
/// ```
/// use millpond::overflow::{Policy, Refuse};
/// use millpond::Pool;
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
