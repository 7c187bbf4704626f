//! A trace, prepared for replay.

use std::collections::HashMap;
use std::path::Path;

use super::Summary;
use super::object::{SIZES, size_of_bytes};
use millpond_plan::error::{Failure, Fault};
use millpond_plan::output::figures::{bytes, count};
use millpond_plan::trace::{self, Event, Watch};

/// The options of a replay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The size of all objects, instead of the trace's sizes.
    pub(crate) bytes: Option<u64>,
    /// The size of objects without a size in the trace.
    pub(crate) bytes_default: u64,
    /// The maximum number of replayed events.
    pub(crate) events_max: usize,
    /// The maximum size of all slots together, in bytes.
    pub(crate) memory_max: u64,
    /// Whether all objects are visited at the end of each tick with a birth or a death.
    pub(crate) walk: bool,
}

/// The maximum number of visits in one pass over the script.
const VISITS_MAX: u64 = 1_000_000_000;

/// A birth or death, with the object's store and the place of its handle; or a walk over all objects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The number of the store, among those of this size.
    pub(super) store: u16,
    pub(super) size: u8,
    pub(super) is_birth: bool,
    /// The place where the program keeps the object's handle.
    pub(super) place: u32,
}

impl Step {
    /// No size has this number.
    const WALK: Self = Self { store: 0, size: u8::MAX, is_birth: false, place: 0 };

    pub(super) fn is_walk(self) -> bool {
        self.size == Self::WALK.size
    }
}

const _: () = assert!(SIZES.len() <= u8::MAX as usize);

const _: () = assert!(trace::CLASSES_MAX <= 1 << u16::BITS);

/// Births and deaths that begin and end with no live object.
#[derive(Debug)]
pub(crate) struct Script {
    steps: Vec<Step>,
    lifetimes: usize,
    walks: Walks,
    /// By size, the capacity of each store.
    capacities: [Vec<usize>; SIZES.len()],
    cut: usize,
    events_in_trace: u64,
    births_in_trace: u64,
    recorded_ms: Option<f64>,
    events_taken: u64,
    says_who_died: bool,
}

/// The walks over all objects.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Walks {
    pub(crate) count: usize,
    /// The number of objects visited by all walks.
    pub(crate) visits: u64,
    /// The sum of their numbers.
    sum: u64,
}

impl Script {
    /// Reads a trace.
    pub(crate) fn of_trace(path: &Path, limits: &Limits) -> Result<Self, Failure> {
        let name = path.to_string_lossy();
        let read = || -> Result<Self, Fault> {
            let source = millpond_terminal::open(path)?;
            let label = format!("reading {}", name.rsplit('/').next().unwrap_or(&name));
            let mut progress = source.progress(&label);
            let mut recorder = Recorder {
                events_max: limits.events_max,
                walk: limits.walk,
                ..Recorder::default()
            };
            let summary = trace::read(trace::open(&source)?, &mut recorder, &mut *progress)?;
            summary.expect_times("replay")?;
            recorder.close();
            recorder.script(limits, &summary).map_err(Fault::whole)
        };
        read().map_err(|fault| fault.of_input(&name))
    }

    /// Births, deaths and walks.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of births and deaths.
    pub(super) fn events(&self) -> usize {
        self.steps.len() - self.walks.count
    }

    pub(super) fn walks(&self) -> Walks {
        self.walks
    }

    /// By store of a size, the number of slots that it needs.
    pub(super) fn capacities(&self, size: usize) -> &[usize] {
        &self.capacities[size]
    }

    /// The sum of the numbers of all objects, once for each death and each visit; the first object born has number 1.
    pub(super) fn sum(&self) -> u64 {
        let lifetimes = self.lifetimes as u64;
        (lifetimes * (lifetimes + 1) / 2).wrapping_add(self.walks.sum)
    }

    pub(super) fn summary(&self) -> Summary {
        let used = |&size: &usize| !self.capacities[size].is_empty();
        let sizes = || (0..SIZES.len()).filter(used).map(|size| SIZES[size]);
        Summary {
            events_in_trace: self.events_in_trace,
            births_in_trace: self.births_in_trace,
            recorded_ms: self.recorded_ms,
            events_taken: self.events_taken,
            events: self.events(),
            walks: self.walks,
            lifetimes: self.lifetimes,
            classes: self.capacities.iter().map(Vec::len).sum(),
            slots: self.capacities.iter().flatten().sum(),
            bytes_min: sizes().next().unwrap_or(0),
            bytes_max: sizes().next_back().unwrap_or(0),
            cut: self.cut,
            pool_bytes: self.pool_bytes(),
            says_who_died: self.says_who_died,
        }
    }

    fn pool_bytes(&self) -> u64 {
        let slots = |capacities: &Vec<usize>| capacities.iter().sum::<usize>() as u64;
        SIZES.iter().zip(&self.capacities).map(|(&size, all)| size as u64 * slots(all)).sum()
    }
}

/// Records births and deaths, class by class.
#[derive(Debug, Default)]
struct Recorder {
    events_max: usize,
    walk: bool,
    /// Class, place and whether it is a birth.
    events: Vec<(u32, u32, bool)>,
    /// The events that are preceded by a walk.
    walks: Vec<usize>,
    /// The tick of the last event that counts.
    tick: u32,
    classes: Vec<Class>,
    /// By key of the trace, the class and place of a live object.
    live: Vec<Option<(u32, u32)>>,
    lifetimes: usize,
    /// The number of events before the remaining objects died.
    taken: u64,
}

