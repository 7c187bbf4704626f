//! What holds of the slots of a pool, checked.

use super::SlotWords;
use super::lifetimes::Slots;
use crate::base::shared::Number;
use crate::handle::{HandleLayout, Word};
use crate::occupancy::Occupancy;
use crate::reports::stats::Stats;
use crate::reports::validate::{Violation, ensure, ensure_counters};
use crate::slots::bitmap::{BitWord, BitmapState};
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place, validate_lifetimes};

impl<Q, L, P> Slots<P, Ledger<Q, L>>
where
    Q: Queue<L::Index>,
    L: HandleLayout,
    P: Place<Word = L::Word, Entry = Q::Entry>,
{
    /// Checks a pool that may have had up to `capacity` slots. The objects of these, with these generations, are out of it.
    pub(crate) fn validate(
        &self,
        capacity: usize,
        detached: &[(u32, u32)],
    ) -> Result<(), Violation> {
        let Self { words, ledger, .. } = self;
        words.validate()?;
        let stats = Stats { capacity, ..self.stats() };
        ledger.validate_numbers(&stats, |index| words.get(index), detached)?;
        ledger.queue.validate(words)?;
        ledger.queue.validate_unused(words.used(), words)?;
        let is_careful = words.slow_from() == 0;
        let start = ledger.cycle().start().generation();
        ensure(
            words.start() == start && start != 0,
            "a slot that was never used begins at the first generation, which is not 0",
            format_args!("{} and {start}", words.start()),
        )?;
        ensure(
            is_careful || !words.counters().peak_is_stale(),
            "the peak is at least what is live, or noted before a lifetime ends",
            format_args!("{:?}", words.counters()),
        )?;
        ensure(
            is_careful || words.slow_from() == ledger.slow_from().to_bits(),
            "a lifetime ends on the fast path only if its successor comes next and nobody records it",
            format_args!("below {}", words.slow_from()),
        )?;
        ensure(
            is_careful || ledger.queue.is_within_peak(words),
            "a lifetime ends on the fast path only if the order is within the peak",
            format_args!("{:?}", ledger.queue),
        )
    }
}

impl<Q, H: HandleLayout> Ledger<Q, H> {
    /// Checks the words of a pool with these counts, whose capacity is the largest that it may have had. The objects of these
    /// slots, with these generations, are out of the pool.
    pub(crate) fn validate_numbers(
        &self,
        stats: &Stats,
        word: impl Fn(usize) -> Option<H::Word>,
        detached: &[(u32, u32)],
    ) -> Result<(), Violation> {
        validate_lifetimes(&self.cycle(), &word, stats.retired, detached.len())?;
        let out = detached.iter().find(|(slot, generation)| {
            let is_out = word(*slot as usize) == Some(H::Word::RETIRED);
            !is_out || !self.cycle().contains(H::Word::from_generation(*generation))
        });
        ensure(
            out.is_none() && detached.is_sorted(),
            "a slot whose object is out of the pool is out of use",
            format_args!("{out:?} of {detached:?}"),
        )?;
        ensure_counters(stats)?;
        ensure(
            self.age_max_out_of_turn & Self::OVER_MAX != 0
                || !self.is_over_max((0..).map_while(word)),
            "a slot that has gone on at generation 1 is known of",
            format_args!("a slot is in a generation before the first"),
        )
    }
}

impl<P: Place> SlotWords<P> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        let parts = self.place.parts();
        let live = parts.words.iter().filter(|word| !word.is_dead()).count();
        ensure(
            self.inserted.checked_sub(self.removed) == Some(live as u64),
            "as many slots are live as lifetimes have begun and not ended",
            format_args!("{live} live, {} begun, {} ended", self.inserted, self.removed),
        )?;
        // One reading, and not another that a walk at the same time may make different.
        let state = self.state();
        let is_synced = P::HAS_BITMAP && state.is_synced();
        let fast_below = self.fast_below.get();
        ensure(
            fast_below == 0 || !is_synced && fast_below == self.slow_from,
            "no lifetime ends without its bit if the bitmap is synced",
            format_args!("below {fast_below:?}, slow from {:?}", self.slow_from),
        )?;
        let are_lowest = parts.words.iter().take(live).all(|word| !word.is_dead());
        ensure(
            state.is_unknown()
                || state.prefix() == BitmapState::of_checked(are_lowest, live).prefix(),
            "the live slots are the lowest ones if they are said to be",
            format_args!("{live} live, {state:?}"),
        )?;
        if !P::HAS_BITMAP {
            return self.validate_unused(&[]);
        }
        if !state.is_old(self.changes()) {
            // SAFETY: the bitmap is right by the state just read.
            let bits = unsafe { BitWord::right(parts.bits) };
            let differs = Occupancy::new(P::Word::source(parts.words), self.slots(), live)
                .words()
                .zip(bits)
                .position(|(gathered, kept)| gathered != *kept);
            ensure(
                differs.is_none(),
                "the bitmap has the bits of the live slots, or is known to be old",
                format_args!("word {differs:?} differs"),
            )?;
            return self.validate_unused(&bits[self.used_bit_words()..]);
        }
        // SAFETY: no walk writes the words of slots that were never used.
        self.validate_unused(unsafe { BitWord::right(&parts.bits[self.used_bit_words()..]) })?;
        // A walk that gathers the bits changes both, the state first.
        let fast_below = self.fast_below.get();
        let state = self.state();
        ensure(
            fast_below == self.slow_from || !state.is_old(self.changes()) || state.is_claimed(),
            "no lifetime clears a bit of a bitmap that is old",
            format_args!("below {fast_below:?}, slow from {:?}", self.slow_from),
        )
    }

    /// Checks what invariant 5 says of the words, and of the bits behind those of used slots.
    fn validate_unused(&self, bits: &[u64]) -> Result<(), Violation> {
        let (parts, used) = (self.place.parts(), self.used());
        let written = parts.words[used..].iter().position(|word| !word.is_unused());
        ensure(
            written.is_none(),
            "slots beyond those that were used are as in a new pool",
            format_args!("slot {:?}, though only {used} were used", written.map(|at| used + at)),
        )?;
        let left = bits.iter().position(|bits| *bits != 0).map(|at| at + self.used_bit_words());
        ensure(
            left.is_none(),
            "the bitmap, old or not, has no bits where no slot was ever used",
            format_args!("word {left:?}, though only {used} were used"),
        )
    }
}
