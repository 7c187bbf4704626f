//! The beginning of a pool's block: what all pools have, whatever their order and handles.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::NonNull;

use millpond::{Handle, SlotOffsets};

use crate::callbacks::Give;
use crate::face::Face;
use crate::orders::limits_of;
use crate::outside::Outside;

/// Finds a pool's face from its head.
type FaceOf = unsafe fn(NonNull<Head>) -> NonNull<dyn Face>;

/// What stands in front of the slots. The slots begin right behind it.
#[repr(C)]
pub struct Head {
    /// The pool by its order and its handles; null in what `millpond.hpp` has for a pool without slots.
    pub(crate) face: Option<FaceOf>,
    /// Who takes the block back; otherwise nobody, or the C library.
    pub(crate) give: Option<Give>,
    pub(crate) user: *mut c_void,
    /// How many bytes the block has; 0 if it is the caller's.
    pub(crate) block_bytes: usize,
    /// What insertions and removals do beside; null for most pools.
    pub(crate) outside: *mut Outside,
    /// The header's functions insert where the top of the stack of free slots is below this. [`Head::settle`] sets it.
    pub(crate) quick_top: isize,
    /// The header's functions end lifetimes whose generation, less 1, is below this: so that no handle without a generation
    /// is one of them. As above.
    pub(crate) slow_from_minus_1: u32,
    pub(crate) value_bytes: u32,
    pub(crate) value_align: u32,
    /// The index bits above, the order in the lowest byte.
    pub(crate) kind: u16,
    /// Not 0 if insertions and removals are called: 1 for the pool's whole life, because of its order; 2 because of what
    /// happens [outside](Outside).
    pub(crate) slow: u16,
}

/// [`Head::quick_top`] and [`Head::slow_from_minus_1`] of a pool whose insertions and removals are all called.
pub(crate) const ALL_CALLED: (isize, u32) = (isize::MIN, 0);

impl Head {
    /// The handle with these bits; `None` where the pool's handles cannot have this generation. Every pool keeps handles
    /// of eight bytes, so the shorter generations of four bytes are checked here, before anything else is.
    pub(crate) fn handle(&self, bits: u64) -> Option<Handle<()>> {
        let handle = Handle::from_bits(bits)?;
        let fits = match limits_of(u32::from(self.kind >> 8)) {
            Ok((generation_max, _)) => handle.generation() <= u32::from(generation_max),
            Err(_) => true,
        };
        fits.then_some(handle)
    }

    /// The word of a slot, if there is one: its generation, and in the top bit whether it is dead.
    ///
    /// # Safety
    ///
    /// It is a pool, whole, that nobody changes.
    pub(crate) unsafe fn word(head: *const Self, slot: usize) -> Option<u32> {
        // SAFETY: every pool begins as C sees it; the fields are copied.
        let InC { slots, words, .. } = unsafe { head.cast::<InC>().read() };
        if slot >= slots {
            return None;
        }
        // SAFETY: there are as many words as slots.
        let word = unsafe { words.cast::<u32>().add(slot) };
        // SAFETY: as above.
        Some(unsafe { word.read() })
    }

    /// Finds out which insertions and removals the header's functions may do: below `slow_from`, a removal finds room for the
    /// entry of its slot.
    ///
    /// # Safety
    ///
    /// It is a pool, whole, that nobody else uses.
    pub(crate) unsafe fn settle(head: NonNull<Self>) {
        // SAFETY: as the caller promises; the fields are copied.
        let Self { kind, .. } = unsafe { head.read() };
        if kind & 0xff == 0 {
            // SAFETY: as the caller promises; it is a pool of that order.
            unsafe { Self::settle_lifo(head) };
        }
    }

    /// [`settle`](Self::settle) for the order whose insertions and removals may be inline.
    ///
    /// # Safety
    ///
    /// As above, and the pool is of that order.
    #[inline(never)]
    unsafe fn settle_lifo(head: NonNull<Self>) {
        // SAFETY: as the caller promises; the field is copied.
        let Self { slow, .. } = unsafe { head.read() };
        // SAFETY: the slots of a pool of this order stand behind the head.
        let slots = unsafe { head.add(1) };
        // SAFETY: the field is theirs.
        let slow_from = unsafe { slots.cast::<u8>().add(SlotOffsets::OF_LIFO.slow_from) };
        // SAFETY: as above.
        let slow_from = unsafe { slow_from.cast::<u32>().read() };
        // SAFETY: as the caller promises.
        let head = unsafe { &mut *head.as_ptr() };
        (head.quick_top, head.slow_from_minus_1) =
            if slow == 0 { (0, slow_from.saturating_sub(1)) } else { ALL_CALLED };
    }
}

/// `mp_pool`, as the header declares it: a [`Head`], and what C reads of the allocator behind it.
#[repr(C)]
pub(crate) struct InC {
    head: Head,
    used: u32,
    start: u32,
    peak: u32,
    retired: u32,
    slot_bytes: usize,
    slot_align: usize,
    entries: *mut c_void,
    entry_count: usize,
    bit_words: usize,
    bits: *mut u64,
    is_lent: bool,
    age_lower: u32,
    age_upper: u32,
    slots: usize,
    values: *mut u8,
    words: *mut c_void,
    inserted: u64,
    removed: u64,
    fast_below: u32,
    slow_from: u32,
    stack_top: isize,
    fresh_from: u32,
    fresh_until: u32,
}

/// Each number is where the library has it. (Debug aids move them; a build of the static library has none.)
macro_rules! agreed {
    ($($field:ident),*) => {
        /// The names and offsets of `mp_pool` behind the head.
        pub(crate) const OFFSETS: &[(&core::ffi::CStr, usize)] = &[
            $((
                match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($field), "_\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                },
                offset_of!(InC, $field),
            ),)*
        ];

        /// Whether the library has the same.
        const IS_AGREED: bool = {
            const SLOTS: SlotOffsets = SlotOffsets::OF_LIFO;
            true $(&& offset_of!(InC, $field) == size_of::<Head>() + SLOTS.$field)*
        };
    };
}

agreed! {
    peak, retired, entries, entry_count, bits, age_lower, age_upper, slots, values, words, inserted, removed, slow_from,
    stack_top, fresh_from, fresh_until, used, start
}

#[cfg(millpond_standalone)]
const _: () = assert!(IS_AGREED, "the library's slots are laid out as the header says");

/// The check of every other build: only a build with debug aids may differ.
#[cfg(not(millpond_standalone))]
const _: bool = IS_AGREED;
