//! Numbers and captions for people.

use egui::RichText;

/// A caption beside a plot or a colour.
pub(crate) fn caption(words: impl Into<String>) -> RichText {
    RichText::new(words).size(11.0)
}

/// The number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The number as an ordinal, such as `3rd`.
pub(crate) fn ordinal(number: u32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    grouped(number.into()) + ending
}

/// Seconds, with a sensible precision.
pub(crate) fn seconds(seconds: f32) -> String {
    match seconds {
        ..9.95 => format!("{seconds:.1} s"),
        ..120.0 => format!("{seconds:.0} s"),
        _ => format!("{:.0} min", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_times_rounded() {
        let all = [0, 999, 1000, 65_536, 2_147_483_647].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "65,536", "2,147,483,647"]);
        let all = [1, 2, 3, 4, 11, 12, 13, 21, 1002, 1011].map(ordinal);
        let said =
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "1,002nd", "1,011th"];
        assert_eq!(all, said);
        let all = [0.04, 9.94, 9.96, 119.0, 121.0, 3599.0].map(seconds);
        assert_eq!(all, ["0.0 s", "9.9 s", "10 s", "119 s", "2 min", "60 min"]);
    }
}
