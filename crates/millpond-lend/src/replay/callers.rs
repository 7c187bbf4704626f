//! Assigns the recorded requests to a number of callers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::trace::TraceRow;

/// For each row, the next row of the same caller, and the caller's pause before it.
///
/// A trace does not name its callers. Each request is attributed to the caller that has been free for the longest;
/// callers without an earlier request come first. So all pause for about equally long. `rows` are in the order of their
/// requests, and at most `callers` of them are open at once.
pub(super) fn next_asks(rows: &[TraceRow], callers: usize) -> Vec<Option<(usize, u64)>> {
    let mut next = vec![None; rows.len()];
    let mut free: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for (index, row) in rows.iter().enumerate() {
        let longest_free = free.peek().filter(|Reverse((since_us, _))| *since_us <= row.asked_us);
        if let (true, Some(Reverse((since_us, last)))) = (index >= callers, longest_free.copied()) {
            free.pop();
            next[last] = Some((index, row.asked_us - since_us));
        }
        free.push(Reverse((row.ended_us, index)));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::next_asks;
    use crate::trace::TraceRow;

    fn rows(spans: &[(u64, u64)]) -> Vec<TraceRow> {
        let row = |(asked_us, ended_us): &(u64, u64)| TraceRow {
            asked_us: *asked_us,
            got_us: Some(*asked_us),
            ended_us: *ended_us,
        };
        spans.iter().map(row).collect()
    }

    #[test]
    fn the_caller_who_has_been_free_longest_asks_next() {
        let rows = rows(&[(0, 10), (5, 7), (12, 20), (12, 13), (30, 31)]);
        // Two callers: the second is free since 7, the first since 10; then one since 13.
        assert_eq!(next_asks(&rows, 2), [Some((3, 2)), Some((2, 5)), None, Some((4, 17)), None]);
        // Three: the third comes with the third ask, and the first is free since 10 when the fifth comes.
        assert_eq!(next_asks(&rows, 3), [Some((4, 20)), Some((3, 5)), None, None, None]);
        assert_eq!(next_asks(&rows, 5), [None; 5]);
    }
}
