//! The thread that takes events out of the ring and writes them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::thread;
use std::time::Instant;

use super::event::{Event, EventKind};
use super::shared::{Gauges, Shared};
use super::{HEADER, Summary};
use crate::base::guard::guard;

/// How long to sleep when there was nothing to do.
const REST: Duration = Duration::from_millis(4);

/// The shortest time between two writes of the pools' statistics.
const BETWEEN_STATS: Duration = Duration::from_millis(100);

/// Text is written once there is this much of it.
const TEXT_BYTES: usize = 1 << 16;

pub(super) struct Writer<W> {
    shared: Arc<Shared>,
    out: W,
    text: Vec<u8>,
    /// The turn in the ring that comes next.
    turn: u64,
    pools: BTreeMap<u32, Written>,
    begun: Instant,
    stats_at: Option<Instant>,
    /// The tick of the last line: time in a trace never goes back.
    tick: u32,
    next_id: u64,
    summary: Summary,
    /// The number of dropped events of pools that no longer exist.
    dropped_by_the_gone: u64,
}

/// What has been written about a pool.
struct Written {
    gauges: Arc<Gauges>,
    /// Its name, adapted to the trace, and unique among the pools.
    class: String,
    /// By slot, the id of its current lifetime.
    ids: BTreeMap<u32, u64>,
    /// Ids of lifetimes that have ended unless their slot is live after a restart.
    unconfirmed: BTreeMap<u32, u64>,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(shared: Arc<Shared>, out: W) -> Self {
        Self {
            shared,
            out,
            text: Vec::with_capacity(TEXT_BYTES),
            turn: 0,
            pools: BTreeMap::new(),
            begun: Instant::now(),
            stats_at: None,
            tick: 0,
            next_id: 0,
            summary: Summary::default(),
            dropped_by_the_gone: 0,
        }
    }

    /// Writes until the recorder is closed, or writing fails.
    pub(super) fn run(mut self) -> io::Result<Summary> {
        let close = |shared: &mut Arc<Shared>| shared.closed.store(true, Ordering::Release);
        let _close = guard(Arc::clone(&self.shared), close);
        self.write_all().map(|()| self.summary)
    }

    fn write_all(&mut self) -> io::Result<()> {
        self.line(format_args!("{HEADER}"))?;
        self.flush()?;
        loop {
            // In this order: a thread that ends the recording has added all of its events before.
            let is_closed = self.shared.closed.load(Ordering::Acquire);
            let tick = self.shared.tick.load(Ordering::Relaxed);
            self.meet_pools();
            let gone: Vec<u32> = self
                .pools
                .iter()
                .filter(|(_, pool)| pool.gauges.gone.load(Ordering::Acquire))
                .map(|(&number, _)| number)
                .collect();
            let before = self.turn;
            while let Some(event) = self.shared.ring.take(&mut self.turn) {
                self.event(event)?;
            }
            self.tick = self.tick.max(tick);
            let is_time = self.stats_at.is_none_or(|at| at.elapsed() >= BETWEEN_STATS);
            if is_time || is_closed || !gone.is_empty() {
                self.stats_at = Some(Instant::now());
                self.stats()?;
            }
            for number in gone {
                self.bury(number)?;
            }
            if is_closed {
                let (tick, events) = (self.tick, self.summary.events);
                self.line(format_args!("{tick},end,{events},recorder"))?;
            }
            self.flush()?;
            if is_closed {
                return Ok(());
            }
            if before == self.turn {
                thread::park_timeout(REST);
            }
        }
    }

    fn meet_pools(&mut self) {
        for gauges in self.shared.take_added() {
            let class = self.class_of(&gauges.name);
            self.pools.insert(
                gauges.pool,
                Written { gauges, class, ids: BTreeMap::new(), unconfirmed: BTreeMap::new() },
            );
        }
    }

    /// The name as a class of a trace, with a number appended if another pool has it now.
    fn class_of(&self, name: &str) -> String {
        let name = fit(name);
        let is_taken = |class: &str| self.pools.values().any(|pool| pool.class == class);
        if !is_taken(&name) {
            return name;
        }
        let mut number = 2_u64;
        loop {
            let class = format!("{name}-{number}");
            if !is_taken(&class) {
                return class;
            }
            number += 1;
        }
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        self.tick = self.tick.max(event.tick);
        if !self.pools.contains_key(&event.pool) {
            // It was added after this round had begun.
            self.meet_pools();
        }
        let Some(mut pool) = self.pools.remove(&event.pool) else { return Ok(()) };
        match event.kind {
            EventKind::Birth => self.birth(&mut pool, event.index)?,
            EventKind::Death => self.death(&mut pool, event.index)?,
            EventKind::Restart => {
                self.end_unconfirmed(&mut pool)?;
                core::mem::swap(&mut pool.ids, &mut pool.unconfirmed);
            }
            EventKind::Live => match pool.unconfirmed.remove(&event.index) {
                Some(id) => drop(pool.ids.insert(event.index, id)),
                None => self.birth(&mut pool, event.index)?,
            },
            EventKind::Settled => self.end_unconfirmed(&mut pool)?,
        }
        self.pools.insert(event.pool, pool);
        Ok(())
    }

