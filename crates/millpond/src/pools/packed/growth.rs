//! Whether a packed pool gets more slots, and how.

use super::PackedSlotPool;
use super::roster::PackedRoster;
use crate::base::guard::{defuse, guard, half_way};
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::pools::doubling::{Doubling, Former};
use crate::pools::slot_pool::{CannotGrow, Fixed};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::CheckWord;
use crate::values::packed::PackedValues;

/// Whether a packed pool gets more slots; by default, it does not. Sealed.
#[doc(hidden)]
pub trait PackedGrowth<W>: Clone {
    /// What the saved form calls the pool.
    const KIND: &'static str;

    /// Whether it gets more slots.
    const GROWS: bool = false;

    /// Up to this many slots.
    fn with_limit(slots_max: usize) -> Self;

    /// How, if it does.
    #[inline(always)]
    fn doubling(&self) -> Option<&Doubling<W>> {
        None
    }

    #[inline(always)]
    fn doubling_mut(&mut self) -> Option<&mut Doubling<W>> {
        None
    }

    // What grows is here and does not ask `doubling_mut`, so that pools that do not grow have no code for it.

    /// Grows until a slot is vacant. On an error, nothing changes.
    #[inline(always)]
    fn make_room<T, L: HandleLayout<Word = W>>(
        &mut self,
        _roster: &mut PackedRoster<L>,
        _values: &mut PackedValues<T>,
    ) -> Result<(), CannotGrow> {
        Err(CannotGrow::AtLimit)
    }

    /// Makes sure that the handle's slot, which there is not, exists and can begin the handle's lifetime by `check`;
    /// `is_near`: unless it is far beyond the others. On an error, nothing changes.
    fn grow_up_to<T, L: HandleLayout<Word = W>>(
        &mut self,
        _handle: L,
        _check: CheckWord<L>,
        _is_near: bool,
        _roster: &mut PackedRoster<L>,
        _values: &mut PackedValues<T>,
    ) -> Result<(), InsertAtErrorKind> {
        Err(InsertAtErrorKind::OutOfRange)
    }
}

impl<W> PackedGrowth<W> for Fixed {
    const KIND: &'static str = "PackedPool";

    fn with_limit(_: usize) -> Self {
        Self
    }
}

impl<W: Word> PackedGrowth<W> for Doubling<W> {
    const KIND: &'static str = "PackedVecPool";
    const GROWS: bool = true;

    fn with_limit(slots_max: usize) -> Self {
        Self::up_to(slots_max)
    }

    #[inline(always)]
    fn doubling(&self) -> Option<&Doubling<W>> {
        Some(self)
    }

    #[inline(always)]
    fn doubling_mut(&mut self) -> Option<&mut Doubling<W>> {
        Some(self)
    }

    #[cold]
    #[inline(never)]
    fn make_room<T, L: HandleLayout<Word = W>>(
        &mut self,
        roster: &mut PackedRoster<L>,
        values: &mut PackedValues<T>,
    ) -> Result<(), CannotGrow> {
        let slots = self.slots_with_room::<L>(roster.handles().len(), size_of::<T>())?;
        grow(self, roster, values, slots, false).map_err(|OutOfMemory| CannotGrow::OutOfMemory)
    }

    #[cold]
    fn grow_up_to<T, L: HandleLayout<Word = W>>(
        &mut self,
        handle: L,
        check: CheckWord<L>,
        is_near: bool,
        roster: &mut PackedRoster<L>,
        values: &mut PackedValues<T>,
    ) -> Result<(), InsertAtErrorKind> {
        let (index, slots) = (handle.index() as usize, roster.handles().len());
        // Checked before the pool grows, so that no handle from a file allocates for nothing.
        let word = self.word_beyond::<L>(index, slots, roster.unused_word());
        check(&roster.cycle(), word.ok_or(InsertAtErrorKind::OutOfRange)?, handle.word())?;
        let slots = self.slots_up_to::<L>(slots, index, size_of::<T>(), is_near)?;
        grow(self, roster, values, slots, false)
            .map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }
}

