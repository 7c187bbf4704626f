//! Just enough JSON to write: objects, arrays, numbers and text.

use std::fmt::Write;

use serde::Serialize;

use crate::error::{Failure, shown};
use crate::plan::Length;

/// How long a lifetime is.
#[derive(Debug, Serialize)]
pub(crate) struct LengthJson {
    /// The length.
    ticks: u64,
    /// Whether it may be longer: objects that never died are part of it.
    at_least: bool,
}

impl From<Length> for LengthJson {
    fn from(length: Length) -> Self {
        Self { ticks: length.ticks, at_least: length.at_least }
    }
}

/// A value as one line of JSON.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    match serde_json::to_string(value) {
        Ok(text) => Ok(text + "\n"),
        Err(e) => Err(Failure::Output(format!("JSON: {}", shown(e.to_string().as_bytes())))),
    }
}

/// A JSON text that is being written.
#[derive(Debug, Default)]
pub(crate) struct Json {
    text: String,
    /// Whether something has to be separated from what comes next.
    comma: bool,
}

impl Json {
    /// The text, with a line end.
    pub(crate) fn into_text(mut self) -> String {
        self.text.push('\n');
        self.text
    }

    /// A value in braces; `fill` writes its fields.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.enclosed('{', '}', fill);
    }

    /// A value in brackets; `fill` writes one value per item.
    pub(crate) fn array<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut fill: impl FnMut(&mut Self, I),
    ) {
        self.enclosed('[', ']', |json| {
            for item in items {
                fill(json, item);
            }
        });
    }

    /// The name of the field whose value comes next.
    pub(crate) fn key(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.text.push(':');
        self.comma = false;
        self
    }

    /// Text.
    pub(crate) fn text(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for c in value.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                c if c < ' ' || c == '\u{7f}' => {
                    let _ = write!(self.text, "\\u{:04x}", c as u32);
                }
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    /// A whole number.
    pub(crate) fn count(&mut self, value: impl Into<u64>) {
        self.separate();
        let _ = write!(self.text, "{}", value.into());
    }

    /// A number; JSON has no infinity, so what is not finite is `null`.
    pub(crate) fn number(&mut self, value: f64) {
        if !value.is_finite() {
            return self.null();
        }
        self.separate();
        let _ = write!(self.text, "{value}");
    }

    /// A number, or `null` for none.
    pub(crate) fn maybe_number(&mut self, value: Option<f64>) {
        self.number(value.unwrap_or(f64::NAN));
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, value: bool) {
        self.separate();
        self.text.push_str(if value { "true" } else { "false" });
    }

    /// `null`.
    pub(crate) fn null(&mut self) {
        self.separate();
        self.text.push_str("null");
    }

    fn enclosed(&mut self, open: char, close: char, fill: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.comma = false;
        fill(self);
        self.text.push(close);
        self.comma = true;
    }

    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
        self.comma = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_and_escaped() {
        let mut json = Json::default();
        json.object(|json| {
            json.key("a\"b").text("c\\\n\u{1}é");
            json.key("n").array([1_u64, 2], |json, n| json.count(n));
            json.key("empty").array([0; 0], |json, _: u8| json.null());
            json.key("x").number(0.5);
            json.key("y").number(f64::INFINITY);
            json.key("z").object(|json| json.key("t").flag(true));
        });
        let expected =
            r#"{"a\"b":"c\\\n\u0001é","n":[1,2],"empty":[],"x":0.5,"y":null,"z":{"t":true}}"#;
        assert_eq!(json.into_text(), format!("{expected}\n"));
    }
}
