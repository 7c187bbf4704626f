//! What every pool with handles is made of: generations and a reuse order, beside whatever keeps
//! the occupancy.
//!
//! A pool owns a [`HandleCore`] and its [`Slots`] (an [`Occupancy`](crate::Occupancy), or values with an
//! occupancy of their own) and keeps the two in step: a slot is live in the one exactly if it is
//! live in the other.

use crate::errors::{GetDisjointMutError, InsertAtErrorKind};
use crate::generations::Generations;
use crate::handle::{HandleLayout, Refusal};
use crate::memory::OutOfMemory;
use crate::occupancy::Occupancy;
use crate::reuse::{Queue, ReuseOrder, Slots};
use crate::settings::Lifetimes;
use crate::stats::Stats;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// Generations and a reuse order, with the counters for [`Stats`].
pub(crate) struct HandleCore<R: ReuseOrder, H: HandleLayout> {
    generations: Generations<H::Word>,
    queue: R::Queue<H::Index>,
    name: Option<&'static str>,
    refused: u64,
    evicted: u64,
    /// How many slots were live at once at most, looked at when one is about to die: the number only
    /// falls then.
    peak_before_removal: usize,
}

impl<R: ReuseOrder, H: HandleLayout> HandleCore<R, H> {
    pub(crate) fn try_new<S: Slots>(
        lifetimes: &Lifetimes,
        slots: &mut S,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            generations: Generations::try_new::<H>(slots.occupancy().slots(), lifetimes)?,
            queue: R::Queue::try_new(slots)?,
            name: lifetimes.name,
            refused: 0,
            evicted: 0,
            peak_before_removal: 0,
        })
    }

    /// Goes on with the generations of slots that are all dead.
    pub(crate) fn try_continue<S: Slots>(
        generations: &mut Generations<H::Word>,
        name: Option<&'static str>,
        slots: &mut S,
    ) -> Result<Self, OutOfMemory> {
        debug_assert_eq!(generations.slots(), slots.occupancy().slots());
        let mut queue = R::Queue::try_new(slots)?;
        let generations = generations.take();
        queue.reset(&generations, slots);
        Ok(Self { generations, queue, name, refused: 0, evicted: 0, peak_before_removal: 0 })
    }

    /// The generations, for slots to go on with later.
    pub(crate) fn into_generations(self) -> Generations<H::Word> {
        self.generations
    }

    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.generations.slots()
    }

    #[inline]
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// How many slots were live at once at most.
    pub(crate) fn peak(&self, occupancy: &Occupancy) -> usize {
        self.peak_before_removal.max(occupancy.live())
    }

    pub(crate) fn queue(&self) -> &R::Queue<H::Index> {
        &self.queue
    }

    pub(crate) fn queue_mut(&mut self) -> &mut R::Queue<H::Index> {
        &mut self.queue
    }

    /// Whether an insertion would fail: no slot is vacant.
    #[inline]
    pub(crate) fn is_full(&self, occupancy: &Occupancy) -> bool {
        occupancy.live() + self.generations.retired() == self.slots()
    }

    /// The slot that the handle names, if that lifetime of it is live.
    #[inline]
    pub(crate) fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        self.generations.is_live_in(index, handle.word()).then_some(index)
    }

    /// The handle of a live slot.
    #[inline]
    pub(crate) fn handle_at(&self, index: usize) -> Option<H> {
        self.generations.of_live(index).map(|word| H::from_kept_parts(index, word))
    }

    /// The handle of a slot that is known to be live: for loops, which it does not interrupt.
    #[inline]
    pub(crate) fn handle_of_live(&self, index: usize) -> H {
        H::from_live_parts(index, self.generations.of_known_live(index))
    }

    pub(crate) fn check(&self, handle: H, occupancy: &Occupancy) -> Result<(), Refusal> {
        let index = handle.index() as usize;
        if self.generations.is_live_in(index, handle.word()) {
            return Ok(());
        }
        Err(self.generations.refusal(index, handle.word(), occupancy.births()))
    }

    /// Whether all handles are good, and no two the same.
    pub(crate) fn check_disjoint(
        &self,
        handles: &[H],
        occupancy: &Occupancy,
    ) -> Result<(), GetDisjointMutError> {
        for (position, &handle) in handles.iter().enumerate() {
            if let Err(refusal) = self.check(handle, occupancy) {
                return Err(GetDisjointMutError::Refused { position, refusal });
            }
            if handles[..position].contains(&handle) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        Ok(())
    }

    /// The handle that [`acquire`](Self::acquire) will give.
    #[inline]
    pub(crate) fn peek<S: Slots>(&mut self, slots: &S) -> Option<H> {
        let index = self.queue.next(&self.generations, slots)?;
        self.generations.of_vacant(index).map(|word| H::from_kept_parts(index, word))
    }

    /// Begins a lifetime of the slot that comes next. The caller makes the slot live in its
    /// occupancy.
    #[inline]
    pub(crate) fn acquire<S: Slots>(&mut self, slots: &mut S) -> Option<H> {
        let index = self.queue.next(&self.generations, slots)?;
        let word = self.begin_next(index, slots);
        Some(H::from_kept_parts(index, word))
    }

    /// Begins the lifetime that [`peek`](Self::peek) has just given the handle of. The caller makes
    /// the slot live in its occupancy.
    #[inline]
    pub(crate) fn acquire_peeked<S: Slots>(&mut self, handle: H, slots: &mut S) {
        self.begin_next(handle.index() as usize, slots);
    }

    /// Begins the lifetime of the slot that the order has just named.
    #[inline]
    fn begin_next<S: Slots>(&mut self, index: usize, slots: &mut S) -> H::Word {
        let word = self.generations.begin(index);
        self.queue.take(index, &self.generations, slots);
        word
    }

    /// Begins exactly the handle's lifetime. The caller makes the slot live in its occupancy.
    pub(crate) fn claim<S: Slots>(
        &mut self,
        handle: H,
        slots: &mut S,
    ) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        self.generations.begin_at(index, handle.word())?;
        self.queue.claim(index, &self.generations, slots);
        Ok(index)
    }

    /// Ends the lifetime of a slot that the caller has just made dead in its occupancy.
    #[inline]
    pub(crate) fn release<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.note_peak(slots.occupancy().live() + 1);
        if self.generations.end(index) {
            self.queue.give_back(index, &mut self.generations, slots);
        } else {
            self.queue.retire(index);
        }
    }

    /// So many slots were live just now.
    #[inline]
    pub(crate) fn note_peak(&mut self, live: usize) {
        if live > self.peak_before_removal {
            self.raise_peak(live);
        }
    }

    /// Out of the way: a removal writes the peak only if it is a new one.
    #[cold]
    fn raise_peak(&mut self, live: usize) {
        self.peak_before_removal = live;
    }

    /// Ends the lifetime of a slot without giving it back: [`reset_order`](Self::reset_order) must
    /// follow, and [`note_peak`](Self::note_peak) come before.
    #[inline]
    pub(crate) fn end(&mut self, index: usize) {
        self.generations.end(index);
    }

    /// All vacant slots, the lowest first, whatever the order was.
    pub(crate) fn reset_order<S: Slots>(&mut self, slots: &mut S) {
        self.queue.reset(&self.generations, slots);
    }

    /// Whether a slot that is released now would retire.
    pub(crate) fn is_in_last_lifetime(&self, index: usize) -> bool {
        self.generations.is_in_last_lifetime(index)
    }

    #[cold]
    pub(crate) fn count_refusal(&mut self) {
        self.refused += 1;
    }

    pub(crate) fn count_eviction(&mut self) {
        self.evicted += 1;
    }

    pub(crate) fn stats(&self, occupancy: &Occupancy) -> Stats {
        Stats {
            capacity: self.slots(),
            live: occupancy.live(),
            peak: self.peak(occupancy),
            retired: self.generations.retired(),
            inserted: occupancy.births(),
            removed: occupancy.births() - occupancy.live() as u64,
            refused: self.refused,
            evicted: self.evicted,
        }
    }
}

