//! Stretches of a recording, made ready to be replayed against an allocator.

use millpond_laps::{BLOCK_BYTES_MAX, Script, Step};

use crate::trace::{Event, Watch};

/// The maximum number of timed events.
pub(super) const EVENTS_MAX: u64 = 1 << 18;

/// How many events in a row are replayed and timed.
pub(super) const STRETCH: u64 = 1 << 13;

/// What an allocator adds to a block at most, for common sizes: its header, and rounding up.
const BLOCK_EXTRA_BYTES: u64 = 24;

/// The maximum of live bytes in a replay; births beyond it are left out.
const LIVE_BYTES_MAX: u64 = 512 << 20;

/// An object that the trace, or the script, has alive in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Live {
    kind: u32,
    number: u64,
}

/// A place of an object.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// What the trace has alive there.
    now: Option<Live>,
    /// What the script has alive there.
    scripted: Option<Live>,
    /// Whether it is among the places that changed since the last stretch.
    is_changed: bool,
}

/// Writes a script while a trace is read: all of a short trace; of a long one, stretches spread evenly over it.
pub(super) struct Recorder<'k> {
    /// By kind, the bytes of a block.
    bytes_of: &'k [u64],
    events_in_trace: u64,
    stretches: u64,
    stretch_events: u64,
    events: u64,
    births: u64,
    live_bytes: u64,
    bytes_peak: u64,
    places: Vec<Place>,
    /// The places that changed since the last stretch.
    changed: Vec<u32>,
    script: Script,
}

impl<'k> Recorder<'k> {
    /// For a trace of this many events, whose kinds have so many bytes.
    pub(super) fn new(bytes_of: &'k [u64], events_in_trace: u64) -> Self {
        Self::of_stretches(bytes_of, events_in_trace, STRETCH, EVENTS_MAX)
    }

    /// The same with this many events in a stretch, and in all stretches at most.
    pub(super) fn of_stretches(
        bytes_of: &'k [u64],
        events_in_trace: u64,
        each: u64,
        all: u64,
    ) -> Self {
        Self {
            bytes_of,
            events_in_trace: events_in_trace.max(1),
            stretches: events_in_trace.min(all).div_ceil(each).max(1),
            stretch_events: each,
            events: 0,
            births: 0,
            live_bytes: 0,
            bytes_peak: 0,
            places: Vec::new(),
            changed: Vec::new(),
            script: Script::default(),
        }
    }

    /// Whether the next event is timed; begins a stretch if it is the first of one.
    fn is_timed(&mut self) -> bool {
        let place = u128::from(self.events) * u128::from(self.stretches);
        let stretch = (place / u128::from(self.events_in_trace)) as u64;
        // The first event of the stretch, rounded up as the division above rounds down.
        let begin = (u128::from(stretch) * u128::from(self.events_in_trace))
            .div_ceil(u128::from(self.stretches)) as u64;
        let within = self.events - begin;
        self.events += 1;
        if within == 0 {
            self.end_part(true);
            self.catch_up();
        }
        within < self.stretch_events
    }

    /// Ends the part that the last steps belong to.
    fn end_part(&mut self, is_timed: bool) {
        let end = self.script.steps.len();
        if end > self.script.parts.last().map_or(0, |part| part.0) {
            self.script.parts.push((end, is_timed));
        }
    }

    /// Brings the script to the state of the trace.
    fn catch_up(&mut self) {
        for at in std::mem::take(&mut self.changed) {
            let place = &mut self.places[at as usize];
            place.is_changed = false;
            if place.now == place.scripted {
                continue;
            }
            if let Some(gone) = place.scripted {
                self.script.steps.push(Step::new(gone.kind, at, false));
            }
            if let Some(come) = place.now {
                self.script.steps.push(Step::new(come.kind, at, true));
            }
            place.scripted = place.now;
        }
        self.end_part(false);
    }

    /// What a block of this kind takes; `None` if it is too large.
    fn block_bytes(&self, kind: u32) -> Option<u64> {
        let bytes = *self.bytes_of.get(kind as usize)?;
        (bytes <= BLOCK_BYTES_MAX).then(|| bytes + BLOCK_EXTRA_BYTES)
    }

    /// The script, now that the trace has ended: what is alive dies, untimed.
    pub(super) fn finish(mut self) -> Script {
        self.end_part(true);
        for (at, place) in (0..).zip(&mut self.places) {
            if let Some(left) = place.scripted.take() {
                self.script.steps.push(Step::new(left.kind, at, false));
            }
        }
        self.end_part(false);
        self.script.places = self.places.len();
        self.script.bytes_peak = self.bytes_peak;
        self.script
    }
}

