//! The values of a pool: an array of slots, some of them initialised.
//!
//! This module and its children hold the unsafe code of the pools that move values in and out.
//! Everything that they offer is safe but for what is marked `unsafe`.
//!
//! # Invariant
//!
//! 1. `values.len()` is the number of words, and the two never change.
//! 2. The value of slot `i` is initialised **exactly if** the word of `i` says that it is live.
//! 3. If the slots hold links (`R` threads its list through them and `T` has the room), the first
//!    bytes of every *dead* slot are an initialised [`Link`].
//!
//! The words change nowhere else: they are private to this module, and what is lent out is shared or
//! read-only. User code (a `Drop`, a `Clone`, a closure) runs only while the invariant holds.

mod cursor;
mod dead;
mod iter;
mod packed;
mod runs;
mod take_over;

pub(crate) use cursor::CursorMut;
pub(crate) use iter::{Values, ValuesMut};
pub(crate) use packed::PackedValues;
pub use runs::{ValueRuns, ValueRunsMut};

use alloc::boxed::Box;
use core::mem::{MaybeUninit, size_of};

use crate::circle::Circle;
use crate::handle::Word;
use crate::memory::{self, OutOfMemory};
use crate::occupancy::{Occupancy, WORD_SLOTS};
use crate::reuse::{Link, Queue, ReuseOrder, Slots};
use crate::slot_words::SlotWords;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// An array of slots and their words, which say which of them are live.
pub(crate) struct Storage<T, R: ReuseOrder, W: Word> {
    values: Box<[MaybeUninit<T>]>,
    words: SlotWords<W, R>,
    #[cfg(feature = "debug-aids")]
    watch: Option<Box<crate::debug::Watch>>,
}

impl<T, R: ReuseOrder, W: Word> Storage<T, R, W> {
    /// Whether a dead slot of this storage holds a link.
    const LINKED: bool =
        <R::Queue<u32> as Queue<u32>>::LINKS_IN_SLOTS && size_of::<T>() >= size_of::<Link>();

    /// All slots dead, with this word, every page touched.
    pub(crate) fn try_new(slots: usize, dead: W) -> Result<Self, OutOfMemory> {
        let values = Self::try_values(slots)?;
        Ok(Self::of_dead(values, SlotWords::try_new(slots, dead)?))
    }

    /// Room for values beside words that call all slots dead. They come back if there is no memory.
    pub(crate) fn try_continue(words: SlotWords<W, R>) -> Result<Self, SlotWords<W, R>> {
        assert!(words.live() == 0, "a live slot has a value");
        match Self::try_values(words.slots()) {
            Ok(values) => Ok(Self::of_dead(values, words)),
            Err(OutOfMemory) => Err(words),
        }
    }

    /// The words of slots that are all dead; none are left here, and no slots.
    pub(crate) fn take_words(&mut self) -> SlotWords<W, R> {
        assert!(self.words.live() == 0, "a live slot has a value");
        self.poison_dead(false);
        self.values = Box::default();
        core::mem::replace(&mut self.words, SlotWords::none())
    }

    /// Slots without values, every page touched.
    fn try_values(slots: usize) -> Result<Box<[MaybeUninit<T>]>, OutOfMemory> {
        let mut values: Box<[MaybeUninit<T>]> =
            memory::from_fn(slots, |_| MaybeUninit::<T>::uninit())?;
        memory::touch(&mut values);
        Ok(values)
    }

    /// Slots that are all dead, as many as words.
    fn of_dead(values: Box<[MaybeUninit<T>]>, words: SlotWords<W, R>) -> Self {
        let mut storage = Self {
            values,
            words,
            #[cfg(feature = "debug-aids")]
            watch: None,
        };
        if Self::LINKED {
            for index in 0..storage.values.len() {
                storage.write_link(index, Link::NONE);
            }
        }
        storage.poison_dead(true);
        storage
    }

    #[inline]
    pub(crate) fn words(&self) -> &SlotWords<W, R> {
        &self.words
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        self.words.occupancy()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if !self.words.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live, as just tested.
        Some(unsafe { self.get_unchecked(index) })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if !self.words.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live, as just tested.
        Some(unsafe { self.get_unchecked_mut(index) })
    }

