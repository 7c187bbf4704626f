//! What to pool first, in words.

use std::fmt::Write;

use super::figures::{byte_unit, bytes, count, percent};
use super::paint::Paint;
use super::table::{name_cell, short_function};
use super::wrap::{COLUMNS, columns, fitted, wrapped, wrapped_behind};
use crate::plan::{
    BYTES_MAX_LARGEST, CALLS_SAVED_MIN, Means, Proposal, SHARE_MIN, TimeSaved, TracePlan,
};
use crate::trace::{Caller, Format};

/// The number of functions named for each proposal.
const CALLERS_SHOWN: usize = 2;

/// Functions that make a smaller share of a proposal's calls are not named.
const CALLER_SHARE_MIN: f64 = 0.01;

/// How many growing buffers and wrappers are named.
const OTHERS_SHOWN: usize = 3;

/// From this share of calls on, the report mentions that code without names makes them.
const NAMELESS_SHARE_TOLD: f64 = 0.1;

/// What the measured times do not include.
const VISITS_LEFT_OUT: &str = "The times are those of calls to the allocator. Visits to objects are not included; they \
                               may be faster, too, because slots are smaller than blocks.";

/// The section of a plan that says what to pool first.
pub fn advice_text(plan: &TracePlan, top: usize, paint: Paint) -> String {
    let mut out = format!("\n{}\n", paint.strong("What to pool first"));
    if plan.advice.is_empty() {
        out += &wrapped(&nothing(plan));
    } else {
        let legend = match plan.summary.format {
            _ if plan.advice.is_measured() => {
                "by the time that a pool saves, measured on this machine"
            }
            Format::Lifetimes => "by the number of allocations that a pool saves",
            Format::Heap(_) => "by the number of allocator calls that a pool saves",
        };
        out += &paint.faint_lines(&wrapped(legend));
    }
    for (number, proposal) in (1..).zip(plan.advice.proposals.iter().take(top)) {
        out += &item(number, proposal, plan);
    }
    if plan.advice.is_measured() && !plan.advice.proposals.is_empty() {
        out += &paint.faint_lines(&wrapped(VISITS_LEFT_OUT));
    }
    for proposal in plan.advice.at_hand.iter().take(OTHERS_SHOWN) {
        out += &wrapped_behind("No pool for ", "  ", &at_hand(proposal, plan));
    }
    for growing in plan.advice.growing.iter().take(OTHERS_SHOWN) {
        let (least, most) = growing.sizes;
        out += &wrapped_behind(
            "No pool for ",
            "  ",
            &format!(
                "{}: it resizes a buffer, {} to {} bytes ({} of all calls). Reserve the final size \
                 instead.",
                frames(&growing.caller),
                count(least),
                count(most),
                percent(growing.share_of_calls)
            ),
        );
    }
    if plan.advice.nameless_share >= NAMELESS_SHARE_TOLD {
        out += &wrapped(&format!(
            "{} of the calls come from code without names of functions. To see who allocates, record the \
             program with debug symbols (built with -g, or from its debug package).",
            percent(plan.advice.nameless_share)
        ));
    }
    let wrappers = plan.advice.wrappers.iter().filter(|wrapper| wrapper.share >= SHARE_MIN);
    let named: Vec<String> = wrappers
        .map(|wrapper| format!("{} ({})", function(&wrapper.function), percent(wrapper.share)))
        .collect();
    if !named.is_empty() {
        let more = named.len().saturating_sub(OTHERS_SHOWN);
        let named = &named[..named.len().min(OTHERS_SHOWN)];
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        let text = format!(
            "Skipped as wrappers of the allocator: {}{more}. Skip others with --skip-caller.",
            named.join(", ")
        );
        out += &paint.faint_lines(&wrapped(&text));
    }
    out
}

