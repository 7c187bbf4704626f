use core::num::NonZero;

use super::{Occupancy, Source, WORD_SLOTS};

/// In a walk over at most this many slots, a processor learns the branches.
const LEARNED_SLOTS: usize = 4096;

/// The words of an occupancy, loaded one at a time from both ends.
///
/// ```text
///   done   │ the front's │ next: not loaded yet │ end: the back's │   done
/// ─────────┼─────────────┼──────────────────────┼─────────────────┼────────
///          │ front_bits  │                      │    back_bits    │
/// ```
///
/// # Invariant
///
/// 1. `front` is a multiple of 64: 0 in a new walk, or -64 (it wraps) once the back has taken the first word. `end` is one once
///    the back has loaded a word; before, no slot from there on is left. The words between `next`, which is
///    [`behind_front`](Self::behind_front), and `end` are not loaded yet: none if `next >= end`.
/// 2. Bits of `front_bits` are slots of the word that begins at `front`, and bits of `back_bits` are slots of
///    the word that begins at `end`. An end that has loaded no word has no bits.
///
/// Both hold whatever the bitmap says, so each word is loaded once, and no slot is yielded twice.
/// The number of live slots that are left only decides when to stop loading words. If it is wrong,
/// a walk yields fewer live slots or loads more words than necessary, and nothing worse.
///
/// A walk reads these fields in each step, and the compiler keeps them in registers if it sees all
/// code that changes them. So everything here is always inlined; by size alone it would not be. In
/// a walk that only goes forward, the compiler removes the back's half.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(super) front_bits: u64,
    pub(super) back_bits: u64,
    pub(super) front: usize,
    pub(super) end: usize,
    /// How many live slots are left, those of the loaded bits included. Less than 0 if there were more bits
    /// than the occupancy said.
    pub(super) left: isize,
}

impl Words {
    /// Those beyond the slots of the prefix, how many these are: all live slots if they are known to be the lowest, which are
    /// better iterated over as a range; otherwise none.
    #[inline(always)]
    pub(crate) fn beyond_prefix(occupancy: Occupancy<'_>) -> (Self, usize) {
        match occupancy.prefix() {
            Some(slots) => (Self::over(occupancy.slots()), slots),
            None => (Self::new(occupancy), 0),
        }
    }

    /// None that are left, of so many slots.
    #[inline(always)]
    pub(super) fn over(slots: usize) -> Self {
        Self { front_bits: 0, back_bits: 0, front: 0, end: slots, left: 0 }
    }

    #[inline(always)]
    fn new(occupancy: Occupancy<'_>) -> Self {
        // The first word is loaded at once, if it can have live slots: most walks have no other.
        let front_bits = if occupancy.live() > 0 { occupancy.word(0) } else { 0 };
        Self {
            front_bits,
            back_bits: 0,
            front: 0,
            end: occupancy.slots(),
            left: occupancy.live() as isize,
        }
    }

    /// The live slots of a range in which all are live; the front's word may have others above it.
    #[inline]
    pub(super) fn of_range(at: usize, until: usize, source: Source<'_>) -> Self {
        let front = at & !(WORD_SLOTS - 1);
        let mut front_bits = source.word(front / WORD_SLOTS) & !0 << (at - front);
        if until - front < WORD_SLOTS {
            front_bits &= (1 << (until - front)) - 1;
        }
        Self { front_bits, back_bits: 0, front, end: until, left: (until - at) as isize }
    }

    /// Takes back adjacent slots of the front's word, which it has yielded last.
    #[inline]
    pub(crate) fn take_again(&mut self, at: usize, until: usize) {
        if at < until {
            self.front_bits |= (!0 >> (WORD_SLOTS - (until - at))) << (at - self.front);
            self.left = self.left.wrapping_add((until - at) as isize);
        }
    }

    /// Whether this many eighths of the slots from the front's word on are live, and there are few enough of them for a
    /// processor to learn where the runs end: then each run is better taken as a whole.
    #[inline(always)]
    pub(super) fn has_long_runs(&self, eighths: usize) -> bool {
        let slots = self.end.wrapping_sub(self.front);
        self.left.wrapping_mul(8) as usize >= slots.wrapping_mul(eighths) && slots <= LEARNED_SLOTS
    }

