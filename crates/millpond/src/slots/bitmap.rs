//! The bitmap of a place, and what is known of it.
//!
//! Whoever has the place mutably writes both as it likes, and keeps them in step with the slots' words. Walks over a shared pool
//! may bring the bitmap up to date, too, on several threads at once; for them is the invariant.
//!
//! # Invariant
//!
//! While a place is borrowed shared, no slot changes, and so neither does the number of changes that the state is compared
//! with.
//!
//! 1. A bitmap that is right by the state (synced, or gathered after as many changes as there were) is written by nobody, and
//!    stays right by the state.
//! 2. The words of one that is old are read and written only by whoever has the [`Claim`], and only those of slots that were
//!    used; nobody writes the others. There is at most one claim: to make it, the state is
//!    [exchanged](SharedNumber::exchange) for one that says so, from which none is made; it ends as 3 says, synced, or never.
//!    So the exchange needs no order of memory: nobody else has read or written the words since the place was borrowed shared.
//! 3. A claim ends with a state that the words agree with. Who sees it, sees the words.

#[cfg_attr(all(test, loom), path = "../../tests/sync_models/loom_bits.rs")]
#[cfg_attr(not(all(test, loom)), path = "../../tests/sync_models/shuttle_bits.rs")]
#[cfg(all(test, any(loom, shuttle)))]
pub(crate) mod watched;

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ptr;

use crate::base::shared::{Number, SharedNumber, note_write};

/// How up to date the bitmap of a place is: *synced*, so that each insertion and removal writes its bit; or as the words were
/// when it was gathered; or *old*, and walked over at a time.
///
/// | `upper` | `lower` | |
/// | --- | --- | --- |
/// | below 2^31 | – | synced; says whether the live slots are the lowest of the pool, so that iterating over them is iterating over a slice: most iterations over small pools begin with this check, and few pools change between two, so the result is stored |
/// | from `11` on, in bits | | the two halves are the inverse of the number of insertions and removals at the last gathering, which is below 2^62 |
/// | from `10` on | – | old; the rest tells the insertions and removals at the latest shared walk, and whether a walk is gathering the bits now |
///
/// Only a file that says the most that it may leads to 2^62 insertions and removals: then no number is that of the last
/// gathering, and a bitmap that is not synced counts as old.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitmapState {
    lower: u32,
    upper: u32,
}

impl BitmapState {
    /// Synced, and nobody has checked since the last insertion or removal whether the live slots are the lowest.
    pub(crate) const SYNCED: Self = Self { lower: 0, upper: u32::MAX >> 1 };
    /// Synced, and there is a dead slot below a live one.
    const HOLES: Self = Self { lower: 0, upper: Self::SYNCED.upper - 1 };
    /// A bitmap that nobody has gathered, of slots that nobody has used.
    pub(crate) const NEW: Self = Self::gathered_at(0);
    /// A bitmap that is not that of the slots.
    pub(crate) const OLD: Self = Self { lower: 0, upper: Self::NOT_SYNCED };

    const NOT_SYNCED: u32 = 1 << 31;
    /// Of a bitmap that is not synced.
    const GATHERED: u32 = 1 << 30;
    /// Of an old one.
    const CLAIMED: u32 = 1 << 29;
    /// Of an old one: the lowest bits of a number of changes.
    const WALKED: u32 = Self::CLAIMED - 1;

    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const OFFSETS: [usize; 2] =
        [offset_of!(BitmapCell, lower), offset_of!(BitmapCell, upper)];

    /// Not synced, and as the words were when there had been this many insertions and removals.
    pub(crate) const fn gathered_at(changes: u64) -> Self {
        let inverse = !changes | 3 << 62;
        Self { lower: inverse as u32, upper: (inverse >> 32) as u32 }
    }

    /// Synced, and the live slots are the lowest, or not.
    pub(crate) fn of_checked(are_lowest: bool, live: usize) -> Self {
        match are_lowest {
            // A pool with more of them is iterated over by bits.
            true => Self { lower: 0, upper: live.min(Self::HOLES.upper as usize) as u32 },
            false => Self::HOLES,
        }
    }

    #[inline(always)]
    pub(crate) fn is_synced(self) -> bool {
        (self.upper as i32) >= 0
    }

    /// Whether the bitmap may differ from the slots, after this many insertions and removals.
    #[inline]
    pub(crate) fn is_old(self, changes: u64) -> bool {
        let now = Self::gathered_at(changes);
        !self.is_synced()
            && ((self.upper, self.lower) != (now.upper, now.lower) || changes >> 62 != 0)
    }

    /// How many insertions and removals there were since an iteration gathered the bits, or at least went over the slots.
    pub(crate) fn behind(self, changes: u64) -> u64 {
        match self.upper & Self::GATHERED {
            0 => u64::from((changes as u32).wrapping_sub(self.upper) & Self::WALKED),
            _ => changes.abs_diff(!(u64::from(self.upper) << 32 | u64::from(self.lower))),
        }
    }

