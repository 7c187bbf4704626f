//! A full pool under a policy.

use millpond::{Handle, Pool};
use millpond_overflow::{Overflow, PolicyPool};

use super::{Drawing, Happened, Kept, Object, Panel, Slot, name};

/// A sound: who it is, and how loud.
#[derive(Clone)]
struct Sound {
    object: Object,
    loudness: u32,
}

pub(crate) struct Overflowing {
    pool: PolicyPool<Sound>,
    kept: Kept<Handle<Sound>>,
    /// By slot, the generation of its last object.
    lived: Vec<u32>,
    /// The number of slots of the first pool.
    slots: usize,
}

impl Overflowing {
    pub(crate) fn new(policy: Overflow, slots: usize) -> Self {
        let more = match policy {
            Overflow::Spill | Overflow::Grow => slots,
            _ => 0,
        };
        let pool = PolicyPool::new(policy, Pool::builder().capacity(slots), more);
        let lived = vec![0; pool.capacity_max()];
        Self { pool, kept: Kept::new(), lived, slots }
    }

    fn rule(&self) -> &'static str {
        match self.pool.policy() {
            Overflow::Refuse => "the new one is returned",
            Overflow::EvictLeast => "the quietest of those that play goes",
            Overflow::EvictOldest => "the oldest goes",
            Overflow::Spill => "a second pool takes it",
            _ => "the pool takes more slots, up to a limit",
        }
    }
}

impl Panel for Overflowing {
    fn insert(&mut self, object: Object, loudness: u32) -> Happened {
        let capacity = self.pool.capacity();
        let inserted = self.pool.insert_by(Sound { object, loudness }, |_, sound| sound.loudness);
        let Ok((handle, evicted)) = inserted else {
            self.kept.keep(None);
            return Happened::full();
        };
        self.kept.keep(Some(handle));
        let slot = handle.index() as usize;
        self.lived[slot] = handle.generation();
        let mut happened = Happened::entered(object, slot, &format!("{handle:?}"));
        if let Some((_, sound)) = evicted {
            happened.words = format!("{} goes, {}", name(sound.object), happened.words);
        } else if self.pool.capacity() > capacity {
            happened.words += ", which is new";
        } else if self.pool.policy() == Overflow::Spill && self.pool.is_spilled(handle) {
            happened.words += ", in the second pool";
        }
        happened
    }

    fn remove(&mut self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        match self.pool.remove(handle) {
            Some(sound) => Happened::left(sound.object, handle.index() as usize),
            None => Happened::refused(
                &format!("{handle:?}"),
                Some(handle.index() as usize),
                "its object is gone",
            ),
        }
    }

    fn get(&self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        let slot = handle.index() as usize;
        match self.pool.get(handle) {
            Some(sound) => Happened::found(sound.object, slot, &format!("{handle:?}")),
            None => Happened::refused(&format!("{handle:?}"), Some(slot), "its object is gone"),
        }
    }

    fn slot_of(&self, object: Object) -> Option<usize> {
        self.kept.of(object).map(|handle| handle.index() as usize)
    }

    fn object_in(&self, slot: usize) -> Option<Object> {
        let handle = self.pool.handle_at(slot)?;
        self.pool.get(handle).map(|sound| sound.object)
    }

    fn draw(&self) -> Drawing {
        let slot = |slot: usize| {
            let drawn = match self.pool.handle_at(slot) {
                Some(handle) => {
                    let sound = self.pool.get(handle);
                    let (object, loudness) =
                        sound.map_or((0, 0), |sound| (sound.object, sound.loudness));
                    Slot::live(handle.generation(), object).noted(format!("{loudness} dB"))
                }
                None => Slot::vacant(self.lived[slot]),
            };
            let is_more = slot >= self.slots;
            let note = if is_more && drawn.note.is_empty() {
                "more".to_owned()
            } else {
                drawn.note.clone()
            };
            drawn.noted(note)
        };
        Drawing {
            name: format!("{}", self.pool.policy()),
            rule: self.rule(),
            slots: (0..self.pool.capacity()).map(slot).collect(),
            stats: self.pool.stats().to_string(),
            ..Drawing::default()
        }
    }
}
