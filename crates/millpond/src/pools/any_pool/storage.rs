//! The values of an [`AnyPool`](super::AnyPool): rooms of one size, and what is in each.
//!
//! # Invariant
//!
//! 1. There are as many rooms as places. The rooms never move. Those with a value are reached only through
//!    the pointers of the places.
//! 2. A place that is `Some` points to its own room, which holds an initialised value of the type that
//!    `type_id` gives; `value` is a pointer to it as the trait object of that type.
//! 3. Of a storage that fills, every byte of each empty room is initialised, but for the one whose value is
//!    being destroyed.
//!
//! User code (a `Drop`) runs only while the invariant holds.

use alloc::boxed::Box;
use core::any::TypeId;
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::ptr::NonNull;

use super::CoercesFrom;
use crate::base::guard::{continue_after_panic, guard};
use crate::base::memory::{self, OutOfMemory};
use crate::base::sanitizer;
use crate::pools::shell::each_mut;
use crate::reports::debug::{Fills, Watch, fill, find_changed};
use crate::reports::errors::GetDisjointMutError;

/// What every room is aligned to.
pub(super) const ALIGN: usize = 16;

/// The memory of one value.
#[repr(C, align(16))]
struct Room<const SLOT_BYTES: usize>([MaybeUninit<u8>; SLOT_BYTES]);

/// The memory of all values, apart from what refers to it.
struct Rooms<const SLOT_BYTES: usize>(NonNull<[MaybeUninit<Room<SLOT_BYTES>>]>);

// SAFETY: this is the owner of the memory; the values in it are the places'.
unsafe impl<const SLOT_BYTES: usize> Send for Rooms<SLOT_BYTES> {}

// SAFETY: nothing can be done with shared rooms.
unsafe impl<const SLOT_BYTES: usize> Sync for Rooms<SLOT_BYTES> {}

impl<const SLOT_BYTES: usize> Rooms<SLOT_BYTES> {
    /// The first byte of a room.
    #[inline]
    fn address(&self, index: usize) -> *mut u8 {
        self.0.cast::<Room<SLOT_BYTES>>().as_ptr().wrapping_add(index).cast()
    }
}

impl<const SLOT_BYTES: usize> Drop for Rooms<SLOT_BYTES> {
    fn drop(&mut self) {
        sanitizer::unpoison_at(self.address(0), self.0.len() * size_of::<Room<SLOT_BYTES>>());
        // SAFETY: the pointer came from a box, and goes back into one once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// What is in one room.
struct Place<D: ?Sized> {
    value: NonNull<D>,
    type_id: fn() -> TypeId,
}

// SAFETY: a place owns the value that it points to. If `D` is `Send`, so is the value, as `CoercesFrom`
// promises.
unsafe impl<D: ?Sized + Send> Send for Place<D> {}

// SAFETY: as above, with `Sync`: a shared place lends out shared references to its value.
unsafe impl<D: ?Sized + Sync> Sync for Place<D> {}

impl<D: ?Sized> Place<D> {
    fn holds<T: 'static>(&self) -> bool {
        (self.type_id)() == TypeId::of::<T>()
    }
}

pub(super) struct AnyStorage<D: ?Sized, const SLOT_BYTES: usize> {
    rooms: Rooms<SLOT_BYTES>,
    places: Box<[Option<Place<D>>]>,
    values: PhantomData<D>,
    fills: Fills,
}

impl<D: ?Sized, const SLOT_BYTES: usize> AnyStorage<D, SLOT_BYTES> {
    /// Empty rooms, every page touched.
    pub(super) fn try_new(slots: usize) -> Result<Self, OutOfMemory> {
        // The largest part first, so that a failure comes before the rest is allocated.
        let mut rooms = memory::uninit_and_touched::<Room<SLOT_BYTES>>(slots)?;
        sanitizer::poison(&mut rooms);
        let rooms = Rooms(NonNull::from(Box::leak(rooms)));
        let places = memory::from_fn(slots, |_| None)?;
        Ok(Self { rooms, places, values: PhantomData, fills: Fills::default() })
    }

    /// Moves a value into an empty room.
    #[inline]
    pub(super) fn put<T: 'static>(&mut self, index: usize, value: T)
    where
        D: CoercesFrom<T>,
    {
        const {
            assert!(size_of::<T>() <= SLOT_BYTES, "the value is larger than the pool's SLOT_BYTES");
            assert!(align_of::<T>() <= ALIGN, "an AnyPool holds values aligned to 16 at most");
        }
        let place = &mut self.places[index];
        // An existing value would be lost.
        assert!(place.is_none(), "the slot is live already");
        let rooms = self.rooms.0.cast::<Room<SLOT_BYTES>>();
        // SAFETY: there is a room for each place (invariant 1).
        let room = unsafe { rooms.add(index) }.cast::<T>();
        sanitizer::unpoison_at(self.rooms.address(index), size_of::<T>());
        // SAFETY: the room is large enough and aligned for a `T`, and empty.
        unsafe { room.write(value) };
        let value = NonNull::new(D::coerce(room.as_ptr()));
        *place = value.map(|value| Place { value, type_id: TypeId::of::<T> });
    }

    /// The value of a room.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&D> {
        let place = self.places.get(index)?.as_ref()?;
        // SAFETY: the room holds a value (invariant 2), and is borrowed with the storage.
        Some(unsafe { place.value.as_ref() })
    }

    /// The value of a room, mutable.
    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut D> {
        self.places.get_mut(index)?.as_mut().map(lend)
    }

