//! A plan as the data of a report.

use crate::output::advice::{little_time, next_line, of_recorder, saving, time_saved, what};
use crate::output::figures::{bytes, count, duration, small};
use crate::output::meaning::meaning;
use crate::output::plan_text::what_is_missing;
use crate::plan::{self, GENERATION_BITS, Lengths, Rules, TracePlan, lifetimes_of, seconds_until};
use crate::report::model;
use crate::trace::{self, TickUnit};

/// The most bars of a histogram.
const BINS_MAX: u64 = 40;

/// How many proposals the ranking names.
const SAVINGS_MAX: usize = 30;

/// How many functions are named for each size.
const CALLERS_MAX: usize = 5;

/// The report on these plans.
pub fn report(plans: &[TracePlan], rules: &Rules) -> model::Report {
    let title = match plans {
        [plan] => format!("Pool plan for {}", plan.name),
        _ => format!("Pool plan for {} traces", plans.len()),
    };
    model::Report {
        title,
        generated_by: format!("millpond {}", env!("CARGO_PKG_VERSION")),
        rule: format!(
            "Slots to reserve: the most objects alive at once, plus {} %. Handles must last {}.",
            small(rules.headroom.percent),
            duration(rules.session_seconds)
        ),
        traces: plans.iter().map(trace).collect(),
    }
}

fn trace(plan: &TracePlan) -> model::Trace {
    let format = match plan.summary.format {
        trace::Format::Lifetimes => model::Format::Lifetimes,
        trace::Format::Heap(_) => model::Format::Heap,
    };
    let time_unit = match plan.summary.tick_unit() {
        TickUnit::Tick => model::TimeUnit::Ticks,
        TickUnit::Millisecond => model::TimeUnit::Milliseconds,
        TickUnit::Frame => model::TimeUnit::Frames,
    };
    model::Trace {
        name: plan.name.clone(),
        format,
        time_unit,
        facts: facts(plan),
        missing: what_is_missing(&plan.summary),
        meaning: meaning(plan),
        proof: Some(plan.proof()),
        live_over_time: plan.live_over_time.as_deref().map(|points| series(plan, points)),
        classes: plan.classes.iter().map(|c| class(plan, c)).collect(),
        savings: savings(plan),
        little_time: little_time(plan).or_else(|| of_recorder(plan).map(str::to_owned)),
    }
}

fn facts(plan: &TracePlan) -> Vec<model::Fact> {
    let fact = |label: &str, value: String| model::Fact { label: label.to_owned(), value };
    let mut facts = vec![
        match plan.seconds() {
            Some(seconds) => fact("recorded", duration(seconds)),
            None if plan.summary.has_times() => fact("ticks recorded", count(plan.summary.ticks())),
            None => fact("recorded", "counts without times".to_owned()),
        },
        fact("objects created", count(plan.summary.births)),
        fact("most alive at once", count(plan.peak_live.into())),
        fact("still alive at the end", count(plan.left_live.into())),
        fact("classes", count(plan.classes.len() as u64)),
        fact(&format!("{}s read", plan.summary.reading.unit), count(plan.summary.reading.read)),
    ];
    if let Some(timestamps) = plan.summary.timestamps
        && plan.summary.has_times()
    {
        facts.push(fact("timestamps", count(timestamps)));
    }
    if let Some(peak_bytes) = plan.peak_bytes {
        facts.push(fact("memory at the peak", bytes(peak_bytes)));
    }
    facts
}

fn series(plan: &TracePlan, points: &[(u32, u32)]) -> model::Series {
    let (start, end) = ends(plan);
    let points = points.iter().map(|&(least, most)| (least.into(), most.into())).collect();
    model::Series { start, end, points }
}

/// Where the time axis begins, and the first tick after its end.
fn ends(plan: &TracePlan) -> (u64, u64) {
    let start = u64::from(plan.axis.first_tick);
    (start, start + plan.axis.ticks)
}

fn class(plan: &TracePlan, class: &plan::Class) -> model::Class {
    let statistics = &class.statistics;
    model::Class {
        name: class.name.clone(),
        lifetimes: statistics.lifetimes,
        peak_live: statistics.peak_live.into(),
        p99_live: class.p99_live.map(u64::from),
        left_live: statistics.live.into(),
        births: class.births.map(births),
        caller: class.main_caller().map(|caller| model::Caller {
            function: caller.function.clone(),
            allocations: caller.allocations,
        }),
        lifetime_median: class.median.map(|both| both.map(length)),
        lifetime_p95: class.p95.map(|both| both.map(length)),
        capacity: class.capacity.into(),
        bytes_at_capacity: class.bytes_at_capacity(),
        smaller: class.smaller.iter().map(smaller).collect(),
        handle: class.layout.map_or_else(String::new, |layout| {
            format!("{} with {} reuse", layout.handle, layout.reuse.name())
        }),
        generations: match plan.seconds().zip(class.busiest_slot) {
            Some((seconds, slot)) => {
                GENERATION_BITS.map(|bits| generation_life(seconds, slot, bits)).into()
            }
            None => Vec::new(),
        },
        proof: Some(class.proof),
        live_over_time: class.live_over_time.as_deref().map(|points| series(plan, points)),
        lifetime_histogram: match plan.summary.has_times() {
            true => histogram(&statistics.ended),
            false => Vec::new(),
        },
        lifetimes_oldest_first: match &class.oldest_first {
            Some(oldest) if plan.summary.has_times() => histogram(&oldest.ended),
            _ => Vec::new(),
        },
        slots: class.slots_over_time.as_ref().map(|map| slots(plan, map)),
    }
}

