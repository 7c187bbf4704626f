//! Recordings by `millpond-heap` of Rust programs: every birth, death and resize, by address.

use std::collections::HashMap;

use super::blocks::Blocks;
use super::fields::hexadecimal;
use super::heaptrack_raw::UNKNOWN_BLOCK;
use super::stacks::CallStacks;
use super::{End, HeapFormat, Records, Summary, Watch, read_lines};
use crate::error::{Fault, found, shown, shown_start};
use crate::input::Lines;
use crate::progress::Progress;
use crate::reading::Reading;

/// The first line.
const HEADER: &[u8] = b"millpond heap 1";

/// The maximum number of call stacks, and of addresses in all of them.
const STACKS_MAX: usize = 1 << 20;
const ADDRESSES_MAX: usize = 1 << 24;

/// The maximum number of named addresses, and of bytes of their names; a recording has 2^16 addresses.
const NAMED_MAX: usize = 1 << 20;
const NAME_BYTES_MAX: usize = 64 << 20;

/// Whether a text that begins like this is a recording of `millpond-heap`.
pub(super) fn recognises(text: &[u8]) -> bool {
    text.starts_with(b"millpond heap ")
}

/// Reads a recording whose first block has been read.
pub(super) fn read(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    read_lines(lines, 0, Reader::default(), watch, progress)
}

/// A function and its source file.
type Named = (Vec<u8>, Vec<u8>);

#[derive(Default)]
struct Reader {
    has_header: bool,
    blocks: Blocks,
    program: Vec<u8>,
    /// By number of the call stack, counted from 1: its addresses, the innermost first.
    stacks: Vec<Vec<u64>>,
    addresses: usize,
    /// By address, the functions that contain it, with their files, the innermost first.
    names: HashMap<u64, Vec<Named>, foldhash::fast::RandomState>,
    first_tick: Option<u32>,
    tick: u32,
    timestamps: u64,
    end: Option<End>,
    /// The size of all lines with names in bytes.
    name_bytes: usize,
    reading: Reading,
}

impl Records for Reader {
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        if !self.has_header {
            self.has_header = true;
            return if line == HEADER {
                Ok(())
            } else {
                Err(format!("{}, expected `millpond heap 1`", found(line)))
            };
        }
        let Some((&letter, rest)) = line.split_first() else {
            return Err("the line is empty, expected a record".to_owned());
        };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match letter {
            b'+' => {
                let [address, bytes, place] = numbers(line, rest)?;
                let (tick, place) = (self.event(), self.place(place)?);
                self.blocks.birth(tick, address, bytes, place, watch)
            }
            b'-' => {
                let [address] = numbers(line, rest)?;
                let tick = self.event();
                if !self.blocks.death(tick, address, watch) {
                    self.reading.pass_over(&UNKNOWN_BLOCK);
                }
                Ok(())
            }
            b'r' => {
                let [old, new, bytes, place] = numbers(line, rest)?;
                let (tick, place) = (self.event(), self.place(place)?);
                self.blocks.resize(tick, [old, new], bytes, place, watch)
            }
            b'c' => self.clock(line, rest),
            b't' => self.stack(line, rest),
            b'n' => self.name(line, rest),
            b'x' => {
                self.program = rest.to_vec();
                Ok(())
            }
            b'e' => {
                let [cut] = numbers(line, rest)?;
                self.end = Some(if cut == 0 { End::Whole } else { End::AtLimit });
                Ok(())
            }
            _ => Err(format!(
                "`{}` is not a known record, expected one of x c t + - r n e",
                shown_start(line)
            )),
        }
    }

    fn events(&self) -> u64 {
        self.blocks.births + self.blocks.deaths
    }

    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        let Some(first_tick) = self.first_tick.filter(|_| self.blocks.births > 0) else {
            return Err(Fault::whole(
                "contains no allocation, expected at least one `+` line (did the program start and end \
                 immediately?)",
            ));
        };
        let (stacks, nodes) = self.call_stacks().map_err(Fault::whole)?;
        let (ticks, deaths) = (first_tick..=self.tick, self.blocks.deaths);
        let allocations = self.blocks.finish(self.tick, stacks, &nodes, watch);
        let summary =
            Summary::of_heap(HeapFormat::Millpond, ticks, self.timestamps, deaths, allocations);
        let end = Some(self.end.unwrap_or(End::Missing));
        Ok(Summary { end, reading: self.reading, ..summary })
    }
}

