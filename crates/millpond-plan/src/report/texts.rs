//! Makes text from outside safe for HTML.
//!
//! Class names, function names and paths come from an untrusted file. The templates escape all text. This module also
//! cuts it to a length that the layout can hold, and makes invisible characters visible.

use horrorshow::{RenderOnce, Template, TemplateBuffer, owned_html};

use super::figures;
use crate::output::foreign::for_html;

/// The maximum number of shown characters of a text.
const SHOWN_CHARS_MAX: usize = 96;
/// The maximum number of characters in the tooltip of a text that was cut.
const TOOLTIP_CHARS_MAX: usize = 600;

/// `text`, cut to a length that the layout can hold, as a `<span>`. If it was cut, a tooltip shows more of it.
pub(super) fn name(text: &str) -> impl Template {
    name_up_to(text, SHOWN_CHARS_MAX)
}

/// Like [`name`], with another length.
pub(super) fn name_up_to(text: &str, chars_max: usize) -> impl Template {
    let tooltip = text.chars().nth(chars_max).map(|_| cut(text, TOOLTIP_CHARS_MAX));
    owned_html! {
        @ if text.trim().is_empty() {
            span(class="name") : "(blank)";
        } else {
            span(class="name", title?=tooltip) : cut(text, chars_max);
        }
    }
}

/// A size with separators, such as `2,097,152` for `2097152`; other text as a name.
pub(super) fn size(class: &str) -> impl Template {
    let bytes = class.parse().ok();
    owned_html! {
        @ if let Some(bytes) = bytes {
            span(class="name") : figures::count(bytes);
        } else {
            : name(class);
        }
    }
}

/// `text`, cut after `chars_max` characters with an ellipsis.
pub(super) fn cut(text: &str, chars_max: usize) -> Cut<'_> {
    match text.char_indices().nth(chars_max) {
        Some((byte, _)) => Cut { text: &text[..byte], ending: "…" },
        None => Cut { text, ending: "" },
    }
}

/// A text that may have been cut, with invisible characters made visible.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut<'t> {
    text: &'t str,
    ending: &'static str,
}

impl RenderOnce for Cut<'_> {
    fn render_once(self, page: &mut TemplateBuffer<'_>) {
        for character in self.text.chars() {
            match character {
                // Harmless where the templates put it, but escaped all the same.
                '\'' => page.write_raw("&#39;"),
                character => page.write_str(for_html(character).encode_utf8(&mut [0; 4])),
            }
        }
        page.write_raw(self.ending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        cut(text, usize::MAX).into_string().unwrap()
    }

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            text("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;"
        );
    }

    #[test]
    fn control_and_direction_characters_are_shown() {
        assert_eq!(text("a\0b\n\u{1b}[31m\u{7f}"), "a␀b␊␛[31m␡");
        assert_eq!(text("a\u{202e}b\u{85}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn names_are_cut_between_characters_and_keep_a_bounded_tooltip() {
        assert_eq!(name("Imp").into_string().unwrap(), "<span class=\"name\">Imp</span>");
        let long = name(&"ü\"".repeat(5_000)).into_string().unwrap();
        assert!(long.contains("title=\"ü&quot;"), "{long}");
        assert!(long.len() < 6_000, "{}", long.len());
        assert_eq!(long.matches('…').count(), 2);
    }

    #[test]
    fn a_name_that_shows_nothing_is_called_blank() {
        assert!(
            ["", " \t"].iter().all(|text| name(text).into_string().unwrap().contains("(blank)"))
        );
    }

    #[test]
    fn sizes_are_grouped_and_anything_else_is_a_name() {
        assert!(size("2097152").into_string().unwrap().contains(">2,097,152<"));
        assert!(size("<b>").into_string().unwrap().contains("&lt;b&gt;"));
        assert!(
            size("99999999999999999999").into_string().unwrap().contains(">99999999999999999999<")
        );
    }

    #[test]
    fn a_name_of_exactly_the_longest_length_is_whole() {
        let text = "x".repeat(SHOWN_CHARS_MAX);
        assert_eq!(cut(&text, SHOWN_CHARS_MAX).into_string().unwrap(), text);
        let longer = text + "y";
        assert!(cut(&longer, SHOWN_CHARS_MAX).into_string().unwrap().ends_with("x…"));
    }
}
