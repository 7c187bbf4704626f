//! What `tests/families` and the small worlds check in pools with handles, as far as it makes sense in pools that are
//! reset as a whole: every sequence of operations on small pools, drops and clones that panic at every place, iterators,
//! and which types may go to another thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use millpond::{Frame, FrameLink, FrameMemory, FramePool, FrameRef};

/// A value that counts itself, and panics in its drop if it is told to.
struct Counted<'a> {
    number: u32,
    alive: &'a Cell<i32>,
    panics: bool,
}

impl<'a> Counted<'a> {
    fn new(number: u32, alive: &'a Cell<i32>) -> Self {
        alive.set(alive.get() + 1);
        Self { number, alive, panics: false }
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Self::new(self.number, self.alive)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
        assert!(!self.panics, "on purpose");
    }
}

/// The pool and what it must be: the links and numbers of this frame, and all links that there were before.
struct World<'a> {
    pool: FramePool<Counted<'a>>,
    model: Vec<(FrameLink<Counted<'a>>, u32)>,
    stale: Vec<FrameLink<Counted<'a>>>,
    inserted: u64,
    refused: u64,
    peak: usize,
}

impl<'a> World<'a> {
    fn step(&mut self, step: usize, number: u32, alive: &'a Cell<i32>) {
        match step {
            0 => match self.pool.insert(Counted::new(number, alive)) {
                Ok(link) => {
                    assert!(!self.stale.contains(&link));
                    self.model.push((link, number));
                    self.inserted += 1;
                }
                Err(full) => {
                    assert_eq!(full.into_inner().number, number);
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
                    self.pool[*link].number += 1;
                    *number += 1;
                }
            }
        }
        self.peak = self.peak.max(self.model.len());
    }

    fn check(&self, alive: &Cell<i32>) {
        assert_eq!(alive.get(), self.model.len() as i32);
        assert!(self.model.iter().all(|(link, number)| self.pool[*link].number == *number));
        assert!(self.stale.iter().all(|link| self.pool.get(*link).is_none()));
        let found = self.pool.iter().map(|(link, value)| (link, value.number));
        assert!(found.eq(self.model.iter().copied()));
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
            let alive = Cell::new(0);
            let (pool, model, stale) = (FramePool::new(capacity), Vec::new(), Vec::new());
            let mut world = World { pool, model, stale, inserted: 0, refused: 0, peak: 0 };
            for number in 0..STEPS {
                world.step(sequence >> (2 * number) & 3, number * 100, &alive);
                world.check(&alive);
            }
            drop(world);
            assert_eq!(alive.get(), 0);
        }
    }
}

#[test]
fn drop_that_panics_at_any_place_leaves_no_value_behind() {
    for bomb in 0..5 {
        for goes_with_the_pool in [false, true] {
            let alive = Cell::new(0);
            let mut pool = FramePool::new(5);
            for number in 0..5 {
                let mut value = Counted::new(number, &alive);
                value.panics = number == bomb;
                assert!(pool.insert(value).is_ok());
            }
            if goes_with_the_pool {
                assert!(catch_unwind(AssertUnwindSafe(|| drop(pool))).is_err());
            } else {
                assert!(catch_unwind(AssertUnwindSafe(|| pool.reset())).is_err());
                assert!(pool.is_empty() && pool.insert(Counted::new(9, &alive)).is_ok());
                assert_eq!((pool.len(), pool.stats().removed), (1, 5));
                drop(pool);
            }
            assert_eq!(alive.get(), 0, "bomb {bomb}");
        }
    }
}

#[test]
fn clone_that_panics_leaves_the_pool_as_it_was() {
    struct Fragile(Rc<Cell<u32>>);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            self.0.set(self.0.get() - 1);
            assert!(self.0.get() > 0, "on purpose");
            Self(Rc::clone(&self.0))
        }
    }
    for clones in 1..5 {
        let left = Rc::new(Cell::new(clones));
        let mut pool = FramePool::new(4);
        let links = [(); 4].map(|()| pool.insert(Fragile(Rc::clone(&left))).ok().unwrap());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(pool.clone()))).is_err());
        assert!(links.iter().all(|&link| pool.contains(link)));
        assert_eq!(Rc::strong_count(&left), 5, "what was cloned is dropped");
    }
}

/// A link is plain data. The memory may go to another thread; a frame, whose values may be of any type, may not.
#[test]
fn only_what_may_goes_to_another_thread() {
    trait Answer {
        const IS_SEND: bool = false;
        const IS_SYNC: bool = false;
    }
    impl<T: ?Sized> Answer for T {}
    struct Asked<T: ?Sized>(std::marker::PhantomData<T>);
    #[allow(dead_code, reason = "each is looked for on every type, and found on some")]
    impl<T: ?Sized + Send> Asked<T> {
        const IS_SEND: bool = true;
    }
    #[allow(dead_code, reason = "as above")]
    impl<T: ?Sized + Sync> Asked<T> {
        const IS_SYNC: bool = true;
    }
    macro_rules! is {
        ($type:ty) => {
            (<Asked<$type>>::IS_SEND, <Asked<$type>>::IS_SYNC)
        };
    }
    assert_eq!(is!(FramePool<u8>), (true, true));
    assert_eq!(is!(FramePool<Cell<u8>>), (true, false));
    assert_eq!(is!(FramePool<Rc<u8>>), (false, false));
    assert_eq!(is!(FrameLink<Rc<u8>>), (true, true));
    assert_eq!(is!(FrameMemory), (true, true));
    assert_eq!(is!(Frame<'static>), (false, false));
    assert_eq!(is!(FrameRef<'static, u8>), (false, false));
}
