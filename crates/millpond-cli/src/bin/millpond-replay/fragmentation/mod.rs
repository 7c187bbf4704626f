//! The long-term effect of a program's requests on a heap: free memory and the largest hole over time, in a model of
//! the system's allocator, compared with the same program in pools.

mod heap;
mod picture;

pub(crate) use picture::svg;

use std::collections::HashMap;
use std::path::Path;

use heap::{Block, Heap, Rules};
use millpond_plan::error::{Failure, Fault};
use millpond_plan::output::between::NEWEST_DIES_FIRST;
use millpond_plan::output::figures::{bytes, count, duration};
use millpond_plan::output::wrap::wrapped;
use millpond_plan::samples::Samples;
use millpond_plan::trace::{self, Event, Watch};

/// The maximum number of points in time that are kept.
const POINTS_MAX: usize = 600;

/// The heap at the end of a tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) tick: u32,
    pub(crate) heap_bytes: u64,
    pub(crate) live_bytes: u64,
    pub(crate) largest_hole: u64,
}

impl Point {
    pub(crate) fn free_bytes(&self) -> u64 {
        self.heap_bytes - self.live_bytes
    }
}

/// The result for a trace.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    /// In the order of time.
    pub(crate) points: Vec<Point>,
    /// The number of objects.
    pub(crate) births: u64,
    pub(crate) ticks_per_second: Option<f64>,
    /// The peak of live bytes, including what the allocator adds to each object.
    pub(crate) live_bytes_peak: u64,
    /// When most free memory was in holes that the largest request of that moment did not fit into.
    pub(crate) worst: Point,
    /// The same program in pools with as many slots as are in use at once at most: for each class one, or one for each
    /// size of slot, whichever takes less.
    pub(crate) pool_bytes: u64,
    /// Whether the trace says which object dies; otherwise the newest of its size and call stack did.
    pub(crate) says_who_died: bool,
}

impl Outcome {
    /// The heap at the end.
    pub(crate) fn end(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// The figures for people.
    pub(crate) fn text(&self) -> String {
        let (end, worst) = (self.end(), self.worst);
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64 * 100.0;
        let name = millpond_plan::error::shown(self.name.as_bytes());
        let when = match self.ticks_per_second {
            Some(rate) => duration(f64::from(worst.tick) / rate),
            None => format!("tick {}", count(u64::from(worst.tick))),
        };
        let mut text = format!(
            "{name}: {} objects, at most {} live at once\n\
             heap at the end: {}, of which {} are free, {:.0} % of that in the largest hole ({})\n\
             heap at its worst ({when}): {} free, but no hole is larger than {}\n\
             pools: {} all the time; every free slot fits the next object of its class\n",
            count(self.births),
            bytes(self.live_bytes_peak),
            bytes(end.heap_bytes),
            bytes(end.free_bytes()),
            share(end.largest_hole, end.free_bytes()),
            bytes(end.largest_hole),
            bytes(worst.free_bytes()),
            bytes(worst.largest_hole),
            bytes(self.pool_bytes),
        );
        if !self.says_who_died {
            text += &wrapped(NEWEST_DIES_FIRST);
        }
        text
    }
}

/// Replays a trace in the model; objects without a size have `bytes_default`.
pub(crate) fn of_trace(path: &Path, bytes_default: u64) -> Result<Outcome, Failure> {
    let name = path.to_string_lossy();
    let read = || -> Result<Outcome, Fault> {
        let source = millpond_terminal::open(path)?;
        let label = format!("reading {}", name.rsplit('/').next().unwrap_or(&name));
        let mut progress = source.progress(&label);
        let mut model = Model::new(bytes_default);
        let summary = trace::read(trace::open(&source)?, &mut model, &mut *progress)?;
        summary.expect_times("replay")?;
        let says_who_died = summary.says_who_died();
        Ok(model.outcome(name.clone().into_owned(), summary.tick_rate(), says_who_died))
    };
    read().map_err(|fault| fault.of_input(&name))
}

/// The heap, and the position of each object.
struct Model {
    bytes_default: u64,
    heap: Heap,
    /// The object's block and its pools by the trace's key: that of its size, and that of all sizes.
    places: Vec<Option<(Option<Block>, [usize; 2])>>,
    pools: Vec<Pool>,
    /// By class and size of slot, the pool; by class alone, the one for all sizes.
    pool_numbers: HashMap<(u32, Option<u64>), usize>,
    points: Samples<Point>,
    now: Point,
    births: u64,
    live_bytes_peak: u64,
    worst: Point,
}

/// The pool of a class, or of its objects of one size.
#[derive(Debug, Clone, Copy, Default)]
struct Pool {
    slot_bytes: u64,
    live: u64,
    peak: u64,
}

impl Pool {
    fn bytes(&self) -> u64 {
        self.peak.saturating_mul(self.slot_bytes)
    }
}

/// The slot for an object: its size, rounded up to a multiple of 8, and beyond 64 bytes to one of four sizes in each
/// doubling, so that no slot is a quarter too large.
fn slot_bytes(bytes: u64) -> u64 {
    let step = match bytes {
        0..=64 => 8,
        _ => 1 << ((bytes - 1).ilog2() - 2),
    };
    bytes.max(1).checked_next_multiple_of(step).unwrap_or(u64::MAX)
}

impl Model {
    fn new(bytes_default: u64) -> Self {
        Self {
            bytes_default,
            heap: Heap::new(Rules::SYSTEM),
            places: Vec::new(),
            pools: Vec::new(),
            pool_numbers: HashMap::new(),
            points: Samples::new(POINTS_MAX),
            now: Point::default(),
            births: 0,
            live_bytes_peak: 0,
            worst: Point::default(),
        }
    }

