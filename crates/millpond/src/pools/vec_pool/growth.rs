//! How a pool moves to more slots, and to fewer.

use alloc::boxed::Box;
use core::cmp::Ordering;

use super::VecPool;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{HandleLayout, Word};
use crate::pools::growing::{CannotGrow, NAMED_SLOTS, ReserveError};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, Core, retired_among};
use crate::values::PoolStorage;

/// The smallest capacity that a pool grows to, unless its limit is less.
const SLOTS_MIN: usize = 4;

/// How far a pool may grow, and what is left of slots that it had.
#[derive(Clone, Debug)]
pub(super) struct Growing<W> {
    /// At most this many slots, if the handle layout can name them.
    slots_max: u32,
    /// The words of slots that existed: those after the last one that exists.
    former: Option<Box<[W]>>,
}

impl<W: Word> Growing<W> {
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

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Makes sure that `additional` more values can be inserted without growth, so that
    /// growth happens before play and not during it. Every page of the block is touched.
    /// O(capacity). Like a `Vec`, the pool at least doubles when it grows, up to its limit.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::<[f32; 4]>::new();
    /// pool.reserve(3000)?;
    /// for _ in 0..3000 {
    ///     pool.push([0.0; 4]); // takes no memory
    /// }
    /// assert_eq!(pool.capacity(), 3000);
    /// # Ok::<(), millpond::vec_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the slots would exceed the pool's limit, or memory runs out. The pool is then as before.
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let (slots, vacant) = (self.capacity(), self.storage.words().vacant());
        let missing = additional.saturating_sub(vacant);
        if missing == 0 {
            return Ok(());
        }
        let Self { storage, core, growing } = self;
        let grown = match missing <= growing.usable_beyond::<H>(slots) {
            true => {
                // As if all slots that had retired came first.
                let needed = slots + missing + growing.retired_beyond();
                let slots = growing.slots_after::<H>(slots).max(needed);
                growing.grow(slots, storage, core, true).map_err(|OutOfMemory| true)
            }
            false => Err(false),
        };
        grown.map_err(|out_of_memory| ReserveError {
            name: self.name(),
            additional,
            live: self.len(),
            retired: self.storage.words().retired() + self.growing.retired_beyond(),
            capacity_max: self.capacity_max(),
            out_of_memory,
        })
    }

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
        let words = &self.storage.words().as_slice()[kept..];
        let (former, fresh) = (self.growing.former(), self.core.circle().start().as_dead());
        let mut known = memory::reserved(words.len() + former.len())?;
        known.extend(words.iter().chain(former));
        let used = known.iter().rposition(|word| *word != fresh).map_or(0, |last| last + 1);
        let block = self.storage.try_smaller(Core::<R, H>::NEEDS, kept)?;
        self.growing.set_former(&known[..used])?;
        self.core.shrink(kept, &mut self.storage, |storage| {
            storage.move_to(Core::<R, H>::NEEDS, block);
        });
        Ok(())
    }

    /// Makes the slots as many as another pool's, whose state this one is about to take on. Values in slots that are no
    /// more are dropped; the order is then out of date.
    pub(super) fn resize_like(&mut self, other: &Self) -> Result<(), OutOfMemory> {
        let Self { storage, core, growing } = self;
        let mut former = growing.clone();
        former.set_former(other.growing.former())?;
        let circle = core.circle();
        for index in other.capacity()..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, circle.word_after(generation));
        }
        let slots = other.capacity();
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
        *growing = former;
        Ok(())
    }

    /// The word of slot `index`, which exists, existed, or may exist.
    pub(super) fn word_of(&self, index: usize) -> H::Word {
        let words = self.storage.words();
        let former = || self.growing.former().get(index - words.slots()).copied();
        let fresh = || self.core.circle().start().as_dead();
        words.get(index).or_else(former).unwrap_or_else(fresh)
    }

    /// Grows until the handle's slot exists and can begin the handle's lifetime; on an error, the
    /// pool is unchanged.
    #[cold]
    pub(super) fn grow_up_to(
        &mut self,
        handle: H,
        check: CheckWord<H::Word>,
        is_near: bool,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        if index >= self.capacity_max() {
            return Err(InsertAtErrorKind::OutOfRange);
        }
        // Checked before the pool grows, so that no handle from a file allocates for nothing.
        check(&self.core.circle(), self.word_of(index), handle.word())?;
        let far = NAMED_SLOTS.max(self.growing.slots_after::<H>(self.capacity()));
        if is_near && index >= far {
            return Err(InsertAtErrorKind::TooFar);
        }
        let Self { storage, core, growing } = self;
        let slots = growing.slots_after::<H>(storage.words().slots()).max(index + 1);
        growing
            .grow(slots, storage, core, false)
            .map_err(|OutOfMemory| InsertAtErrorKind::OutOfMemory)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Handle;

    #[test]
    fn slots_that_were_freed_are_dead_and_within_the_limit() {
        let dead = u32::ZERO.as_dead();
        let mut growing = Growing::<u32>::up_to(3);
        growing.set_former(&[dead]).unwrap();
        assert!(growing.validate::<Handle<()>>(2).is_ok());
        assert!(growing.validate::<Handle<()>>(3).is_err());
        growing.set_former(&[dead, 1]).unwrap();
        assert!(growing.validate::<Handle<()>>(1).is_err());
    }
}
