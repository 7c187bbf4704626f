//! Which slots of a pool are live, as the events of a live trace say it.

use std::collections::HashMap;

/// The most live slots that are kept, over all pools: enough for every real program, and a limit for hostile files.
const LIVE_SLOTS_MAX: usize = 1 << 22;

/// The live slots of all pools.
#[derive(Debug, Default)]
pub(super) struct AllSlots {
    /// By the class of the pool: the tick in which the lifetime of each live slot began.
    pools: HashMap<String, Slots, foldhash::fast::RandomState>,
    live: usize,
    /// What a pool without live slots has.
    none: Slots,
    /// Whether any event named a slot; traces of other programs may name none.
    are_known: bool,
}

/// The live slots of one pool, with the tick in which each lifetime began.
pub(super) type Slots = HashMap<u32, u32, foldhash::fast::RandomState>;

impl AllSlots {
    /// A lifetime begins in a slot.
    ///
    /// # Errors
    /// If too many slots are live.
    pub(super) fn birth(&mut self, class: &str, slot: u32, tick: u32) -> Result<(), String> {
        self.are_known = true;
        if self.live == LIVE_SLOTS_MAX {
            return Err(format!("more than {LIVE_SLOTS_MAX} slots are live"));
        }
        let slots = match self.pools.get_mut(class) {
            Some(slots) => slots,
            None => self.pools.entry(class.to_owned()).or_default(),
        };
        self.live += usize::from(slots.insert(slot, tick).is_none());
        Ok(())
    }

    /// The lifetime in a slot ends.
    pub(super) fn death(&mut self, class: &str, slot: u32) {
        let Some(slots) = self.pools.get_mut(class) else { return };
        self.live -= usize::from(slots.remove(&slot).is_some());
        if slots.is_empty() {
            self.pools.remove(class);
        }
    }

    /// The live slots of a pool; `None` if the trace names no slots.
    pub(super) fn of(&self, class: &str) -> Option<&Slots> {
        self.are_known.then(|| self.pools.get(class).unwrap_or(&self.none))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_live_from_birth_to_death() {
        let mut slots = AllSlots::default();
        slots.death("imps", 3);
        assert_eq!(slots.of("imps"), None);
        for (slot, tick) in [(3, 1), (5, 1), (3, 9)] {
            slots.birth("imps", slot, tick).expect("few slots");
        }
        assert_eq!(slots.of("imps"), Some(&Slots::from_iter([(3, 9), (5, 1)])));
        assert_eq!(slots.live, 2);
        for slot in [3, 5, 5] {
            slots.death("imps", slot);
        }
        assert_eq!(
            (slots.of("imps"), slots.live, slots.pools.len()),
            (Some(&Slots::default()), 0, 0)
        );
    }

    #[test]
    fn the_number_of_live_slots_has_a_limit() {
        let mut slots = AllSlots { live: LIVE_SLOTS_MAX, ..AllSlots::default() };
        assert!(slots.birth("imps", 0, 0).expect_err("too many").contains("slots are live"));
    }
}
