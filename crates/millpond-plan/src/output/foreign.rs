//! Text from outside, such as names of classes and functions or paths, in each format that is written: nothing in it
//! moves a cursor, changes a colour, hides, turns the direction of other text, or is calculated by a spreadsheet.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is not seen as itself where text is shown: control characters, marks of direction, ends of lines
/// and paragraphs, marks without a width, and what is no character.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    match c {
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        // Tags, which spell out text that nobody sees.
        '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    }
}

/// The text in a cell of a table in Markdown, which shows it as it is.
#[must_use]
pub fn for_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in for_terminal(text).chars() {
        // What could begin a link, a mention, an emphasis, a tag or the next cell.
        if "\\`*_{}[]<>()#+-.!|~@&$:".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text for a terminal, and for a line of plain text: hidden characters are escaped, as in `\u{202e}`.
#[must_use]
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// A document of JSON whose hidden characters are escaped. They can only stand in strings, where an escape means the same.
#[must_use]
pub fn for_json(document: String) -> String {
    // serde_json has escaped the control characters.
    if !document.contains(|c| is_hidden(c) && c != '\n') {
        return document;
    }
    let mut escaped = String::with_capacity(document.len());
    for c in document.chars() {
        if is_hidden(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// What a cell begins with that a spreadsheet would calculate; and the apostrophe, which says that a cell is text.
const BEGIN_A_FORMULA: [char; 5] = ['=', '+', '-', '@', '\''];

/// A field of CSV: hidden characters are escaped, and what is no number and could be a formula begins with an apostrophe,
/// which [`of_csv`] takes away again.
#[must_use]
pub fn for_csv(field: &str) -> Cow<'_, str> {
    let shown = for_terminal(field);
    if shown.starts_with(BEGIN_A_FORMULA) && shown.parse::<f64>().is_err() {
        return Cow::Owned(format!("'{shown}"));
    }
    shown
}

/// What a field of CSV says that [`for_csv`] has written.
#[must_use]
pub fn of_csv(field: &str) -> &str {
    match field.strip_prefix('\'') {
        Some(text) if text.starts_with(BEGIN_A_FORMULA) => text,
        _ => field,
    }
}

/// A key of TOML: as it is, or in quotes, with hidden characters escaped.
#[must_use]
pub fn for_toml(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => {
                let code = u32::from(c);
                // Writing into memory does not fail.
                let _ = match code {
                    0..=0xffff => write!(quoted, "\\u{code:04x}"),
                    _ => write!(quoted, "\\U{code:08x}"),
                };
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A character of HTML: the character itself, or a visible one in the place of a hidden one. The templates escape markup.
#[must_use]
pub fn for_html(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// Texts of plain and of nasty characters.
    fn texts() -> impl Iterator<Item = String> {
        let nasty = [
            '\0',
            '\t',
            '\n',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{ad}',
            '\u{61c}',
            '\u{200b}',
            '\u{200f}',
            '\u{2028}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{fffe}',
            '\u{ffff}',
            '\u{e0041}',
            '\u{10ffff}',
            '=',
            '+',
            '-',
            '@',
            '\'',
            '"',
            '\\',
            ',',
            ';',
            '<',
            '&',
            '#',
            'a',
            '1',
            'é',
            '日',
            '👾',
        ];
        let mut random = SplitMix64::new(8);
        (0..20_000).map(move |_| {
            let length = random.below(7);
            (0..length).map(|_| nasty[random.below(nasty.len())]).collect()
        })
    }

    #[test]
    fn nothing_is_hidden_in_any_format() {
        for text in texts() {
            assert!(!for_terminal(&text).contains(is_hidden), "{text:?}");
            assert!(!for_csv(&text).contains(is_hidden), "{text:?}");
            assert!(!for_toml(&text).contains(is_hidden), "{text:?}");
            assert!(!text.chars().map(for_html).any(is_hidden), "{text:?}");
            let json = for_json(serde_json::to_string(&text).unwrap());
            assert!(!json.contains(is_hidden), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn no_cell_is_a_formula_and_each_is_read_back() {
        for text in texts() {
            let cell = for_csv(&text);
            let is_formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
            assert!(!is_formula, "{text:?}: {cell}");
            assert_eq!(of_csv(&cell), for_terminal(&text), "{text:?}");
        }
        for number in ["-5", "-0.5", "+1", "1e3"] {
            assert_eq!(for_csv(number), number);
        }
        assert_eq!(for_csv("=1+1"), "'=1+1");
        assert_eq!(for_csv("-[Enemy init]"), "'-[Enemy init]");
    }

    /// Read by the library, as a budget is.
    #[test]
    fn keys_are_read_as_they_were() {
        for (at, text) in texts().enumerate().step_by(10).filter(|(_, text)| !text.is_empty()) {
            let budget = format!("[scenario.s]\n{} = 3\n", for_toml(&text));
            let budget = millpond_overflow::Budget::from_toml(&budget);
            let budget = budget.unwrap_or_else(|error| panic!("{at} {text:?}: {error}"));
            assert_eq!(budget.scenario("s").unwrap().capacity(&text).unwrap(), 3, "{text:?}");
        }
    }

    #[test]
    fn plain_text_stays() {
        for text in ["", "Imp", "std::vector<int>", "日本 👾", "a'b=c"] {
            assert_eq!(for_terminal(text), text);
            assert_eq!(for_csv(text), text);
        }
        assert_eq!(for_terminal("a\u{202e}b\u{1b}[31m"), "a\\u{202e}b\\u{1b}[31m");
        assert_eq!(for_toml("a\u{202e}\u{e0041}"), "\"a\\u202e\\U000e0041\"");
    }
}
