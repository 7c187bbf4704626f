//! Text in lines of 80 columns, which is what people have.

/// The number of columns of a line.
pub const COLUMNS: usize = 80;

/// A paragraph in lines of at most [`COLUMNS`] columns, each with its end.
pub fn wrapped(text: &str) -> String {
    wrapped_behind("", "", text)
}

/// The same, the first line behind `first` and the others behind `others`. A word that is longer than a
/// line is cut.
pub fn wrapped_behind(first: &str, others: &str, text: &str) -> String {
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(first)
        .subsequent_indent(others)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut out = String::new();
    // A number stays with its sign of per cent.
    for line in textwrap::wrap(&text.replace(" %", "\u{a0}%"), options) {
        out.push_str(&line.trim_end().replace('\u{a0}', " "));
        out.push('\n');
    }
    out
}

/// The width of a text in a terminal, in columns.
pub fn columns(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// A text that takes at most this many columns: cut in its middle, where names differ least.
pub fn fitted(text: &str, columns_max: usize) -> String {
    if columns(text) <= columns_max {
        return text.to_owned();
    }
    let room = columns_max.saturating_sub(1);
    let head = prefix(text.chars(), room.div_ceil(2));
    let tail: String = prefix(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{head}…{tail}")
}

/// As many characters as fit into this many columns.
fn prefix(chars: impl Iterator<Item = char>, columns_max: usize) -> String {
    let mut text = String::new();
    for c in chars {
        text.push(c);
        if columns(&text) > columns_max {
            text.pop();
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_a_terminal() {
        let text = format!("{} {}", "a few words ".repeat(30), "x".repeat(500));
        for line in wrapped_behind("  - ", "    ", &text).lines() {
            assert!(columns(line) <= COLUMNS, "{line}");
        }
        assert_eq!(wrapped("a b"), "a b\n");
        let text = format!("{} 12 %", "x".repeat(76));
        assert_eq!(wrapped(&text), format!("{}\n12 %\n", "x".repeat(76)));
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("弾丸"), 4);
        assert_eq!(fitted("弾丸プール", 5), "弾…ル");
        assert_eq!(fitted("BulletPuff", 10), "BulletPuff");
        assert_eq!(fitted("BulletPuffs", 10), "Bulle…uffs");
    }
}
