//! The lengths of lifetimes in one field of a table: `LENGTH:COUNT`, separated by spaces.
//!
//! The lengths are those of an HDR histogram with one significant digit: exact below 32, accurate to 1 in 16 above.
//! Sketches are merged by adding the counts of equal lengths, so their order does not matter. This is why they are HDR
//! histograms: the result of a t-digest depends on the order of merges, and the bins of a DDSketch also blur short
//! lifetimes.

use crate::plan::Lengths;

/// The bits that lengths keep: `0b10000` to `0b11111`, times a power of two.
const BITS: u32 = 5;

/// The longest length that a sketch does not tell from this one.
fn sketched(length: u64) -> u64 {
    let blurred = (u64::BITS - length.leading_zeros()).saturating_sub(BITS);
    length | ((1 << blurred) - 1)
}

/// The sketch of these lengths.
pub(super) fn sketch(lengths: &Lengths) -> String {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (first, _, count) in lengths.bins() {
        let length = sketched(first);
        match bins.last_mut() {
            Some((last, sum)) if *last == length => *sum = sum.saturating_add(count),
            _ => bins.push((length, count)),
        }
    }
    let bins: Vec<String> =
        bins.iter().map(|(length, count)| format!("{length}:{count}")).collect();
    bins.join(" ")
}

/// Adds a sketch to the lengths; returns the number of its lengths, or why it is not a sketch.
pub(super) fn add_sketch(text: &str, lengths: &mut Lengths) -> Result<u64, &'static str> {
    let mut total = 0_u64;
    for entry in text.split_ascii_whitespace() {
        let (length, count) = entry.split_once(':').ok_or("expected LENGTH:COUNT")?;
        let length = length.parse().map_err(|_| "expected a length of 32 bits before the colon")?;
        let count = count.parse().map_err(|_| "expected a count after the colon")?;
        total = total.checked_add(count).ok_or("the counts exceed 64 bits")?;
        lengths.add_many(length, count);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_is_right_to_one_in_sixteen() {
        let mut lengths = Lengths::default();
        let all = [0, 1, 31, 32, 33, 1000, 1_000_000, u32::MAX];
        all.iter().for_each(|&length| lengths.add(length));
        let text = sketch(&lengths);
        assert!(text.starts_with("0:1 1:1 31:1 33:2 "), "{text}");
        let mut again = Lengths::default();
        assert_eq!(add_sketch(&text, &mut again), Ok(all.len() as u64));
        assert_eq!(again.total(), lengths.total());
        let none = Lengths::default();
        for share in [0.1, 0.5, 0.7, 0.9, 1.0] {
            let [exact, sketched] =
                [&lengths, &again].map(|lengths| lengths.quantile(&none, share).unwrap().ticks);
            assert!(sketched >= exact && sketched <= exact + exact / 16, "{exact} {sketched}");
        }
        // A sketch of a sketch is itself.
        assert_eq!(sketch(&again), text);
    }

    #[test]
    fn what_is_no_sketch_is_refused() {
        let mut lengths = Lengths::default();
        for text in ["5", "5:", ":5", "5:x", "-1:5", "4294967296:1", "1:1 2:18446744073709551615"] {
            assert!(add_sketch(text, &mut lengths).is_err(), "{text}");
        }
        assert_eq!(add_sketch("", &mut lengths), Ok(0));
    }
}
