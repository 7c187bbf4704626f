//! The handles of a packed pool: which are live, in what order their values are stored, and which
//! come next.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::iter;
use core::ops::{Deref, DerefMut, Range};

use super::slots::{RosterSlots, Slot};
use crate::base::guard::{defuse, guard, half_way};
use crate::base::memory::{self, OutOfMemory};
use crate::handle::sealed::Layout as _;
use crate::handle::{self, HandleLayout, Word};
use crate::pools::settings::GenerationSettings;
use crate::pools::slot_pool::Detached;
use crate::reports::errors::{FullPool, InsertAtErrorKind};
use crate::reports::stats::Stats;
use crate::reports::validate::{Violation, ensure};
use crate::slots::{CheckWord, GenerationCycle, Ledger, Parting, Sorting, retired_among};

/// ```text
/// position   0         live        live + retired    slots
/// order      │ live …  │ retired … │ next, vacant … │
/// ```
///
/// The `order` is a [partition](Parting) of the slots: the live part has the handles of the values, in the same
/// order as they; the vacant part has the handles that will be issued; of those in the retired part only the index
/// counts. `slots[order[p].index()]` has
/// position `p`, for every `p`.
///
/// A slot is live if its position is in the live part. Its word is the generation of its live
/// value, or of the next one, without a mark of its own: so a lifetime begins without a write to the
/// slot, and only a retired slot has a word that no handle has.
///
/// The handles are [erased](HandleLayout::Erased) ones, so that a program has this code once.
#[derive(Debug)]
pub(super) struct PackedRoster<H: HandleLayout> {
    slots: RosterSlots<H::Word, H::Index>,
    order: Vec<H>,
    /// A copy of the ledger's [`slow_from`](Ledger::slow_from), or 0: then the next lifetime that ends makes a new one.
    slow_from: H::Word,
    ledger: Ledger<(), H>,
    /// Slots that have retired for all others, while their values are out of the pool.
    detached: Detached,
}

/// The entry in the order for a slot with this word. For a retired slot, only the index counts; no
/// generation would make it the dangling handle, which has another index.
#[inline]
fn handle_in<H: HandleLayout>(index: usize, word: H::Word) -> H {
    let is_retired = word == H::Word::RETIRED;
    handle::live::<H>(index, if is_retired { H::Word::from_generation(1) } else { word })
}

/// Below this many slots, all of them fit into a cache near the processor.
const SLOTS_IN_CACHE: usize = 4096;

impl<H: HandleLayout> Deref for PackedRoster<H> {
    type Target = Ledger<(), H>;

    #[inline(always)]
    fn deref(&self) -> &Ledger<(), H> {
        &self.ledger
    }
}

impl<H: HandleLayout> DerefMut for PackedRoster<H> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Ledger<(), H> {
        &mut self.ledger
    }
}

impl<H: HandleLayout> PackedRoster<H> {
    /// Puts a handle at a position, which is then that of its slot.
    #[inline(always)]
    fn place(&mut self, position: usize, handle: H) {
        self.order[position] = handle;
        self.slots[handle.index() as usize].position = H::Index::from_index(position);
    }

