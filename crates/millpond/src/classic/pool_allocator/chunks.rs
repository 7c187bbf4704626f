//! The memory of a pool allocator, and its free slots.
//!
//! # Invariant
//!
//! 1. All slots of one [`Chunks`] are of one type, [`Slot<T>`]; the free list stores them without the
//!    type.
//! 2. Each slot is in one place: from `fresh` on (it was never used), on the free list, in a [`FreeSlot`], or in a guard.
//!    Only the last means that its value is initialised. On the list, its head is the link to the next slot of the list;
//!    in a guard, it is the chunks.
//! 3. `shares` counts the slots that are in a [`FreeSlot`] or a guard, and one more as long as there is an [`Owner`]. The
//!    chunks and their memory are freed when it reaches 0, and not before.
//! 4. If the chunks fill free slots (`debug-aids`), every byte of the value of a slot that is fresh or on the list is
//!    initialised.
//!
//! No user code runs in this module.

use alloc::alloc::dealloc;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::ptr::NonNull;

use crate::base::memory::{self, OutOfMemory};
use crate::base::sanitizer;
use crate::reports::debug::{Fills, fill, find_changed};
use crate::reports::stats::Stats;
use crate::values::initialised;

/// A slot. Its guard points to it, and finds the pool by its head.
#[repr(C)]
pub(super) struct Slot<T> {
    head: Head,
    pub(super) value: MaybeUninit<T>,
}

/// The first bytes of a slot (invariant 2).
#[derive(Clone, Copy)]
union Head {
    chunks: NonNull<Chunks>,
    next: Link,
}

/// A slot of the free list, if there is one.
type Link = Option<NonNull<Head>>;

/// The memory of one pool and the list of its free slots.
#[derive(Default)]
pub(super) struct Chunks {
    /// The slot that was freed last.
    free: Cell<Link>,
    shares: Cell<usize>,
    owners: Cell<usize>,
    inserted: Cell<u64>,
    refused: Cell<u64>,
    /// The next slot that was never used: the number of its chunk, and of the slot there, which may be the one after the
    /// last.
    fresh: Cell<(usize, usize)>,
    /// How many slots were used. A fresh one is taken only if no other is free, so it is the most that were at once.
    used: Cell<usize>,
    slots: Cell<usize>,
    memory: RefCell<Vec<Chunk>>,
    /// Whether free slots are filled.
    fills: Cell<Fills>,
}

/// A piece of memory from the global allocator, and how many slots it has: at least one.
struct Chunk {
    memory: NonNull<u8>,
    layout: Layout,
    slots: usize,
}

