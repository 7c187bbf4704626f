//! The language of a recorded program, as the names of its functions show.

use super::{Allocations, Format, HeapFormat};

/// The language of a recorded program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust, even if parts of the program are in C.
    Rust,
    /// C++, even if parts of the program are in C.
    Cpp,
    /// C, which has neither containers nor sizes at `free`.
    C,
    /// There are no names, or they say nothing.
    Unknown,
}

/// What only Rust's names contain: of functions of its runtime, and of the files of its library.
const RUST: [&str; 6] =
    ["__rust", "rust_begin", "lang_start", "/rustc/", "core::ops::", "alloc::alloc"];

/// What names of C++ functions contain, and those of C do not. Names of libraries say nothing: a recorder may be in C++.
const CPP: [&str; 3] = ["operator new", "::", "("];

/// A program in C has a few calls of C++, by its recorder or a library: no more than this share.
const CPP_SHARE_OF_C: f64 = 0.02;

impl Language {
    /// The language of a recording.
    pub(super) fn of(format: Format, allocations: Option<&Allocations>) -> Self {
        let has = |parts: &[&str]| allocations.is_some_and(|of| of.has_name_with(parts));
        let share = |parts: &[&str]| allocations.and_then(|of| of.share_with_function(parts));
        match format {
            Format::Heap(HeapFormat::Millpond) => Self::Rust,
            Format::Lifetimes => Self::Unknown,
            Format::Heap(_) if has(&RUST) => Self::Rust,
            Format::Heap(format) => match (share(&CPP), format) {
                (Some(share), _) if share > CPP_SHARE_OF_C => Self::Cpp,
                // Other languages write tables, too.
                (_, HeapFormat::Csv | HeapFormat::Tracy) => Self::Unknown,
                (Some(_), _) => Self::C,
                // A program without symbols.
                (None, _) => Self::Cpp,
            },
        }
    }
}
