//! How far a pool grows that doubles, and what is left of the slots that it had.

mod methods;
mod reserve;

pub(crate) use methods::growing_pool;
pub use reserve::ReserveError;
pub(crate) use reserve::no_room;

use alloc::boxed::Box;
use core::ops::Range;

use crate::base::memory::{self, OutOfMemory};
use crate::handle::{self, HandleLayout, Word};
use crate::pools::builder::Builder;
use crate::pools::slot_pool::CannotGrow;
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::retired_among;

/// The smallest capacity that a pool with a slot grows to, unless its limit is less.
const SLOTS_MIN: usize = 4;
/// The values of the first slots of a pool take no more than this, unless one takes more: thousands of pools may have one value
/// each.
const FIRST_BYTES: usize = 64;
/// Up to this many slots a pool grows for a named slot, whatever it has.
const NAMED_SLOTS: usize = 4096;

/// A pool that doubles its slots: how far it may, and what is left of slots that it had, which few pools have.
#[derive(Debug)]
pub struct Doubling<W = u32> {
    /// At most this many slots, if the handle layout can name them.
    slots_max: u32,
    former: Former<W>,
}

/// Panics without memory, where a box would abort.
impl<W: Word> Clone for Doubling<W> {
    fn clone(&self) -> Self {
        let Ok(former) = self.try_copy_former() else {
            panic!("no memory for the generations of {} slots that were freed", self.former().len())
        };
        Self { slots_max: self.slots_max, former }
    }
}

/// The kind of a [`VecPool`](crate::VecPool) or a [`PackedVecPool`](crate::PackedVecPool).
#[derive(Clone, Copy, Debug)]
pub struct Growing;

impl<T, R, H> Builder<T, Growing, R, H> {
    /// Limits the number of slots: an insertion that would need one more is refused. By default, the limit is what the
    /// handle layout can name.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::builder().capacity_max(10).name("ships").build();
    /// assert!((0..10).all(|i| pool.insert(i).is_ok()));
    /// let full = pool.insert(10).unwrap_err();
    /// assert_eq!(full.to_string(), "pool \"ships\" is full: all 10 slots are live");
    /// ```
    pub fn capacity_max(mut self, slots: usize) -> Self {
        self.settings.capacity_max = slots;
        self
    }
}

/// The slots that existed, if there are any.
pub(super) type Former<W> = Option<Box<FormerSlots<W>>>;

/// Slots that existed.
#[derive(Debug)]
pub(super) struct FormerSlots<W> {
    words: Box<[W]>,
    /// How many of them exist again: the memory is given back when all do.
    again: u32,
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

    /// The words of slots that existed and do not exist again: those after the last one that exists.
    #[inline]
    pub(super) fn former(&self) -> &[W] {
        self.former.as_ref().map_or(&[], |former| &former.words[former.again as usize..])
    }

    pub(super) fn set_former(&mut self, words: &[W]) -> Result<(), OutOfMemory> {
        self.keep(Self::boxed(words)?);
        Ok(())
    }

    pub(super) fn try_copy_former(&self) -> Result<Former<W>, OutOfMemory> {
        Self::boxed(self.former())
    }

    fn boxed(words: &[W]) -> Result<Former<W>, OutOfMemory> {
        if words.is_empty() {
            return Ok(None);
        }
        let mut kept = memory::reserved(words.len())?;
        kept.extend_from_slice(words);
        memory::boxed(FormerSlots { words: kept.into_boxed_slice(), again: 0 }).map(Some)
    }

    /// Of a pool that gets so many more slots: the words of those among them that existed before.
    pub(super) fn again(&self, slots: usize) -> &[W] {
        let former = self.former();
        &former[..former.len().min(slots)]
    }

    /// So many of the slots that existed, the first ones, exist again.
    pub(super) fn note_again(&mut self, slots: usize) {
        if let Some(former) = &mut self.former {
            former.again += slots as u32;
        }
        if self.former().is_empty() {
            self.former = None;
        }
    }

    /// Of a pool that frees its last slots, which have these words: what [`keep`](Self::keep) keeps of all that it had. A
    /// slot that was never used has the word `unused`.
    pub(super) fn with_freed(
        &self,
        freed: impl ExactSizeIterator<Item = W>,
        unused: W,
    ) -> Result<Former<W>, OutOfMemory> {
        let former = self.former();
        let mut known = memory::reserved(freed.len() + former.len())?;
        known.extend(freed.chain(former.iter().copied()));
        let used = known.iter().rposition(|word| *word != unused).map_or(0, |last| last + 1);
        Self::boxed(&known[..used])
    }

    pub(super) fn keep(&mut self, former: Former<W>) {
        self.former = former;
    }

    /// Retired slots among those that existed.
    pub(super) fn retired_beyond(&self) -> usize {
        retired_among(self.former())
    }

    /// The number of slots that a pool may have beyond this many, and that have not retired.
    pub(super) fn room_beyond<H: HandleLayout>(&self, slots: usize) -> usize {
        self.limit::<H>() - slots - self.retired_beyond()
    }

