//! The proof of a plan: the trace, replayed through real pools of the planned capacity.

use std::cell::Cell;

use millpond::reuse::ReuseOrder;
use millpond::{Handle, Pool};

/// The counts of a replay through real pools.
///
/// Each class is replayed through two pools at once: one reuses the slot freed last, the other the slot freed first. All
/// counts include both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Proof {
    /// Insertions and removals carried out.
    pub operations: u64,
    /// Insertions that a pool refused.
    pub refused: u64,
    /// Lookups of live objects' handles.
    pub live_checked: u64,
    /// Those that did not find their own object, and disagreements between a pool and the model about the number of
    /// live objects.
    pub live_wrong: u64,
    /// Lookups of dead objects' handles: just after the object's death, just after the reuse of its slot, and, for the
    /// last handle of each slot, at the end.
    pub stale_checked: u64,
    /// Those that found an object.
    pub stale_resolved: u64,
    /// Values dropped.
    pub drops: u64,
    /// Values that must be dropped: each that was inserted or refused, once.
    pub drops_expected: u64,
}

impl Proof {
    /// Whether the plan holds: nothing was refused, every lookup was right, and every value was dropped once.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.refused == 0
            && self.live_wrong == 0
            && self.stale_resolved == 0
            && self.drops == self.drops_expected
    }

    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            operations: self.operations + other.operations,
            refused: self.refused + other.refused,
            live_checked: self.live_checked + other.live_checked,
            live_wrong: self.live_wrong + other.live_wrong,
            stale_checked: self.stale_checked + other.stale_checked,
            stale_resolved: self.stale_resolved + other.stale_resolved,
            drops: self.drops + other.drops,
            drops_expected: self.drops_expected + other.drops_expected,
        }
    }
}

/// A value that knows its object's number and counts its drop.
#[derive(Debug)]
struct Tracked<'d> {
    number: u64,
    drops: &'d Cell<u64>,
}

impl Drop for Tracked<'_> {
    fn drop(&mut self) {
        self.drops.set(self.drops.get() + 1);
    }
}

/// An object in the model: its unique number and its handle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) number: u64,
    pub(super) handle: Handle<()>,
}

/// What a slot has held.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The handle of its previous object.
    previous: Option<Handle<()>>,
    /// The number of objects that it has held.
    lifetimes: u64,
}

/// A real pool, each of whose answers is compared with the model.
#[derive(Debug)]
pub(super) struct ProvingPool<'d, R: ReuseOrder> {
    pool: Pool<Tracked<'d>, R>,
    drops: &'d Cell<u64>,
    slots: Vec<Slot>,
    live: usize,
    proof: Proof,
}

impl<'d, R: ReuseOrder> ProvingPool<'d, R> {
    /// A pool of the planned capacity, or the reason if there is no memory for it.
    pub(super) fn new(capacity: u32, order: R, drops: &'d Cell<u64>) -> Result<Self, String> {
        let capacity = capacity as usize;
        let builder = Pool::builder().reuse(order).capacity(capacity);
        let pool = builder.try_build().map_err(|e| e.to_string())?;
        Ok(Self {
            pool,
            drops,
            slots: vec![Slot::default(); capacity],
            live: 0,
            proof: Proof::default(),
        })
    }

    /// Inserts an object; `None` if the pool refuses it.
    #[inline]
    pub(super) fn birth(&mut self, number: u64) -> Option<Handle<()>> {
        self.proof.operations += 1;
        self.proof.drops_expected += 1;
        let Ok(handle) = self.pool.insert(Tracked { number, drops: self.drops }) else {
            self.proof.refused += 1;
            return None;
        };
        self.live += 1;
        let known = Known { number, handle: handle.relabel() };
        self.check_live(known);
        let slot = &mut self.slots[handle.index() as usize];
        slot.lifetimes += 1;
        if let Some(stale) = slot.previous {
            self.check_stale(stale);
        }
        Some(known.handle)
    }

    /// Removes an object that was not refused.
    #[inline]
    pub(super) fn death(&mut self, known: Known) {
        self.proof.operations += 1;
        self.live -= 1;
        self.check_live_handle(known);
        let removed = self.pool.remove(known.handle.relabel());
        let right = removed.is_some_and(|value| value.number == known.number);
        self.proof.live_wrong += u64::from(!right || self.pool.len() != self.live);
        self.check_stale(known.handle);
        self.slots[known.handle.index() as usize].previous = Some(known.handle);
    }

