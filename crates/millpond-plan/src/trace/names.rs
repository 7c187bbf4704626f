//! Names for the code of a recorded program, where the recording has only the addresses of instructions.
//!
//! This crate reads no file but its input, and may run in a page of a browser. So whoever opens a recording
//! [gives it names](crate::input::Source::with_names): from the files of the program, or from what heaptrack has
//! [interpreted](Interpreted).

use std::collections::HashMap;
use std::fmt::Debug;

use super::stacks::CallStacks;
use crate::error::Fault;
use crate::input::{Lines, Source};

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

/// The names of a recording that heaptrack has interpreted: those of the instructions of the raw recording, by address.
#[derive(Debug, Default)]
pub struct Interpreted {
    stacks: CallStacks,
    instructions: HashMap<u64, u32, foldhash::fast::RandomState>,
}

impl Interpreted {
    /// Reads the names of an interpreted file.
    ///
    /// # Errors
    /// If it is no such file.
    pub fn read(source: &Source) -> Result<Self, Fault> {
        let mut lines = Lines::new(source.open()?);
        let mut names = Self::default();
        let mut is_first = true;
        while lines.advance()? {
            let block = lines.block();
            if std::mem::take(&mut is_first)
                && (!super::heaptrack::recognises(block) || super::heaptrack_raw::recognises(block))
            {
                return Err(Fault::whole("is no interpreted file of heaptrack"));
            }
            lines.each(0, |line| names.line(line))?;
        }
        Ok(names)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        match line {
            [b'v', b' ', rest @ ..] => {
                let version = rest.rsplit(|&b| b == b' ').next().unwrap_or_default();
                self.stacks.strings_have_lengths(super::hexadecimal(version) >= Some(3));
            }
            [b's', b' ', rest @ ..] => self.stacks.string(rest)?,
            [b'i', b' ', rest @ ..] => {
                let address = rest.split(|&b| b == b' ').next().and_then(super::hexadecimal);
                self.stacks.instruction(rest)?;
                if let Some(address) = address {
                    self.instructions.insert(address, self.stacks.instructions());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it has the instruction that returns to this address.
    #[must_use]
    pub fn has(&self, address: u64) -> bool {
        self.instructions.contains_key(&address)
    }
}

impl Names for Interpreted {
    fn frames(&self, address: u64, _: Option<&Module>) -> Result<Vec<Named>, Nameless> {
        let Some(&instruction) = self.instructions.get(&address) else { return Ok(Vec::new()) };
        let text = |string| self.stacks.text_of(string).to_vec();
        let frames = self.stacks.frames_of(instruction).iter();
        Ok(frames.map(|of| Named { function: text(of.function), file: text(of.file) }).collect())
    }
}
