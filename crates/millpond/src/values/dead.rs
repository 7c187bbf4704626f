//! Marking dead slots so that their use is detected: filling them with a pattern (`debug-aids`), and poisoning them for
//! AddressSanitizer (`--cfg millpond_asan`). Otherwise this does nothing.
//!
//! # Invariant
//!
//! If a storage's watch fills, every byte of each dead slot is initialised.

use super::Storage;
use crate::base::bytes::{bytes_mut, initialised};
use crate::base::sanitizer;
use crate::slots::{Place, Slots};

use crate::reports::debug::{Watch, fill, find_changed};

impl<T, P: Place, L> Storage<T, P, L> {
    /// Whether dead slots are poisoned for AddressSanitizer. It tracks addresses, so this excludes
    /// values that move with the pool.
    pub(super) const IS_POISONED: bool = cfg!(millpond_asan) && !P::MOVES_VALUES;

    /// A slot has just died, and its value was moved out.
    #[inline]
    pub(super) fn mark_dead(&mut self, index: usize) {
        if cfg!(feature = "debug-aids") && self.watched().is_some_and(Watch::fills) {
            fill(bytes_mut(self.value_mut(index)));
        }
        if Self::IS_POISONED {
            self.poison(index, true);
        }
    }

    /// A dead slot is about to receive a value.
    #[inline]
    pub(super) fn mark_live(&mut self, index: usize) {
        if Self::IS_POISONED {
            self.poison(index, false);
        }
    }

    /// Marks a slot as dead or alive for AddressSanitizer.
    #[inline]
    fn poison(&mut self, index: usize, is_dead: bool) {
        let spare = bytes_mut(self.value_mut(index));
        match is_dead {
            true => sanitizer::poison(spare),
            false => sanitizer::unpoison(spare),
        }
    }

    /// Does the same for all dead slots, when a pool begins or ends.
    pub(super) fn poison_dead(&mut self, is_dead: bool) {
        if Self::IS_POISONED {
            for index in 0..self.words().slots() {
                if !self.words().is_live(index) {
                    self.poison(index, is_dead);
                }
            }
        }
    }

    /// Lends the slots to a function that may make more of them, and runs no user code.
    #[inline(always)]
    pub(crate) fn lend_to_grow<X>(&mut self, grow: impl FnOnce(&mut Slots<P, L>) -> X) -> X {
        let former = self.words().slots();
        if Self::IS_POISONED {
            self.poison_dead(false);
        }
        let grown = grow(self.slots_mut());
        if cfg!(feature = "debug-aids") {
            for index in former..self.words().slots() {
                // As if a value had just been moved out.
                self.mark_dead(index);
            }
        }
        if Self::IS_POISONED {
            self.poison_dead(true);
        }
        grown
    }

    /// Watches the slots from now on, if there is a watch.
    pub(crate) fn watch(&mut self, watch: Option<Watch>) {
        self.words_mut().place_mut().set_watch(watch);
        self.mark_each_dead();
    }

    /// Marks all dead slots, if they are watched.
    pub(super) fn mark_each_dead(&mut self) {
        let slots = if self.watched().is_some() { self.words().slots() } else { 0 };
        for index in 0..slots {
            if !self.words().is_live(index) {
                self.mark_live(index);
                self.mark_dead(index);
            }
        }
    }

    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.words().place().watch()
    }

    /// Inspects a slot that is about to be reused.
    ///
    /// # Panics
    ///
    /// If the slot was written to since it died. Its filling is restored first.
    #[track_caller]
    pub(crate) fn inspect(&mut self, index: usize) {
        let fills = self.watched().is_some_and(Watch::fills);
        if !fills || index >= self.words().slots() || self.words().is_live(index) {
            return;
        }
        self.mark_live(index);
        let spare = bytes_mut(self.value_mut(index));
        // SAFETY: the storage fills, so these bytes of a dead slot are initialised.
        let changed = find_changed(unsafe { initialised(spare) });
        self.mark_dead(index);
        if let Some(watch) = self.watched() {
            watch.inspected(index, changed);
        }
    }
}
