//! heaptrack's raw recordings: what `heaptrack --raw ./program` writes.
//!
//! A line is a record, identified by its first byte. Numbers are hexadecimal. An allocation has its size, its call stack and
//! its *address*, and a deallocation has that address, so the recording says which block dies. A call stack is a number of
//! a `t` record: the address of an instruction, and the stack of its caller. The recording has no names but those of the
//! program and its libraries, with the places where they lie in memory; whoever opens the recording
//! [gives the others](super::names).

use std::collections::{BTreeMap, HashMap};

use super::blocks::Blocks;
use super::fields::hexadecimal;
use super::names::{Module, Named, Nameless, Names};
use super::stacks::{CallStacks, RECORDS_MAX, STRING_BYTES_MAX, sized};
use super::{HeapFormat, Records, Summary, Watch, read_lines};
use crate::error::{Fault, shown, shown_start};
use crate::input::Lines;
use crate::progress::Progress;
use crate::reading::{Reading, Reason};

/// The newest supported file version.
const FILE_VERSION_MAX: u64 = 3;

/// Since this version a string is preceded by its length.
const SIZED_STRINGS: u64 = 3;

/// The maximum number of modules, all lists of them together, and of their segments.
const MODULES_MAX: usize = 1 << 16;
const SEGMENTS_MAX: usize = 1 << 20;

/// The number of lines, at most, that tell a raw recording from an interpreted one.
const LINES_TO_LOOK_AT: usize = 64;

/// A block that was allocated before the recording began, or while heaptrack did not look.
pub(super) const UNKNOWN_BLOCK: Reason = Reason {
    name: "free-of-unknown-block",
    one: "free of a block whose allocation was not recorded",
    many: "frees of blocks whose allocations were not recorded",
};

/// The program freed it while heaptrack did not look.
const UNSEEN_FREE: Reason = Reason {
    name: "unseen-free",
    one: "block was freed without a record, and is taken as freed when its address was given out again",
    many: "blocks were freed without a record, and are taken as freed when their addresses were given out again",
};

const NO_FILE: Reason = Reason {
    name: "module-not-found",
    one: "program or library is not on this machine, so the functions in it have no names",
    many: "programs and libraries are not on this machine, so the functions in them have no names",
};

const CHANGED: Reason = Reason {
    name: "module-changed",
    one: "program or library has changed since it was recorded, so the functions in it have no names",
    many: "programs and libraries have changed since they were recorded, so the functions in them have no names",
};

/// Whether a text that begins like this is a raw recording of heaptrack: interpreted files begin in the same way.
pub(super) fn recognises(text: &[u8]) -> bool {
    if !super::heaptrack::recognises(text) {
        return false;
    }
    let lines = text.split(|&b| b == b'\n').take(LINES_TO_LOOK_AT);
    let telling = lines.filter_map(|line| line.first()).find(|first| b"xmsiat+-".contains(first));
    matches!(telling, Some(b'x' | b'm'))
}

/// Reads a recording whose first block has been read.
pub(super) fn read(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    let names = lines.input().names();
    read_lines(lines, 0, Reader { names, ..Reader::default() }, watch, progress)
}

/// Where an instruction is.
#[derive(Clone, Copy)]
struct Instruction {
    address: u64,
    /// The number of its module, counted from 1; 0 is none.
    module: u32,
}

#[derive(Default)]
struct Reader {
    blocks: Blocks,
    names: Option<std::rc::Rc<dyn Names>>,
    strings_have_lengths: bool,
    program: Vec<u8>,
    modules: Vec<Module>,
    segments: usize,
    /// Of `modules`, those that are loaded now: libraries may be loaded later, and others in their places.
    loaded: std::ops::Range<usize>,
    instructions: Vec<Instruction>,
    /// The number of each instruction, counted from 1.
    numbers: HashMap<(u64, u32), u32, foldhash::fast::RandomState>,
    /// By number of the call stack, counted from 1: its instruction, and the stack of its caller.
    stacks: Vec<(u32, u32)>,
    string_bytes: usize,
    first_tick: Option<u32>,
    tick: u32,
    timestamps: u64,
    reading: Reading,
}

impl Records for Reader {
    #[inline]
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        match line {
            [b'+', b' ', rest @ ..] => self.birth(line, rest, watch),
            [b'-', b' ', rest @ ..] => {
                let [address] = numbers(line, rest, "`- ADDRESS`")?;
                self.death(address, watch);
                Ok(())
            }
            [b't', b' ', rest @ ..] => self.stack(line, rest),
            _ => self.rare_line(line),
        }
    }

    fn events(&self) -> u64 {
        self.blocks.births + self.blocks.deaths
    }

    fn finish(mut self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        let Some(first_tick) = self.first_tick.filter(|_| self.blocks.births > 0) else {
            return Err(Fault::whole(
                "contains no allocation, expected at least one `+` line (did the program start and end \
                 immediately?)",
            ));
        };
        let (stacks, nodes) = self.call_stacks().map_err(Fault::whole)?;
        let (ticks, deaths) = (first_tick..=self.tick, self.blocks.deaths);
        let allocations = self.blocks.finish(self.tick, stacks, &nodes, watch);
        let format = HeapFormat::HeaptrackRaw;
        let summary = Summary::of_heap(format, ticks, self.timestamps, deaths, allocations);
        Ok(Summary { reading: self.reading, ..summary })
    }
}

