//! The handles of a packed pool: which are live, in which order their values stand, and which come
//! next.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use super::slots::{Slot, Slots};
#[cfg(feature = "debug-aids")]
use crate::debug::Watch;
use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::{HandleLayout, IndexWord, Issue, Refusal, Word};
use crate::memory::{self, OutOfMemory};
use crate::settings::Lifetimes;
use crate::slots::Circle;
use crate::stats::Stats;
use crate::tap::Tap;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure, ensure_counters};

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
///
/// A slot is live if its position is less than that number. Its word is the generation of its live
/// value, or of the next one, without a mark of its own: so a lifetime begins without a write to the
/// slot, and only a retired slot has a word that no handle has.
#[derive(Clone, Debug)]
pub(super) struct PackedRoster<H: HandleLayout> {
    slots: Slots<H::Word, H::Index>,
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
    /// One more than the highest slot that was claimed.
    claimed_until: usize,
    tap: Tap,
}

/// Below so many slots a cache near the processor has them all.
const SLOTS_IN_CACHE: usize = 4096;

impl<H: HandleLayout> PackedRoster<H> {
    pub(super) fn try_new(slots: usize, lifetimes: &Lifetimes) -> Result<Self, OutOfMemory> {
        let circle = Circle::new::<H>(lifetimes);
        let word = circle.start();
        let first = |index| H::from_kept_parts(index, circle.start());
        Ok(Self {
            slots: Slots::new(memory::from_fn(slots, |index| Slot {
                word,
                position: H::Index::from_index(index),
            })?),
            order: memory::from_fn(slots, first)?,
            retired_from: slots,
            circle,
            age_claimed_max: 0,
            name: lifetimes.name,
            inserted: 0,
            refused: 0,
            evicted: 0,
            peak_before_removal: 0,
            claimed_until: 0,
            tap: Tap::NONE,
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
        self.slots.note_live(live + 1);
        self.inserted += 1;
        self.tap.birth(handle.index() as usize);
        Some(handle)
    }

    /// Begins exactly the handle's lifetime; its value goes behind the others.
    pub(super) fn claim(&mut self, handle: H, live: usize) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        let slot = self.slots.get_mut(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle.check_begin(slot.state(live), handle.word())?;
        slot.word = handle.word();
        self.age_claimed_max = self.age_claimed_max.max(self.circle.age(handle.word()));
        let position = slot.position.to_index();
        self.order[position] = handle;
        self.swap(position, live);
        self.slots.note_live(live + 1);
        self.inserted += 1;
        self.claimed_until = self.claimed_until.max(index + 1);
        self.tap.birth(index);
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
        self.slots.note_live(last);
        let moved = self.order[last];
        self.order[position] = moved;
        self.slots[moved.index() as usize].position = H::Index::from_index(position);
        if self.circle.is_border(handle.word()) | self.tap.is_on() {
            return self.end_and_tell(handle, last);
        }
        self.make_vacant(handle.index() as usize, handle.word().successor(), last);
    }

    /// The slot's next lifetime has this generation, and the slot this place in the order.
    #[inline]
    fn make_vacant(&mut self, index: usize, next: H::Word, position: usize) {
        self.slots[index] = Slot { word: next, position: H::Index::from_index(position) };
        self.order[position] = H::from_kept_parts(index, next);
    }

    /// The handle at a position, which there is.
    #[inline]
    pub(super) fn handle(&self, position: usize) -> H {
        self.order[position]
    }

    /// Whether several releases are faster by [`release_each`](Self::release_each): the slots may be too
    /// many for the cache. `false` while a recorder is attached, which notes when each lifetime ends.
    #[inline]
    pub(super) fn is_faster_in_batches(&self) -> bool {
        self.slots.len() >= SLOTS_IN_CACHE && !self.tap.is_on()
    }

    /// Releases the values at `positions`, in this order, of `live` values. All memory that this needs is
    /// read first, so that the processor fetches it at the same time.
    #[inline]
    pub(super) fn release_each(&mut self, positions: &[H::Index], live: usize) {
        let mut seen = 0;
        for (position, last) in positions.iter().zip((0..live).rev()) {
            for position in [position.to_index(), last] {
                seen ^= self.slots[self.order[position].index() as usize].position.to_index();
            }
        }
        core::hint::black_box(seen);
        for (position, live) in positions.iter().zip((0..=live).rev()) {
            let position = position.to_index();
            self.release(self.order[position], position, live);
        }
    }

    /// Ends the handle's lifetime; its slot's place in the order is this one. Also where the successor of
    /// its generation does not come next.
    #[cold]
    #[inline(never)]
    fn end_and_tell(&mut self, handle: H, position: usize) {
        let index = handle.index() as usize;
        self.tap.death(index);
        match self.circle.after(handle.word()) {
            Some(next) => self.make_vacant(index, next, position),
            None => {
                self.slots[index].word = H::Word::RETIRED;
                self.order[position] = handle;
                self.retired_from -= 1;
                self.tap.retired();
                self.swap(position, self.retired_from);
            }
        }
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
            slot.word = self.circle.after(slot.word).unwrap_or(H::Word::RETIRED);
        }
        self.slots.note_live(0);
        let (mut vacant, mut retired) = (0, self.slots.len());
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let (position, generation) = if slot.word == H::Word::RETIRED {
                retired -= 1;
                (retired, self.circle.start())
            } else {
                vacant += 1;
                (vacant - 1, slot.word)
            };
            slot.position = H::Index::from_index(position);
            self.order[position] = H::from_kept_parts(index, generation);
        }
        self.retired_from = retired;
        if self.tap.is_on() {
            let stats = self.stats(0);
            self.tap.restart(stats, core::iter::empty());
        }
    }

