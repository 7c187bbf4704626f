//! What a pool offers to pools that are made of pools.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::Pool;
use crate::handle::{HandleLayout, Refusal, Word};
use crate::memory::OutOfMemory;
use crate::reuse::ReuseOrder;
#[cfg(feature = "validate")]
use crate::slots::Census;
use crate::slots::{Block, Circle, Core, SlotWords};
use crate::storage::{CursorMut, PoolStorage};
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// What stays of a pool's slots, all of them dead, when their memory is given back: their words.
#[derive(Debug)]
pub(crate) struct KeptWords<W: Word> {
    words: SlotWords<Block<W, (), ()>>,
    circle: Circle<W>,
    age_claimed_max: u32,
}

impl<W: Word> KeptWords<W> {
    pub(crate) fn slots(&self) -> usize {
        self.words.slots()
    }

    pub(crate) fn retired(&self) -> usize {
        self.words.retired()
    }

    /// The word of a slot.
    pub(crate) fn word(&self, index: usize) -> Option<W> {
        self.words.get(index)
    }

    /// What was saved, without live slots.
    #[cfg(feature = "serde")]
    pub(crate) fn load(
        saved: &crate::snapshot::format::Checked<W>,
    ) -> Result<Self, crate::snapshot::format::Refused> {
        let slots = saved.words.len();
        let mut words = SlotWords::try_new(slots, 0, false, W::RETIRED)
            .map_err(|OutOfMemory| crate::snapshot::format::Refused::OutOfMemory(slots))?;
        words.load(&saved.words, saved.inserted, saved.peak);
        Ok(Self { words, circle: saved.circle, age_claimed_max: saved.age_max() })
    }

    /// How many lifetimes have begun, and how many slots were live at once at most.
    #[cfg(feature = "serde")]
    pub(crate) fn inserted_and_peak(&self) -> (u64, usize) {
        (self.words.births(), self.words.peak())
    }

    /// Takes on another's words, of as many slots.
    pub(crate) fn copy_state_from(&mut self, other: &Self) {
        self.words.copy_state_from(&other.words, self.words.slots());
        self.age_claimed_max = other.age_claimed_max;
    }

    /// Why a handle of this generation is refused.
    pub(crate) fn refusal(&self, index: usize, generation: W) -> Refusal {
        let issued = self.words.births() + u64::from(self.age_claimed_max);
        self.circle.refusal(self.words.get(index), generation, issued)
    }

    #[cfg(feature = "validate")]
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        self.words.validate()?;
        self.words.validate_lifetimes(&self.circle)?;
        ensure(
            self.words.live() == 0,
            "the slots of a block that was given back are dead",
            format_args!("{} are live", self.words.live()),
        )
    }
}

impl<W: Word> KeptWords<W> {
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(Self { words: self.words.try_clone()?, ..*self })
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// A pool of this many slots, which the handle layout can name.
    pub(crate) fn try_of(
        circle: Circle<H::Word>,
        name: Option<&'static str>,
        slots: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut storage = PoolStorage::<T, R, H>::try_new::<R, H>(slots, circle.start().as_dead())?;
        let core = Core::new(circle, name, &mut storage);
        Ok(Self { storage, core })
    }

    /// A pool that goes on with the words of one that was empty.
    pub(crate) fn try_continue(
        kept: &KeptWords<H::Word>,
        name: Option<&'static str>,
    ) -> Result<Self, OutOfMemory> {
        let KeptWords { words, circle, age_claimed_max } = kept;
        let dead = circle.start().as_dead();
        let mut storage = PoolStorage::<T, R, H>::try_new::<R, H>(words.slots(), dead)?;
        storage.load_dead(words.as_slice(), words.births(), words.peak());
        let core = Core::continued(*circle, *age_claimed_max, name, &mut storage);
        Ok(Self { storage, core })
    }

