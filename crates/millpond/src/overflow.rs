//! Overflow policies: what happens when a full pool is asked for more.
//!
//! | policy | what a full pool does | cost when full | pick it for |
//! | --- | --- | --- | --- |
//! | [`Refuse`] | returns the value | O(1) | what may be left out: particles, puffs of smoke |
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

#[cfg(feature = "alloc")]
pub use crate::around::evict_oldest::EvictOldest;
#[cfg(feature = "alloc")]
pub use crate::around::policy_pool::PolicyPool;
pub use crate::policies::{
    Bounded, EvictLeast, Inserted, Lifetimes, Overflow, Policy, Refuse, Spill, Total,
    UnknownOverflow,
};
