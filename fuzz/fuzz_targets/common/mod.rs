//! What the targets of the importers do: the work of `millpond plan`.

#![allow(dead_code, reason = "every target uses a part of this")]

use millpond_cli::input::Source;
use millpond_cli::loans::pools;
use millpond_cli::plan::{Headroom, Rules};
use millpond_lend::replay::Question;

const RULES: Rules = Rules {
    headroom: Headroom { percent: 10.0 },
    ticks_per_second: Some(35.0),
    skip_callers: Vec::new(),
    blocks_at_hand: 7,
    session_seconds: 3600.0,
};

/// Plans what the bytes say, after the format's first line; compressed bytes as they are.
pub fn plan(first_line: &[u8], bytes: &[u8]) {
    with_source(first_line, bytes, |source| match millpond_cli::plan::plan("input", source, &RULES) {
        Ok(plan) => assert!(plan.proof().holds(), "the plan does not hold"),
        Err(fault) => is_one_line(&fault.to_string()),
    });
}

/// Plans the loans that the bytes say, after the format's first line; compressed bytes as they are.
pub fn plan_loans(first_line: &[u8], bytes: &[u8]) {
    with_source(first_line, bytes, |source| match pools(source) {
        Ok((_, pools)) => {
            for callers in [None, Some(0)] {
                let question = Question { callers, ..Question::default() };
                for pool in &pools {
                    let plan = millpond_lend::replay::plan(pool, &question);
                    assert!(plan.deviation().is_finite(), "no number: {plan:?}");
                    let is_tried = |n| plan.capacities.iter().any(|at| at.capacity == n);
                    assert!(plan.smallest.is_none_or(is_tried), "not tried: {plan:?}");
                }
            }
        }
        Err(fault) => is_one_line(&fault.to_string()),
    });
}

fn with_source(first_line: &[u8], bytes: &[u8], work: impl FnOnce(&Source)) {
    let is_compressed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
    let head = if is_compressed { b"" } else { first_line };
    let text = [head, bytes].concat();
    // SAFETY: nothing keeps the text: the source is dropped before it, and plans own what they say.
    let lent: &'static [u8] = unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len()) };
    work(&Source::from_memory(lent));
}

fn is_one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains('\n'), "not one line: {told:?}");
}
