//! Foreign text that goes into a recording, one line each.

/// The longest name; what is longer is cut.
const NAME_BYTES_MAX: usize = 4 << 10;

/// A name as a recording can hold it: without control characters, which separate its fields and lines, and not too long.
pub(crate) fn name(text: &[u8]) -> String {
    let text = &text[..text.len().min(NAME_BYTES_MAX)];
    let text = String::from_utf8_lossy(text);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_field_of_one_line() {
        assert_eq!(name(b"a\tb\nc\0"), "a b c ");
        assert_eq!(name(b"\xffnew<T>"), "\u{fffd}new<T>");
        assert_eq!(name(&[b'a'; 70_000]).len(), NAME_BYTES_MAX);
    }
}
