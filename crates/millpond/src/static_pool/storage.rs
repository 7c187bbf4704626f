//! The values of a static pool, and which of them are there.
//!
//! All unsafe code of the static pool is in here, and everything that is offered is safe.
//!
//! # Invariant
//!
//! The value of slot `i` is initialised **exactly if** the roster says that `i` is live.
//!
//! The roster changes nowhere else: it is private to this module, and what is lent out is shared. User
//! code (a `Drop`, a `Clone`, a closure) runs only while the invariant holds.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::slice;

use super::roster::StaticRoster;
use crate::address::position_in;
use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::HandleLayout;
use crate::lifetimes::Lifetimes;
use crate::occupancy::LiveSlots;
use crate::slices::{RunSlices, RunSlicesMut};

pub(super) struct StaticStorage<T, const N: usize, H: HandleLayout> {
    roster: StaticRoster<N, H>,
    values: [MaybeUninit<T>; N],
}

impl<T, const N: usize, H: HandleLayout> StaticStorage<T, N, H> {
    pub(super) const fn new(lifetimes: &Lifetimes) -> Self {
        let values = [const { MaybeUninit::<T>::uninit() }; N];
        Self { roster: StaticRoster::new(lifetimes), values }
    }

    #[inline]
    pub(super) fn roster(&self) -> &StaticRoster<N, H> {
        &self.roster
    }

    #[cold]
    pub(super) fn refuse(&mut self) -> FullPool {
        self.roster.refuse()
    }

    pub(super) fn count_refusal(&mut self) {
        self.roster.count_refusal();
    }

    pub(super) fn count_eviction(&mut self) {
        self.roster.count_eviction();
    }

    #[cfg(feature = "recorder")]
    pub(super) fn listen(&mut self, track: Option<crate::recorder::Track>) {
        self.roster.listen(track);
    }

    #[inline]
    pub(super) fn insert(&mut self, value: T) -> Result<H, T> {
        let Some(handle) = self.roster.acquire() else {
            return Err(value);
        };
        self.values[handle.index() as usize].write(value);
        Ok(handle)
    }

    pub(super) fn insert_at(&mut self, handle: H, value: T) -> Result<H, (T, InsertAtErrorKind)> {
        match self.roster.claim(handle) {
            Ok(index) => {
                self.values[index].write(value);
                Ok(handle)
            }
            Err(kind) => Err((value, kind)),
        }
    }

    /// Makes a live slot dead, and gives its value; `None` if it is dead.
    #[inline]
    pub(super) fn take(&mut self, index: usize) -> Option<T> {
        if !self.roster.release(index) {
            return None;
        }
        // SAFETY: the slot was live, so its value is initialised; it is dead now, so nobody reads it
        // again.
        Some(unsafe { self.values[index].assume_init_read() })
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        if !self.roster.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live.
        Some(unsafe { self.values[index].assume_init_ref() })
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if !self.roster.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live.
        Some(unsafe { self.values[index].assume_init_mut() })
    }

    pub(super) fn get_disjoint_mut<const K: usize>(
        &mut self,
        handles: [H; K],
    ) -> Result<[&mut T; K], GetDisjointMutError> {
        self.roster.check_disjoint(&handles)?;
        match self.values.get_disjoint_mut(handles.map(|handle| handle.index() as usize)) {
            // SAFETY: every handle is good, so its slot is live.
            Ok(values) => Ok(values.map(|value| unsafe { value.assume_init_mut() })),
            Err(_) => unreachable!("the slots of good handles that differ are in range and differ"),
        }
    }

    pub(super) fn index_of(&self, value: &T) -> Option<usize> {
        position_in(&self.values, core::ptr::from_ref(value))
            .filter(|&index| self.roster.is_live(index))
    }

    /// The vacant slots come in the order of their indices again.
    pub(super) fn reset_order(&mut self) {
        self.roster.reset_order();
    }

    #[inline]
    pub(super) fn iter(&self) -> Slots<'_, T> {
        Slots { values: &self.values, live: self.roster.occupancy().iter() }
    }

    /// The values to change, and the roster to name them by.
    #[inline]
    pub(super) fn iter_mut(&mut self) -> (SlotsMut<'_, T>, &StaticRoster<N, H>) {
        let live = self.roster.occupancy().iter();
        let values = self.values.as_mut_ptr();
        (SlotsMut { values, live, borrow: PhantomData }, &self.roster)
    }

    #[inline]
    pub(super) fn runs(&self) -> ValueRuns<'_, T, H> {
        let runs = RunSlices::new(&self.values, self.roster.occupancy().runs());
        ValueRuns { runs, layout: PhantomData }
    }

    #[inline]
    pub(super) fn runs_mut(&mut self) -> ValueRunsMut<'_, T, H> {
        let runs = RunSlicesMut::new(&mut self.values, self.roster.occupancy().runs());
        ValueRunsMut { runs, layout: PhantomData }
    }
}

