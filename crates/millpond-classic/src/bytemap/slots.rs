//! The slots of a byte-map pool: the bytes, and the values that they tell of.
//!
//! # Invariant
//!
//! 1. There are as many values as bytes, and a value is initialised **if and only if** its byte has no [`FREE`] bit.
//! 2. If the slots are filled (`debug-aids`), every byte of each value that is not initialised is.
//!
//! User code (the drop of a value) runs only while the invariant holds.

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::slice;

use millpond::__parts::bytes::{bytes_mut, initialised};
use millpond::__parts::dead_slots::{Filled, fill, find_changed};
use millpond::__parts::guard::continue_after_panic;
use millpond::__parts::{OutOfMemory, memory, sanitizer};

/// Bit 7 of a slot's byte: set while the slot is free.
pub(super) const FREE: u8 = 0x80;

/// The same bit of eight bytes.
const EIGHT_FREE: u64 = u64::from_ne_bytes([FREE; 8]);

#[inline]
fn is_live(byte: u8) -> bool {
    byte & FREE == 0
}

pub(super) struct Slots<T> {
    bytes: Box<[u8]>,
    values: Box<[MaybeUninit<T>]>,
    live: usize,
    fills: Option<Filled>,
}

impl<T> Slots<T> {
    /// Free slots with this byte, every page touched, and filled as these settings say.
    pub(super) fn try_new(
        count: usize,
        byte: u8,
        fills: Option<Filled>,
    ) -> Result<Self, OutOfMemory> {
        let bytes = memory::filled(count, byte | FREE)?;
        let mut values = memory::reserved_and_touched(count)?;
        // SAFETY: there is room for so many, and a `MaybeUninit` need not be initialised.
        unsafe { values.set_len(count) };
        let mut slots = Self { bytes, values: values.into_boxed_slice(), live: 0, fills };
        slots.lay_out_free();
        Ok(slots)
    }

    pub(super) fn fills(&self) -> Option<Filled> {
        self.fills
    }

    /// Fills free slots from now on.
    #[cfg(feature = "debug-aids")]
    pub(super) fn fill_free(&mut self) {
        self.fills = millpond::__parts::dead_slots::filled(1);
        self.lay_out_free();
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many slots are live.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.live
    }

