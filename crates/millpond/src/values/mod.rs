//! The values of a pool: an array of slots, some of them initialised.
//!
//! This module and its children contain the unsafe code of the pools that move values in and out. Everything that they
//! export is safe unless it is marked `unsafe`.
//!
//! # Invariant
//!
//! 1. The place has room for as many values as words ([`Place`]), aligned and large enough for a `T`: the constructors here
//!    make one for a `T`, or ask the slots what they were [made for](OwnSlots::expect_unused_for).
//! 2. The value of slot `i` is initialised **if and only if** the word of `i` is that of a live slot.
//! 3. The bitmap agrees with the word of each slot, unless the counters show that it is old ([`SlotWords`]), and the
//!    slots below a known [prefix](SlotWords::prefix) are live. Iterators over either rely on this for invariant 2.
//!
//! Nobody else has the words to change them ([`Slots::words_mut`] is unsafe). The storage lends its [`Slots`] to the pool, which
//! ends lifetimes and runs no user code, and the words to all others as read-only.
//! User code (a `Drop`, a `Clone`, a closure) runs only while the invariant holds, or for a storage that it cannot reach and that
//! a guard completes if it panics: the copy that `clone.rs` makes.

#[cfg(feature = "alloc")]
mod block;
#[cfg(any(feature = "tables", all(feature = "lots", target_has_atomic = "32")))]
pub(crate) mod chunks;
mod clone;
mod copy_state;
mod dead;
#[cfg(any(feature = "tables", feature = "vec"))]
mod grow;
mod iter;
#[cfg(feature = "recycler")]
mod objects;
#[cfg(feature = "packed")]
pub(crate) mod packed;
mod retain;
mod runs;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod saved;
#[cfg(feature = "tables")]
pub(crate) mod table;
mod walk;

pub(crate) use iter::{Values, ValuesMut};
pub use runs::{ValueRuns, ValueRunsMut};

use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};

use crate::base::guard::{continue_after_panic, guard};
use crate::handle::{self, HandleLayout, Refusal, Word};
use crate::reports::errors::GetDisjointMutError;
use crate::slots::reuse::Queue;
use crate::slots::{Inline, Ledger, OwnSlots, Place, SlotKind, SlotWords, Slots, check_disjoint};

/// Slots with values, and their words, which determine which of them are live. `L` is their [`Ledger`], if they have one.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it is public")]
#[repr(C)]
pub struct Storage<T, P: Place, L = ()> {
    slots: OwnSlots<P, L>,
    values: PhantomData<T>,
}

impl<T, K: SlotKind, const N: usize, L> Storage<T, Inline<T, K, N>, L> {
    /// Slots that were never used. Their entries are empty.
    pub(crate) const fn fresh(start: u32, ledger: L) -> Self {
        let slots = OwnSlots::new(SlotWords::unused(Inline::new(), start), ledger);
        Self { slots, values: PhantomData }
    }
}

/// Operations that need the ledger of the slots.
impl<T, P, Q, L> Storage<T, P, Ledger<Q, L>>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// Moves a value into the slot that comes next, or else into the one that `grow` returns: it has made room, and
    /// taken that slot out of the order. Returns the slot's handle, or, if there is none, `refused` of the value.
    ///
    /// So the value moves once, on either way. In a result that has either a slot or the value, for the caller to make this one of,
    /// the two would have bytes in common, and compilers would move the value in pieces that end where those of the slot do.
    #[inline(always)]
    pub(crate) fn put_next<H: HandleLayout<Word = L::Word>, E, F>(
        &mut self,
        value: T,
        grow: impl FnOnce(&mut Self) -> Result<usize, E>,
        refused: impl FnOnce(T, E) -> F,
    ) -> Result<H, F> {
        let (index, generation) = match self.slots_mut().take_next() {
            Some(taken) => taken,
            None => match grow(self) {
                Ok(index) => {
                    (index, self.words().of_vacant(index).expect("taken out of the order"))
                }
                Err(error) => return Err(refused(value, error)),
            },
        };
        // So that the handle is made without a test.
        // SAFETY: a slot that was used comes with the generation in its word, which was tested to be vacant; one that was not,
        // with the first generation. Neither is 0, and neither has the mark of dead slots.
        unsafe {
            ::core::hint::assert_unchecked(generation != P::Word::ZERO && !generation.is_dead());
        }
        // SAFETY: the slot that comes next is in range and vacant by its word, and this is the next of its generations
        // (`Queue`).
        unsafe { self.words_mut().set_live_unchecked(index, generation) };
        self.mark_live(index);
        // SAFETY: the slot is in range, so that there is a place for its value.
        unsafe { self.first_mut().wrapping_add(index).cast::<T>().write(value) };
        Ok(handle::kept::<H>(index, generation))
    }

    /// Ends the lifetime of a live slot, and returns its value; `None` if it is dead.
    #[inline]
    pub(crate) fn end(&mut self, index: usize) -> Option<T> {
        let generation = self.words().of_live(index)?;
        self.remove(index, generation)
    }

    /// Ends this lifetime of the slot, and returns its value; `None` if it is not in it.
    #[inline(always)]
    pub(crate) fn remove(&mut self, index: usize, generation: P::Word) -> Option<T> {
        if !self.slots_mut().end(index, generation) {
            return None;
        }
        // Read last, the value goes straight to where the caller wants it.
        // SAFETY: the slot was live until now, so that its value is initialised (invariant 2), and it is not read again.
        let value = unsafe { self.first().wrapping_add(index).cast::<T>().read() };
        self.mark_dead(index);
        Some(value)
    }
}

