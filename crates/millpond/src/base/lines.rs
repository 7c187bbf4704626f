//! Arrays that begin on a cache line of their own.
//!
//! # Invariant
//!
//! `first` points to memory from [`memory::take`] for `room` values, of which the first `len` are initialised; the array
//! owns both.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::ptr::{self, NonNull};
use core::slice;

use crate::base::memory::{self, OutOfMemory};

/// Two lines of 64 bytes, because processors fetch them in pairs; some have lines as long.
const LINE_BYTES: usize = 128;

/// Values of which the first begins a line. So do those after any multiple of 128 values, whatever their size, and
/// if it is even after any multiple of 64.
pub(crate) struct Lines<V> {
    first: NonNull<V>,
    len: usize,
    room: usize,
    owns: PhantomData<V>,
}

// SAFETY: the array owns its values, as a `Box` does.
unsafe impl<V: Send> Send for Lines<V> {}
// SAFETY: as above.
unsafe impl<V: Sync> Sync for Lines<V> {}

impl<V> Lines<V> {
    fn layout(room: usize) -> Result<Layout, OutOfMemory> {
        Layout::array::<V>(room)
            .and_then(|layout| layout.align_to(LINE_BYTES))
            .map_err(|_| OutOfMemory)
    }

    /// No values, and memory for this many, from one of the functions that take it.
    fn with_room(
        room: usize,
        take: fn(Layout) -> Result<NonNull<u8>, OutOfMemory>,
    ) -> Result<Self, OutOfMemory> {
        let first = take(Self::layout(room)?)?.cast();
        Ok(Self { first, len: 0, room, owns: PhantomData })
    }

    /// Values that a function computes from their indices.
    pub(crate) fn from_fn(
        len: usize,
        mut make: impl FnMut(usize) -> V,
    ) -> Result<Self, OutOfMemory> {
        let mut lines = Self::with_room(len, memory::take)?;
        for index in 0..len {
            let value = make(index);
            let place = lines.first.as_ptr().wrapping_add(index);
            // SAFETY: there is memory for `len` values. If `make` panics next, the values up to this are dropped.
            unsafe { place.write(value) };
            lines.len = index + 1;
        }
        Ok(lines)
    }
}

impl<V> Lines<MaybeUninit<V>> {
    /// Places for this many values, every page of them written.
    pub(crate) fn uninit_and_touched(len: usize) -> Result<Self, OutOfMemory> {
        let mut lines = Self::with_room(len, memory::take_touched)?;
        // A `MaybeUninit` need not be initialised.
        lines.len = len;
        Ok(lines)
    }

    /// The same memory, with values.
    ///
    /// # Safety
    ///
    /// Its bytes are those of initialised values.
    pub(crate) unsafe fn assume_init(self) -> Lines<V> {
        let Self { first, len, room, .. } = *ManuallyDrop::new(self);
        Lines { first: first.cast(), len, room, owns: PhantomData }
    }
}

impl<V> Deref for Lines<V> {
    type Target = [V];

    #[inline]
    fn deref(&self) -> &[V] {
        // SAFETY: there are so many values, and whoever has them exclusively has the array exclusively.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<V> Drop for Lines<V> {
    fn drop(&mut self) {
        // The layout was valid when the memory was taken.
        let Ok(layout) = Self::layout(self.room) else { return };
        let values = ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len);
        let memory = crate::base::guard::guard(self.first.cast(), move |memory| {
            // SAFETY: it is from `take` with this layout, and the values are gone.
            unsafe { memory::give_back(*memory, layout) };
        });
        // SAFETY: the array owns so many values, and nobody uses them after this.
        unsafe { values.drop_in_place() };
        drop(memory);
    }
}

impl<V: fmt::Debug> fmt::Debug for Lines<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use alloc::rc::Rc;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn the_first_value_begins_a_line() {
        fn begins<V: Default>() {
            for len in [0, 1, 63, 1000] {
                let lines = Lines::from_fn(len, |_| V::default()).unwrap();
                assert_eq!((lines.as_ptr().addr() % LINE_BYTES, lines.len()), (0, len));
                let lines = Lines::<MaybeUninit<V>>::uninit_and_touched(len).unwrap();
                assert_eq!((lines.as_ptr().addr() % LINE_BYTES, lines.len()), (0, len));
            }
        }
        begins::<u8>();
        begins::<[u64; 3]>();
        begins::<()>();
        assert!(Lines::from_fn(usize::MAX, |_| 0_u64).is_err());
    }

    #[test]
    fn values_are_dropped_once_each_whoever_panics() {
        let value = Rc::new(());
        let made = || {
            Lines::from_fn(5, |index| match index {
                3 => panic!("on purpose"),
                _ => Rc::clone(&value),
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(made)).is_err());
        assert_eq!(Rc::strong_count(&value), 1);

        struct Panics(Rc<()>);
        impl Drop for Panics {
            fn drop(&mut self) {
                if Rc::strong_count(&self.0) == 6 {
                    panic!("on purpose");
                }
            }
        }
        let lines = Lines::from_fn(5, |_| Panics(Rc::clone(&value))).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(lines))).is_err());
        assert_eq!(Rc::strong_count(&value), 1);
    }

    #[test]
    fn written_places_are_values() {
        let lines = Lines::from_fn(3, |_| MaybeUninit::new(7)).unwrap();
        // SAFETY: all are written.
        assert_eq!(unsafe { lines.assume_init() }[..], [7; 3]);
    }
}
