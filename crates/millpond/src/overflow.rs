//! Overflow policies: what an insertion into a full pool does.
//!
//! | policy | what a full pool does | cost when full | use it for |
//! | --- | --- | --- | --- |
//! | [`Refuse`] | returns the value | O(1) | objects that may be left out: particles, puffs of smoke |
//! | [`EvictLeast`] | evicts the live object with the smallest key | O(capacity / 64 + live) | objects whose loss is barely noticed: the quietest sound, the farthest light |
//! | [`EvictLesser`] | the same, but refuses a value that is less than all of them | the same | the same, where new ones may matter least: a whisper in a battle |
//! | [`EvictOldest`] | evicts the oldest object | O(1) | objects that fade: bullet holes, footprints, the kill feed |
//! | [`Spill`] | inserts into a second pool | O(1) | objects that must not be lost and rarely reach their peak number |
//! | to grow: [`Overflow::Grow`] in a [`PolicyPool`](PolicyPool#growth), or any policy on a [`VecPool`](crate::VecPool) | doubles its slots, up to a limit | O(capacity), plus the global allocator's cost; O(1) on average | the same, if their number is unknown and a late frame is the lesser evil |
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
//! Each policy works with every pool that is [`Bounded`]. With pools that insert in another way (a
//! [`Recycler`](crate::Recycler), a [`HandleAllocator`](crate::HandleAllocator) beside your own
//! arrays), call [`EvictOldest::oldest`] to find the object to remove. To choose a policy at run
//! time, for example from a [`Budget`](crate::Budget), use a [`PolicyPool`]; [`Overflow`] has the
//! policies' names.

#[cfg(all(feature = "alloc", feature = "policies"))]
pub use crate::around::evict_oldest::EvictOldest;
#[cfg(feature = "budget")]
pub use crate::around::policy_pool::PolicyPool;
pub use crate::policies::*;
