//! The events of a trace, kept from the first reading for the second one, which then needs no file.

use super::{Event, Summary, Watch};
use crate::progress::Progress;

/// The events of longer traces are not kept, so that memory does not grow with the length of a trace: it is read again.
pub(crate) const EVENTS_MAX: usize = 1 << 24;

/// An event is a word: its key in the lowest bits, its kind, whether it is a birth, and the ticks since the event before.
const KEY_BITS: u32 = 24;
const KIND_BITS: u32 = 24;
const BIRTH: u64 = 1 << (KEY_BITS + KIND_BITS);
const TICKS_SHIFT: u32 = KEY_BITS + KIND_BITS + 1;

/// So many ticks, or more: how many is in a list of its own.
const MANY_TICKS: u64 = u64::MAX >> TICKS_SHIFT;

const _: () = assert!(super::LIVE_MAX <= 1 << KEY_BITS);
const _: () = assert!(super::allocations::KINDS_MAX <= 1 << KIND_BITS);

/// Watches a trace and keeps its events.
#[derive(Debug)]
pub(crate) struct Tape {
    events_max: usize,
    words: Vec<u64>,
    many_ticks: Vec<u32>,
    /// The class of each kind.
    classes: Vec<u32>,
    /// What was alive at the end: class and key.
    left: Vec<(u32, u32)>,
    tick: u32,
    is_whole: bool,
}

impl Tape {
    /// A tape with room for this many events.
    pub(crate) fn new(events_max: usize) -> Self {
        Self {
            events_max,
            words: Vec::new(),
            many_ticks: Vec::new(),
            classes: Vec::new(),
            left: Vec::new(),
            tick: 0,
            is_whole: true,
        }
    }

    /// Whether there was room for all events.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Passes all events to the watcher once more, but for the sizes of objects.
    pub(crate) fn play(&self, summary: &Summary, watch: &mut impl Watch) {
        self.each(|event, is_birth| match is_birth {
            true => watch.birth(event),
            false => watch.death(event),
        });
        for &(class, key) in &self.left {
            watch.left(class, key, summary.last_tick);
        }
    }

    #[inline]
    fn each(&self, mut take: impl FnMut(Event, bool)) {
        let mut tick = 0;
        let mut many_ticks = self.many_ticks.iter();
        for &word in &self.words {
            tick += match word >> TICKS_SHIFT {
                MANY_TICKS => many_ticks.next().copied().unwrap_or(0),
                ticks => ticks as u32,
            };
            let kind = (word >> KEY_BITS) as u32 & ((1 << KIND_BITS) - 1);
            let key = word as u32 & ((1 << KEY_BITS) - 1);
            let class = self.classes[kind as usize];
            take(Event { tick, class, kind, key, bytes: None }, word & BIRTH != 0);
        }
    }

    /// The same events, sorted by class.
    pub(crate) fn by_class(&self) -> ByClass {
        let classes = self.classes.iter().max().map_or(0, |&class| class as usize + 1);
        let mut of_kind = vec![0_usize; self.classes.len()];
        for &word in &self.words {
            of_kind[(word >> KEY_BITS) as usize & ((1 << KIND_BITS) - 1)] += 1;
        }
        let mut ends = vec![0; classes];
        for (&class, events) in self.classes.iter().zip(of_kind) {
            ends[class as usize] += events;
        }
        let mut end = 0;
        for of_class in &mut ends {
            end += std::mem::replace(of_class, end);
        }
        // Now these are the beginnings, and when all events are in their places, the ends.
        let mut words = vec![0; self.words.len()];
        self.each(|event, is_birth| {
            let at = &mut ends[event.class as usize];
            let birth = if is_birth { BIRTH_OF_CLASS } else { 0 };
            words[*at] = u64::from(event.tick) << 32 | birth | u64::from(event.key);
            *at += 1;
        });
        let mut left = self.left.clone();
        left.sort_unstable();
        ByClass { words, ends, left }
    }

    #[inline]
    fn event(&mut self, event: Event, birth: u64) {
        if self.words.len() == self.events_max {
            self.give_up();
        }
        if !self.is_whole {
            return;
        }
        let ticks = event.tick - self.tick;
        self.tick = event.tick;
        let few = u64::from(ticks).min(MANY_TICKS);
        if few == MANY_TICKS {
            self.many_ticks.push(ticks);
        }
        let kind = u64::from(event.kind) << KEY_BITS;
        self.words.push(few << TICKS_SHIFT | birth | kind | u64::from(event.key));
    }