/// The places of a class: as many as its peak of live objects.
#[derive(Debug, Default)]
struct Class {
    places: u32,
    free: Vec<u32>,
    /// The largest object, if the trace has sizes.
    bytes: Option<u64>,
}

impl Watch for Recorder {
    fn birth(&mut self, event: Event) {
        if self.events.len() >= self.events_max {
            return;
        }
        self.tick(event.tick);
        let number = event.class as usize;
        if self.classes.len() <= number {
            self.classes.resize_with(number + 1, Class::default);
        }
        let class = &mut self.classes[number];
        let place = class.free.pop().unwrap_or_else(|| {
            class.places += 1;
            class.places - 1
        });
        class.bytes = class.bytes.max(event.bytes);
        let key = event.key as usize;
        if self.live.len() <= key {
            self.live.resize(key + 1, None);
        }
        self.live[key] = Some((event.class, place));
        self.events.push((event.class, place, true));
        self.lifetimes += 1;
    }

    fn death(&mut self, event: Event) {
        if self.events.len() >= self.events_max {
            return;
        }
        self.tick(event.tick);
        // An object that dies here was born before the last event that counts.
        if let Some((class, place)) = self.live.get_mut(event.key as usize).and_then(Option::take) {
            self.classes[class as usize].free.push(place);
            self.events.push((class, place, false));
        }
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

impl Recorder {
    /// Called before an event in this tick.
    fn tick(&mut self, tick: u32) {
        if tick != self.tick {
            self.end_of_tick();
            self.tick = tick;
        }
    }

    fn end_of_tick(&mut self) {
        if self.walk && !self.events.is_empty() && self.walks.last() != Some(&self.events.len()) {
            self.walks.push(self.events.len());
        }
    }

    /// The remaining objects die.
    fn close(&mut self) {
        self.end_of_tick();
        self.taken = self.events.len() as u64;
        for (class, place) in self.live.drain(..).flatten() {
            self.events.push((class, place, false));
        }
    }

    /// The script, or the reason why it would take too much memory.
    fn script(self, limits: &Limits, trace: &trace::Summary) -> Result<Script, String> {
        let mut capacities: [Vec<usize>; SIZES.len()] = Default::default();
        let mut cut = 0;
        let stores: Vec<(u16, u8)> = self
            .classes
            .iter()
            .map(|class| {
                let bytes = limits.bytes.or(class.bytes).unwrap_or(limits.bytes_default);
                let size = size_of_bytes(bytes);
                if class.places == 0 {
                    return (0, size);
                }
                cut += usize::from(bytes > SIZES[SIZES.len() - 1] as u64);
                let of_size = &mut capacities[usize::from(size)];
                of_size.push(class.places as usize);
                ((of_size.len() - 1) as u16, size)
            })
            .collect();
        let step = |(class, place, is_birth): (u32, u32, bool)| {
            let (store, size) = stores[class as usize];
            Step { store, size, is_birth, place }
        };
        let (steps, walks) = with_walks(self.events.into_iter().map(step), &self.walks);
        let script = Script {
            steps,
            lifetimes: self.lifetimes,
            walks,
            capacities,
            cut,
            events_in_trace: trace.events(),
            births_in_trace: trace.births,
            recorded_ms: trace.tick_rate().map(|rate| trace.ticks() as f64 / rate * 1e3),
            events_taken: self.taken,
            says_who_died: trace.says_who_died(),
        };
        if walks.visits > VISITS_MAX {
            return Err(format!(
                "its walks visit {} objects, expected at most {}; replay less with --events N",
                count(walks.visits),
                count(VISITS_MAX)
            ));
        }
        let needed = script.pool_bytes();
        if needed > limits.memory_max {
            return Err(format!(
                "its {} slots take {}, expected at most {} (--memory MIB allows more, --bytes makes \
                 objects smaller)",
                count(script.summary().slots as u64),
                bytes(needed),
                bytes(limits.memory_max)
            ));
        }
        Ok(script)
    }
}

/// Inserts walks between births and deaths, each before the event with its number.
fn with_walks(events: impl Iterator<Item = Step>, before: &[usize]) -> (Vec<Step>, Walks) {
    if before.is_empty() {
        return (events.collect(), Walks::default());
    }
    let mut steps = Vec::with_capacity(events.size_hint().0 + before.len());
    let mut walks = Walks::default();
    // By store and place, the object's number.
    let mut live: HashMap<(u8, u16, u32), u64, foldhash::fast::RandomState> = HashMap::default();
    let (mut born, mut sum) = (0_u64, 0_u64);
    let mut before = before.iter().peekable();
    for (at, step) in events.enumerate() {
        if before.next_if(|&&walk| walk == at).is_some() {
            steps.push(Step::WALK);
            walks.count += 1;
            walks.visits += live.len() as u64;
            walks.sum = walks.sum.wrapping_add(sum);
        }
        let place = (step.size, step.store, step.place);
        if step.is_birth {
            born += 1;
            live.insert(place, born);
            sum = sum.wrapping_add(born);
        } else {
            sum = sum.wrapping_sub(live.remove(&place).unwrap_or(0));
        }
        steps.push(step);
    }
    // No object is alive after the last event, so a walk there would visit nothing.
    (steps, walks)
}
