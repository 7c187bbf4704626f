//! Reduces the words of 64 slots to a bit each.

use core::num::NonZero;

use super::WORD_SLOTS;

/// Where an occupancy's bits come from: a bitmap, and the slots' words for what it does not have.
///
/// Which kind of words there are, or that there are none, is known wherever a walk is compiled; whether there is a bitmap shows
/// only in that it has the word that is asked for. So compilers make one loop of a walk, and not one for each source.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    bits: &'a [u64],
    words: SourceWords<'a>,
}

/// Slots' words, in which the top bit means "dead", and so does 0.
#[derive(Clone, Copy, Debug)]
enum SourceWords<'a> {
    /// The bitmap is whole.
    None,
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

impl<'a> Source<'a> {
    /// A bitmap of all slots.
    #[inline(always)]
    pub(crate) fn of_bits(bits: &'a [u64]) -> Self {
        Self { bits, words: SourceWords::None }
    }

    #[inline(always)]
    pub(crate) fn of_narrow(words: &'a [u16]) -> Self {
        Self { bits: &[], words: SourceWords::Narrow(words) }
    }

    #[inline(always)]
    pub(crate) fn of_wide(words: &'a [u32]) -> Self {
        Self { bits: &[], words: SourceWords::Wide(words) }
    }

    /// With the bitmap of these words, if there is one.
    #[inline(always)]
    pub(crate) fn with_bits(self, bits: &'a [u64]) -> Self {
        Self { bits, ..self }
    }

    /// A bitmap of all slots, or nothing.
    #[inline(always)]
    pub(crate) fn bits(&self) -> &'a [u64] {
        self.bits
    }

    /// The first words, so many at most.
    #[cfg(feature = "rayon")]
    pub(super) fn cut(self, words: usize) -> Self {
        fn first<W>(all: &[W], count: usize) -> &[W] {
            all.get(..count).unwrap_or(all)
        }
        let slots = words * WORD_SLOTS;
        let bits = first(self.bits, words);
        let words = match self.words {
            SourceWords::None => SourceWords::None,
            SourceWords::Narrow(all) => SourceWords::Narrow(first(all, slots)),
            SourceWords::Wide(all) => SourceWords::Wide(first(all, slots)),
        };
        Self { bits, words }
    }

    /// The bits of 64 slots: set for those that are live. 0 beyond the last.
    #[inline(always)]
    pub(crate) fn word(&self, word: usize) -> u64 {
        match self.bits.get(word) {
            Some(bits) => *bits,
            None => match self.words {
                SourceWords::None => 0,
                SourceWords::Narrow(words) => narrow_word(words, word),
                SourceWords::Wide(words) => wide_word(words, word),
            },
        }
    }

    /// The first word from this one on that has live slots, and its bits.
    #[inline(always)]
    pub(super) fn next_word(&self, mut word: usize) -> Option<(usize, NonZero<u64>)> {
        while let Some(bits) = self.bits.get(word) {
            match NonZero::new(*bits) {
                Some(bits) => return Some((word, bits)),
                None => word += 1,
            }
        }
        let (word, bits) = match self.words {
            SourceWords::None => return None,
            SourceWords::Narrow(words) => next_narrow_word(words, word),
            SourceWords::Wide(words) => next_wide_word(words, word),
        };
        Some((word, NonZero::new(bits)?))
    }
}

/// What a source asks of its words, for words of one kind: out of line, so that loops over slots that occasionally load a word
/// stay small, and not generic, so that the library has them, and not each program. All is passed in registers.
macro_rules! gathered {
    ($word:ident, $next_word:ident, $kind:ty, $is_live:expr) => {
        #[cold]
        #[inline(never)]
        fn $word(words: &[$kind], word: usize) -> u64 {
            gathered(words, word, $is_live)
        }

        #[cold]
        #[inline(never)]
        fn $next_word(words: &[$kind], mut word: usize) -> (usize, u64) {
            let beyond = words.len().div_ceil(WORD_SLOTS);
            let mut bits = 0;
            while bits == 0 && word < beyond {
                bits = gathered(words, word, $is_live);
                word += 1;
            }
            (word.wrapping_sub(1), bits)
        }
    };
}
gathered!(narrow_word, next_narrow_word, u16, |word| u8::from(word as i16 > 0));
gathered!(wide_word, next_wide_word, u32, |word| u8::from(word as i32 > 0));

/// The bits of 64 slots, set for live ones, from words that `is_live` maps to 1 (live) or 0.
///
/// Safe code that compilers vectorise: 64 words are narrowed to 64 bytes of 0 or 1, and eight bytes
/// at a time to eight bits by one multiplication, which moves byte `i` to bit `56 + i`.
fn gathered<W: Copy>(words: &[W], word: usize, is_live: impl Fn(W) -> u8) -> u64 {
    // None if there is no such word, however large its number is.
    let words = word.checked_mul(WORD_SLOTS).and_then(|first| words.get(first..)).unwrap_or(&[]);
    match words.first_chunk::<WORD_SLOTS>() {
        Some(words) => {
            // A plain loop, because builds without optimisation call several functions for each element of `map`.
            let (mut bytes, mut slot) = ([0; WORD_SLOTS], 0);
            while slot < WORD_SLOTS {
                bytes[slot] = is_live(words[slot]);
                slot += 1;
            }
            packed(&bytes)
        }
        None => words.chunks(8).rev().fold(0, |bits, words| match words.first_chunk() {
            Some(words) => bits << 8 | packed_eight(words.map(&is_live)),
            // The last few, which come first.
            None => words.iter().rev().fold(0, |bits, word| bits << 1 | u64::from(is_live(*word))),
        }),
    }
}

/// 64 bytes of 0 or 1 as bits.
#[inline]
pub(crate) fn packed(bytes: &[u8; WORD_SLOTS]) -> u64 {
    bytes
        .chunks_exact(8)
        .rev()
        .fold(0, |bits, eight| bits << 8 | eight.try_into().map_or(0, packed_eight))
}

/// Eight bytes of 0 or 1 as bits.
#[inline]
fn packed_eight(bytes: [u8; 8]) -> u64 {
    const SPREAD: u64 = 0x0102_0408_1020_4080;
    u64::from_le_bytes(bytes).wrapping_mul(SPREAD) >> 56
}

#[cfg(test)]
mod tests {
    use super::super::tests::patterns;
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_source_of_the_same_slots_has_the_same_bits() {
        for live in patterns() {
            let words = |live_word: u32, dead: u32| {
                live.iter().map(move |&live| if live { live_word } else { dead | live_word })
            };
            let wide: Vec<u32> = words(0x7fff_fffe, 1 << 31).collect();
            let narrow: Vec<u16> = words(0x7ffe, 1 << 15).map(|word| word as u16).collect();
            for word in 0..live.len().div_ceil(WORD_SLOTS) + 2 {
                let bits = (0..WORD_SLOTS)
                    .filter(|bit| live.get(word * WORD_SLOTS + bit) == Some(&true))
                    .fold(0_u64, |bits, bit| bits | 1 << bit);
                assert_eq!(Source::of_wide(&wide).word(word), bits);
                assert_eq!(Source::of_narrow(&narrow).word(word), bits);
            }
        }
    }

    #[test]
    fn a_slot_that_was_never_used_is_dead() {
        assert_eq!(Source::of_wide(&[0, 1, 0, u32::MAX >> 1, 1 << 31]).word(0), 0b1010);
        assert_eq!(Source::of_narrow(&[0, 1, 0, u16::MAX >> 1, 1 << 15]).word(0), 0b1010);
    }
}
