//! The memory of a pool allocator, and its free slots.
//!
//! # Invariant
//!
//! 1. A slot is in one place: from `fresh` on (it was never used), on the free list, in a [`FreeSlot`], or in a guard.
//!    Only the last means that its value is initialised. The head of a slot on the list is the address of the next one, or
//!    null; that of a slot in a guard is the address of the chunks.
//! 2. The memory of a slot stays where it is until the chunks are dropped, and the chunks as long as somebody has a share
//!    in them. `live` counts the slots that are in a [`FreeSlot`] or a guard; as long as there are any, they have one share
//!    together, from [`Rc::into_raw`]. Whoever uses an [`At`] is one of these, or is the chunks.
//! 3. If the chunks fill free slots (`debug-aids`), every byte of the value of a slot that is fresh or on the list is
//!    initialised.
//!
//! No user code runs in this module.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::ptr::{self, NonNull};

use crate::base::memory::{self, OutOfMemory};
use crate::base::sanitizer;
use crate::reports::debug::{Fills, fill, find_changed};
use crate::reports::stats::Stats;
use crate::values::{bytes_mut, initialised};

/// A slot. Its guard points to it, and finds the pool by its head (invariant 1).
pub(super) struct Slot<T> {
    head: Cell<*const ()>,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// Where a slot is. It has no other type inside than a pointer, so that a guard of a `&'static T` may be used where one of
/// a shorter borrow is wanted.
pub(super) struct At<T> {
    slot: NonNull<()>,
    values: PhantomData<T>,
}

impl<T> Clone for At<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for At<T> {}

impl<T> Deref for At<T> {
    type Target = Slot<T>;

    #[inline]
    fn deref(&self) -> &Slot<T> {
        // SAFETY: the slot is where it was (invariant 2), and may be written behind a shared reference.
        unsafe { self.slot.cast().as_ref() }
    }
}

impl<T> At<T> {
    fn new(slot: NonNull<()>) -> Self {
        Self { slot, values: PhantomData }
    }

    /// Where the slot's value is.
    #[inline]
    pub(super) fn value(self) -> *mut T {
        self.value.get().cast()
    }

    /// Puts a slot back whose value has been moved out or dropped. The memory is freed if it was the last one, and the
    /// pool is gone.
    ///
    /// # Safety
    ///
    /// The slot is from [`FreeSlot::fill_with`], and nobody uses it from now on.
    #[inline]
    pub(super) unsafe fn end(self) {
        // SAFETY: the head of a slot in a guard is the address of the chunks (invariant 1), and the slot is counted.
        unsafe { self.put_back(self.head.get().cast()) };
    }

    /// Puts a slot back that has no value, and counts it no longer.
    ///
    /// # Safety
    ///
    /// It is a slot of these chunks, and is counted; nobody uses it from now on.
    #[inline]
    unsafe fn put_back(self, chunks: *const Chunks<T>) {
        // SAFETY: the chunks are there, because the slot is counted (invariant 2).
        let of = unsafe { &*chunks };
        of.push(self);
        let live = of.live.get() - 1;
        of.live.set(live);
        if live == 0 {
            // SAFETY: the share of the slots that are counted, of which there are none any more (invariant 2).
            drop(unsafe { Rc::from_raw(chunks) });
        }
    }

    /// Calls `f` with the bytes of the value of a slot that nobody uses, as one of the chunks' own or just taken.
    fn with_bytes<V>(self, f: impl FnOnce(&mut [MaybeUninit<u8>]) -> V) -> V {
        // SAFETY: nobody else uses the slot, and it has no value.
        f(bytes_mut(unsafe { &mut *self.value.get() }))
    }
}

/// The memory of one pool and the list of its free slots.
pub(super) struct Chunks<T> {
    /// The slot that was freed last, or null.
    free: Cell<*const ()>,
    live: Cell<usize>,
    inserted: Cell<u64>,
    refused: Cell<u64>,
    /// The next slot that was never used: the number of its chunk, and of the slot there, which may be the one after the
    /// last.
    fresh: Cell<(usize, usize)>,
    /// How many slots were used. A fresh one is taken only if no other is free, so it is the most that were at once.
    used: Cell<usize>,
    slots: Cell<usize>,
    memory: RefCell<Vec<Chunk<T>>>,
    /// Whether free slots are filled.
    fills: Cell<Fills>,
}

/// At least one slot.
struct Chunk<T> {
    /// Dropped first. Not a `Drop` of the chunk itself: the pool of a `&'a T` may then outlive `'a`.
    _poisoned: Poisoned,
    slots: Box<[Slot<T>]>,
}

impl<T> Chunk<T> {
    fn slots(&self) -> impl Iterator<Item = At<T>> {
        self.slots.iter().map(at)
    }
}

/// Memory that must not be poisoned any more when it is freed.
struct Poisoned {
    start: *mut u8,
    bytes: usize,
}

impl Drop for Poisoned {
    fn drop(&mut self) {
        sanitizer::unpoison_at(self.start, self.bytes);
    }
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self {
            free: Cell::new(ptr::null()),
            live: Cell::default(),
            inserted: Cell::default(),
            refused: Cell::default(),
            fresh: Cell::default(),
            used: Cell::default(),
            slots: Cell::default(),
            memory: RefCell::default(),
            fills: Cell::default(),
        }
    }
}

