use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::slice;

use crate::occupancy::{LiveBits, Occupancy, Source};

/// The values of the live slots with their indices, in index order, from both ends.
///
/// A walk has a prefix or bits, never both, and `next` decides which by `until` alone. No step forward writes it, so
/// compilers make two loops of a `for` over this: one over a slice, and one over bits whose steps do not ask for a slice.
pub(crate) struct Values<'a, T> {
    values: &'a [MaybeUninit<T>],
    /// The rest of the prefix, which ends at slot `until`; that is 0 if there is none.
    prefix: slice::Iter<'a, T>,
    until: usize,
    bits: LiveBits,
    source: Source<'a>,
}

impl<'a, T> Values<'a, T> {
    #[inline(always)]
    pub(super) fn new(values: &'a [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        let (bits, until) = LiveBits::new(occupancy);
        // SAFETY: the occupancy names slots of this array only (invariant 1), which are live in the prefix (invariant 4),
        // so that their values are initialised (invariant 2).
        let prefix = unsafe { slice::from_raw_parts(values.as_ptr().cast(), until) }.iter();
        Self { values, prefix, until, bits, source: occupancy.source() }
    }

    /// # Safety
    ///
    /// The index comes from the `bits` of these values.
    #[inline(always)]
    unsafe fn at(values: &'a [MaybeUninit<T>], index: usize) -> &'a T {
        // SAFETY: the occupancy names slots of this array only (invariant 1).
        let value = unsafe { values.get_unchecked(index) };
        // SAFETY: as the caller promises, the slot is live by the occupancy (invariant 4), so the value is initialised
        // (invariant 2).
        unsafe { value.assume_init_ref() }
    }
}

impl<'a, T> Iterator for Values<'a, T> {
    type Item = (usize, &'a T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.until > 0 {
            let value = self.prefix.next()?;
            return Some((self.until - self.prefix.len() - 1, value));
        }
        let index = self.bits.next(self.source)?;
        // SAFETY: the index comes from `self.bits`.
        Some((index, unsafe { Self::at(self.values, index) }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.prefix.len() + self.bits.left();
        (len, Some(len))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let Self { values, prefix, until, bits, source } = self;
        let first = until - prefix.len();
        let prefix = prefix.enumerate();
        let folded = prefix.fold(start, |folded, (i, value)| f(folded, (first + i, value)));
        bits.fold(source, folded, |folded, index| {
            // SAFETY: the index comes from `bits`.
            f(folded, (index, unsafe { Self::at(values, index) }))
        })
    }
}

impl<T> DoubleEndedIterator for Values<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (prefix, until) = (mem::take(&mut self.prefix), mem::take(&mut self.until));
        self.bits.take_prefix(until - prefix.len(), until, self.source);
        let index = self.bits.next_back(self.source)?;
        // SAFETY: the index comes from `self.bits`.
        Some((index, unsafe { Self::at(self.values, index) }))
    }
}

impl<T> ExactSizeIterator for Values<'_, T> {}
impl<T> FusedIterator for Values<'_, T> {}

impl<T> Clone for Values<'_, T> {
    fn clone(&self) -> Self {
        Self { prefix: self.prefix.clone(), bits: self.bits.clone(), ..*self }
    }
}

/// The values of the live slots with their indices, mutable, in index order, from both ends. As with [`Values`], `until`
/// decides between the prefix and bits.
///
/// # Invariant
///
/// There is an array with all slots that the occupancy names, borrowed mutably for `'a`. As long as slots are left, `word`
/// points to where the array's slot [`bits.first_of_word()`](LiveBits::first_of_word) is or would be. Nobody else refers to
/// those slots that `prefix` and `bits` have yet to yield; the two never have a slot in common, and neither yields one
/// twice.
pub(crate) struct ValuesMut<'a, T> {
    /// The rest of the prefix, which ends at slot `until`; that is 0 if there is none.
    prefix: slice::IterMut<'a, T>,
    until: usize,
    /// Stored instead of the array's first slot: it takes one register and saves most of the
    /// computation of each address.
    word: *mut MaybeUninit<T>,
    bits: LiveBits,
    source: Source<'a>,
    borrow: PhantomData<&'a mut [MaybeUninit<T>]>,
}