impl Reader {
    /// A record that is no event.
    fn rare_line(&mut self, line: &[u8]) -> Result<(), String> {
        let Some((&record, rest)) = line.split_first() else { return Ok(()) };
        let rest = match rest {
            [] => rest,
            [b' ', rest @ ..] => rest,
            _ if record == b'#' => rest,
            _ => return Err(unknown_record(line)),
        };
        match record {
            b'c' => self.clock(line, rest),
            b'm' => self.module(line, rest),
            b'v' => self.version(line, rest),
            b'x' => {
                self.program = self.string(rest)?.0.to_vec();
                Ok(())
            }
            // Command line, system, resident memory, suppression, attached, comment.
            b'X' | b'I' | b'R' | b'S' | b'A' | b'#' => Ok(()),
            _ => Err(unknown_record(line)),
        }
    }

    fn version(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let [_, version] = numbers(line, rest, "`v VERSION FILEVERSION`")?;
        if !(1..=FILE_VERSION_MAX).contains(&version) {
            return Err(format!(
                "heaptrack file version {version}, expected 1 to {FILE_VERSION_MAX}"
            ));
        }
        self.strings_have_lengths = version >= SIZED_STRINGS;
        Ok(())
    }

    fn clock(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let [ms] = numbers(line, rest, "`c MILLISECONDS`")?;
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

    /// A string at the beginning of a record, and the rest of the record.
    fn string<'l>(&self, text: &'l [u8]) -> Result<(&'l [u8], &'l [u8]), String> {
        if !self.strings_have_lengths {
            let end = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
            return Ok((&text[..end], text.get(end + 1..).unwrap_or_default()));
        }
        let space = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
        let begin = space + 1;
        let length = hexadecimal(&text[..space]).and_then(|length| usize::try_from(length).ok());
        let end = length.and_then(|length| begin.checked_add(length));
        match end.filter(|&end| end <= text.len()) {
            Some(end) => {
                sized(&text[..end])?;
                Ok((&text[begin..end], text.get(end + 1..).unwrap_or_default()))
            }
            None => Err(format!("`{}`, expected `LENGTH STRING`", shown(text))),
        }
    }

    /// `m LENGTH NAME BASE`, then the address and the size of each segment; `m 1 -` before a new list of all modules.
    fn module(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let (name, rest) = self.string(rest)?;
        if name == b"-" && rest.is_empty() {
            self.loaded = self.modules.len()..self.modules.len();
            return Ok(());
        }
        let fields = rest.split(|&b| b == b' ').map(hexadecimal);
        let Some(fields) = fields.collect::<Option<Vec<u64>>>() else {
            return Err(format!("`{}`, expected `m NAME BASE` and segments", shown(line)));
        };
        let Some((&base, segments)) = fields.split_first() else {
            return Err(format!("`{}`, expected `m NAME BASE` and segments", shown(line)));
        };
        let path = if name == b"x" { &self.program } else { name };
        self.string_bytes += path.len();
        self.segments += segments.len() / 2;
        if self.modules.len() == MODULES_MAX || self.segments > SEGMENTS_MAX {
            return Err(format!("more than {MODULES_MAX} modules, or {SEGMENTS_MAX} segments"));
        }
        if self.string_bytes > STRING_BYTES_MAX {
            return Err(format!("more than {} MiB of names", STRING_BYTES_MAX >> 20));
        }
        let segments = segments.chunks_exact(2).map(|segment| (segment[0], segment[1])).collect();
        self.modules.push(Module { path: path.to_vec(), base, segments });
        self.loaded.end = self.modules.len();
        Ok(())
    }

    fn stack(&mut self, line: &[u8], rest: &[u8]) -> Result<(), String> {
        let [address, parent] = numbers(line, rest, "`t ADDRESS PARENT`")?;
        if self.stacks.len() == RECORDS_MAX {
            return Err(format!("more than {RECORDS_MAX} stack nodes"));
        }
        // A caller comes before its callees, so every walk upwards ends.
        let parent = self.known_stack(parent)?;
        let module = self.module_of(address);
        let next = self.instructions.len() as u32 + 1;
        let number = *self.numbers.entry((address, module)).or_insert(next);
        if number == next {
            self.instructions.push(Instruction { address, module });
        }
        self.stacks.push((number, parent));
        Ok(())
    }

    /// The module that an instruction is in, counted from 1; 0 if it is in none that is loaded.
    fn module_of(&self, address: u64) -> u32 {
        let loaded = &self.modules[self.loaded.clone()];
        let place = loaded.iter().position(|module| module.contains(address));
        place.map_or(0, |place| (self.loaded.start + place) as u32 + 1)
    }

    fn known_stack(&self, number: u64) -> Result<u32, String> {
        if number <= self.stacks.len() as u64 {
            return Ok(number as u32);
        }
        let told = self.stacks.len();
        Err(format!("stack node {number:x} is used, expected one of the {told:x} defined before"))
    }

