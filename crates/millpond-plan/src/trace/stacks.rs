//! The call stacks of a recording: tables of strings, instructions and stack nodes.

use super::fields::hexadecimal;
use crate::error::shown;

/// The maximum size of all names in bytes.
pub(super) const STRING_BYTES_MAX: usize = 256 << 20;

/// The maximum number of strings, of frames, of instructions and of stack nodes.
pub(super) const RECORDS_MAX: usize = 1 << 24;

/// The tables of strings, instructions and stack nodes, numbered from 1; 0 is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallStacks {
    text: Vec<u8>,
    /// The end of each string in `text`.
    string_ends: Vec<u32>,
    strings_have_lengths: bool,
    /// An instruction has one frame, and more where calls were inlined.
    frames: Vec<Frame>,
    instructions: Vec<Instruction>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Instruction {
    address: u64,
    module: u32,
    /// The end of its frames in `frames`, the innermost first.
    frames_end: u32,
}

/// The strings that name a function and its source file; 0 is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) function: u32,
    pub(super) file: u32,
}

/// One step of a call stack, from the innermost outwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'s> {
    /// The address of the instruction, the same for every call from this place in the code.
    pub(super) address: u64,
    /// The string that names its program or library; 0 if it is unknown.
    pub(super) module: u32,
    /// Its frames: the innermost first, more than one where calls were inlined.
    pub(super) frames: &'s [Frame],
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    instruction: u32,
    parent: u32,
}

impl CallStacks {
    /// Since file version 3 a string is preceded by its length.
    pub(super) fn strings_have_lengths(&mut self, yes: bool) {
        self.strings_have_lengths = yes;
    }

    /// An `s` record.
    pub(super) fn string(&mut self, text: &[u8]) -> Result<(), String> {
        let string = if self.strings_have_lengths { sized(text)? } else { text };
        self.add_string(string).map(|_| ())
    }