    #[cold]
    fn give_up(&mut self) {
        *self = Self { is_whole: false, ..Self::new(self.events_max) };
    }
}

/// A birth, in an event of a known class: its tick is in the highest bits, its key in the lowest.
const BIRTH_OF_CLASS: u64 = 1 << KEY_BITS;

/// The events of a tape, one class after the other: what a watcher keeps of a class stays in the processor's caches.
#[derive(Debug)]
pub(crate) struct ByClass {
    words: Vec<u64>,
    /// By class, where its words end.
    ends: Vec<usize>,
    /// What was alive at the end, by class.
    left: Vec<(u32, u32)>,
}

impl ByClass {
    /// Passes all events to the watcher, class by class, but for their kinds and the sizes of objects.
    pub(crate) fn play(
        &self,
        summary: &Summary,
        watch: &mut impl Watch,
        bytes_stored: u64,
        progress: &mut dyn Progress,
    ) {
        let mut left = self.left.iter().peekable();
        let mut begin = 0;
        for (class, &end) in (0..).zip(&self.ends) {
            for &word in &self.words[begin..end] {
                let key = word as u32 & ((1 << KEY_BITS) - 1);
                let tick = (word >> 32) as u32;
                let event = Event { tick, class, kind: class, key, bytes: None };
                if word & BIRTH_OF_CLASS != 0 { watch.birth(event) } else { watch.death(event) }
            }
            while let Some(&(class, key)) = left.next_if(|of| of.0 == class) {
                watch.left(class, key, summary.last_tick);
            }
            begin = end;
            let share = u128::from(bytes_stored) * end as u128 / self.words.len().max(1) as u128;
            progress.update(share as u64, end as u64);
        }
    }
}

impl Watch for Tape {
    #[inline]
    fn birth(&mut self, event: Event) {
        let kind = event.kind as usize;
        if kind >= self.classes.len() {
            self.classes.resize(kind + 1, 0);
        }
        self.classes[kind] = event.class;
        self.event(event, BIRTH);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        self.event(event, 0);
    }

    fn left(&mut self, class: u32, key: u32, _last_tick: u32) {
        if self.is_whole {
            self.left.push((class, key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use crate::progress::Silent;

    /// Notes what it is told.
    #[derive(Debug, Default, PartialEq)]
    struct Notes(Vec<(&'static str, Event)>);

    impl Watch for Notes {
        fn birth(&mut self, event: Event) {
            self.0.push(("birth", Event { bytes: None, ..event }));
        }

        fn death(&mut self, event: Event) {
            self.0.push(("death", event));
        }

        fn left(&mut self, class: u32, key: u32, last_tick: u32) {
            let event = Event { tick: last_tick, class, kind: class, key, bytes: None };
            self.0.push(("left", event));
        }
    }

    #[test]
    fn what_is_played_is_what_was_read_whatever_the_pauses() {
        let mut text = "tick,event,id,class,size\n".to_owned();
        let mut tick = 0_u64;
        for (id, pause) in (0..).zip([0, 1, 0x7ffe, 0x7fff, 0x8000, 9, 1 << 31, 0]) {
            tick += pause;
            text += &format!("{tick},alloc,{id},C{},{id}\n", id % 3);
            if id % 2 == 1 {
                text += &format!("{tick},free,{},C{},\n", id - 1, (id - 1) % 3);
            }
        }
        let source = Source::from_memory(text.leak().as_bytes());
        let (mut read, mut played) = (Notes::default(), Notes::default());
        crate::trace::read(source.open().unwrap(), &mut read, &mut Silent).unwrap();
        let mut tape = Tape::new(12);
        let summary = crate::trace::read(source.open().unwrap(), &mut tape, &mut Silent).unwrap();
        assert!(tape.is_whole());
        tape.play(&summary, &mut played);
        let mut sorted = Notes::default();
        tape.by_class().play(&summary, &mut sorted, source.bytes_stored(), &mut Silent);
        assert_eq!(read.0.len(), 12 + 4);
        // What is left at the end comes in any order.
        for notes in [&mut read, &mut played] {
            notes.0[12..].sort_by_key(|(_, event)| event.key);
        }
        assert_eq!(played, read);
        read.0.sort_by_key(|(_, event)| event.class);
        assert_eq!(sorted, read);

        let mut short = Tape::new(11);
        crate::trace::read(source.open().unwrap(), &mut short, &mut Silent).unwrap();
        assert!(!short.is_whole() && short.words.is_empty());
    }
}
