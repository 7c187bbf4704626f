//! Recordings by `millpond-heap` of Rust programs: every birth, death and resize, by address.
//!
//! The recorders for other programs write the same format, and say so in its first line: `millpond record --tracy`, and
//! `millpond_record.h`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::beforehand::Beforehand;
use super::blocks::Blocks;
use super::fields::hexadecimal;
use super::heaptrack_raw::UNKNOWN_BLOCK;
use super::profiler::{PROFILERS, is_profilers};
use super::stacks::CallStacks;
use super::{End, Frames, HeapFormat, Nobody, Records, Summary, Watch, read_lines};
use crate::error::{Fault, found, shown, shown_start};
use crate::input::{Lines, Source};
use crate::progress::Progress;
use crate::reading::{Reading, Reason};

/// The first line.
const HEADER: &[u8] = b"millpond heap 1";

/// What comes after it if another recorder has written the file.
const RECORDERS: [(&[u8], HeapFormat); 3] =
    [(b"", HeapFormat::Millpond), (b" tracy", HeapFormat::Tracy), (b" header", HeapFormat::Header)];

/// Deaths that a recorder has counted, of blocks that it has not seen.
const FROM_BEFORE: Reason = Reason {
    name: "free-of-block-from-before",
    one: "free of a block from before the recording",
    many: "frees of blocks from before the recording",
};

/// Deaths that a recorder has not seen, as another block was born at the same address.
const UNSEEN: Reason = Reason {
    name: "unseen-free",
    one: "free that was not seen, which is taken to be just before its address comes again",
    many: "frees that were not seen, which are taken to be just before their addresses come again",
};

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
    let (ticks, profilers) = (lines.input().frames(), lines.input().profilers());
    read_lines(lines, 0, Reader { ticks, profilers, ..Reader::default() }, watch, progress)
}

/// The frames that are the ticks of a recording, if it has such frames, and the call stacks of the profiler. What is wrong
/// with its lines, reading it tells.
pub(super) fn beforehand(source: &Source) -> Result<Beforehand, Fault> {
    let mut lines = Lines::new(source.open()?);
    // A recording by `millpond-heap` has no marks of frames.
    let is_marked =
        |block: &[u8]| block.strip_prefix(HEADER).is_some_and(|by| by.starts_with(b" "));
    if !lines.advance()? || !is_marked(lines.block()) {
        return Ok(Beforehand::default());
    }
    let mut reader = Reader::default();
    loop {
        let said = lines.each(0, |line| match (line, reader.format) {
            ([b'f', ..], _) | (_, None) => reader.line(line, &mut Nobody),
            ([b't' | b'n', ..], Some(HeapFormat::Tracy)) if !source.has_profiler() => {
                reader.line(line, &mut Nobody)
            }
            _ => Ok(()),
        });
        if said.is_err() || !matches!(lines.advance(), Ok(true)) {
            let profilers = reader.of_profiler().into();
            let frames = reader.frames.filter(Frames::are_ticks).map(Rc::new);
            return Ok(Beforehand { frames, profilers });
        }
    }
}

/// A function, its source file, and its program or library, if that is another than the recorded program.
type Named = [Vec<u8>; 3];

#[derive(Default)]
struct Reader {
    format: Option<HeapFormat>,
    blocks: Blocks,
    /// The live blocks of the profiler, which are left out.
    of_profiler: HashSet<u64, foldhash::fast::RandomState>,
    /// By number of the call stack, counted from 1, whether its blocks are such.
    profilers: Rc<[bool]>,
    program: Vec<u8>,
    /// By number of the call stack, counted from 1: its addresses, the innermost first.
    stacks: Vec<Vec<u64>>,
    addresses: usize,
    /// By address, the functions that contain it, with their files, the innermost first.
    names: HashMap<u64, Vec<Named>, foldhash::fast::RandomState>,
    /// The frames that are its ticks, if they are; else these are milliseconds.
    ticks: Option<Rc<Frames>>,
    first_ms: Option<u32>,
    ms: u32,
    first_tick: Option<u32>,
    tick: u32,
    timestamps: u64,
    frames: Option<Frames>,
    reading: Reading,
    end: Option<End>,
    /// The size of all lines with names in bytes.
    name_bytes: usize,
}