impl<T, P: Place, L> Storage<T, P, L> {
    /// Whether the values of slots whose lifetimes have ended may stay where they are, without another step.
    pub(crate) const MAY_FORGET: bool =
        !core::mem::needs_drop::<T>() && !cfg!(feature = "debug-aids") && !Self::IS_POISONED;

    /// Mutable references to the values of several handles, if all are valid by `check`, and no two
    /// are the same.
    pub(crate) fn find_disjoint_mut<H: HandleLayout<Word = P::Word>, const K: usize>(
        &mut self,
        handles: [H; K],
        check: impl Fn(H, &Slots<P, L>) -> Result<(), Refusal>,
    ) -> Result<[&mut T; K], GetDisjointMutError> {
        check_disjoint(&handles, |handle| check(handle, self.slots()))?;
        let found = self.find_each_mut(handles)?;
        Ok(found.map(|value| value.expect("a good handle has a value")))
    }

    /// A mutable reference to the value of each valid handle, if no two of these are the same.
    pub(crate) fn find_each_mut<H: HandleLayout<Word = P::Word>, const K: usize>(
        &mut self,
        handles: [H; K],
    ) -> Result<[Option<&mut T>; K], GetDisjointMutError> {
        let indices = handles.map(|handle| {
            let index = handle.index() as usize;
            self.words().is_live_in(index, handle.word()).then_some(index)
        });
        for (position, index) in indices.iter().enumerate() {
            if index.is_some() && indices[..position].contains(index) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        // SAFETY: the slots are live, as tested, and no two are the same.
        Ok(unsafe { self.get_each_unchecked_mut(indices) })
    }

    pub(crate) const SLOTS_OFFSET: usize = offset_of!(Self, slots);

    /// Where the first value is.
    #[inline(always)]
    fn first(&self) -> *const MaybeUninit<T> {
        self.words().place().parts().values.cast()
    }

    /// Where the first value is, mutable until the storage is used again.
    #[inline(always)]
    fn first_mut(&mut self) -> *mut MaybeUninit<T> {
        self.words_mut().place_mut().parts_mut().values.cast()
    }

    /// A place for a value.
    #[inline]
    fn value_mut(&mut self, index: usize) -> &mut MaybeUninit<T> {
        assert!(index < self.words().slots());
        // SAFETY: there is a value for each slot, and the values are borrowed exclusively, with the storage.
        unsafe { &mut *self.first_mut().wrapping_add(index) }
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &SlotWords<P> {
        self.slots().words()
    }

    /// The words, which this module keeps in step with the values.
    #[inline(always)]
    fn words_mut(&mut self) -> &mut SlotWords<P> {
        // SAFETY: private to this module, whose invariant this is.
        unsafe { self.slots_mut().words_mut() }
    }

    /// The words and the ledger.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &Slots<P, L> {
        &self.slots
    }

    /// The words and the ledger, for whoever chooses slots and ends lifetimes.
    #[inline(always)]
    pub(crate) fn slots_mut(&mut self) -> &mut Slots<P, L> {
        self.slots.sealed()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.find(index, self.words().of_live(index)?)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.find_mut(index, self.words().of_live(index)?)
    }

    /// The value of a slot that is in this lifetime.
    #[inline]
    pub(crate) fn find(&self, index: usize, generation: P::Word) -> Option<&T> {
        if !self.words().is_live_in(index, generation) {
            return None;
        }
        // SAFETY: the slot is live, as just tested.
        Some(unsafe { self.get_unchecked(index) })
    }

    /// The value of a slot that is in this lifetime, mutable.
    #[inline]
    pub(crate) fn find_mut(&mut self, index: usize, generation: P::Word) -> Option<&mut T> {
        if !self.words().is_live_in(index, generation) {
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
        debug_assert!(self.words().is_live(index));
        // By `add`, after which compilers know that there is something: an `Option` of the reference costs no test.
        // SAFETY: a live slot is a slot, and there is a value for each.
        let value = unsafe { self.first().add(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2), and is borrowed with the storage.
        unsafe { &*value.cast() }
    }

    /// # Safety
    ///
    /// The slot is live.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(self.words().is_live(index));
        // SAFETY: a live slot is a slot, and there is a value for each.
        let value = unsafe { self.first_mut().add(index) };
        // SAFETY: the value of a live slot is initialised (invariant 2), and is borrowed exclusively, with the storage.
        unsafe { &mut *value.cast() }
    }

    /// Mutable references to the values of those slots that are `Some`.
    ///
    /// # Safety
    ///
    /// All slots are live, and no two are the same.
    unsafe fn get_each_unchecked_mut<const N: usize>(
        &mut self,
        indices: [Option<usize>; N],
    ) -> [Option<&mut T>; N] {
        debug_assert!(indices.iter().flatten().all(|index| self.words().is_live(*index)));
        let values = self.first_mut();
        indices.map(|index| {
            // SAFETY: a live slot is a slot, and has a value.
            let value = unsafe { values.add(index?) };
            // SAFETY: the value of a live slot is initialised (invariant 2). No other of these references is to the same
            // slot, and they borrow `self`.
            Some(unsafe { &mut *value.cast::<T>() })
        })
    }

    /// Makes a dead slot live, in this generation.
    pub(crate) fn put(&mut self, index: usize, generation: P::Word, value: T) {
        // A live slot would lose its value; the callers know that it is dead.
        assert!(
            index < self.words().slots() && !self.words().is_live(index) && !generation.is_dead(),
            "the slot is live already"
        );
        let words = self.words_mut();
        words.record_next_peak();
        words.mark_used_until(index + 1);
        // SAFETY: just tested.
        unsafe { words.set_live_unchecked(index, generation) };
        self.mark_live(index);
        self.value_mut(index).write(value);
    }

    /// Makes a live slot dead, with this word, and returns its value; `None` if it is dead.
    #[inline]
    pub(crate) fn take(&mut self, index: usize, word: P::Word) -> Option<T> {
        if !self.words().is_live(index) {
            return None;
        }
        assert!(word.is_dead(), "the word of a dead slot");
        self.words_mut().record_peak();
        // SAFETY: the slot is live, as just tested, so that its value is initialised (invariant 2), and it is not read again.
        let value = unsafe { self.value_mut(index).assume_init_read() };
        self.end_with(index, word);
        self.mark_dead(index);
        Some(value)
    }

    /// Makes a live slot dead, with this word.
    #[inline]
    fn end_with(&mut self, index: usize, word: P::Word) {
        match word == P::Word::RETIRED {
            true => self.words_mut().retire(index),
            false => self.words_mut().set_dead(index, word),
        }
    }

    /// Makes a live slot dead, with this word, and drops its value in place, because a large one
    /// would not fit on the stack. Does nothing if the slot is dead.
    pub(crate) fn drop_value(&mut self, index: usize, word: P::Word) {
        if !self.words().is_live(index) {
            return;
        }
        assert!(word.is_dead(), "the word of a dead slot");
        self.words_mut().record_peak();
        let mut storage = guard(self, move |storage| {
            storage.end_with(index, word);
            storage.mark_dead(index);
        });
        let value = storage.value_mut(index).as_mut_ptr();
        // SAFETY: the slot is live, as just tested, so its value is initialised (invariant 2). The
        // guard makes the slot dead before other code can access it: the value's own code does not
        // have the storage.
        unsafe { value.drop_in_place() };
    }
}

impl<T, P: Place, L> Drop for Storage<T, P, L> {
    /// Drops all values. If a drop panics, the rest are still dropped while unwinding, as in a `Vec`.
    fn drop(&mut self) {
        // So that the compiler generates nothing for values without drop code.
        if Self::MAY_FORGET {
            return;
        }
        // Made first, because the report is passed to a user function, which may panic.
        let storage = guard(self, |storage| {
            continue_after_panic(*storage, |storage| {
                if core::mem::needs_drop::<T>() {
                    for index in 0..storage.words().used() {
                        storage.drop_value(index, P::Word::RETIRED);
                    }
                }
                // Last, because each dropped value leaves a dead slot.
                if Self::IS_POISONED {
                    storage.poison_dead(false);
                }
            });
        });
        if let Some(watch) = storage.watched() {
            watch.report_drop(storage.words().occupancy().iter());
        }
    }
}
