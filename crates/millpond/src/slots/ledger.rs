//! What a pool knows beside its slots: which comes next, the cycle of generations, a name, how many values were refused and
//! evicted, and the recorder's hook.
//!
//! It tells why a handle is refused and which generation follows. What a ledger with a reuse order does stands beside the words
//! that it changes, in [`Slots`](super::Slots).

use core::mem::offset_of;

use crate::handle::{HandleLayout, Refusal, Word};
use crate::reports::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::reports::recorder::Track;
use crate::reports::recorder_hook::RecorderHook;
use crate::reports::stats::Stats;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::{CheckWord, CountedSlots, Counters, GenerationCycle};

/// The ledger of one pool, with the data of its reuse order, or `()` of a pool that keeps its order itself. A clone has no
/// recorder.
#[derive(Clone, Debug)]
#[doc(hidden)]
#[repr(C)]
pub struct Ledger<Q, H: HandleLayout> {
    pub(super) queue: Q,
    pub(super) cycle: GenerationCycle<H>,
    /// The farthest on the cycle that a lifetime was begun out of turn, and the mark [`OVER_MAX`](Self::OVER_MAX).
    pub(super) age_max_out_of_turn: u32,
    name: Option<&'static str>,
    pub(super) refused: u64,
    pub(super) evicted: u64,
    recorder: RecorderHook,
}

/// The ledger of a pool of this order and layout.
pub(crate) type LedgerOf<R, H> = Ledger<<R as ReuseOrder>::Queue<<H as HandleLayout>::Index>, H>;

impl<Q: Queue<H::Index>, H: HandleLayout> Ledger<Q, H> {
    /// Of slots that were never used, if the [empty](Queue::EMPTY) order is that of such slots; else
    /// [`reset_order_untold`](super::Slots::reset_order_untold) must be called. No lifetime ends fast before one has ended.
    pub(crate) const fn fresh(settings: &GenerationSettings) -> Self {
        Self::new(Q::EMPTY, settings)
    }
}

impl<Q, H: HandleLayout> Ledger<Q, H> {
    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const QUEUE_OFFSET: usize = offset_of!(Self, queue);

    /// Some slot may have continued at generation 1 after the largest. No age has this bit.
    pub(super) const OVER_MAX: u32 = 1 << 31;

    /// Of slots that were never used, whose order is this. All bits are zero unless those of the order are not, or the
    /// generations have settings.
    pub(crate) const fn new(queue: Q, settings: &GenerationSettings) -> Self {
        Self {
            queue,
            cycle: GenerationCycle::new(settings),
            age_max_out_of_turn: 0,
            name: settings.name,
            refused: 0,
            evicted: 0,
            recorder: RecorderHook::NONE,
        }
    }

    /// The generations below this one are followed by their successors, and nothing is to be recorded when they end.
    pub(crate) fn slow_from(&self) -> H::Word {
        match self.recorder.is_on() {
            true => H::Word::ZERO,
            false => self.cycle.slow_from(self.age_max_out_of_turn & Self::OVER_MAX != 0),
        }
    }