    #[inline]
    fn birth(&mut self, line: &[u8], rest: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        let [bytes, stack, address] = numbers(line, rest, "`+ SIZE STACK ADDRESS`")?;
        let stack = self.known_stack(stack)?;
        self.first_tick.get_or_insert(self.tick);
        if self.blocks.death(self.tick, address, watch) {
            self.reading.pass_over(&UNSEEN_FREE);
        }
        self.blocks.birth(self.tick, address, bytes, stack, watch)
    }

    #[inline]
    fn death(&mut self, address: u64, watch: &mut dyn Watch) {
        if !self.blocks.death(self.tick, address, watch) {
            self.reading.pass_over(&UNKNOWN_BLOCK);
        }
    }

    /// The call stacks with their names, and the node of each.
    fn call_stacks(&mut self) -> Result<(CallStacks, Vec<u32>), String> {
        let mut stacks = CallStacks::default();
        let mut strings: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut string_of = |stacks: &mut CallStacks, text: &[u8]| match strings.get(text) {
            _ if text.is_empty() => Ok(0),
            Some(&known) => Ok(known),
            None => {
                let new = stacks.add_string(text)?;
                strings.insert(text.to_vec(), new);
                Ok::<u32, String>(new)
            }
        };
        // By module, why its functions have no names.
        let mut nameless: BTreeMap<&[u8], Nameless> = BTreeMap::new();
        for instruction in &self.instructions {
            let module = self.modules.get((instruction.module as usize).wrapping_sub(1));
            let frames = match (&self.names, module) {
                (Some(names), module) => names.frames(instruction.address, module),
                (None, _) => Ok(Vec::new()),
            };
            let frames = match (frames, module) {
                (Ok(frames), _) => frames,
                (Err(why), Some(module)) => {
                    nameless.insert(&module.path, why);
                    Vec::new()
                }
                (Err(_), None) => Vec::new(),
            };
            let mut numbers = Vec::new();
            for Named { function, file } in &frames {
                numbers.push((string_of(&mut stacks, function)?, string_of(&mut stacks, file)?));
            }
            let path = module.map_or(&[][..], |module| &module.path);
            let path = string_of(&mut stacks, path)?;
            stacks.add_instruction(instruction.address, path, &numbers)?;
        }
        for why in nameless.values() {
            self.reading.pass_over(match why {
                Nameless::NoFile => &NO_FILE,
                Nameless::Changed => &CHANGED,
            });
        }
        let mut nodes = vec![0];
        for &(instruction, parent) in &self.stacks {
            nodes.push(stacks.add_node(instruction, nodes[parent as usize])?);
        }
        Ok((stacks, nodes))
    }
}

/// The numbers of a record; the caller determines how many there must be.
#[inline]
fn numbers<const N: usize>(line: &[u8], rest: &[u8], expected: &str) -> Result<[u64; N], String> {
    let mut fields = rest.split(|&b| b == b' ').map(hexadecimal);
    let mut numbers = [0; N];
    for number in &mut numbers {
        match fields.next().flatten() {
            Some(field) => *number = field,
            None => return Err(format!("`{}`, expected {expected}", shown(line))),
        }
    }
    match fields.next() {
        None => Ok(numbers),
        Some(_) => Err(format!("`{}`, expected {expected}", shown(line))),
    }
}

fn unknown_record(line: &[u8]) -> String {
    let line = shown_start(line);
    format!(
        "`{line}` is not a known record of a raw recording, expected one of v x X I m t + - c R S A #"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_recording_is_told_from_an_interpreted_one() {
        assert!(recognises(b"v 10400 3\nx 6 ./game\nX ./game\n"));
        assert!(recognises(b"v 10000 1\nX ./game\nI 1000 99\nm -\n"));
        assert!(!recognises(b"v 10400 3\nX ./game\nI 1000 99\ns 6 ./game\n"));
        assert!(!recognises(b"v 10400 3\n"));
        assert!(!recognises(b"x 6 ./game\n"));
    }

    #[test]
    fn an_instruction_is_in_the_module_that_is_loaded_there_when_it_is_met() {
        let mut reader = Reader::default();
        let mut nobody = crate::trace::Nobody;
        for line in [
            "v 10400 3",
            "x 6 ./game",
            "m 1 -",
            "m 1 x 1000 0 80 100 80",
            "m 7 /a b.so 2000 0 100",
            "t 1180 0",
            "t 2010 1",
            "m 1 -",
            "m 1 x 1000 0 80 100 80",
            "m 5 /c.so 2000 0 100",
            "t 2010 1",
            "t 9999 0",
        ] {
            reader.line(line.as_bytes(), &mut nobody).expect(line);
        }
        let paths: Vec<&[u8]> = reader
            .instructions
            .iter()
            .map(|of| {
                (of.module as usize).checked_sub(1).map_or(&[][..], |m| &reader.modules[m].path)
            })
            .collect();
        // A return address may be the end of its segment.
        assert_eq!(paths, [&b"./game"[..], b"/a b.so", b"/c.so", b""]);
    }
}