    /// Swaps the slots at two positions.
    #[inline]
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        let (handle_a, handle_b) = (self.order[a], self.order[b]);
        self.place(a, handle_b);
        self.place(b, handle_a);
    }

    /// No slots, and no memory.
    pub(super) const fn empty(settings: &GenerationSettings) -> Self {
        Self {
            slots: RosterSlots::new(Vec::new()),
            order: Vec::new(),
            slow_from: H::Word::ZERO,
            ledger: Ledger::new((), settings),
            detached: Detached::NONE,
        }
    }

    #[inline(never)]
    pub(super) fn try_new(
        slots: usize,
        settings: &GenerationSettings,
    ) -> Result<Self, OutOfMemory> {
        let mut roster = Self::empty(settings);
        roster.try_reserve(slots)?;
        roster.grow(slots, &[]);
        Ok(roster)
    }

    /// The slots, as the ledger sees them.
    #[inline]
    pub(super) fn slots(&self) -> &RosterSlots<H::Word, H::Index> {
        &self.slots
    }

    pub(super) fn slots_mut(&mut self) -> &mut RosterSlots<H::Word, H::Index> {
        &mut self.slots
    }

    pub(super) fn stats(&self) -> Stats {
        self.ledger.stats(self.slots.len(), self.slots.counters())
    }

    /// The error of a full pool, which has just refused a value.
    #[cold]
    pub(super) fn refuse(&mut self) -> FullPool {
        self.ledger.refuse(self.slots.len(), self.slots.counters())
    }

    #[inline(always)]
    fn parting(&self) -> Parting {
        Parting::of(self.slots.counters())
    }

    /// The handles of all slots: first those of the values, in their order.
    #[inline]
    pub(super) fn handles(&self) -> &[H] {
        &self.order
    }

    /// The handles of the values, in their order, and then others.
    pub(super) fn into_order(self) -> Vec<H> {
        self.order
    }

    /// The handle that [`acquire`](Self::acquire) returns next, behind the `live` others.
    #[inline]
    pub(super) fn next(&self, live: usize) -> Option<H> {
        let parting = Parting::with_live(live, self.slots.counters());
        self.order.get(parting.next()).copied()
    }

    /// Begins the lifetime that comes next; its value goes behind the `live` others.
    #[inline]
    pub(super) fn acquire(&mut self, live: usize) -> Option<H> {
        let handle = self.next(live)?;
        let has_retired = self.parting().has_retired();
        self.slots.counters_mut().inserted += 1;
        self.ledger.note_begin(handle.index() as usize);
        if has_retired {
            self.pass_retired_with_care(live);
        }
        Some(handle)
    }

    /// Begins exactly the handle's lifetime, if the slot may have it by `check`; its value goes behind the
    /// others.
    pub(super) fn acquire_at(
        &mut self,
        handle: H,
        check: CheckWord<H>,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        let taken = self.ledger.check_take_at(handle, self.slots.word(index), check);
        taken.map_err(|why| self.detached.explain(handle.index(), why))?;
        let slot = &mut self.slots[index];
        slot.word = handle.word();
        let position = slot.position.to_index();
        self.order[position] = handle;
        let parting = self.parting();
        self.swap(position, parting.next());
        self.swap(parting.live, parting.next());
        self.slots.counters_mut().inserted += 1;
        self.slots.mark_used(index);
        self.ledger.note_begin_at(handle);
        self.slow_from = H::Word::ZERO;
        Ok(())
    }

    /// Ends the handle's lifetime, whose value is at this position of `live` ones; the last value takes its place.
    ///
    /// The order has the handle too, but a removal by handle need not wait for that memory.
    #[inline]
    pub(super) fn release(&mut self, handle: H, position: usize, live: usize) {
        debug_assert_eq!(self.order[position], handle);
        self.slots.expect_removal(live);
        if handle.word() >= self.slow_from {
            return self.release_with_care(handle, position);
        }
        let index = handle.index() as usize;
        let next = H::from_erased(handle.erase().successor());
        self.make_vacant(index, next, position, live);
    }

    /// The live slot at this position becomes vacant, with this handle next.
    #[inline(always)]
    fn make_vacant(&mut self, index: usize, next: H, position: usize, live: usize) {
        self.slots.counters_mut().removed += 1;
        let last = live - 1;
        self.place(position, self.order[last]);
        self.order[last] = next;
        self.slots[index] = Slot { word: next.word(), position: H::Index::from_index(last) };
        if self.parting().has_retired() {
            self.pass_retired_with_care(last);
        }
    }

    /// The slot at this position and the one behind the retired ones change places. One of them has just become live, or
    /// was.
    #[cold]
    #[inline(never)]
    fn pass_retired_with_care(&mut self, position: usize) {
        self.swap(position, position + self.slots.counters().retired());
        self.slots.mark_used(self.order[position].index() as usize);
    }

    /// Releases a slot whose next generation may not be the successor, or whose pool may have a recorder, and finds
    /// out which generations end fast from now on.
    #[cold]
    #[inline(never)]
    fn release_with_care(&mut self, handle: H, position: usize) {
        let index = handle.index() as usize;
        let live = self.slots.counters().live();
        match self.ledger.note_end(index, handle.word()) {
            Some(next) => self.make_vacant(index, handle::kept::<H>(index, next), position, live),
            None => {
                self.slots.counters_mut().removed += 1;
                self.slots.counters_mut().retired += 1;
                self.swap(position, self.parting().live);
                self.slots[index].word = H::Word::RETIRED;
            }
        }
        self.slow_from = self.ledger.slow_from();
    }

    /// The value at this position is one of the handle from now on, whose slot is free and has that lifetime next.
    pub(super) fn rename(&mut self, position: usize, handle: H) {
        let live = self.slots.counters().live();
        self.release(self.order[position], position, live);
        let taken = self.acquire_at(handle, GenerationCycle::check_begin);
        debug_assert!(taken.is_ok(), "a free slot has the lifetime that comes next");
        // The last value has not taken its place.
        self.swap(position, live - 1);
    }

    /// The value at this position goes out of the pool, and its slot keeps the handle's lifetime.
    pub(super) fn detach(&mut self, handle: H, position: usize) {
        self.detached.add(handle.index(), handle.generation());
        let live = self.slots.counters().live();
        self.slots.expect_removal(live);
        self.slots.counters_mut().removed += 1;
        self.slots.counters_mut().retired += 1;
        self.swap(position, self.parting().live);
        self.slots[handle.index() as usize].word = H::Word::RETIRED;
    }

    /// The lifetime of a slot whose value was out of the pool goes on; its value goes behind the others.
    pub(super) fn reattach(&mut self, handle: H) -> Result<(), InsertAtErrorKind> {
        self.detached.reattach(handle, self.slots.word(handle.index() as usize))?;
        self.unretire(handle, false);
        self.slots.counters_mut().inserted += 1;
        self.ledger.note_generation(handle.word());
        self.slow_from = H::Word::ZERO;
        Ok(())
    }

    /// The slots whose values are out of the pool.
    pub(super) fn detached(&self) -> &Detached {
        &self.detached
    }

    /// Ends the lifetime of a slot whose value was out of the pool; returns whether it was.
    pub(super) fn end_detached(&mut self, handle: H) -> bool {
        if !self.detached.take(handle.index(), handle.generation()) {
            return false;
        }
        if let Some(next) = self.ledger.note_end(handle.index() as usize, handle.word()) {
            self.unretire(handle::kept::<H>(handle.index() as usize, next), true);
        }
        self.slow_from = H::Word::ZERO;
        true
    }

    /// This slot is used again, in this lifetime.
    fn unretire(&mut self, handle: H, is_vacant: bool) {
        self.slots.counters_mut().retired -= 1;
        let slot = &mut self.slots[handle.index() as usize];
        slot.word = handle.word();
        let position = slot.position.to_index();
        self.order[position] = handle;
        self.swap(position, self.parting().unretired(is_vacant));
    }

    /// Replaces the recorder's track.
    pub(super) fn set_recorder(&mut self, track: Option<crate::reports::recorder::Track>) {
        self.ledger.replace_recorder(track);
        self.slow_from = H::Word::ZERO;
    }

    /// Whether [`release_each`](Self::release_each) is faster for several releases, because the
    /// slots may not fit into the cache. `false` while a recorder is attached, which records when
    /// each lifetime ends.
    #[inline]
    pub(super) fn is_faster_in_batches(&self) -> bool {
        self.slots.len() >= SLOTS_IN_CACHE && !self.ledger.is_recorded()
    }

    /// Releases the values at `positions`, in this order. All memory that this needs is read first, so that the
    /// processor fetches it at the same time.
    #[inline]
    pub(super) fn release_each(&mut self, positions: &[H::Index]) {
        let mut seen = 0;
        let live = self.slots.counters().live();
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

    /// Ends all lifetimes. The vacant slots are in index order again.
    pub(super) fn release_all(&mut self) {
        let live = self.slots.counters().live();
        self.slots.expect_removal(live);
        let cycle = self.ledger.cycle();
        let mut retired = 0;
        for handle in &self.order[..live] {
            let slot = &mut self.slots[handle.index() as usize];
            slot.word = cycle.after(slot.word).unwrap_or(H::Word::RETIRED);
            retired += u32::from(slot.word == H::Word::RETIRED);
        }
        let counters = self.slots.counters_mut();
        (counters.removed, counters.retired) = (counters.inserted, counters.retired + retired);
        let mut sorting = Sorting::new(self.parting());
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let position = sorting.position(slot.word.as_dead());
            slot.position = H::Index::from_index(position);
            self.order[position] = handle_in(index, slot.word);
        }
        self.ledger.recount(self.slots.used_words());
        self.slow_from = H::Word::ZERO;
        self.ledger.report_all(self.slots.len(), self.slots.counters(), iter::empty());
    }

    /// The position of the handle's slot, if the slot is in that lifetime, or will be next: then the position is not
    /// that of a value.
    #[inline]
    pub(super) fn find(&self, handle: H) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        (slot.word == handle.word()).then_some(slot.position.to_index())
    }

    /// The position of a slot; that of a value if the slot is live.
    #[inline]
    pub(super) fn position_at(&self, index: usize) -> Option<usize> {
        Some(self.slots.get(index)?.position.to_index())
    }

    /// Sorts the handles of the values by `compare`, which is called with positions. The values
    /// keep these positions until [`settle`](Self::settle) is called, which must follow in any
    /// case.
    pub(super) fn sort_by(&mut self, mut compare: impl FnMut(usize, usize) -> Ordering) {
        let slots = &self.slots;
        let position = |handle: &H| slots[handle.index() as usize].position.to_index();
        self.order[..slots.counters().live()]
            .sort_unstable_by(|a, b| compare(position(a), position(b)));
    }

    /// Updates the positions after a sort. `swap` is called with the positions of each two values
    /// to swap.
    ///
    /// One cycle of the permutation at a time: the value at its start is passed on to its end.
    pub(super) fn settle(&mut self, mut swap: impl FnMut(usize, usize)) {
        for start in 0..self.slots.counters().live() {
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

    /// Slots from here on were never used, and each stands at the position of its own number.
    pub(super) fn used(&self) -> usize {
        self.slots.used()
    }

    /// The live slots in their order, the vacant ones and the retired ones; the unused ones as one range.
    pub(super) fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let slot_at = |position: usize| self.order[position].index() as usize;
        self.parting().order(self.used(), self.slots.len(), slot_at)
    }

    /// Takes on the saved state.
    #[cfg(feature = "serde")]
    pub(super) fn load(&mut self, saved: &crate::slots::saved::Checked<H::Word>) {
        self.slots.note_loaded();
        self.slots.load(&saved.words, saved.inserted, saved.peak);
        half_way();
        self.ledger.load_numbers(saved, self.slots.used_words());
        self.detached.clear();
        self.slow_from = H::Word::ZERO;
        half_way();
        let parting = self.parting();
        for (place, &index) in saved.order.iter().enumerate() {
            let index = index as usize;
            let position = parting.listed(place, self.slots.len());
            self.place(position, handle_in(index, self.slots[index].word));
            half_way();
        }
        self.report_all();
    }

    /// Makes all slots as if never used, whatever state a panic has left them in. Their values are gone.
    pub(super) fn renew(&mut self) {
        let start = self.ledger.cycle().start();
        self.slots.renew(start);
        self.order.clear();
        self.order.extend((0..self.slots.len()).map(|index| handle_in::<H>(index, start)));
        self.detached.clear();
        self.ledger.recount(self.slots.used_words());
        self.slow_from = H::Word::ZERO;
        self.report_all();
    }

    /// Puts all slots but the live ones into the order of their indices, whatever order a panic has left them in.
    fn reset_order(&mut self) {
        let live = self.slots.counters().live();
        self.order.truncate(live);
        let (count, dead) = (self.slots.len(), H::Index::from_index(live));
        for slot in self.slots.iter_mut() {
            slot.position = dead;
        }
        for position in 0..live {
            self.place(position, self.order[position]);
        }
        let mut append = |retired: bool| {
            for (index, slot) in self.slots.iter().enumerate() {
                let is_retired = slot.word == H::Word::RETIRED;
                if slot.position.to_index() >= live && is_retired == retired {
                    self.order.push(handle_in(index, slot.word));
                }
            }
            self.order.len()
        };
        let (next, _) = (append(true), append(false));
        self.slots.counters_mut().retired = (next - live) as u32;
        self.place_again(live);
        self.slots.mark_used_until(count);
        self.ledger.recount(self.slots.used_words());
        self.slow_from = H::Word::ZERO;
    }

    /// Takes on the state of `other`, which has the same generation cycle and, without these copies of its
    /// [`arrays`](Self::try_copy_arrays), the same capacity.
    pub(super) fn copy_state_from(&mut self, other: &Self, arrays: Option<Arrays<H>>) {
        self.slots.note_restored(&other.slots);
        match arrays {
            Some(Arrays { slots, order }) => {
                self.slots.replace(slots, &other.slots);
                half_way();
                self.order = order;
            }
            None => {
                let used = self.used().max(other.used());
                self.slots.copy_state_from(&other.slots, used);
                half_way();
                self.order[..used].copy_from_slice(&other.order[..used]);
            }
        }
        half_way();
        self.ledger.copy_numbers_from(&other.ledger);
        self.detached.clone_from(&other.detached);
        self.slow_from = H::Word::ZERO;
        self.report_all();
    }

    /// Reports to the recorder that the whole state was replaced.
    fn report_all(&mut self) {
        let counters = self.slots.counters();
        let live = self.order[..counters.live()].iter().map(|handle| handle.index() as usize);
        self.ledger.report_all(self.slots.len(), counters, live);
    }
}