impl Records for Reader {
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        if self.format.is_none() {
            let by = line.strip_prefix(HEADER);
            let recorder = by.and_then(|by| RECORDERS.iter().find(|of| of.0 == by));
            let Some((_, format)) = recorder else {
                return Err(format!("{}, expected `millpond heap 1`", found(line)));
            };
            self.format = Some(*format);
            return Ok(());
        }
        let Some((&letter, rest)) = line.split_first() else {
            return Err("the line is empty, expected a record".to_owned());
        };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match letter {
            b'+' => {
                let [address, bytes, place] = numbers(line, rest)?;
                let (tick, place) = (self.event(), self.place(place)?);
                if self.is_profilers(place) {
                    self.leave_out(address);
                    return Ok(());
                }
                // The header does not see what libraries free; their blocks' addresses come again.
                if self.format == Some(HeapFormat::Header)
                    && self.blocks.death(tick, address, watch)
                {
                    self.reading.pass_over(&UNSEEN);
                }
                self.blocks.birth(tick, address, bytes, place, watch)
            }
            b'-' => {
                let [address] = numbers(line, rest)?;
                let tick = self.event();
                if !self.of_profiler.remove(&address) && !self.blocks.death(tick, address, watch) {
                    self.reading.pass_over(&UNKNOWN_BLOCK);
                }
                Ok(())
            }
            b'r' => {
                let [old, new, bytes, place] = numbers(line, rest)?;
                let (tick, place) = (self.event(), self.place(place)?);
                let was_profilers = self.of_profiler.remove(&old);
                match self.is_profilers(place) {
                    true => {
                        self.blocks.death(tick, old, watch);
                        self.leave_out(new);
                        Ok(())
                    }
                    false if was_profilers => self.blocks.birth(tick, new, bytes, place, watch),
                    false => self.blocks.resize(tick, [old, new], bytes, place, watch),
                }
            }
            b'c' => self.clock(line, rest),
            b'f' => {
                let [ms] = numbers(line, rest)?;
                let ms = milliseconds(ms)?;
                self.frames.get_or_insert_default().begin(ms)
            }
            b'u' => {
                let [frees] = numbers(line, rest)?;
                self.reading.pass_over_many(&FROM_BEFORE, frees);
                Ok(())
            }
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
                "`{}` is not a known record, expected one of x c f t + - r n u e",
                shown_start(line)
            )),
        }
    }

    fn events(&self) -> u64 {
        self.blocks.births + self.blocks.deaths
    }

    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        let Some(first_tick) = self.first_tick.filter(|_| self.blocks.births > 0) else {
            if self.reading.count(&PROFILERS) > 0 {
                return Err(Fault::whole(
                    "contains no allocation but the profiler's own (--with-profiler plans them)",
                ));
            }
            return Err(Fault::whole(
                "contains no allocation, expected at least one `+` line (did the program start and end \
                 immediately?)",
            ));
        };
        let (stacks, nodes) = self.call_stacks().map_err(Fault::whole)?;
        let (ticks, deaths) = (first_tick..=self.tick, self.blocks.deaths);
        let allocations = self.blocks.finish(self.tick, stacks, &nodes, watch);
        let ms = u64::from(self.ms - self.first_ms.unwrap_or(self.ms)) + 1;
        let ms_in_frames = self.ticks.map(|_| ms);
        let summary = Summary::of_heap(
            self.format.unwrap_or(HeapFormat::Millpond),
            ticks,
            self.timestamps,
            deaths,
            allocations,
        );
        let (end, frames, reading) = (self.end.unwrap_or(End::Missing), self.frames, self.reading);
        Ok(Summary { end: Some(end), frames, ms_in_frames, reading, ..summary })
    }
}

impl Reader {
    fn event(&mut self) -> u32 {
        self.first_ms.get_or_insert(self.ms);
        self.first_tick.get_or_insert(self.tick);
        self.tick
    }

    fn clock(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let [ms] = numbers(line, rest)?;
        let ms = milliseconds(ms)?;
        if ms < self.ms {
            return Err(format!(
                "time {ms:x} comes after {:x}, expected times in ascending order",
                self.ms
            ));
        }
        self.ms = ms;
        self.tick = self.ticks.as_ref().map_or(ms, |frames| frames.tick(ms));
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
        let (Some(Some(address)), Some(name), Some(file), module, None) = (
            fields.next().map(hexadecimal),
            fields.next(),
            fields.next(),
            fields.next().unwrap_or_default(),
            fields.next(),
        ) else {
            return Err(format!(
                "`{}`, expected `n ADDRESS`, a name and a file, and perhaps a library",
                shown(line)
            ));
        };
        self.name_bytes += line.len();
        if self.names.len() == NAMED_MAX || self.name_bytes > NAME_BYTES_MAX {
            let mib = NAME_BYTES_MAX >> 20;
            return Err(format!(
                "more than {NAMED_MAX} addresses with names, or {mib} MiB of names"
            ));
        }
        self.names.entry(address).or_default().push([name, file, module].map(<[u8]>::to_vec));
        Ok(())
    }

    /// Whether the blocks of a call stack are the profiler's.
    fn is_profilers(&self, place: u32) -> bool {
        let number = (place as usize).checked_sub(1);
        number.and_then(|number| self.profilers.get(number)).is_some_and(|&is| is)
    }

    /// Leaves out a block of the profiler, and its death.
    fn leave_out(&mut self, address: u64) {
        self.of_profiler.insert(address);
        self.reading.pass_over(&PROFILERS);
    }

    /// By number of the call stack, counted from 1, whether the profiler allocates there.
    fn of_profiler(&self) -> Vec<bool> {
        let is_profilers = |named: &Named| is_profilers(&named[0], &named[1]);
        let addresses: HashSet<u64, foldhash::fast::RandomState> = self
            .names
            .iter()
            .filter(|(_, names)| names.iter().any(is_profilers))
            .map(|(&address, _)| address)
            .collect();
        let is_one = |stack: &Vec<u64>| stack.iter().any(|address| addresses.contains(address));
        self.stacks.iter().map(is_one).collect()
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
                        let mut module_of = program;
                        for texts in self.names.get(&address).into_iter().flatten() {
                            for text in texts {
                                if !text.is_empty() && !strings.contains_key(text.as_slice()) {
                                    strings.insert(text, stacks.add_string(text)?);
                                }
                            }
                            let of = |text: &[u8]| strings.get(text).copied().unwrap_or(0);
                            let [name, file, module] = texts;
                            if !module.is_empty() {
                                module_of = of(module);
                            }
                            if !name.is_empty() || !file.is_empty() {
                                frames.push((of(name), of(file)));
                            }
                        }
                        let new = stacks.add_instruction(address, module_of, &frames)?;
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

/// A time in milliseconds.
fn milliseconds(ms: u64) -> Result<u32, String> {
    u32::try_from(ms).map_err(|_| format!("time {ms:x}, expected milliseconds below 2^32"))
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
