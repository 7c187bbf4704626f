//! A [`Pool`] with any reuse order and handle layout.

use millpond::reuse::ReuseOrder;
use millpond::{Handle, HandleLayout, Pool};

use super::{Drawing, Happened, Kept, Object, Panel, Slot};

/// What gives the live part of a pool's roster.
type LiveSlots<R, H> = fn(&Pool<Object, R, H>) -> Option<Vec<usize>>;

/// A pool, and the handles that it returned.
pub(crate) struct Ordered<R: ReuseOrder, H: HandleLayout = Handle<Object>> {
    name: &'static str,
    rule: &'static str,
    pool: Pool<Object, R, H>,
    kept: Kept<H>,
    /// The live part of a roster, if the order has one.
    live_slots: LiveSlots<R, H>,
}

impl<R: ReuseOrder, H: HandleLayout> Ordered<R, H> {
    pub(crate) fn new(name: &'static str, rule: &'static str, pool: Pool<Object, R, H>) -> Self {
        Self { name, rule, pool, kept: Kept::new(), live_slots: |_| None }
    }

    pub(crate) fn with_roster(self, live_slots: LiveSlots<R, H>) -> Self {
        Self { live_slots, ..self }
    }

    /// The handles of the next insertions, until the pool is full: what a copy of it returns.
    fn upcoming(&self) -> Vec<H> {
        let mut copy = self.pool.clone();
        std::iter::from_fn(|| copy.insert(0).ok()).collect()
    }
}

impl<R: ReuseOrder, H: HandleLayout> Panel for Ordered<R, H> {
    fn insert(&mut self, object: Object, _number: u32) -> Happened {
        let inserted = self.pool.insert(object).ok();
        self.kept.keep(inserted);
        match inserted {
            Some(handle) => {
                Happened::entered(object, handle.index() as usize, &format!("{handle:?}"))
            }
            None => Happened::full(),
        }
    }

    fn remove(&mut self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        let why = self.pool.check(handle);
        match (self.pool.remove(handle), why) {
            (Some(removed), _) => Happened::left(removed, handle.index() as usize),
            (None, why) => {
                let why = why.err().map(|why| why.to_string()).unwrap_or_default();
                Happened::refused(&format!("{handle:?}"), Some(handle.index() as usize), &why)
            }
        }
    }

    fn get(&self, object: Object) -> Happened {
        let Some(handle) = self.kept.of(object) else { return Happened::unknown(object) };
        let slot = handle.index() as usize;
        match (self.pool.get(handle), self.pool.check(handle)) {
            (Some(found), _) if *found != object => {
                Happened::lie(object, *found, slot, &format!("{handle:?}"))
            }
            (Some(found), _) => Happened::found(*found, slot, &format!("{handle:?}")),
            (None, why) => {
                let why = why.err().map(|why| why.to_string()).unwrap_or_default();
                Happened::refused(&format!("{handle:?}"), Some(slot), &why)
            }
        }
    }

    fn slot_of(&self, object: Object) -> Option<usize> {
        self.kept.of(object).map(|handle| handle.index() as usize)
    }

    fn object_in(&self, slot: usize) -> Option<Object> {
        self.pool.get_at(slot).copied()
    }

    fn draw(&self) -> Drawing {
        let upcoming = self.upcoming();
        let lifetimes_max = self.pool.generations().lifetimes_max();
        let mut slots = vec![Slot::retired(lifetimes_max); self.pool.capacity()];
        for handle in &upcoming {
            slots[handle.index() as usize] = Slot::vacant(handle.generation() - 1);
        }
        for (handle, object) in &self.pool {
            slots[handle.index() as usize] = Slot::live(handle.generation(), *object);
        }
        let next: Vec<_> = upcoming.iter().map(|handle| handle.index() as usize).collect();
        let roster = (self.live_slots)(&self.pool).map(|live| {
            let partition = live.len();
            (live.into_iter().chain(next.iter().copied()).collect(), partition)
        });
        Drawing {
            name: self.name.to_owned(),
            rule: self.rule,
            slots,
            next,
            roster,
            has_links: false,
            bitmap: self.pool.occupancy().words().collect(),
            stats: self.pool.stats().to_string(),
            ..Drawing::default()
        }
    }
}
