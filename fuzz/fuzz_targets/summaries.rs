//! Bytes as summaries of sessions: merged, or refused in one line, never a panic.

#![no_main]

use millpond_plan::merge::{Inputs, MergeRules, merge};
use millpond_plan::plan::Headroom;

const HEADER: &[u8] = b"session,format,ticks,ticks_per_second,level,class,births,peak_live,left_live,bytes_max,\
    worth_a_pool,lives,ages,busiest_lifo,busiest_fifo\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let is_compressed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
    let head = if is_compressed { b"" } else { HEADER };
    let text = [head, bytes].concat();
    // SAFETY: nothing keeps the text: the inputs are dropped before it, and plans own what they say.
    let lent: &'static [u8] = unsafe { std::slice::from_raw_parts(text.as_ptr(), text.len()) };
    let by = bytes.len().is_multiple_of(2).then(|| "level".to_owned());
    let rules =
        MergeRules { quantile_percent: 60.0, headroom: Headroom { percent: 0.0 }, by, all: true, session_seconds: 3600.0 };
    match merge(&mut Inputs::from_memory("input", lent), &rules) {
        Ok(groups) => {
            for group in groups {
                assert!(group.refused <= group.sessions * 4 / 10, "too many are refused");
            }
        }
        Err(failure) => {
            let told = failure.to_string();
            assert!(!told.is_empty() && !told.contains('\n'), "not one line: {told:?}");
        }
    }
});
