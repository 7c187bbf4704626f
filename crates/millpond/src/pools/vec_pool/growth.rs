//! How a pool moves to more slots, and to fewer.

use alloc::boxed::Box;
use core::cmp::Ordering;

use super::VecPool;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{HandleLayout, Word};
use crate::pools::growing::{CannotGrow, NAMED_SLOTS};
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{Growing, Grows, Growth};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, Core, retired_among};
use crate::snapshot::Checksum;
use crate::values::PoolStorage;

/// The smallest capacity that a pool grows to, unless its limit is less.
const SLOTS_MIN: usize = 4;

/// How far a pool may grow, and what is left of slots that it had.
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

    #[inline]
    pub(super) fn slots_max<H: HandleLayout>(&self) -> usize {
        (self.slots_max as usize).min(H::CAPACITY_MAX)
    }

    pub(super) fn former(&self) -> &[W] {
        self.former.as_deref().unwrap_or_default()
    }

    pub(super) fn set_former(&mut self, words: &[W]) -> Result<(), OutOfMemory> {
        self.former = Self::boxed(words)?;
        Ok(())
    }

    #[cfg(feature = "serde")]
    pub(super) fn forget_former(&mut self) {
        self.former = None;
    }

    fn boxed(words: &[W]) -> Result<Option<Box<[W]>>, OutOfMemory> {
        if words.is_empty() {
            return Ok(None);
        }
        let mut boxed = memory::reserved(words.len())?;
        boxed.extend_from_slice(words);
        Ok(Some(boxed.into_boxed_slice()))
    }

    fn retired_beyond(&self) -> usize {
        retired_among(self.former())
    }

    /// The number of slots that a pool may have beyond this many, and that have not retired.
    pub(super) fn usable_beyond<H: HandleLayout>(&self, slots: usize) -> usize {
        self.slots_max::<H>() - slots - self.retired_beyond()
    }

    /// Moves to this many slots, at least as many as there are. On an error, nothing changes.
    pub(super) fn grow<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        let from = storage.words().slots();
        let former = self.former();
        let (again, rest) = former.split_at(former.len().min(slots - from));
        let rest = Self::boxed(rest)?;
        storage.try_grow(Core::<R, H>::NEEDS, slots, again, core.circle().start(), touch)?;
        self.former = rest;
        core.grow(from, storage);
        Ok(())
    }

    /// Grows until a slot is vacant. On an error, nothing changes.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), CannotGrow> {
        let from = storage.words().slots();
        if self.usable_beyond::<H>(from) == 0 {
            return Err(CannotGrow::AtLimit);
        }
        let is_usable = |word: &W| *word != W::RETIRED;
        // Slots that exist again may all have retired.
        let first = self.former().iter().position(is_usable).unwrap_or(self.former().len());
        let slots = self.slots_after::<H>(from).max(from + first + 1);
        self.grow(slots, storage, core, false).map_err(|OutOfMemory| CannotGrow::OutOfMemory)
    }

    /// Makes room for an insertion, and takes the slot that then comes next out of the order.
    #[cold]
    #[inline(never)]
    pub(super) fn take_beyond<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<usize, CannotGrow> {
        self.make_room(storage, core)?;
        Ok(core.take_next(storage).expect("there is room").0)
    }

    /// How many slots a pool of this many has after it has grown by itself.
    fn slots_after<H: HandleLayout>(&self, slots: usize) -> usize {
        slots.saturating_mul(2).max(SLOTS_MIN).min(self.slots_max::<H>())
    }

    #[cfg(feature = "validate")]
    pub(super) fn validate<H: HandleLayout>(
        &self,
        slots: usize,
    ) -> Result<(), crate::reports::validate::Violation> {
        let former = self.former();
        crate::reports::validate::ensure(
            slots + former.len() <= self.slots_max::<H>()
                && former.iter().all(|word| word.is_dead()),
            "the slots that existed are dead, and not more than the limit together with those that exist",
            format_args!("{slots} and {}, limit {}", former.len(), self.slots_max::<H>()),
        )
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Growth<T, R, H, OneBlock<T, R, H>>
    for Growing<Doubling<H::Word>>
{
    const TOUCHES: bool = false;

    #[inline]
    fn slots_max(&self, _: &PoolStorage<T, R, H>) -> usize {
        self.0.slots_max::<H>()
    }

    fn usable_beyond(&self, storage: &PoolStorage<T, R, H>) -> usize {
        self.0.usable_beyond::<H>(storage.words().slots())
    }

    #[inline]
    fn make_room(
        &mut self,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), CannotGrow> {
        self.0.make_room(storage, core)
    }

    #[inline(always)]
    fn take_beyond(
        &mut self,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<usize, CannotGrow> {
        self.0.take_beyond(storage, core)
    }

    #[cold]
    fn grow_up_to(
        &mut self,
        handle: H,
        check: CheckWord<H::Word>,
        is_near: bool,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        // Checked before the pool grows, so that no handle from a file allocates for nothing.
        let word = self.word_of(index, storage, core).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&core.circle(), word, handle.word())?;
        let slots = self.0.slots_after::<H>(storage.words().slots());
        if is_near && index >= NAMED_SLOTS.max(slots) {
            return Err(InsertAtErrorKind::TooFar);
        }
        self.0
            .grow(slots.max(index + 1), storage, core, false)
            .map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }

    fn word_of(
        &self,
        index: usize,
        storage: &PoolStorage<T, R, H>,
        core: &Core<R, H>,
    ) -> Option<H::Word> {
        if index >= self.0.slots_max::<H>() {
            return None;
        }
        let words = storage.words();
        let former = || self.0.former().get(index - words.slots()).copied();
        Some(words.get(index).or_else(former).unwrap_or_else(|| core.circle().start().as_dead()))
    }

    fn known(&self, storage: &PoolStorage<T, R, H>) -> usize {
        storage.words().slots() + self.0.former().len()
    }

    /// Values in slots that are no more are dropped.
    fn become_like(
        &mut self,
        storage: &mut PoolStorage<T, R, H>,
        core: &Core<R, H>,
        other: &Self,
        other_storage: &PoolStorage<T, R, H>,
    ) -> Result<(), OutOfMemory> {
        let mut former = self.0.clone();
        former.set_former(other.0.former())?;
        let (circle, slots) = (core.circle(), other_storage.words().slots());
        for index in slots..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, circle.word_after(generation));
        }
        match slots.cmp(&storage.words().slots()) {
            Ordering::Less => {
                let block = storage.try_smaller(Core::<R, H>::NEEDS, slots)?;
                storage.move_to(Core::<R, H>::NEEDS, block);
            }
            Ordering::Equal => {}
            Ordering::Greater => {
                storage.try_grow(Core::<R, H>::NEEDS, slots, &[], circle.start(), false)?;
            }
        }
        self.0 = former;
        Ok(())
    }

    fn add_to(&self, storage: &PoolStorage<T, R, H>, sum: &mut Checksum) {
        sum.add(&storage.words().slots());
    }

    #[cfg(feature = "validate")]
    fn validate(
        &self,
        storage: &PoolStorage<T, R, H>,
        _: &Core<R, H>,
    ) -> Result<(), crate::reports::validate::Violation> {
        self.0.validate::<H>(storage.words().slots())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Grows<T, R, H, OneBlock<T, R, H>>
    for Growing<Doubling<H::Word>>
{
    fn retired_beyond(&self, _: &PoolStorage<T, R, H>) -> usize {
        self.0.retired_beyond()
    }

    fn reserve(
        &mut self,
        missing: usize,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), OutOfMemory> {
        let slots = storage.words().slots();
        // As if all slots that had retired came first.
        let needed = slots + missing + self.0.retired_beyond();
        self.0.grow(self.0.slots_after::<H>(slots).max(needed), storage, core, true)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Frees the slots after the last live one, and returns how many. O(capacity), plus the cost of the global
    /// allocator: the other slots move to a smaller block. Where live slots are scattered, it frees little; with
    /// [`LowestFirst`](crate::reuse::LowestFirst), values go to the lowest slots, so that the last ones run empty.
    ///
    /// 4 bytes for each freed slot that was ever used stay allocated (2 with [`Handle32`](crate::Handle32) of 16 or
    /// more index bits), so that handles stay stale for ever, even once the slot exists again. If there is no memory
    /// for the smaller block, nothing happens.
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
        let words = &self.storage.words().as_slice()[kept..];
        let (former, fresh) = (self.growth.0.former(), self.core.circle().start().as_dead());
        let mut known = memory::reserved(words.len() + former.len())?;
        known.extend(words.iter().chain(former));
        let used = known.iter().rposition(|word| *word != fresh).map_or(0, |last| last + 1);
        let block = self.storage.try_smaller(Core::<R, H>::NEEDS, kept)?;
        self.growth.0.set_former(&known[..used])?;
        self.core.shrink(kept, &mut self.storage, |storage| {
            storage.move_to(Core::<R, H>::NEEDS, block);
        });
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
        assert!(growing.validate::<Handle<()>>(2).is_ok());
        assert!(growing.validate::<Handle<()>>(3).is_err());
        growing.set_former(&[dead, 1]).unwrap();
        assert!(growing.validate::<Handle<()>>(1).is_err());
    }
}