    /// How many slots a pool of this many has after it has grown by itself, if a value takes so many bytes.
    fn slots_after<H: HandleLayout>(&self, slots: usize, value_bytes: usize) -> usize {
        let least = match slots {
            // Without a division, which takes longer than all of the rest.
            0 if value_bytes > FIRST_BYTES / 2 => 1,
            0 => (FIRST_BYTES / value_bytes.max(1)).clamp(1, SLOTS_MIN),
            _ => SLOTS_MIN,
        };
        slots.saturating_mul(2).max(least).min(self.limit::<H>())
    }

    /// How many slots a pool of this many grows to for an insertion.
    pub(super) fn slots_with_room<H: HandleLayout>(
        &self,
        from: usize,
        value_bytes: usize,
    ) -> Result<usize, CannotGrow> {
        let is_usable = |word: &W| *word != W::RETIRED;
        // Slots that exist again may all have retired.
        let first = from + self.former().iter().position(is_usable).unwrap_or(self.former().len());
        match first < self.limit::<H>() {
            true => Ok(self.slots_after::<H>(from, value_bytes).max(first + 1)),
            false => Err(CannotGrow::AtLimit),
        }
    }

    /// How many slots a pool of this many grows to for `missing` more values than there is room for, which the limit
    /// allows.
    pub(super) fn slots_with_room_for<H: HandleLayout>(
        &self,
        slots: usize,
        missing: usize,
        value_bytes: usize,
    ) -> usize {
        // As if all slots that had retired came first.
        self.slots_after::<H>(slots, value_bytes).max(slots + missing + self.retired_beyond())
    }

    /// How many slots a pool of this many grows to for the slot of this index; `is_near`: unless it is far beyond the
    /// others.
    pub(super) fn slots_up_to<H: HandleLayout>(
        &self,
        slots: usize,
        index: usize,
        value_bytes: usize,
        is_near: bool,
    ) -> Result<usize, InsertAtErrorKind> {
        let slots = self.slots_after::<H>(slots, value_bytes);
        match is_near && index >= NAMED_SLOTS.max(slots) {
            true => Err(InsertAtErrorKind::TooFar),
            false => Ok(slots.max(index + 1)),
        }
    }

    /// The word of a slot beyond the `slots` that there are, if there may be one. One that was never used has the word
    /// `unused`.
    pub(super) fn word_beyond<H: HandleLayout>(
        &self,
        index: usize,
        slots: usize,
        unused: W,
    ) -> Option<W> {
        let former = self.former().get(index - slots).copied();
        (index < self.limit::<H>()).then(|| former.unwrap_or(unused))
    }

    pub(super) fn check<H: HandleLayout>(
        &self,
        slots: usize,
    ) -> Result<(), crate::reports::validate::Violation> {
        let former = self.former();
        crate::reports::validate::ensure(
            slots + former.len() <= self.limit::<H>() && former.iter().all(|word| word.is_dead()),
            "the slots that existed are dead, and not more than the limit together with those that exist",
            format_args!("{slots} and {}, limit {}", former.len(), self.limit::<H>()),
        )
    }
}

/// The slot of the next object that moves, and its handle in the slot that it moves to: the last live one and the first free
/// one `between` those that were found before. `None` once no free one comes before a live one.
pub(super) fn next_move<H: HandleLayout>(
    between: &mut Range<usize>,
    word: impl Fn(usize) -> Option<H::Word>,
) -> Option<(usize, H)> {
    let new = between.find_map(|index| {
        let word = word(index).filter(|word| word.is_vacant())?;
        Some(handle::kept::<H>(index, word.as_live()))
    })?;
    let from = between.rfind(|index| word(*index).is_some_and(|word| !word.is_dead()))?;
    Some((from, new))
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Handle;

    #[test]
    fn words_of_slots_that_exist_again_are_kept_until_all_do() {
        let mut growing = Doubling::<u32>::up_to(9);
        let words = [1, 2, 3].map(Word::as_dead);
        growing.set_former(&words).unwrap();
        assert_eq!((growing.again(2), growing.again(9)), (&words[..2], &words[..]));
        growing.note_again(2);
        assert_eq!((growing.former(), growing.again(9)), (&words[2..], &words[2..]));
        growing.note_again(1);
        assert_eq!((growing.former(), growing.former.is_none()), (&[][..], true));
        growing.set_former(&words).unwrap();
        assert_eq!(growing.former(), words);
    }

    #[test]
    fn the_first_slots_are_as_many_as_fit_into_a_line() {
        let first = [0, 1, 16, 17, 24, 32, 33, 64, 65, 1 << 40]
            .map(|bytes| Doubling::<u32>::up_to(9).slots_after::<Handle<()>>(0, bytes));
        assert_eq!(first, [4, 4, 4, 3, 2, 2, 1, 1, 1, 1]);
        let after = [1, 2, 3, 4, 5]
            .map(|slots| Doubling::<u32>::up_to(9).slots_after::<Handle<()>>(slots, 64));
        assert_eq!(after, [4, 4, 6, 8, 9]);
        assert_eq!(Doubling::<u32>::up_to(3).slots_after::<Handle<()>>(0, 8), 3);
    }

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