/// Grows to this many slots, at least as many as there are. On an error, nothing changes; what memory was found is kept
/// for the next time. `touch`: touch every page.
pub(super) fn grow<T, L: HandleLayout>(
    doubling: &mut Doubling<L::Word>,
    roster: &mut PackedRoster<L>,
    values: &mut PackedValues<T>,
    slots: usize,
    touch: bool,
) -> Result<(), OutOfMemory> {
    roster.try_reserve(slots)?;
    values.try_grow(slots, touch)?;
    let from = roster.handles().len();
    let again = doubling.again(slots - from).len();
    // The slots that exist again are in one of two lists, if the roster's growth does not end.
    let mut both = guard((roster, doubling), |(roster, doubling)| {
        if roster.handles().len() > from {
            doubling.note_again(again);
        }
    });
    let (roster, doubling) = &mut *both;
    roster.grow(slots, doubling.again(slots - from));
    doubling.note_again(again);
    defuse(both);
    Ok(())
}

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// The largest number of slots.
    #[inline]
    pub(super) fn slots_max(&self) -> usize {
        self.growth.doubling().map_or(self.capacity(), Doubling::limit::<H::Erased>)
    }

    /// The number of slots that there may be but are not now, and that have not retired.
    #[inline]
    pub(super) fn usable_beyond(&self) -> usize {
        let slots = self.capacity();
        self.growth.doubling().map_or(0, |doubling| doubling.room_beyond::<H::Erased>(slots))
    }

    /// The words of slots that existed: those after the last one that exists.
    pub(super) fn former(&self) -> &[H::Word] {
        self.growth.doubling().map_or(&[], Doubling::former)
    }

    /// The word of a slot that exists, existed or may exist.
    pub(super) fn word_of(&self, index: usize) -> Option<H::Word> {
        let beyond = || {
            let unused = self.roster.unused_word();
            self.growth.doubling()?.word_beyond::<H::Erased>(index, self.capacity(), unused)
        };
        self.roster.slots().word(index).or_else(beyond)
    }

    /// Grows until a slot is vacant. On an error, nothing changes.
    #[inline(always)]
    pub(super) fn make_room(&mut self) -> Result<(), CannotGrow> {
        let Self { roster, values, growth } = self;
        growth.make_room(roster, values)
    }

    /// Makes room for an insertion, and begins the lifetime that then comes next.
    #[inline(always)]
    pub(super) fn acquire_beyond(&mut self) -> Result<H::Erased, CannotGrow> {
        self.make_room()?;
        Ok(self.roster.acquire(self.values.len()).expect("there is room"))
    }

    /// Makes sure that there are this many slots, which the limit allows: more than there are only in a pool that grows. On an
    /// error, nothing changes.
    pub(super) fn make_slots(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        let Self { roster, values, growth } = self;
        match growth.doubling_mut() {
            Some(doubling) if slots > roster.handles().len() => {
                grow(doubling, roster, values, slots, false)
            }
            _ => Ok(()),
        }
    }

    /// Knows the words of slots that existed and exist no more.
    pub(super) fn set_former(&mut self, words: &[H::Word]) -> Result<(), OutOfMemory> {
        self.growth.doubling_mut().map_or(Ok(()), |doubling| doubling.set_former(words))
    }

    /// Takes on the state of `other`, after `replace` has put copies of its values in place of the pool's own. If that
    /// panics, the pool must be emptied.
    pub(super) fn become_like(
        &mut self,
        other: &Self,
        replace: impl FnOnce(&mut PackedValues<T>, &PackedValues<T>),
    ) -> Result<(), OutOfMemory> {
        let (slots, from) = (other.capacity(), self.capacity());
        let arrays = match slots == from {
            true => None,
            false => Some(other.roster.try_copy_arrays()?),
        };
        let former = self.former_like(other)?;
        if slots > from {
            self.roster.slots_mut().try_watch(slots)?;
            self.values.try_grow(slots, false)?;
        }
        half_way();
        replace(&mut self.values, &other.values);
        half_way();
        // Half-way, the slots are the other pool's, and their order is not.
        let mut roster = guard(&mut self.roster, |roster| roster.renew());
        roster.copy_state_from(&other.roster, arrays);
        defuse(roster);
        if let Some(doubling) = self.growth.doubling_mut() {
            doubling.keep(former);
        }
        if slots < from {
            // Without memory for that, the values keep the room that they have.
            let _ = self.values.try_shrink(slots);
        }
        Ok(())
    }

    /// What is left of the slots that `other` had.
    fn former_like(&self, other: &Self) -> Result<Former<H::Word>, OutOfMemory> {
        other.growth.doubling().map_or(Ok(None), Doubling::try_copy_former)
    }

    /// Checks what the pool knows of slots that are not there.
    pub(super) fn validate_growth(&self) -> Result<(), crate::reports::validate::Violation> {
        self.growth
            .doubling()
            .map_or(Ok(()), |doubling| doubling.check::<H::Erased>(self.capacity()))
    }
}
