//! Births and deaths that directly follow each other, which reveal resized buffers and growing vectors in a recording.

/// Two kinds of different sizes, in ascending order, and how often a block of the first was born directly before or after
/// one of the second died.
pub(super) type NeighbourCounts = Vec<((u32, u32), u64)>;

/// At least this many pairs are counted at a time, and no fewer than have been counted apart: sorting them takes less
/// time than looking each up in a table that is larger than the caches.
const COUNTED_AT_ONCE: usize = 1 << 16;

/// Counts neighbours while a recording is read.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// Pairs in ascending order, and how often each was seen. A pair is a word, because words are sorted in half the time:
    /// the kind that was born is in its upper half.
    counts: Vec<(u64, u64)>,
    /// Pairs that are not counted yet.
    pairs: Vec<u64>,
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
            self.pairs.push(u64::from(born.kind) << 32 | u64::from(died.kind));
            if self.pairs.len() >= COUNTED_AT_ONCE.max(self.counts.len()) {
                self.count_pairs();
            }
        }
    }

    fn count_pairs(&mut self) {
        self.pairs.sort_unstable();
        let mut counts = Vec::with_capacity(self.counts.len());
        let mut before = self.counts.drain(..).peekable();
        for same in self.pairs.chunk_by(|a, b| a == b) {
            let (pair, mut times) = (same[0], same.len() as u64);
            while let Some(smaller) = before.next_if(|counted| counted.0 < pair) {
                counts.push(smaller);
            }
            times += before.next_if(|counted| counted.0 == pair).map_or(0, |counted| counted.1);
            counts.push((pair, times));
        }
        counts.extend(before);
        self.counts = counts;
        self.pairs.clear();
    }

    pub(super) fn into_counts(mut self) -> NeighbourCounts {
        self.count_pairs();
        let kinds = |pair: u64| ((pair >> 32) as u32, pair as u32);
        self.counts.into_iter().map(|(pair, times)| (kinds(pair), times)).collect()
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
        neighbours.into_counts()
    }

    #[test]
    fn many_pairs_are_counted_as_few_are() {
        let mut random = crate::random::SplitMix64::new(1);
        let mut neighbours = Neighbours::default();
        let mut expected = std::collections::BTreeMap::new();
        for _ in 0..COUNTED_AT_ONCE * 3 + 5 {
            let (born, died) = (random.below(900) as u32, random.below(9) as u32 + 1000);
            let kind = |kind| KindOfClass { kind, class: kind };
            neighbours.resize(kind(born), Some(kind(died)));
            *expected.entry((born, died)).or_default() += 1;
        }
        assert_eq!(neighbours.into_counts(), Vec::from_iter(expected));
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
        assert_eq!(neighbours.into_counts(), [((2, 1), 1)]);
    }
}
