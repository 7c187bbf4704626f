//! How a pool moves to more slots, and to fewer.

use alloc::boxed::Box;
use core::cmp::Ordering;

use super::VecPool;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{HandleLayout, Word};
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{CannotGrow, Growth};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, Core, retired_among};
use crate::snapshot::Checksum;
use crate::values::PoolStorage;

/// The smallest capacity that a pool grows to, unless its limit is less.
const SLOTS_MIN: usize = 4;
/// Up to this many slots a pool grows for a named slot, whatever it has.
const NAMED_SLOTS: usize = 4096;

/// A pool that doubles its slots: how far it may, and what is left of slots that it had.
#[derive(Clone, Debug)]
pub struct Doubling<W = u32> {
    /// At most this many slots, if the handle layout can name them.
    slots_max: u32,
    /// The words of slots that existed: those after the last one that exists.
    former: Option<Box<[W]>>,
}

impl<W: Word> Doubling<W> {
    pub(super) const fn up_to(slots_max: usize) -> Self {
        // No layout names more.
        let slots_max = if slots_max > u32::MAX as usize { u32::MAX } else { slots_max as u32 };
        Self { slots_max, former: None }
    }

    /// The largest number of slots.
    #[inline]
    pub(super) fn limit<H: HandleLayout>(&self) -> usize {
        (self.slots_max as usize).min(H::CAPACITY_MAX)
    }

    pub(super) fn former(&self) -> &[W] {
        self.former.as_deref().unwrap_or_default()
    }

    pub(super) fn set_former(&mut self, words: &[W]) -> Result<(), OutOfMemory> {
        self.former = Self::boxed(words)?;
        Ok(())
    }

    fn boxed(words: &[W]) -> Result<Option<Box<[W]>>, OutOfMemory> {
        if words.is_empty() {
            return Ok(None);
        }
        let mut boxed = memory::reserved(words.len())?;
        boxed.extend_from_slice(words);
        Ok(Some(boxed.into_boxed_slice()))
    }

    /// Retired slots among those that existed.
    pub(super) fn retired_beyond(&self) -> usize {
        retired_among(self.former())
    }

    /// The number of slots that a pool may have beyond this many, and that have not retired.
    pub(super) fn room_beyond<H: HandleLayout>(&self, slots: usize) -> usize {
        self.limit::<H>() - slots - self.retired_beyond()
    }

    /// Moves to this many slots, at least as many as there are. On an error, nothing changes.
    pub(super) fn grow<T, R: ReuseOrder, L: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        storage: &mut PoolStorage<T, R, L>,
        core: &mut Core<R, L>,
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        let from = storage.words().slots();
        let former = self.former();
        let (again, rest) = former.split_at(former.len().min(slots - from));
        let rest = Self::boxed(rest)?;
        storage.try_grow(Core::<R, L>::NEEDS, slots, again, touch)?;
        self.former = rest;
        core.grow(from, storage.slots_mut());
        Ok(())
    }

    /// How many slots a pool of this many has after it has grown by itself.
    pub(super) fn slots_after<L: HandleLayout>(&self, slots: usize) -> usize {
        slots.saturating_mul(2).max(SLOTS_MIN).min(self.limit::<L>())
    }

    #[cfg(feature = "validate")]
    fn check<L: HandleLayout>(
        &self,
        slots: usize,
    ) -> Result<(), crate::reports::validate::Violation> {
        let former = self.former();
        crate::reports::validate::ensure(
            slots + former.len() <= self.limit::<L>() && former.iter().all(|word| word.is_dead()),
            "the slots that existed are dead, and not more than the limit together with those that exist",
            format_args!("{slots} and {}, limit {}", former.len(), self.limit::<L>()),
        )
    }
}

impl<T, R: ReuseOrder, L: HandleLayout> Growth<T, R, L, OneBlock<R, L>> for Doubling<L::Word> {
    const TOUCHES: bool = false;

    #[inline]
    fn slots_max(&self, _: &PoolStorage<T, R, L>) -> usize {
        self.limit::<L>()
    }

    fn usable_beyond(&self, storage: &PoolStorage<T, R, L>) -> usize {
        self.room_beyond::<L>(storage.words().slots())
    }

    #[cold]
    #[inline(never)]
    fn make_room(
        &mut self,
        storage: &mut PoolStorage<T, R, L>,
        core: &mut Core<R, L>,
    ) -> Result<(), CannotGrow> {
        let from = storage.words().slots();
        if self.room_beyond::<L>(from) == 0 {
            return Err(CannotGrow::AtLimit);
        }
        let is_usable = |word: &L::Word| *word != L::Word::RETIRED;
        // Slots that exist again may all have retired.
        let first = self.former().iter().position(is_usable).unwrap_or(self.former().len());
        let slots = self.slots_after::<L>(from).max(from + first + 1);
        self.grow(slots, storage, core, false).map_err(|OutOfMemory| CannotGrow::OutOfMemory)
    }

