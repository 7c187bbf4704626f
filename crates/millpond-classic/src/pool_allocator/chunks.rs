//! The memory of a pool allocator, and its free slots.
//!
//! # Invariant
//!
//! 1. All slots of one [`Chunks`] are of one type, [`Slot<T>`], and lie in the chunks as [`Chunk::slot`] says; the free
//!    list stores them without the type. Each of them finds its header, which points to the `Chunks`.
//! 2. Each slot is in one place: from `fresh` on (it was never used), on the free list, in a [`FreeSlot`], or in a
//!    guard. Only the last means that its value is initialised. On the list, it has the link to the next slot of the
//!    list.
//! 3. `shares` counts each [`Share`], each slot that is in a [`FreeSlot`] or a guard among them. The chunks and their
//!    memory are freed when it reaches 0, and not before.
//! 4. If the chunks fill free slots (`debug-aids`), every byte of the value of a slot that is fresh or on the list is
//!    initialised.
//!
//! No user code runs in this module.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::ptr::NonNull;

use millpond::__parts::OutOfMemory;
use millpond::__parts::address::behind;
use millpond::__parts::bytes::initialised;
use millpond::__parts::cold;
use millpond::__parts::dead_slots::{Filled, fill, find_changed};
use millpond::__parts::memory;
use millpond::__parts::sanitizer;
use millpond::Stats;

/// A slot: room for a value, or for the link of the free list. A guard points to it.
#[repr(C)]
#[cfg(not(feature = "debug-aids"))]
union Slot<T> {
    value: ManuallyDrop<MaybeUninit<T>>,
    next: Link,
}

/// The same with room for both, so that all bytes of a value can be filled.
#[repr(C)]
#[cfg(feature = "debug-aids")]
struct Slot<T> {
    value: MaybeUninit<T>,
    next: Link,
}

/// A slot of the free list, if there is one, without its type.
type Link = Option<NonNull<()>>;

/// What lies before the slots of a group: the pool they belong to.
type Header = NonNull<Chunks>;

/// The bytes of a cache line.
const LINE: usize = 64;

impl<T> Slot<T> {
    /// Whether small slots share a header, which lies at the start of each so many bytes of memory. Freeing a value
    /// then touches the header, which is in use all the time, instead of one that waits beside each value.
    ///
    /// Where addresses have fewer bits, so much alignment may be too much to ask for.
    const SHARES_HEADER: bool = cfg!(target_pointer_width = "64")
        && size_of::<Self>() <= 2 * LINE
        && align_of::<Self>() <= LINE;

    /// The bytes of a group; all of them start at a multiple of this if they share headers.
    const GROUP: usize = match Self::SHARES_HEADER {
        true => 128 * LINE,
        false => Self::HEADER + size_of::<Self>(),
    };

    /// The headers of this many groups in a row lie in different lines, lest they all compete for the same place in a
    /// cache.
    const LINES: usize = if Self::SHARES_HEADER { 8 } else { 1 };

    /// The bytes from a header to the first slot, which keep both aligned.
    const HEADER: usize = match Self::SHARES_HEADER {
        true => LINE,
        false if size_of::<Header>() > align_of::<Self>() => size_of::<Header>(),
        false => align_of::<Self>(),
    };

    /// How many slots there are in a group.
    const IN_GROUP: usize =
        (Self::GROUP - (Self::LINES - 1) * LINE - Self::HEADER) / size_of::<Self>();

    /// The memory of this many slots, at least one.
    fn layout(slots: usize) -> Option<Layout> {
        let full_groups = (slots - 1) / Self::IN_GROUP;
        let others = slots - full_groups * Self::IN_GROUP;
        let last = (Self::LINES - 1) * LINE + Self::HEADER + others * size_of::<Self>();
        let align = if Self::SHARES_HEADER { Self::GROUP } else { Self::HEADER };
        Layout::from_size_align(full_groups.checked_mul(Self::GROUP)?.checked_add(last)?, align)
            .ok()
    }

    /// From the start of a group to its header.
    #[inline]
    fn header_in_group(start: usize) -> usize {
        start / Self::GROUP % Self::LINES * LINE
    }

