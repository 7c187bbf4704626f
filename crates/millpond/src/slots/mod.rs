//! The slots of one pool: which are live, in which lifetime, and which comes next.
//!
//! Every pool with handles is built on this layer. A [`Place`] holds the arrays, [`SlotWords`] records which slots are
//! live and counts them, and a [`Ledger`] has the reuse order, the cycle of generations, and what is rare: a name, the
//! recorder, the counts of refusals and evictions.
//!
//! ```text
//! pool ──▶ Storage     the values: the unsafe code of the pools
//!            └──▶ Slots       lifetimes begin and end
//!                    ├──▶ SlotWords   live or dead, one word per slot; the bitmap
//!                    │       └──▶ Place      where all arrays lie: one block of memory, or the pool itself
//!                    └──▶ Ledger      which slot is next, and in which generation; refusals, statistics
//! ```

#[cfg(feature = "alloc")]
pub(crate) mod bit_tree;
#[allow(unsafe_code)]
mod bitmap;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod block;
mod counters;
mod cycle;
pub(crate) mod generation_settings;
pub(crate) mod generations;
#[allow(unsafe_code)]
mod inline;
mod kind;
mod ledger;
mod partition;
#[allow(unsafe_code)]
mod place;
pub mod reuse;
#[cfg(feature = "alloc")]
pub(crate) mod saved;
#[allow(unsafe_code)]
mod words;

#[cfg(feature = "__c")]
pub(crate) use self::bitmap::BitmapState;
#[cfg(all(test, any(loom, shuttle)))]
pub(crate) use self::bitmap::watched;
#[cfg(feature = "alloc")]
pub(crate) use self::block::Block;
pub(crate) use self::counters::{Counters, retired_among, validate_lifetimes};
pub(crate) use self::cycle::{AnyCycle, CheckWord, GenerationCycle};
pub(crate) use self::inline::Inline;
pub(crate) use self::kind::SlotKind;
pub(crate) use self::ledger::{Ledger, LedgerOf, check_disjoint};
pub(crate) use self::partition::{Parting, Sorting};
pub(crate) use self::place::{Parts, PartsMut, Place};
pub(crate) use self::words::lifetimes::{EntryOf, OwnSlots, Slots};
pub(crate) use self::words::{SlotWords, full_word, handle_at};