fn item(number: usize, proposal: &Proposal, plan: &TracePlan) -> String {
    let head = format!("{number:>2}. ");
    let name = match plan.summary.format {
        Format::Lifetimes => name_cell(&proposal.class),
        Format::Heap(_) => sizes(proposal),
    };
    let mut out = wrapped_behind(&head, "    ", &format!("{name}: {}", saving(proposal, plan)));
    let share = |caller: &Caller| caller.allocations as f64 / proposal.calls.max(1) as f64;
    let callers = proposal.callers.iter().filter(|caller| share(caller) >= CALLER_SHARE_MIN);
    for caller in callers.take(CALLERS_SHOWN) {
        // Nearly all is all here: the column is narrow.
        let share = if share(caller) < 0.995 { share(caller) } else { 1.0 };
        let _ = writeln!(out, "    {:>5} {}", percent(share), frames_up_to(caller, COLUMNS - 11));
    }
    if let Some(saved) = proposal.time_saved {
        out += &wrapped_behind("    ", "    ", &time_saved(saved));
    }
    if let Some(next) = next_line(proposal, plan) {
        // Not wrapped: it is to be copied.
        out += &format!("    {next}\n");
    }
    out
}

/// The size or sizes of a recording of a heap: `1 byte`, `48 bytes`, `2-29 bytes`.
fn sizes(proposal: &Proposal) -> String {
    format!("{} {}", name_cell(&proposal.class), byte_unit(&proposal.class))
}

/// Explains why no pool is proposed for blocks that the allocator serves from its caches.
fn at_hand(proposal: &Proposal, plan: &TracePlan) -> String {
    let by =
        proposal.main_caller().map_or_else(String::new, |main| format!(" of {}", frames(main)));
    let unmeasured =
        if plan.advice.is_measured() { "not measured" } else { "--measure shows how much" };
    let measured = proposal.time_saved.map_or_else(|| unmeasured.to_owned(), time_saved);
    format!(
        "{}{by}: {} of {} calls ({}), but the allocator has a block at hand for {} of them, so a pool \
         saves less time than that suggests ({measured}).",
        sizes(proposal),
        count(proposal.calls_saved),
        count(plan.summary.births),
        percent(proposal.share_of_calls),
        percent(proposal.share_at_hand()),
    )
}

/// What following a proposal saves, and what it takes.
fn saving(proposal: &Proposal, plan: &TracePlan) -> String {
    let slots = count(proposal.slots.into());
    let takes = proposal.bytes.map_or_else(String::new, |n| format!(" ({})", bytes(n)));
    let saved = format!(
        "{} of {} {} ({})",
        count(proposal.calls_saved),
        count(plan.summary.births),
        match plan.summary.format {
            Format::Lifetimes => "allocations",
            Format::Heap(_) => "calls",
        },
        percent(proposal.share_of_calls)
    );
    let company = match proposal.together_with.as_slice() {
        [] => String::new(),
        others => format!(
            "; include {} bytes, which share its bin in the system's allocator",
            others.join(", ")
        ),
    };
    match &proposal.means {
        Means::Pool if proposal.callers.is_empty() || proposal.main_caller().is_some() => {
            format!("a pool of {slots} slots{takes} saves {saved}{company}")
        }
        Means::Pool => format!(
            "{slots} slots{takes} save {saved}; no single function makes most of them, so look for a \
             type of this size{company}"
        ),
        Means::SizeClasses => {
            format!("many sizes from one call site: size classes{takes} save {saved}")
        }
        Means::Library(library) => {
            format!("{saved}, but inside {library}, where the program cannot pool them")
        }
    }
}

/// The time that following a proposal saves on this machine.
fn time_saved(saved: TimeSaved) -> String {
    let TimeSaved { calls, least_ms, most_ms } = saved;
    let (per_ms, unit) = if most_ms.max(-least_ms) < 1.0 { (1e3, "µs") } else { (1.0, "ms") };
    let time = |ms: f64| signed(ms * per_ms);
    let per_call = |ms: f64| signed(ms * 1e6 / calls.max(1) as f64);
    format!(
        "measured here: saves {} to {} {unit} in the recorded run, {} to {} ns for each of {} calls",
        time(least_ms),
        time(most_ms),
        per_call(least_ms),
        per_call(most_ms),
        count(calls)
    )
}

