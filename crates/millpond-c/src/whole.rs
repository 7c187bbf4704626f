//! A pool of a given order in its block of memory.

use core::ptr::NonNull;

use millpond::overflow::Lifetimes;
use millpond::reuse::ReuseOrder;
use millpond::{Handle, Occupancy, Refusal, Stats};
use millpond_overflow::EvictOldest;

use crate::callbacks::Move;
use crate::face::{Face, Goal};
use crate::growth::{Growth, TakeOn};
use crate::head::Head;
use crate::orders::Slots;
use crate::status::Status;

/// A pool in its block of memory; the name and the arrays of the slots lie behind it.
#[repr(C)]
pub(crate) struct Whole<R: ReuseOrder> {
    pub(crate) head: Head,
    pub(crate) slots: Slots<R>,
    pub(crate) oldest: Option<EvictOldest<Handle<()>>>,
    /// Of a pool that grows.
    pub(crate) growth: Option<Growth<R>>,
}

impl<R: ReuseOrder> Whole<R> {
    /// Takes on a state of so many slots, as the function does; on an error, nothing changes. A pool that grows gets as many
    /// slots, without values.
    pub(crate) fn take_on(&mut self, slots: usize, by: TakeOn<'_, R>) -> Result<(), Status> {
        match self.growth.as_ref().map(|growth| growth.replace) {
            Some(replace) if self.slots.capacity() != slots => {
                // SAFETY: it is this pool's function, and the pool is borrowed.
                unsafe { replace(NonNull::from(self).cast(), slots, by) }
            }
            _ => by(&mut self.slots),
        }
    }

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
        self.slots.is_full() && !self.needs_room()
    }

    fn needs_room(&self) -> bool {
        self.slots.is_full() && self.slots.capacity() < self.capacity_max()
    }

    fn capacity_max(&self) -> usize {
        self.growth.as_ref().map_or(self.slots.capacity(), Growth::slots_max)
    }

    fn grow(&mut self, to: Goal) -> Result<(), Status> {
        let grow = self.growth.as_ref().map(|growth| growth.grow);
        let grow = grow.ok_or(Status::TOO_MANY_SLOTS)?;
        // SAFETY: it is this pool's function, and the pool is borrowed.
        unsafe { grow(NonNull::from(self).cast(), to) }
    }

    fn move_by(&mut self, mover: Option<Move>) {
        if let Some(growth) = &mut self.growth {
            growth.mover = mover;
        }
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
        let handle = self.head.handle(bits).ok_or(Refusal::NeverIssued)?;
        self.slots.check_up_to(self.capacity_max(), handle)
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
