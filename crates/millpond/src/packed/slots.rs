use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

use crate::handle::{IndexWord, Word};

/// The generation of the slot's live value, or of the next one, or the mark of a retired slot; and where the
/// slot stands in the order. Both in one place, as whoever compares the generation goes on to the position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<W, I> {
    pub(super) word: W,
    pub(super) position: I,
}

impl<W: Word, I: IndexWord> Slot<W, I> {
    /// The word, marked as dead if the position is not that of one of so many live slots.
    pub(super) fn state(&self, live: usize) -> W {
        if self.position.to_index() < live { self.word } else { self.word.as_dead() }
    }
}

/// The slots of a packed pool, and what watches over them. Apart from the handles and the values, whose types
/// may name what does not live longer than the pool: with debug aids this has code to run when it is dropped.
#[derive(Clone, Debug)]
pub(super) struct Slots<W: Word, I: IndexWord> {
    slots: Box<[Slot<W, I>]>,
    #[cfg(feature = "debug-aids")]
    pub(super) watch: Option<Box<crate::debug::Watch>>,
    /// How many are live, for the time when the values cannot be asked any more.
    #[cfg(feature = "debug-aids")]
    live: usize,
}

impl<W: Word, I: IndexWord> Slots<W, I> {
    /// Not watched.
    pub(super) fn new(slots: Box<[Slot<W, I>]>) -> Self {
        Self {
            slots,
            #[cfg(feature = "debug-aids")]
            watch: None,
            #[cfg(feature = "debug-aids")]
            live: 0,
        }
    }

    /// So many slots are live from now on.
    #[inline(always)]
    pub(super) fn note_live(&mut self, live: usize) {
        #[cfg(feature = "debug-aids")]
        {
            self.live = live;
        }
        #[cfg(not(feature = "debug-aids"))]
        let _ = live;
    }
}

impl<W: Word, I: IndexWord> Deref for Slots<W, I> {
    type Target = [Slot<W, I>];

    #[inline]
    fn deref(&self) -> &[Slot<W, I>] {
        &self.slots
    }
}

impl<W: Word, I: IndexWord> DerefMut for Slots<W, I> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Slot<W, I>] {
        &mut self.slots
    }
}

/// Says which values are still live, if the aids are to.
#[cfg(feature = "debug-aids")]
impl<W: Word, I: IndexWord> Drop for Slots<W, I> {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            let live = |index: &usize| self.slots[*index].position.to_index() < self.live;
            watch.report_drop((0..self.slots.len()).filter(live));
        }
    }
}
