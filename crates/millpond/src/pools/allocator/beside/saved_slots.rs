//! The saved form of an allocator, as a type without type parameters: a program with many kinds of
//! allocators has the code that writes and reads it only once. Hidden; for the C library.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::handle::{HandleLayout, Word};
use crate::pools::allocator::HandleAllocator;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::format::{Objects, SavedState, from_saved_up_to, read_list};
use crate::snapshot::state::sealed::Save;

/// The saved form of a [`HandleAllocator`].
#[doc(hidden)]
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedSlots {
    state: SavedState,
    /// The runs of live slots: the first slot and the number.
    #[serde(deserialize_with = "read_list")]
    live: Vec<(u32, u32)>,
}

impl SavedSlots {
    /// The number of slots, according to the saved form itself.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.state.generations.len()
    }

    /// The number of live slots, according to the saved form itself.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count as usize))
    }
}

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Returns everything that the future depends on, and the statistics.
    #[doc(hidden)]
    #[must_use]
    pub fn to_saved_slots(&self) -> SavedSlots {
        let runs = self.runs().map(|run| (run.start as u32, run.len() as u32));
        SavedSlots { state: self.to_saved(true).0, live: runs.collect() }
    }

    /// Returns an allocator without a name, as [`snapshot`](crate::snapshot#saving-to-a-file)
    /// describes, with generations up to this one's largest; `None` if no allocator can be in the
    /// saved state.
    #[doc(hidden)]
    #[must_use]
    pub fn loaded_beside(&self, saved: SavedSlots) -> Option<Self> {
        let slots = Self::saved_slots(&saved.state);
        let live = saved.live();
        if live > slots {
            return None;
        }
        // Values without a size: their vector takes no memory.
        let objects = Objects::Counted { live: saved.live, values: alloc::vec![(); live] };
        let generation_max = self.core.cycle().max.generation();
        from_saved_up_to(&saved.state, None, objects, generation_max).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::reuse::Fifo;
    use crate::{Handle, Handle32};

    type Slots = HandleAllocator<Fifo, Handle32<(), 24>>;

    fn used() -> Slots {
        let mut slots = Slots::with_capacity(9);
        let handles: Vec<_> = (0..7).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[2]);
        slots.release(handles[5]);
        slots
    }

    #[test]
    fn comes_back_as_it_was() {
        let mut slots = used();
        let mut read = slots.loaded_beside(slots.to_saved_slots()).unwrap();
        assert_eq!((read.checksum(), read.stats()), (slots.checksum(), slots.stats()));
        assert_eq!(read.acquire(), slots.acquire());
    }

    #[test]
    fn comes_back_full() {
        let mut slots = Slots::with_capacity(3);
        while slots.acquire().is_some() {}
        let mut read = slots.loaded_beside(slots.to_saved_slots()).unwrap();
        assert!(read.is_full() && read.acquire().is_none());
        assert!(read.handles().eq(slots.handles()));
    }

    #[test]
    fn what_is_no_state_is_refused() {
        let change = |f: fn(&mut SavedSlots)| {
            let mut saved = used().to_saved_slots();
            f(&mut saved);
            used().loaded_beside(saved).is_none()
        };
        assert!(!change(|_| ()));
        assert!(change(|saved| saved.live.push((0, u32::MAX))));
        assert!(change(|saved| saved.live[0].1 += 1));
        assert!(change(|saved| saved.live[0].0 = 77));
        assert!(change(|saved| saved.state.peak = 99));
        type Other = HandleAllocator<Fifo, Handle<()>>;
        assert!(
            Other::with_capacity(9).loaded_beside(used().to_saved_slots()).is_some(),
            "shapes are compared later"
        );
        // A generation that the shorter layout does not have.
        let longer = HandleAllocator::builder().capacity(9).reuse(Fifo).salt(77).build();
        assert!(used().loaded_beside(longer.to_saved_slots()).is_none());
        type OtherOrder = HandleAllocator<crate::slots::reuse::Lifo, Handle32<(), 24>>;
        assert!(OtherOrder::with_capacity(9).loaded_beside(used().to_saved_slots()).is_none());
    }
}
