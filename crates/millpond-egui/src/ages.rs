//! How old each slot's object is, found out by looking again and again.

use crate::Inspect;

/// What was seen of a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    /// The generation, or 0 while it is dead.
    pub(crate) generation: u32,
    /// When this was seen first, in seconds; `None` if nothing was ever there.
    pub(crate) since: Option<f32>,
    /// How many lifetimes of it were seen.
    pub(crate) lifetimes: u32,
}

impl Slot {
    pub(crate) fn is_live(self) -> bool {
        self.generation > 0
    }
}

/// All slots of one pool, as they were at the last look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ages {
    slots: Vec<Slot>,
    /// The slot of which most lifetimes were seen, and how many.
    busiest: Option<(usize, u32)>,
}

impl Ages {
    /// Looks at every slot. What came and went since the last look is not seen.
    pub(crate) fn look(&mut self, pool: &dyn Inspect, capacity: usize, now: f32) {
        self.slots.resize(capacity, Slot { generation: 0, since: None, lifetimes: 0 });
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let generation = pool.generation_at(index).unwrap_or(0);
            if generation != slot.generation {
                let lifetimes = slot.lifetimes.saturating_add(u32::from(generation > 0));
                *slot = Slot { generation, since: Some(now), lifetimes };
                if self.busiest.is_none_or(|(_, most)| lifetimes > most) {
                    self.busiest = Some((index, lifetimes));
                }
            }
        }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn busiest(&self) -> Option<(usize, u32)> {
        self.busiest
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
        ages.look(&pool, 3, 1.0);
        pool.remove(first);
        pool.insert('c').unwrap();
        ages.look(&pool, 3, 2.0);
        let seen: Vec<_> = ages.slots().iter().map(|slot| (slot.generation, slot.since)).collect();
        assert_eq!(seen, [(2, Some(2.0)), (1, Some(1.0)), (0, None)]);
        assert_eq!(ages.busiest(), Some((0, 2)));
        pool.clear();
        ages.look(&pool, 3, 3.0);
        assert!(ages.slots().iter().all(|slot| !slot.is_live()));
        assert_eq!(ages.slots()[1].since, Some(3.0));
        // A pool may be replaced by a smaller one.
        ages.look(&Pool::<u8>::new(1), 1, 4.0);
        assert_eq!(ages.slots().len(), 1);
    }
}