/// A number with a digit after the point where it is small, and with a sign where it is below zero.
fn signed(number: f64) -> String {
    let digits = usize::from(number.abs() < 9.95);
    let text = format!("{:.digits$}", number.abs());
    let is_zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    format!("{}{text}", if number < 0.0 && !is_zero { "−" } else { "" })
}

/// The same for programs: one sentence.
pub fn why(proposal: &Proposal, plan: &TracePlan) -> String {
    let next = next_line(proposal, plan).map(|next| format!("next: {next}"));
    let parts = [Some(saving(proposal, plan)), proposal.time_saved.map(time_saved), next];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What to type next, where the proposal is an allocator of size classes.
fn next_line(proposal: &Proposal, plan: &TracePlan) -> Option<String> {
    if proposal.means != Means::SizeClasses {
        return None;
    }
    let bytes_max = proposal.bytes_max.unwrap_or(0).clamp(1, BYTES_MAX_LARGEST);
    Some(format!("millpond plan --size-classes={bytes_max} --no-report {}", quoted(&plan.name)))
}

/// A path, quoted for a shell.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,=:@%".contains(c);
    if !path.is_empty() && path.chars().all(is_plain) {
        return path.to_owned();
    }
    let path: String = path.chars().filter(|c| !c.is_control()).collect();
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Why no pool is proposed.
pub fn nothing(plan: &TracePlan) -> String {
    let (what, and) = match plan.summary.format {
        Format::Lifetimes => ("class", ""),
        Format::Heap(_) => {
            ("size or call site", " and few of its calls served from blocks at hand")
        }
    };
    let but = if plan.advice.at_hand.is_empty() || plan.advice.is_measured() {
        ""
    } else {
        " --measure shows what pools for those at hand would save."
    };
    format!(
        "Nothing is worth pooling: for no {what} would a pool save at least {CALLS_SAVED_MIN} allocations and \
         {:.0} % of all {}, with most objects gone before the end{and}.{but}",
        SHARE_MIN * 100.0,
        count(plan.summary.births)
    )
}

/// A function and its callers, the innermost first.
fn frames(caller: &Caller) -> String {
    let names: Vec<String> = caller.stack.iter().map(|name| function(name)).collect();
    names.join(" < ")
}

/// The same in at most this many columns: the outer callers are left out first.
fn frames_up_to(caller: &Caller, columns_max: usize) -> String {
    let names: Vec<String> = caller.stack.iter().map(|name| function(name)).collect();
    let mut shown = names.len();
    while shown > 1 && columns(&names[..shown].join(" < ")) > columns_max {
        shown -= 1;
    }
    fitted(&names[..shown].join(" < "), columns_max)
}

/// The name of a function, without the types that it is compiled for.
pub fn function(name: &str) -> String {
    name_cell(&short_function(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b-1.heaptrack.zst"), "a/b-1.heaptrack.zst");
        assert_eq!(quoted("my game"), "'my game'");
        assert_eq!(quoted("it's\n$x"), r"'it'\''s$x'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn times_have_the_unit_and_the_sign_that_fit() {
        let text = |least_ms, most_ms| time_saved(TimeSaved { calls: 1000, least_ms, most_ms });
        let of_1000 = "for each of 1,000 calls";
        assert_eq!(
            text(1.04, 12.3),
            format!(
                "measured here: saves 1.0 to 12 ms in the recorded run, 1040 to 12300 ns {of_1000}"
            )
        );
        assert_eq!(
            text(-0.0501, -0.00001),
            format!(
                "measured here: saves −50 to 0.0 µs in the recorded run, −50 to 0.0 ns {of_1000}"
            )
        );
        assert_eq!(
            text(-1.5, 0.2),
            format!(
                "measured here: saves −1.5 to 0.2 ms in the recorded run, −1500 to 200 ns {of_1000}"
            )
        );
    }
}
