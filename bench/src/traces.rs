//! The traces of real programs that the package brings along, ready for replay.

use std::collections::{HashMap, VecDeque};
use std::io::Read;

/// Something is born or dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) birth: bool,
    /// Which store it is kept in.
    pub(crate) class: u16,
    /// Which lifetime, from 0.
    pub(crate) lifetime: u32,
}

/// A trace, closed: what is alive at its end dies then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
    pub(crate) lifetimes: usize,
    /// For each class, how many are alive at once at most.
    pub(crate) peaks: Vec<usize>,
    live: Vec<usize>,
}

impl Trace {
    fn birth(&mut self, class: u16) -> u32 {
        let class_index = usize::from(class);
        let classes = self.peaks.len().max(class_index + 1);
        self.peaks.resize(classes, 0);
        self.live.resize(classes, 0);
        self.live[class_index] += 1;
        self.peaks[class_index] = self.peaks[class_index].max(self.live[class_index]);
        let lifetime = self.lifetimes as u32;
        self.lifetimes += 1;
        self.events.push(Event { birth: true, class, lifetime });
        lifetime
    }

    fn death(&mut self, class: u16, lifetime: u32) {
        self.live[usize::from(class)] -= 1;
        self.events.push(Event { birth: false, class, lifetime });
    }

    /// Without the lifetimes after so many.
    pub(crate) fn beginning(mut self, lifetimes: usize) -> Self {
        self.events.retain(|event| (event.lifetime as usize) < lifetimes);
        self.lifetimes = self.lifetimes.min(lifetimes);
        self
    }
}

/// Freedoom 2 MAP01, eight bots.
pub(crate) fn freedoom_bots() -> Trace {
    lifetimes(&freedoom_bots_text())
}

/// Freedoom 2 MAP15, one player.
pub(crate) fn freedoom_solo() -> Trace {
    lifetimes(&freedoom_solo_text())
}

/// The trace of [`freedoom_bots`] as it is written.
pub(crate) fn freedoom_bots_text() -> String {
    gunzip(include_bytes!("../../traces/freedoom2-map01-8bots.csv.gz"))
}

/// The trace of [`freedoom_solo`] as it is written.
pub(crate) fn freedoom_solo_text() -> String {
    gunzip(include_bytes!("../../traces/freedoom2-map15-solo.csv.gz"))
}

/// Positions of all actors, frame by frame.
pub(crate) fn freedoom_frames() -> Vec<Vec<(i32, i32)>> {
    let places = |frame: Vec<(u64, _)>| frame.into_iter().map(|(_, at)| at).collect();
    freedoom_actors().into_iter().map(places).collect()
}

/// The same with the number that each actor has as long as it lives.
pub(crate) fn freedoom_actors() -> Vec<Vec<(u64, (i32, i32))>> {
    let text = gunzip(include_bytes!("../../traces/freedoom2-map15-frames.csv.gz"));
    let mut frames: Vec<Vec<(u64, (i32, i32))>> = Vec::new();
    let mut tick = "";
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let coordinate = |field: &str| field.parse::<f32>().expect("a number") as i32;
        if fields[0] != tick {
            tick = fields[0];
            frames.push(Vec::new());
        }
        let frame = frames.last_mut().expect("just pushed");
        let id = fields[1].parse().expect("a number");
        frame.push((id, (coordinate(fields[3]), coordinate(fields[4]))));
    }
    frames
}

/// Sizes in bytes of the objects that stand for the small allocations of a heap trace.
pub(crate) const HEAP_SIZES: [usize; 5] = [16, 32, 64, 128, 256];

/// Memory is allocated or freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeapEvent {
    pub(crate) birth: bool,
    pub(crate) bytes: u32,
    /// Which lifetime, from 0.
    pub(crate) lifetime: u32,
}

