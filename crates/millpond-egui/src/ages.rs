//! What has been in each slot and since when, found out by repeated inspection.

use crate::Inspect;

/// What was seen in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    /// The generation of the last lifetime seen, or 0 if none was.
    pub(crate) generation: u32,
    pub(crate) is_live: bool,
    /// When it was first seen in this state, in seconds; `None` if it never had an object.
    pub(crate) since: Option<f32>,
}

impl Slot {
    pub(crate) const NEVER_USED: Self = Self { generation: 0, is_live: false, since: None };
}

/// All slots of one pool, as last seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ages {
    slots: Vec<Slot>,
}

impl Ages {
    /// Inspects every slot. Objects inserted and removed since the last inspection are not seen.
    pub(crate) fn look(&mut self, pool: &dyn Inspect, now: f32) {
        self.slots.resize(pool.stats().capacity, Slot::NEVER_USED);
        for (index, slot) in self.slots.iter_mut().enumerate() {
            match pool.generation_at(index) {
                Some(generation) if generation != slot.generation || !slot.is_live => {
                    *slot = Slot { generation, is_live: true, since: Some(now) };
                }
                None if slot.is_live => {
                    *slot = Slot { is_live: false, since: Some(now), ..*slot };
                }
                _ => {}
            }
        }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// For how many seconds the oldest live object has been seen.
    pub(crate) fn oldest(&self, now: f32) -> f32 {
        let live = self.slots.iter().filter(|slot| slot.is_live);
        live.filter_map(|slot| slot.since).map(|since| now - since).fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond::Pool;

    #[test]
    fn a_slot_s_age_is_that_of_its_lifetime() {
        let mut pool = Pool::new(3);
        let mut ages = Ages::default();
        let first = pool.insert('a').unwrap();
        pool.insert('b').unwrap();
        ages.look(&pool, 1.0);
        pool.remove(first);
        pool.insert('c').unwrap();
        ages.look(&pool, 2.0);
        let seen: Vec<_> = ages.slots().iter().map(|slot| (slot.generation, slot.since)).collect();
        assert_eq!(seen, [(2, Some(2.0)), (1, Some(1.0)), (0, None)]);
        assert_eq!(ages.oldest(5.0), 4.0);
        pool.clear();
        ages.look(&pool, 3.0);
        assert!(ages.slots().iter().all(|slot| !slot.is_live));
        assert_eq!(ages.slots()[1], Slot { generation: 1, is_live: false, since: Some(3.0) });
        // A pool may be replaced by a smaller one.
        ages.look(&Pool::<u8>::new(1), 4.0);
        assert_eq!(ages.slots().len(), 1);
    }
}
