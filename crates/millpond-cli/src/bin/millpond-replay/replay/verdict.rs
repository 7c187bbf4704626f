//! Which pool to take, by the figures.

use super::entrant::Kind;
use super::{Measured, Recording};
use millpond_plan::output::advice::{nothing_saves_enough, time_saved};
use millpond_plan::output::figures::count;
use millpond_plan::plan::{TimeSaved, is_worth};

/// Two medians that differ by less count as equally fast.
const TIE: f64 = 0.03;

/// The conclusions from the figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// The best pool.
    pub(crate) name: &'static str,
    /// What it saves in the whole recording.
    pub(crate) saved: TimeSaved,
    /// Whether that is worth a change.
    pub(crate) is_worth: bool,
    /// The reason in words; and what recycled objects would save.
    pub(crate) sentence: String,
}

impl Verdict {
    /// The fastest pool; of those that are as fast within 3 %, the first of the list, which is the simplest to use.
    /// `None` without pools and boxes.
    pub(super) fn of(results: &[Measured], recording: &Recording) -> Option<Self> {
        let pools = || results.iter().filter(|measured| measured.kind == Kind::Pool);
        let fastest = pools().map(median).fold(f64::INFINITY, f64::min);
        let ties = |pool: &&Measured| median(pool) <= fastest * (1.0 + TIE);
        let taken = pools().find(ties)?;
        let boxes = results.iter().find(|measured| measured.kind == Kind::Box)?;
        let tied: Vec<&str> = pools().filter(ties).skip(1).map(|pool| pool.name).collect();
        let saved = saved(taken, boxes, recording);
        let is_worth = is_worth(saved.rank_ms(), recording.time.map(|all| all.ms));
        let advice = match is_worth {
            true => "Use".to_owned(),
            false => format!("{} The best is", nothing_saves_enough(recording.time)),
        };
        // Single walks are not timed.
        let (what, event) = if recording.has_walks {
            ("tick with its walk", " insertion or removal")
        } else {
            ("insertion or removal", "")
        };
        let mut sentence = format!(
            "{advice} {}, which was measured to save {}: {:.1} ns per {what}, {}; the slowest{event} takes {} ns, \
             with Box {} ns",
            taken.name,
            time_saved(saved, recording.time),
            median(taken),
            compared(median(taken), median(boxes)),
            count(taken.latency.worst),
            count(boxes.latency.worst),
        );
        if !tied.is_empty() {
            sentence += &format!("; as fast within 3 %: {}", tied.join("; "));
        }
        sentence.push('.');
        let recycler = results.iter().find(|measured| measured.kind == Kind::Recycler);
        if let Some(recycler) = recycler.filter(|it| median(it) < median(taken) * (1.0 - TIE)) {
            let ns = median(recycler);
            sentence += &format!(
                " If objects may stay constructed between uses, a Recycler takes {ns:.1} ns."
            );
        }
        Some(Self { name: taken.name, saved, is_worth, sentence })
    }
}

/// What a pool saves in the whole recording: by the quartile that says least, and by the one that says most, with the
/// margin of a plan.
fn saved(pool: &Measured, boxes: &Measured, recording: &Recording) -> TimeSaved {
    let quartiles = |of: &Measured| {
        let times = of.times;
        [times.lower_quartile, times.median, times.upper_quartile]
    };
    let pairs = quartiles(boxes).into_iter().zip(quartiles(pool));
    let ms = pairs.map(|(boxes, pool)| (boxes - pool) * recording.timed as f64 / 1e6);
    let range = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = ms.fold(range, |(low, high), ms| (low.min(ms), high.max(ms)));
    TimeSaved::with_margin(recording.calls, low, high, true)
}

fn median(measured: &Measured) -> f64 {
    measured.times.median
}

fn compared(ns: f64, box_ns: f64) -> String {
    match box_ns / ns {
        times if times >= 1.0 + TIE => format!("{times:.1} times as fast as Box ({box_ns:.1} ns)"),
        times if times > 1.0 - TIE => format!("as fast as Box ({box_ns:.1} ns)"),
        times => format!("{:.1} times as slow as Box ({box_ns:.1} ns)", 1.0 / times),
    }
}
