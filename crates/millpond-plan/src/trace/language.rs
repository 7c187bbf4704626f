//! The language of a recorded program, as the names of its functions show.

use super::{Allocations, Format, HeapFormat};

/// The language of a recorded program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust, even if parts of the program are in C.
    Rust,
    /// C++ or C.
    Cpp,
    /// There are no names, or they say nothing.
    Unknown,
}

/// What only Rust's names contain: of functions of its runtime, and of the files of its library.
const RUST: [&str; 6] =
    ["__rust", "rust_begin", "lang_start", "/rustc/", "core::ops::", "alloc::alloc"];

/// What C++'s names contain.
const CPP: [&str; 4] = ["libstdc++", "operator new", "std::", "("];

impl Language {
    /// The language of a recording.
    pub(super) fn of(format: Format, allocations: Option<&Allocations>) -> Self {
        let has = |parts: &[&str]| allocations.is_some_and(|of| of.has_name_with(parts));
        match format {
            Format::Heap(HeapFormat::Millpond) => Self::Rust,
            Format::Heap(HeapFormat::Header) => Self::Cpp,
            Format::Heap(_) if has(&RUST) => Self::Rust,
            Format::Heap(HeapFormat::Heaptrack | HeapFormat::HeaptrackRaw) => Self::Cpp,
            Format::Heap(HeapFormat::Csv | HeapFormat::Tracy) if has(&CPP) => Self::Cpp,
            Format::Heap(HeapFormat::Csv | HeapFormat::Tracy) | Format::Lifetimes => Self::Unknown,
        }
    }
}
