//! Which pool to take, by the figures.

use super::Measured;
use super::contender::Kind;
use millpond_plan::output::figures::count;

/// Two medians that differ by less count as equally fast.
const TIE: f64 = 0.03;

/// The conclusions from the figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// The contender to take.
    pub(crate) name: &'static str,
    /// The reason in a sentence; and in another, what recycled objects would save.
    pub(crate) sentence: String,
}

impl Verdict {
    /// The fastest pool; of those that are as fast within 3 %, the first of the list, which is the simplest to use.
    /// `None` without pools and boxes.
    pub(super) fn of(results: &[Measured], walks: bool) -> Option<Self> {
        let pools = || results.iter().filter(|measured| measured.kind == Kind::Pool);
        let fastest = pools().map(median).fold(f64::INFINITY, f64::min);
        let ties = |pool: &&Measured| median(pool) <= fastest * (1.0 + TIE);
        let taken = pools().find(ties)?;
        let boxes = results.iter().find(|measured| measured.kind == Kind::Box)?;
        let tied: Vec<&str> = pools().filter(ties).skip(1).map(|pool| pool.name).collect();
        // Single walks are not timed.
        let (what, event) = if walks {
            ("tick with its walk", " insertion or removal")
        } else {
            ("insertion or removal", "")
        };
        let mut sentence = format!(
            "Use {}: {:.1} ns per {what}, {}; the slowest{event} takes {} ns, with Box {} ns",
            taken.name,
            median(taken),
            compared(median(taken), median(boxes)),
            count(taken.latency.worst()),
            count(boxes.latency.worst()),
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
        Some(Self { name: taken.name, sentence })
    }
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
