//! The values of a pool: an array of slots, some of them initialised.
//!
//! This module and its children hold the unsafe code of the pools that move values in and out.
//! Everything that they offer is safe but for the two functions marked `unsafe`.
//!
//! # Invariant
//!
//! 1. `values.len()` is the occupancy's number of slots, and the two never change.
//! 2. The value of slot `i` is initialised **exactly if** the occupancy says that `i` is live.
//! 3. If the slots hold links (`R` threads its list through them and `T` has the room), the first
//!    bytes of every *dead* slot are an initialised [`Link`].
//!
//! The occupancy changes nowhere else: it is private to this module, and what is lent out is shared
//! or read-only. User code (a `Drop`, a `Clone`, a closure) runs only while the invariant holds.

mod cursor;
mod iter;
mod runs;

pub(crate) use cursor::CursorMut;
pub(crate) use iter::{Values, ValuesMut};
pub use runs::{ValueRuns, ValueRunsMut};

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, size_of};

use crate::memory::{self, OutOfMemory};
use crate::occupancy::Occupancy;
use crate::reuse::{Link, Queue, ReuseOrder, Slots};
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// An array of slots and which of them are live.
pub(crate) struct Storage<T, R: ReuseOrder> {
    values: Box<[MaybeUninit<T>]>,
    occupancy: Occupancy,
    order: PhantomData<R>,
}

impl<T, R: ReuseOrder> Storage<T, R> {
    /// Whether a dead slot of this storage holds a link.
    const LINKED: bool =
        <R::Queue<u32> as Queue<u32>>::LINKS_IN_SLOTS && size_of::<T>() >= size_of::<Link>();

    /// All slots dead, every page touched.
    pub(crate) fn try_new(slots: usize) -> Result<Self, OutOfMemory> {
        let mut values: Box<[MaybeUninit<T>]> =
            memory::from_fn(slots, |_| MaybeUninit::<T>::uninit())?;
        memory::touch(&mut values);
        let occupancy = Occupancy::try_new(slots)?;
        let mut storage = Self { values, occupancy, order: PhantomData };
        if Self::LINKED {
            for index in 0..slots {
                storage.write_link(index, Link::NONE);
            }
        }
        Ok(storage)
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if !self.occupancy.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live, as just tested.
        Some(unsafe { self.get_unchecked(index) })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if !self.occupancy.is_live(index) {
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
        debug_assert!(self.occupancy.is_live(index));
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
        debug_assert!(self.occupancy.is_live(index));
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
            debug_assert!(self.occupancy.is_live(index));
            // SAFETY: a live slot is within the array (invariant 1).
            let value = unsafe { values.add(index) };
            // SAFETY: no other of these references is to the same slot, and they borrow `self`.
            let value = unsafe { &mut *value };
            // SAFETY: the value of a live slot is initialised (invariant 2).
            unsafe { value.assume_init_mut() }
        })
    }

    /// Makes a dead slot live.
    pub(crate) fn put(&mut self, index: usize, value: T) {
        // A live slot would lose its value; the handles above make sure that it is dead.
        assert!(
            index < self.values.len() && !self.occupancy.is_live(index),
            "the slot is live already"
        );
        // SAFETY: just tested.
        unsafe { self.put_unchecked(index, value) };
    }

    /// Makes a dead slot live.
    ///
    /// # Safety
    ///
    /// The slot is in range and dead.
    #[inline]
    pub(crate) unsafe fn put_unchecked(&mut self, index: usize, value: T) {
        self.occupancy.set_live(index);
        // SAFETY: the slot is in range.
        unsafe { self.values.get_unchecked_mut(index) }.write(value);
    }

    /// Makes a live slot dead, tells the function, and gives the slot's value. The function may set
    /// links, and no user code runs in it.
    ///
    /// # Safety
    ///
    /// The slot is live, and the function makes no slot live.
    #[inline]
    pub(crate) unsafe fn take_unchecked(
        &mut self,
        index: usize,
        on_death: impl FnOnce(&mut Self),
    ) -> T {
        self.occupancy.set_dead(index);
        if !Self::LINKED {
            on_death(self);
            // Read last, the value goes straight to where the caller wants it.
            // SAFETY: the slot was live until now, and nothing has been written to it since.
            return unsafe { self.read(index) };
        }
        // SAFETY: the slot was live until now.
        let value = unsafe { self.read(index) };
        self.write_link(index, Link::NONE);
        on_death(self);
        value
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

    /// Makes a live slot dead, and gives its value; `None` if it is dead.
    #[inline]
    pub(crate) fn take(&mut self, index: usize) -> Option<T> {
        // SAFETY: the slot is live, as just tested.
        self.occupancy.is_live(index).then(|| unsafe { self.take_unchecked(index, |_| {}) })
    }

    /// Makes all slots dead without dropping their values, which have no drop code to run.
    pub(crate) fn forget_all(&mut self) {
        debug_assert!(!core::mem::needs_drop::<T>());
        if Self::LINKED {
            for index in 0..self.values.len() {
                self.take(index);
            }
        }
        self.occupancy.set_all_dead();
    }

    /// The address of the first slot.
    pub(crate) fn address(&self) -> usize {
        self.values.as_ptr().addr()
    }

    /// Which slot a reference into the array refers to.
    pub(crate) fn index_of(&self, value: &T) -> Option<usize> {
        memory::position_in(&self.values, core::ptr::from_ref(value))
            .filter(|&index| self.occupancy.is_live(index))
    }

    #[inline]
    pub(crate) fn iter(&self) -> Values<'_, T> {
        Values::new(&self.values, &self.occupancy)
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::new(&mut self.values, &self.occupancy)
    }

    /// The values to change, one at a time, by ascending index.
    #[inline]
    pub(crate) fn cursor_mut(&mut self) -> CursorMut<'_, T> {
        CursorMut::new(&mut self.values, &self.occupancy)
    }

    #[inline]
    pub(crate) fn runs(&self) -> ValueRuns<'_, T> {
        ValueRuns::new(&self.values, &self.occupancy)
    }

    #[inline]
    pub(crate) fn runs_mut(&mut self) -> ValueRunsMut<'_, T> {
        ValueRunsMut::new(&mut self.values, &self.occupancy)
    }

    /// Writes the link of a slot that is dead (or becomes so now).
    #[inline]
    fn write_link(&mut self, index: usize, link: Link) {
        let slot = self.values[index].as_mut_ptr().cast::<Link>();
        if Self::LINKED {
            // SAFETY: the slot is at least as large as a link, as `LINKED` says, and holds no value.
            unsafe { slot.write_unaligned(link) };
        }
    }
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder> Storage<T, R> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        self.occupancy.validate()?;
        ensure(
            self.values.len() == self.occupancy.slots(),
            "there is a place for the value of each slot",
            format_args!("{} places for {} slots", self.values.len(), self.occupancy.slots()),
        )
    }
}

