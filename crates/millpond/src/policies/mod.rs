//! Policies for full pools, and the traits that a pool needs for them. Public as [`overflow`](crate::overflow).

mod bounded;
mod evict_least;
mod named;
#[cfg(feature = "policies")]
mod spill;
mod total;

pub use bounded::{Bounded, Lifetimes};
pub use evict_least::{EvictLeast, EvictLesser};
pub use named::{Overflow, UnknownOverflow};
#[cfg(feature = "policies")]
pub use spill::Spill;
pub use total::Total;

pub(crate) use bounded::slots_together;
pub(crate) use bounded::{bounded, lifetimes, sealed};
pub(crate) use evict_least::{first_evictable, insert_unless_least, least_of};

use crate::reports::errors::Full;

/// The handle of an inserted value, and the evicted object, if any, with the handle that it had.
pub type Inserted<P> =
    (<P as Lifetimes>::Handle, Option<(<P as Lifetimes>::Handle, <P as Bounded>::Value)>);

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

/// Removes one object from a full pool and inserts another.
#[inline]
#[track_caller]
pub(crate) fn replace<P: Bounded>(
    pool: &mut P,
    victim: P::Handle,
    value: P::Value,
) -> Result<Inserted<P>, Full<P::Value>> {
    let evicted = pool.evict(victim).map(|evicted| (victim, evicted));
    let handle = pool.insert_if_room(value).map_err(|value| pool.refuse(value))?;
    Ok((handle, evicted))
}
