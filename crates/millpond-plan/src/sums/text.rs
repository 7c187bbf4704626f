//! Sums by place as text for a terminal.

use std::fmt::Write;

use super::{AtOnce, PlaceSums, Size, SumsPlan, Tool};
use crate::error::shown;
use crate::input::Cut;
use crate::output::advice::function;
use crate::output::figures::{bytes, count, number_of, percent, small};
use crate::output::paint::Paint;
use crate::output::plan_text::Wanted;
use crate::output::table::Table;
use crate::output::wrap::wrapped;
use crate::plan::Headroom;

/// All plans: each says how often each place allocates, and how many slots it needs where that is known.
#[must_use]
pub fn text(plans: &[SumsPlan], headroom: Headroom, wanted: &Wanted, paint: Paint) -> String {
    let texts: Vec<_> = plans.iter().map(|plan| of_file(plan, headroom, wanted, paint)).collect();
    texts.join("\n")
}

fn of_file(plan: &SumsPlan, headroom: Headroom, wanted: &Wanted, paint: Paint) -> String {
    let mut out = format!("{}\n", paint.strong(&shown(plan.name.as_bytes())));
    out += &sentences(plan).iter().map(|sentence| wrapped(sentence)).collect::<String>();
    let all = plan.wanted(wanted.classes.as_ref());
    let shown_max = if wanted.all { all.len() } else { wanted.top };
    let places = &all[..all.len().min(shown_max)];
    if !places.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("What each place requests"));
        out += &table(places, plan.tool).render(paint);
        out += &paint.faint_lines(&wrapped(&legend(places, headroom)));
    }
    if all.len() > places.len() {
        let more = number_of((all.len() - places.len()) as u64, "more place");
        let _ = writeln!(out, "{}", paint.faint(&format!("… and {more} (--all, --top, --class)")));
    }
    let _ = write!(out, "\n{}", paint.strong_lines(&wrapped(&meaning(plan))));
    if let Some(unknown) = unknown(plan) {
        let _ = write!(out, "\n{}", wrapped(&unknown));
    }
    out
}

/// What the file is, and what it lacks.
pub(super) fn sentences(plan: &SumsPlan) -> Vec<String> {
    let of = match plan.command.trim() {
        "" => String::new(),
        command => format!(" of `{}`", shown(command.as_bytes())),
    };
    let peak = plan
        .peak_bytes
        .map_or_else(String::new, |peak| format!(", at most {} alive at once", bytes(peak)));
    let when = if plan.tool.counts_requests() { "" } else { " at the peak or at the end" };
    let mut all = vec![format!(
        "Sums by place{of}, counted by {}. {}{when} from {}{peak}. {}",
        plan.tool.title(),
        number_of(plan.blocks, "block"),
        number_of(plan.call_stacks, "call stack"),
        plan.reading.sentence(),
    )];
    all.extend(plan.cut.as_ref().map(Cut::sentence));
    all
}

/// Who allocates most.
pub(super) fn meaning(plan: &SumsPlan) -> String {
    let Some(first) = plan.places.first() else { return "No place allocates.".to_owned() };
    let what = match first.size {
        Size::Exactly(bytes) => format!("blocks of {} bytes", count(bytes)),
        Size::Assumed(bytes) => format!("blocks of {} bytes, as far as sums tell", count(bytes)),
        Size::Mean(mean) => {
            format!("blocks of several sizes, {} bytes on average", count(mean.round() as u64))
        }
    };
    let verb = match plan.tool.counts_requests() {
        true => "allocates most",
        false => "has most blocks at the peak or at the end",
    };
    format!(
        "{} {verb}: {} of {} ({}), {what}.",
        function(&first.function),
        count(first.blocks),
        number_of(plan.blocks, "block"),
        percent(first.blocks as f64 / plan.blocks.max(1) as f64),
    )
}

/// What sums do not say, and which recording does.
pub(super) fn unknown(plan: &SumsPlan) -> Option<String> {
    let is_open = plan.places.iter().any(|place| place.reserve.is_none());
    let peaks = match plan.tool {
        Tool::Dhat { keeps_peaks: false } if is_open => {
            " Since version 3.17, valgrind notes how many blocks of a place were alive only while the whole program has \
             more bytes than ever before, so a peak at another time is unknown."
        }
        Tool::Memray => {
            " An aggregated recording of memray has the blocks of each place when the program had most bytes, and at its end: \
             how often a place allocates, and how many blocks it had at another time, are unknown, too. `memray run` \
             without --aggregate records single blocks."
        }
        _ => "",
    };
    Some(format!(
        "Counts only: nothing was replayed. How long objects live, what fewer slots would refuse, and whether a pool saves \
         time are unknown.{peaks} A recording with single blocks says all of it: `heaptrack --raw ./program`."
    ))
}

fn table(places: &[&PlaceSums], tool: Tool) -> Table {
    let mut table =
        Table::new(&["<place", "size", "created", "at once", "on average", "reserve", "memory"]);
    for place in places {
        table.row(vec![
            function(&place.function),
            size(place.size),
            created(place, tool),
            at_once(place),
            place.on_average.map_or_else(|| "–".to_owned(), small),
            place.reserve.map_or_else(|| "–".to_owned(), |slots| count(slots.into())),
            place.bytes_reserved().map_or_else(String::new, bytes),
        ]);
    }
    table
}

/// How many blocks were requested: `412`, or `–` if that was not counted.
pub(super) fn created(place: &PlaceSums, tool: Tool) -> String {
    tool.requested(place.blocks).map_or_else(|| "–".to_owned(), count)
}

/// A size: `48`, `48*` if it is assumed, `~80` for a mean.
pub(super) fn size(size: Size) -> String {
    match size {
        Size::Exactly(bytes) => count(bytes),
        Size::Assumed(bytes) => format!("{}*", count(bytes)),
        Size::Mean(mean) => format!("~{}", count(mean.round() as u64)),
    }
}

/// How many were alive at once: `412`; `≤412`, the sum of several peaks; or `≥412`, where there may have been more.
pub(super) fn at_once(place: &PlaceSums) -> String {
    match place.at_once {
        AtOnce { least, most } if least == most => count(least),
        AtOnce { most, .. } if place.is_counted => format!("≤{}", count(most)),
        AtOnce { least, .. } => format!("≥{}", count(least)),
    }
}

/// What the table's signs mean, as far as they are in it.
pub(super) fn legend(places: &[&PlaceSums], headroom: Headroom) -> String {
    let mut parts = vec![format!(
        "at once: the most that were alive together; reserve: that plus {} % (--headroom)",
        small(headroom.percent)
    )];
    let ranges = || places.iter().filter(|place| place.at_once.exactly().is_none());
    if ranges().any(|place| place.is_counted) {
        let why =
            "≤: the peaks of several call stacks added up, which may have been at different times";
        parts.push(why.to_owned());
    }
    if ranges().any(|place| !place.is_counted) {
        parts.push(
            "≥: so many were counted, and there may have been more at another time".to_owned(),
        );
    }
    if places.iter().any(|place| matches!(place.size, Size::Mean(_))) {
        parts.push("~: the place asks for several sizes, and this is their mean".to_owned());
    }
    if places.iter().any(|place| matches!(place.size, Size::Assumed(_))) {
        let why = "*: assumed, because all sums are multiples of it; one size is not proven";
        parts.push(why.to_owned());
    }
    if places.iter().any(|place| place.reserve.is_none()) {
        parts.push("–: not known from sums".to_owned());
    }
    parts.join("; ")
}
