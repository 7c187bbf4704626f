//! What the targets of both importers do: the work of `millpond plan`.

use millpond_cli::input::Source;
use millpond_cli::plan::{Headroom, Rules};

const RULES: Rules =
    Rules { headroom: Headroom { percent: 10.0 }, ticks_per_second: Some(35.0), skip_callers: Vec::new(), session_seconds: 3600.0 };

/// Plans what the bytes say, after the format's first line; compressed bytes as they are.
pub fn plan(first_line: &[u8], bytes: &[u8]) {
    let is_compressed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
    let head = if is_compressed { b"" } else { first_line };
    let text = [head, bytes].concat();
    // SAFETY: nothing keeps the text: the source is dropped before it, and plans own what they say.
    let lent: &'static [u8] = unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len()) };
    let source = Source::from_memory(lent);
    match millpond_cli::plan::plan("input", &source, &RULES) {
        Ok(plan) => assert!(plan.proof().holds(), "the plan does not hold"),
        Err(fault) => {
            let told = fault.to_string();
            assert!(!told.is_empty() && !told.contains('\n'), "not one line: {told:?}");
        }
    }
}
