//! What a profiler allocates for itself in the program that it records.
//!
//! Tracy's client takes its memory from an allocator of its own, which no recording has. But in Rust, spans and log lines come
//! to it by the crates of `tracing`: of a small game in Bevy, recorded with all its spans, they are 188,000 of 196,000 blocks.

use super::wrappers::demangled;
use crate::input::decoded;
use crate::reading::Reason;

/// Blocks of the profiler.
pub(super) const PROFILERS: Reason = Reason {
    name: "block-of-profiler",
    one: "block of tracing's own, for the profiler's spans and the log (--with-profiler plans it)",
    many: "blocks of tracing's own, for the profiler's spans and the log (--with-profiler plans them)",
};

/// The crates that write down spans and log lines. They call nothing of the program but its text, whereas `tracing` and
/// `tracing_core` also run its functions within a span.
const CRATES: [&str; 4] =
    ["tracing_subscriber", "tracing_tracy", "tracing_appender", "tracing_log"];

/// Where Bevy makes the names of its systems for their spans, and its file.
const SPAN_NAMES: (&str, &str) = ("bevy_utils::debug_info", "debug_info.rs");

/// Whether this function, with its source file, is the profiler's.
pub(super) fn is_profilers(function: &[u8], file: &[u8]) -> bool {
    let function = demangled(&decoded(function));
    // `<tracing_subscriber::layer::Layered<L, S> as tracing_core::Subscriber>::new_span` is that of its type.
    let path = function.trim_start_matches(['<', '&']);
    let is_of = |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.starts_with("::"));
    CRATES.iter().any(|name| is_of(name)) || is_of(SPAN_NAMES.0) || is_file_of(&decoded(file))
}

/// Whether a source file is of one of these crates, as cargo names their folders: `tracing-subscriber-0.3.20`.
fn is_file_of(file: &str) -> bool {
    let folders = file.split(['/', '\\']);
    folders.filter_map(|folder| folder.rsplit_once('-')).any(|(name, version)| {
        version.starts_with(|c: char| c.is_ascii_digit())
            && (CRATES.iter().any(|of| name.replace('-', "_") == *of)
                || name == "bevy_utils" && file.ends_with(SPAN_NAMES.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profilers_functions_are_told_from_those_that_it_runs() {
        for (function, file) in [
            ("tracing_subscriber::registry::sharded::Registry::new_span", ""),
            (
                "<tracing_subscriber::layer::layered::Layered<L,S> as tracing_core::Subscriber>::event",
                "",
            ),
            ("_ZN13tracing_tracy19TracyLayer8on_enter17h0123456789abcdefE", ""),
            (
                "new_span<F>",
                "/home/me/.cargo/registry/src/x/tracing-subscriber-0.3.20/src/fmt/fmt_layer.rs",
            ),
            (
                "_$LT$bevy_utils..debug_info..DebugName$u20$as$u20$core..fmt..Display$GT$::fmt::hd6de18f472af0bc7",
                "",
            ),
            ("fmt", "/r/bevy_utils-0.19.1/src/debug_info.rs"),
            ("on_event", "C:\\r\\tracing-tracy-0.11.4\\src\\lib.rs"),
        ] {
            assert!(is_profilers(function.as_bytes(), file.as_bytes()), "{function} {file}");
        }
        for (function, file) in [
            ("tracing::span::Span::in_scope<game::update>", "/r/tracing-0.1.41/src/span.rs"),
            ("with_default", "/r/tracing-core-0.1.34/src/dispatcher.rs"),
            (
                "<game::Trail as tracing_subscriber::layer::Layer<S>>::on_event",
                "/home/me/game/src/log.rs",
            ),
            ("tracing_subscribers::new", "/home/me/my-tracing-log/src/tracing-log-old.rs"),
            ("shoot", ""),
            ("insert", "/r/bevy_utils-0.19.1/src/map.rs"),
        ] {
            assert!(!is_profilers(function.as_bytes(), file.as_bytes()), "{function} {file}");
        }
    }
}
