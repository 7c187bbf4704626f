//! The pools of this project beside the best peer that promises the same: each cell as a ratio.

use crate::cell::Cell;
use crate::contender::Kind;
use crate::results::{Beside, REFERENCE, Results, VEC_POOL};

/// Whoever has a row in [`beside`].
const POOLS: [&str; 2] = [REFERENCE, VEC_POOL];

/// A row for each work and group, and each of [`POOLS`], wherever there is such a peer. Peers have no loop over runs:
/// there the faster of their loops counts.
pub(crate) fn beside(results: &Results) -> Vec<Beside> {
    let rows = results.cells.iter().filter(|cell| POOLS.contains(&cell.contender.as_str()));
    rows.filter_map(|cell| row(results, cell)).collect()
}

fn row(results: &Results, cell: &Cell) -> Option<Beside> {
    let peer = results.best_loop(&cell.work, cell.group(), &[Kind::Generational])?;
    let ratio = cell.ratio(peer);
    // To create a large store takes no time that a figure for each slot would show.
    ratio.is_finite().then(|| Beside {
        work: cell.work.clone(),
        object_bytes: cell.object_bytes,
        slots: cell.slots,
        contender: cell.contender.clone(),
        peer: peer.contender.clone(),
        peer_ns: peer.median,
        ratio,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pool_is_beside_the_fastest_peer_that_promises_the_same() {
        let cell = |work: &str, contender: &str, kind, median| Cell {
            work: work.into(),
            object_bytes: 64,
            slots: 100,
            contender: contender.into(),
            kind,
            median,
            spread_percent: None,
            rounds: 1,
            processes: vec![median],
        };
        let mut results = Results::new(crate::report::this_run(1, 1, 1));
        for (work, ours) in
            [("x, for", 3.0), ("x, for_each", 2.0), ("x, runs", 4.0), ("alone", 1.0)]
        {
            results.cells.push(cell(work, REFERENCE, Kind::Millpond, ours));
        }
        for (work, peer, kind, ns) in [
            ("x, for", "slow", Kind::Generational, 9.0),
            ("x, for", "best", Kind::Generational, 4.0),
            ("x, for", "moves its values", Kind::GenerationalDense, 1.0),
            ("x, for", "accepts stale keys", Kind::Index, 1.0),
            ("x, for_each", "slow", Kind::Generational, 2.0),
        ] {
            results.cells.push(cell(work, peer, kind, ns));
        }
        let rows = beside(&results);
        let rows: Vec<_> = rows.iter().map(|row| (&*row.work, &*row.peer, row.ratio)).collect();
        assert_eq!(
            rows,
            [("x, for", "best", 0.75), ("x, for_each", "slow", 1.0), ("x, runs", "slow", 2.0)]
        );
    }
}
