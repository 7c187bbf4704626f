//! The events of a recording that names only the kind of what dies, as if of each kind the oldest object died first.
//!
//! The readers of such recordings let the newest die. Both are guesses, and a plan from both says how far it depends on
//! them.

use std::collections::VecDeque;

use super::live_keys::LiveKeys;
use super::{Event, Watch};

/// Passes events on with other keys: an object that dies is the oldest of its kind.
#[derive(Debug)]
pub(crate) struct OldestFirst<W> {
    watch: W,
    keys: LiveKeys,
    /// By kind: its class, and the keys of its live objects, the oldest first.
    kinds: Vec<(u32, VecDeque<u32>)>,
}

impl<W: Watch> OldestFirst<W> {
    pub(crate) fn new(watch: W) -> Self {
        Self { watch, keys: LiveKeys::default(), kinds: Vec::new() }
    }

    /// Called after the last event: passes on what is still alive, and returns the watcher.
    pub(crate) fn finish(mut self, last_tick: u32) -> W {
        for (class, keys) in &self.kinds {
            for &key in keys {
                self.watch.left(*class, key, last_tick);
            }
        }
        self.watch
    }
}

impl<W: Watch> Watch for OldestFirst<W> {
    #[inline]
    fn birth(&mut self, event: Event) {
        // As many objects are alive here as in the reader, which has refused more than there are keys.
        let Ok(key) = self.keys.take() else { return };
        let kind = event.kind as usize;
        if kind >= self.kinds.len() {
            self.kinds.resize_with(kind + 1, Default::default);
        }
        let (class, keys) = &mut self.kinds[kind];
        *class = event.class;
        keys.push_back(key);
        self.watch.birth(Event { key, ..event });
    }

    #[inline]
    fn death(&mut self, event: Event) {
        let of_kind = self.kinds.get_mut(event.kind as usize);
        let Some(key) = of_kind.and_then(|(_, keys)| keys.pop_front()) else { return };
        self.keys.give_back(key);
        self.watch.death(Event { key, ..event });
    }

    /// Those of the reader are not the oldest: [`finish`](Self::finish) passes others on.
    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes the birth of what dies, and of what is left.
    #[derive(Default)]
    struct Notes {
        born: Vec<u32>,
        died: Vec<u32>,
        left: Vec<u32>,
    }

    impl Watch for &mut Notes {
        fn birth(&mut self, event: Event) {
            let key = event.key as usize;
            if key == self.born.len() {
                self.born.push(0);
            }
            self.born[key] = event.tick;
        }

        fn death(&mut self, event: Event) {
            self.died.push(self.born[event.key as usize]);
        }

        fn left(&mut self, _class: u32, key: u32, _last_tick: u32) {
            self.left.push(self.born[key as usize]);
        }
    }

    #[test]
    fn of_each_kind_the_oldest_dies() {
        let mut notes = Notes::default();
        let mut all = OldestFirst::new(&mut notes);
        let event = |tick, kind| Event { tick, class: kind / 2, kind, key: 7, bytes: None };
        for (tick, kind) in [(1, 0), (2, 1), (3, 0), (4, 2), (5, 0)] {
            all.birth(event(tick, kind));
        }
        all.death(event(6, 0));
        all.birth(event(7, 0));
        all.death(event(8, 1));
        all.death(event(9, 0));
        all.left(0, 0, 9);
        all.finish(9);
        assert_eq!((notes.died, notes.left), (vec![1, 2, 3], vec![5, 7, 4]));
    }
}
