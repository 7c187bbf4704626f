use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::num::NonZero;
use core::slice;

use crate::occupancy::{Occupancy, Source, Way, Words};

/// The values of the live slots with their indices, in index order, from both ends.
///
/// A walk has a prefix or bits, never both. No step forward changes `has_prefix`, and each begins by asking for it, so
/// compilers make two loops of a `for`: in that over a slice nothing is left of the bits, nor in the other of the slice.
/// (Runs as in [`ValuesMut`] would be a third.)
pub(crate) struct Values<'a, T> {
    values: &'a [MaybeUninit<T>],
    has_prefix: bool,
    /// The rest of the prefix, which goes on at slot `at`.
    prefix: slice::Iter<'a, T>,
    at: usize,
    bits: Words,
    source: Source<'a>,
}

impl<'a, T> Values<'a, T> {
    #[inline(always)]
    pub(super) fn new(values: &'a [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        let (bits, until) = Words::beyond_prefix(occupancy);
        // SAFETY: the occupancy names slots of this array only (invariant 1), which are live in the prefix (invariant 3),
        // so that their values are initialised (invariant 2).
        let prefix = unsafe { slice::from_raw_parts(values.as_ptr().cast(), until) }.iter();
        let (has_prefix, source) = (until > 0, occupancy.source());
        Self { values, has_prefix, prefix, at: 0, bits, source }
    }

    /// # Safety
    ///
    /// The index comes from the `bits` of these values.
    #[inline(always)]
    unsafe fn at(values: &'a [MaybeUninit<T>], index: usize) -> &'a T {
        // SAFETY: the occupancy names slots of this array only (invariant 1).
        let value = unsafe { values.get_unchecked(index) };
        // SAFETY: as the caller promises, the slot is live by the occupancy (invariant 3), so the value is initialised
        // (invariant 2).
        unsafe { value.assume_init_ref() }
    }
}

impl<'a, T> Iterator for Values<'a, T> {
    type Item = (usize, &'a T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.has_prefix {
            let value = self.prefix.next()?;
            self.at += 1;
            return Some((self.at - 1, value));
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
        let Self { values, prefix, at, bits, source, .. } = self;
        let folded =
            prefix.enumerate().fold(start, |folded, (i, value)| f(folded, (at + i, value)));
        bits.fold(source, folded, |folded, index| {
            // SAFETY: the index comes from `bits`.
            f(folded, (index, unsafe { Self::at(values, index) }))
        })
    }
}

impl<T> DoubleEndedIterator for Values<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.has_prefix = false;
        let prefix = mem::take(&mut self.prefix);
        self.bits.take_rest(self.at, self.at + prefix.len(), self.source);
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

/// Adjacent values: where the next is, and where they end. Values without size count a byte each, and lie elsewhere.
///
/// (A slice's iterator is made of a length, and compilers then compute where one value ends and where a run does by the same
/// code.)
struct Run<T> {
    next: *mut T,
    end: *mut T,
}

impl<T> Run<T> {
    const STEP: usize = if size_of::<T>() == 0 { 1 } else { size_of::<T>() };

    #[inline(always)]
    fn behind(first: *mut T, values: usize) -> *mut T {
        first.wrapping_byte_add(values * Self::STEP)
    }

    /// So many values from here on.
    #[inline(always)]
    fn new(first: *mut T, values: usize) -> Self {
        Self { next: first, end: Self::behind(first, values) }
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.next == self.end
    }

