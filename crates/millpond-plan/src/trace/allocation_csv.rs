//! Allocations as `ms,event,address,size,stack` lines, which any other tool can write. The first column may also be `us`,
//! `µs` or `ns`, and milliseconds may have a fraction.

use std::collections::{HashMap, HashSet};

use super::blocks::Blocks;
use super::fields::{decimal, hexadecimal};
use super::heaptrack_raw::UNKNOWN_BLOCK;
use super::stacks::CallStacks;
use super::unit::{NS_PER_MS, Unit};
use super::{HeapFormat, Records, Summary, Watch, read_lines};
use crate::error::{Fault, shown};
use crate::input::Lines;
use crate::progress::Progress;
use crate::reading::Reading;

/// The first line, after the unit of time.
const HEADER: &[u8] = b",event,address,size,stack";

/// The maximum size of all call stacks in bytes.
const STACK_BYTES_MAX: usize = 256 << 20;

/// Whether a text that begins like this is a table of allocations.
pub(super) fn recognises(text: &[u8]) -> bool {
    unit(text).is_some()
}

/// The unit of time that the first line of a table names.
fn unit(text: &[u8]) -> Option<Unit> {
    let (unit, rest) = Unit::of(text)?;
    let rest = rest.strip_prefix(HEADER)?;
    matches!(rest.first(), Some(b'\r' | b'\n')).then_some(unit)
}

/// Reads a table whose first block has been read.
pub(super) fn read(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    let unit = unit(lines.block()).unwrap_or_default();
    read_lines(lines, 1, Reader { unit, ..Reader::default() }, watch, progress)
}

#[derive(Default)]
struct Reader {
    unit: Unit,
    blocks: Blocks,
    /// The addresses of all blocks so far: a block that is freed and was never allocated is older than the recording.
    met: HashSet<u64, foldhash::fast::RandomState>,
    /// The number of each call stack; the empty one is 0.
    numbers: HashMap<Box<[u8]>, u32, foldhash::fast::RandomState>,
    stacks: Vec<Box<[u8]>>,
    stack_bytes: usize,
    first_tick: Option<u32>,
    ns: u64,
    tick: u32,
    timestamps: u64,
    reading: Reading,
}

impl Records for Reader {
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        // A function's name may contain commas, so the stack is the last field.
        let mut fields = line.splitn(5, |&b| b == b',');
        let (Some(ms), Some(event), Some(address)) = (fields.next(), fields.next(), fields.next())
        else {
            let (unit, expected) = (self.unit.name(), String::from_utf8_lossy(HEADER));
            return Err(format!("`{}`, expected `{unit}{expected}`", shown(line)));
        };
        self.clock(ms)?;
        let text = address.strip_prefix(b"0x").unwrap_or(address);
        let Some(address) = hexadecimal(text) else {
            return Err(format!("address `{}`, expected a hexadecimal number", shown(address)));
        };
        self.first_tick.get_or_insert(self.tick);
        match event {
            b"alloc" => {
                let size = fields.next().unwrap_or_default();
                let Some(bytes) = decimal(size) else {
                    let size = shown(size);
                    return Err(format!("size `{size}`, expected a number from 0 to 2^64 - 1"));
                };
                let stack = self.stack(fields.next().unwrap_or_default())?;
                self.met.insert(address);
                self.blocks.birth(self.tick, address, bytes, stack, watch)
            }
            b"free" => {
                if self.blocks.death(self.tick, address, watch) {
                    return Ok(());
                }
                if !self.met.contains(&address) {
                    self.reading.pass_over(&UNKNOWN_BLOCK);
                    return Ok(());
                }
                Err(format!(
                    "block {address:x} is freed but not alive, expected an earlier `alloc`"
                ))
            }
            _ => Err(format!("event `{}`, expected `alloc` or `free`", shown(event))),
        }
    }

    fn events(&self) -> u64 {
        self.blocks.births + self.blocks.deaths
    }

    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        let Some(first_tick) = self.first_tick.filter(|_| self.blocks.births > 0) else {
            return Err(Fault::whole("contains no allocation, expected at least one `alloc` line"));
        };
        let (stacks, nodes) = self.call_stacks().map_err(Fault::whole)?;
        let (ticks, deaths) = (first_tick..=self.tick, self.blocks.deaths);
        let allocations = self.blocks.finish(self.tick, stacks, &nodes, watch);
        let format = HeapFormat::Csv;
        let summary = Summary::of_heap(format, ticks, self.timestamps, deaths, allocations);
        Ok(Summary { reading: self.reading, ..summary })
    }
}

impl Reader {
    fn clock(&mut self, text: &[u8]) -> Result<(), String> {
        let ns = self.unit.ns(text)?;
        let Ok(tick) = u32::try_from(ns / NS_PER_MS) else {
            return Err(format!("time `{}`, expected milliseconds below 2^32", shown(text)));
        };
        if ns < self.ns {
            let (unit, before) = (self.unit.name(), self.unit.shown(self.ns));
            return Err(format!(
                "{} {unit} come after {before} {unit}, expected times in ascending order",
                shown(text)
            ));
        }
        if ns != self.ns || self.timestamps == 0 {
            self.timestamps += 1;
        }
        (self.ns, self.tick) = (ns, tick);
        Ok(())
    }

    fn stack(&mut self, text: &[u8]) -> Result<u32, String> {
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(&known) = self.numbers.get(text) {
            return Ok(known);
        }
        self.stack_bytes += text.len();
        if self.stack_bytes > STACK_BYTES_MAX {
            return Err(format!("more than {} MiB of call stacks", STACK_BYTES_MAX >> 20));
        }
        self.stacks.push(text.into());
        let number = self.stacks.len() as u32;
        self.numbers.insert(text.into(), number);
        Ok(number)
    }

    /// The call stacks, `inner;outer;…`, and the node of each.
    fn call_stacks(&self) -> Result<(CallStacks, Vec<u32>), String> {
        let mut stacks = CallStacks::default();
        let mut instructions: HashMap<&[u8], u32> = HashMap::new();
        let mut nodes = vec![0];
        for stack in &self.stacks {
            let mut parent = 0;
            for frame in stack.rsplit(|&b| b == b';').filter(|frame| !frame.is_empty()) {
                let instruction = match instructions.get(frame) {
                    Some(&known) => known,
                    None => {
                        let string = stacks.add_string(frame)?;
                        // There are no addresses, so each function is a place.
                        let address = instructions.len() as u64;
                        let new = stacks.add_instruction(address, 0, &[(string, 0)])?;
                        instructions.insert(frame, new);
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