    /// Looks up an object that must be live.
    #[inline]
    pub(super) fn check_live(&mut self, known: Known) {
        self.check_live_handle(known);
        self.proof.live_wrong += u64::from(self.pool.len() != self.live);
    }

    #[inline]
    fn check_live_handle(&mut self, known: Known) {
        self.proof.live_checked += 1;
        let found = self.pool.get(known.handle.relabel());
        let right = found.is_some_and(|value| value.number == known.number);
        self.proof.live_wrong += u64::from(!right);
    }

    #[inline]
    fn check_stale(&mut self, handle: Handle<()>) {
        self.proof.stale_checked += 1;
        let handle = handle.relabel();
        let resolved = self.pool.contains(handle) || self.pool.get(handle).is_some();
        self.proof.stale_resolved += u64::from(resolved);
    }

    /// How often the busiest slot was used.
    pub(super) fn busiest_slot(&self) -> u64 {
        self.slots.iter().map(|slot| slot.lifetimes).max().unwrap_or(0)
    }

    /// Ends the replay: looks up the last stale handle of each slot once more, compares the pool's counters with the
    /// model, and drops the pool. Drops are counted elsewhere.
    pub(super) fn finish(mut self) -> Proof {
        for slot in 0..self.slots.len() {
            if let Some(stale) = self.slots[slot].previous {
                self.check_stale(stale);
            }
        }
        let stats = self.pool.stats();
        let inserted: u64 = self.slots.iter().map(|slot| slot.lifetimes).sum();
        let right = stats.live == self.live
            && stats.inserted == inserted
            && stats.removed == inserted - self.live as u64
            && stats.refused == self.proof.refused
            && stats.retired == 0
            && self.pool.iter().count() == self.live;
        self.proof.live_wrong += u64::from(!right);
        self.proof
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond::reuse::{Fifo, Lifo};

    #[test]
    fn a_plan_that_holds() {
        let drops = Cell::new(0);
        let mut pool = ProvingPool::new(2, Lifo, &drops).unwrap();
        let birth = |pool: &mut ProvingPool<'_, _>, number| Known {
            number,
            handle: pool.birth(number).unwrap(),
        };
        let a = birth(&mut pool, 1);
        let b = birth(&mut pool, 2);
        pool.death(a);
        let c = birth(&mut pool, 3);
        assert_eq!(c.handle.index(), a.handle.index());
        pool.death(b);
        pool.check_live(c);
        assert_eq!(pool.busiest_slot(), 2);
        let mut proof = pool.finish();
        proof.drops = drops.get();
        assert!(proof.holds(), "{proof:?}");
        assert_eq!((proof.operations, proof.drops), (5, 3));
        // After the deaths of a and b, after c took a's slot, and at the end for both slots.
        assert_eq!(proof.stale_checked, 5);
    }

    #[test]
    fn a_pool_that_is_too_small_is_found_out() {
        let drops = Cell::new(0);
        let mut pool = ProvingPool::new(1, Fifo, &drops).unwrap();
        assert!(pool.birth(1).is_some() && pool.birth(2).is_none());
        let mut proof = pool.finish();
        proof.drops = drops.get();
        assert_eq!((proof.refused, proof.drops, proof.drops_expected), (1, 2, 2));
        assert!(!proof.holds());
    }

    #[test]
    fn lies_are_found_out() {
        let drops = Cell::new(0);
        let mut pool = ProvingPool::new(2, Lifo, &drops).unwrap();
        let a = Known { number: 1, handle: pool.birth(1).unwrap() };
        // A handle that finds another object.
        pool.check_live(Known { number: 2, ..a });
        assert_eq!(pool.proof.live_wrong, 1);
        // A handle that must be stale, but is not.
        pool.check_stale(a.handle);
        assert_eq!(pool.proof.stale_resolved, 1);
        assert!(!Proof { live_wrong: 1, ..Proof::default() }.holds());
        assert!(!Proof { stale_resolved: 1, ..Proof::default() }.holds());
        assert!(!Proof { drops: 1, ..Proof::default() }.holds());
        // A pool that returns another object's value: detected before and after its removal.
        let b = pool.birth(2).unwrap();
        pool.death(Known { number: 3, handle: b });
        assert_eq!(pool.proof.live_wrong, 3);
        // A pool that miscounts.
        pool.live += 1;
        assert_eq!(pool.finish().live_wrong, 4);
    }
}
