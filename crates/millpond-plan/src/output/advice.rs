//! What to do first, in words.

use std::fmt::Write;

use super::figures::{byte_unit, bytes, count, milliseconds, number_of, percent};
use super::paint::Paint;
use super::table::{name_cell, short_function};
use super::wrap::{COLUMNS, columns, fitted, wrapped, wrapped_behind};
use crate::plan::{
    Advice, AllTime, BYTES_MAX_LARGEST, LeftOut, Library, Means, NotTried, OtherAllocator,
    Proposal, Rules, SHARE_MIN, TimeOf, TimeSaved, TracePlan, WORTH_MS, WORTH_SHARE_OF_TIME,
};
use crate::trace::{Caller, Format, Language};

/// The number of functions named for each proposal.
const CALLERS_SHOWN: usize = 2;

/// Functions that make a smaller share of a proposal's calls are not named.
const CALLER_SHARE_MIN: f64 = 0.01;

/// How many proposals are shown, unless the user wants all.
const PROPOSALS_SHOWN: usize = 5;

/// How many sizes of a pool are named.
const SIZES_SHOWN: usize = 4;

/// How many libraries and wrappers are named.
const OTHERS_SHOWN: usize = 3;

/// From this share of calls on, the report mentions that code without names makes them.
const NAMELESS_SHARE_TOLD: f64 = 0.1;

/// What the times do not include.
const VISITS_LEFT_OUT: &str = "The times are those of calls to the allocator. Visits to objects are not included; they \
                               may be faster, too, because slots are smaller than blocks. Any change moves other code, \
                               too, which makes a program faster or slower by up to a hundredth: to see a saving below \
                               that, compare several builds of both, as case-studies/run does.";

/// The section of a plan that says what to do first; `all` shows every proposal.
pub fn advice_text(plan: &TracePlan, all: bool, paint: Paint) -> String {
    let advice = &plan.advice;
    let mut out = format!("\n{}\n", paint.strong("What to pool first"));
    if advice.is_empty() {
        out += &wrapped(&nothing(plan));
    } else {
        out += &little_time(plan).map_or_else(String::new, |text| wrapped(&text));
        out += &paint.faint_lines(&wrapped(legend(advice)));
        out +=
            &of_recorder(plan).map_or_else(String::new, |text| paint.faint_lines(&wrapped(text)));
    }
    let shown = if all { usize::MAX } else { PROPOSALS_SHOWN };
    for (number, proposal) in (1..).zip(advice.proposals.iter().take(shown)) {
        out += &item(number, proposal, plan);
    }
    if advice.proposals.len() > shown {
        let more = number_of((advice.proposals.len() - shown) as u64, "more proposal");
        out += &paint.faint_lines(&wrapped(&format!("… and {more} (--all, --json)")));
    }
    if !advice.is_empty() {
        out += &paint.faint_lines(&wrapped(VISITS_LEFT_OUT));
    }
    for (proposal, why) in &advice.left_out {
        out += &wrapped_behind("  – ", "    ", &left_out(proposal, *why, plan));
    }
    out += &untried_text(plan, all);
    let libraries = advice.libraries.iter().filter(|it| it.share_of_calls >= SHARE_MIN);
    let (hooked, others): (Vec<_>, Vec<_>) =
        libraries.take(OTHERS_SHOWN).partition(|library| library.hook().is_some());
    for library in hooked {
        out += &wrapped_behind("", "  ", &inside(library, plan));
    }
    if !others.is_empty() {
        out += &wrapped_behind("", "  ", &inside_without_hook(&others));
    }
    if advice.nameless_share >= NAMELESS_SHARE_TOLD {
        out += &wrapped(&format!(
            "{} of the calls come from code without names of functions. To see who allocates, record the \
             program with debug symbols (built with -g, or from its debug package).",
            percent(advice.nameless_share)
        ));
    }
    let wrappers = advice.wrappers.iter().filter(|wrapper| wrapper.share >= SHARE_MIN);
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

/// What the ranking goes by.
fn legend(advice: &Advice) -> &'static str {
    if advice.is_measured() {
        "Ranked by the time that each saves for certain in all of the recording: its calls were replayed here, with the \
         system's allocator and with the proposal in turns (what cannot be replayed is computed from prices). A simpler \
         change that saves nearly as much comes first."
    } else {
        "Ranked by the time that each saves in all of the recording, computed from the prices of calls (--measure \
         replays it instead). A simpler change that saves nearly as much comes first."
    }
}