    #[inline]
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.bytes.get(index).is_some_and(|byte| is_live(*byte))
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        // SAFETY: the slot is live, so that its value is initialised (invariant 1).
        self.is_live(index).then(|| unsafe { self.values[index].assume_init_ref() })
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        // SAFETY: as above.
        self.is_live(index).then(|| unsafe { self.values[index].assume_init_mut() })
    }

    /// The slot of a value, from its address.
    pub(super) fn index_of(&self, value: &T) -> Option<usize> {
        memory::position_in(&self.values, value)
    }

    /// The first free slot from this one on, of which eight bytes at a time are looked at.
    #[inline]
    pub(super) fn first_free_from(&self, from: usize) -> Option<usize> {
        let mut eights = self.bytes.get(from..)?.chunks_exact(8);
        let mut before = from;
        for eight in eights.by_ref() {
            let free = eight.try_into().map_or(0, u64::from_le_bytes) & EIGHT_FREE;
            if free != 0 {
                return Some(before + (free.trailing_zeros() / 8) as usize);
            }
            before += 8;
        }
        let rest = eights.remainder().iter().position(|byte| !is_live(*byte));
        rest.map(|position| before + position)
    }

    /// Moves a value into a free slot, which gets this byte, without the free bit.
    pub(super) fn put(&mut self, index: usize, byte: u8, value: T) {
        assert!(!is_live(self.bytes[index]), "the slot is live already");
        let place = &mut self.values[index];
        sanitizer::unpoison(slice::from_mut(place));
        place.write(value);
        self.bytes[index] = byte & !FREE;
        self.live += 1;
    }

    /// Frees a slot and returns its value; `None` if it is free already, or there is no such slot. Its seed stays.
    #[inline]
    pub(super) fn take(&mut self, index: usize) -> Option<T> {
        if !self.is_live(index) {
            return None;
        }
        // SAFETY: the slot is live, so that its value is initialised (invariant 1), and it is not read again.
        let value = unsafe { self.values[index].assume_init_read() };
        self.bytes[index] |= FREE;
        self.live -= 1;
        self.lay_out(index);
        Some(value)
    }

    /// Gives all slots, which are free, this byte.
    pub(super) fn reset_bytes(&mut self, byte: u8) {
        assert!(self.live == 0, "a live slot keeps its byte");
        self.bytes.fill(byte | FREE);
    }

    /// Inspects a slot that is about to be used, if it is free.
    ///
    /// # Panics
    ///
    /// If the slot was written to since it was filled. It is filled again first.
    #[track_caller]
    pub(super) fn inspect(&mut self, index: usize) {
        if self.fills.is_none() || self.is_live(index) {
            return;
        }
        let place = &mut self.values[index];
        sanitizer::unpoison(slice::from_mut(place));
        // SAFETY: the slots are filled, so that these bytes of a free one are initialised (invariant 2).
        let changed = find_changed(unsafe { initialised(bytes_mut(place)) });
        self.lay_out(index);
        if let Some(changed) = changed {
            panic!("the pool: slot {index} was written to while it was dead: {changed}");
        }
    }

    /// Fills a free slot, if it is to be filled, and poisons it.
    #[inline]
    fn lay_out(&mut self, index: usize) {
        let place = &mut self.values[index];
        if self.fills.is_some() {
            fill(bytes_mut(place));
        }
        sanitizer::poison(slice::from_mut(place));
    }

    fn lay_out_free(&mut self) {
        for index in 0..self.bytes.len() {
            if !self.is_live(index) {
                sanitizer::unpoison(slice::from_mut(&mut self.values[index]));
                self.lay_out(index);
            }
        }
    }

    /// The values of the live slots, with the slots and their bytes.
    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, u8, &T)> + ExactSizeIterator {
        let slots = self.bytes.iter().zip(&self.values).enumerate();
        let live = slots.filter(|(_, (byte, _))| is_live(**byte));
        // SAFETY: these slots are live, so that their values are initialised (invariant 1).
        let values = live.map(|(i, (byte, value))| (i, *byte, unsafe { value.assume_init_ref() }));
        Counted { values, left: self.live }
    }

    /// The same, mutable.
    pub(super) fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (usize, u8, &mut T)> + ExactSizeIterator {
        let slots = self.bytes.iter().zip(&mut self.values).enumerate();
        let live = slots.filter(|(_, (byte, _))| is_live(**byte));
        // SAFETY: as above.
        let values = live.map(|(i, (byte, value))| (i, *byte, unsafe { value.assume_init_mut() }));
        Counted { values, left: self.live }
    }
}

impl<T> Drop for Slots<T> {
    /// If a value's drop panics, the rest are still dropped while unwinding, as in a `Vec`.
    fn drop(&mut self) {
        continue_after_panic(self, |slots| {
            if core::mem::needs_drop::<T>() {
                for (byte, value) in slots.bytes.iter_mut().zip(&mut slots.values) {
                    if is_live(*byte) {
                        // Nobody drops it again if its drop panics.
                        *byte |= FREE;
                        // SAFETY: the slot was live until now, so that its value is initialised (invariant 1).
                        unsafe { value.assume_init_drop() };
                    }
                }
            }
            sanitizer::unpoison(&mut slots.values);
        });
    }
}

/// An iterator over as many values as are left.
struct Counted<I> {
    values: I,
    left: usize,
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.values.next().inspect(|_| self.left -= 1)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Counted<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        self.values.next_back().inspect(|_| self.left -= 1)
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_slot_is_found_wherever_it_is() {
        for count in 0..40 {
            let mut slots = Slots::try_new(count, 0, None).unwrap();
            (0..count).for_each(|index| slots.put(index, 1, index));
            for free in 0..count {
                assert_eq!(slots.take(free), Some(free));
                for from in 0..count + 2 {
                    let expected = (from <= free).then_some(free);
                    assert_eq!(slots.first_free_from(from), expected, "{free} from {from}");
                }
                slots.put(free, 1, free);
            }
            assert_eq!(slots.first_free_from(0), None);
        }
    }
}
