//! The swap-delete pool.

use millpond::Handle;
use millpond_classic::RosterPool;

use super::{Drawing, Happened, Kept, Object, Panel, Slot};

pub(crate) struct SwapDelete {
    pool: RosterPool<Object>,
    kept: Kept<Handle<Object>>,
}

impl SwapDelete {
    pub(crate) fn new(slots: usize) -> Self {
        Self { pool: RosterPool::new(slots), kept: Kept::new() }
    }
}

impl Panel for SwapDelete {
    fn insert(&mut self, object: Object, _number: u32) -> Happened {
        let allocated = self.pool.allocate();
        self.kept.keep(allocated);
        let Some(handle) = allocated else { return Happened::full() };
        if let Some(place) = self.pool.get_mut(handle) {
            *place = object;
        }
        Happened::entered(object, handle.index() as usize, &format!("{handle:?}"))
    }

    fn remove(&mut self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        let slot = handle.index() as usize;
        match self.pool.get(handle).copied() {
            Some(removed) if self.pool.free(handle) => Happened::left(removed, slot),
            _ => {
                Happened::refused(&format!("{handle:?}"), Some(slot), "stale: its object was freed")
            }
        }
    }

    fn get(&self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        let slot = handle.index() as usize;
        match self.pool.get(handle) {
            Some(found) => Happened::found(*found, slot, &format!("{handle:?}")),
            None => {
                Happened::refused(&format!("{handle:?}"), Some(slot), "stale: its object was freed")
            }
        }
    }

    fn slot_of(&self, object: Object) -> Option<usize> {
        self.kept.of(object).map(|handle| handle.index() as usize)
    }

    fn object_in(&self, slot: usize) -> Option<Object> {
        self.pool.handle_at(slot).and_then(|handle| self.pool.get(handle)).copied()
    }

    fn draw(&self) -> Drawing {
        let mut copy = self.pool.clone();
        let upcoming: Vec<_> = std::iter::from_fn(|| copy.allocate()).collect();
        let mut slots = vec![Slot::vacant(0); self.pool.capacity()];
        for handle in &upcoming {
            slots[handle.index() as usize] = Slot::vacant(handle.generation() - 1);
        }
        for (handle, object) in self.pool.iter() {
            slots[handle.index() as usize] = Slot::live(handle.generation(), *object);
        }
        Drawing {
            name: "Roster and partition".to_owned(),
            rule: "entries below the partition are live; the entry at it comes next",
            slots,
            next: upcoming.iter().map(|handle| handle.index() as usize).collect(),
            roster: Some((
                self.pool.roster().iter().map(|slot| *slot as usize).collect(),
                self.pool.partition(),
            )),
            stats: self.pool.stats().to_string(),
            ..Drawing::default()
        }
    }
}
