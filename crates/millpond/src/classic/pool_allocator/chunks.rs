//! The memory of a pool allocator, and its free slots.
//!
//! # Invariant
//!
//! 1. All slots of one [`Chunks`] are of one type, `Live<T>`; the stack stores them without the
//!    type.
//! 2. Each slot is in one place: on the stack, in a [`FreeSlot`], or in a guard, and only the last means
//!    that it is initialised.
//! 3. The stack has room for all slots: a push never allocates.
//! 4. A [`FreeSlot`] and an initialised slot own a count of the `Rc`. So the memory, which is freed
//!    only with the `Chunks`, outlives both.
//! 5. If the chunks fill free slots (`debug-aids`), every byte of a slot on the stack is initialised.
//!
//! No user code runs in this module.

use alloc::alloc::dealloc;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::ManuallyDrop;
#[cfg(feature = "debug-aids")]
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::base::memory::{self, OutOfMemory};
use crate::base::sanitizer;
#[cfg(feature = "debug-aids")]
use crate::reports::debug::{fill, find_changed};
use crate::reports::stats::Stats;
#[cfg(feature = "debug-aids")]
use crate::values::initialised;

/// What a slot holds while its guard lives.
pub(super) struct Live<T> {
    /// The chunks that the slot returns to.
    pub(super) chunks: Rc<Chunks>,
    pub(super) value: T,
}

/// The memory of one pool and the stack of its free slots.
#[derive(Default)]
pub(super) struct Chunks {
    free: RefCell<Vec<NonNull<()>>>,
    memory: RefCell<Vec<Chunk>>,
    slots: Cell<usize>,
    inserted: Cell<u64>,
    removed: Cell<u64>,
    refused: Cell<u64>,
    /// The peak number of values, updated when one is about to be removed.
    peak_before_removal: Cell<usize>,
    /// Whether free slots are filled.
    #[cfg(feature = "debug-aids")]
    fills: Cell<bool>,
}

/// A piece of memory from the global allocator.
struct Chunk {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Drop for Chunk {
    #[inline]
    fn drop(&mut self) {
        sanitizer::unpoison_at(self.memory.as_ptr(), self.layout.size());
        // SAFETY: the memory came from the global allocator with this layout, and no slot of it is in
        // use: each would own a count of the `Rc` that keeps the chunks (invariant 4).
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

impl Chunks {
    /// Allocates a chunk of this many slots, which is not 0. On an error, nothing changes.
    pub(super) fn try_grow<T>(chunks: &Rc<Self>, slots: usize) -> Result<(), OutOfMemory> {
        let chunk = memory::uninit_and_touched::<Live<T>>(slots)?;
        let slots_after = chunks.slots().checked_add(slots).ok_or(OutOfMemory)?;
        let mut free = chunks.free.borrow_mut();
        let room_missing = slots_after - free.len();
        free.try_reserve_exact(room_missing).map_err(|_| OutOfMemory)?;
        let mut memory = chunks.memory.borrow_mut();
        memory.try_reserve(1).map_err(|_| OutOfMemory)?;

        let layout = Layout::for_value(&*chunk);
        let first = NonNull::from(Box::leak(chunk)).cast::<Live<T>>();
        memory.push(Chunk { memory: first.cast(), layout });
        sanitizer::poison_at(first.as_ptr().cast(), layout.size());
        // The first slot ends up on top. SAFETY: the chunk has this many slots.
        free.extend((0..slots).rev().map(|slot| unsafe { first.add(slot) }.cast::<()>()));
        chunks.slots.set(slots_after);
        #[cfg(feature = "debug-aids")]
        if chunks.fills.get() {
            let known = free.len() - slots;
            fill_all::<T>(&free[known..]);
        }
        Ok(())
    }

    /// Fills free slots from now on, and inspects them before they are reused.
    #[cfg(feature = "debug-aids")]
    pub(super) fn fill_free_slots<T>(&self) {
        self.fills.set(true);
        fill_all::<T>(&self.free.borrow());
    }

    /// How many slots there are.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots.get()
    }

    /// How many slots are on the stack.
    #[inline]
    pub(super) fn free_slots(&self) -> usize {
        self.free.borrow().len()
    }

    /// How many slots hold a value.
    #[inline]
    pub(super) fn live(&self) -> usize {
        (self.inserted.get() - self.removed.get()) as usize
    }

    /// How many chunks there are.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.memory.borrow().len()
    }

    #[cold]
    pub(super) fn count_refusal(&self) {
        self.refused.set(self.refused.get() + 1);
    }