    /// An `i` record: address, module, then function, file and line of each frame.
    pub(super) fn instruction(&mut self, text: &[u8]) -> Result<(), String> {
        limit(self.instructions.len(), "instructions")?;
        let mut address = 0;
        let mut module = 0;
        let mut fields = 0;
        for (column, field) in text.split(|&b| b == b' ').enumerate() {
            let number = hexadecimal(field)
                .ok_or_else(|| format!("`i {}`, expected hexadecimal numbers", shown(text)))?;
            fields = column + 1;
            match column {
                0 => address = number,
                1 => module = reference(number, self.string_ends.len(), "string")?,
                _ if (column - 2).is_multiple_of(3) => {
                    limit(self.frames.len(), "frames")?;
                    let function = reference(number, self.string_ends.len(), "string")?;
                    self.frames.push(Frame { function, file: 0 });
                }
                _ if (column - 2) % 3 == 1 => {
                    let file = reference(number, self.string_ends.len(), "string")?;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.file = file;
                    }
                }
                _ => {}
            }
        }
        if fields < 2 {
            return Err(format!("`i {}`, expected `i ADDRESS MODULE …`", shown(text)));
        }
        self.instructions.push(Instruction {
            address,
            module,
            frames_end: self.frames.len() as u32,
        });
        Ok(())
    }

    /// A `t` record: instruction and parent node.
    pub(super) fn node(&mut self, text: &[u8]) -> Result<(), String> {
        limit(self.nodes.len(), "stack nodes")?;
        let mut fields = text.split(|&b| b == b' ').map(hexadecimal);
        let (Some(Some(instruction)), Some(Some(parent)), None) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("`t {}`, expected `t INSTRUCTION PARENT`", shown(text)));
        };
        let instruction = reference(instruction, self.instructions.len(), "instruction")?;
        // A parent comes before its children, so every walk upwards ends.
        let parent = reference(parent, self.nodes.len(), "stack node")?;
        self.add_node(instruction, parent).map(|_| ())
    }

    /// Adds a string; returns its number.
    pub(super) fn add_string(&mut self, text: &[u8]) -> Result<u32, String> {
        if self.text.len() + text.len() > STRING_BYTES_MAX {
            return Err(format!("more than {} MiB of names", STRING_BYTES_MAX >> 20));
        }
        limit(self.string_ends.len(), "strings")?;
        self.text.extend_from_slice(text);
        self.string_ends.push(self.text.len() as u32);
        Ok(self.string_ends.len() as u32)
    }

    /// Adds an instruction with its frames, the innermost first: function and file. Returns its number.
    pub(super) fn add_instruction(
        &mut self,
        address: u64,
        module: u32,
        frames: &[(u32, u32)],
    ) -> Result<u32, String> {
        limit(self.instructions.len(), "instructions")?;
        limit(self.frames.len() + frames.len(), "frames")?;
        self.frames.extend(frames.iter().map(|&(function, file)| Frame { function, file }));
        let frames_end = self.frames.len() as u32;
        self.instructions.push(Instruction { address, module, frames_end });
        Ok(self.instructions.len() as u32)
    }

    /// Adds a step of a call stack above its caller's; returns its number.
    pub(super) fn add_node(&mut self, instruction: u32, parent: u32) -> Result<u32, String> {
        limit(self.nodes.len(), "stack nodes")?;
        self.nodes.push(Node { instruction, parent });
        Ok(self.nodes.len() as u32)
    }

    /// The call stack of this number, if there is one.
    pub(super) fn stack(&self, number: u64) -> Result<u32, String> {
        reference(number, self.nodes.len(), "stack node")
    }

    /// The steps of a call stack, the innermost first.
    pub(super) fn steps(&self, stack: u32) -> impl Iterator<Item = Step<'_>> {
        let mut next = stack;
        std::iter::from_fn(move || {
            let &Node { instruction, parent } = get(&self.nodes, next)?;
            next = parent;
            let (address, module) =
                get(&self.instructions, instruction).map_or((0, 0), |i| (i.address, i.module));
            Some(Step { address, module, frames: self.frames_of(instruction) })
        })
    }

    /// The number of instructions.
    pub(super) fn instructions(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// The number of strings.
    pub(super) fn strings(&self) -> u32 {
        self.string_ends.len() as u32
    }

    /// The functions of an instruction, the innermost first.
    pub(super) fn frames_of(&self, instruction: u32) -> &[Frame] {
        let Some(Instruction { frames_end, .. }) = get(&self.instructions, instruction) else {
            return &[];
        };
        let begin = get(&self.instructions, instruction - 1).map_or(0, |before| before.frames_end);
        &self.frames[begin as usize..*frames_end as usize]
    }

    /// A string's text; nothing for 0.
    pub(super) fn text_of(&self, string: u32) -> &[u8] {
        let Some(&end) = get(&self.string_ends, string) else {
            return &[];
        };
        let begin = get(&self.string_ends, string - 1).copied().unwrap_or(0);
        &self.text[begin as usize..end as usize]
    }
}

/// An entry of a table that is numbered from 1.
fn get<T>(table: &[T], number: u32) -> Option<&T> {
    table.get((number as usize).checked_sub(1)?)
}

fn reference(number: u64, entries: usize, what: &str) -> Result<u32, String> {
    if number <= entries as u64 {
        return Ok(number as u32);
    }
    Err(format!("{what} {number:x} is used, expected one of the {entries:x} defined before"))
}

fn limit(entries: usize, what: &str) -> Result<(), String> {
    if entries < RECORDS_MAX {
        return Ok(());
    }
    Err(format!("more than {RECORDS_MAX} {what}"))
}

/// The string after its length.
pub(super) fn sized(text: &[u8]) -> Result<&[u8], String> {
    let end = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
    let string = text.get(end + 1..).unwrap_or(&[]);
    match hexadecimal(&text[..end]) {
        Some(length) if length == string.len() as u64 => Ok(string),
        Some(length) => {
            Err(format!("a string of {} bytes, expected the stated {length}", string.len()))
        }
        None => Err(format!("`s {}`, expected `s LENGTH STRING`", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_what_is_not_there_are_refused() {
        let mut stacks = CallStacks::default();
        assert!(stacks.instruction(b"1000 1").is_err());
        assert!(stacks.node(b"1 0").is_err());
        assert!(stacks.node(b"0 1").is_err(), "a node cannot be its own parent");
        assert!(stacks.stack(1).is_err());
        assert!(stacks.stack(0).is_ok());
        assert!(stacks.instruction(b"zz 0").is_err());
        assert!(stacks.instruction(b"1").is_err());
        stacks.strings_have_lengths(true);
        assert!(stacks.string(b"4 abc").is_err());
        assert!(stacks.string(b"3 abc").is_ok());
        assert!(stacks.string(b"0 ").is_ok());
    }
}
