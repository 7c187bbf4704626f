//! The memory of a pool's slots.
//!
//! The invariant of a place is the contract of the unsafe trait [`Place`]; `words.rs` and the modules of `values` rely
//! on it.

use core::fmt::Debug;
use core::mem::offset_of;

use crate::base::entry::Entry;
use crate::handle::Word;
use crate::reports::debug::Watch;

/// The arrays of one pool's slots.
///
/// # Safety
///
/// `parts` and `parts_mut` give the same arrays at each call, of the same lengths: as many words as
/// there are slots, and, if the place [has a bitmap](Self::HAS_BITMAP), 64 of them to each word of
/// the bitmap. They stay where they are as long as the place does not move, and only what
/// `parts_mut` lends changes them; but a place that grows may have methods of its own, which borrow
/// it mutably and do otherwise. `values` points to room for as many values as there are words, of the type that the place was
/// made for, which does not move then either. `entries_end` and `entries_end_mut` point behind the last of the entries, which may be read and written by them.
#[doc(hidden)]
pub unsafe trait Place {
    type Word: Word;
    /// What the reuse order keeps.
    type Entry: Entry;

    /// Whether there is a bitmap; otherwise its slice is empty.
    const HAS_BITMAP: bool;
    /// Whether the values lie in the place itself, and move with it.
    const MOVES_VALUES: bool = false;

    fn parts(&self) -> Parts<'_, Self::Word, Self::Entry>;

    fn parts_mut(&mut self) -> PartsMut<'_, Self::Word, Self::Entry>;

    /// Where the array of entries ends.
    #[inline(always)]
    fn entries_end(&self) -> *const Self::Entry {
        self.parts().entries.as_ptr_range().end
    }

    /// Where the array of entries ends, for writing entries.
    #[inline(always)]
    fn entries_end_mut(&mut self) -> *mut Self::Entry {
        self.parts_mut().entries.as_mut_ptr_range().end
    }

    /// What is known of the bitmap; of no use if there is none.
    #[inline(always)]
    fn bitmap_state(&self) -> BitmapState {
        BitmapState::OLD
    }

    /// What is known of the bitmap, mutable; `None` if there is no bitmap.
    #[inline(always)]
    fn bitmap_state_mut(&mut self) -> Option<&mut BitmapState> {
        None
    }

    /// The watch over the values, if any.
    fn watch(&self) -> Option<&Watch> {
        None
    }

    /// The watch over the values, mutable.
    fn watch_mut(&mut self) -> Option<&mut Watch> {
        None
    }

    /// Replaces the watch over the values; by default, only with none.
    fn set_watch(&mut self, watch: Option<Watch>) {
        debug_assert!(watch.is_none(), "nobody can watch these slots");
    }
}

/// How up to date the bitmap of a place is: *synced*, so that each insertion and removal writes its bit, or as the words were
/// when it was gathered.
///
/// If it is synced, `upper` is below 2^31, and says whether the live slots are the lowest of the pool, so that iterating
/// over them is iterating over a slice. Most iterations over small pools begin with this check, and few pools change
/// between two iterations, so the result is stored. Otherwise, the two halves are the inverse of the number of insertions and
/// removals at the last gathering, which is below 2^63: at one in each nanosecond, a pool has as many after 292 years.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct BitmapState {
    lower: u32,
    upper: u32,
}

impl BitmapState {
    /// Synced, and nobody has checked since the last insertion or removal whether the live slots are the lowest.
    pub(crate) const SYNCED: Self = Self { lower: 0, upper: u32::MAX >> 1 };
    /// Synced, and there is a dead slot below a live one.
    const HOLES: Self = Self { lower: 0, upper: Self::SYNCED.upper - 1 };
    /// A bitmap that nobody has gathered.
    pub(crate) const OLD: Self = Self::gathered_at(0);

    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const OFFSETS: [usize; 2] = [offset_of!(Self, lower), offset_of!(Self, upper)];

    /// Not synced, and as the words were when there had been this many insertions and removals. `u64::MAX`: never.
    pub(crate) const fn gathered_at(changes: u64) -> Self {
        let inverse = !changes | 1 << 63;
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

    /// How many insertions and removals there had been when a bitmap that is not synced was gathered.
    #[inline]
    pub(crate) fn changes(self) -> u64 {
        !(u64::from(self.upper) << 32 | u64::from(self.lower))
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

    /// A value is inserted or removed, and the bit of its slot is written.
    #[inline(always)]
    pub(crate) fn forget_prefix(&mut self) {
        debug_assert!(self.is_synced());
        self.upper = Self::SYNCED.upper;
    }
}

/// The arrays of a [`Place`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<'a, W, E> {
    /// One word per slot.
    pub(crate) words: &'a [W],
    /// One bit per slot, or nothing.
    pub(crate) bits: &'a [u64],
    /// What the reuse order keeps.
    pub(crate) entries: &'a [E],
    /// The first byte of the values, one per slot. Not a reference, because some may be lent out.
    pub(crate) values: *const u8,
}

/// The arrays of a [`Place`], mutable.
#[doc(hidden)]
#[derive(Debug)]
pub struct PartsMut<'a, W, E> {
    /// One word per slot.
    pub(crate) words: &'a mut [W],
    /// One bit per slot, or nothing.
    pub(crate) bits: &'a mut [u64],
    /// What the reuse order keeps.
    pub(crate) entries: &'a mut [E],
    /// The first byte of the values, one per slot.
    pub(crate) values: *mut u8,
}
