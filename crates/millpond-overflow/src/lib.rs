//! What a full pool does, as a value: policies for the pools of the crate `millpond`, chosen beside a pool or at run
//! time, and budgets that name them.
//!
//! | policy | what a full pool does | cost when full | use it for |
//! | --- | --- | --- | --- |
//! | [`Refuse`] | returns the value | O(1) | objects that may be left out: particles, puffs of smoke |
//! | [`EvictLeast`] | evicts the live object with the smallest key | O(capacity / 64 + live) | objects whose loss is barely noticed: the quietest sound, the farthest light |
//! | [`EvictLesser`] | the same, but refuses a value that is less than all of them | the same | the same, where new ones may matter least: a whisper in a battle |
//! | [`EvictOldest`] | evicts the oldest object | O(1) | objects that fade: bullet holes, footprints, the kill feed |
//! | [`Spill`] | inserts into a second pool | O(1) | objects that must not be lost and rarely reach their peak number |
//! | to grow: [`Overflow::Grow`] in a [`PolicyPool`](PolicyPool#growth), or any policy on a [`VecPool`](millpond::VecPool) | doubles its slots, up to a limit | O(capacity), plus the global allocator's cost; O(1) on average | the same, if their number is unknown and a late frame is the lesser evil |
//!
//! The evicted object is returned, with the handle that it had.
//!
//! ```
//! use millpond::Pool;
//! use millpond_overflow::{EvictLeast, EvictOldest, Policy, Refuse};
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
//! Each policy works with every pool that is [`Bounded`](millpond::overflow::Bounded). (What [`EvictLeast`] and
//! [`EvictLesser`] do, a pool's own methods `insert_or_evict` and `insert_unless_least` do as well, without this
//! crate.) With pools that insert in another way (a [`Recycler`](millpond::Recycler), a
//! [`HandleAllocator`](millpond::HandleAllocator) beside your own arrays), call [`EvictOldest::oldest`] to find the
//! object to remove. To choose a policy at run time, for example from a [`Budget`], use a [`PolicyPool`]; [`Overflow`]
//! has the policies' names.
//!
//! # Cargo features
//!
//! - `alloc` (default): all of it. Without it, the crate has only what needs no memory: [`Refuse`], [`EvictLeast`],
//!   [`EvictLesser`], [`Spill`] and [`Overflow`], for a [`StaticPool`](millpond::StaticPool).
//! - `debug-aids`: the reports of a [`PolicyPool`] for the aids of `millpond::debug`.
//! - `serde`: [`EvictOldest`], [`Spill`] and [`PolicyPool`] can be [saved](millpond::snapshot#saving-to-a-file).
//! - `toml`: `Budget::from_toml`, which reads the capacities of a program's pools from text.
//! - `validate`: a method of that name on a [`PolicyPool`]. (Of a [`Spill`], validate both parts.)
//!
//! The crate is `no_std`. Its version is that of `millpond`, which it depends on.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(all(
        feature = "alloc",
        feature = "debug-aids",
        feature = "serde",
        feature = "toml",
        feature = "validate",
    )),
    allow(
        dead_code,
        rustdoc::broken_intra_doc_links,
        reason = "the parts that are built share a part of it"
    )
)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
pub mod budget;
mod evict_least;
#[cfg(feature = "alloc")]
mod evict_oldest;
mod named;
mod policy;
#[cfg(feature = "alloc")]
mod policy_pool;
#[cfg(feature = "serde")]
mod saved;
mod spill;

#[cfg(feature = "alloc")]
pub use budget::Budget;
pub use evict_least::{EvictLeast, EvictLesser};
#[cfg(feature = "alloc")]
pub use evict_oldest::EvictOldest;
pub use named::{Overflow, UnknownOverflow};
pub use policy::{Policy, Refuse};
#[cfg(feature = "alloc")]
pub use policy_pool::PolicyPool;
pub use spill::Spill;