impl Drop for Chunk {
    #[inline]
    fn drop(&mut self) {
        sanitizer::unpoison_at(self.memory.as_ptr(), self.layout.size());
        // SAFETY: the memory came from the global allocator with this layout, and no slot of it is in
        // use (invariant 3).
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// A share in the chunks.
pub(super) struct Owner(NonNull<Chunks>);

impl Default for Owner {
    #[inline]
    fn default() -> Self {
        let chunks = Chunks { shares: Cell::new(1), owners: Cell::new(1), ..Chunks::default() };
        Self(NonNull::from(Box::leak(Box::new(chunks))))
    }
}

impl Clone for Owner {
    #[inline]
    fn clone(&self) -> Self {
        let owners = self.owners.get().checked_add(1);
        self.owners.set(owners.expect("a pool allocator has fewer than 2^32 clones"));
        Self(self.0)
    }
}

impl Drop for Owner {
    #[inline]
    fn drop(&mut self) {
        self.owners.set(self.owners.get() - 1);
        if self.owners.get() == 0 {
            // SAFETY: this owner, the last one, is not used again, and its share was counted.
            unsafe { give_up_share(self.0) };
        }
    }
}

impl Deref for Owner {
    type Target = Chunks;

    #[inline]
    fn deref(&self) -> &Chunks {
        // SAFETY: the chunks live as long as this owner is counted.
        unsafe { self.0.as_ref() }
    }
}

/// Gives up a share of the chunks, and frees them if it was the last one.
///
/// # Safety
///
/// The share was counted, so the chunks are not freed yet. The caller does not use them afterwards.
#[inline]
unsafe fn give_up_share(chunks: NonNull<Chunks>) {
    // SAFETY: they are not freed yet.
    let shares = unsafe { &chunks.as_ref().shares };
    shares.set(shares.get() - 1);
    if shares.get() == 0 {
        // SAFETY: nobody uses them any more (invariant 3).
        unsafe { free(chunks) };
    }
}

/// # Safety
///
/// The chunks are not freed yet, and nobody uses them from now on.
#[cold]
#[inline]
unsafe fn free(chunks: NonNull<Chunks>) {
    // SAFETY: they came from a `Box`, and nobody uses them.
    drop(unsafe { Box::from_raw(chunks.as_ptr()) });
}

impl Chunks {
    /// Allocates a chunk of this many slots, which is not 0. On an error, nothing changes.
    pub(super) fn try_grow<T>(&self, slots: usize) -> Result<(), OutOfMemory> {
        let chunk = memory::uninit_and_touched::<Slot<T>>(slots)?;
        let slots_after = self.slots().checked_add(slots).ok_or(OutOfMemory)?;
        let mut memory = self.memory.borrow_mut();
        memory.try_reserve(1).map_err(|_| OutOfMemory)?;

        let layout = Layout::for_value(&*chunk);
        let first = NonNull::from(Box::leak(chunk)).cast::<Slot<T>>();
        memory.push(Chunk { memory: first.cast(), layout, slots });
        for index in 0..slots {
            // SAFETY: the chunk has this many slots.
            let slot = unsafe { first.add(index) };
            // SAFETY: the slot is new, of this type, and nobody else has it.
            unsafe { self.lay_out(slot) };
        }
        self.slots.set(slots_after);
        Ok(())
    }

    /// Fills the memory of a slot without a value, if it is to be filled, and poisons it.
    ///
    /// # Safety
    ///
    /// It is one of these chunks, of this type, and nobody uses it.
    #[inline]
    unsafe fn lay_out<T>(&self, slot: NonNull<Slot<T>>) {
        if self.fills.get().are_of(1) {
            // SAFETY: nobody uses the slot.
            fill(unsafe { bytes_of(slot) }, 0);
        }
        poison(slot);
    }

    /// The next slot that was never used.
    #[cold]
    #[inline(never)]
    fn take_fresh<T>(&self) -> Option<NonNull<Slot<T>>> {
        let memory = self.memory.borrow();
        let (mut number, mut index) = self.fresh.get();
        if index == memory.get(number)?.slots {
            (number, index) = (number + 1, 0);
        }
        let first = memory.get(number)?.memory.cast::<Slot<T>>();
        self.fresh.set((number, index + 1));
        self.used.set(self.used.get() + 1);
        // SAFETY: the chunk has more slots than this, of this type (invariant 1).
        Some(unsafe { first.add(index) })
    }

    /// Puts a slot without a value on the list.
    ///
    /// # Safety
    ///
    /// It is one of these chunks, of this type, neither fresh nor on the list, and nobody uses it.
    #[inline]
    unsafe fn push<T>(&self, slot: NonNull<Slot<T>>) {
        // SAFETY: as above.
        unsafe { self.lay_out(slot) };
        // SAFETY: the slot is within its chunk, and nobody uses it.
        unsafe { slot.cast::<Head>().write(Head { next: self.free.get() }) };
        self.free.set(Some(slot.cast()));
    }

    /// Fills free slots from now on, and inspects them before they are reused.
    #[cfg(feature = "debug-aids")]
    pub(super) fn fill_free_slots<T>(&self) {
        self.fills.set(Fills::of(1));
        let (number, index) = self.fresh.get();
        let mut from = index;
        for chunk in self.memory.borrow().iter().skip(number) {
            for index in core::mem::take(&mut from)..chunk.slots {
                // SAFETY: the chunk has this many slots, of this type (invariant 1).
                let slot = unsafe { chunk.memory.cast::<Slot<T>>().add(index) };
                unpoison(slot);
                // SAFETY: nobody uses a fresh slot.
                unsafe { self.lay_out(slot) };
            }
        }
        let mut next = self.free.get();
        while let Some(head) = next {
            let slot = head.cast::<Slot<T>>();
            unpoison(slot);
            // SAFETY: nobody uses a slot of the list.
            unsafe { self.lay_out(slot) };
            // SAFETY: the slot is within its chunk.
            let head = unsafe { head.read() };
            // SAFETY: the head of a slot on the list is a link (invariant 2).
            next = unsafe { head.next };
        }
    }

    /// How many slots there are.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots.get()
    }

    /// How many slots are free. Asked by owners.
    #[inline]
    pub(super) fn free_slots(&self) -> usize {
        self.slots() - self.live()
    }

    /// How many slots hold a value, or are about to. Asked by owners, who have a share together.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.shares.get() - 1
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
        Stats {
            capacity: self.slots(),
            live: self.live(),
            peak: self.used.get(),
            inserted: self.inserted.get(),
            removed: self.inserted.get() - self.live() as u64,
            refused: self.refused.get(),
            ..Stats::default()
        }
    }
}

