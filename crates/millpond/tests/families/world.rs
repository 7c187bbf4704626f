//! A pool in use, the handles of its values, and what must hold of it whatever has happened.

use std::collections::HashMap;

use crate::common::{Counted, Ledger};
use crate::subject::{Facts, Key, KindToRun, Plan, Subject, agreed};

/// Any kind of pool, with values that are counted.
pub(crate) type Pools = KindToRun;

/// More than one word of an occupancy.
pub(crate) const SLOTS: usize = 70;

/// What the values say that a check puts in.
const CHECKING: u64 = 1_000_000;

pub(crate) struct World {
    facts: &'static Facts,
    pub(crate) ledger: Ledger,
    pub(crate) pool: Box<dyn Subject<Counted>>,
    /// The handles of the values that were in it at first, by what these say.
    pub(crate) handles: HashMap<u64, Key>,
    /// Handles that were stale from the start.
    stale: Vec<Key>,
}

impl World {
    /// A pool with a few holes, some of them in slots that were in use before.
    pub(crate) fn new(kind: &Pools) -> Self {
        Self::of(kind, Plan::of(SLOTS))
    }

    /// The same of a pool with this plan.
    pub(crate) fn of(kind: &Pools, plan: Plan) -> Self {
        let mut world = Self::filled(kind, plan, 3);
        for hole in [3, 4, 20, 63] {
            if let Some(handle) = world.handles.remove(&hole) {
                assert_eq!(world.pool.remove(handle).unwrap().id(), hole);
                world.stale.push(handle);
            }
        }
        assert_eq!(world.ledger.alive(), world.handles.len());
        world
    }

    /// A pool in which every slot is live; the values say 0, 1, 2, ….
    pub(crate) fn full(kind: &Pools) -> Self {
        Self::filled(kind, Plan::of(SLOTS), 0)
    }

    /// The same with so many slots that are not.
    fn filled(kind: &Pools, plan: Plan, free: usize) -> Self {
        let ledger = Ledger::default();
        let mut pool: Box<dyn Subject<Counted>> = kind.make(plan);
        let ids = 0..pool.capacity().saturating_sub(free) as u64;
        let handles = ids.map(|id| (id, pool.insert(ledger.value(id)).unwrap())).collect();
        Self { facts: kind.facts(), ledger, pool, handles, stale: Vec::new() }
    }

    /// Plans of pools whose slots last, and whose slots retire after one lifetime.
    pub(crate) fn plans(kind: &Pools) -> Vec<Plan> {
        let lifetimes = kind.facts().lifetimes_chosen.then_some(1);
        let plans = [None].into_iter().chain(lifetimes.map(Some));
        plans.map(|lifetimes| Plan { lifetimes, ..Plan::of(SLOTS) }).collect()
    }

    /// Some of what the values say: the first and the last of the pool, of a word of an occupancy, and beside each hole,
    /// and some in between.
    pub(crate) fn victims(&self) -> Vec<u64> {
        let ids = self.ids();
        let borders = [0, 1, 2, 5, 19, 21, 40, 62, 64];
        ids.iter().copied().filter(|id| borders.contains(id) || Some(id) == ids.last()).collect()
    }

    /// What the values say, in ascending order.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let mut ids: Vec<u64> = self.handles.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Whether all that the pool says of itself agrees, and agrees with what is alive; then whether it
    /// still does all that it must.
    pub(crate) fn check(mut self) {
        self.ledger.panic_in_drop_of(None);
        self.ledger.panic_in_clone_of(None);
        let pool = &mut self.pool;
        let live = agreed(&**pool);
        assert_eq!(self.ledger.alive(), pool.len(), "alive are those in the pool");
        for &(handle, id) in &live {
            assert_eq!(pool.get_mut(handle).map(|value| value.id()), Some(id));
        }
        let mut stale = self.stale;
        for (id, &handle) in &self.handles {
            let is_live = live.contains(&(handle, *id));
            assert_eq!(pool.get(handle).map(Counted::id), is_live.then_some(*id), "{handle:?}");
            if !is_live {
                stale.push(handle);
            }
        }
        for &handle in &stale {
            assert!(!pool.contains(handle) && pool.get_mut(handle).is_none(), "{handle:?}");
            assert!(pool.remove(handle).is_none(), "{handle:?}");
        }

        let mut new_handles = Vec::new();
        while !pool.is_full() {
            new_handles.push(pool.insert(self.ledger.value(CHECKING)).unwrap());
        }
        assert_eq!(pool.insert(self.ledger.value(CHECKING)).unwrap_err().id(), CHECKING);
        assert_eq!(pool.len() + pool.retired(), pool.capacity());
        assert_eq!(self.ledger.alive(), pool.len());
        if self.facts.lasting {
            assert!(stale.iter().all(|&handle| !pool.contains(handle)), "stale for ever");
        }
        for handle in new_handles {
            assert_eq!(pool.remove(handle).unwrap().id(), CHECKING);
        }
        assert_eq!(agreed(&**pool), live);
        drop(self.pool);
        assert_eq!(self.ledger.alive(), 0, "nothing leaks");
    }
}
