//! What the targets of the importers do: the work of `millpond plan`.

#![allow(dead_code, reason = "every target uses a part of this")]

use millpond_plan::input::Source;
use planning::RULES;
pub(crate) use planning::is_one_line;

#[path = "../../../crates/millpond-cli/tests/tool/common/planning.rs"]
mod planning;

/// Plans what the bytes say, after the format's first line; compressed bytes as they are.
pub fn plan(first_line: &[u8], bytes: &[u8]) {
    with_source(first_line, bytes, |source| match millpond_plan::plan::plan("input", source, &RULES) {
        Ok(plan) => assert!(plan.proof().holds(), "the plan does not hold"),
        Err(fault) => is_one_line(&fault.to_string()),
    });
}

/// Plans a recording that must be planned, unless all that it has is the profiler's.
pub fn planned(recording: &[u8]) {
    with_source(b"", recording, |source| match millpond_plan::plan::plan("input", source, &RULES) {
        Ok(plan) => assert!(plan.proof().holds(), "the plan does not hold"),
        Err(fault) => assert!(fault.message.contains("but the profiler's own"), "{fault}"),
    });
}

/// Plans the loans that the bytes say, after the format's first line; compressed bytes as they are.
pub fn plan_loans(first_line: &[u8], bytes: &[u8]) {
    with_source(first_line, bytes, planning::plan_loans);
}

/// Plans the sums that the bytes say, after the beginning of their file, whole and cut short.
pub fn plan_sums(beginning: &[u8], bytes: &[u8]) {
    with_source(beginning, bytes, planning::plan_sums);
}

fn with_source(first_line: &[u8], bytes: &[u8], work: impl FnOnce(&Source)) {
    let is_compressed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
    let head = if is_compressed { b"" } else { first_line };
    let text = [head, bytes].concat();
    // SAFETY: nothing keeps the text: the source is dropped before it, and plans own what they say.
    let lent: &'static [u8] = unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len()) };
    work(&Source::from_memory(lent));
}
