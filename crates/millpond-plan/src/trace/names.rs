//! Names for the code of a recorded program, where the recording has only the addresses of instructions.
//!
//! This crate reads no file but its input, and may run in a page of a browser. So whoever opens a recording
//! [gives it names](crate::input::Source::with_names): from the files of the program, or from what heaptrack has
//! [interpreted](super::Interpreted).

use std::fmt::Debug;

/// A program or a library, and where it lay in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The path of its file.
    pub path: Vec<u8>,
    /// By how much addresses in memory are greater than those in the file.
    pub base: u64,
    /// The address in the file and the size in memory of each segment.
    pub segments: Vec<(u64, u64)>,
}

impl Module {
    /// Whether a call that returns to this address was in it. The address may be the end of a segment, behind a call that
    /// never returns.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        let Some(in_file) = address.checked_sub(self.base).and_then(|at| at.checked_sub(1)) else {
            return false;
        };
        self.segments.iter().any(|&(begin, size)| in_file.wrapping_sub(begin) < size)
    }

    /// The address in the file of a call that returns to this address in memory.
    #[must_use]
    pub fn call_in_file(&self, address: u64) -> u64 {
        // What is behind the call may be of another line, or another function.
        address.wrapping_sub(self.base).wrapping_sub(1)
    }
}

/// A function, and the file that it is written in; what is unknown is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// The name of the function.
    pub function: Vec<u8>,
    /// Its source file.
    pub file: Vec<u8>,
}

/// Why the functions of a module have no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nameless {
    /// Its file is not there, or is none that can be read.
    NoFile,
    /// Its file is another one than that which was recorded.
    Changed,
}

/// Names for code.
pub trait Names: Debug {
    /// The functions of a call that returns to this address, the innermost first: more than one where calls were inlined,
    /// none if it has no name.
    ///
    /// # Errors
    /// Why no function of the module has a name.
    fn frames(&self, address: u64, module: Option<&Module>) -> Result<Vec<Named>, Nameless>;
}
