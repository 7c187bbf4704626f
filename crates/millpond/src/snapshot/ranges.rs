//! A sequence of slots as ranges.

use core::iter::from_fn;
use core::ops::Range;

/// Joins each range with the next one if that begins where the first ends, so that a sequence of
/// slots has only one form, the shortest.
pub(crate) fn joined(
    mut ranges: impl Iterator<Item = Range<usize>>,
) -> impl Iterator<Item = Range<usize>> {
    // The range that may still grow.
    let mut pending = None::<Range<usize>>;
    from_fn(move || {
        for range in ranges.by_ref() {
            match &mut pending {
                _ if range.is_empty() => {}
                Some(pending) if pending.end == range.start => pending.end = range.end,
                pending => {
                    if let Some(whole) = pending.replace(range) {
                        return Some(whole);
                    }
                }
            }
        }
        pending.take()
    })
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn joins_what_is_adjacent_and_ascends() {
        let all_joined = |ranges: &[(usize, usize)]| {
            let ranges = ranges.iter().map(|&(start, end)| start..end);
            joined(ranges).map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(all_joined(&[]), []);
        assert_eq!(all_joined(&[(3, 3)]), []);
        assert_eq!(all_joined(&[(3, 4), (4, 5), (5, 9)]), [(3, 9)]);
        let mixed = [(3, 4), (4, 4), (4, 5), (3, 4), (2, 3)];
        assert_eq!(all_joined(&mixed), [(3, 5), (3, 4), (2, 3)]);
    }
}
