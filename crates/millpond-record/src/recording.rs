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
use std::io::{self, Write};

use crate::live::{Live, Place};
use crate::sizes::Sizes;
use crate::text::name;

/// The limits of a recording that `millpond plan` reads: call stacks, and addresses in all of them.
const STACKS_MAX: usize = 1 << 20;
const ADDRESSES_MAX: usize = 1 << 24;

/// The callers of a block that are recorded, at most: the innermost.
const DEPTH_MAX: usize = 256;

/// The numbers of frames that a recording may have.
const FRAMES_MAX: u64 = 1 << 24;

/// So many bytes are written at once.
const WRITTEN_BYTES: usize = 32 << 10;

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
    sizes: Sizes,
    stacks: HashMap<Box<[u64]>, u32, foldhash::fast::RandomState>,
    addresses: usize,
    name_bytes: usize,
    /// When the last frame began.
    frame_ms: u32,
    /// Lines that are not written yet: the first bytes of it. There is always room for one more part of a line.
    lines: Vec<u8>,
    lines_end: usize,
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
            sizes: Sizes::default(),
            stacks: HashMap::default(),
            addresses: 0,
            name_bytes: 0,
            frame_ms: 0,
            lines: vec![0; WRITTEN_BYTES + PART_BYTES],
            lines_end: 0,
        })
    }

    /// Sets the clock, in milliseconds since the first event; it does not go back.
    #[inline]
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
    #[inline]
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
        self.sizes.born(bytes);
        self.write(b'+', &[block.number.into(), bytes, stack.into()])
    }

    /// A block dies.
    #[inline]
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
    #[inline]
    fn died(&mut self, place: Place) -> io::Result<bool> {
        let Some(block) = self.live.remove(place) else { return Ok(false) };
        self.gone(block.number, block.bytes)?;
        Ok(true)
    }

    #[inline]
    fn gone(&mut self, number: u32, bytes: u64) -> io::Result<()> {
        self.counts.deaths += 1;
        self.counts.alive -= 1;
        self.counts.alive_bytes = self.counts.alive_bytes.saturating_sub(bytes);
        self.sizes.died(bytes);
        self.write(b'-', &[number.into()])
    }

    /// The number of a call stack, the innermost address first, and whether it is new; 0 if there are too many.
    #[inline]
    pub fn stack(&mut self, addresses: &[u64]) -> io::Result<(u32, bool)> {
        let addresses = &addresses[..addresses.len().min(DEPTH_MAX)];
        if addresses.is_empty() {
            return Ok((0, false));
        }
        if let Some(&known) = self.stacks.get(addresses) {
            return Ok((known, false));
        }
        if self.stacks.len() == STACKS_MAX || self.addresses + addresses.len() > ADDRESSES_MAX {
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
        for part in line.as_bytes().chunks(PART_BYTES) {
            self.lines[self.lines_end..][..part.len()].copy_from_slice(part);
            self.lines_end += part.len();
            self.write_if_many()?;
        }
        Ok(())
    }

    /// What the recording has so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The sizes with most bytes alive, and how many blocks each has.
    pub fn largest(&self, most: usize) -> Vec<(u64, u64)> {
        self.sizes.largest(most)
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
        self.out.write_all(&self.lines[..self.lines_end])?;
        self.out.flush()?;
        Ok((self.out, self.counts))
    }

    #[inline]
    fn write(&mut self, letter: u8, numbers: &[u64]) -> io::Result<()> {
        let mut part = Part::at(&mut self.lines, self.lines_end);
        part.push(letter);
        for &number in numbers {
            // A call stack has more numbers than there is room for.
            if part.end > PART_BYTES - NUMBER_BYTES_MAX {
                self.lines_end += part.end;
                self.write_if_many()?;
                part = Part::at(&mut self.lines, self.lines_end);
            }
            part.push(b' ');
            match (number >> 32) as u32 {
                0 => part.push_digits(number as u32, digits_of(number as u32)),
                high => {
                    part.push_digits(high, digits_of(high));
                    part.push_digits(number as u32, 8);
                }
            }
        }
        part.push(b'\n');
        self.lines_end += part.end;
        self.write_if_many()
    }

    #[inline]
    fn write_if_many(&mut self) -> io::Result<()> {
        if self.lines_end < WRITTEN_BYTES {
            return Ok(());
        }
        self.out.write_all(&self.lines[..self.lines_end])?;
        self.lines_end = 0;
        Ok(())
    }
}

/// The hexadecimal digits of a number; 0 has one.
#[inline]
fn digits_of(number: u32) -> u32 {
    (u32::BITS - (number | 1).leading_zeros()).div_ceil(4)
}

/// A part of a line has at most this many bytes, and a number takes so many, with what comes after it.
const PART_BYTES: usize = 96;
const NUMBER_BYTES_MAX: usize = 1 + 16 + 8;

/// A line in the making, or a part of it, in its place behind the lines before it.
struct Part<'l> {
    bytes: &'l mut [u8; PART_BYTES],
    end: usize,
}

impl<'l> Part<'l> {
    #[inline]
    fn at(lines: &'l mut [u8], at: usize) -> Self {
        let bytes = lines[at..].first_chunk_mut().expect("room for a part");
        Self { bytes, end: 0 }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.end] = byte;
        self.end += 1;
    }

    /// Appends so many hexadecimal digits, 1 to 8, the lowest ones.
    #[inline]
    fn push_digits(&mut self, number: u32, count: u32) {
        // All digits at once, a byte for each: 0 to 9 become '0' to '9', and those above, which carry if 6 is added, letters.
        let mut bytes = u64::from(number);
        bytes = (bytes | bytes << 16) & 0x0000_ffff_0000_ffff;
        bytes = (bytes | bytes << 8) & 0x00ff_00ff_00ff_00ff;
        bytes = (bytes | bytes << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        let letters = (bytes + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
        bytes += 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'9' - 1);
        // A copy of eight bytes takes one instruction; those beyond the count are written over.
        let text = (bytes << (8 * (8 - count))).to_be_bytes();
        self.bytes[self.end..self.end + 8].copy_from_slice(&text);
        self.end += count as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_as_few_digits_as_they_have() -> io::Result<()> {
        let mut recording = Recording::begin(Vec::new(), "test", b"")?;
        let mut expected = String::from("millpond heap 1 test\nx \n");
        let powers = (0..64).map(|bit| 1_u64 << bit);
        let powers: Vec<u64> = powers.collect();
        recording.write(b't', &powers)?;
        let all: Vec<_> = powers.iter().map(|power| format!("{power:x}")).collect();
        expected += &format!("t {}\n", all.join(" "));
        for number in
            powers.into_iter().flat_map(|power| [power - 1, power, power | 0x9a]).chain([u64::MAX])
        {
            recording.write(b'+', &[number, 0x0123_4567_89ab_cdef])?;
            expected += &format!("+ {number:x} 123456789abcdef\n");
        }
        let (text, _) = recording.end(false)?;
        assert_eq!(String::from_utf8(text).expect("text"), expected);
        Ok(())
    }

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
