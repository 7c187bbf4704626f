//! A pool of a given order in its block of memory.

use core::ptr::NonNull;

use millpond::overflow::{EvictOldest, Lifetimes};
use millpond::reuse::ReuseOrder;
use millpond::{Handle, Occupancy, Refusal, Stats};

use crate::face::Face;
use crate::head::Head;
use crate::orders::Slots;

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