    #[inline]
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.name
    }

    pub(crate) fn set_name(&mut self, name: Option<&'static str>) {
        self.name = name;
    }

    #[inline]
    pub(crate) fn cycle(&self) -> GenerationCycle<H> {
        self.cycle
    }

    /// Whether a recorder is attached.
    #[inline(always)]
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorder.is_on()
    }

    /// Reports to the recorder that the number of slots has changed.
    #[cfg(feature = "alloc")]
    pub(crate) fn report_size(&mut self, words: &impl CountedSlots<Word = H::Word>) {
        if self.recorder.is_on() {
            let stats = self.stats(words);
            self.recorder.report(move |track| track.resized(stats));
        }
    }

    /// Takes on the numbers of another ledger: all but the order, the name and the recorder.
    pub(crate) fn copy_numbers_from(&mut self, other: &Self) {
        self.refused = other.refused;
        self.evicted = other.evicted;
        self.age_max_out_of_turn = other.age_max_out_of_turn;
    }

    /// Reports to the recorder that the pool's whole state was replaced: these slots are live.
    pub(crate) fn report_all(
        &mut self,
        words: &impl CountedSlots<Word = H::Word>,
        live: impl Iterator<Item = usize>,
    ) {
        if self.recorder.is_on() {
            let stats = self.stats(words);
            self.recorder.report(move |track| track.restart(stats, live));
        }
    }

    /// `Ok` if the handle is valid, and otherwise why it is refused. `word`: that of its slot, if it exists.
    pub(crate) fn check_word(
        &self,
        handle: H,
        word: Option<H::Word>,
        words: &impl CountedSlots<Word = H::Word>,
    ) -> Result<(), Refusal> {
        // Live words have no top bit, and a handle's generation has none.
        if word == Some(handle.word()) {
            return Ok(());
        }
        let issued =
            || words.counters().inserted + u64::from(self.age_max_out_of_turn & !Self::OVER_MAX);
        Err(self.cycle.refusal(word, handle.word(), issued))
    }

    /// The handle's slot, if it may have this lifetime by `check`.
    pub(crate) fn check_take_at(
        &self,
        handle: H,
        words: &impl CountedSlots<Word = H::Word>,
        check: CheckWord<H>,
    ) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        let word = words.word(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&self.cycle, word, handle.word())?;
        Ok(index)
    }

    /// This lifetime begins, out of turn.
    pub(crate) fn note_begin_at(&mut self, handle: H) {
        let age_max = self.age_max_out_of_turn & !Self::OVER_MAX;
        self.age_max_out_of_turn += self.cycle.age(handle.word()).saturating_sub(age_max);
        self.note_generation(handle.word());
        self.note_begin(handle.index() as usize);
    }

    /// A lifetime of this slot begins.
    #[inline(always)]
    pub(crate) fn note_begin(&mut self, index: usize) {
        self.recorder.report(move |track| track.birth(index as u32));
    }

    /// This lifetime of a slot ends. Returns the generation that follows, or `None` if the slot retires. Whoever has a
    /// copy of [`slow_from`](Self::slow_from) renews it.
    pub(crate) fn note_end(&mut self, index: usize, generation: H::Word) -> Option<H::Word> {
        self.recorder.report(move |track| track.death(index as u32));
        let next = self.cycle.after(generation);
        match next {
            Some(next) => self.note_generation(next),
            None => self.recorder.report(Track::retired),
        }
        next
    }

    /// A slot may have continued at generation 1 after the largest.
    fn mark_over_max(&mut self, is_over_max: bool) {
        self.age_max_out_of_turn |= if is_over_max { Self::OVER_MAX } else { 0 };
    }

    /// A slot is in this generation, or will be next.
    pub(crate) fn note_generation(&mut self, generation: H::Word) {
        self.mark_over_max(generation < self.cycle.start());
    }

    /// The words were written all at once, or slots exist again that existed before.
    pub(crate) fn recount(&mut self, words: &impl CountedSlots<Word = H::Word>) {
        self.age_max_out_of_turn &= !Self::OVER_MAX;
        self.mark_over_max(self.is_over_max(words));
    }

    /// Whether some slot has continued at generation 1 after the largest, or will next.
    pub(super) fn is_over_max(&self, words: &impl CountedSlots<Word = H::Word>) -> bool {
        let start = self.cycle.start();
        let mut is_over = false;
        // In a pool without a name, none ever is.
        for index in 0..if start.generation() > 1 { words.used() } else { 0 } {
            if let Some(word) = words.word(index) {
                is_over |= word != H::Word::RETIRED && word.as_live() < start;
            }
        }
        is_over
    }

    /// Replaces the recorder.
    pub(crate) fn replace_recorder(&mut self, track: Option<Track>) {
        self.recorder.set(track);
    }

    #[cold]
    pub(crate) fn count_refusal(&mut self) {
        self.refused += 1;
        self.recorder.report(Track::refused);
    }

    pub(crate) fn count_eviction(&mut self) {
        self.evicted += 1;
        self.recorder.report(Track::evicted);
    }

    /// The error of a full pool, which has just refused a value.
    #[cold]
    pub(crate) fn refuse(&mut self, words: &impl CountedSlots<Word = H::Word>) -> FullPool {
        self.count_refusal();
        FullPool::of(self.name, &self.stats(words))
    }

    pub(crate) fn stats(&self, words: &impl CountedSlots<Word = H::Word>) -> Stats {
        let counters = words.counters();
        let Counters { inserted, removed, .. } = counters;
        Stats {
            capacity: words.slots(),
            live: counters.live(),
            peak: counters.peak(),
            retired: counters.retired(),
            inserted,
            removed,
            refused: self.refused,
            evicted: self.evicted,
        }
    }
}

/// Checks that all handles are valid by `check`, and no two are the same.
pub(crate) fn check_disjoint<H: HandleLayout>(
    handles: &[H],
    check: impl Fn(H) -> Result<(), Refusal>,
) -> Result<(), GetDisjointMutError> {
    for (position, &handle) in handles.iter().enumerate() {
        if let Err(refusal) = check(handle) {
            return Err(GetDisjointMutError::Refused { position, refusal });
        }
        if handles[..position].contains(&handle) {
            return Err(GetDisjointMutError::Overlapping { position });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Handle;

    impl<Q, H: HandleLayout> Ledger<Q, H> {
        pub(crate) fn has_zero_bits(&self) -> bool {
            let Self { cycle, name, refused, evicted, .. } = self;
            let Self { age_max_out_of_turn, recorder, .. } = self;
            cycle.has_zero_bits()
                && name.is_none()
                && (*refused, *evicted, *age_max_out_of_turn) == (0, 0, 0)
                && !recorder.is_on()
        }

        pub(crate) fn set_evicted(&mut self, evicted: u64) {
            self.evicted = evicted;
        }

        pub(crate) fn set_generations(&mut self, settings: &GenerationSettings) {
            self.cycle = GenerationCycle::new(settings);
        }
    }

    #[test]
    fn every_bit_is_0_at_first_unless_the_settings_say_otherwise() {
        assert!(Ledger::<_, Handle<()>>::new((), &GenerationSettings::PLAIN).has_zero_bits());
        let named = GenerationSettings { name: Some("sparks"), ..GenerationSettings::PLAIN };
        assert!(!Ledger::<_, Handle<()>>::new((), &named).has_zero_bits());
    }

    #[cfg(feature = "alloc")]
    type Words = crate::slots::SlotWords<crate::slots::Block<u16>>;

    #[cfg(feature = "alloc")]
    type Short = crate::Handle32<(), 24>;

    /// Their words have outlived them, and may be in a generation before the first.
    #[test]
    #[cfg(feature = "alloc")]
    fn slots_that_come_back_are_examined() {
        let settings = GenerationSettings { salt: Some(1), ..GenerationSettings::PLAIN };
        let mut ledger = Ledger::<_, Short>::new((), &settings);
        let start = ledger.cycle().start();
        assert!(start > 1);
        let mut words = Words::try_new(4, start.generation()).unwrap();
        ledger.recount(&words);
        assert!(ledger.age_max_out_of_turn == 0, "each is in its first generation");
        words.set_live(3, start);
        words.set_dead(3, 1.as_dead());
        ledger.recount(&words);
        assert_eq!(ledger.age_max_out_of_turn, Ledger::<(), Short>::OVER_MAX);
    }
}