/// What a trial left out, and why.
fn left_out(proposal: &Proposal, why: LeftOut, plan: &TracePlan) -> String {
    let why = match why {
        LeftOut::MayBeNothing => "it may save nothing",
        LeftOut::Disturbed => {
            "the measurement was disturbed twice: it says more than all of these calls cost"
        }
        LeftOut::WithinLayout => {
            "it may save less than a hundredth of the program's time, and by so much any change of its code may make it \
             faster or slower"
        }
    };
    let after = if proposal.time_saved.is_measured { " after a trial" } else { "" };
    format!(
        "Left out{after}: {}, {}, {}; {why}.",
        what(proposal, plan),
        change(proposal).trim_end_matches(','),
        time_saved(proposal.time_saved, plan.advice.time),
    )
}

/// In one sentence, what a trial left out, for those who do not want to see all.
pub fn left_out_sentence(plan: &TracePlan) -> Option<String> {
    let of = |why| plan.advice.left_out.iter().filter(|left_out| left_out.1 == why).count() as u64;
    let parts: Vec<String> = [
        (LeftOut::MayBeNothing, "that may save nothing"),
        (LeftOut::Disturbed, "whose measurement was disturbed twice"),
        (LeftOut::WithinLayout, "that may save less than a hundredth of the program's time"),
    ]
    .map(|(why, which)| (of(why), which))
    .into_iter()
    .filter(|part| part.0 > 0)
    .map(|(number, which)| format!("{} {which}", number_of(number, "proposal")))
    .collect();
    let all = parts.join(", ");
    (!parts.is_empty()).then(|| format!("Left out here: {all} (--measure)."))
}

/// What was not tried, and is no proposal before it is.
fn untried_text(plan: &TracePlan, all: bool) -> String {
    let untried = &plan.advice.untried;
    if untried.is_empty() {
        return String::new();
    }
    if !all {
        return wrapped(&format!(
            "Not tried: {} (--all; --measure tries more).",
            number_of(untried.len() as u64, "change")
        ));
    }
    let item = |of: &Proposal| {
        let text =
            format!("Not tried, computed from prices: {}: {}.", what(of, plan), saving(of, plan));
        wrapped_behind("  – ", "    ", &text)
    };
    untried.iter().map(item).collect()
}

/// Why nothing was tried here, if that is worth a word.
pub fn why_not_tried(rules: &Rules) -> Option<&'static str> {
    match rules.not_tried? {
        NotTried::Unasked | NotTried::NotOptimised => None,
        NotTried::Preloaded => Some(
            "Nothing was tried on this machine, because LD_PRELOAD puts a library before the system's allocator: the times \
             are computed from reference prices.",
        ),
        NotTried::Implausible => Some(
            "Nothing was tried on this machine, because its prices are implausible (other work, or a recorder): the times \
             are computed from reference prices.",
        ),
    }
}

/// Other allocators, which a user may try without a change of the code.
pub fn allocators_text(plan: &TracePlan, paint: Paint) -> String {
    let allocators = &plan.advice.allocators;
    if allocators.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", paint.strong("Other allocators to try"));
    for other in allocators {
        out += &wrapped_behind("  ", "    ", &allocator(other, plan));
        let _ = writeln!(out, "    {}", allocator_command(other));
    }
    out + &wrapped(MAY_CRASH)
}

/// What to know before another allocator is tried.
pub const MAY_CRASH: &str = "A program may crash under another allocator, or become slower: run its tests with it, and time \
                             whole runs in turns, before you rely on it.";

fn allocator(other: &OtherAllocator, plan: &TracePlan) -> String {
    let (low_ms, high_ms) = other.saved_ms();
    let net = TimeSaved { low_ms, high_ms, ..other.time_saved };
    let start = match other.start_ms {
        Some(ms) => format!(", with {} ms for its start counted", signed(ms)),
        None => ", its start not counted".to_owned(),
    };
    let basis = if other.time_saved.is_measured { "by a replay" } else { "by prices" };
    let saves = match high_ms > 0.0 {
        true => format!("saves {}", time_saved(net, plan.advice.time)),
        false => {
            let more = TimeSaved { low_ms: -high_ms, high_ms: -low_ms, ..net };
            format!("takes {} more", time_saved(more, None))
        }
    };
    format!(
        "{}: {saves} ({basis}){start}; {}.",
        name_cell(&other.name),
        number_of(other.calls, "call")
    )
}

