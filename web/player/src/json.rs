//! Just enough JSON for a state.

use std::fmt::{Display, Write};

/// Text in quotes.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of values that are JSON already.
pub(crate) fn list(values: impl IntoIterator<Item = impl Display>) -> String {
    let mut out = "[".to_owned();
    for (position, value) in values.into_iter().enumerate() {
        let comma = if position > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{value}");
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_controls_are_escaped() {
        assert_eq!(text("a \"b\" \\ \n"), r#""a \"b\" \\ \u000a""#);
        assert_eq!(list([1, 2]), "[1,2]");
    }
}