/// All of OpenTTD's allocations; what is alive at the end is freed then. The format says that one of a kind
/// (size and call stack) was freed, not which one: the oldest of them is taken.
pub(crate) fn openttd_all() -> Vec<HeapEvent> {
    let bytes: &[u8] = include_bytes!("../../traces/openttd-600ticks.heaptrack.zst");
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes).expect("a zstd file");
    decoder.read_to_string(&mut text).expect("a text file");
    let mut events = Vec::new();
    let mut lifetimes = 0;
    let mut kinds: Vec<(u32, VecDeque<u32>)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let verb = words.next();
        let mut number =
            || u32::from_str_radix(words.next().expect("a number"), 16).expect("hexadecimal");
        match verb {
            // Nothing in the trace has no size, but `malloc(0)` would take some.
            Some("a") => kinds.push((number().max(1), VecDeque::new())),
            Some("+") => {
                let (bytes, live) = &mut kinds[number() as usize];
                live.push_back(lifetimes);
                events.push(HeapEvent { birth: true, bytes: *bytes, lifetime: lifetimes });
                lifetimes += 1;
            }
            Some("-") => {
                let (bytes, live) = &mut kinds[number() as usize];
                if let Some(lifetime) = live.pop_front() {
                    events.push(HeapEvent { birth: false, bytes: *bytes, lifetime });
                }
            }
            _ => {}
        }
    }
    for (bytes, live) in kinds {
        events.extend(live.into_iter().map(|lifetime| HeapEvent { birth: false, bytes, lifetime }));
    }
    events
}

/// OpenTTD's small allocations: those of up to 256 bytes, each rounded up to one of [`HEAP_SIZES`], which
/// are the classes.
pub(crate) fn openttd_small() -> Trace {
    let mut trace = Trace::default();
    let mut renumbered: HashMap<u32, u32> = HashMap::new();
    for event in openttd_all() {
        let Some(class) = heap_class(event.bytes as usize) else { continue };
        if event.birth {
            renumbered.insert(event.lifetime, trace.birth(class));
        } else if let Some(lifetime) = renumbered.remove(&event.lifetime) {
            trace.death(class, lifetime);
        }
    }
    trace
}

fn heap_class(bytes: usize) -> Option<u16> {
    HEAP_SIZES.iter().position(|&size| bytes <= size).map(|class| class as u16)
}

/// Reads `tick,event,id,class`; the files are the package's own, so what is wrong with them is a bug.
fn lifetimes(text: &str) -> Trace {
    let mut trace = Trace::default();
    let mut classes: HashMap<&str, u16> = HashMap::new();
    let mut live: HashMap<&str, (u16, u32)> = HashMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (event, id) = (fields[1], fields[2]);
        if event == "alloc" {
            let count = classes.len() as u16;
            let class = *classes.entry(fields[3]).or_insert(count);
            live.insert(id, (class, trace.birth(class)));
        } else {
            let (class, lifetime) = live.remove(id).expect("born before");
            trace.death(class, lifetime);
        }
    }
    let mut left: Vec<_> = live.into_values().collect();
    left.sort_unstable();
    left.iter().for_each(|&(class, lifetime)| trace.death(class, lifetime));
    trace
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).expect("a gzip file of text");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the traces' own description.
    #[test]
    fn freedoom_traces_hold_the_lifetimes_that_their_description_names() {
        assert_eq!(freedoom_bots().lifetimes, 14_678);
        assert_eq!(freedoom_solo().lifetimes, 4_507);
        assert_eq!(freedoom_frames().len(), 350);
    }

    #[test]
    fn every_lifetime_ends_after_it_began_and_once() {
        for trace in [freedoom_bots(), freedoom_solo(), openttd_small()] {
            assert_eq!(trace.events.len(), 2 * trace.lifetimes);
            assert!(trace.live.iter().all(|&live| live == 0));
            let mut live = vec![false; trace.lifetimes];
            for event in trace.events {
                let was = std::mem::replace(&mut live[event.lifetime as usize], event.birth);
                assert_ne!(was, event.birth);
            }
        }
    }
}
