//! The handles of a packed pool: which are live, in which order their values stand, and which come
//! next.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::circle::Circle;
use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::{HandleLayout, IndexWord, Refusal, Word};
use crate::memory::{self, OutOfMemory};
use crate::settings::Lifetimes;
use crate::stats::Stats;

/// ```text
/// position   0            live            retired_from     slots
/// order      │ live …     │ next, vacant … │ retired …     │
/// ```
///
/// The `order` is a permutation of the slots: the live part has the handles of the values, in the same
/// order as they; the vacant part has the handles that will be issued. `slots[order[p].index()]` has
/// position `p`, for every `p`.
///
/// How many are live is the pool's to say: it is the number of its values.
#[derive(Clone, Debug)]
pub(super) struct PackedRoster<H: HandleLayout> {
    slots: Box<[Slot<H>]>,
    order: Box<[H]>,
    retired_from: usize,
    circle: Circle<H::Word>,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
    name: Option<&'static str>,
    inserted: u64,
    refused: u64,
    evicted: u64,
    /// How many slots were live at once at most, looked at when one is about to die: the number only
    /// falls then.
    peak_before_removal: usize,
}

/// Both in one place, as whoever compares the generation goes on to the position.
#[derive(Clone, Copy, Debug)]
struct Slot<H: HandleLayout> {
    word: H::Word,
    position: H::Index,
}

