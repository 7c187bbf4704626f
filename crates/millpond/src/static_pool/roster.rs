//! The handles of a static pool: which slots are live, and which come next.

use core::iter;
use core::ops::Range;

use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::{HandleLayout, IndexWord, Refusal, Word};
use crate::lifetimes::Lifetimes;
use crate::occupancy::Occupancy;
use crate::slots::Circle;
use crate::stats::Stats;
use crate::tap::Tap;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure, ensure_counters};

/// ```text
/// position   0         live              N − retired      N
/// order      │ live …  │ next, vacant …  │ retired …      │
/// ```
///
/// The `order` is a permutation of the slots, `positions` its inverse. The slot freed last is handed
/// out next.
///
/// **Every bit of a new roster is 0** (unless it has a name), so that a pool in a `static` takes no room
/// in the program's file, however many slots it has. That is why each array keeps the difference (the
/// exclusive or) from what a new roster has there.
#[derive(Clone, Debug)]
pub(super) struct StaticRoster<const N: usize, H: HandleLayout> {
    /// The slot's word and that of a slot never used differ in these bits; the top one is therefore
    /// set exactly while the slot is live.
    words: [H::Word; N],
    /// The slot at a position, and the position itself, differ in these bits.
    order: [H::Index; N],
    /// The position of a slot, and its index, differ in these bits.
    positions: [H::Index; N],
    live: usize,
    retired: usize,
    /// One less than the first generation of every slot.
    start_minus_1: u32,
    /// How many lifetimes fewer than the layout allows each slot has.
    lifetimes_fewer: u32,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
    /// Whether a slot starts again after its last lifetime; otherwise it retires.
    wraps: bool,
    name: Option<&'static str>,
    inserted: u64,
    refused: u64,
    evicted: u64,
    /// How many slots were live at once at most, looked at when one is about to die: the number only
    /// falls then.
    peak_before_removal: usize,
    /// One more than the highest slot that was claimed.
    claimed_until: u32,
    tap: Tap,
}

impl<const N: usize, H: HandleLayout> StaticRoster<N, H> {
    pub(super) const fn new(lifetimes: &Lifetimes) -> Self {
        const { assert!(N <= H::CAPACITY_MAX, "the handle layout cannot name so many slots") };
        Self {
            words: [H::Word::ZERO; N],
            order: [H::Index::ZERO; N],
            positions: [H::Index::ZERO; N],
            live: 0,
            retired: 0,
            start_minus_1: lifetimes.start(H::LIFETIMES_MAX) - 1,
            lifetimes_fewer: H::LIFETIMES_MAX - lifetimes.count_up_to(H::LIFETIMES_MAX),
            age_claimed_max: 0,
            wraps: lifetimes.wraps,
            name: lifetimes.name,
            inserted: 0,
            refused: 0,
            evicted: 0,
            peak_before_removal: 0,
            claimed_until: 0,
            tap: Tap::NONE,
        }
    }

    #[inline]
    pub(super) fn circle(&self) -> Circle<H::Word> {
        let count = H::LIFETIMES_MAX - self.lifetimes_fewer;
        Circle::of::<H>(self.start_minus_1 + 1, count, self.wraps)
    }

    /// The word of a slot: its generation, or the next one marked dead, or the mark of a retired one.
    #[inline]
    pub(super) fn word(&self, index: usize) -> Option<H::Word> {
        self.words.get(index).map(|word| word.difference(self.circle().start().as_dead()))
    }

    #[inline]
    fn set_word(&mut self, index: usize, word: H::Word) {
        self.words[index] = word.difference(self.circle().start().as_dead());
    }

    /// The slot at a position.
    #[inline]
    fn slot_at(&self, position: usize) -> usize {
        self.order[position].to_index() ^ position
    }

    #[inline]
    fn position_of(&self, index: usize) -> usize {
        self.positions[index].to_index() ^ index
    }

    #[inline]
    fn set_slot_at(&mut self, position: usize, index: usize) {
        let difference = H::Index::from_index(index ^ position);
        self.order[position] = difference;
        self.positions[index] = difference;
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (slot_a, slot_b) = (self.slot_at(a), self.slot_at(b));
        self.set_slot_at(a, slot_b);
        self.set_slot_at(b, slot_a);
    }

