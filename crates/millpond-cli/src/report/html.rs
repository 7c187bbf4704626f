//! Text from outside made safe for HTML.
//!
//! Class names, function names and paths come from a file that anybody may have written. Every one
//! of them passes through here, for element content and for quoted attributes alike.

use super::figures;

/// How many characters of one text are shown.
const SHOWN_CHARS_MAX: usize = 96;
/// How many characters of one text a tooltip holds, where the shown text was cut.
const TOOLTIP_CHARS_MAX: usize = 600;

/// `text` escaped, whole however long it is: for what the tool wrote itself.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        push_escaped(&mut escaped, character);
    }
    escaped
}

/// `text` escaped and cut to a length that a layout can bear, as a `<span>` whose tooltip has more
/// of it when it was cut.
pub(super) fn name(text: &str) -> String {
    name_up_to(text, SHOWN_CHARS_MAX)
}

/// [`name`] with a length of its own.
pub(super) fn name_up_to(text: &str, chars_max: usize) -> String {
    if text.trim().is_empty() {
        return "<span class=\"name\">(blank)</span>".to_owned();
    }
    if text.chars().nth(chars_max).is_none() {
        return format!("<span class=\"name\">{}</span>", escape(text));
    }
    format!(
        "<span class=\"name\" title=\"{}\">{}</span>",
        cut(text, TOOLTIP_CHARS_MAX),
        cut(text, chars_max)
    )
}

/// A requested size as it is to be read, `2097152` as `2,097,152`; whatever is no number as a name.
pub(super) fn size(class: &str) -> String {
    match class.parse() {
        Ok(bytes) => format!("<span class=\"name\">{}</span>", figures::count(bytes)),
        Err(_) => name(class),
    }
}

/// `text` escaped, and cut after `chars_max` characters with an ellipsis.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((byte, _)) => escape(&text[..byte]) + "…",
        None => escape(text),
    }
}

fn push_escaped(escaped: &mut String, character: char) {
    match character {
        '&' => escaped.push_str("&amp;"),
        '<' => escaped.push_str("&lt;"),
        '>' => escaped.push_str("&gt;"),
        '"' => escaped.push_str("&quot;"),
        '\'' => escaped.push_str("&#39;"),
        // Control characters would vanish or break the layout; their pictures show what was there.
        '\0'..='\u{1f}' => {
            escaped.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'));
        }
        '\u{7f}' => escaped.push('␡'),
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
        // Marks of writing direction could make a name read as another one.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            escaped.push('\u{fffd}');
        }
        other => escaped.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;"
        );
    }

    #[test]
    fn control_and_direction_characters_are_shown() {
        assert_eq!(escape("a\0b\n\u{1b}[31m\u{7f}"), "a␀b␊␛[31m␡");
        assert_eq!(escape("a\u{202e}b\u{85}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn names_are_cut_between_characters_and_keep_a_bounded_tooltip() {
        assert_eq!(name("Imp"), "<span class=\"name\">Imp</span>");
        let long = name(&"ü\"".repeat(5_000));
        assert!(long.contains("title=\"ü&quot;"), "{long}");
        assert!(long.len() < 6_000, "{}", long.len());
        assert_eq!(long.matches('…').count(), 2);
    }

    #[test]
    fn a_name_that_shows_nothing_is_called_blank() {
        assert!(name("").contains("(blank)") && name(" \t").contains("(blank)"));
    }

    #[test]
    fn sizes_are_grouped_and_anything_else_is_a_name() {
        assert!(size("2097152").contains(">2,097,152<"));
        assert!(size("<b>").contains("&lt;b&gt;"));
        assert!(size("99999999999999999999").contains(">99999999999999999999<"));
    }

    #[test]
    fn a_name_of_exactly_the_longest_length_is_whole() {
        let text = "x".repeat(SHOWN_CHARS_MAX);
        assert_eq!(cut(&text, SHOWN_CHARS_MAX), text);
        assert!(cut(&(text.clone() + "y"), SHOWN_CHARS_MAX).ends_with("x…"));
    }
}
