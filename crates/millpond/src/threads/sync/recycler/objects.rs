//! The objects of a recycler: made with it, or each when it is first needed.
//!
//! # Invariant
//!
//! 1. A place below `made` has an object. Any other has one unless its bit in `unmade` is set or there is an [`Unmade`]
//!    of it, which the thread has that has cleared the bit.
//! 2. `&mut` to the objects means that there is no `Unmade`, and that no guard owns an object.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;

use crate::base::guard::continue_after_panic;
use crate::base::lines::Lines;
use crate::base::memory::OutOfMemory;
use crate::threads::sync::atomics::Cell;
use crate::threads::sync::free::{FreeSlots, WORD_SLOTS};
use crate::threads::sync::order;
use crate::threads::sync::slots::uninitialised;

/// The objects, and places for those that are still to be made.
pub(super) struct Objects<T> {
    places: Lines<Cell<MaybeUninit<T>>>,
    /// So many were made with the recycler, and are not dropped yet.
    made: usize,
    /// All others.
    later: Option<Later<T>>,
}

/// Makes objects when they are first needed.
struct Later<T> {
    make: Make<T>,
    unmade: FreeSlots,
}

/// Constructs the object with an index.
pub(super) type Make<T> = Box<dyn Fn(usize) -> T + Send + Sync>;

impl<T> Objects<T> {
    /// Makes all objects now.
    pub(super) fn try_made(
        objects: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<Self, OutOfMemory> {
        let mut all = Self { places: uninitialised(objects)?, made: 0, later: None };
        for index in 0..objects {
            let object = make(index);
            // SAFETY: nobody else has the places yet.
            unsafe { all.put(index, object) };
            // If `make` panics next, the objects up to this are dropped.
            all.made = index + 1;
        }
        Ok(all)
    }

    /// Makes none now.
    pub(super) fn try_later(objects: usize, make: Make<T>) -> Result<Self, OutOfMemory> {
        // Few threads make objects, and each only once.
        let later = Later { make, unmade: FreeSlots::try_new(objects, 1)? };
        Ok(Self { places: uninitialised(objects)?, made: 0, later: Some(later) })
    }

    /// The number of objects, made or not.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The number of those that are still to be made; exact while no thread makes one.
    pub(super) fn unmade(&self) -> usize {
        self.later.as_ref().map_or(0, |later| later.unmade.count())
    }

    /// The place of an object.
    #[inline]
    pub(super) fn place(&self, index: usize) -> &Cell<MaybeUninit<T>> {
        &self.places[index]
    }

    /// An object that is still to be made, whose place this thread then owns.
    pub(super) fn claim_unmade(&self) -> Option<Unmade<'_, T>> {
        let later = self.later.as_ref()?;
        // What another thread did before it set the bit again is of no interest: it has not written to the place.
        let index = later.unmade.claim(0, Relaxed)?;
        Some(Unmade { objects: self, later, index })
    }

    /// Puts an object in its place.
    ///
    /// # Safety
    ///
    /// The caller owns the place, which has no object.
    unsafe fn put(&self, index: usize, object: T) {
        self.places[index].with_mut(|place| {
            // SAFETY: the caller owns the place.
            unsafe { (*place).write(object) };
        });
    }

    /// Whether a place has an object, with exclusive access.
    fn has_object(&self, index: usize) -> bool {
        let is_made_later = |later: &Later<T>| {
            later.unmade.word_of(index).load(Relaxed) & 1 << (index % WORD_SLOTS) == 0
        };
        index < self.made || self.later.as_ref().is_some_and(is_made_later)
    }
}

/// An object that is still to be made, whose place this thread owns.
pub(super) struct Unmade<'a, T> {
    objects: &'a Objects<T>,
    later: &'a Later<T>,
    index: usize,
}

impl<T> Unmade<'_, T> {
    /// Makes the object, which this thread then owns, and returns its index. If that panics, it is still to be made.
    pub(super) fn make(self) -> usize {
        let index = self.index;
        let object = (self.later.make)(index);
        // SAFETY: this thread owns the place, and no longer sets its bit.
        unsafe { self.objects.put(index, object) };
        core::mem::forget(self);
        index
    }
}

/// Leaves the object to be made by another thread.
impl<T> Drop for Unmade<'_, T> {
    fn drop(&mut self) {
        let bit = 1 << (self.index % WORD_SLOTS);
        self.later.unmade.word_of(self.index).fetch_or(bit, order::release());
    }
}

/// Drops the objects that were made. If a drop panics, the rest are dropped while unwinding.
impl<T> Drop for Objects<T> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            let mut indices = 0..self.len();
            continue_after_panic(&mut indices, |indices| {
                for index in indices.filter(|index| self.has_object(*index)) {
                    self.places[index].with_mut(|place| {
                        // SAFETY: the place has an object, which nobody has any more (invariant 2), and each index comes
                        // once.
                        unsafe { place.cast::<T>().drop_in_place() };
                    });
                }
            });
        }
    }
}
