//! Particles, with the free list through the dead ones.

use millpond_classic::ParticlePool;

use super::{Drawing, Happened, Object, Panel, Slot, name};

/// Slots of this pool: a constant of its type.
pub(crate) const SLOTS: usize = 8;

pub(crate) struct Particles {
    pool: ParticlePool<SLOTS>,
    /// By slot, the last particle that was created in it, and how many there were; the pool has no handles.
    created: [(Option<Object>, u32); SLOTS],
    /// By object, its slot.
    slots: Vec<Option<usize>>,
}

impl Particles {
    pub(crate) fn new() -> Self {
        Self { pool: ParticlePool::new(), created: [(None, 0); SLOTS], slots: Vec::new() }
    }
}

impl Panel for Particles {
    fn insert(&mut self, object: Object, frames: u32) -> Happened {
        let slot = self.pool.available().next();
        let created = self.pool.create(0.0, 0.0, 1.0, 0.5, frames).is_ok() && frames > 0;
        self.slots.push(slot.filter(|_| created));
        match slot {
            Some(slot) if created => {
                self.created[slot] = (Some(object), self.created[slot].1 + 1);
                Happened::new(
                    "in",
                    slot,
                    format!("{} takes slot {slot}, for {frames} frames", name(object)),
                )
            }
            _ => Happened::new(
                "miss",
                None,
                "full: it is not created, and nobody notices".to_owned(),
            ),
        }
    }

    fn remove(&mut self, _object: Object) -> Happened {
        Happened::new("miss", None, "a particle goes when its time is up: move a frame".to_owned())
    }

    fn get(&self, object: Object) -> Happened {
        match self.slot_of(object) {
            Some(slot) if self.pool.in_use(slot) => Happened::new(
                "hit",
                slot,
                format!("slot {slot} is in use: an index cannot say by whom"),
            ),
            Some(slot) => Happened::new("miss", slot, format!("slot {slot} is not in use")),
            None => Happened::unknown(object),
        }
    }

    fn slot_of(&self, object: Object) -> Option<usize> {
        *self.slots.get(object as usize)?
    }

    fn object_in(&self, slot: usize) -> Option<Object> {
        self.created.get(slot)?.0.filter(|_| self.pool.in_use(slot))
    }

    fn tick(&mut self) -> Happened {
        let before = self.pool.len();
        self.pool.animate();
        let words = match before - self.pool.len() {
            0 => format!("{before} move"),
            1 => format!("{before} move; the time of one is up"),
            gone => format!("{before} move; the time of {gone} is up"),
        };
        Happened::new("out", None, words)
    }

    fn draw(&self) -> Drawing {
        let next: Vec<_> = self.pool.available().collect();
        let slot = |slot: usize| {
            let (object, count) = self.created[slot];
            match (self.pool.get(slot), object) {
                (Some(particle), Some(object)) => {
                    Slot::live(count, object).noted(format!("{} left", particle.frames_left))
                }
                _ => Slot::vacant(count),
            }
        };
        Drawing {
            name: "A free list through the dead".to_owned(),
            rule: "a dead particle's memory holds the number of the next one that is free",
            slots: (0..SLOTS).map(slot).collect(),
            next,
            has_links: true,
            stats: self.pool.stats().to_string(),
            ..Drawing::default()
        }
    }
}
