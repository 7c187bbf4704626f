//! A recording in the making: lines that `millpond plan` reads, as `millpond-heap` writes them.
//!
//! | line | meaning |
//! | --- | --- |
//! | `millpond heap 1 SOURCE` | the first line: what has recorded |
//! | `x PROGRAM` | the program's name |
//! | `c MS` | the time, in milliseconds |
//! | `f MS` | a frame of the program has begun at this time |
//! | `t NUMBER ADDRESS…` | a call stack, the innermost address first, numbered from 1 |
//! | `+ BLOCK BYTES STACK`, `- BLOCK` | a block is born and dies; its number is its alone while it is alive |
//! | `u BLOCKS` | so many blocks died that were born before the recording |
//! | `n ADDRESS⇥NAME⇥FILE⇥MODULE` | a function at an address; the innermost first where calls were inlined |
//! | `e 0` | the end of a recording that is whole |
//!
//! Numbers are hexadecimal.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};

use crate::live::{Live, Place};
use crate::text::name;

/// The limits of a recording that `millpond plan` reads: call stacks, and addresses in all of them.
const STACKS_MAX: usize = 1 << 20;
const ADDRESSES_MAX: usize = 1 << 24;

/// The callers of a block that are recorded, at most: the innermost.
const DEPTH_MAX: usize = 256;

/// The numbers of frames that a recording may have.
const FRAMES_MAX: u64 = 1 << 24;

/// The length of all names in bytes, at most.
const NAME_BYTES_MAX: usize = 32 << 20;

/// What a recording has so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The blocks that were born.
    pub births: u64,
    /// Those that have died.
    pub deaths: u64,
    /// Those that are alive.
    pub alive: u64,
    /// Their bytes.
    pub alive_bytes: u64,
    /// Deaths of blocks from before the recording.
    pub from_before: u64,
    /// Blocks that were born where one is alive, which is taken as its death: an event is missing.
    pub twice: u64,
    /// Births beyond the limit of blocks that may be alive at once; they are not in the recording.
    pub beyond: u64,
    /// The frames of the program.
    pub frames: u64,
    /// The time since the first event, in milliseconds.
    pub ms: u32,
}

/// A recording in the making.
#[derive(Debug)]
pub struct Recording<W> {
    out: W,
    live: Live,
    counts: Counts,
    /// The live blocks of each size.
    sizes: HashMap<u64, u64, foldhash::fast::RandomState>,
    stacks: HashMap<Box<[u64]>, u32, foldhash::fast::RandomState>,
    addresses: usize,
    name_bytes: usize,
    /// When the last frame began.
    frame_ms: u32,
    line: Vec<u8>,
}

