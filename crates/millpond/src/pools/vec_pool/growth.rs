//! How a pool moves to more slots, and to fewer.

#![allow(private_interfaces, reason = "nobody outside can name them")]

use core::cmp::Ordering;

use super::VecPool;
use crate::base::guard::{defuse, guard, half_way};
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::pools::doubling::Doubling;
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{CannotGrow, Growth, SlotGrowth, SlotsOf, Slotted};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, LedgerOf};

/// The storage of a pool that grows, whose handles are of this erased layout.
type Grown<T, R, L> = Slotted<T, R, L, OneBlock<R, L>>;

/// Its slots.
type GrownSlots<R, L> = SlotsOf<R, L, OneBlock<R, L>>;

impl<W: Word> Doubling<W> {
    /// Moves to this many slots, at least as many as there are. On an error, nothing changes.
    #[inline(never)]
    pub(super) fn grow<R: ReuseOrder, L: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        own: &mut GrownSlots<R, L>,
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        let from = own.words().slots();
        own.try_grow(slots, touch)?;
        self.tell_grown::<R, L>(from, own);
        Ok(())
    }

    /// Moves to as many slots as a full pool gets by itself.
    #[inline(always)]
    fn grow_by_itself<R: ReuseOrder, L: HandleLayout<Word = W>>(
        &mut self,
        own: &mut GrownSlots<R, L>,
    ) -> Result<(), CannotGrow> {
        let (from, value_bytes) = (own.words().slots(), own.words().place().value_bytes());
        let slots = self.slots_with_room::<L>(from, value_bytes)?;
        match own.grow_small(slots) {
            true => self.tell_grown::<R, L>(from, own),
            false => self.grow(slots, own, false).map_err(|OutOfMemory| CannotGrow::OutOfMemory)?,
        }
        Ok(())
    }

    /// There are new slots, from this one on.
    #[inline(always)]
    fn tell_grown<R: ReuseOrder, L: HandleLayout<Word = W>>(
        &mut self,
        from: usize,
        own: &mut GrownSlots<R, L>,
    ) {
        if !self.former().is_empty() {
            self.bring_back::<R, L>(from, own);
        }
        own.tell_grown(from);
    }

    /// There are new slots, from this one on, the first of which existed before.
    #[cold]
    #[inline(never)]
    fn bring_back<R: ReuseOrder, L: HandleLayout<Word = W>>(
        &mut self,
        from: usize,
        own: &mut GrownSlots<R, L>,
    ) {
        let again = self.again(own.words().slots() - from);
        own.bring_back(from, again);
        self.note_again(again.len());
    }
}

impl<R: ReuseOrder, L: HandleLayout> SlotGrowth<R, L, OneBlock<R, L>> for Doubling<L::Word> {
    const GROWS: bool = true;

    #[inline]
    fn slots_max(&self, _: &GrownSlots<R, L>) -> usize {
        self.limit::<L>()
    }

    fn usable_beyond(&self, own: &GrownSlots<R, L>) -> usize {
        self.room_beyond::<L>(own.words().slots())
    }

    fn retired_beyond(&self) -> usize {
        self.retired_beyond()
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, own: &mut GrownSlots<R, L>) -> Result<(), CannotGrow> {
        self.grow_by_itself::<R, L>(own)
    }

    #[cold]
    #[inline(never)]
    fn add_slot(&mut self, own: &mut GrownSlots<R, L>) -> Result<usize, CannotGrow> {
        self.grow_by_itself::<R, L>(own)?;
        Ok(own.next_and_note().expect("there is room"))
    }

    #[cold]
    fn grow_up_to(
        &mut self,
        handle: L,
        check: CheckWord<L>,
        is_near: bool,
        own: &mut GrownSlots<R, L>,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        // Checked before the pool grows, so that no handle from a file allocates for nothing.
        let word = self.word_of(index, own).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&own.ledger().cycle(), word, handle.word())?;
        let (from, value_bytes) = (own.words().slots(), own.words().place().value_bytes());
        let slots = self.slots_up_to::<L>(from, index, value_bytes, is_near)?;
        self.grow(slots, own, false).map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }

    fn word_of(&self, index: usize, own: &GrownSlots<R, L>) -> Option<L::Word> {
        let words = own.words();
        let beyond = || self.word_beyond::<L>(index, words.slots(), words.unused_word());
        words.get(index).or_else(beyond)
    }

    fn known(&self, own: &GrownSlots<R, L>) -> usize {
        own.words().slots() + self.former().len()
    }

    fn make_slots(&mut self, number: usize, own: &mut GrownSlots<R, L>) -> Result<(), OutOfMemory> {
        match number > own.words().slots() {
            true => self.grow(number, own, false),
            false => Ok(()),
        }
    }

    fn set_former(&mut self, words: &[L::Word]) -> Result<(), OutOfMemory> {
        self.set_former(words)
    }

    fn validate(&self, own: &GrownSlots<R, L>) -> Result<(), crate::reports::validate::Violation> {
        self.check::<L>(own.words().slots())
    }
}

