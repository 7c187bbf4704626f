//! What is planned from hostile bytes, and what must hold of it, whoever made the bytes: the fuzz targets, or the
//! tests of this crate.

use millpond_lend::replay::{Question, plan};
use millpond_plan::input::Source;
use millpond_plan::loans::{Recording, recorded};
use millpond_plan::plan::{Headroom, Prices, Rules};

pub(crate) const RULES: Rules = Rules {
    headroom: Headroom { percent: 10.0 },
    ticks_per_second: Some(35.0),
    run_ms: None,
    skip_callers: Vec::new(),
    blocks_at_hand: 7,
    prices: Prices::REFERENCE,
    session_seconds: 3600.0,
};

/// Plans the loans of a source for callers who come when they come, and for callers who ask again; or the source is
/// refused in one line.
pub(crate) fn plan_loans(source: &Source) {
    let pools = match recorded(source, &[]) {
        Ok(Recording { pools, .. }) => pools,
        Err(fault) => return is_one_line(&fault.to_string()),
    };
    for callers in [None, Some(0)] {
        let question = Question { callers, ..Question::default() };
        for pool in &pools {
            let plan = plan(pool, &question);
            assert!(plan.deviation().is_finite(), "no number: {pool:?} {plan:?}");
            let is_tried = |n| plan.capacities.iter().any(|at| at.capacity == n);
            assert!(plan.smallest.is_none_or(is_tried), "not tried: {pool:?} {plan:?}");
        }
    }
}

pub(crate) fn is_one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains('\n'), "not one line: {told:?}");
}