/// The command that runs a program with another allocator.
pub fn allocator_command(other: &OtherAllocator) -> String {
    let library =
        other.library.as_deref().map_or_else(|| format!("lib{}.so", other.name), str::to_owned);
    format!("LD_PRELOAD={} ./program", quoted(&library))
}

/// That all of this saves next to nothing of a tick, where that is so: then pools are for something else.
pub fn little_time(plan: &TracePlan) -> Option<String> {
    let (advice, summary) = (&plan.advice, &plan.summary);
    let most_ms = advice.proposals.iter().map(|of| of.time_saved.high_ms).reduce(f64::max)?;
    let all_ms = advice.time.filter(|_| summary.format == Format::Lifetimes)?.ms;
    (most_ms < all_ms * WORTH_SHARE_OF_TIME).then(|| {
        let of_tick = |ms: f64| ms / summary.ticks() as f64;
        format!(
            "Pools would not make this program noticeably faster: none saves more than {} ns of a tick's {} \
             ms. What they give you is a fixed number of slots, and handles that never find another object.",
            count((of_tick(most_ms) * 1e6).max(0.0).ceil() as u64),
            signed(of_tick(all_ms)),
        )
    })
}

fn item(number: usize, proposal: &Proposal, plan: &TracePlan) -> String {
    let head = format!("{number:>2}. ");
    let text = format!("{}: {}", what(proposal, plan), saving(proposal, plan));
    let mut out = wrapped_behind(&head, "    ", &text);
    let share = |caller: &Caller| caller.allocations as f64 / proposal.calls.max(1) as f64;
    let callers = proposal.callers.iter().filter(|caller| share(caller) >= CALLER_SHARE_MIN);
    for caller in callers.take(CALLERS_SHOWN) {
        // Nearly all is all here: the column is narrow.
        let share = if share(caller) < 0.995 { share(caller) } else { 1.0 };
        let _ = writeln!(out, "    {:>5} {}", percent(share), frames_up_to(caller, COLUMNS - 11));
    }
    if let Some(next) = next_line(proposal, plan) {
        // Not wrapped: it is to be copied.
        out += &format!("    {next}\n");
    }
    out
}

/// What a proposal is about: a class, `48 bytes`, `2-29 bytes`, or all calls.
pub fn what(proposal: &Proposal, plan: &TracePlan) -> String {
    match (&proposal.means, plan.summary.format) {
        (Means::ProgramSizeClasses(_), _) => {
            format!("all blocks up to {} bytes", count(proposal.bytes_max.unwrap_or(0)))
        }
        (_, Format::Lifetimes) => name_cell(&proposal.class),
        (_, Format::Heap(_)) => {
            format!("{} {}", name_cell(&proposal.class), byte_unit(&proposal.class))
        }
    }
}