    /// The first slot of the front's word; wraps if none was loaded.
    #[inline(always)]
    pub(crate) fn front(&self) -> usize {
        self.front
    }

    /// Where the front's word ends, and the words begin that are not loaded yet.
    #[inline(always)]
    pub(super) fn behind_front(&self) -> usize {
        self.front.wrapping_add(WORD_SLOTS)
    }

    /// How many live slots are left.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.left.max(0) as usize
    }

    /// Counts yielded slots. One subtraction per step costs less than a population count per word,
    /// which takes a dozen instructions and four constants on a generic x86 target.
    #[inline(always)]
    pub(super) fn count(&mut self, slots: usize) {
        self.left = self.left.wrapping_sub(slots as isize);
    }

    /// Whether no live slot is left, according to the count.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.left <= 0
    }

    /// Whether there is a word that is not loaded yet.
    #[inline(always)]
    pub(super) fn has_between(&self) -> bool {
        self.behind_front() < self.end
    }

    /// Whether the first word that is not loaded yet has live slots only.
    #[inline(always)]
    pub(super) fn is_next_full(&self, source: Source<'_>) -> bool {
        self.has_between() && source.word(self.behind_front() / WORD_SLOTS) == !0
    }

    /// Loads the front's next word, which may be empty. There [is](Self::has_between) one.
    #[inline(always)]
    pub(super) fn step_front(&mut self, source: Source<'_>) {
        self.front = self.behind_front();
        self.front_bits = source.word(self.front / WORD_SLOTS);
    }

    /// Loads the last word that is not loaded yet, which may be empty. There [is](Self::has_between) one.
    #[inline(always)]
    pub(super) fn step_back(&mut self, source: Source<'_>) {
        self.end = (self.end - 1) & !(WORD_SLOTS - 1);
        self.back_bits = source.word(self.end / WORD_SLOTS);
    }

    /// Loads the lowest remaining bits into the front, which has none, and returns them; `None` if none are left.
    #[inline(always)]
    pub(super) fn load_front(&mut self, source: Source<'_>) -> Option<NonZero<u64>> {
        if self.left <= 0 {
            // None are left, unless the count was wrong: then the walk ends for both ends.
            self.back_bits = 0;
            return None;
        }
        if let Some((word, bits)) = source.next_word(self.behind_front() / WORD_SLOTS) {
            let front = word.wrapping_mul(WORD_SLOTS);
            if front < self.end {
                (self.front, self.front_bits) = (front, bits.get());
                return Some(bits);
            }
        }
        let Some(bits) = NonZero::new(self.back_bits) else {
            self.left = 0;
            return None;
        };
        // The back's word, past what is between the two.
        (self.front_bits, self.back_bits) = (bits.get(), 0);
        self.front = self.end;
        self.end = self.behind_front();
        Some(bits)
    }

    /// The last slot that is left.
    #[inline(always)]
    pub(crate) fn next_back(&mut self, source: Source<'_>) -> Option<usize> {
        if self.back_bits == 0 && !self.load_back(source) {
            return None;
        }
        let bit = WORD_SLOTS - 1 - self.back_bits.leading_zeros() as usize;
        self.back_bits &= !(1 << bit);
        self.count(1);
        Some(self.end + bit)
    }

    /// Loads the highest remaining bits into the back, which has none; `false` if none are left.
    #[inline(always)]
    pub(super) fn load_back(&mut self, source: Source<'_>) -> bool {
        if self.left <= 0 {
            self.front_bits = 0;
            return false;
        }
        while self.has_between() {
            self.step_back(source);
            if self.back_bits != 0 {
                return true;
            }
        }
        if self.front_bits == 0 {
            self.left = 0;
            return false;
        }
        // The front's word, past what is between the two.
        self.back_bits = core::mem::take(&mut self.front_bits);
        self.end = self.front;
        self.front = self.end.wrapping_sub(WORD_SLOTS);
        true
    }
}