impl Watch for Recorder<'_> {
    fn birth(&mut self, event: Event) {
        let is_timed = self.is_timed();
        let Some(bytes) = self.block_bytes(event.kind) else { return };
        if self.live_bytes + bytes > LIVE_BYTES_MAX {
            return;
        }
        self.births += 1;
        self.live_bytes += bytes;
        self.bytes_peak = self.bytes_peak.max(self.live_bytes);
        let at = event.key as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, Place::default());
        }
        let place = &mut self.places[at];
        place.now = Some(Live { kind: event.kind, number: self.births });
        if is_timed {
            place.scripted = place.now;
            self.script.steps.push(Step::new(event.kind, event.key, true));
        } else if !std::mem::replace(&mut place.is_changed, true) {
            self.changed.push(event.key);
        }
    }

    fn death(&mut self, event: Event) {
        let is_timed = self.is_timed();
        let Some(place) = self.places.get_mut(event.key as usize) else { return };
        let Some(gone) = place.now.take() else { return };
        if is_timed {
            place.scripted = None;
            self.script.steps.push(Step::new(gone.kind, event.key, false));
        } else if !std::mem::replace(&mut place.is_changed, true) {
            self.changed.push(event.key);
        }
        self.live_bytes -= self.block_bytes(gone.kind).unwrap_or(0);
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds 0 to 3: 16 to 64 bytes; kind 4 is too large.
    const BYTES: [u64; 5] = [16, 32, 48, 64, BLOCK_BYTES_MAX + 1];

    /// A trace of `births` objects of changing kinds, each of which dies when `crowd` more have been born,
    /// some of them never.
    fn events(births: u32, crowd: u32) -> Vec<(bool, Event)> {
        let mut events = Vec::new();
        let (mut free, mut keys, mut live) = (Vec::new(), 0, std::collections::VecDeque::new());
        for number in 0..births {
            let key = free.pop().unwrap_or_else(|| {
                keys += 1;
                keys - 1
            });
            let kind = number % 5;
            let event = Event { tick: number, class: kind, kind, key, bytes: None };
            events.push((true, event));
            if number % 7 != 0 {
                live.push_back((kind, key));
            }
            if live.len() > crowd as usize
                && let Some((kind, key)) = live.pop_front()
            {
                free.push(key);
                events.push((false, Event { tick: number, class: kind, kind, key, bytes: None }));
            }
        }
        events
    }

    fn script(events: &[(bool, Event)], each: u64, all: u64) -> Script {
        let mut recorder = Recorder::of_stretches(&BYTES, events.len() as u64, each, all);
        for &(is_birth, event) in events {
            if is_birth { recorder.birth(event) } else { recorder.death(event) }
        }
        recorder.finish()
    }

    /// Births go to empty places, deaths to the object that is there, and at the end nothing is left.
    fn is_consistent(script: &Script) -> bool {
        let mut live = vec![None; script.places];
        let is_right = script.steps.iter().all(|step| {
            let place = &mut live[step.place as usize];
            if step.is_birth() {
                place.replace(step.kind()).is_none()
            } else {
                place.take() == Some(step.kind())
            }
        });
        let mut ends = script.parts.iter().map(|part| part.0);
        is_right
            && live.iter().all(Option::is_none)
            && ends.clone().is_sorted_by(|a, b| a < b)
            && ends.next_back().unwrap_or(0) == script.steps.len()
    }

    #[test]
    fn a_short_trace_is_timed_event_by_event() {
        for crowd in [0, 1, 40] {
            let events = events(500, crowd);
            for each in [1, 7, 100, 10_000] {
                let script = script(&events, each, 1 << 20);
                assert!(is_consistent(&script), "{crowd} {each}");
                let timed: Vec<(u32, bool)> = script
                    .parts()
                    .filter(|part| part.1)
                    .flat_map(|part| part.0)
                    .map(|step| (step.kind(), step.is_birth()))
                    .collect();
                let fits = |event: &&(bool, Event)| event.1.kind != 4;
                let expected: Vec<(u32, bool)> =
                    events.iter().filter(fits).map(|event| (event.1.kind, event.0)).collect();
                assert_eq!(timed, expected, "{crowd} {each}");
            }
        }
    }

    #[test]
    fn a_long_trace_is_timed_in_stretches_and_caught_up_with_in_between() {
        for crowd in [0, 3, 100] {
            let events = events(20_000, crowd);
            let script = script(&events, 50, 1000);
            assert!(is_consistent(&script), "{crowd}");
            let timed: Vec<usize> =
                script.parts().filter(|part| part.1).map(|part| part.0.len()).collect();
            assert_eq!(timed.len(), 20, "{crowd}");
            assert!(timed.iter().all(|&events| (30..=50).contains(&events)), "{timed:?}");
            // What the first stretch left behind is alive in the last: as many as never die.
            let mut live = 0_i32;
            let mut most = 0;
            for step in &script.steps {
                live += if step.is_birth() { 1 } else { -1 };
                most = most.max(live);
            }
            let never_die = events.iter().filter(|event| event.0 && event.1.kind != 4).count()
                - events.iter().filter(|event| !event.0 && event.1.kind != 4).count();
            assert!(most as usize >= never_die * 9 / 10, "{most} {never_die}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_much_is_left_out() {
        let birth =
            |key: u32, kind: u32| (true, Event { tick: 0, class: kind, kind, key, bytes: None });
        let events = [birth(0, 4), birth(1, 0), birth(2, 9)];
        let script_of = script(&events, 10, 10);
        assert_eq!(script_of.timed_births(|_| true), 1);
        assert_eq!(script_of.timed_births(|kind| kind == 4), 0);

        let bytes = [BLOCK_BYTES_MAX];
        let many = LIVE_BYTES_MAX / (BLOCK_BYTES_MAX + BLOCK_EXTRA_BYTES) + 10;
        let mut recorder = Recorder::new(&bytes, many);
        for key in 0..many as u32 {
            recorder.birth(birth(key, 0).1);
        }
        let script = recorder.finish();
        assert!(is_consistent(&script));
        assert_eq!(script.timed_births(|_| true), many - 10);
    }
}
