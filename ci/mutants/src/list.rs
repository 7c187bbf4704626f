//! The mutants, as `cargo mutants --list --json` tells them.

use std::ops::Range;

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Mutant {
    /// What is changed and where, in one line.
    pub name: String,
    pub file: String,
    pub genre: Genre,
    /// The text that takes the place of that in the span.
    pub replacement: String,
    pub span: Span,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    function_name: String,
}

impl Mutant {
    /// Whether it changes a unit test, of a kind that cargo-mutants takes for a part of the library.
    pub fn is_in_test(&self) -> bool {
        self.function.as_ref().is_some_and(|function| function.function_name.starts_with("tests::"))
    }
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Genre {
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArm,
    MatchArmGuard,
    StructField,
}

#[derive(Deserialize)]
pub struct Span {
    start: Place,
    end: Place,
}

/// Both count from 1, the column in characters.
#[derive(Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

impl Span {
    /// The same, in bytes of the file.
    pub fn bytes_in(&self, text: &str) -> Range<usize> {
        self.start.byte_in(text)..self.end.byte_in(text)
    }
}

impl Place {
    fn byte_in(&self, text: &str) -> usize {
        let line: usize = text.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let column: usize = text[line..].chars().take(self.column - 1).map(char::len_utf8).sum();
        line + column
    }
}
