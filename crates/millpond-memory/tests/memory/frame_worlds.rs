//! What `tests/families` and the small worlds check in pools with handles, as far as it makes sense in pools that are
//! reset as a whole: every sequence of operations on small pools, and drops and clones that panic at every place.

use crate::common::{Counted, Ledger, Random, panics};
use millpond_memory::{FrameLink, FramePool};

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
    fn new(capacity: usize) -> Self {
        let (ledger, pool) = (Ledger::default(), FramePool::new(capacity));
        let (model, stale) = (Vec::new(), Vec::new());
        Self { ledger, pool, model, stale, inserted: 0, refused: 0, peak: 0 }
    }

    fn step(&mut self, step: usize, number: u64) {
        match step {
            0 => match self.pool.insert(self.ledger.value(number)) {
                Ok(link) => {
                    assert!(
                        !self.stale.contains(&link) && self.model.iter().all(|it| it.0 != link)
                    );
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
                    assert_eq!(self.pool.get_mut(*link).map(|value| value.id()), Some(*number));
                }
            }
        }
        self.peak = self.peak.max(self.model.len());
    }

    fn check(&mut self) {
        assert_eq!((self.ledger.alive(), self.pool.len()), (self.model.len(), self.model.len()));
        assert_eq!(self.pool.is_full(), self.model.len() == self.pool.capacity());
        for (link, number) in &self.model {
            assert_eq!(self.pool.get(*link).map(Counted::id), Some(*number));
        }
        for link in &self.stale {
            assert!(self.pool.get(*link).is_none() && self.pool.get_mut(*link).is_none());
            assert!(!self.pool.contains(*link));
        }
        let ids = self.pool.as_slice().iter().map(Counted::id);
        assert!(ids.eq(self.model.iter().map(|(_, number)| *number)));
        let mut iter = self.pool.iter();
        assert_eq!(iter.clone().count(), self.model.len());
        for (link, number) in &self.model {
            assert_eq!(iter.next().map(|(link, value)| (link, value.id())), Some((*link, *number)));
        }
        assert!(iter.next().is_none() && self.model.is_sorted_by_key(|(link, _)| link));
        let stats = self.pool.stats();
        assert_eq!((stats.capacity, stats.live), (self.pool.capacity(), self.model.len()));
        assert_eq!((stats.inserted, stats.refused), (self.inserted, self.refused));
        assert_eq!((stats.removed, stats.peak), (self.stale.len() as u64, self.peak));
    }
}

#[test]
fn every_sequence_of_operations_agrees_with_the_model() {
    // Each begins as a shorter one, which was checked before.
    for (capacity, steps) in (0..4).flat_map(|capacity| (0..=7).map(move |steps| (capacity, steps)))
    {
        for sequence in 0..4_usize.pow(steps) {
            let mut world = World::new(capacity);
            for number in 0..steps {
                world.step(sequence >> (2 * number) & 3, u64::from(number) * 100);
            }
            world.check();
            let World { ledger, pool, .. } = world;
            drop(pool);
            assert_eq!(ledger.alive(), 0);
        }
    }
}

#[test]
fn random_operations_agree_with_the_model() {
    for capacity in [7, 64, 300] {
        let mut world = World::new(capacity);
        let mut random = Random(capacity as u64);
        for number in 0..2_000 {
            let step = match random.below(100) {
                0 => 1,
                1 => 2,
                2..10 => 3,
                _ => 0,
            };
            world.step(step, number * 1_000);
            if step != 0 || number % 10 == 0 {
                world.check();
            }
        }
    }
}

/// Apart from the model, because the mutants' way to switch an iterator hides its size.
#[test]
fn an_iterator_tells_how_many_are_left() {
    let mut pool = FramePool::new(9);
    (0..9).for_each(|number| _ = pool.insert(number).unwrap());
    let mut iter = pool.iter();
    for left in (0..=9).rev() {
        assert_eq!((iter.size_hint(), iter.clone().count()), ((left, Some(left)), left));
        assert_eq!(iter.next().is_some(), left > 0);
    }
}

#[test]
fn drop_that_panics_at_any_place_leaves_no_value_behind() {
    for bomb in 0..5 {
        for goes_with_the_pool in [false, true] {
            let ledger = Ledger::default();
            let mut pool = FramePool::new(5);
            let links: Vec<_> = (0..5).map(|id| pool.insert(ledger.value(id)).unwrap()).collect();
            ledger.panic_in_drop_of(bomb);
            if goes_with_the_pool {
                assert!(panics(|| drop(pool)));
            } else {
                assert!(panics(|| pool.reset()));
                assert!(pool.is_empty() && ledger.alive() == 0);
                let again = pool.insert(ledger.value(9)).unwrap();
                assert!(links.iter().all(|&link| !pool.contains(link) && link != again));
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
