//! Allocating memory from an allocator of size classes, and freeing it.
//!
//! # Invariant
//!
//! 1. Memory that was allocated for a layout that [belongs to a class](SizeClasses::class_of), and
//!    lies in the range `slots_from .. slots_from + slots_bytes`, is a live slot of a block of that
//!    class.
//! 2. All other memory that was allocated is an allocation of the global allocator with that very
//!    layout; or, if the layout has size 0, nothing at all.
//! 3. A class' list `room` has exactly those of its blocks that are marked as listed; the others have no
//!    slot left. A block that is in it is of that class.
//!
//! In growing and refusing allocators the range is everything, and a layout of a class is never served
//! by the global allocator. In those that fall back, all blocks are reserved, and the range is theirs.

use alloc::alloc::realloc;
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use super::block::Block;
use super::{Class, Overflow, SizeClasses};
use millpond::__parts::memory;

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// No class fits, and the allocator refuses such requests.
    NoClass,
    /// The class has no slot left, and the allocator may not allocate more blocks.
    NoSlot,
    /// The global allocator has no memory.
    OutOfMemory,
}

impl fmt::Display for Refused {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::NoClass => "no class fits the layout: add one, or let requests fall back",
            Refused::NoSlot => {
                "the class has no slot left: reserve more, let requests fall back, or raise the limit"
            }
            Refused::OutOfMemory => "the global allocator has no memory",
        })
    }
}

impl core::error::Error for Refused {}

impl SizeClasses {
    /// Allocates memory for `layout`: a slot of the smallest class that fits, or what the [overflow
    /// policy](Overflow) provides. A layout of size 0 yields an aligned address without memory.
    /// O(1), apart from growth and the global allocator.
    ///
    /// A slot is valid until [`deallocate`](Self::deallocate), or until the allocator is dropped,
    /// which frees all slots. Memory of the global allocator (for a request that no class fits, or
    /// that [falls back](Overflow::FallBack)) is valid until `deallocate` alone: the allocator keeps
    /// no list of it, so what is not deallocated before the drop leaks.
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::size_classes::{Overflow, Refused, SizeClasses};
    ///
    /// let builder = SizeClasses::builder().class(32, 1).block_bytes(1024);
    /// let memory = builder.overflow(Overflow::Refuse).build();
    /// let slot = memory.allocate(Layout::new::<[u64; 3]>())?;
    /// assert_eq!(slot.len(), 24);
    /// assert_eq!(memory.allocate(Layout::new::<[u64; 5]>()), Err(Refused::NoClass));
    /// # Ok::<(), Refused>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the request is refused; the error's message says what to do.
    #[inline]
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, Refused> {
        if let Some(class) = self.class(layout) {
            if let Some(slot) = self.take_listed(class) {
                class.note_birth(layout.size());
                return Ok(NonNull::slice_from_raw_parts(slot, layout.size()));
            }
        }
        self.allocate_slowly(layout)
    }

    /// Like [`allocate`](Self::allocate), filled with zeros.
    ///
    /// # Errors
    ///
    /// Same as for [`allocate`](Self::allocate).
    #[inline]
    pub fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, Refused> {
        let memory = self.allocate(layout)?;
        // SAFETY: the memory is new, with as many bytes.
        unsafe { memory.cast::<u8>().write_bytes(0, layout.size()) };
        Ok(memory)
    }

    #[inline]
    fn class(&self, layout: Layout) -> Option<&Class> {
        self.classes.get(self.table.class_of(layout))
    }

    /// A slot of the class' current block.
    #[inline]
    fn take_listed(&self, class: &Class) -> Option<NonNull<u8>> {
        class.room.first()?.take(class.slot_bytes, self.block_bytes)
    }

    #[cold]
    #[inline]
    fn allocate_slowly(&self, layout: Layout) -> Result<NonNull<[u8]>, Refused> {
        if layout.size() == 0 {
            return Ok(NonNull::slice_from_raw_parts(memory::dangling(layout), 0));
        }
        let Some(class) = self.class(layout) else {
            return match self.overflow {
                Overflow::Refuse => Err(self.refuse(Refused::NoClass)),
                Overflow::FallBack | Overflow::Grow => self.fall_back(layout),
            };
        };
        match self.take_from_next(class) {
            Some(slot) => {
                class.note_birth(layout.size());
                Ok(NonNull::slice_from_raw_parts(slot, layout.size()))
            }
            None => {
                class.overflows.set(class.overflows.get() + 1);
                match self.overflow {
                    Overflow::Refuse => Err(self.refuse(Refused::NoSlot)),
                    Overflow::FallBack => self.fall_back(layout),
                    Overflow::Grow if self.blocks.is_at_limit() => {
                        Err(self.refuse(Refused::NoSlot))
                    }
                    Overflow::Grow => Err(self.refuse(Refused::OutOfMemory)),
                }
            }
        }
    }