impl<T, R: ReuseOrder, L: HandleLayout> Growth<T, R, L, OneBlock<R, L>> for Doubling<L::Word> {
    const KIND: &'static str = "VecPool";

    #[cfg(feature = "serde")]
    fn unused(
        state: &crate::slots::saved::Checked<L::Word>,
    ) -> Result<(Grown<T, R, L>, Self), crate::snapshot::format::Refused> {
        let ledger = LedgerOf::<R, L>::fresh(&GenerationSettings::PLAIN);
        Ok((Grown::empty(state.cycle.start(), ledger), Self::up_to(state.slots_max)))
    }

    /// Values in slots that are no more are dropped.
    fn become_like(
        &mut self,
        storage: &mut Grown<T, R, L>,
        other: &Self,
        other_storage: &Grown<T, R, L>,
    ) -> Result<(), OutOfMemory> {
        let former = other.try_copy_former()?;
        let (cycle, slots) = (storage.slots().ledger().cycle(), other_storage.words().slots());
        for index in slots..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, cycle.word_after(generation));
        }
        match slots.cmp(&storage.words().slots()) {
            Ordering::Less => {
                let block = storage.try_smaller(slots)?;
                storage.move_to(block);
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                let from = storage.words().slots();
                storage.try_grow(slots, false)?;
                // With their words, so that none begins anew if a copy of a value panics.
                storage.slots_mut().bring_back(from, self.again(slots - from));
            }
        }
        self.keep(former);
        Ok(())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Frees the slots after the last live one, and returns how many. O(capacity), plus the cost of the global
    /// allocator: the other slots move to a smaller block. Where live slots are scattered, it frees little; with
    /// [`LowestFirst`](crate::reuse::LowestFirst), values go to the lowest slots, so that the last ones run empty. Slots of
    /// [detached](Self::detach) objects stay, as do those before them.
    ///
    /// 4 bytes for each freed slot that was ever used stay allocated (2 with [`Handle32`](crate::Handle32) of 16 or
    /// more index bits) until all of them exist again, so that its old handles stay stale then. They come back in the order
    /// of their indices, behind all others, also with [`Fifo`](crate::reuse::Fifo). If there is no memory for
    /// the smaller block, nothing happens.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::new();
    /// let handles: Vec<_> = (0..200).map(|i| pool.push(i)).collect();
    /// assert_eq!(pool.capacity(), 256);
    /// for handle in &handles[10..] {
    ///     pool.remove(*handle);
    /// }
    /// assert_eq!(pool.shrink_to_fit(), 246);
    /// assert_eq!(pool.capacity(), 10);
    ///
    /// pool.reserve(200).unwrap();
    /// assert!(!pool.contains(handles[199]));
    /// ```
    pub fn shrink_to_fit(&mut self) -> usize {
        let slots = self.capacity();
        let words = self.storage.words();
        let is_kept =
            |index: &usize| words.is_live(*index) || self.detached.has_slot(*index as u32);
        let kept = (0..slots).rev().find(is_kept).map_or(0, |last| last + 1);
        self.try_shrink(kept).map_or(0, |()| slots - kept)
    }

    /// Moves to this many slots, at most as many as there are; the others are dead.
    fn try_shrink(&mut self, kept: usize) -> Result<(), OutOfMemory> {
        if kept == self.capacity() {
            return Ok(());
        }
        let words = self.storage.words();
        let (slots, unused) = (words.slots(), words.unused_word());
        let freed = (kept..slots).map(|index| words.get(index).unwrap_or(unused));
        let former = self.growth.with_freed(freed, unused)?;
        let block = self.storage.try_smaller(kept)?;
        // Half-way, the order is that of fewer slots than there are.
        let mut pool = guard(self, |pool| pool.storage.slots_mut().reset_order_untold());
        pool.storage.slots_mut().shrink(kept);
        half_way();
        pool.storage.move_to(block);
        pool.growth.keep(former);
        half_way();
        pool.storage.slots_mut().note_shrunk();
        defuse(pool);
        Ok(())
    }
}

#[cfg(all(test, feature = "serde", feature = "validate"))]
mod tests {
    use crate::{Handle, VecPool};

    #[test]
    fn slots_that_were_used_and_are_no_more_count_before_the_order_is_loaded() {
        let mut pool = VecPool::new();
        pool.push(0);
        pool.push(1);
        let far = pool.insert_at(Handle::from_parts(9, 1).unwrap(), 9).unwrap();
        pool.remove(far);
        pool.insert_at(Handle::from_parts(2, 1).unwrap(), 2).unwrap();
        assert_eq!((pool.shrink_to_fit(), pool.capacity(), pool.stats().peak), (7, 3, 3));
        let saved = serde_json::to_string(&pool).unwrap();
        let mut loaded: VecPool<i32> = serde_json::from_str(&saved).unwrap();
        loaded.validate().unwrap();
        for value in 3..20 {
            assert_eq!(loaded.push(value), pool.push(value));
            loaded.validate().unwrap();
        }
    }
}
