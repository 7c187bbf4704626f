//! The live slots of pools, from the events of a live trace.

use std::collections::HashMap;

/// The maximum number of live slots that are kept, over all pools: enough for every real program, and a limit for
/// hostile files.
const LIVE_SLOTS_MAX: usize = 1 << 22;

/// The live slots of all pools.
#[derive(Debug, Default)]
pub(super) struct AllSlots {
    /// By the class of the pool: the tick in which the lifetime of each live slot began.
    pools: HashMap<String, Slots, foldhash::fast::RandomState>,
    live: usize,
    /// The slots of a pool without live ones.
    none: Slots,
    state: State,
}

/// What is known about slots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// No event has named a slot; traces of other programs may not name any.
    #[default]
    NoneNamed,
    Known,
    /// More were live than are kept.
    Ignored,
}

/// The live slots of one pool, with the tick in which each lifetime began.
pub(super) type Slots = HashMap<u32, u32, foldhash::fast::RandomState>;

impl AllSlots {
    /// Ignores slots, so that events cost nothing.
    fn ignored() -> Self {
        Self { state: State::Ignored, ..Self::default() }
    }

    /// A lifetime begins in a slot. If too many slots are live, all of them are forgotten for good, because a part of
    /// them would look like all.
    pub(super) fn birth(&mut self, class: &str, slot: u32, tick: u32) {
        if self.state == State::Ignored {
            return;
        }
        self.state = State::Known;
        if self.live == LIVE_SLOTS_MAX {
            *self = Self::ignored();
            return;
        }
        let slots = match self.pools.get_mut(class) {
            Some(slots) => slots,
            None => self.pools.entry(class.to_owned()).or_default(),
        };
        self.live += usize::from(slots.insert(slot, tick).is_none());
    }

    /// The lifetime in a slot ends.
    pub(super) fn death(&mut self, class: &str, slot: u32) {
        let Some(slots) = self.pools.get_mut(class) else { return };
        self.live -= usize::from(slots.remove(&slot).is_some());
        if slots.is_empty() {
            self.pools.remove(class);
        }
    }

    /// The live slots of a pool; `None` if the trace names no slots, or if they are ignored.
    pub(super) fn of(&self, class: &str) -> Option<&Slots> {
        (self.state == State::Known).then(|| self.pools.get(class).unwrap_or(&self.none))
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
            slots.birth("imps", slot, tick);
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
    fn too_many_live_slots_are_forgotten_with_all_their_memory() {
        let mut slots = AllSlots::default();
        slots.birth("imps", 0, 1);
        slots.live = LIVE_SLOTS_MAX - 1;
        slots.birth("imps", 1, 1);
        assert_eq!(slots.of("imps").map(Slots::len), Some(2), "as many as are kept");
        slots.birth("imps", 2, 1);
        assert_eq!((slots.of("imps"), slots.pools.capacity(), slots.live), (None, 0, 0));
        slots.death("imps", 1);
        slots.birth("imps", 1, 2);
        assert_eq!((slots.of("imps"), slots.pools.capacity()), (None, 0), "a part would mislead");
    }

    #[test]
    fn slots_that_nobody_asks_for_take_no_memory() {
        let mut slots = AllSlots::ignored();
        slots.birth("imps", 0, 1);
        slots.death("imps", 0);
        assert_eq!((slots.of("imps"), slots.pools.capacity()), (None, 0));
    }
}
