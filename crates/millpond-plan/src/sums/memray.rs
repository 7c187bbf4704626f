//! Sums by place as `at_peak,bytes_at_peak,left,bytes_left,stack` lines: what `tools/memray-to-csv` writes of a recording
//! that memray made with `--aggregate`.
//!
//! Such a recording has, for each call stack, the blocks that were alive when the program had most bytes, and those at its
//! end. How often a place allocates is not in it, nor how many of its blocks were alive at any other time.

use std::collections::HashMap;

use super::{AtOnce, Site, Size, Sums, Tool};
use crate::error::{Fault, shown};
use crate::input::{Input, Lines};
use crate::reading::{Reading, Reason};
use crate::trace::{Frame, StacksOfSums, decimal};

/// The first line.
const HEADER: &[u8] = b"at_peak,bytes_at_peak,left,bytes_left,stack";

const WITHOUT_BLOCKS: Reason = Reason {
    name: "call-stack-without-blocks",
    one: "that has no block at the peak and none at the end",
    many: "that have no block at the peak and none at the end",
};

/// The most blocks, and bytes, of a line, so that the sums of all lines stay numbers.
const MOST: u64 = 1 << 48;

/// Whether a text that begins like this is such a table.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let rest = beginning.strip_prefix(HEADER);
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'\r' | b'\n')))
}

/// Reads a table from its beginning.
pub(super) fn read(input: Input<'_>) -> Result<Sums, Fault> {
    let mut lines = Lines::new(input);
    let mut table = Table { reading: Reading::of("call stack"), ..Table::default() };
    let mut skipped = 1;
    while lines.advance()? {
        lines.each(skipped, |line| table.line(line))?;
        skipped = 0;
    }
    if table.sites.is_empty() {
        return Err(Fault::whole("contains no allocation, expected at least one block"));
    }
    let cut = lines.cut();
    let Table { mut sites, peak_bytes, stacks, reading, .. } = table;
    for site in &mut sites {
        // A block has a byte at least, and the program never had more of them.
        site.at_once.most = peak_bytes.max(site.at_once.least);
    }
    let peak_bytes = cut.is_none().then_some(peak_bytes);
    Ok(Sums { tool: Tool::Memray, command: Vec::new(), sites, stacks, peak_bytes, reading, cut })
}

#[derive(Default)]
struct Table {
    sites: Vec<Site>,
    stacks: StacksOfSums,
    /// The number of each frame.
    frames: HashMap<Box<[u8]>, u32, foldhash::fast::RandomState>,
    peak_bytes: u64,
    reading: Reading,
}

impl Table {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        self.reading.read += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut fields = line.splitn(5, |&b| b == b',');
        let mut number = || {
            let text = fields.next()?;
            decimal(text).filter(|&number| number <= MOST)
        };
        let (Some(at_peak), Some(bytes_at_peak), Some(left), Some(bytes_left)) =
            (number(), number(), number(), number())
        else {
            let expected = String::from_utf8_lossy(HEADER);
            return Err(format!("`{}`, expected `{expected}`", shown(line)));
        };
        let stack = fields.next().unwrap_or_default();
        self.peak_bytes = self.peak_bytes.saturating_add(bytes_at_peak);
        let (blocks, bytes) = match at_peak >= left {
            true => (at_peak, bytes_at_peak),
            false => (left, bytes_left),
        };
        if blocks == 0 {
            self.reading.pass_over(&WITHOUT_BLOCKS);
            return Ok(());
        }
        let mut numbers = Vec::new();
        for text in stack.split(|&b| b == b';').rev().filter(|text| !text.is_empty()) {
            numbers.push(self.frame(text)?);
        }
        let size = bytes / blocks;
        self.stacks.stack(numbers.into_iter(), blocks, size)?;
        let fits = |blocks: u64, bytes: u64| blocks.checked_mul(size) == Some(bytes);
        self.sites.push(Site {
            blocks,
            bytes,
            size: match fits(at_peak, bytes_at_peak) && fits(left, bytes_left) {
                true => Size::Assumed(size),
                false => Size::Mean(bytes as f64 / blocks as f64),
            },
            at_once: AtOnce { least: blocks, most: u64::MAX },
            at_peak,
            left,
            on_average: None,
        });
        Ok(())
    }

    /// The number of a frame, `function@file:line`.
    fn frame(&mut self, text: &[u8]) -> Result<u32, String> {
        if let Some(&known) = self.frames.get(text) {
            return Ok(known);
        }
        let number = self.stacks.frame(&Frame { function: text, ..Frame::default() })?;
        self.frames.insert(text.into(), number);
        Ok(number)
    }
}
