//! Reduces the words of 64 slots to a bit each.

use super::WORD_SLOTS;

/// Where an occupancy's bits come from: a bitmap, or the slots' words, in which the top bit means "dead", and so
/// does 0.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    Bits(&'a [u64]),
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

impl Source<'_> {
    /// No slots, of the same kind.
    #[inline(always)]
    pub(super) fn emptied(self) -> Self {
        match self {
            Self::Bits(_) => Self::Bits(&[]),
            Self::Narrow(_) => Self::Narrow(&[]),
            Self::Wide(_) => Self::Wide(&[]),
        }
    }

    /// The bits of 64 slots: set for those that are live. 0 beyond the last.
    #[inline(always)]
    pub(crate) fn word(&self, word: usize) -> u64 {
        match *self {
            Self::Bits(words) => words.get(word).copied().unwrap_or(0),
            Self::Narrow(words) => gathered(words, word, |word| u8::from(word as i16 > 0)),
            Self::Wide(words) => gathered(words, word, |word| u8::from(word as i32 > 0)),
        }
    }
}

/// The bits of 64 slots, set for live ones, from words that `is_live` maps to 1 (live) or 0.
///
/// Safe code that compilers vectorise: 64 words are narrowed to 64 bytes of 0 or 1, and eight bytes
/// at a time to eight bits by one multiplication, which moves byte `i` to bit `56 + i`.
///
/// Out of line, so that loops over slots that occasionally load a word stay small. The arguments
/// are passed in registers: a source passed by address would be stored in each step of such a loop.
#[cold]
#[inline(never)]
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
                assert_eq!(Source::Wide(&wide).word(word), bits);
                assert_eq!(Source::Narrow(&narrow).word(word), bits);
            }
        }
    }

    #[test]
    fn a_slot_that_was_never_used_is_dead() {
        assert_eq!(Source::Wide(&[0, 1, 0, u32::MAX >> 1, 1 << 31]).word(0), 0b1010);
        assert_eq!(Source::Narrow(&[0, 1, 0, u16::MAX >> 1, 1 << 15]).word(0), 0b1010);
    }
}
