//! Births and deaths that directly follow each other, which reveal resized buffers and growing vectors in a recording.

use std::collections::HashMap;

/// By two kinds of different sizes: how often a block of the first was born directly before or after one of the second
/// died.
pub(super) type NeighbourCounts = HashMap<(u32, u32), u64, foldhash::fast::RandomState>;

/// Pairs are counted this many at a time: one after the other, the processor looks several of them up at once.
const COUNTED_AT_ONCE: usize = 1 << 10;

/// Counts neighbours while a recording is read.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    counts: NeighbourCounts,
    /// Pairs that are not counted yet.
    pairs: Vec<(u32, u32)>,
    /// The previous event, and whether it is a birth.
    before: Option<(KindOfClass, bool)>,
}

/// A kind of allocation, and the class of its size.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindOfClass {
    pub(super) kind: u32,
    pub(super) class: u32,
}

impl Neighbours {
    /// Takes the next event. A birth and a death in a row are neighbours, in either order.
    #[inline]
    pub(super) fn event(&mut self, this: KindOfClass, is_birth: bool) {
        if let Some((other, was_birth)) = self.before
            && was_birth != is_birth
        {
            let (born, died) = if is_birth { (this, other) } else { (other, this) };
            self.count(born, died);
        }
        self.before = Some((this, is_birth));
    }

    /// Takes an event that resizes a block; `died` is unknown if the block is older than the recording.
    pub(super) fn resize(&mut self, born: KindOfClass, died: Option<KindOfClass>) {
        self.before = None;
        if let Some(died) = died {
            self.count(born, died);
        }
    }

    /// Blocks of equal size only take turns, so they do not count.
    #[inline]
    fn count(&mut self, born: KindOfClass, died: KindOfClass) {
        if born.class != died.class {
            self.pairs.push((born.kind, died.kind));
            if self.pairs.len() == COUNTED_AT_ONCE {
                self.count_pairs();
            }
        }
    }

    fn count_pairs(&mut self) {
        for pair in self.pairs.drain(..) {
            *self.counts.entry(pair).or_default() += 1;
        }
    }

    pub(super) fn into_counts(mut self) -> NeighbourCounts {
        self.count_pairs();
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: KindOfClass = KindOfClass { kind: 0, class: 0 };
    const ALSO_SMALL: KindOfClass = KindOfClass { kind: 1, class: 0 };
    const LARGE: KindOfClass = KindOfClass { kind: 2, class: 1 };

    fn counted(events: &[(KindOfClass, bool)]) -> Vec<((u32, u32), u64)> {
        let mut neighbours = Neighbours::default();
        events.iter().for_each(|&(kind, is_birth)| neighbours.event(kind, is_birth));
        let mut counts: Vec<_> = neighbours.into_counts().into_iter().collect();
        counts.sort_unstable();
        counts
    }

    #[test]
    fn a_birth_and_a_death_of_different_sizes_are_neighbours_in_either_order() {
        assert_eq!(counted(&[(LARGE, true), (SMALL, false)]), [((2, 0), 1)]);
        assert_eq!(counted(&[(SMALL, false), (LARGE, true)]), [((2, 0), 1)]);
        let growing = [(LARGE, true), (SMALL, false), (LARGE, true)];
        assert_eq!(counted(&growing), [((2, 0), 2)], "each pair of events counts");
    }

    #[test]
    fn equal_sizes_and_two_births_are_no_neighbours() {
        assert_eq!(counted(&[(SMALL, true), (ALSO_SMALL, false)]), []);
        assert_eq!(counted(&[(SMALL, true), (LARGE, true)]), []);
        assert_eq!(counted(&[(SMALL, false), (LARGE, false)]), []);
    }

    #[test]
    fn a_resize_stands_alone() {
        let mut neighbours = Neighbours::default();
        neighbours.event(SMALL, false);
        neighbours.resize(LARGE, Some(ALSO_SMALL));
        neighbours.resize(LARGE, None);
        neighbours.event(SMALL, false);
        assert_eq!(neighbours.into_counts(), NeighbourCounts::from_iter([((2, 1), 1)]));
    }
}
