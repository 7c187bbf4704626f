//! Overflow policies: what happens when a full pool is asked for more.
//!
//! | policy | what a full pool does | cost when full | pick it for |
//! | --- | --- | --- | --- |
//! | [`Refuse`] | gives the value back | O(1) | what may be left out: particles, puffs of smoke |
//! | [`EvictLeast`] | the live object with the smallest key goes | O(capacity / 64 + live) | what is noticed least: the quietest sound, the farthest light |
//! | [`EvictOldest`] | the object that has lived longest goes | O(1) | what wears off: bullet holes, footprints, the kill feed |
//! | [`Spill`] | a second pool takes it | O(1) | what must not be lost, and seldom has its peak |
//! | to grow: [`Overflow::Grow`] in a [`PolicyPool`](PolicyPool#growth), or any policy on a [`BlockPool`](crate::BlockPool) | takes memory for a block of slots more, up to a limit | O(block), and what the allocator takes | as above, where nobody knows how many, and a late frame is the lesser harm |
//!
//! The evicted object is returned, with the handle that it had.
//!
//! ```
//! use millpond::overflow::{EvictLeast, EvictOldest, Policy, Refuse};
//! use millpond::Pool;
//!
//! let mut sparks = Pool::new(1);
//! Refuse.insert(&mut sparks, "red").unwrap();
//! assert_eq!(Refuse.insert(&mut sparks, "blue").unwrap_err().into_inner(), "blue");
//!
//! let mut voices = Pool::new(1);
//! let mut quietest = EvictLeast(|_, voice: &(&str, u8)| voice.1);
//! quietest.insert(&mut voices, ("crickets", 10)).unwrap();
//! let (_, evicted) = quietest.insert(&mut voices, ("thunder", 70)).unwrap();
//! assert_eq!(evicted.unwrap().1, ("crickets", 10));
//!
//! let mut holes = Pool::new(2);
//! let mut oldest = EvictOldest::beside(&holes);
//! let (first, _) = oldest.insert(&mut holes, "in the door").unwrap();
//! oldest.insert(&mut holes, "in the wall").unwrap();
//! let (_, evicted) = oldest.insert(&mut holes, "in the window").unwrap();
//! assert_eq!(evicted, Some((first, "in the door")));
//! ```
//!
//! Each policy works on every pool of values that can be full: [`Bounded`]. What has another way to insert (a
//! [`Recycler`](crate::Recycler), an [`AnyPool`](crate::AnyPool), a
//! [`HandleAllocator`](crate::HandleAllocator) beside arrays of your own) asks
//! [`EvictOldest::oldest`] who has to go. Where a table decides which one it is
//! ([`Budget`](crate::Budget)), a [`PolicyPool`] follows it at run time; [`Overflow`] has the names.

mod bounded;
mod evict_least;
#[cfg(feature = "alloc")]
mod evict_oldest;
mod named;
#[cfg(feature = "alloc")]
mod policy_pool;
mod refuse;
mod spill;

pub use bounded::{Bounded, Lifetimes};
pub use evict_least::EvictLeast;
#[cfg(feature = "alloc")]
pub use evict_oldest::EvictOldest;
pub use named::{Overflow, UnknownOverflow};
#[cfg(feature = "alloc")]
pub use policy_pool::PolicyPool;
pub use refuse::Refuse;
pub use spill::Spill;

pub(crate) use bounded::{bounded, lifetimes, sealed};
#[cfg(feature = "alloc")]
pub(crate) use evict_least::least_of;

use crate::errors::Full;

/// An inserted value's handle, and the object that had to go, with the handle that it had.
pub type Inserted<P> =
    (<P as Lifetimes>::Handle, Option<(<P as Lifetimes>::Handle, <P as Bounded>::Value)>);

/// Inserts into a pool, full or not.
pub trait Policy<P: Bounded> {
    /// Inserts; if the pool is full, does what the policy is there for.
    ///
    /// # Errors
    ///
    /// If there is no room, and none could be made. The error gives the value back.
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>>;
}

/// Removes one object from a full pool and inserts another.
#[inline]
#[cfg_attr(feature = "debug-aids", track_caller)]
fn replace<P: Bounded>(
    pool: &mut P,
    victim: P::Handle,
    value: P::Value,
) -> Result<Inserted<P>, Full<P::Value>> {
    let evicted = pool.evict(victim).map(|evicted| (victim, evicted));
    let handle = pool.insert_if_room(value).map_err(|value| pool.refuse(value))?;
    Ok((handle, evicted))
}