    #[inline]
    pub(super) fn name(&self) -> Option<&'static str> {
        self.name
    }

    #[inline]
    pub(super) fn live(&self) -> usize {
        self.live
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.live + self.retired == N
    }

    #[inline]
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.words.get(index).is_some_and(|difference| difference.is_dead())
    }

    /// Which slots are live.
    #[inline]
    pub(super) fn occupancy(&self) -> Occupancy<'_> {
        // A word is kept as its difference to a dead one, so its top bit is set while the slot is live.
        Occupancy::new(H::Word::source(&self.words).with_live_tops(), N, self.live)
    }

    /// The slot that the handle names, if that lifetime of it is live.
    #[inline]
    pub(super) fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        // Live words have no top bit, and a handle's generation has none.
        (self.word(index)? == handle.word()).then_some(index)
    }

    /// The handle of a live slot.
    #[inline]
    pub(super) fn handle_at(&self, index: usize) -> Option<H> {
        let word = self.word(index).filter(|word| !word.is_dead())?;
        Some(H::from_kept_parts(index, word))
    }

    /// The handle that [`acquire`](Self::acquire) will give.
    #[inline]
    pub(super) fn next(&self) -> Option<H> {
        if self.is_full() {
            return None;
        }
        let index = self.slot_at(self.live);
        Some(H::from_kept_parts(index, self.word(index)?.as_live()))
    }

    /// Begins the lifetime that comes next.
    #[inline]
    pub(super) fn acquire(&mut self) -> Option<H> {
        let handle = self.next()?;
        self.set_word(handle.index() as usize, handle.word());
        self.live += 1;
        self.inserted += 1;
        self.tap.birth(handle.index() as usize);
        Some(handle)
    }

    /// Begins exactly the handle's lifetime.
    pub(super) fn claim(&mut self, handle: H) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        let word = self.word(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle().check_begin(word, handle.word())?;
        self.set_word(index, handle.word());
        self.age_claimed_max = self.age_claimed_max.max(self.circle().age(handle.word()));
        self.swap(self.position_of(index), self.live);
        self.live += 1;
        self.inserted += 1;
        self.claimed_until = self.claimed_until.max(handle.index() + 1);
        self.tap.birth(index);
        Ok(index)
    }

    /// Ends the lifetime of a slot; `false` if it is dead, or out of range.
    #[inline]
    pub(super) fn release(&mut self, index: usize) -> bool {
        let Some(word) = self.word(index).filter(|word| !word.is_dead()) else {
            return false;
        };
        self.tap.death(index);
        self.peak_before_removal = self.peak_before_removal.max(self.live);
        self.live -= 1;
        self.swap(self.position_of(index), self.live);
        match self.circle().after(word) {
            Some(next) => self.set_word(index, next.as_dead()),
            None => {
                self.set_word(index, H::Word::RETIRED);
                self.retired += 1;
                self.tap.retired();
                self.swap(self.live, N - self.retired);
            }
        }
        true
    }

    /// The vacant slots come in the order of their indices, when none is live.
    pub(super) fn reset_order(&mut self) {
        let (mut front, mut vacant, mut retired) = (0, self.live, N);
        for index in 0..N {
            let word = self.word(index).unwrap_or(H::Word::RETIRED);
            let position = if !word.is_dead() {
                front += 1;
                front - 1
            } else if word != H::Word::RETIRED {
                vacant += 1;
                vacant - 1
            } else {
                retired -= 1;
                retired
            };
            self.set_slot_at(position, index);
        }
    }

    /// Slots from here on were never used, and each stands at the position of its own number.
    ///
    /// For: slots are handed out by ascending position, so without claims none beyond the peak was; a claim
    /// changes positions up to that of the claimed slot; and a retirement changes those at the end.
    pub(super) fn used(&self) -> usize {
        if self.retired > 0 {
            return N;
        }
        self.peak_before_removal.max(self.live).max(self.claimed_until as usize)
    }

    /// Which slot stands at each position, the unused ones as one range.
    pub(super) fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let used = self.used();
        let slots = (0..used).map(|position| self.slot_at(position));
        slots.map(|index| index..index + 1).chain(iter::once(used..N))
    }

    /// Becomes what was saved, whose circle is set already, and whose live slots are live.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(super) fn load(&mut self, saved: &crate::snapshot::format::Checked<H::Word>) {
        for (position, &index) in saved.order.iter().enumerate() {
            self.set_slot_at(position, index as usize);
        }
        for (index, &word) in saved.words.iter().enumerate() {
            self.set_word(index, word);
        }
        self.retired = saved.words.iter().filter(|word| **word == H::Word::RETIRED).count();
        self.inserted = saved.inserted;
        self.refused = saved.refused;
        self.evicted = saved.evicted;
        self.peak_before_removal = saved.peak;
        self.age_claimed_max = saved.age_max();
        self.claimed_until = N as u32;
    }

    /// Runs over this circle of the layout's from now on, no slot having been used.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(super) fn set_circle(&mut self, circle: &Circle<H::Word>) {
        self.start_minus_1 = circle.start.generation() - 1;
        self.lifetimes_fewer = H::LIFETIMES_MAX - 1 - circle.age(circle.last);
        self.wraps = circle.wraps;
    }

    /// Takes over the state of another roster of the same circle.
    pub(super) fn take_over(&mut self, other: &Self) {
        let used = self.used().max(other.used());
        self.words[..used].copy_from_slice(&other.words[..used]);
        self.order[..used].copy_from_slice(&other.order[..used]);
        self.positions[..used].copy_from_slice(&other.positions[..used]);
        self.live = other.live;
        self.retired = other.retired;
        self.inserted = other.inserted;
        self.refused = other.refused;
        self.evicted = other.evicted;
        self.peak_before_removal = other.peak_before_removal;
        self.age_claimed_max = other.age_claimed_max;
        self.claimed_until = other.claimed_until;
        self.tell_all();
    }

    /// Tells whoever listens that the pool's state was replaced as a whole.
    fn tell_all(&mut self) {
        if self.tap.is_on() {
            let stats = self.stats();
            // The top bit of the difference is set while a slot is live.
            let live = (0..N).filter(|index| self.words[*index].is_dead());
            self.tap.restart(stats, live);
        }
    }

    #[cfg(feature = "recorder")]
    pub(super) fn listen(&mut self, track: Option<crate::recorder::Track>) {
        self.tap.set(track);
    }

    /// Begins some lifetime of a slot that is dead, without keeping the order true:
    /// [`take_over`](Self::take_over) or [`recount`](Self::recount) follows.
    pub(super) fn begin_out_of_order(&mut self, index: usize) {
        let is_retired = self.word(index) == Some(H::Word::RETIRED);
        let word = self.word(index).filter(|_| !is_retired);
        self.set_word(index, word.map_or(self.circle().last, Word::as_live));
        // It is counted anew when this lifetime ends.
        self.retired -= usize::from(is_retired);
        self.live += 1;
        self.inserted += 1;
        self.claimed_until = N as u32;
    }

    /// Makes the order and the counts true when no slot is live, whatever they were.
    pub(super) fn recount(&mut self) {
        self.live = 0;
        self.retired = (0..N).filter(|&index| self.word(index) == Some(H::Word::RETIRED)).count();
        self.reset_order();
        self.tell_all();
    }

    pub(super) fn check(&self, handle: H) -> Result<(), Refusal> {
        if self.find(handle).is_some() {
            return Ok(());
        }
        let word = self.word(handle.index() as usize);
        let issued = self.inserted + u64::from(self.age_claimed_max);
        Err(self.circle().refusal(word, handle.word(), issued))
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
        self.circle().is_last(handle.word())
    }

    pub(super) fn count_eviction(&mut self) {
        self.evicted += 1;
        self.tap.evicted();
    }

    pub(super) fn count_refusal(&mut self) {
        self.refused += 1;
        self.tap.refused();
    }

    /// What is said of a full pool, which has just refused a value.
    #[cold]
    pub(super) fn refuse(&mut self) -> FullPool {
        self.count_refusal();
        let Stats { capacity, peak, retired, .. } = self.stats();
        FullPool { name: self.name, capacity, peak, retired, out_of_memory: false }
    }

    pub(super) fn stats(&self) -> Stats {
        Stats {
            capacity: N,
            live: self.live,
            peak: self.peak_before_removal.max(self.live),
            retired: self.retired,
            inserted: self.inserted,
            removed: self.inserted - self.live as u64,
            refused: self.refused,
            evicted: self.evicted,
        }
    }
}

