//! The ids that have been born so far, in little memory.

use std::collections::BTreeMap;

/// The maximum number of separate ranges of ids.
const RANGES_MAX: usize = 1 << 16;

/// The set of born ids, kept as ranges.
///
/// Programs number their objects in order, so nearly all traces are one growing range, and most births only move its
/// end. If the ids of a trace are scattered over more than 65,536 ranges, it is no longer checked: from then on, only
/// an id that is *still alive* is known to be born twice.
#[derive(Debug)]
pub(super) struct BornIds {
    /// The first and last id of each closed range.
    ranges: BTreeMap<u64, u64>,
    /// The first and last id of the range with the greatest id.
    top: Option<(u64, u64)>,
    ranges_max: usize,
}

impl Default for BornIds {
    fn default() -> Self {
        Self { ranges: BTreeMap::new(), top: None, ranges_max: RANGES_MAX }
    }
}

impl BornIds {
    /// Records a birth; `false` if the id is known to have been born before.
    #[inline]
    pub(super) fn insert(&mut self, id: u64) -> bool {
        if let Some((_, last)) = &mut self.top
            && id.checked_sub(1) == Some(*last)
        {
            *last = id;
            return true;
        }
        self.insert_elsewhere(id)
    }

    /// Whether an id is known to have been born.
    pub(super) fn contains(&self, id: u64) -> bool {
        self.top.is_some_and(|(first, last)| (first..=last).contains(&id))
            || self.range_of(id).is_some()
    }

    fn insert_elsewhere(&mut self, id: u64) -> bool {
        let Some((first, last)) = self.top else {
            self.top = Some((id, id));
            return true;
        };
        if id > last {
            self.remember(first, last);
            self.top = Some((id, id));
            return true;
        }
        if id >= first || self.range_of(id).is_some() {
            return false;
        }
        self.insert_below(id, first, last);
        true
    }

    fn range_of(&self, id: u64) -> Option<(u64, u64)> {
        let (&first, &last) = self.ranges.range(..=id).next_back()?;
        (id <= last).then_some((first, last))
    }

    /// Adds an id below the top range that is in no range, and merges it with its neighbours.
    fn insert_below(&mut self, id: u64, top_first: u64, top_last: u64) {
        let mut first = id;
        if let Some(before) = id.checked_sub(1).and_then(|b| self.range_of(b)) {
            self.ranges.remove(&before.0);
            first = before.0;
        }
        if id + 1 == top_first {
            self.top = Some((first, top_last));
            return;
        }
        let last = self.ranges.remove(&(id + 1)).unwrap_or(id);
        self.remember(first, last);
    }

    fn remember(&mut self, first: u64, last: u64) {
        if self.ranges.len() < self.ranges_max {
            self.ranges.insert(first, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_set() {
        for seed in 0..50 {
            let mut ids = BornIds::default();
            let mut model = BTreeSet::new();
            let mut random = SplitMix64::new(seed);
            for id in (0..400).map(|_| random.below(200) as u64) {
                assert_eq!(ids.contains(id), model.contains(&id), "seed {seed} id {id}");
                assert_eq!(ids.insert(id), model.insert(id), "seed {seed} id {id}");
            }
            // Ranges are merged: no two of them are adjacent.
            let mut end = None;
            for (&first, &last) in &ids.ranges {
                assert!(end.is_none_or(|e| e + 1 < first) && first <= last);
                end = Some(last);
            }
            assert!(ids.top.is_some_and(|(first, _)| end.is_none_or(|e| e + 1 < first)));
        }
    }

    #[test]
    fn the_ends_of_the_number_range() {
        let mut ids = BornIds::default();
        for id in [u64::MAX, 0, u64::MAX - 1, 1] {
            assert!(ids.insert(id));
        }
        for id in [u64::MAX, 0, u64::MAX - 1, 1] {
            assert!(!ids.insert(id));
        }
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_wrongly_refused() {
        let mut ids = BornIds { ranges_max: 10, ..BornIds::default() };
        for id in (0..1000).map(|n| n * 2) {
            assert!(ids.insert(id));
        }
        assert!(ids.ranges.len() <= 10);
        for id in (0..999).map(|n| n * 2 + 1) {
            assert!(ids.insert(id));
        }
    }
}
