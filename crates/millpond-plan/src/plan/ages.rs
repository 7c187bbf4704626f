//! How long the objects of each class live, and nothing else.

use super::between::OldestFirst;
use crate::trace::{Event, Watch};

/// The lengths of lives, counted while the events of a recording pass in another order of deaths.
#[derive(Debug, Default)]
pub(super) struct Ages {
    classes: Vec<OldestFirst>,
    /// When each live object was born, by key.
    born: Vec<u32>,
}

impl Ages {
    /// Those of each class, of as many as there are.
    pub(super) fn finish(mut self, classes: usize) -> Vec<OldestFirst> {
        self.classes.resize_with(classes, OldestFirst::default);
        self.classes
    }

    fn class(&mut self, class: u32) -> &mut OldestFirst {
        let class = class as usize;
        if class >= self.classes.len() {
            self.classes.resize_with(class + 1, OldestFirst::default);
        }
        &mut self.classes[class]
    }

    fn age(&self, key: u32, tick: u32) -> u32 {
        self.born.get(key as usize).map_or(0, |&born| tick.saturating_sub(born))
    }
}

impl Watch for Ages {
    fn birth(&mut self, event: Event) {
        let key = event.key as usize;
        if key >= self.born.len() {
            self.born.resize(key + 1, 0);
        }
        self.born[key] = event.tick;
    }

    fn death(&mut self, event: Event) {
        let age = self.age(event.key, event.tick);
        self.class(event.class).ended.add(age);
    }

    fn left(&mut self, class: u32, key: u32, last_tick: u32) {
        let age = self.age(key, last_tick);
        self.class(class).left.add(age);
    }
}
