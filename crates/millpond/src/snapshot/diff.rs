//! How two snapshots differ.

use core::fmt;
use core::ops::Range;

use super::ranges::joined;
use super::state::Shape;
use super::{Checksum, SlotState, SnapshotOf, State, ToChecksum};
use crate::handle::{self, Word};

/// A difference between two snapshots, the left and the right.
///
/// It prints as one line that names the slot and the difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference<H> {
    /// The pools differ in capacity, generations or policy. Nothing else is compared.
    Pool,
    /// A slot is live in only one of them, or has another generation.
    Slot {
        /// The index of the slot.
        index: usize,
        /// The slot's state in the left snapshot.
        left: SlotState<H>,
        /// The slot's state in the right snapshot.
        right: SlotState<H>,
    },
    /// The values of an object differ.
    Value {
        /// The index of the slot.
        index: usize,
        /// The object's handle; `None` for a dead object of a recycler.
        handle: Option<H>,
    },
    /// The reuse orders differ. Only the first difference is reported.
    Order {
        /// The number of slots before the difference in the order.
        position: usize,
        /// The slot at this position in the left snapshot, if any.
        left: Option<usize>,
        /// The slot at this position in the right snapshot, if any.
        right: Option<usize>,
    },
}

impl<H: fmt::Display> fmt::Display for Difference<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slot = |index: &Option<usize>| Printed(*index);
        match self {
            Difference::Pool => f.write_str("the pools differ in capacity, lifetimes or policy"),
            Difference::Slot { index, left, right } => {
                write!(f, "slot {index}: left {left}, right {right}")
            }
            Difference::Value { index, handle: Some(handle) } => {
                write!(f, "slot {index}: the values of {handle} differ")
            }
            Difference::Value { index, handle: None } => {
                write!(f, "slot {index}: the values of the dead object differ")
            }
            Difference::Order { position, left, right } => {
                write!(f, "order, place {position}: left {}, right {}", slot(left), slot(right))
            }
        }
    }
}

/// A slot of an order.
struct Printed(Option<usize>);

impl fmt::Display for Printed {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(index) => write!(f, "slot {index}"),
            None => f.write_str("none"),
        }
    }
}

/// An iterator over the differences between two snapshots: those of the slots by index, then that
/// of the order. Returned by [`SnapshotOf::diff`].
///
/// Needs the feature `history`.
pub struct Diff<'a, P, F> {
    left: &'a P,
    right: &'a P,
    add_value: F,
    /// The slots that were not compared yet.
    slots: Range<usize>,
    /// The slot before them has equal words, and values to be compared.
    values_of: Option<usize>,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    Pool,
    Slots,
    Order,
    Done,
}

impl<P: State> SnapshotOf<P> {
    /// Iterates over the differences between this snapshot, the left one, and `right`, for example
    /// to find out where two machines diverged. Values are compared by their checksums.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let mut pool = Pool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// let left = pool.snapshot();
    /// pool[a] = 10;
    /// pool.remove(b);
    /// let right = pool.snapshot();
    ///
    /// let lines: Vec<_> = left.diff(&right).map(|difference| difference.to_string()).collect();
    /// assert_eq!(lines, [
    ///     "slot 0: the values of 0v1 differ",
    ///     "slot 1: left 1v1 is live, right is dead, 1v2 comes next",
    ///     "order, place 0: left slot 2, right slot 1",
    /// ]);
    /// ```
    pub fn diff<'a>(
        &'a self,
        right: &'a Self,
    ) -> Diff<'a, P, impl Fn(&P::Value, &mut Checksum) + use<P>>
    where
        P: State<Value: ToChecksum>,
    {
        self.diff_with(right, |value, sum| value.add_to(sum))
    }

    /// Like [`diff`](Self::diff), but `add_value` adds a value to a checksum.
    pub fn diff_with<'a, F: Fn(&P::Value, &mut Checksum)>(
        &'a self,
        right: &'a Self,
        add_value: F,
    ) -> Diff<'a, P, F> {
        Diff::new(&self.pool, &right.pool, add_value)
    }
}

impl<'a, P: State, F: Fn(&P::Value, &mut Checksum)> Diff<'a, P, F> {
    pub(crate) fn new(left: &'a P, right: &'a P, add_value: F) -> Self {
        let used = left.used().max(right.used());
        let slots = 0..if P::DEAD_HAVE_VALUES { left.shape().capacity } else { used };
        Self { left, right, add_value, slots, values_of: None, part: Part::Pool }
    }

    fn values_differ(&self, index: usize) -> bool {
        let sum = |value: Option<&P::Value>| {
            value.map(|value| {
                let mut sum = Checksum::new();
                (self.add_value)(value, &mut sum);
                sum.finish()
            })
        };
        sum(self.left.value(index)) != sum(self.right.value(index))
    }

    fn next_of_slots(&mut self) -> Option<Difference<P::Handle>> {
        loop {
            let looked_at = self.values_of.take();
            if let Some(index) = looked_at.filter(|index| self.values_differ(*index)) {
                let word = self.left.word(index);
                let handle = (!word.is_dead()).then(|| handle::kept::<P::Handle>(index, word));
                return Some(Difference::Value { index, handle });
            }
            let index = self.slots.next()?;
            let after_gap = self.left.after_gap(index).min(self.right.after_gap(index));
            if after_gap > index {
                self.slots.start = after_gap;
                continue;
            }
            let (left, right) = (self.left.word(index), self.right.word(index));
            if left == right || P::DEAD_HAVE_VALUES {
                self.values_of = Some(index);
            }
            if left != right {
                let (left, right) = (SlotState::of(index, left), SlotState::of(index, right));
                return Some(Difference::Slot { index, left, right });
            }
        }
    }

    fn of_order(&self) -> Option<Difference<P::Handle>> {
        let (mut left, mut right) = (joined(self.left.order()), joined(self.right.order()));
        let mut position = 0;
        loop {
            let (a, b) = (left.next(), right.next());
            if a == b {
                position += a?.len();
                continue;
            }
            let (a, b) = (a.unwrap_or(0..0), b.unwrap_or(0..0));
            // Ranges that begin alike differ where the shorter one ends.
            let alike = if a.start == b.start { a.len().min(b.len()) } else { 0 };
            let at = |range: Range<usize>, rest: Option<Range<usize>>| match range.len() > alike {
                true => Some(range.start + alike),
                false => rest.map(|range| range.start),
            };
            let (left, right) = (at(a, left.next()), at(b, right.next()));
            return Some(Difference::Order { position: position + alike, left, right });
        }
    }
}

impl<P: State, F: Fn(&P::Value, &mut Checksum)> Iterator for Diff<'_, P, F> {
    type Item = Difference<P::Handle>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.part {
                Part::Pool => {
                    let differ = self.left.check_shape(self.right).is_err();
                    self.part = if differ { Part::Done } else { Part::Slots };
                    if differ {
                        return Some(Difference::Pool);
                    }
                }
                Part::Slots => match self.next_of_slots() {
                    Some(difference) => return Some(difference),
                    None => self.part = Part::Order,
                },
                Part::Order => {
                    self.part = Part::Done;
                    return self.of_order();
                }
                Part::Done => return None,
            }
        }
    }
}

impl<P: State, F> fmt::Debug for Diff<'_, P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape { capacity, .. } = self.left.shape();
        f.debug_struct("Diff").field("capacity", &capacity).finish_non_exhaustive()
    }
}