/// The slots of a roster and its order, or room for them.
pub(super) struct Arrays<H: HandleLayout> {
    slots: Vec<Slot<H::Word, H::Index>>,
    order: Vec<H>,
}

/// Growing and shrinking.
impl<H: HandleLayout> PackedRoster<H> {
    /// Makes room for this many slots in all. On an error, the roster is as before, but for the room.
    pub(super) fn try_reserve(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        self.slots.try_reserve(slots)?;
        self.order.try_reserve_exact(slots - self.order.len()).map_err(|_| OutOfMemory)
    }

    /// Grows to this many slots, for which there is room. The first of the new ones existed before, with the words
    /// `again`; the others were never used. They come next after all others.
    pub(super) fn grow(&mut self, slots: usize, again: &[H::Word]) {
        let (from, start) = (self.slots.len(), self.ledger.cycle().start());
        let word = |index: usize| match again.get(index - from) {
            Some(word) if *word == H::Word::RETIRED => *word,
            Some(word) => word.as_live(),
            None => start,
        };
        let new = from..slots;
        let slot = |index| Slot { word: word(index), position: H::Index::from_index(index) };
        self.slots.extend(new.clone().map(slot));
        // Half-way, there are slots that the order does not know.
        let mut roster = guard(self, |roster| roster.reset_order());
        half_way();
        roster.order.extend(new.map(|index| handle_in::<H>(index, word(index))));
        half_way();
        if retired_among(again) > 0 {
            roster.sort_out_retired(from);
            half_way();
        }
        let Self { ledger, slots, slow_from, .. } = &mut **roster;
        if !again.is_empty() {
            ledger.recount(slots.used_words());
            *slow_from = H::Word::ZERO;
        }
        ledger.report_size(slots.len(), slots.counters());
        defuse(roster);
    }

