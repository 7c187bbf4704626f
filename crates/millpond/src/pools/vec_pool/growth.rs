//! How a pool moves to more slots, and to fewer.

use core::cmp::Ordering;

use super::VecPool;
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::pools::doubling::Doubling;
use crate::pools::growing::CannotGrow;
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{Growing, Grows, Growth};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, Core};
use crate::snapshot::Checksum;
use crate::values::PoolStorage;

impl<W: Word> Doubling<W> {
    /// Moves to this many slots, at least as many as there are. On an error, nothing changes.
    pub(super) fn grow<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        storage: &mut PoolStorage<T, R, H>,
        core: &mut Core<R, H>,
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        let from = storage.words().slots();
        let (again, rest) = self.split(from, slots)?;
        storage.try_grow(Core::<R, H>::NEEDS, slots, again, core.circle().start(), touch)?;
        self.keep(rest);
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
        let slots = self.slots_with_room::<H>(storage.words().slots())?;
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
        let slots = self.0.slots_up_to::<H>(storage.words().slots(), index, is_near)?;
        self.0
            .grow(slots, storage, core, false)
            .map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }

    fn word_of(
        &self,
        index: usize,
        storage: &PoolStorage<T, R, H>,
        core: &Core<R, H>,
    ) -> Option<H::Word> {
        let (words, fresh) = (storage.words(), core.circle().start().as_dead());
        words.get(index).or_else(|| self.0.word_beyond::<H>(index, words.slots(), fresh))
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
        let slots = self.0.slots_with_room_for::<H>(storage.words().slots(), missing);
        self.0.grow(slots, storage, core, true)
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
        let kept = (0..slots).rev().find(|&index| words.is_live(index)).map_or(0, |last| last + 1);
        self.try_shrink(kept).map_or(0, |()| slots - kept)
    }

    /// Moves to this many slots, at most as many as there are; the others are dead.
    fn try_shrink(&mut self, kept: usize) -> Result<(), OutOfMemory> {
        if kept == self.capacity() {
            return Ok(());
        }
        let freed = self.storage.words().as_slice()[kept..].iter().copied();
        let former = self.growth.0.with_freed(freed, self.core.circle().start().as_dead())?;
        let block = self.storage.try_smaller(Core::<R, H>::NEEDS, kept)?;
        self.growth.0.keep(former);
        self.core.shrink(kept, &mut self.storage, |storage| {
            storage.move_to(Core::<R, H>::NEEDS, block);
        });
        Ok(())
    }
}
