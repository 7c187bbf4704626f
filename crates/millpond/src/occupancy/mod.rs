//! The occupancy: a bitmap of live slots, 64 to a word, and the runs of live slots.
//!
//! ```text
//! slot     0       8       16     …          64
//! word 0   11101100000000000000000…  word 1  1111111111…
//!          └┬┘ └┤ run of 2                   a full word: 64 live slots
//!           run of 3
//! ```
//!
//! Iteration takes 64 slots at a time: an empty word costs one test, and so does a full one, whose
//! bits are not examined.

mod gather;
mod live;
mod runs;
#[cfg(feature = "rayon")]
mod split;
mod words;

#[doc(hidden)]
pub use gather::Source;
#[cfg(feature = "tables")]
pub(crate) use gather::packed;
pub use live::LiveSlots;
pub(crate) use live::{LiveWalk, Way};
pub use runs::Runs;
pub(crate) use words::Words;

/// Slots per word of the bitmap.
pub(crate) const WORD_SLOTS: usize = u64::BITS as usize;

/// A borrowed view of which slots of a pool are live.
///
/// ```
/// use millpond::Pool;
///
/// let mut pool = Pool::new(100);
/// let handles: Vec<_> = (0..10).map(|i| pool.insert(i).unwrap()).collect();
/// pool.remove(handles[3]);
///
/// let occupancy = pool.occupancy();
/// assert!(occupancy.is_live(2) && !occupancy.is_live(3));
/// assert_eq!(occupancy.runs().collect::<Vec<_>>(), [0..3, 4..10]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Occupancy<'a> {
    source: Source<'a>,
    slots: usize,
    live: usize,
    /// See [`prefix`](Self::prefix).
    prefix: Option<usize>,
}

impl<'a> Occupancy<'a> {
    /// `live` is the number of live slots in the source.
    #[inline]
    pub(crate) fn new(source: Source<'a>, slots: usize, live: usize) -> Self {
        Self { source, slots, live, prefix: None }
    }

    /// Sets what is known of the [prefix](Self::prefix).
    #[inline(always)]
    pub(crate) fn with_prefix(self, prefix: Option<usize>) -> Self {
        Self { prefix, ..self }
    }

    /// The number of live slots, if they are known to be the lowest.
    #[inline(always)]
    pub(crate) fn prefix(&self) -> Option<usize> {
        self.prefix
    }

    /// Returns the number of slots, live and dead.
    #[inline]
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the number of live slots.
    #[inline]
    #[must_use]
    pub fn live(&self) -> usize {
        self.live
    }

    /// Returns whether slot `index` is live; `false` if `index` is out of range. O(1).
    #[inline]
    #[must_use]
    pub fn is_live(&self, index: usize) -> bool {
        self.word(index / WORD_SLOTS) >> (index % WORD_SLOTS) & 1 != 0
    }

    /// Returns 64 slots at once: bit `i` is set if slot `64 * word + i` is live. Bits beyond the
    /// last slot are 0.
    ///
    /// ```
    /// # use millpond::Pool;
    /// let mut pool = Pool::new(100);
    /// let first = pool.insert('a').unwrap();
    /// pool.insert('b').unwrap();
    /// pool.remove(first);
    /// assert_eq!(pool.occupancy().word(0), 0b10);
    /// assert_eq!(pool.occupancy().word(2), 0);
    /// ```
    #[inline]
    #[must_use]
    pub fn word(&self, word: usize) -> u64 {
        self.source.word(word)
    }

