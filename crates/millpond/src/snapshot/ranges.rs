//! A sequence of slots as ranges.

use core::ops::Range;

/// Joins each range with the next one if that begins where the first ends, so that a sequence of
/// slots has only one form, the shortest.
pub(crate) struct Joined<I> {
    ranges: I,
    /// The range that may still grow.
    pending: Option<Range<usize>>,
}

impl<I: Iterator<Item = Range<usize>>> Joined<I> {
    pub(crate) fn new(ranges: I) -> Self {
        Self { ranges, pending: None }
    }
}

impl<I: Iterator<Item = Range<usize>>> Iterator for Joined<I> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        for range in self.ranges.by_ref() {
            match &mut self.pending {
                _ if range.is_empty() => {}
                Some(pending) if pending.end == range.start => pending.end = range.end,
                pending => {
                    if let Some(whole) = pending.replace(range) {
                        return Some(whole);
                    }
                }
            }
        }
        self.pending.take()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn joins_what_is_adjacent_and_ascends() {
        let joined = |ranges: &[(usize, usize)]| {
            let ranges = ranges.iter().map(|&(start, end)| start..end);
            Joined::new(ranges).map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(joined(&[]), []);
        assert_eq!(joined(&[(3, 3)]), []);
        assert_eq!(joined(&[(3, 4), (4, 5), (5, 9)]), [(3, 9)]);
        let mixed = [(3, 4), (4, 4), (4, 5), (3, 4), (2, 3)];
        assert_eq!(joined(&mixed), [(3, 5), (3, 4), (2, 3)]);
    }
}
