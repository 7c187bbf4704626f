//! The slots that a pool on the heap begins with. What its values are is no more than a [`Room`] here, so that a program has
//! this code once.

use core::alloc::Layout;

use crate::base::{OutOfMemory, or_panic};
use crate::handle::{HandleLayout, Word};
use crate::pools::settings::{BuildError, Settings};
use crate::slots::reuse::ReuseOrder;
use crate::slots::{Block, Core, GenerationCycle, Room, SlotWords, SlotsMut};

/// The place of a [`Pool`](crate::Pool) and of a [`VecPool`](crate::VecPool), and of the words of a
/// [`HandleAllocator`](crate::HandleAllocator).
#[doc(hidden)]
pub type OneBlock<R, H> = Block<(R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>;

/// Slots that were never used, and their core.
pub(crate) type UnusedSlots<R, L> = (SlotWords<OneBlock<R, L>>, Core<R, L>);

/// The slots of a pool without other settings, every page touched.
#[track_caller]
#[inline(never)]
pub(crate) fn slots_of_capacity<R: ReuseOrder, L: HandleLayout>(
    capacity: usize,
    room: Room,
) -> UnusedSlots<R, L> {
    or_panic(Settings::of_capacity(capacity).slots(room, Block::try_new))
}

impl Settings {
    /// The memory of the slots.
    pub(crate) fn layout<R: ReuseOrder, L: HandleLayout>(
        &self,
        room: Room,
    ) -> Result<Layout, BuildError> {
        self.allocate::<L, _>(|slots| {
            let entries = Core::<R, L>::NEEDS.entries_for(slots, room);
            OneBlock::<R, L>::layout(slots, entries, room.value)
        })
    }

    /// The slots, in a block that `make` makes for so many slots and entries and for such values.
    #[inline(never)]
    pub(crate) fn slots<R: ReuseOrder, L: HandleLayout>(
        &self,
        room: Room,
        make: impl FnOnce(usize, usize, Layout) -> Result<OneBlock<R, L>, OutOfMemory>,
    ) -> Result<UnusedSlots<R, L>, BuildError> {
        self.allocate::<L, _>(|slots| {
            let (needs, cycle) = (Core::<R, L>::NEEDS, GenerationCycle::new::<L>(&self.lifetimes));
            let entries = needs.entries_for(slots, room);
            let block = make(slots, entries, room.value)?;
            assert!(block.entry_count() == entries, "the order relies on its entries");
            let start = cycle.start().generation();
            let mut words = SlotWords::of_unused(block, needs.is_synced, start);
            let core = Core::new(cycle, self.lifetimes.name, SlotsMut::of(&mut words));
            Ok((words, core))
        })
    }
}