impl<T, const N: usize, H: HandleLayout> Drop for StaticStorage<T, N, H> {
    fn drop(&mut self) {
        if mem::needs_drop::<T>() {
            DropRest { storage: self, from: 0 }.drop_all();
        }
    }
}

/// Drops the values from a slot on. If one of them panics, the rest are still dropped while unwinding.
struct DropRest<'a, T, const N: usize, H: HandleLayout> {
    storage: &'a mut StaticStorage<T, N, H>,
    from: usize,
}

impl<T, const N: usize, H: HandleLayout> DropRest<'_, T, N, H> {
    fn drop_all(&mut self) {
        while self.from < N {
            self.from += 1;
            drop(self.storage.take(self.from - 1));
        }
    }
}

impl<T, const N: usize, H: HandleLayout> Drop for DropRest<'_, T, N, H> {
    fn drop(&mut self) {
        self.drop_all();
    }
}

impl<T: Clone, const N: usize, H: HandleLayout> Clone for StaticStorage<T, N, H> {
    /// Each value is inserted where it is in the original, so that a clone that panics drops what was
    /// copied. The roster, with the same slots live, follows at the end.
    fn clone(&self) -> Self {
        let mut copy = Self::new(&Lifetimes::PLAIN);
        for (index, value) in self.iter() {
            let Some(handle) = self.roster.handle_at(index) else { continue };
            let Ok(_) = copy.insert_at(handle, value.clone()) else {
                unreachable!("a slot that was never used can begin any lifetime");
            };
        }
        copy.roster.clone_from(&self.roster);
        copy
    }
}

/// Taking over the state of another pool of the same circle.
impl<T, const N: usize, H: HandleLayout> StaticStorage<T, N, H> {
    pub(super) fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        let used = self.roster.used().max(other.roster.used());
        // No value has drop code, so that none is missed; which ones are initialised says the roster.
        self.values[..used].copy_from_slice(&other.values[..used]);
        self.roster.take_over(&other.roster);
    }

    /// If a clone or a drop panics, nothing is live.
    pub(super) fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        let guard = EmptyUnlessDone { storage: self };
        let storage = &mut *guard.storage;
        for index in 0..N {
            match (storage.get_mut(index), other.get(index)) {
                (Some(value), Some(source)) => value.clone_from(source),
                (Some(_), None) => drop(storage.take(index)),
                (None, Some(source)) => {
                    let value = source.clone();
                    storage.values[index].write(value);
                    // Whatever the generation: the roster of the other follows.
                    storage.roster.begin_out_of_order(index);
                }
                (None, None) => {}
            }
        }
        storage.roster.take_over(&other.roster);
        mem::forget(guard);
    }
}

#[cfg(all(feature = "serde", feature = "alloc"))]
impl<T, const N: usize, H: HandleLayout> StaticStorage<T, N, H> {
    /// A storage as it was saved: the values are those of the words' live slots.
    pub(super) fn load(
        saved: &crate::snapshot::format::Checked<H::Word>,
        values: alloc::vec::Vec<(usize, T)>,
    ) -> Self {
        use crate::handle::Word;
        let mut storage = Self::new(&Lifetimes::PLAIN);
        storage.roster.set_circle(&saved.circle);
        for (index, value) in values {
            storage.values[index].write(value);
            storage.roster.begin_out_of_order(index);
        }
        let is_live = |index| storage.roster.is_live(index);
        let agree = (0..N).all(|index| is_live(index) != saved.words[index].is_dead());
        assert!(agree && saved.words.len() == N, "the live slots are those with values");
        storage.roster.load(saved);
        storage
    }
}

/// Empties a storage that was left half-way.
struct EmptyUnlessDone<'a, T, const N: usize, H: HandleLayout> {
    storage: &'a mut StaticStorage<T, N, H>,
}

impl<T, const N: usize, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, N, H> {
    fn drop(&mut self) {
        for index in 0..N {
            drop(self.storage.take(index));
        }
        self.storage.roster.recount();
    }
}

/// Implements what both iterators over single slots have in common: `self.live` yields the indices, and
/// `Self::value` makes a reference to the value of a live slot.
macro_rules! iterator {
    ($name:ident yields $item:ty) => {
        impl<'a, T> Iterator for $name<'a, T> {
            type Item = (usize, $item);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let index = self.live.next()?;
                // SAFETY: the index comes from `self.live`.
                Some((index, unsafe { Self::value(self.values, index) }))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.live.size_hint()
            }

            #[inline]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
                let values = self.values;
                self.live.fold(start, |folded, index| {
                    // SAFETY: the index comes from `self.live`.
                    f(folded, (index, unsafe { Self::value(values, index) }))
                })
            }
        }

        impl<T> DoubleEndedIterator for $name<'_, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let index = self.live.next_back()?;
                // SAFETY: the index comes from `self.live`.
                Some((index, unsafe { Self::value(self.values, index) }))
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
        impl<T> FusedIterator for $name<'_, T> {}
    };
}