    /// Slots from this one on, which are the last of the order and count as vacant, have retired before. The vacant ones
    /// keep their order; those that have retired come in that of their indices, however many slots at a time there are again.
    fn sort_out_retired(&mut self, from: usize) {
        let next = self.parting().next();
        let mut vacant = self.order.len();
        for position in (next..vacant).rev() {
            let handle = self.order[position];
            if self.slots[handle.index() as usize].word != H::Word::RETIRED {
                vacant -= 1;
                self.order[vacant] = handle;
            }
        }
        let mut retired = next;
        for index in from..self.slots.len() {
            let word = self.slots[index].word;
            if word == H::Word::RETIRED {
                self.order[retired] = handle_in(index, word);
                retired += 1;
            }
        }
        self.slots.counters_mut().retired += (retired - next) as u32;
        self.place_again(next);
    }

    /// Tells the slots their positions, from this one on.
    fn place_again(&mut self, from: usize) {
        for position in from..self.order.len() {
            self.place(position, self.order[position]);
        }
    }

    /// The word of a slot that was never used.
    pub(super) fn unused_word(&self) -> H::Word {
        self.ledger.cycle().start().as_dead()
    }

    /// The words of the slots from this one on, which are dead.
    pub(super) fn words_from(&self, index: usize) -> impl ExactSizeIterator<Item = H::Word> {
        let live = self.slots.counters().live();
        self.slots[index..].iter().map(move |slot| slot.state(live))
    }

