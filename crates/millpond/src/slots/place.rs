//! The memory of a pool's slots.
//!
//! The invariant of a place is the contract of the unsafe trait [`Place`]; `words.rs` and the modules of `values` rely
//! on it.

use core::fmt::Debug;

use super::bitmap::{BitWord, BitmapCell};
use crate::base::shared::Number;
use crate::base::{OrderEntry, OutOfMemory};
use crate::handle::Word;
use crate::reports::debug::Watch;

/// The arrays of one pool's slots.
///
/// # Safety
///
/// `parts` and `parts_mut` give the same arrays at each call, of the same lengths: as many words as
/// there are slots, and, if the place [has a bitmap](Self::HAS_BITMAP), 64 of them to each word of
/// the bitmap. They stay where they are as long as the place does not move, and only what
/// `parts_mut` lends changes them, and the words of an old bitmap whoever has the [claim](super::bitmap); but a place that
/// grows may have methods of its own, which borrow it mutably and do otherwise. `values` points to room for as many values as
/// there are words, of the type that the place was made for, which does not move then either. `entries_end` points behind the
/// last of the entries, which may be read and written by it.
#[doc(hidden)]
pub unsafe trait Place {
    type Word: Word;
    /// What the reuse order keeps.
    type Entry: OrderEntry;
    /// A number beside the place, which walks over a shared pool change if they bring a bitmap up to date.
    type Number: Number;

    /// Whether there is a bitmap; otherwise its slice is empty.
    const HAS_BITMAP: bool;
    /// Whether the values lie in the place itself, and move with it.
    const MOVES_VALUES: bool = false;
    /// What the number that tells the first generation of the slots counts from: 1 where a new place is to have no bit that
    /// is not 0, and 0 where an insertion is to read the number as it is.
    const FIRST: u32 = 0;

    fn parts(&self) -> Parts<'_, Self::Word, Self::Entry>;

    fn parts_mut(&mut self) -> PartsMut<'_, Self::Word, Self::Entry>;

    /// A place like this one, of as many slots that were never used. `touch`: from which slot on to touch every page, if any; the
    /// values of those before it are about to be written.
    fn try_like(&self, touch: Option<usize>) -> Result<Self, OutOfMemory>
    where
        Self: Sized;

    /// Where the array of entries ends, for reading and writing entries.
    #[inline(always)]
    fn entries_end(&mut self) -> *mut Self::Entry {
        self.parts_mut().entries.as_mut_ptr_range().end
    }

    /// What is known of the bitmap; `None` if there is no bitmap.
    #[inline(always)]
    fn bitmap(&self) -> Option<&BitmapCell> {
        None
    }

    /// What is known of the bitmap, mutable; `None` if there is no bitmap.
    #[inline(always)]
    fn bitmap_mut(&mut self) -> Option<&mut BitmapCell> {
        None
    }

    /// The watch over the values, if any.
    fn watch(&self) -> Option<&Watch> {
        None
    }

    /// Where the place keeps the watch over the values; `None` if nobody can watch them.
    fn watch_mut(&mut self) -> Option<&mut Option<Watch>> {
        None
    }

    /// Watches the slots from now on, if there is a watch.
    fn set_watch(&mut self, watch: Option<Watch>) {
        match self.watch_mut() {
            Some(place) => *place = watch,
            None => debug_assert!(watch.is_none(), "nobody can watch these slots"),
        }
    }
}

/// The arrays of a [`Place`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<'a, W, E> {
    /// One word per slot.
    pub(crate) words: &'a [W],
    /// One bit per slot, or nothing. Shared walks may be writing them ([`bitmap`](super::bitmap)).
    pub(crate) bits: &'a [BitWord],
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
