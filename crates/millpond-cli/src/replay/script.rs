//! A trace, made ready for replay.

use std::path::Path;

use super::Summary;
use super::object::{SIZES, size_of_bytes};
use crate::error::{Failure, Fault};
use crate::input::Source;
use crate::output::figures::{bytes, count};
use crate::output::progress::Progress;
use crate::trace::{self, Event, Watch};

/// What the user may decide about a replay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The size of all objects, whatever the trace says.
    pub(crate) bytes: Option<u64>,
    /// The size of objects whose size the trace does not say.
    pub(crate) bytes_default: u64,
    /// How many events are replayed at most.
    pub(crate) events_max: usize,
    /// How many bytes all slots together may take.
    pub(crate) memory_max: u64,
}

/// A birth or death: where the object is, and where the program keeps its handle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Which of the stores of this size.
    pub(super) store: u16,
    pub(super) size: u8,
    pub(super) is_birth: bool,
    /// The program's own place for the object's handle.
    pub(super) place: u32,
}

const _: () = assert!(trace::CLASSES_MAX <= 1 << u16::BITS);

/// Births and deaths that end as they began: with nothing alive.
#[derive(Debug)]
pub(crate) struct Script {
    steps: Vec<Step>,
    lifetimes: usize,
    /// For each size, the capacity of each of its stores.
    capacities: [Vec<usize>; SIZES.len()],
    cut: usize,
    events_in_trace: u64,
    events_taken: u64,
}

impl Script {
    /// Reads a trace.
    pub(crate) fn of_trace(path: &Path, limits: &Limits) -> Result<Self, Failure> {
        let name = path.to_string_lossy();
        let read = || -> Result<Self, Fault> {
            let source = Source::from_path(path)?;
            let label = format!("reading {}", name.rsplit('/').next().unwrap_or(&name));
            let mut progress = Progress::on_stderr(label, source.bytes_stored());
            let mut recorder = Recorder { events_max: limits.events_max, ..Recorder::default() };
            let summary = trace::read(source.open()?, &mut recorder, &mut progress)?;
            recorder.close();
            recorder.script(limits, summary.events()).map_err(Fault::whole)
        };
        read().map_err(|fault| fault.of_input(&name))
    }

    pub(super) fn events(&self) -> &[Step] {
        &self.steps
    }

    /// For each store of a size, how many slots it needs.
    pub(super) fn capacities(&self, size: usize) -> &[usize] {
        &self.capacities[size]
    }

    /// The sum of the numbers of all objects: the first born has number 1.
    pub(super) fn sum(&self) -> u64 {
        let lifetimes = self.lifetimes as u64;
        lifetimes * (lifetimes + 1) / 2
    }

    pub(super) fn summary(&self) -> Summary {
        let used = |&size: &usize| !self.capacities[size].is_empty();
        let sizes = || (0..SIZES.len()).filter(used).map(|size| SIZES[size]);
        Summary {
            events_in_trace: self.events_in_trace,
            events_taken: self.events_taken,
            events: self.steps.len(),
            lifetimes: self.lifetimes,
            classes: self.capacities.iter().map(Vec::len).sum(),
            slots: self.capacities.iter().flatten().sum(),
            bytes_min: sizes().next().unwrap_or(0),
            bytes_max: sizes().next_back().unwrap_or(0),
            cut: self.cut,
            pool_bytes: self.pool_bytes(),
        }
    }

    fn pool_bytes(&self) -> u64 {
        let slots = |capacities: &Vec<usize>| capacities.iter().sum::<usize>() as u64;
        SIZES.iter().zip(&self.capacities).map(|(&size, all)| size as u64 * slots(all)).sum()
    }
}

/// Writes down who is born and who dies, class by class.
#[derive(Debug, Default)]
struct Recorder {
    events_max: usize,
    /// Class, place and whether it is a birth.
    events: Vec<(u32, u32, bool)>,
    classes: Vec<Class>,
    /// By key of the trace, the class and place of an object that lives.
    live: Vec<Option<(u32, u32)>>,
    lifetimes: usize,
    /// How many events there were before what was alive died.
    taken: u64,
}

/// The places of a class: as many as its objects are at once.
#[derive(Debug, Default)]
struct Class {
    places: u32,
    free: Vec<u32>,
    /// The largest object, where the trace says it.
    bytes: Option<u64>,
}

impl Watch for Recorder {
    fn birth(&mut self, event: Event) {
        if self.events.len() >= self.events_max {
            return;
        }
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
        // Whoever dies here was born before the last event that counts.
        if let Some((class, place)) = self.live.get_mut(event.key as usize).and_then(Option::take) {
            self.classes[class as usize].free.push(place);
            self.events.push((class, place, false));
        }
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

impl Recorder {
    /// What is still alive dies.
    fn close(&mut self) {
        self.taken = self.events.len() as u64;
        for (class, place) in self.live.drain(..).flatten() {
            self.events.push((class, place, false));
        }
    }

    /// The script; why not, if it would take too much memory.
    fn script(self, limits: &Limits, events_in_trace: u64) -> Result<Script, String> {
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
        let steps = self.events.into_iter().map(step).collect();
        let (lifetimes, events_taken) = (self.lifetimes, self.taken);
        let script = Script { steps, lifetimes, capacities, cut, events_in_trace, events_taken };
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