    /// Whether there is a value of this type in the room.
    pub(super) fn holds<T: 'static>(&self, index: usize) -> bool {
        matches!(self.places.get(index), Some(Some(place)) if place.holds::<T>())
    }

    /// The value of a room, if it is of this type.
    #[inline]
    pub(super) fn get_as<T: 'static>(&self, index: usize) -> Option<&T> {
        let place = self.places.get(index)?.as_ref().filter(|place| place.holds::<T>())?;
        // SAFETY: the room holds a value of this type (invariant 2), and is borrowed with the storage.
        Some(unsafe { place.value.cast::<T>().as_ref() })
    }

    /// The value of a room, mutable, if it is of this type.
    #[inline]
    pub(super) fn get_as_mut<T: 'static>(&mut self, index: usize) -> Option<&mut T> {
        let place = self.places.get_mut(index)?.as_mut().filter(|place| place.holds::<T>())?;
        // SAFETY: as above; nobody else refers to the room, as its place is borrowed exclusively.
        Some(unsafe { place.value.cast::<T>().as_mut() })
    }

    /// The values of those of several rooms that have one.
    pub(super) fn get_each_mut<const N: usize>(
        &mut self,
        indices: [Option<usize>; N],
    ) -> Result<[Option<&mut D>; N], GetDisjointMutError> {
        let places = each_mut(&mut self.places, indices)?;
        Ok(places.map(|place| place?.as_mut().map(lend)))
    }

    /// Moves the value out of a room, if it is of this type.
    pub(super) fn take_as<T: 'static>(&mut self, index: usize) -> Option<T> {
        let place = self.places.get_mut(index)?.take_if(|place| place.holds::<T>())?;
        // SAFETY: the room held a value of this type (invariant 2), and is empty now: nobody reads it
        // again.
        let value = unsafe { place.value.cast::<T>().read() };
        self.bury(index);
        Some(value)
    }

    /// Destroys the value of a room. `false` if there is none.
    pub(super) fn remove(&mut self, index: usize) -> bool {
        let Some(place) = self.places.get_mut(index).and_then(Option::take) else {
            return false;
        };
        let _emptied = guard(self, move |storage| storage.bury(index));
        // SAFETY: the room held a value (invariant 2), and is empty now: nobody uses it again.
        unsafe { place.value.drop_in_place() };
        true
    }

    /// The room is empty.
    #[inline]
    fn bury(&mut self, index: usize) {
        if self.fills.are_of(self.places.len()) {
            fill(self.empty_room(index), 0);
        }
        sanitizer::poison_at(self.rooms.address(index), size_of::<Room<SLOT_BYTES>>());
    }

    /// The values, mutable, by ascending index at the front and descending at the back.
    pub(super) fn cursor_mut(&mut self) -> CursorMut<'_, D> {
        CursorMut { places: &mut self.places, first: 0 }
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize> AnyStorage<D, SLOT_BYTES> {
    /// Fills empty rooms from now on.
    pub(super) fn fill_dead(&mut self) {
        self.fills = Fills::of(self.places.len());
        for index in 0..self.places.len() {
            if self.places[index].is_none() {
                self.bury(index);
            }
        }
    }

    /// The bytes of an empty room.
    fn empty_room(&mut self, index: usize) -> &mut [MaybeUninit<u8>] {
        assert!(self.places[index].is_none(), "a value that is there would be lost");
        let room = self.rooms.address(index);
        sanitizer::unpoison_at(room, SLOT_BYTES);
        // SAFETY: there is a room for each place (invariant 1). It has this many bytes, which may
        // have any value, as it is empty, and is borrowed with the storage.
        unsafe { core::slice::from_raw_parts_mut(room.cast(), SLOT_BYTES) }
    }

    /// Inspects a room that is about to receive a value.
    ///
    /// # Panics
    ///
    /// If the room was written to since it became empty. Its filling is restored first.
    #[track_caller]
    pub(super) fn inspect(&mut self, index: usize, watch: &Watch) {
        if !self.fills.are_of(self.places.len()) || !matches!(self.places.get(index), Some(None)) {
            return;
        }
        let room = core::ptr::from_ref(self.empty_room(index)) as *const [u8];
        // SAFETY: the storage fills, so the bytes of an empty room are initialised (invariant 3).
        let changed = find_changed(unsafe { &*room }, 0);
        self.bury(index);
        watch.inspected(index, changed);
    }
}

#[inline]
fn lend<D: ?Sized>(place: &mut Place<D>) -> &mut D {
    // SAFETY: the room holds a value (invariant 2), and nobody else refers to it: its place is
    // borrowed exclusively, and for as long.
    unsafe { place.value.as_mut() }
}

impl<D: ?Sized, const SLOT_BYTES: usize> Drop for AnyStorage<D, SLOT_BYTES> {
    fn drop(&mut self) {
        continue_after_panic(self, |storage| {
            for index in 0..storage.places.len() {
                storage.remove(index);
            }
        });
    }
}

/// Lends each value once.
pub(super) struct CursorMut<'a, D: ?Sized> {
    /// The places that neither end has passed, and the index of their first.
    places: &'a mut [Option<Place<D>>],
    first: usize,
}

impl<'a, D: ?Sized> CursorMut<'a, D> {
    /// The value at an index that the front has not passed.
    #[inline]
    pub(super) fn at_front(&mut self, index: usize) -> Option<&'a mut D> {
        let (passed, rest) = mem::take(&mut self.places).split_at_mut(index + 1 - self.first);
        let place = &mut passed[index - self.first];
        self.places = rest;
        self.first = index + 1;
        place.as_mut().map(lend)
    }

    /// The value at an index that the back has not passed.
    #[inline]
    pub(super) fn at_back(&mut self, index: usize) -> Option<&'a mut D> {
        let (rest, passed) = mem::take(&mut self.places).split_at_mut(index - self.first);
        self.places = rest;
        passed[0].as_mut().map(lend)
    }
}
