//! What the tool prints as JSON, for programs: each command has types that are its schema, and this turns
//! them into text.
//!
//! With serde and serde_json. miniserde has no flattened fields and no fields that may be left out; simd-json is made
//! for fast reading and rests on unsafe code.

use serde::{Serialize, Serializer};

use super::foreign::for_json;
use crate::error::{Failure, shown};
use crate::input::Cut;
use crate::plan::{Between, Length};

/// How long a lifetime is.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LengthJson {
    /// The length.
    ticks: u64,
    /// Whether it may be longer: objects that never died are part of it.
    at_least: bool,
}

impl LengthJson {
    /// The length, if there is but one.
    pub fn of_one(length: Option<Between<Length>>) -> Option<Self> {
        length.and_then(|length| length.one()).map(Self::from)
    }
}

impl From<Length> for LengthJson {
    fn from(length: Length) -> Self {
        Self { ticks: length.ticks, at_least: length.at_least }
    }
}

/// Where a recording is cut short.
#[derive(Debug, Serialize)]
pub struct CutJson<'c> {
    /// The first line that is missing or has no end.
    line: u64,
    /// Where that line begins in the uncompressed text.
    byte: u64,
    /// What ends there: `text`, `gzip data` or `zstd data`.
    ends: &'c str,
}

impl From<&Cut> for CutJson<'static> {
    fn from(cut: &Cut) -> Self {
        Self { line: cut.line, byte: cut.byte, ends: cut.what.what() }
    }
}

/// A number, without a fraction if it is whole; `null` if it is not finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

/// Beyond this a float has no fraction, and its digits say more than it knows.
const WHOLE_MAX: f64 = 1e15;

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(number) = *self;
        if number.fract() == 0.0 && number.abs() < WHOLE_MAX {
            serializer.serialize_i64(number as i64)
        } else {
            serializer.serialize_f64(number)
        }
    }
}

/// A value as one line of JSON, in which [nothing is hidden](for_json).
pub fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    match serde_json::to_string(value) {
        Ok(text) => Ok(for_json(text) + "\n"),
        Err(e) => Err(Failure::Output(format!("JSON: {}", shown(e.to_string().as_bytes())))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_as_short_as_they_are() {
        let numbers = [0.5, 25.0, -3.0, 1e20, 0.0, f64::INFINITY, f64::NAN].map(Number);
        assert_eq!(json_text(&numbers), Ok("[0.5,25,-3,1e+20,0,null,null]\n".to_owned()));
    }
}