    /// A slot of another block than the current one, which has none left.
    #[inline]
    fn take_from_next(&self, class: &Class) -> Option<NonNull<u8>> {
        if let Some(full) = class.room.pop() {
            full.set_listed(false);
        }
        if class.room.first().is_none() {
            let is_promised = class.blocks.get() < class.blocks_reserved;
            let block = self.blocks.take(is_promised)?;
            block.set_listed(true);
            class.room.push(block);
            class.blocks.set(class.blocks.get() + 1);
        }
        self.take_listed(class)
    }

    #[inline]
    fn refuse(&self, reason: Refused) -> Refused {
        self.refused.set(self.refused.get() + 1);
        reason
    }

    /// Memory of the global allocator, for a layout that has a size.
    #[inline]
    fn fall_back(&self, layout: Layout) -> Result<NonNull<[u8]>, Refused> {
        assert!(layout.size() > 0);
        let Ok(memory) = memory::take(layout) else {
            return Err(self.refuse(Refused::OutOfMemory));
        };
        self.fallen_back.set(self.fallen_back.get() + 1);
        self.note_fallen_back(0, layout.size());
        Ok(NonNull::slice_from_raw_parts(memory, layout.size()))
    }

    #[inline]
    fn note_fallen_back(&self, bytes_less: usize, bytes_more: usize) {
        let bytes = self.fallen_back_bytes.get() - bytes_less + bytes_more;
        self.fallen_back_bytes.set(bytes);
        self.fallen_back_bytes_peak.set(self.fallen_back_bytes_peak.get().max(bytes));
    }

    /// The class whose slot this is, if it is one and not the global allocator's.
    #[inline]
    fn class_of_slot(&self, memory: NonNull<u8>, layout: Layout) -> Option<&Class> {
        let class = self.class(layout)?;
        let offset = memory.as_ptr().addr().wrapping_sub(self.slots_from);
        (offset < self.slots_bytes).then_some(class)
    }

    /// Frees `memory`. O(1), apart from the global allocator.
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::new();
    /// let layout = Layout::new::<[u64; 3]>();
    /// let slot = memory.allocate(layout)?;
    /// // SAFETY: the slot was allocated here, with this layout, and is not used any more.
    /// unsafe { memory.deallocate(slot.cast(), layout) };
    /// assert_eq!(memory.allocate(layout)?.cast::<u8>(), slot.cast()); // the slot freed last comes next
    /// # Ok::<(), millpond_memory::size_classes::Refused>(())
    /// ```
    ///
    /// # Safety
    ///
    /// `memory` must have been allocated by this allocator with this very `layout` (or the new
    /// layout of the last [`grow`](Self::grow) or [`shrink`](Self::shrink)), must not have been
    /// freed, and must not be used any more.
    #[inline]
    pub unsafe fn deallocate(&self, memory: NonNull<u8>, layout: Layout) {
        let Some(class) = self.class_of_slot(memory, layout) else {
            // SAFETY: the caller's contract; and it is no slot.
            unsafe { self.deallocate_elsewhere(memory, layout) };
            return;
        };
        // SAFETY: the memory is a live slot of a block (invariant 1), all of which have this size, and it is no longer
        // used.
        let block = unsafe { Block::give_back(memory, class.slot_bytes, self.block_bytes) };
        class.note_death(layout.size());
        if block.live() == 0 || !block.is_listed() {
            self.settle(class, block);
        }
    }

    /// Called when a full block of a class has room again, or is empty.
    #[cold]
    #[inline]
    fn settle(&self, class: &Class, block: Block) {
        if !block.is_listed() {
            block.set_listed(true);
            // Not before the current one, which would have to wait, half full, until this one is
            // full again.
            class.room.push_second(block);
        }
        // The only block with room is kept, so that a class whose number of slots varies by one
        // does not allocate and free a block each time.
        let is_only = class.room.first() == Some(block) && class.room.next(block).is_none();
        if block.live() == 0 && !is_only {
            self.give_up(class, block);
        }
    }

