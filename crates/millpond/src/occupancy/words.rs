use super::{Occupancy, Source, WORD_SLOTS};

/// The words of an occupancy, loaded one at a time from both ends.
///
/// ```text
///   done   │ the front's │ next: not loaded yet │ end: the back's │   done
/// ─────────┼─────────────┼──────────────────────┼─────────────────┼────────
///          │ front_bits  │ `between` live slots │    back_bits    │
/// ```
///
/// # Invariant
///
/// 1. `next` and `end` are multiples of 64, and `next <= end`. The words between them are not loaded yet.
/// 2. Bits of `front_bits` are slots of the word in front of `next`, and bits of `back_bits` are slots of the
///    word that begins at `end`. An end that has loaded no word has no bits.
/// 3. `next < end` while `between` is not 0.
///
/// The first two hold whatever the bitmap says, so each word is loaded once, and no slot is yielded twice.
/// `between` only decides when to stop: if it is less than the bits that follow, the rest is not yielded.
///
/// A walk reads these fields in each step, and the compiler keeps them in registers if it sees all of the
/// code that changes them: everything here is inlined. In a walk that goes only forward it removes the
/// back's half.
#[derive(Clone, Debug)]
pub(super) struct Words {
    pub(super) front_bits: u64,
    pub(super) back_bits: u64,
    next: usize,
    end: usize,
    between: usize,
}

impl Words {
    #[inline]
    pub(super) fn new(occupancy: Occupancy<'_>) -> Self {
        Self {
            front_bits: 0,
            back_bits: 0,
            next: 0,
            end: occupancy.slots().div_ceil(WORD_SLOTS) * WORD_SLOTS,
            between: occupancy.live().min(occupancy.slots()),
        }
    }

    /// The slot of the front's lowest bit. The front has loaded a word.
    #[inline]
    pub(super) fn front(&self) -> usize {
        self.next - WORD_SLOTS
    }

    /// Where the front's word ends, and the words begin that are not loaded yet.
    #[inline]
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// The slot of the back's lowest bit, and where the words end that are not loaded yet.
    #[inline]
    pub(super) fn back(&self) -> usize {
        self.end
    }

    /// How many live slots there are between the two ends, at most.
    #[inline]
    pub(super) fn between(&self) -> usize {
        self.between
    }

    /// How many live slots are left.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.between + (self.front_bits.count_ones() + self.back_bits.count_ones()) as usize
    }

    /// Whether the first word that is not loaded yet has live slots only.
    #[inline]
    pub(super) fn is_next_full(&self, source: Source<'_>) -> bool {
        self.between > 0 && source.word(self.next / WORD_SLOTS) == !0
    }

    /// Counts the live slots of a word that was loaded just now.
    #[inline]
    fn count(&mut self, bits: u64) {
        // Most walks have one word, and most words of the others are not full: a population count is a
        // dozen instructions where the processor has none of its own.
        self.between = if self.next == self.end {
            0
        } else if bits == !0 {
            self.between.saturating_sub(WORD_SLOTS)
        } else {
            self.between.saturating_sub(bits.count_ones() as usize)
        };
    }

    /// Loads the front's next word, which may be empty. There are live slots [between](Self::between).
    #[inline]
    pub(super) fn step_front(&mut self, source: Source<'_>) {
        self.front_bits = source.word(self.next / WORD_SLOTS);
        self.next += WORD_SLOTS;
        self.count(self.front_bits);
    }

    /// The same for the back.
    #[inline]
    pub(super) fn step_back(&mut self, source: Source<'_>) {
        self.end -= WORD_SLOTS;
        self.back_bits = source.word(self.end / WORD_SLOTS);
        self.count(self.back_bits);
    }

    /// The front takes the back's word. What is between the two has no live slots.
    #[inline]
    pub(super) fn take_back(&mut self) {
        self.front_bits = core::mem::take(&mut self.back_bits);
        self.next = self.end + WORD_SLOTS;
        self.end = self.next;
    }

    /// The back takes the front's word. What is between the two has no live slots.
    #[inline]
    pub(super) fn take_front(&mut self) {
        self.back_bits = core::mem::take(&mut self.front_bits);
        self.end = self.next - WORD_SLOTS;
        self.next = self.end;
    }

    /// Gives the front, which has none, the lowest bits that are left; `false` if there are none.
    #[inline]
    pub(super) fn load_front(&mut self, source: Source<'_>) -> bool {
        while self.between > 0 {
            self.step_front(source);
            if self.front_bits != 0 {
                return true;
            }
        }
        if self.back_bits == 0 {
            return false;
        }
        self.take_back();
        true
    }

    /// Gives the back, which has none, the highest bits that are left; `false` if there are none.
    #[inline]
    pub(super) fn load_back(&mut self, source: Source<'_>) -> bool {
        while self.between > 0 {
            self.step_back(source);
            if self.back_bits != 0 {
                return true;
            }
        }
        if self.front_bits == 0 {
            return false;
        }
        self.take_front();
        true
    }
}

#[cfg(feature = "rayon")]
impl Words {
    /// Cuts what is left between two words, near the middle; `None` if there is only one word left. Neither
    /// half knows how many of the live slots it has.
    pub(super) fn split(&self) -> Option<(Self, Self)> {
        let words = (self.end - self.next) / WORD_SLOTS;
        let middle = match (self.front_bits != 0, self.back_bits != 0) {
            (true, _) => self.next + words / 2 * WORD_SLOTS,
            (false, true) => self.next + words.div_ceil(2) * WORD_SLOTS,
            (false, false) => self.next + words / 2 * WORD_SLOTS,
        };
        let has_left = self.front_bits != 0 || self.next < middle;
        let has_right = self.back_bits != 0 || middle < self.end;
        if !has_left || !has_right {
            return None;
        }
        let between = |slots: usize| self.between.min(slots);
        let left = Self { back_bits: 0, end: middle, between: between(middle - self.next), ..*self };
        let right = Self { front_bits: 0, next: middle, between: between(self.end - middle), ..*self };
        Some((left, right))
    }
}