impl<T, R: ReuseOrder> Slots for Storage<T, R> {
    const HOLDS_LINKS: bool = Self::LINKED;

    #[inline]
    fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    #[inline]
    fn link(&self, index: usize) -> Link {
        if !Self::LINKED || self.occupancy.is_live(index) {
            return Link::NONE;
        }
        let slot = self.values[index].as_ptr().cast::<Link>();
        // SAFETY: the slot is dead, so its first bytes are an initialised link (invariant 3).
        unsafe { slot.read_unaligned() }
    }

    #[inline]
    fn set_link(&mut self, index: usize, link: Link) {
        if !self.occupancy.is_live(index) {
            self.write_link(index, link);
        }
    }
}

impl<T, R: ReuseOrder> Drop for Storage<T, R> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        DropRest { storage: self, from: 0 }.drop_all();
    }
}

/// Drops the values from a slot on. If one of them panics, the rest are still dropped while
/// unwinding, as by a `Vec`.
struct DropRest<'a, T, R: ReuseOrder> {
    storage: &'a mut Storage<T, R>,
    from: usize,
}

impl<T, R: ReuseOrder> DropRest<'_, T, R> {
    fn drop_all(&mut self) {
        while let Some(index) = self.storage.occupancy.first_live_from(self.from) {
            self.from = index;
            drop(self.storage.take(index));
        }
    }
}

impl<T, R: ReuseOrder> Drop for DropRest<'_, T, R> {
    fn drop(&mut self) {
        self.drop_all();
    }
}

impl<T: Clone, R: ReuseOrder> Storage<T, R> {
    /// A copy with the same slots live. If a value's clone panics, what was copied is dropped.
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut storage = Self::try_new(self.values.len())?;
        for (index, value) in self.iter() {
            storage.put(index, value.clone());
        }
        for index in 0..self.values.len() {
            storage.set_link(index, self.link(index));
        }
        storage.occupancy.continue_from(&self.occupancy);
        Ok(storage)
    }
}