    /// # Safety
    ///
    /// The slot is live.
    #[inline]
    pub(crate) unsafe fn get_unchecked(&self, index: usize) -> &T {
        debug_assert!(self.words.is_live(index));
        // SAFETY: a live slot is within the array (invariant 1).
        let value = unsafe { self.values.get_unchecked(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2).
        unsafe { value.assume_init_ref() }
    }

    /// # Safety
    ///
    /// The slot is live.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(self.words.is_live(index));
        // SAFETY: a live slot is within the array (invariant 1).
        let value = unsafe { self.values.get_unchecked_mut(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2).
        unsafe { value.assume_init_mut() }
    }

    /// Mutable references to several live slots at once.
    ///
    /// # Safety
    ///
    /// All slots are live, and no two are the same.
    pub(crate) unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        indices: [usize; N],
    ) -> [&mut T; N] {
        let values = self.values.as_mut_ptr();
        indices.map(|index| {
            debug_assert!(self.words.is_live(index));
            // SAFETY: a live slot is within the array (invariant 1).
            let value = unsafe { values.add(index) };
            // SAFETY: no other of these references is to the same slot, and they borrow `self`.
            let value = unsafe { &mut *value };
            // SAFETY: the value of a live slot is initialised (invariant 2).
            unsafe { value.assume_init_mut() }
        })
    }

    /// Makes a dead slot live, in this generation.
    pub(crate) fn put(&mut self, index: usize, generation: W, value: T) {
        // A live slot would lose its value; the handles above make sure that it is dead.
        assert!(
            index < self.values.len() && !self.words.is_live(index) && !generation.is_dead(),
            "the slot is live already"
        );
        // SAFETY: just tested.
        unsafe { self.put_unchecked(index, generation, value) };
    }

    /// Makes a dead slot live, in this generation.
    ///
    /// # Safety
    ///
    /// The slot is in range and dead, and the generation is not marked dead.
    #[inline]
    pub(crate) unsafe fn put_unchecked(&mut self, index: usize, generation: W, value: T) {
        self.words.set_live(index, generation);
        self.unearth(index);
        // SAFETY: the slot is in range.
        unsafe { self.values.get_unchecked_mut(index) }.write(value);
    }

    /// Gives the value of a live slot, which the function makes dead by [`Slots::set_dead`].
    ///
    /// # Safety
    ///
    /// The slot is live, the function makes it dead and no other slot live or dead, and no user code
    /// runs in it.
    #[inline]
    pub(crate) unsafe fn take_unchecked(&mut self, index: usize, end: impl FnOnce(&mut Self)) -> T {
        if Self::LINKED {
            // SAFETY: the slot is live.
            let value = unsafe { self.read(index) };
            end(self);
            self.bury(index);
            value
        } else {
            end(self);
            // Read last, the value goes straight to where the caller wants it.
            // SAFETY: the slot was live until now, and nothing has been written to it since.
            let value = unsafe { self.read(index) };
            self.bury(index);
            value
        }
    }

    /// The value of a slot that was live until now.
    ///
    /// # Safety
    ///
    /// The slot's value is initialised, and nobody reads it again.
    #[inline]
    unsafe fn read(&self, index: usize) -> T {
        // SAFETY: a slot with a value is within the array (invariant 1).
        let slot = unsafe { self.values.get_unchecked(index) };
        // SAFETY: it is initialised, and this is the last time that it is read.
        unsafe { slot.assume_init_read() }
    }

    /// Makes a live slot dead, with this word, and gives its value; `None` if it is dead.
    #[inline]
    pub(crate) fn take(&mut self, index: usize, word: W) -> Option<T> {
        if !self.words.is_live(index) {
            return None;
        }
        assert!(word.is_dead(), "the word of a dead slot");
        let end = |storage: &mut Self| match word == W::RETIRED {
            true => storage.retire(index),
            false => storage.set_dead(index, word),
        };
        // SAFETY: the slot is live, as just tested, and the word is that of a dead one.
        Some(unsafe { self.take_unchecked(index, end) })
    }