    /// Inserts an object of `slot_bytes` into a pool, and returns the pool's number.
    fn enter(&mut self, class: u32, size: Option<u64>, slot_bytes: u64) -> usize {
        let next = self.pools.len();
        let number = *self.pool_numbers.entry((class, size)).or_insert(next);
        if number == next {
            self.pools.push(Pool::default());
        }
        let pool = &mut self.pools[number];
        pool.slot_bytes = pool.slot_bytes.max(slot_bytes);
        pool.live += 1;
        pool.peak = pool.peak.max(pool.live);
        number
    }

    /// What the pools take: for each class the less of one pool and several.
    fn pool_bytes(&self) -> u64 {
        let mut by_class: HashMap<u32, (u64, u64)> = HashMap::new();
        for (&(class, size), &number) in &self.pool_numbers {
            let (one, several) = by_class.entry(class).or_default();
            let sum = if size.is_none() { one } else { several };
            *sum = sum.saturating_add(self.pools[number].bytes());
        }
        by_class.values().map(|(one, several)| *one.min(several)).fold(0, u64::saturating_add)
    }

    /// Called before an event in this tick.
    fn tick(&mut self, tick: u32) {
        if tick != self.now.tick {
            self.end_of_tick();
            self.now.tick = tick;
        }
    }

    fn end_of_tick(&mut self) {
        let Self { heap, now, .. } = self;
        (now.heap_bytes, now.live_bytes) = (heap.heap_bytes(), heap.live_bytes());
        now.largest_hole = heap.largest_hole();
        let in_small_holes = |point: &Point| point.free_bytes() - point.largest_hole;
        if in_small_holes(&self.now) > in_small_holes(&self.worst) {
            self.worst = self.now;
        }
        self.points.add(self.now);
    }

