//! The values of a pool: an array of slots, some of them initialised.
//!
//! This module and its children contain the unsafe code of the pools that move values in and out. Everything that they
//! export is safe unless it is marked `unsafe`.
//!
//! # Invariant
//!
//! 1. The place has as many values as words ([`Place`]).
//! 2. The value of slot `i` is initialised **if and only if** the word of `i` is that of a live slot.
//! 3. If the slots hold links (the order threads its list through them and the values have the room), the first
//!    bytes of every *dead* slot are an initialised [`Link`].
//! 4. The bitmap agrees with the word of each slot, unless the counts show that it is old ([`SlotWords`]), and the
//!    slots below a known [prefix](SlotWords::prefix) are live. Iterators over either rely on this for invariant 2.
//!
//! Nothing else changes the words: they are private to this module, and it lends them out only as shared or read-only.
//! User code (a `Drop`, a `Clone`, a closure) runs only while the invariant holds.

#[cfg(feature = "blocks")]
mod block_walk;
#[cfg(feature = "blocks")]
mod blocks;
#[cfg(any(feature = "tables", all(feature = "lots", target_has_atomic = "32")))]
mod chunks;
mod clear;
mod copy_state;
mod dead;
#[cfg(feature = "memory")]
mod frame;
#[cfg(feature = "memory")]
mod frame_memory;
#[cfg(any(feature = "tables", feature = "vec"))]
mod grow;
mod iter;
#[cfg(feature = "packed")]
mod packed;
mod retain;
mod runs;
mod walk;

#[cfg(feature = "blocks")]
pub use block_walk::{BlockRuns, BlockRunsMut};
#[cfg(feature = "blocks")]
pub(crate) use block_walk::{BlockValues, BlockValuesMut};
#[cfg(feature = "blocks")]
pub(crate) use blocks::BlockStorage;
#[cfg(any(feature = "tables", all(feature = "lots", target_has_atomic = "32")))]
pub(crate) use chunks::ChunkMut;
pub(crate) use dead::{bytes_mut, initialised};
#[cfg(feature = "memory")]
pub use frame::FrameLink;
#[cfg(feature = "memory")]
pub(crate) use frame::FrameValues;
#[cfg(feature = "memory")]
pub use frame_memory::{Frame, FrameFull, FrameMemory, FrameRef};
pub(crate) use iter::{Values, ValuesMut};
#[cfg(feature = "packed")]
pub(crate) use packed::PackedValues;
pub(crate) use runs::FlatCut;
pub use runs::{ValueRuns, ValueRunsMut};
pub(crate) use walk::{Walk, Walks};

use core::alloc::Layout;
use core::mem::{MaybeUninit, offset_of, size_of};
use core::ptr::NonNull;
use core::slice;

use crate::base::aside;
use crate::base::entry::Entry;
use crate::base::guard::{continue_after_panic, guard};
#[cfg(feature = "alloc")]
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Issue, Refusal, Word};
use crate::occupancy::WORD_SLOTS;
use crate::occupancy::{Occupancy, Source};
use crate::reports::debug::Watch;
use crate::reports::errors::GetDisjointMutError;
use crate::slots::reuse::{Link, Permit, Queue, ReuseOrder, Slots};
#[cfg(feature = "alloc")]
use crate::slots::{Bare, Block};
use crate::slots::{
    Circle, Core, FlatPlace, Inline, Needs, Place, SlotKind, SlotWords, check_disjoint, source,
};

/// Slots with values, and their words, which determine which of them are live.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it is public")]
#[repr(C)]
pub struct Storage<P: Place> {
    words: SlotWords<P>,
}