impl Reader {
    fn event(&mut self) -> u32 {
        self.first_tick.get_or_insert(self.tick);
        self.tick
    }

    fn clock(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let [ms] = numbers(line, rest)?;
        let Ok(tick) = u32::try_from(ms) else {
            return Err(format!("time {ms:x}, expected milliseconds below 2^32"));
        };
        if tick < self.tick {
            return Err(format!(
                "time {tick:x} comes after {:x}, expected times in ascending order",
                self.tick
            ));
        }
        self.tick = tick;
        self.timestamps += 1;
        Ok(())
    }

    fn stack(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let mut fields = rest.split(|&b| b == b' ').map(hexadecimal);
        let number = fields.next().flatten();
        if number != Some(self.stacks.len() as u64 + 1) || self.stacks.len() == STACKS_MAX {
            let next = self.stacks.len() + 1;
            return Err(format!("`{}`, expected call stack {next:x}", shown(line)));
        }
        let Some(addresses) = fields.collect::<Option<Vec<u64>>>() else {
            return Err(format!("`{}`, expected hexadecimal addresses", shown(line)));
        };
        self.addresses += addresses.len();
        if self.addresses > ADDRESSES_MAX {
            return Err(format!("more than {ADDRESSES_MAX} addresses in call stacks"));
        }
        self.stacks.push(addresses);
        Ok(())
    }

    fn name(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let mut fields = rest.split(|&b| b == b'\t');
        let (Some(Some(address)), Some(name), Some(file), None) =
            (fields.next().map(hexadecimal), fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("`{}`, expected `n ADDRESS`, a name and a file", shown(line)));
        };
        self.name_bytes += line.len();
        if self.names.len() == NAMED_MAX || self.name_bytes > NAME_BYTES_MAX {
            let mib = NAME_BYTES_MAX >> 20;
            return Err(format!(
                "more than {NAMED_MAX} addresses with names, or {mib} MiB of names"
            ));
        }
        self.names.entry(address).or_default().push((name.to_vec(), file.to_vec()));
        Ok(())
    }

    /// The number of a call stack that was defined before; 0 is unknown.
    fn place(&self, number: u64) -> Result<u32, String> {
        if number <= self.stacks.len() as u64 {
            return Ok(number as u32);
        }
        let told = self.stacks.len();
        Err(format!("call stack {number:x} is used, expected one of the {told:x} defined before"))
    }

    /// The call stacks with the names from the end of the recording, and the node of each.
    fn call_stacks(&self) -> Result<(CallStacks, Vec<u32>), String> {
        let mut stacks = CallStacks::default();
        let program = stacks.add_string(&self.program)?;
        let mut strings: HashMap<&[u8], u32> = HashMap::new();
        let mut instructions: HashMap<u64, u32> = HashMap::new();
        let mut nodes = vec![0];
        for addresses in &self.stacks {
            let mut parent = 0;
            for &address in addresses.iter().rev() {
                let instruction = match instructions.get(&address) {
                    Some(&known) => known,
                    None => {
                        let mut frames = Vec::new();
                        for (name, file) in self.names.get(&address).into_iter().flatten() {
                            for text in [name, file] {
                                if !text.is_empty() && !strings.contains_key(text.as_slice()) {
                                    strings.insert(text, stacks.add_string(text)?);
                                }
                            }
                            let of = |text: &[u8]| strings.get(text).copied().unwrap_or(0);
                            frames.push((of(name), of(file)));
                        }
                        let new = stacks.add_instruction(address, program, &frames)?;
                        instructions.insert(address, new);
                        new
                    }
                };
                parent = stacks.add_node(instruction, parent)?;
            }
            nodes.push(parent);
        }
        Ok((stacks, nodes))
    }
}

/// The numbers of a record; the caller determines how many there must be.
fn numbers<const N: usize>(line: &[u8], rest: &[u8]) -> Result<[u64; N], String> {
    let mut fields = rest.split(|&b| b == b' ').map(hexadecimal);
    let mut numbers = [0; N];
    for number in &mut numbers {
        match fields.next().flatten() {
            Some(field) => *number = field,
            None => return Err(format!("`{}`, expected {N} hexadecimal numbers", shown(line))),
        }
    }
    match fields.next() {
        None => Ok(numbers),
        Some(_) => Err(format!("`{}`, expected {N} hexadecimal numbers", shown(line))),
    }
}
