//! A pool of any order, as the functions of the header see it.

use core::ptr::NonNull;

use millpond::overflow::{EvictOldest, Lifetimes};
use millpond::reuse::ReuseOrder;
use millpond::{Handle, Occupancy, Refusal, Stats};

use crate::head::Head;
use crate::kinds::Slots;

/// What a pool can do. Handles are bits; 0 is none.
pub(crate) trait Face {
    /// Whether the next [`acquire`](Self::acquire) would fail.
    fn is_full(&self) -> bool;
    /// Begins a lifetime; a full pool counts a refusal.
    fn acquire(&mut self) -> u64;
    fn release(&mut self, bits: u64) -> bool;
    /// As [`release`](Self::release), for another to come.
    fn evict(&mut self, bits: u64) -> bool;
    fn check(&self, bits: u64) -> Result<(), Refusal>;
    /// Whether the slot of this live object retires after it.
    fn is_last(&self, bits: u64) -> bool;
    fn handle_at(&self, slot: usize) -> u64;
    fn next_handle(&mut self) -> u64;
    /// Whether the pool knows which object has lived longest.
    fn keeps_oldest(&self) -> bool;
    /// The object that has lived longest.
    fn oldest(&mut self) -> u64;
    /// The object is the newest from now on, if the pool keeps that.
    fn note(&mut self, bits: u64);
    fn refresh(&mut self);
    fn occupancy(&self) -> Occupancy<'_>;
    fn used_slots(&self) -> usize;
    fn values(&self) -> NonNull<u8>;
    fn stats(&self) -> Stats;
    fn name(&self) -> Option<&'static str>;
}

/// A pool in its block of memory; the name and the arrays of the slots lie behind it.
#[repr(C)]
pub(crate) struct Whole<R: ReuseOrder> {
    pub(crate) head: Head,
    pub(crate) slots: Slots<R>,
    pub(crate) oldest: Option<EvictOldest<Handle<()>>>,
}

impl<R: ReuseOrder> Whole<R> {
    /// The face of a pool of this type.
    ///
    /// # Safety
    ///
    /// The head is that of such a pool.
    pub(crate) unsafe fn face(head: NonNull<Head>) -> NonNull<dyn Face> {
        head.cast::<Self>()
    }
}

/// The bits of what may be no handle.
fn bits_of(handle: Option<Handle<()>>) -> u64 {
    handle.map_or(0, Handle::to_bits)
}

/// The slot that bits name, whether there is one or not.
pub(crate) fn slot_of(bits: u64) -> usize {
    (bits >> 32) as usize
}

impl<R: ReuseOrder> Face for Whole<R> {
    fn is_full(&self) -> bool {
        self.slots.is_full()
    }

    fn acquire(&mut self) -> u64 {
        bits_of(self.slots.acquire())
    }

    fn release(&mut self, bits: u64) -> bool {
        Handle::from_bits(bits).is_some_and(|handle| self.slots.release(handle))
    }

    fn evict(&mut self, bits: u64) -> bool {
        Handle::from_bits(bits).is_some_and(|handle| self.slots.evict(handle))
    }

    fn check(&self, bits: u64) -> Result<(), Refusal> {
        self.slots.check(self.head.handle(bits).ok_or(Refusal::NeverIssued)?)
    }

    fn is_last(&self, bits: u64) -> bool {
        Handle::from_bits(bits).is_some_and(|handle| self.slots.is_in_last_lifetime(handle))
    }

    fn handle_at(&self, slot: usize) -> u64 {
        bits_of(self.slots.handle_at(slot))
    }

    fn next_handle(&mut self) -> u64 {
        bits_of(self.slots.next_handle())
    }

    fn keeps_oldest(&self) -> bool {
        self.oldest.is_some()
    }

    fn oldest(&mut self) -> u64 {
        let Some(oldest) = &mut self.oldest else { return 0 };
        // Nobody knows the ages of what came with a snapshot of a pool that does not keep them.
        bits_of(oldest.oldest(&self.slots).or_else(|| self.slots.first_evictable()))
    }

    fn note(&mut self, bits: u64) {
        if let (Some(oldest), Some(handle)) = (&mut self.oldest, Handle::from_bits(bits)) {
            oldest.note(handle);
        }
    }

    fn refresh(&mut self) {
        self.slots.refresh_bitmap();
    }

    fn occupancy(&self) -> Occupancy<'_> {
        self.slots.occupancy()
    }

    fn used_slots(&self) -> usize {
        self.slots.used_slots()
    }

    fn values(&self) -> NonNull<u8> {
        self.slots.values_beside()
    }

    fn stats(&self) -> Stats {
        self.slots.stats()
    }

    fn name(&self) -> Option<&'static str> {
        self.slots.name()
    }
}