/// The memory of a slot's value may not be used. (Its head is the list's.)
#[inline]
fn poison<T>(slot: NonNull<Slot<T>>) {
    sanitizer::poison_at(value_of(slot).cast(), size_of::<T>());
}

#[inline]
fn unpoison<T>(slot: NonNull<Slot<T>>) {
    sanitizer::unpoison_at(value_of(slot).cast(), size_of::<T>());
}

/// Where a slot's value is.
#[inline]
pub(super) fn value_of<T>(slot: NonNull<Slot<T>>) -> *mut T {
    // The same as the address of the field, without a claim that there is a slot.
    slot.as_ptr().wrapping_byte_add(core::mem::offset_of!(Slot<T>, value)).cast()
}

/// # Safety
///
/// The slot is within its chunk, and nobody else uses it while the bytes are borrowed.
unsafe fn bytes_of<'a, T>(slot: NonNull<Slot<T>>) -> &'a mut [MaybeUninit<u8>] {
    // SAFETY: the bytes are those of one value, and `MaybeUninit<u8>` may be any of them; the rest is the caller's
    // promise.
    unsafe { core::slice::from_raw_parts_mut(value_of(slot).cast(), size_of::<T>()) }
}

/// A slot without a value, taken from the free ones. It goes to the list when it is dropped.
pub(super) struct FreeSlot<'a, T> {
    owner: &'a Owner,
    slot: NonNull<Slot<T>>,
}

impl<'a, T> FreeSlot<'a, T> {
    /// The slot that was freed last, or else one that was never used.
    #[inline]
    #[track_caller]
    pub(super) fn pop(owner: &'a Owner) -> Option<Self> {
        let slot = match owner.free.get() {
            Some(head) => {
                // SAFETY: the slot is within its chunk.
                let link = unsafe { head.read() };
                // SAFETY: the head of a slot on the list is a link (invariant 2).
                owner.free.set(unsafe { link.next });
                head.cast()
            }
            None => owner.take_fresh()?,
        };
        owner.shares.set(owner.shares.get() + 1);
        owner.inserted.set(owner.inserted.get() + 1);
        let free = Self { owner, slot };
        unpoison(free.slot);
        if owner.fills.get().are_of(1) {
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
        if let Some(changed) = find_changed(unsafe { initialised(bytes) }, 0) {
            panic!("a slot of a pool allocator was written to while it was dead: {changed}");
        }
    }

    /// Moves `value` into the slot, which then belongs to the caller: [`end`] puts it back.
    #[inline]
    pub(super) fn fill_with(self, value: T) -> NonNull<Slot<T>> {
        let kept = ManuallyDrop::new(self);
        // SAFETY: the slot is within its chunk, nobody else uses it, and it has no value that would be lost.
        unsafe { value_of(kept.slot).write(value) };
        // SAFETY: as above. Now the head is the chunks, as in a guard (invariant 2).
        unsafe { kept.slot.cast::<Head>().write(Head { chunks: kept.owner.0 }) };
        kept.slot
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
pub(super) unsafe fn end<T>(slot: NonNull<Slot<T>>) {
    // SAFETY: the slot is within its chunk.
    let head = unsafe { slot.cast::<Head>().read() };
    // SAFETY: the head of a slot with a guard is the chunks (invariant 2).
    let chunks = unsafe { head.chunks };
    // SAFETY: the chunks live, because this slot is counted.
    let of = unsafe { chunks.as_ref() };
    // SAFETY: the slot is of these chunks, and nobody uses it.
    unsafe { of.push(slot) };
    // SAFETY: the slot was counted.
    unsafe { give_up_share(chunks) };
}