    /// One more than the last slot that is live, or whose value is out of the pool.
    pub(super) fn needed_until(&self) -> usize {
        let live = self.order[..self.slots.counters().live()].iter().map(|handle| handle.index());
        let last_out = self.detached.as_slice().last().map(|(slot, _)| *slot);
        live.chain(last_out).max().map_or(0, |last| last as usize + 1)
    }

    /// Memory for [`shrink`](Self::shrink).
    pub(super) fn try_room(slots: usize) -> Result<Arrays<H>, OutOfMemory> {
        Ok(Arrays { slots: memory::reserved(slots)?, order: memory::reserved(slots)? })
    }

    /// Moves to this room, with the first slots; the others, from `kept` on, are dead, and the value of none is out of the
    /// pool.
    pub(super) fn shrink(&mut self, kept: usize, room: Arrays<H>) {
        let Arrays { mut slots, mut order } = room;
        slots.extend_from_slice(&self.slots[..kept]);
        order.extend(self.order.iter().filter(|handle| (handle.index() as usize) < kept));
        let retired = self.words_from(kept).filter(|word| *word == H::Word::RETIRED).count();
        self.slots.shrink_to(slots, retired);
        // Half-way, the order has slots that are no more.
        let mut roster = guard(self, |roster| roster.reset_order());
        half_way();
        roster.order = order;
        half_way();
        roster.place_again(0);
        let Self { ledger, slots, .. } = &mut **roster;
        ledger.report_size(slots.len(), slots.counters());
        defuse(roster);
    }

