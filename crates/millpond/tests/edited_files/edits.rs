//! What is changed in a file.

use crate::Random;
use crate::edited::{MOST, with_number as set};

/// The numbers around which counts are checked, added and converted.
const LIMITS: [u64; 10] =
    [0, 1, u32::MAX as u64, 1 << 32, 1 << 61, MOST - 1, MOST, MOST + 1, 1 << 63, u64::MAX];

/// The numbers in a text, each with what is before it.
fn numbers(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + text[at..].find(|c: char| c.is_ascii_digit())?;
        let end = text[from..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| from + n);
        at = end;
        Some((from, end))
    })
}

fn with(text: &str, from: usize, end: usize, number: u64) -> String {
    format!("{}{number}{}", &text[..from], &text[end..])
}

/// The counts that pools write, each of which a file may say as large as this.
pub(crate) const COUNTS: [&str; 3] = ["inserted", "refused", "evicted"];

/// A file that says other things than the pool that was written.
pub(crate) fn edit(text: &str, random: &mut Random) -> String {
    match random.below(8) {
        // All that may be counted, in every part.
        0 => set(text, "inserted", |_| MOST),
        1 => set(&set(text, "inserted", |_| MOST), "refused", |_| MOST),
        2 => {
            let most = set(&set(text, "inserted", |_| MOST), "refused", |_| MOST - 1);
            set(&most, "evicted", |_| random.next() >> 3)
        }
        // A count of each part at some limit.
        3 | 4 => {
            let name = [COUNTS[0], COUNTS[1], COUNTS[2], "peak", "capacity_max"][random.below(5)];
            set(text, name, |was| match random.below(3) {
                0 => was,
                1 => LIMITS[random.below(LIMITS.len())].wrapping_add(was),
                _ => LIMITS[random.below(LIMITS.len())],
            })
        }
        5 => set(text, "peak", |was| was + random.below(3) as u64),
        // Any number in any place.
        _ => {
            let mut text = text.to_owned();
            for _ in 0..1 + random.below(3) {
                let count = numbers(&text).count();
                let Some((from, end)) = numbers(&text).nth(random.below(count)) else { break };
                let was: u64 = text[from..end].parse().unwrap_or(0);
                let number = match random.below(6) {
                    0 => was.wrapping_add(1),
                    1 => was.saturating_sub(1),
                    2 => random.below(12) as u64,
                    3 => was ^ 1 << random.below(33),
                    _ => LIMITS[random.below(LIMITS.len())],
                };
                text = with(&text, from, end, number);
            }
            text
        }
    }
}