    /// Makes all slots dead without dropping their values, which have no drop code to run.
    pub(crate) fn forget_all(&mut self, circle: &Circle<W>) {
        debug_assert!(!core::mem::needs_drop::<T>());
        #[cfg(feature = "debug-aids")]
        let fills = self.watched().is_some_and(crate::debug::Watch::fills);
        #[cfg(not(feature = "debug-aids"))]
        let fills = false;
        if Self::LINKED || fills || cfg!(millpond_asan) {
            for index in 0..self.values.len() {
                if self.words.is_live(index) {
                    self.write_link(index, Link::NONE);
                    self.bury(index);
                }
            }
        }
        self.words.set_all_dead(circle);
    }

    /// Gives all slots, which are dead, this word.
    pub(crate) fn reset_words(&mut self, word: W) {
        self.words.reset(word);
    }

    /// The address of the first slot.
    pub(crate) fn address(&self) -> usize {
        self.values.as_ptr().addr()
    }

    /// Which slot a reference into the array refers to.
    pub(crate) fn index_of(&self, value: &T) -> Option<usize> {
        memory::position_in(&self.values, core::ptr::from_ref(value))
            .filter(|&index| self.words.is_live(index))
    }

    /// The 64 values of a word, if all of its slots are live.
    #[inline]
    pub(crate) fn get_word(&self, word: usize) -> Option<&[T; WORD_SLOTS]> {
        self.words.full_word(word)?;
        let values = self.values.get(word * WORD_SLOTS..)?.first_chunk::<WORD_SLOTS>()?;
        let values = core::ptr::from_ref(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these slots are live, as just tested, and so their values initialised
        // (invariant 2). `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &*values })
    }

    #[inline]
    pub(crate) fn iter(&self) -> Values<'_, T> {
        Values::new(&self.values, self.occupancy())
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> ValuesMut<'_, T> {
        self.words_and_iter_mut().1
    }

    /// The same with the words, which say the generations.
    #[inline]
    pub(crate) fn words_and_iter_mut(&mut self) -> (&SlotWords<W, R>, ValuesMut<'_, T>) {
        self.words.refresh();
        (&self.words, ValuesMut::new(&mut self.values, self.words.fresh()))
    }

    /// The values to change, one at a time, by ascending index.
    #[inline]
    pub(crate) fn words_and_cursor_mut(&mut self) -> (&SlotWords<W, R>, CursorMut<'_, T>) {
        self.words.refresh();
        (&self.words, CursorMut::new(&mut self.values, self.words.fresh()))
    }

    #[inline]
    pub(crate) fn runs(&self) -> ValueRuns<'_, T> {
        ValueRuns::new(&self.values, self.occupancy())
    }

    #[inline]
    pub(crate) fn runs_mut(&mut self) -> ValueRunsMut<'_, T> {
        self.words.refresh();
        ValueRunsMut::new(&mut self.values, self.words.fresh())
    }

    /// The runs to change, with the words, which say the generations.
    #[cfg(feature = "rayon")]
    pub(crate) fn words_and_runs_mut(&mut self) -> (&SlotWords<W, R>, ValueRunsMut<'_, T>) {
        self.words.refresh();
        (&self.words, ValueRunsMut::new(&mut self.values, self.words.fresh()))
    }

    /// Writes the link of a slot that is dead (or becomes so now).
    #[inline]
    fn write_link(&mut self, index: usize, link: Link) {
        if Self::LINKED {
            let slot = self.values[index].as_mut_ptr().cast::<Link>();
            // SAFETY: the slot is at least as large as a link, as `LINKED` says, and holds no value.
            unsafe { slot.write_unaligned(link) };
        }
    }
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, W: Word> Storage<T, R, W> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        self.words.validate()?;
        ensure(
            self.values.len() == self.words.slots(),
            "there is a place for the value of each slot",
            format_args!("{} places for {} slots", self.values.len(), self.words.slots()),
        )
    }
}

