//! A pool that threads walk over, for the models of loom and of shuttle.

use std::sync::Arc;
use std::vec::Vec;

use super::thread;
#[cfg(loom)]
use crate::slots::Place;
use crate::{Handle, Pool};

/// A pool with two words in its bitmap.
pub(super) struct World {
    pub(super) pool: Arc<Pool<usize>>,
    live: Vec<Handle<usize>>,
}

/// How a walk finds the live slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Bits,
    Words,
}

/// What a thread does with the pool, in which these slots are live.
type Work = fn(&Pool<usize>, &[usize]) -> By;

impl World {
    const INSERTED: usize = 70;

    /// Nobody has walked over this pool, from which the values of these slots were removed.
    pub(super) fn new(removed: &[usize]) -> Self {
        let mut pool = Pool::new(Self::INSERTED + 10);
        let live = (0..Self::INSERTED).map(|value| pool.insert(value).unwrap()).collect();
        let mut world = Self { pool: Arc::new(pool), live };
        world.change(removed);
        world
    }

    /// The same after a walk, and so the next one writes the bits.
    pub(super) fn walked(removed: &[usize]) -> Self {
        let world = Self::new(removed);
        assert_eq!(world.walk(), By::Words);
        world
    }

    /// The pool, for its owner.
    pub(super) fn own(&mut self) -> &mut Pool<usize> {
        Arc::get_mut(&mut self.pool).expect("nobody else has the pool")
    }

    /// The owner removes the values of these slots, and inserts another.
    pub(super) fn change(&mut self, removed: &[usize]) {
        for slot in removed {
            let at = self.live.iter().position(|handle| handle.index() as usize == *slot);
            let handle = self.live.swap_remove(at.unwrap());
            assert!(self.own().remove(handle).is_some());
        }
        let handle = self.own().insert(0).unwrap();
        self.live.push(handle);
        #[cfg(loom)]
        crate::slots::watched::watch(self.pool.storage.words().place().parts().bits);
    }

    fn slots(&self) -> Arc<[usize]> {
        let mut slots: Vec<_> = self.live.iter().map(|handle| handle.index() as usize).collect();
        slots.sort_unstable();
        slots.into()
    }

    pub(super) fn walk(&self) -> By {
        walk(&self.pool, &self.slots())
    }

    /// So many threads, this one among them, do this at once: what each comes to.
    pub(super) fn share<const THREADS: usize>(&self, work: Work) -> [By; THREADS] {
        let slots = self.slots();
        let others: Vec<_> = (1..THREADS)
            .map(|_| {
                let (pool, slots) = (Arc::clone(&self.pool), Arc::clone(&slots));
                thread::spawn(move || work(&pool, &slots))
            })
            .collect();
        let mut ways = [work(&self.pool, &slots); THREADS];
        for (way, other) in ways.iter_mut().skip(1).zip(others) {
            *way = other.join().unwrap();
        }
        ways
    }

    /// After the walks, the bitmap is right, and in step.
    pub(super) fn end(&self) {
        validate(&self.pool);
        assert!(self.pool.storage.words().is_synced());
        assert_eq!(self.walk(), By::Bits);
    }
}

/// Each walk sees exactly the live slots.
pub(super) fn walk(pool: &Pool<usize>, live: &[usize]) -> By {
    let occupancy = pool.storage.words().occupancy_to_walk();
    assert!(
        occupancy.iter().eq(live.iter().copied()),
        "a walk sees other slots than the live ones"
    );
    if let Some(prefix) = occupancy.prefix() {
        assert!((0..prefix).eq(live.iter().copied()), "a walk sees other slots than the live ones");
    }
    match occupancy.source().bits() {
        [] => By::Words,
        _ => By::Bits,
    }
}

pub(super) fn walk_twice(pool: &Pool<usize>, live: &[usize]) -> By {
    walk(pool, live);
    walk(pool, live)
}

pub(super) fn walk_and_validate(pool: &Pool<usize>, live: &[usize]) -> By {
    let by = walk(pool, live);
    validate(pool);
    by
}

pub(super) fn validate(pool: &Pool<usize>) {
    let valid = pool.validate();
    assert!(valid.is_ok(), "assertion of the pool failed: {valid:?}");
}

/// Slots that are removed, so that both words have holes, or none.
pub(super) const REMOVED: [&[usize]; 2] = [&[3, 66, 20], &[]];
