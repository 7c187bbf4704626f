//! Figures that follow from which object died, where a recording does not say it: from one end to the other.
//!
//! A recording may name only the kind of a block that is freed, its size and its call stack. The plan then computes all that
//! follows from lives twice: as if of each kind the newest block died first, and as if the oldest did. Stacks and
//! temporaries are near the first end; what a game spawns and lets expire is near the second. Refusals have ends of [their
//! own](super::refusals). Where both ends agree, and where the recording says who died, there is one figure.

use super::exhaustion::{BusiestSlot, SlotPace};
use super::lengths::{Length, Lengths};
use super::smaller::Smaller;

/// The lesser and the greater of two figures, which are the same if it is known who died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between<T> {
    /// The lesser one.
    pub least: T,
    /// The greater one.
    pub most: T,
}

impl<T: PartialEq + Copy> Between<T> {
    /// A figure that is known.
    #[must_use]
    pub fn known(figure: T) -> Self {
        Self { least: figure, most: figure }
    }

    /// The figure, if there is but one.
    #[must_use]
    pub fn one(&self) -> Option<T> {
        (self.least == self.most).then_some(self.least)
    }

    /// Both, each as something else.
    #[must_use]
    pub fn map<U>(self, mut to: impl FnMut(T) -> U) -> Between<U> {
        Between { least: to(self.least), most: to(self.most) }
    }
}

impl Between<u64> {
    /// The figures at both ends.
    #[must_use]
    pub fn ends(one: u64, other: u64) -> Self {
        Self { least: one.min(other), most: one.max(other) }
    }
}

impl Between<Length> {
    /// The lengths at both ends. Of two that are as long, one that may be longer is the greater one.
    #[must_use]
    pub fn of_lengths(one: Length, other: Length) -> Self {
        let order = |length: &Length| (length.ticks, length.at_least);
        match order(&one) <= order(&other) {
            true => Self { least: one, most: other },
            false => Self { least: other, most: one },
        }
    }
}

/// What smaller pools of the same capacity do, from one end to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallerBetween {
    /// The smaller pool's capacity.
    pub capacity: u32,
    /// The number of refused objects, if a full pool refuses.
    pub refused: Between<u64>,
    /// The number of evicted objects, if a full pool evicts its oldest.
    pub evicted: Between<u64>,
}

impl SmallerBetween {
    pub(super) fn known(pool: &Smaller) -> Self {
        Self {
            capacity: pool.capacity,
            refused: Between::known(pool.refused),
            evicted: Between::known(pool.evicted),
        }
    }

    /// From both ends of who died, and from the fewest and the most refusals of any way to die. Where the blocks of a size
    /// come from several call stacks, evictions may lie beyond both ends, as far as refusals may.
    pub(super) fn ends(one: &Smaller, other: &Smaller, refused: Between<u64>) -> Self {
        let figures = [one.refused, other.refused, one.evicted, other.evicted];
        let is_known = refused.one().is_some() && one == other;
        if is_known {
            return Self::known(one);
        }
        let both = figures.iter().fold(refused, |all, &figure| Between {
            least: all.least.min(figure),
            most: all.most.max(figure),
        });
        Self { capacity: one.capacity, refused: both, evicted: both }
    }

    /// Both figures together.
    #[must_use]
    pub fn either(&self) -> Between<u64> {
        Between {
            least: self.refused.least.min(self.evicted.least),
            most: self.refused.most.max(self.evicted.most),
        }
    }

    /// Whether both figures are one each.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.refused.one().is_some() && self.evicted.one().is_some()
    }
}

/// How often the busiest slot was used, from one end to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusiestBetween {
    /// If the slot freed last is used next.
    pub lifo: Between<u64>,
    /// If the slot freed first is used next.
    pub fifo: Between<u64>,
}

impl BusiestBetween {
    pub(super) fn ends(one: BusiestSlot, other: BusiestSlot) -> Self {
        Self {
            lifo: Between::ends(one.lifo, other.lifo),
            fifo: Between::ends(one.fifo, other.fifo),
        }
    }

    /// The busiest that both orders can be: what lasts then, lasts in any case.
    #[must_use]
    pub fn most(&self) -> BusiestSlot {
        BusiestSlot { lifo: self.lifo.most, fifo: self.fifo.most }
    }

    /// The least busy that they can be.
    #[must_use]
    pub fn least(&self) -> BusiestSlot {
        BusiestSlot { lifo: self.lifo.least, fifo: self.fifo.least }
    }

    /// The fastest and the slowest pace, in a trace of this many seconds.
    #[must_use]
    pub fn pace(&self, trace_seconds: f64) -> PaceBetween {
        PaceBetween {
            fastest: self.most().pace(trace_seconds),
            slowest: self.least().pace(trace_seconds),
        }
    }
}

/// How fast the busiest slot is used up, from one end to the other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PaceBetween {
    /// The fastest that it may be.
    pub fastest: SlotPace,
    /// The slowest that it may be.
    pub slowest: SlotPace,
}

impl PaceBetween {
    /// The faster of both, for each reuse order and at each end.
    #[must_use]
    pub fn or_faster(self, other: Self) -> Self {
        Self {
            fastest: self.fastest.or_faster(other.fastest),
            slowest: self.slowest.or_faster(other.slowest),
        }
    }
}

/// The lifetimes of a class as if the oldest of several equal blocks had died first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OldestFirst {
    /// The lengths of the lifetimes that ended.
    pub ended: Lengths,
    /// The ages of the objects that were still alive at the end.
    pub left: Lengths,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_lesser_end_first_whichever_assumption_it_comes_from() {
        let smaller = |refused, evicted| Smaller { capacity: 9, refused, evicted };
        let (one, other) = (smaller(40, 2), smaller(15, 39));
        let both = SmallerBetween::ends(&one, &other, Between::ends(12, 41));
        assert_eq!((both.refused, both.evicted), (Between::ends(2, 41), Between::ends(2, 41)));
        let same = SmallerBetween::ends(&one, &one, Between::known(40));
        assert_eq!(same, SmallerBetween::known(&one));
        assert_eq!(both.either(), Between::ends(2, 41));
        assert!(!both.is_known() && SmallerBetween::known(&one).is_known());
        let busiest = |lifo, fifo| BusiestSlot { lifo, fifo };
        let both = BusiestBetween::ends(busiest(71, 8), busiest(24, 9));
        assert_eq!((both.most(), both.least()), (busiest(71, 9), busiest(24, 8)));
        let length = |ticks, at_least| Length { ticks, at_least };
        let both = Between::of_lengths(length(20, true), length(20, false));
        assert_eq!((both.least, both.one()), (length(20, false), None));
        assert_eq!(Between::known(length(3, true)).one(), Some(length(3, true)));
    }
}
