//! The first pass: the requests of each class to its pool.
//!
//! Memory is proportional to the number of live objects and of classes, not to the length of the trace.

use super::lengths::Lengths;
use super::near_peak::Heights;
use crate::trace::{Event, Watch};

/// The events of one class in the whole trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassStatistics {
    /// The number of births.
    pub lifetimes: u64,
    /// The number of live objects.
    pub live: u32,
    /// The peak of live objects.
    pub peak_live: u32,
    /// The first tick with this peak.
    pub peak_tick: u32,
    /// The peak of births within one tick.
    pub births_worst: u64,
    /// The first tick with this peak.
    pub births_worst_tick: u32,
    /// The size of the largest object, if the trace has sizes.
    pub bytes_max: Option<u64>,
    /// The size of the smallest object.
    pub bytes_min: Option<u64>,
    /// When so many were alive; not of all classes together.
    pub heights: Heights,
    /// The lengths of the lifetimes that ended.
    pub ended: Lengths,
    /// The ages of the objects that were still alive at the end.
    pub left: Lengths,
    /// By live count, the number of ticks in which it was the highest.
    ticks_at: Vec<u64>,
    /// The current tick, and its events so far.
    tick: u32,
    tick_peak: u32,
    tick_births: u64,
}

impl ClassStatistics {
    /// The smallest live count that was not exceeded in this share of the ticks.
    #[must_use]
    pub fn live_quantile(&self, share: f64) -> u32 {
        let ticks: u64 = self.ticks_at.iter().sum();
        let rank = (ticks as f64 * share).ceil() as u64;
        let mut below = 0;
        for (live, &ticks) in self.ticks_at.iter().enumerate() {
            below += ticks;
            if below >= rank {
                return live as u32;
            }
        }
        self.peak_live
    }

    /// The mean live count over all ticks.
    #[must_use]
    pub fn live_mean(&self) -> f64 {
        let ticks: u64 = self.ticks_at.iter().sum();
        let sum: f64 =
            self.ticks_at.iter().enumerate().map(|(live, &t)| live as f64 * t as f64).sum();
        sum / ticks.max(1) as f64
    }

    /// Counts all ticks before this one.
    #[inline]
    fn turn_to(&mut self, tick: u32) {
        if tick != self.tick {
            let idle = u64::from(tick - self.tick) - 1;
            self.count_ticks(self.tick_peak, 1);
            if idle > 0 {
                self.count_ticks(self.live, idle);
            }
            self.tick = tick;
            self.tick_peak = self.live;
            self.tick_births = 0;
        }
    }

    #[inline]
    fn count_ticks(&mut self, live: u32, ticks: u64) {
        let live = live as usize;
        if live >= self.ticks_at.len() {
            self.ticks_at.resize(live + 1, 0);
        }
        self.ticks_at[live] += ticks;
    }

    #[inline]
    fn birth(&mut self, event: &Event) {
        self.turn_to(event.tick);
        self.lifetimes += 1;
        self.live += 1;
        self.tick_births += 1;
        if self.live > self.tick_peak {
            self.tick_peak = self.live;
            if self.live > self.peak_live {
                self.peak_live = self.live;
                self.peak_tick = event.tick;
            }
        }
        if self.tick_births > self.births_worst {
            self.births_worst = self.tick_births;
            self.births_worst_tick = event.tick;
        }
        if event.bytes > self.bytes_max {
            self.bytes_max = event.bytes;
        }
        if self.lifetimes == 1 || event.bytes < self.bytes_min {
            self.bytes_min = event.bytes;
        }
    }

    #[inline]
    fn death(&mut self, tick: u32, born: u32) {
        self.turn_to(tick);
        self.live -= 1;
        self.heights.death(tick);
        self.ended.add(tick - born);
    }
}

/// The events of a whole trace.
#[derive(Debug, Default)]
pub struct Statistics {
    /// By class number.
    pub classes: Vec<ClassStatistics>,
    /// All classes together, without lengths.
    pub all: ClassStatistics,
    /// The peak of live bytes, if the trace has sizes at birth.
    pub peak_bytes: u64,
    live_bytes: u64,
    /// The live objects by key.
    born: Vec<Born>,
    first_tick: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Born {
    tick: u32,
    bytes: u64,
}

impl Statistics {
    /// The number of objects that were still alive at the end.
    #[must_use]
    pub fn left_live(&self) -> u32 {
        self.all.live
    }

    /// Called once at the end of the trace, with its last tick.
    pub fn finish(&mut self, last_tick: u32) {
        // The live objects are not needed any more, and the second pass needs the memory.
        self.born = Vec::new();
        for class in self.classes.iter_mut().chain([&mut self.all]) {
            class.turn_to_end(last_tick);
        }
    }
}

impl ClassStatistics {
    fn turn_to_end(&mut self, last_tick: u32) {
        let idle = u64::from(last_tick - self.tick);
        self.count_ticks(self.tick_peak, 1);
        self.count_ticks(self.live, idle);
    }
}

impl Watch for Statistics {
    #[inline]
    fn birth(&mut self, event: Event) {
        let first_tick = *self.first_tick.get_or_insert_with(|| {
            self.all.tick = event.tick;
            event.tick
        });
        let class = event.class as usize;
        if class >= self.classes.len() {
            let fresh = ClassStatistics { tick: first_tick, ..ClassStatistics::default() };
            self.classes.resize(class + 1, fresh);
        }
        let key = event.key as usize;
        if key >= self.born.len() {
            self.born.resize(key + 1, Born::default());
        }
        let bytes = event.bytes.unwrap_or(0);
        self.born[key] = Born { tick: event.tick, bytes };
        self.classes[class].birth(&event);
        self.classes[class].heights.birth(event.tick);
        self.all.birth(&event);
        self.live_bytes = self.live_bytes.saturating_add(bytes);
        self.peak_bytes = self.peak_bytes.max(self.live_bytes);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        let born = self.born[event.key as usize];
        self.classes[event.class as usize].death(event.tick, born.tick);
        self.all.turn_to(event.tick);
        self.all.live -= 1;
        self.live_bytes = self.live_bytes.saturating_sub(born.bytes);
    }

    fn left(&mut self, class: u32, key: u32, last_tick: u32) {
        let age = last_tick - self.born[key as usize].tick;
        self.classes[class as usize].left.add(age);
    }
}
