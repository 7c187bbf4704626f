//! The live objects of a recording as counters in Chrome's trace event format, which Perfetto shows, and which Tracy's
//! `import-chrome` reads.

use std::io::{self, Write};

use serde::Serialize;

use super::foreign::for_json;
use crate::error::{Failure, Fault, reason};
use crate::input::{Lines, Source};
use crate::progress::Silent;
use crate::trace::live::{LiveLine, PoolStats, live_line};
use crate::trace::{self, Event, Format, Summary, Watch};

/// The process of all counters.
const PROCESS: u32 = 1;

/// In a second.
const MICROSECONDS: f64 = 1e6;

/// Writes the counters of a recording: of a live trace, each pool's live objects, free slots and refusals; of others, the
/// live objects of each class, once a tick.
///
/// # Errors
/// If the recording cannot be used, if it has no clock and `tick_rate` is none, or if nothing can be written.
pub fn chrome(
    name: &str,
    source: &Source,
    tick_rate: Option<f64>,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let told = |fault: Fault| fault.of_input(name);
    let summary =
        trace::read(trace::open(source).map_err(told)?, &mut Nobody, &mut Silent).map_err(told)?;
    summary.expect_times("a timeline").map_err(told)?;
    let mut events = Events { out, written: 0, failed: None };
    events.raw("{\"traceEvents\":[");
    if summary.has_pools {
        pools(source, &mut events).map_err(told)?;
    } else {
        let rate = match summary.format {
            Format::Heap(_) => summary.tick_rate(),
            Format::Lifetimes => tick_rate.or(summary.tick_rate()),
        };
        let rate = rate.ok_or_else(|| {
            told(Fault::whole("has no clock; say with --tick-rate how many ticks a second has"))
        })?;
        let mut counting = Counting::new(&summary, rate, &mut events);
        trace::read(trace::open(source).map_err(told)?, &mut counting, &mut Silent)
            .map_err(told)?;
        counting.tell();
    }
    events.raw("\n]}\n");
    match events.failed {
        Some(error) => {
            Err(Failure::Output(format!("cannot write the timeline: {}", reason(&error))))
        }
        None => Ok(events.written),
    }
}

/// A counter at a time.
#[derive(Serialize)]
struct Counter<'n, A> {
    ph: &'static str,
    pid: u32,
    /// Microseconds.
    ts: u64,
    name: &'n str,
    args: A,
}

#[derive(Serialize)]
struct Live {
    live: u64,
}

#[derive(Serialize)]
struct OfPool {
    live: u64,
    free: u64,
}

#[derive(Serialize)]
struct Refused {
    refused: u64,
}

struct Events<'w> {
    out: &'w mut dyn Write,
    written: u64,
    failed: Option<io::Error>,
}

impl Events<'_> {
    fn raw(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    fn counter(&mut self, ts: u64, name: &str, args: impl Serialize) {
        let counter = Counter { ph: "C", pid: PROCESS, ts, name, args };
        // Plain fields: this does not fail.
        let text = serde_json::to_string(&counter).unwrap_or_default();
        let comma = if self.written > 0 { "," } else { "" };
        self.raw(&format!("{comma}\n{}", for_json(text)));
        self.written += 1;
    }
}