    /// Where the last value is, which the run has no more.
    #[inline(always)]
    fn next_back(&mut self) -> Option<*mut T> {
        if self.is_empty() {
            return None;
        }
        self.end = self.end.wrapping_byte_sub(Self::STEP);
        Some(self.end)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        (self.end.addr() - self.next.addr()) / Self::STEP
    }
}

/// The values of the live slots with their indices, mutable, in index order, from both ends.
///
/// The step of a walk by bits has a branch of its own, and the others ask by what way they go only where a run ends. With a
/// large body, compilers make one loop of a `for`: what each step of it takes is what is written here.
///
/// # Invariant
///
/// There is an array with all slots that the occupancy names, which begins at `values` and is borrowed mutably for `'a`. As long
/// as slots are left, `word` points to where the array's slot [`bits.front()`](Words::front) is or would be.
/// By other ways than bits, `run` has values of that array, the first of them in slot `at`; by bits it has none, whatever its
/// pointers are. Nobody else refers to those slots that `run` and `bits` have yet to yield; the two never have a slot in
/// common, and neither yields one twice.
pub(crate) struct ValuesMut<'a, T> {
    way: Way,
    /// The rest of the prefix or of the latest run.
    run: Run<T>,
    at: usize,
    /// It takes one register and saves most of the computation of each address.
    word: *mut MaybeUninit<T>,
    values: *mut MaybeUninit<T>,
    bits: Words,
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
        let occupancy = occupancy.without_rest();
        let (bits, until) = Words::beyond_prefix(occupancy);
        let values = values.as_mut_ptr();
        // The prefix, of which `bits` has nothing.
        let run = Run::new(values.cast(), until);
        let (way, source) = (bits.way(until), occupancy.source());
        let word = values.wrapping_add(bits.front());
        Self { way, run, at: 0, word, values, bits, source, borrow: PhantomData }
    }

    /// See [`Words::find_word`].
    #[inline(always)]
    fn find_word(&mut self) -> Option<NonZero<u64>> {
        if let Some(bits) = self.bits.in_word() {
            return Some(bits);
        }
        let found = self.bits.find_word(self.source);
        self.word = self.values.wrapping_add(self.bits.front());
        found
    }

    /// How many values are left of the run.
    #[inline(always)]
    fn run_len(&self) -> usize {
        if self.way == Way::Bits { 0 } else { self.run.len() }
    }

    /// # Safety
    ///
    /// The slot has just come from the `bits` of these values, which begin here.
    #[inline(always)]
    unsafe fn at(values: *mut MaybeUninit<T>, index: usize) -> &'a mut T {
        let value = values.wrapping_add(index);
        // SAFETY: the occupancy names slots of this array only (invariant 1); as the caller promises, this one is live by it
        // (invariant 3), so the value is initialised (invariant 2); nobody else refers to it (the iterator's invariant).
        unsafe { &mut *value.cast() }
    }
}

impl<'a, T> Iterator for ValuesMut<'a, T> {
    type Item = (usize, &'a mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.way == Way::Bits {
            let bits = self.find_word()?;
            let bit = self.bits.take_first(bits);
            self.at = self.bits.front() + bit;
            // One value, whose end nobody asks for.
            self.run.next = Run::behind(self.word.cast(), bit);
        } else if self.run.is_empty() {
            if self.way == Way::Prefix {
                return None;
            }
            let bits = self.find_word()?;
            let (first, len) = self.bits.take_run(bits);
            self.at = self.bits.front() + first;
            self.run = Run::new(Run::behind(self.word.cast(), first), len);
        }
        let value = if size_of::<T>() == 0 { self.values.cast() } else { self.run.next };
        self.run.next = Run::behind(self.run.next, 1);
        self.at += 1;
        // SAFETY: no slot is at address 0. Compilers know this of an array's start, but not of a word's; without it, each step
        // of a loop would test for it, because an `Option` of a reference is `None` there.
        unsafe { core::hint::assert_unchecked(!value.is_null()) };
        // SAFETY: a value of the prefix, or of a slot that comes from `bits`, to whose word `word` points, and of none that they
        // have any more (the iterator's invariant). The occupancy names slots of this array only (invariant 1), which are
        // live in the prefix and by the bits (invariant 3), so that the value is initialised (invariant 2). Nobody else refers to
        // it (the iterator's invariant). One without size is at each address that is aligned.
        Some((self.at - 1, unsafe { &mut *value }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.run_len() + self.bits.left();
        (len, Some(len))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let run_len = self.run_len();
        let Self { values, run, at, bits, source, .. } = self;
        let first = if size_of::<T>() == 0 { values.cast() } else { run.next };
        // SAFETY: these are the values of the run, which nobody else refers to (the iterator's invariant), and which are
        // initialised as in `next`; if there are none, a pointer into the array.
        let run = unsafe { slice::from_raw_parts_mut(first, run_len) }.iter_mut();
        let folded = run.enumerate().fold(start, |folded, (i, value)| f(folded, (at + i, value)));
        bits.fold(source, folded, |folded, index| {
            // SAFETY: the index comes from `bits`.
            f(folded, (index, unsafe { Self::at(values, index) }))
        })
    }
}

impl<T> DoubleEndedIterator for ValuesMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.way == Way::Prefix {
            let value = self.run.next_back()?;
            let value = if size_of::<T>() == 0 { self.values.cast() } else { value };
            // SAFETY: a value of the prefix, which `run` has no more (the iterator's invariant); its slot is in the array and live,
            // and nobody else refers to the value, as in `next`.
            return Some((self.at + self.run.len(), unsafe { &mut *value }));
        }
        let run_len = self.run_len();
        // The run goes back to the bits.
        self.way = Way::Bits;
        self.bits.take_again(self.at, self.at + run_len);
        let index = self.bits.next_back(self.source);
        // The front may have another word now.
        self.word = self.values.wrapping_add(self.bits.front());
        // SAFETY: the index comes from `self.bits`.
        index.map(|index| (index, unsafe { Self::at(self.values, index) }))
    }
}

