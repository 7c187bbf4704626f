//! What a pool offers to pools that are made of pools.

use super::Pool;
use crate::generations::Generations;
use crate::handle::HandleLayout;
use crate::handle_core::HandleCore;
use crate::memory::OutOfMemory;
use crate::reuse::ReuseOrder;
use crate::settings::Lifetimes;
use crate::storage::Storage;

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// A pool of so many slots, which the handle layout can name.
    pub(crate) fn try_of(lifetimes: &Lifetimes, slots: usize) -> Result<Self, OutOfMemory> {
        let mut storage = Storage::try_new(slots)?;
        let core = HandleCore::try_new(lifetimes, &mut storage)?;
        Ok(Self { core, storage })
    }

    /// A pool that goes on with the generations of one that was empty. They are taken only if there is
    /// memory for the rest.
    pub(crate) fn try_continue(
        generations: &mut Generations<H::Word>,
        name: Option<&'static str>,
    ) -> Result<Self, OutOfMemory> {
        let mut storage = Storage::try_new(generations.slots())?;
        let core = HandleCore::try_continue(generations, name, &mut storage)?;
        Ok(Self { core, storage })
    }

    /// Drops the values and all the rest, but for the generations. Only those of an empty pool can be
    /// [gone on](Self::try_continue) with.
    pub(crate) fn into_generations(self) -> Generations<H::Word> {
        self.core.into_generations()
    }

    /// As [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    pub(crate) fn insert_or_return(&mut self, value: T) -> Result<H, T> {
        self.insert_if_room(value)
    }

    /// The lowest live slot at or after `from`.
    #[inline]
    pub(crate) fn first_live_from(&self, from: usize) -> Option<usize> {
        self.occupancy().first_live_from(from)
    }

    /// The highest live slot below `until`.
    #[inline]
    pub(crate) fn last_live_before(&self, until: usize) -> Option<usize> {
        self.occupancy().last_live_before(until)
    }

    /// Whether the object in a live slot is the slot's last, after which the slot retires.
    pub(crate) fn is_in_last_lifetime(&self, index: usize) -> bool {
        self.core.is_in_last_lifetime(index)
    }

    /// The address of the first slot.
    pub(crate) fn address(&self) -> usize {
        self.storage.address()
    }
}