    fn birth(&mut self, pool: &mut Written, index: u32) -> io::Result<()> {
        // If the slot is still live here, its death was dropped, and is added.
        self.death(pool, index)?;
        let id = self.next_id;
        self.next_id += 1;
        pool.ids.insert(index, id);
        self.summary.events += 1;
        let tick = self.tick;
        self.line(format_args!("{tick},alloc,{id},{},{index}", pool.class))
    }

    fn death(&mut self, pool: &mut Written, index: u32) -> io::Result<()> {
        // If the slot is dead here, its birth was dropped, so the death is dropped, too.
        let known = pool.ids.remove(&index).or_else(|| pool.unconfirmed.remove(&index));
        known.map_or(Ok(()), |id| self.ended(id, &pool.class, index))
    }

    fn ended(&mut self, id: u64, class: &str, index: u32) -> io::Result<()> {
        self.summary.events += 1;
        let tick = self.tick;
        self.line(format_args!("{tick},free,{id},{class},{index}"))
    }

    fn end_unconfirmed(&mut self, pool: &mut Written) -> io::Result<()> {
        let ids = core::mem::take(&mut pool.unconfirmed);
        ids.into_iter().try_for_each(|(index, id)| self.ended(id, &pool.class, index))
    }

    /// A line of statistics for each pool.
    fn stats(&mut self) -> io::Result<()> {
        let ms = self.begun.elapsed().as_millis();
        let tick = self.tick;
        let pools = core::mem::take(&mut self.pools);
        self.summary.dropped = self.dropped_by_the_gone;
        for (number, pool) in &pools {
            let counts = pool.gauges.get().map(|count| count.to_string()).join(",");
            let dropped = pool.gauges.dropped.load(Ordering::Relaxed);
            self.summary.dropped += dropped;
            let class = &pool.class;
            self.line(format_args!("{tick},stats,{number},{class},{counts},{dropped},{ms}"))?;
        }
        self.pools = pools;
        Ok(())
    }

    /// Ends the open lifetimes of a pool that no longer exists.
    fn bury(&mut self, number: u32) -> io::Result<()> {
        let Some(mut pool) = self.pools.remove(&number) else { return Ok(()) };
        self.dropped_by_the_gone += pool.gauges.dropped.load(Ordering::Relaxed);
        self.end_unconfirmed(&mut pool)?;
        core::mem::swap(&mut pool.ids, &mut pool.unconfirmed);
        self.end_unconfirmed(&mut pool)
    }

    fn line(&mut self, line: core::fmt::Arguments<'_>) -> io::Result<()> {
        writeln!(self.text, "{line}")?;
        if self.text.len() >= TEXT_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.summary.bytes += self.text.len() as u64;
        self.text.clear();
        self.out.flush()
    }
}

/// The maximum number of bytes of a name that are written.
const NAME_BYTES_MAX: usize = 200;

/// A name without characters that have a meaning in a trace.
fn fit(name: &str) -> String {
    let fits = |c: char| !c.is_control() && !matches!(c, ',' | '"' | '\u{feff}');
    let mut fit: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    while fit.len() > NAME_BYTES_MAX {
        fit.pop();
    }
    if fit.is_empty() { "unnamed".to_string() } else { fit }
}

#[cfg(test)]
mod tests {
    use super::super::ring::Ring;
    use super::*;
    use crate::reports::stats::Stats;

    fn writer(places: usize) -> Writer<Vec<u8>> {
        Writer::new(Arc::new(Shared::new(Ring::new(places))), Vec::new())
    }

    #[test]
    fn an_event_of_a_pool_that_it_has_not_met_is_written() {
        let mut writer = writer(4);
        let gauges = writer.shared.add_pool("imps".to_string(), &Stats::default(), false).unwrap();
        let event = Event { kind: EventKind::Birth, pool: gauges.pool, index: 3, tick: 5 };
        writer.event(event).unwrap();
        assert_eq!(writer.text, b"5,alloc,0,imps,3\n");
    }

    #[test]
    fn what_was_dropped_of_pools_that_are_gone_counts() {
        let mut writer = writer(4);
        for dropped in [3, 4, 5] {
            let gauges =
                writer.shared.add_pool("imps".to_string(), &Stats::default(), false).unwrap();
            gauges.dropped.store(dropped, Ordering::Relaxed);
        }
        writer.meet_pools();
        writer.bury(0).unwrap();
        writer.bury(1).unwrap();
        writer.stats().unwrap();
        assert_eq!(writer.summary.dropped, 12);
    }

    #[test]
    fn names_fit() {
        assert_eq!(fit("bullets"), "bullets");
        assert_eq!(fit("a,b\"c\nd\u{1b}"), "a_b_c_d_");
        assert_eq!(fit(""), "unnamed");
        assert_eq!(fit(&"é".repeat(1000)).len(), NAME_BYTES_MAX);
    }
}