impl<T> ExactSizeIterator for ValuesMut<'_, T> {}
impl<T> FusedIterator for ValuesMut<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::tests::{bits, patterns, prefix, random};
    use alloc::collections::VecDeque;
    use alloc::vec::Vec;

    /// Values without size have no addresses to go by.
    #[test]
    fn values_without_size_are_as_many_as_there_are_live_slots() {
        let mut seed = 7;
        for live in patterns() {
            let bits = bits(&live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            for known in [None, prefix(&live)] {
                let occupancy = Occupancy::new(Source::of_bits(&bits), live.len(), slots.len())
                    .with_prefix(known);
                let mut values: Vec<MaybeUninit<()>> =
                    live.iter().map(|_| MaybeUninit::new(())).collect();
                let front = random(&mut seed) as usize % (slots.len() + 1);
                let mut unique = ValuesMut::new(&mut values, occupancy);
                let mut found: Vec<usize> =
                    unique.by_ref().take(front).map(|(slot, ())| slot).collect();
                assert_eq!(unique.len(), slots.len() - front);
                let back =
                    if front % 2 == 0 { unique.next_back().map(|(slot, ())| slot) } else { None };
                unique.for_each(|(slot, ())| found.push(slot));
                found.extend(back);
                assert_eq!(found, slots);
            }
        }
    }

    /// Steps of all kinds in random order by every way, beside a queue of the live slots; after
    /// each, what a clone or the fold of the rest yields.
    #[test]
    fn do_what_a_queue_does() {
        let (mut seed, mut ways) = (5, [false; 3]);
        for live in patterns() {
            let bits = bits(&live);
            let words: Vec<u16> = live.iter().map(|live| if *live { 3 } else { 0x8003 }).collect();
            let slots: VecDeque<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            let mut values: Vec<_> = (0..live.len()).map(MaybeUninit::new).collect();
            // Where there is a bitmap, nobody asks the words, which say here that all slots are live.
            let full = alloc::vec![3; live.len()];
            let by_both = Source::of_wide(&full).with_bits(&bits);
            let sources = [Source::of_bits(&bits), Source::of_narrow(&words), by_both];
            for source in sources.into_iter().cycle().take(12) {
                let known = if random(&mut seed) % 2 == 0 { prefix(&live) } else { None };
                let occupancy = Occupancy::new(source, live.len(), slots.len()).with_prefix(known);
                let shared_values = values.clone();
                let mut shared = Values::new(&shared_values, occupancy);
                let mut unique = ValuesMut::new(&mut values, occupancy);
                ways[unique.way as usize] = true;
                assert_eq!(shared.has_prefix, unique.way == Way::Prefix);
                let mut queue = slots.clone();
                let forward = random(&mut seed) % 8;
                while !queue.is_empty() && random(&mut seed) % 64 != 0 {
                    assert_eq!((shared.len(), unique.len()), (queue.len(), queue.len()));
                    let next = match random(&mut seed) % 8 < forward {
                        true => (queue.pop_front(), shared.next(), unique.next()),
                        false => (queue.pop_back(), shared.next_back(), unique.next_back()),
                    };
                    assert_eq!(next.1, next.0.as_ref().map(|slot| (*slot, slot)));
                    assert_eq!(next.2.map(|(slot, value)| (slot, *value)), next.0.map(|i| (i, i)));
                    if random(&mut seed) % 16 == 0 {
                        assert!(shared.clone().map(|(slot, _)| slot).eq(queue.iter().copied()));
                    }
                }
                let mut rest = Vec::new();
                unique.for_each(|(slot, value)| rest.push((slot, *value)));
                assert!(rest.iter().copied().eq(queue.iter().map(|slot| (*slot, *slot))));
                assert!(shared.map(|(slot, value)| (slot, *value)).eq(rest));
            }
        }
        assert_eq!(ways, [true; 3]);
    }
}
