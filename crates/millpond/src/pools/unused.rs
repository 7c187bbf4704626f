//! The slots that a pool on the heap begins with. What its values are is no more than a [`Layout`] here, so that a program has
//! this code once.

use core::alloc::Layout;

use crate::base::{OutOfMemory, or_panic};
use crate::handle::{HandleLayout, Word};
use crate::pools::settings::{BuildError, Settings};
use crate::reports::debug::Watch;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{Block, LedgerOf, OwnSlots, Place, SlotWords};

/// The place of a [`Pool`](crate::Pool) and of a [`VecPool`](crate::VecPool), and of the words of a
/// [`HandleAllocator`](crate::HandleAllocator).
#[doc(hidden)]
pub type OneBlock<R, H> = Block<(R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>;

/// Slots that were never used.
pub(crate) type UnusedSlots<R, L> = OwnSlots<OneBlock<R, L>, LedgerOf<R, L>>;

/// The most addresses of a pool that was read and some of whose slots its file does not list: they are untouched. Where a
/// system that provides memory page by page is unlikely, or has few addresses, it is as much as a program may well have.
#[cfg(feature = "serde")]
const UNLISTED_BYTES_MAX: usize =
    if cfg!(all(any(unix, windows), target_pointer_width = "64")) { 2 << 30 } else { 64 << 20 };

/// The slots of a pool without other settings, every page touched.
#[track_caller]
#[inline(never)]
pub(crate) fn slots_of_capacity<R: ReuseOrder, L: HandleLayout>(
    capacity: usize,
    value: Layout,
) -> UnusedSlots<R, L> {
    or_panic(Settings::of_capacity(capacity).slots(value, Block::try_new))
}

/// The slots of a pool that is read, into which it loads the state: untouched, if its file does not list them all.
#[cfg(feature = "serde")]
#[inline(never)]
pub(crate) fn slots_to_load<R: ReuseOrder, L: HandleLayout>(
    state: &crate::slots::saved::Checked<L::Word>,
    value: Layout,
) -> Result<UnusedSlots<R, L>, crate::snapshot::format::Refused> {
    use crate::snapshot::format::Refused;

    let (capacity, listed) = (state.slots, state.words.len());
    let settings = Settings::of_capacity(capacity);
    let bytes = settings.layout::<R, L>(value).map_or(usize::MAX, |layout| layout.size());
    if listed < capacity && bytes > UNLISTED_BYTES_MAX {
        return Err(Refused::unlisted(capacity, listed, UNLISTED_BYTES_MAX));
    }
    let make = if listed < capacity { Block::try_untouched } else { Block::try_new };
    settings.slots(value, make).map_err(|_| Refused::out_of_memory(capacity))
}

impl Settings {
    /// The memory of the slots.
    pub(crate) fn layout<R: ReuseOrder, L: HandleLayout>(
        &self,
        value: Layout,
    ) -> Result<Layout, BuildError> {
        self.allocate::<L, _>(|slots| OneBlock::<R, L>::layout(slots, value))
    }

    /// The slots, in a block that `make` makes for so many slots and for such values.
    #[inline(never)]
    pub(crate) fn slots<R: ReuseOrder, L: HandleLayout>(
        &self,
        value: Layout,
        make: impl FnOnce(usize, Layout) -> Result<OneBlock<R, L>, OutOfMemory>,
    ) -> Result<UnusedSlots<R, L>, BuildError> {
        self.allocate::<L, _>(|slots| {
            let mut block = make(slots, value)?;
            block.set_watch(Watch::try_new(self.generations.name, self.debug_aids, slots)?);
            let ledger = LedgerOf::<R, L>::fresh(&self.generations);
            let start = ledger.cycle().start().generation();
            assert!(start != 0, "no slot begins at generation 0");
            let words = SlotWords::of_unused(block, start);
            let mut slots = OwnSlots::new(words, ledger);
            slots.sealed().reset_order_untold();
            Ok(slots)
        })
    }
}
