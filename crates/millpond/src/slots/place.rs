//! Where the slots of a pool lie.

use core::fmt::Debug;
use core::mem::MaybeUninit;

use crate::handle::Word;

/// The arrays of one pool's slots.
///
/// # Safety
///
/// `parts` and `parts_mut` give the same arrays at each call, of the same lengths: as many words as values,
/// and, if the place [has a bitmap](Self::HAS_BITMAP), 64 of them to each word of the bitmap. They stay where they
/// are for as long as the place does not move, and nothing but what `parts_mut` lends out changes them.
#[doc(hidden)]
pub unsafe trait Place {
    type Word: Word;
    /// What the reuse order keeps.
    type Entry: Entry;
    type Value;

    /// Whether there is a bitmap; otherwise its slice is empty.
    const HAS_BITMAP: bool;

    /// What each word is kept in exclusive or with.
    fn key(&self) -> Self::Word;

    fn parts(&self) -> Parts<'_, Self::Word, Self::Entry, Self::Value>;

    fn parts_mut(&mut self) -> PartsMut<'_, Self::Word, Self::Entry, Self::Value>;
}

/// The arrays of a [`Place`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<'a, W, E, T> {
    /// One word per slot.
    pub(crate) words: &'a [W],
    /// One bit per slot, or nothing.
    pub(crate) bits: &'a [u64],
    /// What the reuse order keeps.
    pub(crate) entries: &'a [E],
    /// One value per slot: the first of them. No reference, as some may be lent out.
    pub(crate) values: *const MaybeUninit<T>,
}

/// The arrays of a [`Place`], mutable.
#[doc(hidden)]
#[derive(Debug)]
pub struct PartsMut<'a, W, E, T> {
    /// One word per slot.
    pub(crate) words: &'a mut [W],
    /// One bit per slot, or nothing.
    pub(crate) bits: &'a mut [u64],
    /// What the reuse order keeps.
    pub(crate) entries: &'a mut [E],
    /// One value per slot: the first of them.
    pub(crate) values: *mut MaybeUninit<T>,
}

/// What a reuse order keeps in an array of the pool's place.
#[doc(hidden)]
pub trait Entry: Copy + Debug + Send + Sync + 'static {
    /// What the array is filled with at first.
    const EMPTY: Self;
    /// Whether the order threads its list through the dead slots, if they have room.
    const LINKS_IN_SLOTS: bool = false;
}

impl Entry for () {
    const EMPTY: Self = ();
}

impl Entry for u16 {
    const EMPTY: Self = 0;
}

impl Entry for u32 {
    const EMPTY: Self = 0;
}

impl Entry for u64 {
    const EMPTY: Self = 0;
}