#[cfg(feature = "validate")]
impl<R: ReuseOrder, H: HandleLayout> HandleCore<R, H> {
    pub(crate) fn validate<S: Slots>(&self, slots: &S) -> Result<(), Violation> {
        let occupancy = slots.occupancy();
        occupancy.validate()?;
        self.generations.validate()?;
        ensure(
            self.slots() == occupancy.slots(),
            "there is a generation word for each slot",
            format_args!("{} words for {} slots", self.slots(), occupancy.slots()),
        )?;
        for index in 0..self.slots() {
            ensure(
                self.generations.of_live(index).is_some() == occupancy.is_live(index),
                "generations and occupancy agree which slots are live",
                format_args!("slot {index} is live in one of them"),
            )?;
        }
        let stats = self.stats(occupancy);
        ensure(
            stats.live + stats.retired <= stats.capacity
                && stats.live <= stats.peak
                && stats.peak <= stats.capacity
                && stats.peak as u64 <= stats.inserted
                && stats.evicted <= stats.removed
                && stats.removed + stats.live as u64 == stats.inserted,
            "the counters agree",
            format_args!("{stats:?}"),
        )?;
        self.queue.validate(&self.generations, slots)
    }
}

impl<R: ReuseOrder, H: HandleLayout> Clone for HandleCore<R, H> {
    fn clone(&self) -> Self {
        Self {
            generations: self.generations.clone(),
            queue: self.queue.clone(),
            name: self.name,
            refused: self.refused,
            evicted: self.evicted,
            peak_before_removal: self.peak_before_removal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reuse::Lifo;
    use crate::{Handle, HandleAllocator};

    #[test]
    fn a_pool_knows_its_name() {
        let named = HandleAllocator::builder().capacity(0).name("sparks").build();
        assert_eq!((named.name(), HandleAllocator::new(0).name()), (Some("sparks"), None));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut HandleCore<Lifo, Handle<()>>)| {
            let mut slots = HandleAllocator::new(3);
            let handle = slots.acquire().unwrap();
            let _ = slots.acquire().unwrap();
            slots.release(handle);
            slots.validate().unwrap();
            change(slots.core_mut());
            slots.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|core| core.evicted = 2), "the counters agree");
        assert_eq!(broken(|core| core.peak_before_removal = 3), "the counters agree");
        let agree = "generations and occupancy agree which slots are live";
        assert_eq!(broken(|core| _ = core.generations.begin(2)), agree);
        assert_eq!(broken(|core| _ = core.generations.end(1)), agree);
        let each = "there is a generation word for each slot";
        assert_eq!(
            broken(|core| {
                core.generations =
                    Generations::try_new::<Handle<()>>(2, &Lifetimes::default()).unwrap();
            }),
            each
        );
    }
}