    /// Iterates over all words, from the lowest slots up.
    #[inline]
    pub fn words(&self) -> impl ExactSizeIterator<Item = u64> + use<'a> {
        let source = self.source;
        (0..self.slots.div_ceil(WORD_SLOTS)).map(move |word| source.word(word))
    }

    /// Iterates over the live slots in index order, from both ends. O(slots / 64 + live) in all.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> LiveSlots<'a> {
        LiveSlots::new(*self)
    }

    /// Iterates over the runs of live slots in index order. O(slots / 64 + runs) in all.
    #[inline]
    #[must_use]
    pub fn runs(&self) -> Runs<'a> {
        Runs::new(*self)
    }

    #[inline]
    pub(crate) fn source(&self) -> Source<'a> {
        self.source
    }

    /// The same, but if the [prefix](Self::prefix) is known, nothing is said of the slots beyond it: a walk over it does not
    /// read where their bits are.
    #[inline(always)]
    pub(crate) fn without_rest(self) -> Self {
        match self.prefix {
            Some(_) => Self { source: self.source.with_bits(&[]), slots: 0, ..self },
            None => self,
        }
    }
}

/// Occupancies are equal if the same slots are live.
impl PartialEq for Occupancy<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.slots == other.slots && self.live == other.live && self.words().eq(other.words())
    }
}
impl Eq for Occupancy<'_> {}

impl<'a> IntoIterator for Occupancy<'a> {
    type Item = usize;
    type IntoIter = LiveSlots<'a>;

    #[inline]
    fn into_iter(self) -> LiveSlots<'a> {
        self.iter()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use alloc::vec::Vec;

    pub(crate) fn bits(live: &[bool]) -> Vec<u64> {
        let word =
            |slots: &[bool]| slots.iter().rev().fold(0, |bits, &live| bits << 1 | u64::from(live));
        live.chunks(WORD_SLOTS).map(word).collect()
    }

    pub(crate) fn occupancy<'a>(bits: &'a [u64], live: &[bool]) -> Occupancy<'a> {
        let count = live.iter().filter(|live| **live).count();
        Occupancy::new(Source::of_bits(bits), live.len(), count)
    }

    /// The number of live slots, if they are the lowest.
    pub(crate) fn prefix(live: &[bool]) -> Option<usize> {
        let lowest = live.iter().take_while(|live| **live).count();
        (!live[lowest..].contains(&true)).then_some(lowest)
    }

    /// Patterns that cross every kind of word border, on sizes around them.
    pub(crate) fn patterns() -> impl Iterator<Item = Vec<bool>> {
        let sizes = [0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 256, 320];
        let kinds: [fn(usize) -> bool; 11] = [
            |_| true,
            |_| false,
            |i| i % 2 == 0,
            |i| i % 64 == 63 || i % 64 == 0,
            |i| i / 64 != 1,
            |i| i / 64 == 1,
            |i| i % 65 < 60,
            |i| (i * i + i / 7) % 5 < 2,
            |i| i > 3 && i % 97 != 0,
            |i| i < 3,
            |i| i < 130,
        ];
        sizes.into_iter().flat_map(move |n| kinds.map(|kind| (0..n).map(kind).collect()))
    }

    /// SplitMix64: numbers for plays that are the same on every run.
    pub(crate) fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    #[test]
    fn says_what_is_live() {
        for live in patterns() {
            let bits = bits(&live);
            let occupancy = occupancy(&bits, &live);
            assert_eq!(occupancy.live(), live.iter().filter(|live| **live).count());
            for at in 0..=live.len() + 65 {
                assert_eq!(occupancy.is_live(at), live.get(at).copied().unwrap_or(false));
            }
            assert!(occupancy.words().eq(bits.iter().copied()));
        }
    }

    #[test]
    fn is_equal_to_another_of_the_same_slots_only() {
        for a in patterns() {
            for b in patterns() {
                let (a_bits, b_bits) = (bits(&a), bits(&b));
                let (of_a, of_b) = (occupancy(&a_bits, &a), occupancy(&b_bits, &b));
                assert_eq!(of_a == of_b, a == b);
            }
        }
        // Gathered from words.
        let words = [0x8000_u16, 1, 1];
        assert_eq!(
            Occupancy::new(Source::of_narrow(&words), 3, 2),
            occupancy(&[6], &[false, true, true])
        );
    }
}