impl<H: HandleLayout> PackedRoster<H> {
    pub(super) fn try_new(slots: usize, lifetimes: &Lifetimes) -> Result<Self, OutOfMemory> {
        let circle = Circle::new::<H>(lifetimes);
        let word = circle.start().as_dead();
        let first = |index| H::from_kept_parts(index, circle.start());
        Ok(Self {
            slots: memory::from_fn(slots, |index| Slot {
                word,
                position: H::Index::from_index(index),
            })?,
            order: memory::from_fn(slots, first)?,
            retired_from: slots,
            circle,
            age_claimed_max: 0,
            name: lifetimes.name,
            inserted: 0,
            refused: 0,
            evicted: 0,
            peak_before_removal: 0,
        })
    }

    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    pub(super) fn name(&self) -> Option<&'static str> {
        self.name
    }

    #[inline]
    pub(super) fn is_full(&self, live: usize) -> bool {
        live == self.retired_from
    }

    /// The handles of the values, in their order.
    #[inline]
    pub(super) fn live(&self, live: usize) -> &[H] {
        &self.order[..live]
    }

    /// The handles of the values, in their order, and then others.
    pub(super) fn into_order(self) -> Vec<H> {
        self.order.into_vec()
    }

    /// The handle that [`acquire`](Self::acquire) will give.
    #[inline]
    pub(super) fn next(&self, live: usize) -> Option<H> {
        self.order[..self.retired_from].get(live).copied()
    }

    /// Begins the lifetime that comes next; its value goes behind the others.
    #[inline]
    pub(super) fn acquire(&mut self, live: usize) -> Option<H> {
        let handle = self.next(live)?;
        self.slots[handle.index() as usize].word = handle.word();
        self.inserted += 1;
        Some(handle)
    }

    /// Begins exactly the handle's lifetime; its value goes behind the others.
    pub(super) fn claim(&mut self, handle: H, live: usize) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        let slot = self.slots.get_mut(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle.check_begin(slot.word, handle.word())?;
        slot.word = handle.word();
        self.age_claimed_max = self.age_claimed_max.max(self.circle.age(handle.word()));
        let position = slot.position.to_index();
        self.order[position] = handle;
        self.swap(position, live);
        self.inserted += 1;
        Ok(())
    }

    /// Ends the handle's lifetime, whose value is at this position; the last value takes its place.
    ///
    /// The handle is there in the order as well, but whoever removes by handle need not wait for the
    /// memory that it stands in.
    #[inline]
    pub(super) fn release(&mut self, handle: H, position: usize, live: usize) {
        debug_assert_eq!(self.order[position], handle);
        self.note_peak(live);
        let last = live - 1;
        let moved = self.order[last];
        self.order[position] = moved;
        self.slots[moved.index() as usize].position = H::Index::from_index(position);

        let index = handle.index() as usize;
        let slot = &mut self.slots[index];
        slot.position = H::Index::from_index(last);
        match self.circle.after(handle.word()) {
            Some(next) => {
                slot.word = next.as_dead();
                self.order[last] = H::from_kept_parts(index, next);
            }
            None => {
                slot.word = H::Word::RETIRED;
                self.retire(handle, last);
            }
        }
    }

    /// Takes a slot out of the vacant ones.
    #[cold]
    fn retire(&mut self, handle: H, position: usize) {
        self.order[position] = handle;
        self.retired_from -= 1;
        self.swap(position, self.retired_from);
    }

    /// Lets two slots change places in the order.
    #[inline]
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        for position in [a, b] {
            let index = self.order[position].index() as usize;
            self.slots[index].position = H::Index::from_index(position);
        }
    }

    /// Ends all lifetimes. The vacant slots come in the order of their indices again.
    pub(super) fn release_all(&mut self, live: usize) {
        self.note_peak(live);
        for handle in &self.order[..live] {
            let slot = &mut self.slots[handle.index() as usize];
            slot.word = self.circle.after(slot.word).map_or(H::Word::RETIRED, Word::as_dead);
        }
        let (mut vacant, mut retired) = (0, self.slots.len());
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let (position, generation) = if slot.word == H::Word::RETIRED {
                retired -= 1;
                (retired, self.circle.start())
            } else {
                vacant += 1;
                (vacant - 1, slot.word.as_live())
            };
            slot.position = H::Index::from_index(position);
            self.order[position] = H::from_kept_parts(index, generation);
        }
        self.retired_from = retired;
    }

    /// The position of the handle's value, if that lifetime is live.
    #[inline]
    pub(super) fn find(&self, handle: H) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        // Live words have no top bit, and a handle's generation has none.
        (slot.word == handle.word()).then(|| slot.position.to_index())
    }

    /// The position of the value in a slot, if the slot is live.
    #[inline]
    pub(super) fn position_at(&self, index: usize) -> Option<usize> {
        let slot = self.slots.get(index)?;
        (!slot.word.is_dead()).then(|| slot.position.to_index())
    }

    pub(super) fn check(&self, handle: H) -> Result<(), Refusal> {
        if self.find(handle).is_some() {
            return Ok(());
        }
        let word = self.slots.get(handle.index() as usize).map(|slot| slot.word);
        let issued = self.inserted + u64::from(self.age_claimed_max);
        Err(self.circle.refusal(word, handle.word(), issued))
    }

    /// Whether all handles are good, and no two the same.
    pub(super) fn check_disjoint(&self, handles: &[H]) -> Result<(), GetDisjointMutError> {
        for (position, &handle) in handles.iter().enumerate() {
            if let Err(refusal) = self.check(handle) {
                return Err(GetDisjointMutError::Refused { position, refusal });
            }
            if handles[..position].contains(&handle) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        Ok(())
    }

    /// Whether the handle's slot retires with its lifetime.
    pub(super) fn is_in_last_lifetime(&self, handle: H) -> bool {
        self.circle.is_last(handle.word())
    }

    /// Sorts the handles of the values by what the function says of two positions, in which the values
    /// stand until [`settle`](Self::settle) is called, which must follow whatever happens.
    pub(super) fn sort_by(
        &mut self,
        live: usize,
        mut compare: impl FnMut(usize, usize) -> core::cmp::Ordering,
    ) {
        let slots = &self.slots;
        let position = |handle: &H| slots[handle.index() as usize].position.to_index();
        self.order[..live].sort_unstable_by(|a, b| compare(position(a), position(b)));
    }

    /// Makes the positions true after a sort. `swap` is told which two values have to change places.
    ///
    /// One cycle of the permutation at a time: the value that stood at its start is handed on to its
    /// end.
    pub(super) fn settle(&mut self, live: usize, mut swap: impl FnMut(usize, usize)) {
        for start in 0..live {
            let mut to = start;
            loop {
                let slot = &mut self.slots[self.order[to].index() as usize];
                let from = slot.position.to_index();
                slot.position = H::Index::from_index(to);
                if from == start {
                    break;
                }
                swap(to, from);
                to = from;
            }
        }
    }

    #[inline]
    fn note_peak(&mut self, live: usize) {
        if live > self.peak_before_removal {
            self.raise_peak(live);
        }
    }

    #[cold]
    fn raise_peak(&mut self, live: usize) {
        self.peak_before_removal = live;
    }

    pub(super) fn count_eviction(&mut self) {
        self.evicted += 1;
    }

    /// What is said of a full pool, which has just refused a value.
    #[cold]
    pub(super) fn refuse(&mut self, live: usize) -> FullPool {
        self.refused += 1;
        let Stats { capacity, peak, retired, .. } = self.stats(live);
        FullPool { name: self.name, capacity, peak, retired }
    }

    pub(super) fn stats(&self, live: usize) -> Stats {
        Stats {
            capacity: self.capacity(),
            live,
            peak: self.peak_before_removal.max(live),
            retired: self.capacity() - self.retired_from,
            inserted: self.inserted,
            removed: self.inserted - live as u64,
            refused: self.refused,
            evicted: self.evicted,
        }
    }
}
