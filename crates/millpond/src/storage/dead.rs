//! What is done about dead slots so that their use shows: filled with a pattern (`debug-aids`), and
//! AddressSanitizer told that they are out of bounds (`--cfg millpond_asan`). Nothing otherwise.
//!
//! # Invariant
//!
//! Of a storage whose watch fills, every byte of each dead slot behind its link is initialised.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::Storage;
use crate::handle::Word;
use crate::reuse::{Link, ReuseOrder};
use crate::sanitizer;

#[cfg(feature = "debug-aids")]
use crate::debug::Watch;
#[cfg(feature = "debug-aids")]
use crate::errors::PoolName;

/// What dead slots are filled with, from the first byte of each on.
#[cfg(feature = "debug-aids")]
const DEAD: [u8; 4] = 0x1dea_db0b_u32.to_be_bytes();

impl<T, R: ReuseOrder, W: Word> Storage<T, R, W> {
    /// The bytes of a dead slot that nobody needs: all, or those behind the link.
    fn spare_bytes() -> Range<usize> {
        let link = if Self::LINKED { size_of::<Link>() } else { 0 };
        link..size_of::<T>()
    }

    fn bytes_mut(&mut self, index: usize) -> &mut [MaybeUninit<u8>] {
        let slot = &raw mut self.values[index];
        // SAFETY: the bytes are those of one slot, which is borrowed with `self`; `MaybeUninit<u8>` may be
        // any of them, and the slot itself is `MaybeUninit`.
        unsafe { core::slice::from_raw_parts_mut(slot.cast(), size_of::<T>()) }
    }

    /// A slot has just died, and its value was moved out.
    #[inline]
    pub(super) fn bury(&mut self, index: usize) {
        #[cfg(feature = "debug-aids")]
        if self.watch.as_ref().is_some_and(|watch| watch.fills()) {
            let spare = Self::spare_bytes();
            let bytes = self.bytes_mut(index).iter_mut().enumerate().skip(spare.start);
            bytes.for_each(|(at, byte)| _ = byte.write(DEAD[at % 4]));
        }
        self.poison(index, true);
    }

    /// A dead slot is about to get a value.
    #[inline]
    pub(super) fn unearth(&mut self, index: usize) {
        self.poison(index, false);
    }

    /// Tells AddressSanitizer that a slot is dead, or that it is not.
    #[inline]
    fn poison(&mut self, index: usize, is_dead: bool) {
        if cfg!(millpond_asan) {
            let spare = &mut self.bytes_mut(index)[Self::spare_bytes()];
            match is_dead {
                true => sanitizer::poison(spare),
                false => sanitizer::unpoison(spare),
            }
        }
    }

    /// Does the same with all dead slots: as a pool begins, or ends.
    pub(super) fn poison_dead(&mut self, is_dead: bool) {
        if cfg!(millpond_asan) {
            for index in 0..self.values.len() {
                if !self.words.is_live(index) {
                    self.poison(index, is_dead);
                }
            }
        }
    }
}

#[cfg(feature = "debug-aids")]
impl<T, R: ReuseOrder, W: Word> Storage<T, R, W> {
    /// Has the slots watched from now on.
    pub(crate) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch.into());
        for index in 0..self.values.len() {
            if !self.words.is_live(index) {
                self.unearth(index);
                self.bury(index);
            }
        }
    }

    /// No longer.
    pub(crate) fn unwatch(&mut self) {
        self.watch = None;
    }

    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    pub(crate) fn watched_mut(&mut self) -> Option<&mut Watch> {
        self.watch.as_deref_mut()
    }

    /// Looks at a slot that is about to be handed out.
    ///
    /// # Panics
    ///
    /// If somebody has written to it since it died. It is as it should be again, then.
    #[track_caller]
    pub(crate) fn inspect(&mut self, index: usize) {
        let Some(watch) = self.watched().filter(|watch| watch.fills()) else { return };
        if index >= self.values.len() || self.words.is_live(index) {
            return;
        }
        let (pool, slot) = (PoolName(watch.name()), watch.slot(index));
        self.unearth(index);
        let found = self.changed_byte(index);
        self.bury(index);
        if let Some((at, byte)) = found {
            panic!(
                "{pool}: slot {slot} was written to while it was dead: byte {at} of {} is {byte:#04x} \
                 instead of {:#04x}. Look for a raw pointer or reference kept from before its removal",
                size_of::<T>(),
                DEAD[at % 4],
            );
        }
    }

    /// The first byte of a dead slot that is not as it was left.
    fn changed_byte(&mut self, index: usize) -> Option<(usize, u8)> {
        let spare = Self::spare_bytes();
        let bytes = self.bytes_mut(index).iter().enumerate().skip(spare.start);
        bytes
            .map(|(at, byte)| {
                // SAFETY: the storage fills, so the byte is initialised.
                (at, unsafe { byte.assume_init() })
            })
            .find(|(at, byte)| *byte != DEAD[at % 4])
    }
}