    /// Copies of the slots and their order.
    pub(super) fn try_copy_arrays(&self) -> Result<Arrays<H>, OutOfMemory> {
        let mut copies = Self::try_room(self.slots.len())?;
        copies.slots.extend_from_slice(&self.slots);
        copies.order.extend_from_slice(&self.order);
        Ok(copies)
    }
}

impl<H: HandleLayout> PackedRoster<H> {
    /// A copy with the same handles.
    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let Arrays { slots, order } = self.try_copy_arrays()?;
        let (slots, ledger) = (self.slots.copied_into(slots), self.ledger.clone());
        Ok(Self {
            slots,
            order,
            slow_from: self.slow_from,
            ledger,
            detached: self.detached.clone(),
        })
    }

    /// Checks the slots, of which there may be up to `slots_max`.
    #[cfg(feature = "validate")]
    pub(super) fn validate(&self, slots_max: usize) -> Result<(), Violation> {
        ensure(
            self.order.len() == self.slots.len(),
            "there is a place in the order for each slot",
            format_args!("{} places for {} slots", self.order.len(), self.slots.len()),
        )?;
        let stats = Stats { capacity: slots_max, ..self.stats() };
        let word = |index| self.slots.word(index);
        self.ledger.validate_numbers(&stats, word, self.detached.as_slice())?;
        let start = self.ledger.cycle().start();
        let written = self.slots[self.used()..].iter().position(|slot| slot.word != start);
        ensure(
            written.is_none(),
            "slots beyond those that were used are as in a new pool",
            format_args!("slot {:?}, though only {} were used", written, self.used()),
        )?;
        for (position, handle) in self.order.iter().enumerate() {
            let slot = self.slots.get(handle.index() as usize);
            ensure(
                slot.is_some_and(|slot| slot.position.to_index() == position),
                "the positions are the inverse of the order",
                format_args!("{handle} at {position}"),
            )?;
            let Some(slot) = slot else { continue };
            let word = slot.state(self.slots.counters().live());
            ensure(
                self.parting().suits(position, word)
                    && (slot.word == handle.word() || slot.word == H::Word::RETIRED),
                "each slot's word is that of its part of the order",
                format_args!("{:?} of {handle} at {position}", slot.word),
            )?;
        }
        let moved = (self.used()..self.order.len())
            .find(|&position| self.order[position].index() as usize != position);
        ensure(
            moved.is_none(),
            "slots that were never used stand at their own positions",
            format_args!("position {moved:?}, though only {} were used", self.used()),
        )
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::handle::Handle;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut PackedRoster<Handle<()>>)| {
            let settings = GenerationSettings { count: 2, ..GenerationSettings::PLAIN };
            let mut roster = PackedRoster::<Handle<()>>::try_new(5, &settings).unwrap();
            let first = roster.acquire(0).unwrap();
            roster.acquire(1).unwrap();
            roster.release(first, 0, 2);
            let last = roster.acquire(1).unwrap();
            roster.release(last, 1, 2); // retires
            roster.acquire(1).unwrap();
            roster.validate(5).unwrap();
            change(&mut roster);
            roster.validate(5).unwrap_err().rule()
        };
        let word = "each slot's word is that of its part of the order";
        assert_eq!(broken(|roster| roster.slots[1].word = 2), word);
        let unused = "slots beyond those that were used are as in a new pool";
        assert_eq!(broken(|roster| roster.slots[3].word = 2), unused);
        assert_eq!(broken(|roster| roster.swap(0, 2)), word);
        assert_eq!(broken(|roster| roster.swap(2, 3)), word);
        let counted = "the retired slots are counted";
        assert_eq!(broken(|roster| roster.slots[0].word = 1), counted);
        assert_eq!(broken(|roster| roster.slots.counters_mut().retired += 1), counted);
        let own = "slots that were never used stand at their own positions";
        assert_eq!(broken(|roster| roster.swap(3, 4)), own);
        let inverse = "the positions are the inverse of the order";
        assert_eq!(broken(|roster| roster.order.swap(0, 1)), inverse);
        assert_eq!(broken(|roster| roster.slots[2].position = 0), inverse);
        assert_eq!(
            broken(|roster| roster.order[3] = Handle::from_bits(9 << 32 | 1).unwrap()),
            inverse
        );
        assert_eq!(broken(|roster| roster.slots[2].word = 3), "a slot is in one of its lifetimes");
        let places = "there is a place in the order for each slot";
        assert_eq!(broken(|roster| roster.order.truncate(4)), places);
        assert_eq!(broken(|roster| roster.set_evicted(9)), "the counters agree");
    }
}