fn births(births: plan::BirthsPerTick) -> model::Births {
    model::Births { mean: births.mean, worst: births.worst }
}

fn smaller(smaller: &plan::SmallerBetween) -> model::Smaller {
    model::Smaller {
        capacity: smaller.capacity.into(),
        refused: smaller.refused,
        evicted: smaller.evicted,
    }
}

fn length(length: plan::Length) -> model::Length {
    model::Length { steps: length.ticks, at_least: length.at_least }
}

fn generation_life(
    trace_seconds: f64,
    slot: plan::BusiestBetween,
    bits: u32,
) -> model::GenerationLife {
    let seconds = |busiest| seconds_until(lifetimes_of(bits), busiest, trace_seconds);
    // The busier, the shorter.
    let lasts = |busiest: plan::Between<u64>| plan::Between {
        least: seconds(busiest.most),
        most: seconds(busiest.least),
    };
    model::GenerationLife { bits, lifo_seconds: lasts(slot.lifo), fifo_seconds: lasts(slot.fifo) }
}

fn slots(plan: &TracePlan, map: &plan::SlotMap) -> model::SlotMap {
    let (start, end) = ends(plan);
    model::SlotMap {
        start,
        end,
        slots: map.slots,
        columns: map.columns,
        rows: map.rows,
        cells: map.cells.clone(),
    }
}

/// The lengths as few enough bars: one per length if they are short, else ever wider ones.
fn histogram(lengths: &Lengths) -> Vec<model::Bin> {
    let longest = lengths.bins().map(|(_, last, _)| last).max().unwrap_or(0);
    let mut bins: Vec<model::Bin> = edges(longest)
        .windows(2)
        .map(|edge| model::Bin { from: edge[0], to: edge[1], count: 0 })
        .collect();
    for (first, _, count) in lengths.bins() {
        let bin = bins.partition_point(|bin| bin.to <= first);
        if let Some(bin) = bins.get_mut(bin) {
            bin.count += count;
        }
    }
    let empty_before = bins.iter().take_while(|bin| bin.count == 0).count();
    // The empty space below the shortest lifetime tells nothing.
    bins.split_off(empty_before.min(bins.len()))
}

/// Where bars begin and end so that they cover lengths from 0 up to the longest: every length
/// at first, then four bars per doubling (two if that would be too many).
fn edges(longest: u64) -> Vec<u64> {
    if longest < BINS_MAX {
        return (0..=longest + 1).collect();
    }
    let mut edges: Vec<u64> = (0..8).collect();
    let mut step = if longest < 2048 { 2 } else { 4 };
    let per_doubling = 8 / step;
    let mut edge = 8;
    loop {
        for _ in 0..per_doubling {
            edges.push(edge);
            if edge > longest {
                return edges;
            }
            edge += step;
        }
        step *= 2;
    }
}

fn savings(plan: &TracePlan) -> Vec<model::Saving> {
    plan.advice
        .proposals
        .iter()
        .take(SAVINGS_MAX)
        .map(|proposal| model::Saving {
            class: what(proposal, plan),
            time: time_saved(proposal.time_saved, plan.advice.time),
            calls: proposal.calls,
            calls_saved: proposal.calls_saved,
            share: proposal.share_of_calls,
            why: saving(proposal, plan),
            next: next_line(proposal, plan),
            callers: proposal.callers.iter().take(CALLERS_MAX).map(caller).collect(),
        })
        .collect()
}

fn caller(caller: &trace::Caller) -> model::Caller {
    model::Caller { function: caller.stack.join(" < "), allocations: caller.allocations }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_cover_all_lengths_and_are_few() {
        for longest in [0, 1, 39, 40, 100, 2047, 2048, 1 << 20, u64::from(u32::MAX)] {
            let edges = edges(longest);
            assert_eq!(edges[0], 0);
            assert!(edges.is_sorted_by(|a, b| a < b), "{edges:?}");
            assert!(*edges.last().unwrap() > longest);
            assert!(edges.len() <= 72, "{longest}: {}", edges.len());
        }
    }

    #[test]
    fn every_lifetime_is_in_one_bar() {
        let mut lengths = Lengths::default();
        (0..5000).for_each(|n| lengths.add(n * n / 7 + 3));
        let bins = histogram(&lengths);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 5000);
        assert!(bins[0].count > 0 && bins[0].from <= 3 && 3 < bins[0].to);
        assert!(histogram(&Lengths::default()).is_empty());
    }
}