    fn outcome(
        mut self,
        name: String,
        ticks_per_second: Option<f64>,
        says_who_died: bool,
    ) -> Outcome {
        self.end_of_tick();
        let pool_bytes = self.pool_bytes();
        let mut points = self.points.into_kept();
        if points.last() != Some(&self.now) {
            points.push(self.now);
        }
        Outcome {
            name,
            pool_bytes,
            points,
            births: self.births,
            ticks_per_second,
            live_bytes_peak: self.live_bytes_peak,
            worst: self.worst,
            says_who_died,
        }
    }
}

impl Watch for Model {
    fn birth(&mut self, event: Event) {
        self.tick(event.tick);
        self.births += 1;
        let bytes = event.bytes.unwrap_or(self.bytes_default);
        let slot_bytes = slot_bytes(bytes);
        let pools = [Some(slot_bytes), None].map(|size| self.enter(event.class, size, slot_bytes));
        let block = self.heap.allocate(bytes);
        let key = event.key as usize;
        if self.places.len() <= key {
            self.places.resize(key + 1, None);
        }
        self.places[key] = Some((block, pools));
        self.live_bytes_peak = self.live_bytes_peak.max(self.heap.live_bytes());
    }

    fn death(&mut self, event: Event) {
        self.tick(event.tick);
        let place = self.places.get_mut(event.key as usize).and_then(Option::take);
        if let Some((block, pools)) = place {
            pools.into_iter().for_each(|pool| self.pools[pool].live -= 1);
            block.into_iter().for_each(|block| self.heap.free(block));
        }
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(tick: u32, class: u32, key: u32, bytes: Option<u64>) -> Event {
        Event { tick, class, kind: class, key, bytes }
    }

    #[test]
    fn holes_between_the_living_are_the_worst_and_pools_have_none() {
        let mut model = Model::new(64);
        for key in 0..100 {
            model.birth(event(1, key % 2, key, Some(if key % 2 == 0 { 56 } else { 24 })));
        }
        for key in (0..100).step_by(2) {
            model.death(event(2, 0, key, None));
        }
        model.birth(event(3, 2, 100, Some(1000)));
        let outcome = model.outcome("test".to_owned(), None, true);
        let at = |tick| *outcome.points.iter().find(|point| point.tick == tick).unwrap();
        assert_eq!((at(1).heap_bytes, at(1).free_bytes()), (50 * (64 + 32), 0));
        assert_eq!((at(2).free_bytes(), at(2).largest_hole), (50 * 64, 64));
        // 3,200 bytes are free, and 1,000 have to come from the system.
        assert_eq!(at(3).heap_bytes, 50 * (64 + 32) + 1008);
        assert_eq!(outcome.worst.free_bytes(), 3200);
        assert_eq!(outcome.pool_bytes, 50 * 56 + 50 * 24 + 1024);
        assert_eq!((outcome.births, outcome.live_bytes_peak), (101, 4800));
    }

    #[test]
    fn slots_are_never_a_quarter_too_large() {
        for (bytes, slot) in
            [(0, 8), (1, 8), (24, 24), (64, 64), (65, 80), (129, 160), (1025, 1280)]
        {
            assert_eq!(slot_bytes(bytes), slot, "{bytes}");
        }
        for bytes in 65..100_000 {
            let slot = slot_bytes(bytes);
            assert!(slot >= bytes && (slot - bytes) * 4 < bytes, "{bytes}: {slot}");
        }
        assert_eq!(slot_bytes(u64::MAX), u64::MAX);
    }

    #[test]
    fn long_runs_keep_a_bounded_number_of_points_from_the_first_to_the_last() {
        let mut model = Model::new(64);
        for tick in 0..100_000 {
            model.birth(event(tick, 0, tick % 7, None));
            model.death(event(tick, 0, tick % 7, None));
        }
        let points = model.outcome("test".to_owned(), None, true).points;
        assert!(points.len() <= POINTS_MAX + 1 && points.len() > POINTS_MAX / 4);
        assert!(points.is_sorted_by_key(|point| point.tick) && points[0].tick < 500);
        assert_eq!(points.last().unwrap().tick, 99_999);
    }
}