    /// A slot has been initialised.
    #[inline]
    pub(super) fn count_insertion(&self) {
        self.inserted.set(self.inserted.get() + 1);
    }

    /// A slot is about to lose its value.
    #[inline]
    pub(super) fn count_removal(&self) {
        self.peak_before_removal.set(self.peak_before_removal.get().max(self.live()));
        self.removed.set(self.removed.get() + 1);
    }

    #[inline]
    pub(super) fn stats(&self) -> Stats {
        Stats {
            capacity: self.slots(),
            live: self.live(),
            peak: self.peak_before_removal.get().max(self.live()),
            inserted: self.inserted.get(),
            removed: self.removed.get(),
            refused: self.refused.get(),
            ..Stats::default()
        }
    }
}

/// Fills these slots of the stack.
#[cfg(feature = "debug-aids")]
fn fill_all<T>(slots: &[NonNull<()>]) {
    for slot in slots {
        let slot = slot.cast::<Live<T>>();
        sanitizer::unpoison_at(slot.as_ptr().cast(), size_of::<Live<T>>());
        // SAFETY: nobody uses a slot of the stack.
        fill(unsafe { bytes_of(slot) }, 0);
        sanitizer::poison_at(slot.as_ptr().cast(), size_of::<Live<T>>());
    }
}

/// # Safety
///
/// The slot is within its chunk, and nobody else uses it while the bytes are borrowed.
#[cfg(feature = "debug-aids")]
unsafe fn bytes_of<'a, T>(slot: NonNull<Live<T>>) -> &'a mut [MaybeUninit<u8>] {
    // SAFETY: the bytes are those of one slot, and `MaybeUninit<u8>` may be any of them; the rest is the caller's
    // promise.
    unsafe { core::slice::from_raw_parts_mut(slot.as_ptr().cast(), size_of::<Live<T>>()) }
}

/// A slot without a value, taken from the stack. It goes back when it is dropped.
pub(super) struct FreeSlot<T> {
    chunks: Rc<Chunks>,
    slot: NonNull<Live<T>>,
}

impl<T> FreeSlot<T> {
    /// The slot that was freed last.
    #[inline]
    #[track_caller]
    pub(super) fn pop(chunks: &Rc<Chunks>) -> Option<Self> {
        let slot: NonNull<Live<T>> = chunks.free.borrow_mut().pop()?.cast();
        sanitizer::unpoison_at(slot.as_ptr().cast(), size_of::<Live<T>>());
        let free = Self { chunks: Rc::clone(chunks), slot };
        #[cfg(feature = "debug-aids")]
        if chunks.fills.get() {
            free.inspect();
        }
        Some(free)
    }

    /// Checks that the slot was not written to since it was filled.
    #[cfg(feature = "debug-aids")]
    #[track_caller]
    fn inspect(&self) {
        // SAFETY: nobody uses a slot that was just allocated from the stack.
        let bytes = unsafe { bytes_of(self.slot) };
        // SAFETY: the chunks fill, so the bytes are initialised (invariant 5).
        if let Some(changed) = find_changed(unsafe { initialised(bytes) }, 0) {
            panic!("a slot of a pool allocator was written to while it was dead: {changed}");
        }
    }

    /// A slot that is off the stack and no longer has a value.
    ///
    /// # Safety
    ///
    /// It is one of the chunks, of this type, and nobody else uses it.
    #[inline]
    pub(super) unsafe fn emptied(chunks: Rc<Chunks>, slot: NonNull<Live<T>>) -> Self {
        Self { chunks, slot }
    }

    /// Where the slot is.
    #[inline]
    pub(super) fn as_ptr(&self) -> *mut Live<T> {
        self.slot.as_ptr()
    }

    /// The slot, which the caller takes care of, and the count that belongs to it.
    #[inline]
    pub(super) fn into_parts(self) -> (Rc<Chunks>, NonNull<Live<T>>) {
        let kept = ManuallyDrop::new(self);
        // SAFETY: `kept` is not used again, so the count is moved out once.
        (unsafe { core::ptr::read(&kept.chunks) }, kept.slot)
    }
}

impl<T> Drop for FreeSlot<T> {
    #[inline]
    fn drop(&mut self) {
        #[cfg(feature = "debug-aids")]
        if self.chunks.fills.get() {
            // SAFETY: nobody else uses the slot.
            fill(unsafe { bytes_of(self.slot) }, 0);
        }
        sanitizer::poison_at(self.slot.as_ptr().cast(), size_of::<Live<T>>());
        // There is room: the stack was made as large as the number of slots.
        self.chunks.free.borrow_mut().push(self.slot.cast());
    }
}
