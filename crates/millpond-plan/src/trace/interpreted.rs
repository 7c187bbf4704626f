//! The names that heaptrack has interpreted, in the file beside a raw recording.

use std::collections::HashMap;

use super::names::{Module, Named, Nameless, Names};
use super::stacks::CallStacks;
use crate::error::Fault;
use crate::input::{Lines, Source};

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
