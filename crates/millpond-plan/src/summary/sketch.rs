//! The lengths of lifetimes in one field of a table: `LENGTH:COUNT`, separated by spaces.
//!
//! The lengths are those of an HDR histogram with one significant digit: exact below 32, accurate to 1 in 16 above.
//! Sketches are merged by adding the counts of equal lengths, so their order does not matter. This is why they are HDR
//! histograms: the result of a t-digest depends on the order of merges, and the bins of a DDSketch also blur short
//! lifetimes.

use std::fmt::Write;

use hdrhistogram::Histogram;

use crate::plan::Lengths;

/// The number of significant digits of a length.
const DIGITS: u8 = 1;

/// The sketch of these lengths.
pub(super) fn sketch(lengths: &Lengths) -> String {
    let mut text = String::new();
    // The bounds are valid constants, and no length exceeds them.
    let Ok(mut histogram) = Histogram::<u64>::new_with_bounds(1, u64::from(u32::MAX), DIGITS)
    else {
        return text;
    };
    for (first, _, count) in lengths.bins() {
        histogram.saturating_record_n(first, count);
    }
    for bin in histogram.iter_recorded() {
        let length = bin.value_iterated_to().min(u64::from(u32::MAX));
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{length}:{}", bin.count_at_value());
    }
    text
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
