//! What `tests/families` and the small worlds check in pools with handles, as far as it makes sense in pools that are
//! reset as a whole: every sequence of operations on small pools, and drops and clones that panic at every place.

use crate::common::{Counted, Ledger, panics};
use millpond::{FrameLink, FramePool};

/// The pool and what it must be: the links and numbers of this frame, and all links that there were before.
struct World {
    ledger: Ledger,
    pool: FramePool<Counted>,
    model: Vec<(FrameLink<Counted>, u64)>,
    stale: Vec<FrameLink<Counted>>,
    inserted: u64,
    refused: u64,
    peak: usize,
}

impl World {
    fn step(&mut self, step: usize, number: u64) {
        match step {
            0 => match self.pool.insert(self.ledger.value(number)) {
                Ok(link) => {
                    assert!(!self.stale.contains(&link));
                    self.model.push((link, number));
                    self.inserted += 1;
                }
                Err(full) => {
                    assert_eq!(full.into_inner().id(), number);
                    assert_eq!(self.model.len(), self.pool.capacity());
                    self.refused += 1;
                }
            },
            1 => {
                self.pool.reset();
                self.stale.extend(self.model.drain(..).map(|(link, _)| link));
            }
            2 => self.pool = self.pool.clone(), // the twin goes on, and the first one is dropped
            _ => {
                for (link, number) in &mut self.model {
                    *number += 1;
                    self.pool[*link] = self.ledger.value(*number);
                }
            }
        }
        self.peak = self.peak.max(self.model.len());
    }

    fn check(&self) {
        assert_eq!(self.ledger.alive(), self.model.len());
        assert!(self.model.iter().all(|(link, number)| self.pool[*link].id() == *number));
        assert!(self.stale.iter().all(|link| self.pool.get(*link).is_none()));
        let mut iter = self.pool.iter();
        for (at, (link, number)) in self.model.iter().enumerate() {
            let left = self.model.len() - at;
            assert_eq!((iter.size_hint(), iter.clone().count()), ((left, Some(left)), left));
            assert_eq!(iter.next().map(|(link, value)| (link, value.id())), Some((*link, *number)));
        }
        assert!(iter.next().is_none() && self.model.is_sorted_by_key(|(link, _)| link));
        let stats = self.pool.stats();
        assert_eq!(
            (stats.live, stats.inserted, stats.refused),
            (self.model.len(), self.inserted, self.refused)
        );
        assert_eq!((stats.removed, stats.peak), (self.stale.len() as u64, self.peak));
    }
}

#[test]
fn every_sequence_of_operations_agrees_with_the_model() {
    const STEPS: u32 = 7;
    for capacity in 0..4 {
        for sequence in 0..4_usize.pow(STEPS) {
            let ledger = Ledger::default();
            let (pool, model, stale) = (FramePool::new(capacity), Vec::new(), Vec::new());
            let counted = ledger.clone();
            let mut world = World { ledger, pool, model, stale, inserted: 0, refused: 0, peak: 0 };
            for number in 0..STEPS {
                world.step(sequence >> (2 * number) & 3, u64::from(number) * 100);
                world.check();
            }
            drop(world);
            assert_eq!(counted.alive(), 0);
        }
    }
}

#[test]
fn drop_that_panics_at_any_place_leaves_no_value_behind() {
    for bomb in 0..5 {
        for goes_with_the_pool in [false, true] {
            let ledger = Ledger::default();
            let mut pool = FramePool::new(5);
            (0..5).for_each(|id| assert!(pool.insert(ledger.value(id)).is_ok()));
            ledger.panic_in_drop_of(bomb);
            if goes_with_the_pool {
                assert!(panics(|| drop(pool)));
            } else {
                assert!(panics(|| pool.reset()));
                assert!(pool.is_empty() && pool.insert(ledger.value(9)).is_ok());
                assert_eq!((pool.len(), pool.stats().removed), (1, 5));
                drop(pool);
            }
            assert_eq!(ledger.alive(), 0, "bomb {bomb}");
        }
    }
}

#[test]
fn clone_that_panics_leaves_the_pool_as_it_was() {
    for victim in 0..4 {
        let ledger = Ledger::default();
        let mut pool = FramePool::new(4);
        let links = [0, 1, 2, 3].map(|id| pool.insert(ledger.value(id)).ok().unwrap());
        ledger.panic_in_clone_of(victim);
        assert!(panics(|| drop(pool.clone())));
        assert!(links.iter().all(|&link| pool.contains(link)));
        assert_eq!(ledger.alive(), 4, "what was cloned is dropped");
    }
}
