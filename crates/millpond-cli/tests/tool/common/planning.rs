//! What is planned from hostile bytes, and what must hold of it, whoever made the bytes: the fuzz targets, or the
//! tests of this crate.

use millpond_lend::replay::{Question, plan};
use millpond_plan::input::Source;
use millpond_plan::loans::{Recording, recorded};
use millpond_plan::plan::{Headroom, NotTried, Prices, Rules};

pub(crate) const RULES: Rules = Rules {
    headroom: Headroom { percent: 10.0 },
    ticks_per_second: Some(35.0),
    run_ms: None,
    skip_callers: Vec::new(),
    blocks_at_hand: 7,
    prices: Prices::REFERENCE,
    not_tried: Some(NotTried::Unasked),
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

/// Plans the sums of a source; or it is refused in one line.
pub(crate) fn plan_sums(source: &Source) {
    let plan = match millpond_plan::sums::plan_sums("input", source, RULES.headroom, &[]) {
        Ok(plan) => plan,
        Err(fault) => return is_one_line(&fault.to_string()),
    };
    for place in &plan.places {
        let (at_once, blocks) = (place.at_once, place.blocks);
        let is_in_order = at_once.least <= at_once.most
            && (at_once.most <= blocks || !plan.tool.counts_requests())
            && place.left <= at_once.least;
        assert!(is_in_order && at_once.least > 0, "impossible: {place:?}");
        assert!(
            place.reserve.is_none_or(|slots| u64::from(slots) >= at_once.most),
            "too few: {place:?}"
        );
    }
}