/// What to do.
pub fn change(proposal: &Proposal) -> String {
    let slots = number_of(proposal.slots.into(), "slot");
    let takes = proposal.bytes.map_or_else(String::new, |n| format!(" ({})", bytes(n)));
    match &proposal.means {
        Means::Pool => format!("a pool of {slots}{takes}"),
        Means::SharedPool if proposal.classes.len() > SIZES_SHOWN => {
            format!("one pool of {slots}{takes} for {} sizes", proposal.classes.len())
        }
        Means::SharedPool => {
            format!("one pool of {slots}{takes} for {} bytes", proposal.classes.join(", "))
        }
        Means::SizeClasses => format!("an allocator of size classes{takes} for this place"),
        Means::ProgramSizeClasses(sizes) => {
            let classes = number_of(sizes.len() as u64, "size class");
            format!("an allocator of {classes}{takes} for the whole program")
        }
        Means::Arena => format!("an arena{takes}, because they are built up and go together,"),
        Means::Reserve => {
            "reserving the final size, because the buffer is mostly resized,".to_owned()
        }
        Means::Packed { node, values } => {
            let sizes: Vec<String> = values.iter().map(u64::to_string).collect();
            let sizes = match &sizes[..] {
                [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
                all => all.concat(),
            };
            let pools = if values.len() == 1 { "a packed pool" } else { "packed pools" };
            format!(
                "keeping the values of {sizes} bytes themselves in {pools} of {slots}{takes}, in place of a container of \
                 pointers (such as a list, with a block of {node} bytes for each),"
            )
        }
    }
}

/// What following a proposal saves, and what it takes.
pub fn saving(proposal: &Proposal, plan: &TracePlan) -> String {
    let just_freed = match proposal.share_at_hand() {
        share if share >= SHARE_MIN => {
            format!(", {} of them from blocks just freed", percent(share))
        }
        _ => String::new(),
    };
    let (saved, share) = (count(proposal.calls_saved), percent(proposal.share_of_calls));
    let all = count(plan.summary.births);
    let of = match (&proposal.means, plan.summary.format) {
        (_, Format::Heap(_)) => format!("{saved} of {all} calls ({share})"),
        (_, Format::Lifetimes) if proposal.is_of_slots() => {
            format!("{saved} of {all} objects take a slot that is free again ({share})")
        }
        (_, Format::Lifetimes) => format!("{saved} of {all} objects ({share})"),
    };
    let verb = if proposal.time_saved.is_measured { "was measured to save" } else { "saves" };
    let no_size = match proposal.means {
        Means::SizeClasses | Means::ProgramSizeClasses(_)
            if plan.summary.language() == Language::C =>
        {
            "; for blocks whose size is known where they are freed, because `free` gets none"
        }
        _ => "",
    };
    format!(
        "{} {verb} {}; {of}{just_freed}{no_size}",
        change(proposal),
        time_saved(proposal.time_saved, plan.advice.time)
    )
}

/// A time that is saved, and its share of all of the time: `1.0 to 3.2 ms, up to 23 % of the recording's time`.
pub fn time_saved(saved: TimeSaved, all: Option<AllTime>) -> String {
    let TimeSaved { low_ms, high_ms, .. } = saved;
    let (per_ms, unit) = if high_ms.max(-low_ms) < 1.0 { (1e3, "µs") } else { (1.0, "ms") };
    let time = |ms: f64| signed(ms * per_ms);
    let share = all.filter(|_| high_ms > 0.0).map_or_else(String::new, |all| {
        let share = (high_ms / all.ms).clamp(0.0, 1.0);
        let share = fine_percent(share);
        let share = match share.strip_prefix('<') {
            Some(bound) => format!("less than {bound}"),
            None => format!("up to {share}"),
        };
        format!(", {share} of {}", whose(all.of))
    });
    format!("{} to {} {unit}{share}", time(low_ms), time(high_ms))
}

/// A share that may be very small.
fn fine_percent(share: f64) -> String {
    if share > 0.0 && share < 0.0001 {
        "<0.01 %".to_owned()
    } else if share < 0.00995 {
        format!("{:.2} %", share * 100.0)
    } else {
        percent(share)
    }
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
    let parts = [Some(saving(proposal, plan)), next];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What to type next, where the proposal is an allocator of size classes, or what to use, where it is of packed pools.
pub fn next_line(proposal: &Proposal, plan: &TracePlan) -> Option<String> {
    if matches!(proposal.means, Means::Packed { .. }) {
        return Some(match plan.summary.language() {
            Language::Rust => "millpond::PackedPool<T>".to_owned(),
            Language::Cpp => "millpond::packed_pool<T>, in millpond.hpp".to_owned(),
            Language::C => "mp_packed, in millpond.h".to_owned(),
            Language::Unknown => "PackedPool<T> in Rust, packed_pool<T> in C++".to_owned(),
        });
    }
    if !matches!(proposal.means, Means::SizeClasses | Means::ProgramSizeClasses(_)) {
        return None;
    }
    let bytes_max = proposal.bytes_max.unwrap_or(0).clamp(1, BYTES_MAX_LARGEST);
    let trace = plan.recorder.clone().unwrap_or_else(|| quoted(&plan.name));
    Some(format!("millpond plan --size-classes={bytes_max} --no-report {trace}"))
}

/// What a library allocates for itself, and how the program can change that.
fn inside(library: &Library, plan: &TracePlan) -> String {
    format!(
        "{} of {} calls ({}) are of {} for itself. The program can give it memory: {}.",
        count(library.calls),
        count(plan.summary.births),
        percent(library.share_of_calls),
        name_cell(&library.name),
        library.hook().unwrap_or_default()
    )
}

/// The libraries whose memory a program cannot change.
fn inside_without_hook(libraries: &[&Library]) -> String {
    let of = |it: &&Library| format!("{} ({})", name_cell(&it.name), percent(it.share_of_calls));
    let names: Vec<String> = libraries.iter().map(of).collect();
    format!(
        "Allocated by libraries for themselves, which have no hook that this tool knows: {}.",
        names.join(", ")
    )
}

/// Why nothing is proposed, and what would be best.
pub fn nothing(plan: &TracePlan) -> String {
    let best = match &plan.advice.best_of_none {
        None if !plan.advice.left_out.is_empty() => {
            "Nothing that was tried here saves time for certain".to_owned()
        }
        None => "No object gives a slot back that another could take".to_owned(),
        Some(best) => {
            let by = match best.main_caller() {
                Some(caller) if best.is_pool() => format!(" of {}", function(&caller.function)),
                _ => String::new(),
            };
            format!("The best is {}{by}: {}", what(best, plan), saving(best, plan))
        }
    };
    let recorder = of_recorder(plan).map_or_else(String::new, |text| format!(" {text}"));
    let none = match plan.advice.is_measured() {
        true => nothing_is_certain(plan.advice.time),
        false => nothing_saves_enough(plan.advice.time),
    };
    format!("{none} {best}.{recorder}")
}

/// The time that a share is of.
fn whose(of: TimeOf) -> &'static str {
    match of {
        TimeOf::Recording | TimeOf::SlowedRecording => "the recording's time",
        TimeOf::Program => "the program's time",
    }
}

/// What a recorder does to the shares of the time, unless the program's own time is known.
pub fn of_recorder(plan: &TracePlan) -> Option<&'static str> {
    let is_slowed = plan.advice.time.is_some_and(|all| all.of == TimeOf::SlowedRecording);
    is_slowed.then_some(
        "The recorder slows the program: what is saved is a larger share of the program's own time. Measure that without \
         the recorder, and pass it with --run-ms.",
    )
}