#[cfg(feature = "validate")]
impl<const N: usize, H: HandleLayout> StaticRoster<N, H> {
    pub(super) fn validate(&self) -> Result<(), Violation> {
        ensure(
            self.live + self.retired <= N,
            "the parts of the order are one behind the other",
            format_args!("{} live, {} retired, {N} slots", self.live, self.retired),
        )?;
        let circle = self.circle();
        for position in 0..N {
            let index = self.slot_at(position);
            ensure(
                index < N && self.position_of(index) == position,
                "the positions are the inverse of the order",
                format_args!("slot {index} at {position}"),
            )?;
            let word = self.word(index).unwrap_or(H::Word::RETIRED);
            let agrees = if position >= N - self.retired {
                word == H::Word::RETIRED
            } else {
                word.is_dead() == (position >= self.live) && word != H::Word::RETIRED
            };
            ensure(
                agrees,
                "each slot's word is that of its part of the order",
                format_args!("{word:?} of slot {index} at {position}"),
            )?;
            ensure(
                word == H::Word::RETIRED || circle.contains(word.as_live()),
                "each generation is one that a slot of this pool can have",
                format_args!("{word:?} of slot {index}"),
            )?;
        }
        ensure_counters(&self.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{Handle, Handle32};

    fn is_all_zero<const N: usize, H: HandleLayout>(roster: &StaticRoster<N, H>) -> bool {
        let StaticRoster { words, order, positions, name, .. } = roster;
        let numbers = [
            roster.live as u64,
            roster.retired as u64,
            u64::from(roster.start_minus_1),
            roster.inserted,
            roster.refused,
            roster.evicted,
            roster.peak_before_removal as u64,
            u64::from(roster.claimed_until),
        ];
        words.iter().all(|word| *word == H::Word::ZERO)
            && order.iter().chain(positions).all(|index| index.to_index() == 0)
            && numbers == [0; 8]
            && name.is_none()
    }

    #[test]
    fn a_new_one_is_all_zero_bits_unless_it_has_a_name() {
        assert!(is_all_zero(&StaticRoster::<70, Handle<()>>::new(&Lifetimes::PLAIN)));
        assert!(is_all_zero(&StaticRoster::<70, Handle32<(), 16>>::new(&Lifetimes::PLAIN)));
        let named = Lifetimes { name: Some("sparks"), ..Lifetimes::PLAIN };
        assert!(!is_all_zero(&StaticRoster::<70, Handle<()>>::new(&named)));
    }

    #[test]
    fn its_positions_are_the_inverse_of_its_order() {
        let mut roster = StaticRoster::<9, Handle<()>>::new(&Lifetimes::PLAIN);
        for step in 0..200_usize {
            match step * step % 7 {
                0 | 2 => drop(roster.acquire()),
                1 => drop(roster.release(step % 9)),
                _ => drop(Handle::from_parts(step as u32 % 9, 50).map(|h| roster.claim(h))),
            }
            for position in 0..9 {
                assert_eq!(roster.position_of(roster.slot_at(position)), position);
                let index = roster.slot_at(position);
                assert_eq!(roster.is_live(index), position < roster.live());
            }
        }
        roster.reset_order();
        assert!((0..9).all(|at| roster.position_of(roster.slot_at(at)) == at));
    }

    #[cfg(feature = "validate")]
    #[test]
    fn validation_finds_what_is_broken() {
        type Short = StaticRoster<5, Handle32<(), 30>>;
        let broken = |change: fn(&mut Short)| {
            let mut roster = Short::new(&Lifetimes::PLAIN);
            for _ in 0..3 {
                roster.acquire().unwrap();
                roster.release(0); // the third time for ever
            }
            roster.acquire().unwrap();
            roster.acquire().unwrap();
            assert_eq!((roster.live, roster.retired), (2, 1));
            roster.validate().unwrap();
            change(&mut roster);
            roster.validate().unwrap_err().rule()
        };
        let word = "each slot's word is that of its part of the order";
        assert_eq!(broken(|roster| roster.live = 1), word);
        assert_eq!(broken(|roster| roster.retired = 2), word);
        assert_eq!(broken(|roster| roster.retired = 0), word);
        assert_eq!(broken(|roster| roster.set_word(0, 1)), word);
        let inverse = "the positions are the inverse of the order";
        assert_eq!(broken(|roster| roster.positions[2] = 7), inverse);
        assert_eq!(broken(|roster| roster.order[2] = 9), inverse);
        assert_eq!(broken(|roster| roster.order[2] = 2 ^ 5), inverse); // one slot beyond the last
        let generation = "each generation is one that a slot of this pool can have";
        assert_eq!(
            broken(|roster| {
                let index = roster.slot_at(0);
                roster.set_word(index, 0);
            }),
            generation
        );
        let parts = "the parts of the order are one behind the other";
        assert_eq!(broken(|roster| roster.live = 5), parts);
        assert_eq!(broken(|roster| roster.peak_before_removal = 6), "the counters agree");
    }
}