/// The statistics of a live trace.
fn pools(source: &Source, events: &mut Events<'_>) -> Result<(), Fault> {
    let mut lines = Lines::new(source.open()?);
    let mut is_first = true;
    while lines.advance()? {
        let header = usize::from(std::mem::take(&mut is_first));
        lines.each(header, |line| {
            if let LiveLine::Stats(_, stats) = live_line(line)? {
                pool(&stats, events);
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn pool(stats: &PoolStats, events: &mut Events<'_>) {
    let ts = stats.ms.saturating_mul(1000);
    let free = stats.capacity.saturating_sub(stats.live);
    events.counter(ts, &stats.class, OfPool { live: stats.live, free });
    if stats.refused > 0 {
        events.counter(ts, &format!("{} refused", stats.class), Refused { refused: stats.refused });
    }
}

/// Tells how many of each class are alive, whenever that has changed at the end of a tick.
struct Counting<'w, 'e> {
    events: &'e mut Events<'w>,
    names: Vec<String>,
    first_tick: u32,
    us_per_tick: f64,
    tick: u32,
    live: Vec<u64>,
    /// The classes that have changed in this tick, each once.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
}

impl<'w, 'e> Counting<'w, 'e> {
    fn new(summary: &Summary, rate: f64, events: &'e mut Events<'w>) -> Self {
        let name = |class: &String| match summary.format {
            Format::Heap(_) => format!("{class} bytes"),
            Format::Lifetimes => class.clone(),
        };
        let classes = summary.classes.len();
        Self {
            events,
            names: summary.classes.iter().map(name).collect(),
            first_tick: summary.first_tick,
            us_per_tick: MICROSECONDS / rate,
            tick: summary.first_tick,
            live: vec![0; classes],
            changed: Vec::new(),
            is_changed: vec![false; classes],
        }
    }

    fn turn_to(&mut self, tick: u32) {
        if tick != self.tick {
            self.tell();
            self.tick = tick;
        }
    }

    fn tell(&mut self) {
        let since = f64::from(self.tick.saturating_sub(self.first_tick));
        let ts = (since * self.us_per_tick) as u64;
        for class in std::mem::take(&mut self.changed) {
            let class = class as usize;
            self.is_changed[class] = false;
            self.events.counter(ts, &self.names[class], Live { live: self.live[class] });
        }
    }

    fn change(&mut self, class: u32) {
        if !std::mem::replace(&mut self.is_changed[class as usize], true) {
            self.changed.push(class);
        }
    }
}

impl Watch for Counting<'_, '_> {
    fn birth(&mut self, event: Event) {
        self.turn_to(event.tick);
        self.live[event.class as usize] += 1;
        self.change(event.class);
    }

    fn death(&mut self, event: Event) {
        self.turn_to(event.tick);
        self.live[event.class as usize] -= 1;
        self.change(event.class);
    }

    fn left(&mut self, _: u32, _: u32, _: u32) {}
}

/// Watches nothing: only the summary is wanted.
struct Nobody;

impl Watch for Nobody {
    fn birth(&mut self, _: Event) {}
    fn death(&mut self, _: Event) {}
    fn left(&mut self, _: u32, _: u32, _: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exported(text: &'static [u8], rate: Option<f64>) -> Result<serde_json::Value, Failure> {
        let mut out = Vec::new();
        let written = chrome("a.csv", &Source::from_memory(text), rate, &mut out)?;
        let json: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(json["traceEvents"].as_array().map(Vec::len), Some(written as usize));
        Ok(json["traceEvents"].clone())
    }

    #[test]
    fn each_class_is_a_counter_that_is_told_when_it_changes() {
        let text =
            b"tick,event,id,class\n5,alloc,1,a\"b\n5,alloc,2,a\"b\n7,free,1,a\"b\n7,alloc,3,c\n";
        let events = exported(text, Some(50.0)).expect("a good trace");
        assert_eq!(
            events[0],
            serde_json::json!({"ph":"C","pid":1,"ts":0,"name":"a\"b","args":{"live":2}})
        );
        assert_eq!(
            events[1],
            serde_json::json!({"ph":"C","pid":1,"ts":40000,"name":"a\"b","args":{"live":1}})
        );
        assert_eq!((&events[2]["name"], &events[3]), (&"c".into(), &serde_json::Value::Null));
        let failure = exported(text, None).expect_err("no clock");
        assert!(failure.to_string().contains("--tick-rate"), "{failure}");
    }

    #[test]
    fn the_pools_of_a_live_trace_have_free_slots_and_refusals() {
        let text = b"tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n\
            0,alloc,0,imps,0\n0,stats,0,imps,9,1,1,0,1,0,0,0,0,1\n1,stats,0,imps,9,1,1,0,1,0,3,0,0,20\n1,end,1,recorder\n";
        let events = exported(text, None).expect("a good trace");
        assert_eq!(
            events[0],
            serde_json::json!({"ph":"C","pid":1,"ts":1000,"name":"imps","args":{"live":1,"free":8}})
        );
        assert_eq!(events[2]["args"], serde_json::json!({"refused": 3}));
    }
}