    /// # Safety
    ///
    /// Same as for [`deallocate`](Self::deallocate), and `memory` must not be a slot of a class.
    #[cold]
    #[inline]
    unsafe fn deallocate_elsewhere(&self, memory: NonNull<u8>, layout: Layout) {
        if layout.size() == 0 {
            return;
        }
        self.fallen_back.set(self.fallen_back.get() - 1);
        self.note_fallen_back(layout.size(), 0);
        // SAFETY: the memory is the global allocator's, with this layout (invariant 2).
        unsafe { memory::give_back(memory, layout) };
    }

    /// Resizes `memory` to a larger layout, keeping its contents. In place if the class is the
    /// same.
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::builder().classes([(32, 0), (64, 0)]).build();
    /// let (small, large) = (Layout::new::<[u8; 20]>(), Layout::new::<[u8; 30]>());
    /// let slot = memory.allocate(small)?;
    /// // SAFETY: the slot was allocated with the old layout, and the new one is larger.
    /// let grown = unsafe { memory.grow(slot.cast(), small, large)? };
    /// assert_eq!(grown.cast::<u8>(), slot.cast());
    /// # Ok::<(), millpond_memory::size_classes::Refused>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as for [`allocate`](Self::allocate). The old memory is then unchanged.
    ///
    /// # Safety
    ///
    /// Same as for [`deallocate`](Self::deallocate) with the old layout, and the new size must be
    /// at least the old one.
    #[inline]
    pub unsafe fn grow(
        &self,
        memory: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, Refused> {
        debug_assert!(new.size() >= old.size());
        // SAFETY: the caller's contract.
        unsafe { self.resize(memory, old, new) }
    }

    /// Resizes `memory` to a smaller layout, keeping its contents. In place if the class is the
    /// same.
    ///
    /// # Errors
    ///
    /// Same as for [`allocate`](Self::allocate). The old memory is then unchanged.
    ///
    /// # Safety
    ///
    /// Same as for [`deallocate`](Self::deallocate) with the old layout, and the new size must be
    /// at most the old one.
    #[inline]
    pub unsafe fn shrink(
        &self,
        memory: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, Refused> {
        debug_assert!(new.size() <= old.size());
        // SAFETY: the caller's contract.
        unsafe { self.resize(memory, old, new) }
    }

    /// # Safety
    ///
    /// Same as for [`deallocate`](Self::deallocate) with the old layout.
    #[inline]
    unsafe fn resize(
        &self,
        memory: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, Refused> {
        let is_same_class = || self.table.class_of(new) == self.table.class_of(old);
        match self.class_of_slot(memory, old) {
            Some(class) if is_same_class() => {
                class.bytes_asked.set(class.bytes_asked.get() - old.size() + new.size());
                return Ok(NonNull::slice_from_raw_parts(memory, new.size()));
            }
            // The memory is the global allocator's, and stays with it.
            None if self.class(new).is_none()
                && old.size() > 0
                && new.size() > 0
                && old.align() == new.align() =>
            {
                // SAFETY: the memory is the global allocator's, with the old layout (invariant 2); the
                // new size is in range for its alignment, as both are a layout's.
                let moved = unsafe { realloc(memory.as_ptr(), old, new.size()) };
                let moved = NonNull::new(moved).ok_or_else(|| self.refuse(Refused::OutOfMemory))?;
                self.note_fallen_back(old.size(), new.size());
                return Ok(NonNull::slice_from_raw_parts(moved, new.size()));
            }
            _ => {}
        }
        let moved = self.allocate(new)?;
        let bytes = old.size().min(new.size());
        // SAFETY: both have this many bytes, and the new memory is nobody else's.
        unsafe { moved.cast::<u8>().copy_from_nonoverlapping(memory, bytes) };
        // SAFETY: the caller's contract.
        unsafe { self.deallocate(memory, old) };
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of the global allocator may begin where the reserved blocks end.
    #[test]
    fn what_lies_beside_the_reserved_blocks_is_no_slot() {
        let builder = SizeClasses::builder().class(64, 30).block_bytes(1024);
        let memory = builder.overflow(Overflow::FallBack).build();
        let layout = Layout::new::<[u64; 8]>();
        let at = |address: usize| {
            let pointer = core::ptr::without_provenance_mut(address);
            memory.class_of_slot(NonNull::new(pointer).unwrap(), layout).is_some()
        };
        let (first, bytes) = memory.blocks.reserved_range();
        assert_eq!(bytes, 2048);
        assert_eq!([first - 64, first, first + bytes - 64].map(at), [false, true, true]);
        assert_eq!([first + bytes, first + bytes + 64].map(at), [false, false]);
        let slot = memory.allocate(layout).unwrap().cast::<u8>();
        assert!(at(slot.as_ptr().addr()));
    }
}