    /// Where the header of this slot is.
    #[inline]
    fn header(slot: NonNull<T>) -> *mut Header {
        let header = |slot: usize| match Self::SHARES_HEADER {
            true => {
                let start = slot & !(Self::GROUP - 1);
                start + Self::header_in_group(start)
            }
            false => slot - Self::HEADER,
        };
        slot.as_ptr().map_addr(header).cast()
    }

    /// Where the link of this slot is.
    #[inline]
    fn next(slot: NonNull<T>) -> *mut Link {
        slot.as_ptr().wrapping_byte_add(core::mem::offset_of!(Self, next)).cast()
    }
}

/// The memory of one pool and the list of its free slots.
#[derive(Default)]
pub(super) struct Chunks {
    /// The slot that was freed last.
    free: Cell<Link>,
    shares: Cell<usize>,
    owners: Cell<usize>,
    inserted: Cell<u64>,
    refused: Cell<u64>,
    /// The next slot that was never used: the number of its chunk, and of the slot there, which may be the one after
    /// the last.
    fresh: Cell<(usize, usize)>,
    /// How many slots were used. A fresh one is taken only if no other is free, so it is the most that were at once.
    used: Cell<usize>,
    slots: Cell<usize>,
    memory: RefCell<Vec<Chunk>>,
    /// Whether free slots are filled.
    fills: Cell<Option<Filled>>,
}

/// A piece of memory from the global allocator, and how many slots it has: at least one.
struct Chunk {
    memory: NonNull<u8>,
    layout: Layout,
    slots: usize,
}

impl Chunk {
    /// The slot of this number, which is less than `slots`: the layout has room for these, wherever in their groups the
    /// headers are.
    fn slot<T>(&self, number: usize) -> NonNull<T> {
        let (group, in_group) = (number / Slot::<T>::IN_GROUP, number % Slot::<T>::IN_GROUP);
        let start = group * Slot::<T>::GROUP;
        let header = start + Slot::<T>::header_in_group(self.memory.addr().get() + start);
        let offset = header + Slot::<T>::HEADER + in_group * size_of::<Slot<T>>();
        behind(self.memory, offset).cast()
    }
}

impl Drop for Chunk {
    #[inline]
    fn drop(&mut self) {
        sanitizer::unpoison_at(self.memory.as_ptr(), self.layout.size());
        // SAFETY: the memory came from the global allocator with this layout, and no slot of it is in
        // use (invariant 3).
        unsafe { memory::give_back(self.memory, self.layout) };
    }
}

/// One of the shares that are counted, which keeps the chunks.
struct Share(NonNull<Chunks>);

impl Deref for Share {
    type Target = Chunks;