    #[cfg(feature = "debug-aids")]
    pub(super) fn watched(&self) -> Option<&Watch> {
        self.slots.watch.as_deref()
    }

    #[cfg(feature = "debug-aids")]
    pub(super) fn watch_mut(&mut self) -> &mut Option<Box<Watch>> {
        &mut self.slots.watch
    }

    #[cfg(feature = "recorder")]
    pub(super) fn listen(&mut self, track: Option<crate::recorder::Track>) {
        self.tap.set(track);
    }

    /// The position of the handle's value, if that lifetime is live.
    #[inline]
    pub(super) fn find(&self, handle: H, live: usize) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        let position = slot.position.to_index();
        // A vacant slot has the word of the handle that comes next, and its position is not in use.
        (slot.word == handle.word() && position < live).then_some(position)
    }

    /// The position of the value in a slot, if the slot is live.
    #[inline]
    pub(super) fn position_at(&self, index: usize, live: usize) -> Option<usize> {
        let position = self.slots.get(index)?.position.to_index();
        (position < live).then_some(position)
    }

    pub(super) fn check(&self, handle: H, live: usize) -> Result<(), Refusal> {
        if self.find(handle, live).is_some() {
            return Ok(());
        }
        let word = self.word(handle.index() as usize, live);
        let issued = self.inserted + u64::from(self.age_claimed_max);
        Err(self.circle.refusal(word, handle.word(), issued))
    }

    /// Whether all handles are good, and no two the same.
    pub(super) fn check_disjoint(
        &self,
        handles: &[H],
        live: usize,
    ) -> Result<(), GetDisjointMutError> {
        for (position, &handle) in handles.iter().enumerate() {
            if let Err(refusal) = self.check(handle, live) {
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

    #[cold]
    pub(super) fn count_refusal(&mut self) {
        self.refused += 1;
        self.tap.refused();
    }

    pub(super) fn count_eviction(&mut self) {
        self.evicted += 1;
        self.tap.evicted();
    }

    /// What is said of a full pool, which has just refused a value.
    #[cold]
    pub(super) fn refuse(&mut self, live: usize) -> FullPool {
        self.count_refusal();
        let Stats { capacity, peak, retired, .. } = self.stats(live);
        FullPool { name: self.name, capacity, peak, retired, out_of_memory: false }
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

    pub(super) fn circle(&self) -> &Circle<H::Word> {
        &self.circle
    }

    /// The word of a slot as the other pools keep it: that of a dead slot is marked so.
    pub(super) fn word(&self, index: usize, live: usize) -> Option<H::Word> {
        self.slots.get(index).map(|slot| slot.state(live))
    }

    /// Slots from here on were never used, and each stands at the position of its own number.
    ///
    /// For: slots are handed out by ascending position, so without claims none beyond the peak was; a claim
    /// changes positions up to that of the claimed slot; and a retirement changes those at the end.
    pub(super) fn used(&self, live: usize) -> usize {
        if self.retired_from < self.capacity() {
            return self.capacity();
        }
        self.peak_before_removal.max(live).max(self.claimed_until)
    }

    /// Which slot stands at each position, the unused ones as one range.
    pub(super) fn order(&self, live: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let used = self.used(live);
        let slots = self.order[..used].iter().map(|handle| handle.index() as usize);
        slots.map(|index| index..index + 1).chain(iter::once(used..self.capacity()))
    }

    /// Becomes what was saved.
    #[cfg(feature = "serde")]
    pub(super) fn load(&mut self, saved: &crate::snapshot::format::Checked<H::Word>) {
        self.circle = saved.circle;
        for (position, &index) in saved.order.iter().enumerate() {
            let index = index as usize;
            let word = saved.words[index];
            let retired = word == H::Word::RETIRED;
            let generation = if retired { self.circle.start() } else { word.as_live() };
            self.order[position] = H::from_kept_parts(index, generation);
            let word = if retired { word } else { generation };
            self.slots[index] = Slot { word, position: H::Index::from_index(position) };
        }
        self.slots.note_live(saved.words.iter().filter(|word| !word.is_dead()).count());
        let retired = saved.words.iter().filter(|word| **word == H::Word::RETIRED).count();
        self.retired_from = self.capacity() - retired;
        self.inserted = saved.inserted;
        self.refused = saved.refused;
        self.evicted = saved.evicted;
        self.peak_before_removal = saved.peak;
        self.age_claimed_max = saved.age_max();
        self.claimed_until = self.capacity();
    }

    /// Takes over the state of another roster of the same capacity and circle. They have so many live slots.
    pub(super) fn take_over(&mut self, live: usize, other: &Self, other_live: usize) {
        let used = self.used(live).max(other.used(other_live));
        self.slots[..used].copy_from_slice(&other.slots[..used]);
        self.slots.note_live(other_live);
        self.order[..used].copy_from_slice(&other.order[..used]);
        self.retired_from = other.retired_from;
        self.inserted = other.inserted;
        self.refused = other.refused;
        self.evicted = other.evicted;
        self.peak_before_removal = other.peak_before_removal;
        self.age_claimed_max = other.age_claimed_max;
        self.claimed_until = other.claimed_until;
        if self.tap.is_on() {
            let stats = self.stats(other_live);
            let live = self.order[..other_live].iter().map(|handle| handle.index() as usize);
            self.tap.restart(stats, live);
        }
    }
}

#[cfg(feature = "validate")]
impl<H: HandleLayout> PackedRoster<H> {
    pub(super) fn validate(&self, live: usize) -> Result<(), Violation> {
        ensure(
            self.order.len() == self.slots.len(),
            "there is a place in the order for each slot",
            format_args!("{} places for {} slots", self.order.len(), self.slots.len()),
        )?;
        ensure(
            live <= self.retired_from && self.retired_from <= self.slots.len(),
            "the parts of the order are one behind the other",
            format_args!("{live}, {}, {}", self.retired_from, self.slots.len()),
        )?;
        for (position, handle) in self.order.iter().enumerate() {
            let slot = self.slots.get(handle.index() as usize);
            ensure(
                slot.is_some_and(|slot| slot.position.to_index() == position),
                "the positions are the inverse of the order",
                format_args!("{handle} at {position}"),
            )?;
            let Some(slot) = slot else { continue };
            let expected =
                if position >= self.retired_from { H::Word::RETIRED } else { handle.word() };
            ensure(
                slot.word == expected,
                "each slot's word is that of its part of the order",
                format_args!("{:?} of {handle} at {position}", slot.word),
            )?;
            ensure(
                position >= self.retired_from || self.circle.contains(handle.word()),
                "each generation is one that a slot of this pool can have",
                format_args!("{handle}"),
            )?;
        }
        ensure_counters(&self.stats(live))
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::handle::Handle;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut PackedRoster<Handle<()>>)| {
            let lifetimes = Lifetimes { count: 2, ..Lifetimes::default() };
            let mut roster = PackedRoster::<Handle<()>>::try_new(5, &lifetimes).unwrap();
            let first = roster.acquire(0).unwrap();
            roster.acquire(1).unwrap();
            roster.release(first, 0, 2);
            let last = roster.acquire(1).unwrap();
            roster.release(last, 1, 2); // retires
            roster.acquire(1).unwrap();
            roster.validate(2).unwrap();
            change(&mut roster);
            roster.validate(2).unwrap_err().rule()
        };
        let word = "each slot's word is that of its part of the order";
        assert_eq!(broken(|roster| roster.slots[0].word = 1), word);
        assert_eq!(broken(|roster| roster.slots[1].word = 2), word);
        assert_eq!(broken(|roster| roster.slots[3].word = 2), word);
        assert_eq!(broken(|roster| roster.retired_from = 5), word);
        let parts = "the parts of the order are one behind the other";
        assert_eq!(broken(|roster| roster.retired_from = 1), parts);
        assert_eq!(broken(|roster| roster.retired_from = 6), parts);
        let inverse = "the positions are the inverse of the order";
        assert_eq!(broken(|roster| roster.order.swap(0, 1)), inverse);
        assert_eq!(broken(|roster| roster.slots[4].position = 0), inverse);
        assert_eq!(
            broken(|roster| roster.order[3] = Handle::from_bits(9 << 32 | 1).unwrap()),
            inverse
        );
        let generation = "each generation is one that a slot of this pool can have";
        assert_eq!(
            broken(|roster| {
                let handle = Handle::from_parts(3, 3).unwrap();
                let position = roster.slots[3].position as usize;
                roster.order[position] = handle;
                roster.slots[3].word = handle.word();
            }),
            generation
        );
        let places = "there is a place in the order for each slot";
        assert_eq!(broken(|roster| roster.order = roster.order[..4].into()), places);
        assert_eq!(broken(|roster| roster.evicted = 9), "the counters agree");
    }
}
