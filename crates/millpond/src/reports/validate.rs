//! Checks that the parts of a pool are consistent, independently of the running code.
//!
//! This is for tests, and for programs that check their pools for overwritten memory. With the feature `validate`, each
//! pool with handles has a method `validate`, which visits every slot. (Of a `Spill` of `millpond-overflow`, validate
//! both parts.) It checks that
//!
//! 1. the number of slots whose word is live equals the number of lifetimes that have begun and not ended;
//! 2. each word is possible for its slot, and the number of retired slots equals its counter;
//! 3. the bitmap of live slots agrees with the words, unless it is known to be out of date; in any
//!    case, it has no bits beyond the last slot, nor in a word whose slots were never used;
//! 4. the reuse order has each vacant slot once and no other (`Lifo`: each vacant slot has an entry or comes behind
//!    those that have one, and no entry is out of range; `Fifo`: the links lead through all vacant
//!    slots, and back the same way; `LowestFirst`: the lowest word of the bitmap with a vacant slot is known, with
//!    its vacant slots; the other words with vacant slots are in a tree, whose bits are set if the word below is
//!    not 0; `Roster`: the reverse table is the roster's inverse, and its three parts are the live, the retired and
//!    the vacant slots);
//! 5. the counters agree: no more live and retired slots than slots, no peak below the number of live objects or above
//!    the capacity, no more evictions than ended lifetimes;
//! 6. the storage has as many values as there are words.
//!
//! Some types have other rules in place of some of these:
//!
//! - [`PackedPool`](crate::PackedPool): the order is a permutation of the slots and the positions are its inverse; its
//!   three parts are the live, the retired and the vacant slots, each with a matching word; the handles in the order
//!   are those of the values, or the next ones of the vacant slots; and there is a value for each live slot;
//! - [`SideTable`](crate::SideTable): every word is possible in the handle layout;
//! - `SyncPool`: each slot is in one of its lifetimes; a slot has a free bit unless it has a value or is retired; only
//!   a slot with a value has guards; and the removed objects that guards still keep, and the retired slots, are as many
//!   as are counted.

use alloc::string::{String, ToString};
use core::fmt;

use crate::reports::stats::Stats;

/// An invariant that does not hold: a bug of this library, or memory that other code has
/// overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    rule: &'static str,
    found: String,
}

impl Violation {
    /// Returns the rule that is broken.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns what was found instead.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.found)
    }
}

impl core::error::Error for Violation {}

/// A violation, unless the rule holds.
#[doc(hidden)]
pub fn ensure(holds: bool, rule: &'static str, found: fmt::Arguments<'_>) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation { rule, found: found.to_string() }) }
}

/// The rules of the counters.
#[doc(hidden)]
pub fn ensure_counters(stats: &Stats) -> Result<(), Violation> {
    ensure(
        stats.live + stats.retired <= stats.capacity
            && stats.live <= stats.peak
            && stats.peak <= stats.capacity
            && stats.peak as u64 <= stats.inserted
            && stats.evicted <= stats.removed
            && stats.removed + stats.live as u64 == stats.inserted,
        "the counters agree",
        format_args!("{stats:?}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn each_counter_that_does_not_agree_is_found() {
        let sound = Stats {
            capacity: 8,
            live: 3,
            peak: 5,
            retired: 4,
            inserted: 9,
            removed: 6,
            refused: 70,
            evicted: 2,
        };
        ensure_counters(&sound).unwrap();
        // At the borders.
        ensure_counters(&Stats { retired: 5, ..sound }).unwrap();
        ensure_counters(&Stats { peak: 3, ..sound }).unwrap();
        ensure_counters(&Stats { peak: 8, ..sound }).unwrap();
        ensure_counters(&Stats { evicted: 6, ..sound }).unwrap();
        ensure_counters(&Stats { capacity: 9, peak: 9, ..sound }).unwrap();
        for broken in [
            Stats { retired: 6, ..sound },
            Stats { peak: 2, ..sound },
            Stats { peak: 9, ..sound },
            Stats { capacity: 20, peak: 10, ..sound },
            Stats { evicted: 7, ..sound },
            Stats { removed: 5, ..sound },
            Stats { removed: 7, ..sound },
        ] {
            let violation = ensure_counters(&broken).unwrap_err();
            assert_eq!(violation.rule(), "the counters agree");
            assert_eq!(violation.found(), format!("{broken:?}"));
        }
    }

    #[test]
    fn a_violation_tells_the_rule_and_what_was_found() {
        let violation = ensure(false, "a day has 24 hours", format_args!("{}", 25)).unwrap_err();
        assert_eq!((violation.rule(), violation.found()), ("a day has 24 hours", "25"));
        assert_eq!(violation.to_string(), "a day has 24 hours: 25");
    }
}