/// The live slots and their values, in index order, from both ends.
pub(super) struct Slots<'a, T> {
    values: &'a [MaybeUninit<T>],
    live: LiveSlots<'a>,
}

iterator! { Slots yields &'a T }

impl<'a, T> Slots<'a, T> {
    /// # Safety
    ///
    /// The index comes from the `live` that goes with the values.
    #[inline]
    unsafe fn value(values: &'a [MaybeUninit<T>], index: usize) -> &'a T {
        // SAFETY: `live` yields live slots only, and the roster is borrowed with the values.
        unsafe { values[index].assume_init_ref() }
    }
}

impl<T> Clone for Slots<'_, T> {
    fn clone(&self) -> Self {
        Self { values: self.values, live: self.live.clone() }
    }
}

/// The live slots and their values, mutable, in index order, from both ends.
pub(super) struct SlotsMut<'a, T> {
    values: *mut MaybeUninit<T>,
    live: LiveSlots<'a>,
    borrow: PhantomData<&'a mut [MaybeUninit<T>]>,
}

// SAFETY: it is a `&mut [T]` and an `Occupancy` in all but form.
unsafe impl<T: Send> Send for SlotsMut<'_, T> {}
// SAFETY: as above; a shared one gives no access to the values.
unsafe impl<T: Sync> Sync for SlotsMut<'_, T> {}

iterator! { SlotsMut yields &'a mut T }

impl<'a, T> SlotsMut<'a, T> {
    /// # Safety
    ///
    /// The index comes from the `live` that goes with the values, which yields each live slot once.
    #[inline]
    unsafe fn value(values: *mut MaybeUninit<T>, index: usize) -> &'a mut T {
        // SAFETY: `live` yields slots of this array only: the roster has no words beyond the last.
        let value = unsafe { values.add(index) };
        // SAFETY: the array is borrowed mutably for `'a`, and no slot is yielded twice, so this is the only
        // reference to it.
        let value = unsafe { &mut *value };
        // SAFETY: `live` yields live slots only, and the roster is borrowed with the values.
        unsafe { value.assume_init_mut() }
    }
}

/// Implements what both iterators over runs have in common: `self.runs` yields the slots, and `$initialised`
/// makes values of them.
macro_rules! runs {
    ($name:ident yields $item:ty, $initialised:ident) => {
        impl<'a, T, H: HandleLayout> Iterator for $name<'a, T, H> {
            type Item = (usize, $item);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let (first, values) = self.runs.next()?;
                // SAFETY: the slots of a run are live, and the roster is borrowed with the values.
                Some((first, unsafe { $initialised(values) }))
            }
        }

        impl<T, H: HandleLayout> DoubleEndedIterator for $name<'_, T, H> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (first, values) = self.runs.next_back()?;
                // SAFETY: the slots of a run are live, and the roster is borrowed with the values.
                Some((first, unsafe { $initialised(values) }))
            }
        }

        impl<T, H: HandleLayout> FusedIterator for $name<'_, T, H> {}
    };
}

/// The runs of a static pool's live slots: `(first index, &[T])`, in index order, from both ends.
pub struct ValueRuns<'a, T, H: HandleLayout> {
    runs: RunSlices<'a, MaybeUninit<T>>,
    layout: PhantomData<fn() -> H>,
}

runs! { ValueRuns yields &'a [T], initialised }

/// # Safety
///
/// All of the slots are live.
#[inline]
unsafe fn initialised<T>(values: &[MaybeUninit<T>]) -> &[T] {
    // SAFETY: the slots are live, so their values are initialised. `MaybeUninit<T>` has the layout of
    // `T`.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

impl<T, H: HandleLayout> Clone for ValueRuns<'_, T, H> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), layout: PhantomData }
    }
}

impl<T: fmt::Debug, H: HandleLayout> fmt::Debug for ValueRuns<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// The runs of a static pool's live slots, mutable: `(first index, &mut [T])`, in index order, from both
/// ends.
pub struct ValueRunsMut<'a, T, H: HandleLayout> {
    runs: RunSlicesMut<'a, MaybeUninit<T>>,
    layout: PhantomData<fn() -> H>,
}

runs! { ValueRunsMut yields &'a mut [T], initialised_mut }

/// # Safety
///
/// All of the slots are live.
#[inline]
unsafe fn initialised_mut<T>(values: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: the slots are live, so their values are initialised. `MaybeUninit<T>` has the layout of
    // `T`.
    unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
}

impl<T, H: HandleLayout> fmt::Debug for ValueRunsMut<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").finish_non_exhaustive()
    }
}