/// That no change saves enough, and what would be enough in all of this time.
pub fn nothing_saves_enough(all: Option<AllTime>) -> String {
    format!("Nothing is worth pooling for time: no change saves {}.", enough(all))
}

/// The same after a trial, which may have been too short, or the machine too busy, to be certain of what a change saves.
fn nothing_is_certain(all: Option<AllTime>) -> String {
    let enough = match all {
        Some(AllTime { ms, of: TimeOf::Program }) => format!("a hundredth of {}", programs(ms)),
        _ => enough(all),
    };
    format!("Nothing is proposed for time: no change is certain to save {enough}.")
}

/// The program's own time, and where it comes from.
fn programs(ms: f64) -> String {
    format!("the program's {} (--run-ms)", milliseconds((ms * 1e3) as u64))
}

/// What a change has to save in all of this time.
fn enough(all: Option<AllTime>) -> String {
    let of_time = all.map_or_else(String::new, |all| {
        let of = match all.of {
            TimeOf::Program => programs(all.ms),
            TimeOf::Recording | TimeOf::SlowedRecording => whose(all.of).to_owned(),
        };
        format!(" or {:.1} % of {of}", WORTH_SHARE_OF_TIME * 100.0)
    });
    format!("{WORTH_MS} ms{of_time}")
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

/// A function and its callers, the innermost first, in at most this many columns: the outer ones are left out first.
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
        let text = |low_ms, high_ms, recorded_ms: Option<f64>| {
            let saved = TimeSaved { low_ms, high_ms, ..TimeSaved::default() };
            let time = |ms| AllTime { ms, of: TimeOf::Recording };
            time_saved(saved, recorded_ms.map(time))
        };
        assert_eq!(text(1.04, 12.3, None), "1.0 to 12 ms");
        assert_eq!(text(-0.0501, -0.00001, None), "−50 to 0.0 µs");
        assert_eq!(
            text(-1.5, 0.2, Some(1e3)),
            "−1.5 to 0.2 ms, up to 0.02 % of the recording's time"
        );
        assert_eq!(text(1.0, 3.2, Some(14.0)), "1.0 to 3.2 ms, up to 23 % of the recording's time");
        assert_eq!(
            text(0.1, 0.2, Some(1e6)),
            "100 to 200 µs, less than 0.01 % of the recording's time"
        );
    }
}