impl<T> Chunks<T> {
    /// Allocates a chunk of this many slots, which is not 0. On an error, nothing changes.
    pub(super) fn try_grow(&self, slots: usize) -> Result<(), OutOfMemory> {
        let mut chunk = memory::uninit_and_touched::<Slot<T>>(slots)?;
        let slots_after = self.slots().checked_add(slots).ok_or(OutOfMemory)?;
        let mut memory = self.memory.borrow_mut();
        memory.try_reserve(1).map_err(|_| OutOfMemory)?;
        for slot in &mut chunk {
            // Not as a whole, which would go over the stack in a build without optimisation.
            // SAFETY: the place is that of a slot, though not initialised.
            let head = unsafe { &raw mut (*slot.as_mut_ptr()).head };
            // SAFETY: the head is borrowed with its slot.
            unsafe { head.write(Cell::new(ptr::null())) };
        }
        let _poisoned = Poisoned { start: chunk.as_mut_ptr().cast(), bytes: size_of_val(&*chunk) };
        // SAFETY: their heads have just been written, and their values need not be initialised.
        let slots = unsafe { chunk.assume_init() };
        memory.push(Chunk { _poisoned, slots });
        memory.last().into_iter().flat_map(Chunk::slots).for_each(|slot| self.lay_out(slot));
        self.slots.set(slots_after);
        Ok(())
    }

    /// Fills the memory of a slot without a value, if it is to be filled, and poisons it.
    #[inline]
    fn lay_out(&self, slot: At<T>) {
        if self.fills.get().are_of(1) {
            slot.with_bytes(|bytes| fill(bytes, 0));
        }
        sanitizer::poison_at(slot.value().cast(), size_of::<T>());
    }

    /// The next slot that was never used.
    #[cold]
    #[inline(never)]
    fn take_fresh(&self) -> Option<At<T>> {
        let memory = self.memory.borrow();
        let (mut number, mut index) = self.fresh.get();
        if index == memory.get(number)?.slots.len() {
            (number, index) = (number + 1, 0);
        }
        let slot = memory.get(number)?.slots.get(index)?;
        self.fresh.set((number, index + 1));
        self.used.set(self.used.get() + 1);
        Some(at(slot))
    }

    /// Puts a slot without a value, which is neither fresh nor on the list, on the list.
    #[inline]
    fn push(&self, slot: At<T>) {
        self.lay_out(slot);
        slot.head.set(self.free.get());
        self.free.set(slot.slot.as_ptr());
    }

    /// The slot that was freed last.
    #[inline]
    fn last_freed(&self) -> Option<At<T>> {
        NonNull::new(self.free.get().cast_mut()).map(At::new)
    }

    /// Fills free slots from now on, and inspects them before they are reused.
    #[cfg(feature = "debug-aids")]
    pub(super) fn fill_free_slots(&self) {
        self.fills.set(Fills::of(1));
        let (number, index) = self.fresh.get();
        let memory = self.memory.borrow();
        let fresh = memory.iter().skip(number).flat_map(Chunk::slots).skip(index);
        let next = |slot: &At<T>| NonNull::new(slot.head.get().cast_mut()).map(At::new);
        let freed = core::iter::successors(self.last_freed(), next);
        for slot in fresh.chain(freed) {
            sanitizer::unpoison_at(slot.value().cast(), size_of::<T>());
            self.lay_out(slot);
        }
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
        self.live.get()
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

fn at<T>(slot: &Slot<T>) -> At<T> {
    At::new(NonNull::from(slot).cast())
}

/// A slot without a value, taken from the free ones. It goes to the list when it is dropped.
pub(super) struct FreeSlot<'a, T> {
    chunks: &'a Rc<Chunks<T>>,
    slot: At<T>,
}

impl<'a, T> FreeSlot<'a, T> {
    /// The slot that was freed last, or else one that was never used.
    #[inline]
    #[track_caller]
    pub(super) fn pop(chunks: &'a Rc<Chunks<T>>) -> Option<Self> {
        let slot = match chunks.last_freed() {
            Some(slot) => {
                chunks.free.set(slot.head.get());
                slot
            }
            None => chunks.take_fresh()?,
        };
        let live = chunks.live.get();
        if live == 0 {
            let _share = Rc::into_raw(Rc::clone(chunks));
        }
        chunks.live.set(live + 1);
        chunks.inserted.set(chunks.inserted.get() + 1);
        sanitizer::unpoison_at(slot.value().cast(), size_of::<T>());
        let free = Self { chunks, slot };
        if chunks.fills.get().are_of(1) {
            free.inspect();
        }
        Some(free)
    }

    /// Checks that the slot was not written to since it was filled.
    #[track_caller]
    fn inspect(&self) {
        // SAFETY: the chunks fill, so the bytes are initialised (invariant 3).
        let changed = |bytes: &mut [_]| find_changed(unsafe { initialised(bytes) }, 0);
        if let Some(changed) = self.slot.with_bytes(changed) {
            panic!("a slot of a pool allocator was written to while it was dead: {changed}");
        }
    }

    /// Moves `value` into the slot, which then belongs to the caller: [`At::end`] puts it back.
    #[inline]
    pub(super) fn fill_with(self, value: T) -> At<T> {
        let kept = ManuallyDrop::new(self);
        // SAFETY: nobody else uses the slot, and it has no value that would be lost.
        unsafe { kept.slot.value().write(value) };
        kept.slot.head.set(Rc::as_ptr(kept.chunks).cast());
        kept.slot
    }
}

impl<T> Drop for FreeSlot<'_, T> {
    fn drop(&mut self) {
        self.chunks.inserted.set(self.chunks.inserted.get() - 1);
        // SAFETY: the slot was taken from these chunks, which counted it, and nobody uses it.
        unsafe { self.slot.put_back(Rc::as_ptr(self.chunks)) };
    }
}
