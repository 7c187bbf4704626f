//! The word of a slot: its lifetime, whether the value is doomed, and the number of guards.

/// ```text
/// bit 63   62 … 32      31       30 … 0
///     dead generation   doomed   guards
/// ```
///
/// | state | dead | generation | doomed | guards |
/// | --- | --- | --- | --- | --- |
/// | live | 0 | its handle's | 0 | any |
/// | doomed: removed, its value is still there | 0 | its handle's | 1 | any |
/// | orphaned: the pool is gone, its value is still there | 1 | its handle's | 1 | 1 or more |
/// | vacant | 1 | the next handle's | 0 | 0 |
/// | spent: free, but without a generation left | 1 | 0 | 1 | 0 |
/// | retired: spent, and found out by an insertion | 1 | 0 | 0 | 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(u64);

const DEAD: u64 = 1 << 63;
const DOOMED: u64 = 1 << 31;
const GUARDS: u64 = DOOMED - 1;

/// The maximum number of guards of a value.
pub(super) const GUARDS_MAX: u32 = GUARDS as u32;

impl Word {
    pub(super) const SPENT: Self = Self(DEAD | DOOMED);
    pub(super) const RETIRED: Self = Self(DEAD);
    /// What is added for a guard.
    pub(super) const ONE_GUARD: u64 = 1;
    /// What is set when the pool goes and a value has guards.
    pub(super) const ORPHAN: u64 = DEAD | DOOMED;

    #[inline]
    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(super) fn to_bits(self) -> u64 {
        self.0
    }

    /// A lifetime without guards.
    #[inline]
    pub(super) fn live(generation: u32) -> Self {
        Self((generation as u64) << 32)
    }

    /// The word that a [cycle](crate::slots::GenerationCycle) has for a dead slot: its next generation with
    /// the top bit set, or the mark of a retired one.
    #[inline]
    pub(super) fn dead(word: u32) -> Self {
        let bits = (word as u64) << 32;
        if bits == DEAD { Self::SPENT } else { Self(bits) }
    }

    /// The inverse: the word as other pools store it; for a doomed slot, its generation.
    #[inline]
    pub(super) fn plain(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The generation, without the top bit.
    #[inline]
    pub(super) fn generation(self) -> u32 {
        self.plain() & !(1 << 31)
    }

    /// Whether a handle of this generation is valid.
    #[inline]
    pub(super) fn is_live_in(self, generation: u32) -> bool {
        // The dead bit, the generation and the doomed bit in one comparison: what is left is the guards. (To compare the upper
        // bits would take an instruction more.)
        self.0.wrapping_sub((generation as u64) << 32) < DOOMED
    }

    #[inline]
    pub(super) fn is_live(self) -> bool {
        self.0 & (DEAD | DOOMED) == 0
    }

    /// Whether the slot of an existing pool has a value: live, or doomed.
    #[inline]
    pub(super) fn has_value(self) -> bool {
        self.0 & DEAD == 0
    }

    /// Whether a free slot of an existing pool has a generation left.
    #[inline]
    pub(super) fn is_vacant(self) -> bool {
        // That of a dead slot, and a generation: of the words that are more than this, those with guards are of pools that
        // are gone.
        self.0 > Self::SPENT.0
    }

    #[inline]
    pub(super) fn is_doomed(self) -> bool {
        self.0 & (DEAD | DOOMED) == DOOMED
    }

    /// For a word with guards: whether the pool was dropped.
    #[inline]
    pub(super) fn is_orphaned(self) -> bool {
        self.0 & Self::ORPHAN == Self::ORPHAN
    }

    #[inline]
    pub(super) fn guards(self) -> u32 {
        (self.0 & GUARDS) as u32
    }

    #[inline]
    pub(super) fn doomed(self) -> Self {
        Self(self.0 | DOOMED)
    }

    /// With one more guard; there is room for it.
    #[inline]
    pub(super) fn with_guard(self) -> Self {
        debug_assert!(self.guards() < GUARDS_MAX);
        Self(self.0 + Self::ONE_GUARD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: u32 = u32::MAX >> 1;

    #[test]
    fn one_comparison_tells_a_good_handle_from_all_others() {
        for generation in [1, 2, 1 << 30, LAST] {
            let live = Word::live(generation);
            for guards in [0, 1, GUARDS_MAX] {
                let word = Word(live.0 + u64::from(guards));
                assert_eq!((word.guards(), word.generation()), (guards, generation));
                assert!(word.is_live_in(generation) && word.is_live() && word.has_value());
                assert!(!word.is_live_in(generation - 1));
                let doomed = word.doomed();
                assert!(!doomed.is_live_in(generation) && !doomed.is_live());
                assert!(doomed.has_value() && doomed.is_doomed());
                assert_eq!((doomed.guards(), doomed.generation()), (guards, generation));
            }
            let dead = Word::dead(generation | 1 << 31);
            assert!(!dead.is_live_in(generation) && !dead.has_value() && !dead.is_doomed());
            assert_eq!(dead.generation(), generation);
        }
    }

    #[test]
    fn a_slot_without_a_generation_left_is_spent_before_it_is_retired() {
        assert_eq!(Word::dead(1 << 31), Word::SPENT);
        for word in [Word::SPENT, Word::RETIRED] {
            assert!(!word.has_value() && !word.is_doomed() && !word.is_live());
            assert!((0..4).all(|generation| !word.is_live_in(generation)));
        }
    }
}