impl<W: Write> Recording<W> {
    /// Begins the recording of a program.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(mut out: W, source: &str, program: &[u8]) -> io::Result<Self> {
        writeln!(out, "millpond heap 1 {source}\nx {}", name(program))?;
        Ok(Self {
            out,
            live: Live::default(),
            counts: Counts::default(),
            sizes: HashMap::default(),
            stacks: HashMap::default(),
            addresses: 0,
            name_bytes: 0,
            frame_ms: 0,
            line: Vec::new(),
        })
    }

    /// Sets the clock, in milliseconds since the first event; it does not go back.
    pub fn clock(&mut self, ms: u32) -> io::Result<()> {
        if ms <= self.counts.ms && self.counts.births > 0 {
            return Ok(());
        }
        self.counts.ms = ms.max(self.counts.ms);
        self.write(b'c', &[self.counts.ms.into()])
    }

    /// The program begins a frame.
    pub fn frame(&mut self, ms: u32) -> io::Result<()> {
        if self.counts.frames == FRAMES_MAX {
            return Ok(());
        }
        self.counts.frames += 1;
        // Threads that mark frames may be out of order by a little.
        self.frame_ms = ms.max(self.frame_ms);
        self.write(b'f', &[self.frame_ms.into()])
    }

    /// A block is born, requested from a call stack with this number; 0 if it is unknown.
    pub fn birth(&mut self, place: (u64, u64), bytes: u64, stack: u32) -> io::Result<()> {
        let mut block = self.live.insert(place, bytes);
        if block.is_none() && self.died(place)? {
            self.counts.twice += 1;
            block = self.live.insert(place, bytes);
        }
        let Some(block) = block else {
            self.counts.beyond += 1;
            return Ok(());
        };
        self.counts.births += 1;
        self.counts.alive += 1;
        self.counts.alive_bytes = self.counts.alive_bytes.saturating_add(bytes);
        *self.sizes.entry(bytes).or_default() += 1;
        self.write(b'+', &[block.number.into(), bytes, stack.into()])
    }

    /// A block dies.
    pub fn death(&mut self, place: Place) -> io::Result<()> {
        if !self.died(place)? {
            self.counts.from_before += 1;
        }
        Ok(())
    }

    /// All blocks of a pool die.
    pub fn discard(&mut self, pool: u64) -> io::Result<()> {
        for block in self.live.discard(pool) {
            self.gone(block.number, block.bytes)?;
        }
        Ok(())
    }

    /// Whether a block was alive here, which is dead now.
    fn died(&mut self, place: Place) -> io::Result<bool> {
        let Some(block) = self.live.remove(place) else { return Ok(false) };
        self.gone(block.number, block.bytes)?;
        Ok(true)
    }

    fn gone(&mut self, number: u32, bytes: u64) -> io::Result<()> {
        self.counts.deaths += 1;
        self.counts.alive -= 1;
        self.counts.alive_bytes = self.counts.alive_bytes.saturating_sub(bytes);
        if let Entry::Occupied(mut of_size) = self.sizes.entry(bytes) {
            *of_size.get_mut() -= 1;
            if *of_size.get() == 0 {
                of_size.remove();
            }
        }
        self.write(b'-', &[number.into()])
    }

    /// The number of a call stack, the innermost address first, and whether it is new; 0 if there are too many.
    pub fn stack(&mut self, addresses: &[u64]) -> io::Result<(u32, bool)> {
        let addresses = &addresses[..addresses.len().min(DEPTH_MAX)];
        if let Some(&known) = self.stacks.get(addresses) {
            return Ok((known, false));
        }
        if addresses.is_empty()
            || self.stacks.len() == STACKS_MAX
            || self.addresses + addresses.len() > ADDRESSES_MAX
        {
            return Ok((0, false));
        }
        let number = self.stacks.len() as u32 + 1;
        self.addresses += addresses.len();
        self.stacks.insert(addresses.into(), number);
        let mut numbers = vec![u64::from(number)];
        numbers.extend(addresses);
        self.write(b't', &numbers)?;
        Ok((number, true))
    }

    /// Names a function at an address, its source file and its program or library. Where calls were inlined, the innermost
    /// comes first.
    pub fn name(
        &mut self,
        address: u64,
        function: &[u8],
        file: &[u8],
        module: &[u8],
    ) -> io::Result<()> {
        let line = format!("n {address:x}\t{}\t{}\t{}\n", name(function), name(file), name(module));
        self.name_bytes += line.len();
        if self.name_bytes > NAME_BYTES_MAX {
            return Ok(());
        }
        self.out.write_all(line.as_bytes())
    }

    /// What the recording has so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The sizes with most bytes alive, and how many blocks each has.
    pub fn largest(&self, most: usize) -> Vec<(u64, u64)> {
        let mut sizes: Vec<(u64, u64)> =
            self.sizes.iter().map(|(&bytes, &blocks)| (bytes, blocks)).collect();
        sizes.sort_unstable_by_key(|&(bytes, blocks)| {
            (std::cmp::Reverse(bytes.saturating_mul(blocks)), bytes)
        });
        sizes.truncate(most);
        sizes
    }

    /// Ends the recording, with its last line if it is whole; returns what it was written to.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, is_whole: bool) -> io::Result<(W, Counts)> {
        if self.counts.from_before > 0 {
            self.write(b'u', &[self.counts.from_before])?;
        }
        if is_whole {
            self.write(b'e', &[0])?;
        }
        self.out.flush()?;
        Ok((self.out, self.counts))
    }

    fn write(&mut self, letter: u8, numbers: &[u64]) -> io::Result<()> {
        self.line.clear();
        self.line.push(letter);
        for &number in numbers {
            self.line.push(b' ');
            let digits = (u64::BITS - (number | 1).leading_zeros()).div_ceil(4);
            for digit in (0..digits).rev() {
                self.line.push(b"0123456789abcdef"[(number >> (4 * digit) & 0xf) as usize]);
            }
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_becomes_a_line() -> io::Result<()> {
        let mut recording = Recording::begin(Vec::new(), "test", b"ga\nme")?;
        recording.clock(0)?;
        assert_eq!(recording.stack(&[0xa1, 0xb1])?, (1, true));
        recording.birth((0, 0x1000), 48, 1)?;
        recording.birth((7, 0x1000), 255, 0)?;
        assert_eq!(recording.largest(1), [(255, 1)]);
        recording.clock(17)?;
        recording.clock(3)?;
        recording.frame(17)?;
        recording.death((0, 0x1000))?;
        recording.death((0, 0x1000))?;
        recording.birth((0, 0x1010), 16, recording.stacks[&[0xa1, 0xb1][..]])?;
        recording.birth((0, 0x1010), 17, 0)?;
        recording.discard(7)?;
        recording.name(0xa1, b"new<T>", b"a.rs", b"/bin/game")?;
        assert_eq!(recording.largest(5), [(17, 1)]);
        let counts = recording.counts();
        assert_eq!((counts.births, counts.deaths, counts.alive, counts.alive_bytes), (4, 3, 1, 17));
        assert_eq!((counts.from_before, counts.twice, counts.frames), (1, 1, 1));
        let (text, _) = recording.end(true)?;
        let expected = "millpond heap 1 test\nx ga me\nc 0\nt 1 a1 b1\n+ 0 30 1\n+ 1 ff 0\nc 11\nf 11\n- 0\n\
                        + 0 10 1\n- 0\n+ 0 11 0\n- 1\nn a1\tnew<T>\ta.rs\t/bin/game\nu 1\ne 0\n";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
        Ok(())
    }
}