    /// Whether an iteration has something to find out.
    #[inline(always)]
    pub(crate) fn is_unknown(self) -> bool {
        self.upper >= Self::SYNCED.upper
    }

    /// The number of live slots, if they are known to be the lowest.
    #[inline(always)]
    pub(crate) fn prefix(self) -> Option<usize> {
        (self.upper < Self::HOLES.upper).then_some(self.upper as usize)
    }

    /// Whether a shared walk is gathering the bits. (One that did not come to an end leaves an old bitmap.)
    pub(crate) fn is_claimed(self) -> bool {
        const ALL: u32 = BitmapState::NOT_SYNCED | BitmapState::GATHERED | BitmapState::CLAIMED;
        self.upper & ALL == ALL - BitmapState::GATHERED
    }
}

/// Where a place keeps the [`BitmapState`].
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct BitmapCell {
    lower: u32,
    /// All that a shared walk changes.
    upper: SharedNumber,
}

impl BitmapCell {
    pub(crate) const fn new(BitmapState { lower, upper }: BitmapState) -> Self {
        Self { lower, upper: SharedNumber::new(upper) }
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> BitmapState {
        BitmapState { lower: self.lower, upper: self.upper.get() }
    }

    /// The same, for whoever has the place mutably.
    #[inline(always)]
    pub(crate) fn own(&mut self) -> BitmapState {
        BitmapState { lower: self.lower, upper: self.upper.own() }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, BitmapState { lower, upper }: BitmapState) {
        self.lower = lower;
        self.upper.set(upper);
    }

    /// A value is inserted or removed, and the bit of its slot is written.
    #[inline(always)]
    pub(crate) fn forget_prefix(&mut self) {
        debug_assert!(self.own().is_synced());
        self.upper.set(BitmapState::SYNCED.upper);
    }

    /// A shared walk has met this state, which is old, after so many changes.
    pub(crate) fn note_walk(&self, old: BitmapState, changes: u64) {
        let walked = BitmapState::NOT_SYNCED | changes as u32 & BitmapState::WALKED;
        // If another walk changes the state at the same time, it may know more.
        if !old.is_claimed() {
            self.upper.exchange(old.upper, walked);
        }
    }

    /// The right to gather the bits, from this state, which is old; `None` if another walk has it, or had it meanwhile.
    pub(crate) fn claim(&self, old: BitmapState) -> Option<Claim<'_>> {
        let claimed = BitmapState::NOT_SYNCED | BitmapState::CLAIMED;
        let is_ours = !old.is_claimed() && self.upper.exchange(old.upper, claimed);
        is_ours.then_some(Claim(self))
    }

    /// The bitmap, which is right, is synced from now on, and this is known of it.
    pub(crate) fn set_synced(&self, state: BitmapState) {
        debug_assert!(state.is_synced());
        self.upper.set_shared(state.upper);
    }
}

/// The right to gather the bits of an old bitmap.
pub(crate) struct Claim<'a>(&'a BitmapCell);

impl Claim<'_> {
    /// The bits of the bitmap, as far as slots were used. Their borrow ends before the claim does.
    ///
    /// # Safety
    ///
    /// The words are those of slots that were used, in the bitmap whose state this is.
    #[inline]
    pub(crate) unsafe fn bits<'a>(&'a mut self, words: &'a [BitWord]) -> &'a mut [u64] {
        note_write();
        let first = words.as_ptr().cast::<u64>().cast_mut();
        // SAFETY: a word is a number that may be changed while it is borrowed shared. There is no other claim, and this one is
        // borrowed mutably, so nobody else reads or writes the words until the claim ends, nor has since the place was borrowed
        // shared (invariant 2): for the exchange that made the claim, no order is needed. Its end shows what is written here (3).
        let bits = unsafe { core::slice::from_raw_parts_mut(first, words.len()) };
        #[cfg(all(test, any(loom, shuttle)))]
        watched::note_writing(bits);
        bits
    }

    /// The bitmap is right, and synced from now on.
    pub(crate) fn end_synced(self, state: BitmapState) {
        self.0.set_synced(state);
    }
}

/// A word of a bitmap that is borrowed shared.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct BitWord(UnsafeCell<u64>);

// SAFETY: only the unsafe functions below give access to the number.
unsafe impl Sync for BitWord {}

impl BitWord {
    /// The bits of a bitmap that is right, or those of slots that were never used.
    ///
    /// # Safety
    ///
    /// By a state that was read for this borrow, the bitmap is right (invariant 1), or no walk writes these words (invariant 2).
    #[inline(always)]
    pub(crate) unsafe fn right(words: &[Self]) -> &[u64] {
        #[cfg(all(test, loom))]
        watched::note_reading(words);
        // SAFETY: a word is a number; as the caller promises, nobody writes it while it is borrowed.
        unsafe { &*(ptr::from_ref(words) as *const [u64]) }
    }
}