// SAFETY: it is a `&mut [T]` and an `Occupancy` in effect.
unsafe impl<T: Send> Send for ValuesMut<'_, T> {}
// SAFETY: as above; a shared one gives no access to the values.
unsafe impl<T: Sync> Sync for ValuesMut<'_, T> {}

impl<'a, T> ValuesMut<'a, T> {
    #[inline(always)]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        let (bits, until) = LiveBits::new(occupancy);
        let values = values.as_mut_ptr();
        // SAFETY: the occupancy names slots of this array only (invariant 1), which are live in the prefix (invariant 4),
        // so that their values are initialised (invariant 2). It is borrowed mutably for `'a`, and `bits` has none of the
        // prefix.
        let prefix = unsafe { slice::from_raw_parts_mut(values.cast(), until) }.iter_mut();
        let source = occupancy.source();
        let word = values.wrapping_add(bits.first_of_word());
        Self { prefix, until, word, bits, source, borrow: PhantomData }
    }

    /// The objects of a slice that the occupancy names.
    #[cfg(feature = "recycler")]
    #[inline]
    pub(crate) fn of_slice(objects: &'a mut [T], occupancy: Occupancy<'a>) -> Self {
        assert_eq!(objects.len(), occupancy.slots());
        let values = core::ptr::from_mut(objects) as *mut [MaybeUninit<T>];
        // SAFETY: all objects of a slice are initialised, and stay so: the iterator lends them as what they are.
        Self::new(unsafe { &mut *values }, occupancy)
    }

    /// The array's first slot, as long as slots are left.
    #[inline(always)]
    fn values(&self) -> *mut MaybeUninit<T> {
        self.word.wrapping_sub(self.bits.first_of_word())
    }

    /// # Safety
    ///
    /// The slot has just come from the `bits` of these values, and is this far after the one that
    /// `from` points to.
    #[inline(always)]
    unsafe fn at(from: *mut MaybeUninit<T>, distance: usize) -> &'a mut T {
        let value = from.wrapping_add(distance);
        // SAFETY: no slot is at address 0. Compilers know this of an array's start, but not of a
        // word's; without it, each step of a loop would test for it, because an `Option` of a
        // reference is `None` there.
        unsafe { core::hint::assert_unchecked(!value.is_null()) };
        // SAFETY: the occupancy names slots of this array only (invariant 1); as the caller promises, this one is live by it
        // (invariant 4), so the value is initialised (invariant 2); nobody else refers to it (the iterator's invariant).
        unsafe { &mut *value.cast() }
    }
}

impl<'a, T> Iterator for ValuesMut<'a, T> {
    type Item = (usize, &'a mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.until > 0 {
            let value = self.prefix.next()?;
            return Some((self.until - self.prefix.len() - 1, value));
        }
        let word = &mut self.word;
        let bit = self.bits.next_in_word(self.source, |by| *word = word.wrapping_add(by))?;
        let index = self.bits.first_of_word() + bit;
        // SAFETY: the bit comes from `self.bits`, and `word` points to the first slot of its word (invariant).
        Some((index, unsafe { Self::at(self.word, bit) }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.prefix.len() + self.bits.left();
        (len, Some(len))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let values = self.values();
        let Self { prefix, until, bits, source, .. } = self;
        let first = until - prefix.len();
        let prefix = prefix.enumerate();
        let folded = prefix.fold(start, |folded, (i, value)| f(folded, (first + i, value)));
        bits.fold(source, folded, |folded, index| {
            // SAFETY: the index comes from `bits`.
            f(folded, (index, unsafe { Self::at(values, index) }))
        })
    }
}

impl<T> DoubleEndedIterator for ValuesMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let values = self.values();
        let (prefix, until) = (mem::take(&mut self.prefix), mem::take(&mut self.until));
        self.bits.take_prefix(until - prefix.len(), until, self.source);
        let index = self.bits.next_back(self.source);
        // The front may have another word now.
        self.word = values.wrapping_add(self.bits.first_of_word());
        // SAFETY: the index comes from `self.bits`.
        index.map(|index| (index, unsafe { Self::at(values, index) }))
    }
}

impl<T> ExactSizeIterator for ValuesMut<'_, T> {}
impl<T> FusedIterator for ValuesMut<'_, T> {}