    #[inline]
    fn deref(&self) -> &Chunks {
        // SAFETY: the chunks live as long as this share is counted (invariant 3).
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Share {
    #[inline]
    fn drop(&mut self) {
        self.shares.set(self.shares.get() - 1);
        if self.shares.get() == 0 {
            cold();
            // SAFETY: they came from a `Box`, and nobody uses them any more (invariant 3).
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

/// A pool's share in its chunks.
pub(super) struct Owner(Share);

impl Default for Owner {
    #[inline]
    fn default() -> Self {
        let chunks = Chunks { shares: Cell::new(1), owners: Cell::new(1), ..Chunks::default() };
        Self(Share(NonNull::from(Box::leak(Box::new(chunks)))))
    }
}

impl Clone for Owner {
    #[inline]
    fn clone(&self) -> Self {
        // So that the shares of owners and those of slots, of which memory has room for fewer, are no more than can be
        // counted.
        let owners = self.owners.get() + 1;
        assert!(owners <= usize::MAX / 2, "a pool allocator has fewer than 2^31 clones");
        self.owners.set(owners);
        self.shares.set(self.shares.get() + 1);
        Self(Share(self.0.0))
    }
}

impl Drop for Owner {
    #[inline]
    fn drop(&mut self) {
        self.owners.set(self.owners.get() - 1);
    }
}

impl Deref for Owner {
    type Target = Chunks;

    #[inline]
    fn deref(&self) -> &Chunks {
        &self.0
    }
}

impl Owner {
    /// Allocates a chunk of this many slots, which is not 0. On an error, nothing changes.
    pub(super) fn try_grow<T>(&self, slots: usize) -> Result<(), OutOfMemory> {
        let layout = Slot::<T>::layout(slots).ok_or(OutOfMemory)?;
        let slots_after = self.slots().checked_add(slots).ok_or(OutOfMemory)?;
        let mut chunks = self.memory.borrow_mut();
        chunks.try_reserve(1).map_err(|_| OutOfMemory)?;

        let chunk = Chunk { memory: memory::take_touched(layout)?, layout, slots };
        for number in 0..slots {
            let slot = chunk.slot::<T>(number);
            if number % Slot::<T>::IN_GROUP == 0 {
                // SAFETY: the header lies before the first slot of its group, in the new chunk.
                unsafe { Slot::<T>::header(slot).write(self.0.0) };
            }
            // SAFETY: the slot is new, of this type, and nobody else has it.
            unsafe { self.lay_out(slot) };
        }
        chunks.push(chunk);
        self.slots.set(slots_after);
        Ok(())
    }
}

impl Chunks {
    /// Fills the memory of a slot without a value, if it is to be filled, and poisons it.
    ///
    /// # Safety
    ///
    /// It is one of these chunks, of this type, and nobody uses it.
    #[inline]
    unsafe fn lay_out<T>(&self, slot: NonNull<T>) {
        if self.fills.get().is_some() {
            // SAFETY: nobody uses the slot.
            fill(unsafe { bytes_of(slot) });
        }
        poison(slot);
    }

    /// The next slot that was never used.
    #[cold]
    #[inline(never)]
    fn take_fresh<T>(&self) -> Option<NonNull<T>> {
        let memory = self.memory.borrow();
        let (mut number, mut index) = self.fresh.get();
        if index == memory.get(number)?.slots {
            (number, index) = (number + 1, 0);
        }
        let slot = memory.get(number)?.slot(index);
        self.fresh.set((number, index + 1));
        self.used.set(self.used.get() + 1);
        Some(slot)
    }

    /// Puts a slot without a value on the list.
    ///
    /// # Safety
    ///
    /// It is one of these chunks, of this type, neither fresh nor on the list, and nobody uses it.
    #[inline]
    unsafe fn push<T>(&self, slot: NonNull<T>) {
        // SAFETY: the slot is within its chunk, and nobody uses it.
        unsafe { Slot::next(slot).write(self.free.get()) };
        self.free.set(Some(slot.cast()));
        // SAFETY: as above.
        unsafe { self.lay_out(slot) };
    }

    /// Takes the slot that was freed last from the list, if there is one. Its link stays in it.
    #[inline]
    fn unlink<T>(&self) -> Option<NonNull<T>> {
        let slot = self.free.get()?.cast();
        unpoison(slot);
        // SAFETY: a slot of the list has a link (invariant 2).
        self.free.set(unsafe { Slot::next(slot).read() });
        Some(slot)
    }

    /// Fills free slots from now on, and inspects them before they are reused.
    #[cfg(feature = "debug-aids")]
    pub(super) fn fill_free_slots<T>(&self) {
        self.fills.set(millpond::__parts::dead_slots::filled(1));
        let (number, index) = self.fresh.get();
        let mut from = index;
        for chunk in self.memory.borrow().iter().skip(number) {
            for index in core::mem::take(&mut from)..chunk.slots {
                let slot = chunk.slot::<T>(index);
                unpoison(slot);
                // SAFETY: nobody uses a fresh slot.
                unsafe { self.lay_out(slot) };
            }
        }
        let first = self.free.get();
        while let Some(slot) = self.unlink::<T>() {
            // SAFETY: nobody uses a slot of the list.
            unsafe { self.lay_out(slot) };
        }
        // The links are those of before: a slot has room for both.
        self.free.set(first);
    }

    /// How many slots there are.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots.get()
    }

    /// How many slots are free.
    #[inline]
    pub(super) fn free_slots(&self) -> usize {
        self.slots() - self.live()
    }

    /// How many slots hold a value, or are about to.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.shares.get() - self.owners.get()
    }

    /// How many chunks there are.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.memory.borrow().len()
    }

    #[cold]
    #[inline]
    pub(super) fn count_refusal(&self) {
        self.refused.set(self.refused.get() + 1);
    }

    #[inline]
    pub(super) fn stats(&self) -> Stats {
        let mut stats = Stats::NONE;
        (stats.capacity, stats.live, stats.peak) = (self.slots(), self.live(), self.used.get());
        stats.inserted = self.inserted.get();
        stats.removed = stats.inserted - stats.live as u64;
        stats.refused = self.refused.get();
        stats
    }
}

/// The memory of a slot may not be used.
#[inline]
fn poison<T>(slot: NonNull<T>) {
    sanitizer::poison_at(slot.cast().as_ptr(), size_of::<Slot<T>>());
}

#[inline]
fn unpoison<T>(slot: NonNull<T>) {
    sanitizer::unpoison_at(slot.cast().as_ptr(), size_of::<Slot<T>>());
}

/// # Safety
///
/// The slot is within its chunk, and nobody else uses it while the bytes are borrowed.
unsafe fn bytes_of<'a, T>(slot: NonNull<T>) -> &'a mut [MaybeUninit<u8>] {
    // SAFETY: the bytes are those of one value, and `MaybeUninit<u8>` may be any of them; the rest is the caller's
    // promise.
    unsafe { core::slice::from_raw_parts_mut(slot.cast().as_ptr(), size_of::<T>()) }
}

/// A slot without a value, taken from the free ones. It goes to the list when it is dropped.
pub(super) struct FreeSlot<'a, T> {
    owner: &'a Owner,
    slot: NonNull<T>,
}

impl<'a, T> FreeSlot<'a, T> {
    /// The slot that was freed last, or else one that was never used.
    #[inline]
    #[track_caller]
    pub(super) fn pop(owner: &'a Owner) -> Option<Self> {
        let slot = match owner.unlink() {
            Some(slot) => slot,
            None => {
                let slot = owner.take_fresh()?;
                unpoison(slot);
                slot
            }
        };
        owner.shares.set(owner.shares.get() + 1);
        owner.inserted.set(owner.inserted.get() + 1);
        let free = Self { owner, slot };
        if owner.fills.get().is_some() {
            free.inspect();
        }
        Some(free)
    }