/// The storage of a pool of this order and layout, in one block of memory.
#[cfg(feature = "alloc")]
pub(crate) type PoolStorage<T, R, H> =
    Storage<Block<T, (R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>>;

/// Storage without a reuse order.
#[cfg(feature = "alloc")]
pub(crate) type TableStorage<T, W> = Storage<Block<T, Bare<W, ()>>>;

#[cfg(feature = "alloc")]
impl<T, K: SlotKind> Storage<Block<T, K>> {
    /// Slots that are all dead, with this word, every page touched.
    fn try_with_entries(
        slots: usize,
        entries: usize,
        in_step: bool,
        dead: K::Word,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self::of_dead(SlotWords::try_new(slots, entries, in_step, dead)?))
    }

    /// Slots that are all dead, with this word, every page touched, for a pool with this order.
    pub(crate) fn try_new(
        needs: Needs<K::Entry>,
        slots: usize,
        dead: K::Word,
    ) -> Result<Self, OutOfMemory> {
        let entries = (needs.entry_count)(slots, Self::LINKED);
        Self::try_with_entries(slots, entries, needs.in_step, dead)
    }

    /// The memory that the slots of a pool with this order need, with room for a value of this layout in each.
    pub(crate) fn layout(
        needs: Needs<K::Entry>,
        slots: usize,
        value: Layout,
    ) -> Result<Layout, OutOfMemory> {
        Block::<T, K>::layout(slots, (needs.entry_count)(slots, Self::LINKED), value)
    }

    /// Like [`try_new`](Self::try_new), in memory that is lent to the storage.
    ///
    /// # Safety
    ///
    /// `start` is the aligned first byte of memory with the [layout](Self::layout), which only the
    /// storage uses until it is dropped; no value is smaller than a `T`.
    pub(crate) unsafe fn try_in(
        needs: Needs<K::Entry>,
        start: NonNull<u8>,
        slots: usize,
        value: Layout,
        dead: K::Word,
    ) -> Result<Self, OutOfMemory> {
        // SAFETY: as the caller promises.
        let block = unsafe { Self::try_block_in(needs, start, slots, value, dead)? };
        Ok(Self::of_dead(SlotWords::of_dead(block, needs.in_step)))
    }

    /// The block of such a storage.
    ///
    /// # Safety
    ///
    /// As for [`try_in`](Self::try_in).
    pub(crate) unsafe fn try_block_in(
        needs: Needs<K::Entry>,
        start: NonNull<u8>,
        slots: usize,
        value: Layout,
        dead: K::Word,
    ) -> Result<Block<T, K>, OutOfMemory> {
        let entries = (needs.entry_count)(slots, Self::LINKED);
        // SAFETY: as the caller promises.
        unsafe { Block::try_in(start, slots, entries, value, dead) }
    }

    /// The 64 values of a word, if all of its slots are live.
    #[inline]
    pub(crate) fn get_word(&self, word: usize) -> Option<&[T; WORD_SLOTS]> {
        self.words.full_word(word)?;
        let values = self.values().get(word * WORD_SLOTS..)?.first_chunk::<WORD_SLOTS>()?;
        let values = core::ptr::from_ref(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these slots are live, as just tested, and so their values initialised
        // (invariant 2). `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &*values })
    }
}

#[cfg(feature = "alloc")]
impl<W: Word, T> TableStorage<T, W> {
    /// Slots that are all dead, with this word, every page touched. `in_step`: the bitmap is in
    /// step whatever the number of slots.
    pub(crate) fn try_table(slots: usize, in_step: bool, dead: W) -> Result<Self, OutOfMemory> {
        Self::try_with_entries(slots, 0, in_step, dead)
    }
}

impl<T, K: SlotKind, const N: usize> Storage<Inline<T, K, N>> {
    /// Slots that were never used. Their entries are empty.
    pub(crate) const fn fresh(start: u32) -> Self {
        const { assert!(!Self::LINKED, "a dead slot without a link") };
        Self { words: SlotWords::fresh(Inline::new(start)) }
    }
}

impl<T: Clone, K: SlotKind, const N: usize> Storage<Inline<T, K, N>> {
    /// Copies another storage with the same first generation into this one, in which no slot was
    /// ever used. If a value's clone panics, the slots before it have their copies.
    pub(crate) fn clone_into_fresh(&mut self, other: &Self) {
        for (index, value) in Walk::iter(other) {
            let Some(generation) = other.words.of_live(index) else { continue };
            self.put(index, generation, value.clone());
        }
        self.words.continue_from(&other.words);
    }
}

/// Operations that need the core of the slots.
impl<P: Place> Storage<P> {
    /// Moves a value into the slot that comes next, or else into the one that `grow` returns: it has made room, and
    /// taken that slot out of the order. `grow` does not see the value, which it would get by way of the stack.
    #[inline(always)]
    pub(crate) fn put_next<R: ReuseOrder, H: HandleLayout<Word = P::Word>, C>(
        &mut self,
        value: P::Value,
        core: &mut Core<R, H>,
        grow: impl FnOnce(&mut Self, &mut Core<R, H>) -> Result<usize, C>,
    ) -> Result<H, (P::Value, C)>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
    {
        let (index, generation) = match core.take_next(self) {
            Some(taken) => taken,
            None => match grow(self, core) {
                Ok(index) => (index, self.words.of_vacant(index).expect("taken out of the order")),
                Err(cause) => return Err((value, cause)),
            },
        };
        // SAFETY: the next generation of a vacant slot is not 0, so that the handle is made without a test.
        unsafe { ::core::hint::assert_unchecked(generation != P::Word::ZERO) };
        // SAFETY: the slot that the order returns is vacant, and this is the next of its generations.
        unsafe { self.put_unchecked(index, generation, value) };
        Ok(H::from_kept_parts(index, generation))
    }

    /// Ends the lifetime of a live slot, and returns its value; `None` if it is dead.
    #[inline]
    pub(crate) fn end<R: ReuseOrder, H: HandleLayout<Word = P::Word>>(
        &mut self,
        index: usize,
        core: &mut Core<R, H>,
    ) -> Option<P::Value>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
    {
        let generation = self.words.of_live(index)?;
        self.end_lifetime(index, generation, core)
    }

    /// Ends the lifetime that the handle names, and returns its value; `None` if the handle is
    /// refused.
    #[inline]
    pub(crate) fn remove<R: ReuseOrder, H: HandleLayout<Word = P::Word>>(
        &mut self,
        handle: H,
        core: &mut Core<R, H>,
    ) -> Option<P::Value>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
    {
        self.end_lifetime(handle.index() as usize, handle.word(), core)
    }

    /// Ends this lifetime of the slot, if it is in it.
    #[inline(always)]
    fn end_lifetime<R: ReuseOrder, H: HandleLayout<Word = P::Word>>(
        &mut self,
        index: usize,
        generation: P::Word,
        core: &mut Core<R, H>,
    ) -> Option<P::Value>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = P::Entry>,
    {
        if !self.words.is_live_in(index, generation) {
            aside();
            return None;
        }
        // SAFETY: the slot is live; the core ends its lifetime and no other, and runs no user code.
        Some(unsafe {
            self.move_out_unchecked(index, |storage| core.end(index, generation, storage))
        })
    }

    /// The value of a valid handle.
    #[inline]
    pub(crate) fn find<H: HandleLayout<Word = P::Word>>(&self, handle: H) -> Option<&P::Value> {
        let index = handle.index() as usize;
        let value = self.words.place().find(index)?;
        // SAFETY: the place has found the slot, so it exists.
        if !unsafe { self.words.is_there_live_in(index, handle.word()) } {
            return None;
        }
        // SAFETY: the slot is live, as just tested, so its value is initialised (invariant 2); the values are borrowed with
        // the storage.
        Some(unsafe { value.cast().as_ref() })
    }

    /// The value of a valid handle, mutable.
    #[inline]
    pub(crate) fn find_mut<H: HandleLayout<Word = P::Word>>(
        &mut self,
        handle: H,
    ) -> Option<&mut P::Value> {
        let index = handle.index() as usize;
        self.words.place().find(index)?;
        // SAFETY: the place has found the slot, so it exists.
        if !unsafe { self.words.is_there_live_in(index, handle.word()) } {
            return None;
        }
        // Only now, because in places that hold the values themselves, the words are read in
        // between.
        let value = self.words.place_mut().find_mut(index)?;
        // SAFETY: the slot is live, as just tested, so its value is initialised (invariant 2); the values are borrowed
        // exclusively, with the storage.
        Some(unsafe { value.cast().as_mut() })
    }

    /// Mutable references to the values of several handles, if all are valid by `check`, and no two
    /// are the same.
    pub(crate) fn find_disjoint_mut<H: HandleLayout<Word = P::Word>, const K: usize>(
        &mut self,
        handles: [H; K],
        check: impl Fn(H, &SlotWords<P>) -> Result<(), Refusal>,
    ) -> Result<[&mut P::Value; K], GetDisjointMutError> {
        check_disjoint(&handles, |handle| check(handle, &self.words))?;
        let found = self.find_each_mut(handles)?;
        Ok(found.map(|value| value.expect("a good handle has a value")))
    }

    /// A mutable reference to the value of each valid handle, if no two of these are the same.
    pub(crate) fn find_each_mut<H: HandleLayout<Word = P::Word>, const K: usize>(
        &mut self,
        handles: [H; K],
    ) -> Result<[Option<&mut P::Value>; K], GetDisjointMutError> {
        let indices = handles.map(|handle| {
            let index = handle.index() as usize;
            self.words.is_live_in(index, handle.word()).then_some(index)
        });
        for (position, index) in indices.iter().enumerate() {
            if index.is_some() && indices[..position].contains(index) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        // SAFETY: the slots are live, as tested, and no two are the same.
        Ok(unsafe { self.get_each_unchecked_mut(indices) })
    }
}

impl<P: Place> Storage<P> {
    pub(crate) const WORDS_OFFSET: usize = offset_of!(Self, words);
    /// Whether a dead slot of this storage holds a link.
    const LINKED: bool = P::Entry::LINKS_IN_SLOTS && size_of::<P::Value>() >= size_of::<Link>();

    /// Slots that are all dead.
    pub(crate) fn of_dead(words: SlotWords<P>) -> Self {
        let mut storage = Self { words };
        if Self::LINKED {
            for index in 0..storage.slots() {
                storage.write_link(index, Link::NONE);
            }
        }
        storage.poison_dead(true);
        storage
    }

    #[inline]
    fn slots(&self) -> usize {
        self.words.slots()
    }

    /// A place for a value.
    #[inline]
    fn value_mut(&mut self, index: usize) -> &mut MaybeUninit<P::Value> {
        assert!(index < self.slots());
        // SAFETY: just tested.
        unsafe { self.value_unchecked_mut(index) }
    }

    /// # Safety
    ///
    /// The index is that of a slot.
    #[inline]
    unsafe fn value_unchecked_mut(&mut self, index: usize) -> &mut MaybeUninit<P::Value> {
        // SAFETY: there is such a slot.
        let value = unsafe { self.words.place_mut().value_mut(index) };
        // SAFETY: the values are borrowed exclusively, with the storage.
        unsafe { &mut *value }
    }

    #[inline]
    pub(crate) fn words(&self) -> &SlotWords<P> {
        &self.words
    }

    /// See [`SlotWords::refresh`].
    #[inline]
    pub(crate) fn refresh(&mut self) {
        self.words.refresh();
    }

    /// As [`refresh`](Self::refresh), and no prefix is known then.
    pub(crate) fn refresh_and_forget_prefix(&mut self) {
        self.words.refresh();
        self.words.forget_prefix();
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        self.words.occupancy()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&P::Value> {
        if !self.words.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live, as just tested.
        Some(unsafe { self.get_unchecked(index) })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut P::Value> {
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
    pub(crate) unsafe fn get_unchecked(&self, index: usize) -> &P::Value {
        debug_assert!(self.words.is_live(index));
        // SAFETY: a live slot is a slot.
        let value = unsafe { self.words.place().value(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2), and is borrowed with the storage.
        unsafe { &*value.cast() }
    }

    /// # Safety
    ///
    /// The slot is live.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut P::Value {
        debug_assert!(self.words.is_live(index));
        // SAFETY: a live slot is a slot.
        let value = unsafe { self.value_unchecked_mut(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2).
        unsafe { value.assume_init_mut() }
    }

    /// Mutable references to the values of several live slots at once.
    ///
    /// # Safety
    ///
    /// All slots are live, and no two are the same.
    pub(crate) unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        indices: [usize; N],
    ) -> [&mut P::Value; N] {
        // SAFETY: as the caller promises.
        let values = unsafe { self.get_each_unchecked_mut(indices.map(Some)) };
        values.map(|value| value.expect("a value for an index"))
    }

    /// Mutable references to the values of those slots that are `Some`.
    ///
    /// # Safety
    ///
    /// All slots are live, and no two are the same.
    unsafe fn get_each_unchecked_mut<const N: usize>(
        &mut self,
        indices: [Option<usize>; N],
    ) -> [Option<&mut P::Value>; N] {
        debug_assert!(indices.iter().flatten().all(|index| self.words.is_live(*index)));
        // SAFETY: live slots are slots.
        let values = unsafe { self.words.place_mut().values_mut(indices) };
        values.map(|value| {
            // SAFETY: the value of a live slot is initialised (invariant 2). No other of these references is to the same
            // slot, and they borrow `self`.
            Some(unsafe { &mut *value?.cast::<P::Value>() })
        })
    }

    /// Makes a dead slot live, in this generation.
    pub(crate) fn put(&mut self, index: usize, generation: P::Word, value: P::Value) {
        // A live slot would lose its value; the handles above make sure that it is dead.
        assert!(
            index < self.slots() && !self.words.is_live(index) && !generation.is_dead(),
            "the slot is live already"
        );
        self.words.expect_birth();
        // SAFETY: just tested.
        unsafe { self.put_unchecked(index, generation, value) };
    }

    /// Makes a dead slot live, in this generation.
    ///
    /// # Safety
    ///
    /// The slot is in range and dead, and the generation is not marked dead.
    #[inline(always)]
    pub(crate) unsafe fn put_unchecked(
        &mut self,
        index: usize,
        generation: P::Word,
        value: P::Value,
    ) {
        // SAFETY: the slot is in range.
        unsafe { self.words.set_live_unchecked(index, generation) };
        self.unearth(index);
        // SAFETY: the slot is in range.
        unsafe { self.value_unchecked_mut(index) }.write(value);
    }

    /// Returns the value of a live slot, which the function makes dead by [`Slots::set_dead`].
    ///
    /// # Safety
    ///
    /// The slot is live, the function makes it dead and no other slot live or dead, and no user code
    /// runs in it.
    #[inline(always)]
    pub(crate) unsafe fn move_out_unchecked(
        &mut self,
        index: usize,
        end: impl FnOnce(&mut Self),
    ) -> P::Value {
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
    /// The slot's value is initialised, and is not read again.
    #[inline]
    unsafe fn read(&self, index: usize) -> P::Value {
        // SAFETY: a slot with a value is a slot.
        let slot = unsafe { self.words.place().value(index) };
        // SAFETY: it is initialised, and this is the last time that it is read.
        unsafe { slot.cast::<P::Value>().read() }
    }

    /// Makes a live slot dead, with this word, and returns its value; `None` if it is dead.
    #[inline]
    pub(crate) fn take(&mut self, index: usize, word: P::Word) -> Option<P::Value> {
        if !self.words.is_live(index) {
            return None;
        }
        assert!(word.is_dead(), "the word of a dead slot");
        self.words.note_peak();
        // SAFETY: the slot is live, as just tested, and the word is that of a dead one.
        Some(unsafe { self.move_out_unchecked(index, |storage| storage.end_with(index, word)) })
    }

    /// Makes a live slot dead, with this word.
    #[inline]
    fn end_with(&mut self, index: usize, word: P::Word) {
        match word == P::Word::RETIRED {
            true => self.retire(index),
            false => self.set_dead(index, word),
        }
    }

    /// Makes a live slot dead, with this word, and drops its value in place, because a large one
    /// would not fit on the stack. Does nothing if the slot is dead.
    pub(crate) fn drop_value(&mut self, index: usize, word: P::Word) {
        if !self.words.is_live(index) {
            return;
        }
        assert!(word.is_dead(), "the word of a dead slot");
        self.words.note_peak();
        let mut storage = guard(self, move |storage| {
            storage.end_with(index, word);
            storage.bury(index);
        });
        let value = storage.value_mut(index).as_mut_ptr();
        // SAFETY: the slot is live, as just tested, so its value is initialised (invariant 2). The
        // guard makes the slot dead before other code can access it: the value's own code does not
        // have the storage.
        unsafe { value.drop_in_place() };
    }

    /// Makes all slots dead without dropping their values, which have no drop code to run.
    pub(crate) fn forget_all(&mut self, circle: &Circle<P::Word>) {
        debug_assert!(!core::mem::needs_drop::<P::Value>());
        let fills = self.watched().is_some_and(Watch::fills);
        if Self::LINKED || fills || Self::IS_POISONED {
            for index in 0..self.slots() {
                if self.words.is_live(index) {
                    self.write_link(index, Link::NONE);
                    self.bury(index);
                }
            }
        }
        self.words.set_all_dead(circle);
    }

    /// Gives all slots, which are dead, this word.
    pub(crate) fn reset_words(&mut self, word: P::Word) {
        self.words.reset(word);
    }

    /// Writes the link of a slot that is dead (or becomes so now).
    #[inline]
    fn write_link(&mut self, index: usize, link: Link) {
        if Self::LINKED {
            let slot = self.value_mut(index).as_mut_ptr().cast::<Link>();
            // SAFETY: the slot is at least as large as a link, as `LINKED` says, and holds no value.
            unsafe { slot.write_unaligned(link) };
        }
    }
}

/// Storage whose values are in one array.
impl<P: FlatPlace> Storage<P> {
    /// All slots, to be cut into chunks, with the words as they are stored.
    #[cfg(any(feature = "tables", all(feature = "lots", target_has_atomic = "32")))]
    #[inline]
    pub(crate) fn words_and_chunk_mut(&mut self) -> (&[P::Word], ChunkMut<'_, P::Value>) {
        let (words, values, occupancy) = self.split_mut();
        (words, ChunkMut::new(values, occupancy))
    }

    /// The runs, mutable, with the words as they are stored, which have the generations.
    #[inline]
    pub(crate) fn words_and_runs_mut(&mut self) -> (&[P::Word], ValueRunsMut<'_, P::Value>) {
        let (words, values, occupancy) = self.split_mut();
        let (first, runs) = (values.as_mut_ptr().cast(), occupancy.runs());
        // SAFETY: the slots are borrowed mutably with the storage; those of a run are live (invariant 4), so their values
        // are initialised (invariant 2).
        (words, unsafe { ValueRunsMut::new(FlatCut::new(first, values.len(), runs)) })
    }

    /// The words as they are stored, the values, and an up-to-date occupancy.
    #[inline]
    #[allow(clippy::type_complexity, reason = "three slices of one place")]
    fn split_mut(&mut self) -> (&[P::Word], &mut [MaybeUninit<P::Value>], Occupancy<'_>) {
        self.words.refresh();
        let (slots, live, prefix) = (self.words.slots(), self.words.live(), self.words.prefix());
        let parts = self.words.place_mut().parts_mut();
        // SAFETY: there are as many values as words, borrowed exclusively (`FlatPlace`).
        let values = unsafe { slice::from_raw_parts_mut(parts.values, slots) };
        let source = match P::HAS_BITMAP {
            true => Source::Bits(parts.bits),
            false => source::<P>(parts.words),
        };
        (parts.words, values, Occupancy::new(source, slots, live).with_prefix(prefix))
    }

    /// All values, initialised or not.
    #[inline]
    fn values(&self) -> &[MaybeUninit<P::Value>] {
        let parts = self.words.place().parts();
        // SAFETY: there are as many values as words (`FlatPlace`).
        unsafe { slice::from_raw_parts(parts.values, parts.words.len()) }
    }
}

impl<P: Place> Slots for Storage<P> {
    type Word = P::Word;
    type Entry = P::Entry;
    type Place = P;
    const HOLDS_LINKS: bool = Self::LINKED;

    #[inline]
    fn words(&self) -> &SlotWords<P> {
        &self.words
    }

    #[inline(always)]
    fn words_mut(&mut self, _: Permit) -> &mut SlotWords<P> {
        &mut self.words
    }

    #[inline(always)]
    fn end_quick(&mut self, index: usize, generation: P::Word) -> bool {
        let is_quick = self.words.end_quick(index, generation);
        if is_quick {
            self.write_link(index, Link::NONE);
        }
        is_quick
    }

    #[inline]
    fn link(&self, index: usize) -> Link {
        if !Self::LINKED || self.words.is_live(index) {
            return Link::NONE;
        }
        assert!(index < self.slots());
        // SAFETY: just tested.
        let slot = unsafe { self.words.place().value(index) }.cast::<Link>();
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

impl<P: Place> Drop for Storage<P> {
    fn drop(&mut self) {
        // Made first, because the report is passed to a user function, which may panic.
        let storage = guard(self, |storage| storage.drop_all());
        if let Some(watch) = storage.watched() {
            watch.report_drop(storage.words.occupancy().iter());
        }
        drop(storage);
    }
}

impl<P: Place> Storage<P> {
    /// Drops all values. If a drop panics, the rest are still dropped while unwinding, as in a `Vec`.
    fn drop_all(&mut self) {
        continue_after_panic(self, |storage| {
            if core::mem::needs_drop::<P::Value>() {
                for index in 0..storage.slots() {
                    storage.drop_value(index, P::Word::RETIRED);
                }
            }
            // Last, because each dropped value leaves a dead slot.
            storage.poison_dead(false);
        });
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone, K: SlotKind> Storage<Block<T, K>> {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    pub(crate) fn try_clone(&self, touch: bool) -> Result<Self, OutOfMemory> {
        let allocate = if touch { Block::try_new } else { Block::try_untouched };
        let block = allocate(self.slots(), self.words.entries().len(), K::Word::RETIRED)?;
        let mut storage = Self::of_dead(SlotWords::of_dead(block, self.words.is_in_step()));
        storage.clone_into_dead(self);
        Ok(storage)
    }
}

impl<P: Place<Value: Clone>> Storage<P> {
    /// Copies another storage with the same number of slots into this one, in which all slots are
    /// dead. If a value's clone panics, the slots before it have their copies.
    fn clone_into_dead(&mut self, other: &Self) {
        for index in other.occupancy().iter() {
            let (Some(word), Some(value)) = (other.words.of_live(index), other.get(index)) else {
                continue;
            };
            self.put(index, word, value.clone());
        }
        for index in 0..other.slots() {
            self.set_link(index, other.link(index));
        }
        self.words.continue_from(&other.words);
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn only_a_dead_slot_with_room_has_a_link() {
        use crate::handle::Handle;
        use crate::slots::reuse::Intrusive;

        let link = Link { next: 2, previous: 1 };
        type Roomy = PoolStorage<u64, Intrusive, Handle<()>>;
        let mut storage =
            Roomy::try_new(Core::<Intrusive, Handle<()>>::NEEDS, 3, 1.as_dead()).unwrap();
        storage.put(1, 1, 70);
        storage.set_link(0, link);
        storage.set_link(1, link);
        assert_eq!([0, 1, 2].map(|index| storage.link(index)), [link, Link::NONE, Link::NONE]);
        assert_eq!(storage.get(1), Some(&70));

        type Narrow = PoolStorage<[u8; 7], Intrusive, Handle<()>>;
        let storage =
            Narrow::try_new(Core::<Intrusive, Handle<()>>::NEEDS, 3, 1.as_dead()).unwrap();
        assert_eq!([0, 1, 2].map(|index| storage.link(index)), [Link::NONE; 3]);
    }
}