    #[cold]
    #[inline(never)]
    fn take_beyond(
        &mut self,
        storage: &mut PoolStorage<T, R, L>,
        core: &mut Core<R, L>,
    ) -> Result<usize, CannotGrow> {
        self.make_room(storage, core)?;
        Ok(core.take_next(storage.slots_mut()).expect("there is room").0)
    }

    #[cold]
    fn grow_up_to(
        &mut self,
        handle: L,
        check: CheckWord<L::Word>,
        is_near: bool,
        storage: &mut PoolStorage<T, R, L>,
        core: &mut Core<R, L>,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        // Checked before the pool grows, so that no handle from a file allocates for nothing.
        let word = self.word_of(index, storage, core).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&core.circle(), word, handle.word())?;
        let slots = self.slots_after::<L>(storage.words().slots());
        if is_near && index >= NAMED_SLOTS.max(slots) {
            return Err(InsertAtErrorKind::TooFar);
        }
        self.grow(slots.max(index + 1), storage, core, false)
            .map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }

    fn word_of(
        &self,
        index: usize,
        storage: &PoolStorage<T, R, L>,
        _: &Core<R, L>,
    ) -> Option<L::Word> {
        if index >= self.limit::<L>() {
            return None;
        }
        let words = storage.words();
        let former = || self.former().get(index - words.slots()).copied();
        Some(words.get(index).or_else(former).unwrap_or_else(|| words.unused_word()))
    }

    fn known(&self, storage: &PoolStorage<T, R, L>) -> usize {
        storage.words().slots() + self.former().len()
    }

    /// Values in slots that are no more are dropped.
    fn become_like(
        &mut self,
        storage: &mut PoolStorage<T, R, L>,
        core: &Core<R, L>,
        other: &Self,
        other_storage: &PoolStorage<T, R, L>,
    ) -> Result<(), OutOfMemory> {
        let mut former = self.clone();
        former.set_former(other.former())?;
        let (circle, slots) = (core.circle(), other_storage.words().slots());
        for index in slots..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, circle.word_after(generation));
        }
        match slots.cmp(&storage.words().slots()) {
            Ordering::Less => {
                let block = storage.try_smaller(Core::<R, L>::NEEDS, slots)?;
                storage.move_to(Core::<R, L>::NEEDS, block);
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                storage.try_grow(Core::<R, L>::NEEDS, slots, &[], false)?;
            }
        }
        *self = former;
        Ok(())
    }

    #[cfg(feature = "serde")]
    fn make_slots(
        &mut self,
        slots: usize,
        storage: &mut PoolStorage<T, R, L>,
        core: &mut Core<R, L>,
    ) -> Result<(), OutOfMemory> {
        match slots > storage.words().slots() {
            true => self.grow(slots, storage, core, false),
            false => Ok(()),
        }
    }

    #[cfg(feature = "serde")]
    fn forget_former(&mut self) {
        self.former = None;
    }

    fn add_to(&self, storage: &PoolStorage<T, R, L>, sum: &mut Checksum) {
        sum.add(&storage.words().slots());
    }

    #[cfg(feature = "validate")]
    fn validate(
        &self,
        storage: &PoolStorage<T, R, L>,
        _: &Core<R, L>,
    ) -> Result<(), crate::reports::validate::Violation> {
        self.check::<L>(storage.words().slots())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Frees the slots after the last live one, and returns how many. O(capacity), plus the cost of the global
    /// allocator: the other slots move to a smaller block. Where live slots are scattered, it frees little; with
    /// [`LowestFirst`](crate::reuse::LowestFirst), values go to the lowest slots, so that the last ones run empty.
    ///
    /// 4 bytes for each freed slot that was ever used stay allocated (2 with [`Handle32`](crate::Handle32) of 16 or
    /// more index bits), so that its old handles stay stale when the slot exists again. If there is no memory for the
    /// smaller block, nothing happens.
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
        let (words, former) = (self.storage.words(), self.growth.former());
        let unused = words.unused_word();
        let mut known = memory::reserved(words.slots() - kept + former.len())?;
        known.extend((kept..words.slots()).filter_map(|index| words.get(index)));
        known.extend_from_slice(former);
        let used = known.iter().rposition(|word| *word != unused).map_or(0, |last| last + 1);
        let block = self.storage.try_smaller(Core::<R, H::Erased>::NEEDS, kept)?;
        self.growth.set_former(&known[..used])?;
        self.core.shrink(kept, self.storage.slots_mut());
        self.storage.move_to(Core::<R, H::Erased>::NEEDS, block);
        self.core.note_shrunk(self.storage.slots_mut());
        Ok(())
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Handle;

    #[test]
    fn slots_that_were_freed_are_dead_and_within_the_limit() {
        let dead = u32::ZERO.as_dead();
        let mut growing = Doubling::<u32>::up_to(3);
        growing.set_former(&[dead]).unwrap();
        assert!(growing.check::<Handle<()>>(2).is_ok());
        assert!(growing.check::<Handle<()>>(3).is_err());
        growing.set_former(&[dead, 1]).unwrap();
        assert!(growing.check::<Handle<()>>(1).is_err());
    }
}