impl<T, R: ReuseOrder, W: Word> Slots for Storage<T, R, W> {
    type Word = W;
    type Order = R;
    const HOLDS_LINKS: bool = Self::LINKED;

    #[inline]
    fn words(&self) -> &SlotWords<W, R> {
        &self.words
    }

    /// The value stays where it is, and nobody drops it: whoever calls this has moved it out, or is
    /// about to.
    #[inline]
    fn set_dead(&mut self, index: usize, word: W) {
        self.words.set_dead(index, word);
        self.write_link(index, Link::NONE);
    }

    /// As [`set_dead`](Self::set_dead).
    fn retire(&mut self, index: usize) {
        self.words.retire(index);
        self.write_link(index, Link::NONE);
    }

    fn begin_marking(&mut self) {
        self.words.begin_marking();
    }

    fn mark(&mut self, index: usize) -> bool {
        self.words.mark(index)
    }

    #[inline]
    fn link(&self, index: usize) -> Link {
        if !Self::LINKED || self.words.is_live(index) {
            return Link::NONE;
        }
        let slot = self.values[index].as_ptr().cast::<Link>();
        // SAFETY: the slot is dead, so its first bytes are an initialised link (invariant 3).
        unsafe { slot.read_unaligned() }
    }

    #[inline]
    fn set_link(&mut self, index: usize, link: Link) {
        if !self.words.is_live(index) {
            self.write_link(index, link);
        }
    }
}

impl<T, R: ReuseOrder, W: Word> Drop for Storage<T, R, W> {
    fn drop(&mut self) {
        // There first, as the report is handed to a function of the program's own, which may panic.
        let mut rest = DropRest { storage: self, from: 0 };
        #[cfg(feature = "debug-aids")]
        if let Some(watch) = rest.storage.watched() {
            watch.report_drop(rest.storage.words.occupancy().iter());
        }
        rest.drop_all();
    }
}

/// Drops the values from a slot on. If one of them panics, the rest are still dropped while
/// unwinding, as by a `Vec`.
struct DropRest<'a, T, R: ReuseOrder, W: Word> {
    storage: &'a mut Storage<T, R, W>,
    from: usize,
}

impl<T, R: ReuseOrder, W: Word> DropRest<'_, T, R, W> {
    fn drop_all(&mut self) {
        if core::mem::needs_drop::<T>() {
            while self.from < self.storage.values.len() {
                self.from += 1;
                // The last word that the slot has: the storage goes.
                drop(self.storage.take(self.from - 1, W::RETIRED));
            }
        }
        // Last, as each value that goes leaves a dead slot.
        self.storage.poison_dead(false);
    }
}

impl<T, R: ReuseOrder, W: Word> Drop for DropRest<'_, T, R, W> {
    fn drop(&mut self) {
        self.drop_all();
    }
}

impl<T: Clone, R: ReuseOrder, W: Word> Storage<T, R, W> {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped.
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut storage = Self::try_new(self.values.len(), W::RETIRED)?;
        for (index, value) in self.iter() {
            storage.put(index, self.words.of_known_live(index), value.clone());
        }
        for index in 0..self.values.len() {
            storage.set_link(index, self.link(index));
        }
        storage.words.continue_from(&self.words);
        Ok(storage)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::reuse::Lifo;

    #[test]
    fn validation_finds_what_is_broken() {
        let sound = || {
            let mut storage = Storage::<u8, Lifo, u16>::try_new(3, 1_u16.as_dead()).unwrap();
            storage.put(1, 1, 70);
            storage.validate().unwrap();
            storage
        };
        let mut storage = sound();
        storage.values = memory::from_fn(4, |_| MaybeUninit::uninit()).unwrap();
        let rule = "there is a place for the value of each slot";
        assert_eq!(storage.validate().unwrap_err().rule(), rule);
        // What its words find is found.
        let mut storage = sound();
        storage.words.refresh();
        storage.words.mark(0);
        assert_eq!(storage.validate(), storage.words.validate());
        assert!(storage.validate().is_err());
    }
}