    /// The words of an empty pool, in memory of their own.
    pub(crate) fn try_keep_words(&self) -> Result<KeptWords<H::Word>, OutOfMemory> {
        assert!(self.is_empty(), "values would be lost");
        let (circle, age_claimed_max) = self.core.lifetimes();
        let own = self.storage.words();
        let mut words = SlotWords::try_new(own.slots(), 0, false, H::Word::RETIRED)?;
        words.load(own.as_slice(), own.births(), own.peak());
        Ok(KeptWords { words, circle, age_claimed_max })
    }

    /// Moves a value into the slot that comes next, and says which that is and its generation. A full pool
    /// gives the value back, and does not count it as refused.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub(crate) fn insert_in(&mut self, value: T) -> Result<(usize, H::Word), T> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        match self.core.take_next(&mut self.storage) {
            Some((index, generation)) => {
                // SAFETY: what the order hands out is vacant, and the core gives it a live word.
                unsafe { self.storage.put_unchecked(index, generation, value) };
                #[cfg(feature = "debug-aids")]
                self.note_origin(index);
                Ok((index, generation))
            }
            None => Err(value),
        }
    }

    /// A slot, if it is live and in this generation.
    #[inline(always)]
    pub(crate) fn live_in(
        &mut self,
        index: usize,
        generation: H::Word,
    ) -> Option<LiveSlot<'_, T, R, H>> {
        let is_live = self.storage.words().is_live_in(index, generation);
        is_live.then_some(LiveSlot { pool: self, index, generation })
    }

    /// The values to change, one at a time, by ascending index.
    #[inline]
    pub(crate) fn cursor_mut(&mut self) -> CursorMut<'_, T> {
        self.storage.words_and_cursor_mut().1
    }

    /// Whether the slot of a good handle retires with the handle's lifetime.
    pub(crate) fn is_last(&self, handle: H) -> bool {
        self.core.is_last(handle)
    }

    /// Where the words and the values begin, for as long as the pool is not dropped, wherever it moves.
    pub(crate) fn starts(&self) -> (NonNull<H::Word>, NonNull<MaybeUninit<T>>) {
        self.storage.words().place().starts()
    }

    /// The address of the first slot.
    pub(crate) fn address(&self) -> usize {
        self.storage.address()
    }
}

/// A slot that is live and in this generation, for as long as this borrows the pool.
pub(crate) struct LiveSlot<'a, T, R: ReuseOrder, H: HandleLayout> {
    pool: &'a mut Pool<T, R, H>,
    index: usize,
    generation: H::Word,
}

impl<T, R: ReuseOrder, H: HandleLayout> LiveSlot<'_, T, R, H> {
    /// Whether the slot's death will make the first room in a full pool.
    #[inline(always)]
    pub(crate) fn makes_first_room(&self) -> bool {
        self.pool.is_full() && !self.pool.core.circle().is_last(self.generation)
    }

    /// Moves the value out.
    #[inline(always)]
    pub(crate) fn remove(self) -> T {
        // SAFETY: the slot is live in this generation, as was tested when the pool was borrowed for this.
        unsafe { self.pool.remove_live(self.index, self.generation) }
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::Pool;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut KeptWords<u32>)| {
            let mut pool = Pool::new(3);
            let handle = pool.insert('a').unwrap();
            pool.remove(handle);
            let mut kept = pool.try_keep_words().unwrap();
            kept.validate().unwrap();
            change(&mut kept);
            kept.validate().unwrap_err().rule()
        };
        let dead = "the slots of a block that was given back are dead";
        assert_eq!(broken(|kept| kept.words.set_live(1, 1)), dead);
        assert_eq!(broken(|kept| kept.circle.last = 1), "a slot is in one of its lifetimes");
        let retires_uncounted = |kept: &mut KeptWords<u32>| {
            kept.words.set_live(1, 1);
            kept.words.set_dead(1, u32::RETIRED);
        };
        assert_eq!(broken(retires_uncounted), "the retired slots are counted");
    }
}