    /// Checks that the slot was not written to since it was filled.
    #[track_caller]
    fn inspect(&self) {
        // SAFETY: nobody uses a slot that was just taken.
        let bytes = unsafe { bytes_of(self.slot) };
        // SAFETY: the chunks fill, so the bytes are initialised (invariant 4).
        if let Some(changed) = find_changed(unsafe { initialised(bytes) }) {
            panic!("a slot of a pool allocator was written to while it was dead: {changed}");
        }
    }

    /// Moves `value` into the slot, which then belongs to the caller: [`end`] puts it back.
    #[inline]
    pub(super) fn fill_with(self, value: T) -> NonNull<T> {
        let slot = ManuallyDrop::new(self).slot;
        // SAFETY: the slot is within its chunk, nobody else uses it, and it has no value that would be lost.
        unsafe { slot.write(value) };
        slot
    }
}

impl<T> Drop for FreeSlot<'_, T> {
    fn drop(&mut self) {
        self.owner.shares.set(self.owner.shares.get() - 1);
        self.owner.inserted.set(self.owner.inserted.get() - 1);
        // SAFETY: the slot is of these chunks, was taken from them, and nobody uses it.
        unsafe { self.owner.push(self.slot) };
    }
}

/// Puts a slot back whose value has been moved out or dropped. The memory is freed if it was the last one, and the pool
/// is gone.
///
/// # Safety
///
/// The slot is from [`FreeSlot::fill_with`], and nobody uses it from now on.
#[inline]
pub(super) unsafe fn end<T>(slot: NonNull<T>) {
    // The share that was counted for the slot.
    // SAFETY: each slot has a header, which nobody changes (invariant 1).
    let share = Share(unsafe { Slot::header(slot).read() });
    // SAFETY: the slot is of these chunks, and nobody uses it.
    unsafe { share.push(slot) };
}
