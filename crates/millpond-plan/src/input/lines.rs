//! Text as blocks of whole lines, with a limit on the length of a line.

use super::cut::{Cut, CutIn};
use super::source::Input;
use crate::error::{Fault, Place};

/// The maximum length of a line in bytes, without its end.
///
/// Without a limit, a small compressed file with one endless line could use up all memory.
pub const LINE_BYTES_MAX: usize = 64 << 10;

const BLOCK_BYTES: usize = 4 * LINE_BYTES_MAX;

/// Reads an input block by block; each block holds whole lines and ends with a line end.
#[derive(Debug)]
pub struct Lines<'a> {
    input: Input<'a>,
    buffer: Vec<u8>,
    /// `buffer[..block]` is the last returned block.
    block: usize,
    /// `buffer[..filled]` is what has been read.
    filled: usize,
    /// The offset of `buffer[0]` in the uncompressed text.
    byte: u64,
    /// The number of lines before the last returned block.
    line: u64,
    cut: Option<Cut>,
}

impl<'a> Lines<'a> {
    /// Starts reading.
    #[must_use]
    pub fn new(input: Input<'a>) -> Self {
        let byte = input.mark_bytes();
        Self { input, buffer: vec![0; BLOCK_BYTES], block: 0, filled: 0, byte, line: 0, cut: None }
    }

    /// Where the input is cut short, if it is and that [is accepted](super::Source::up_to_its_end): known at its end.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// The input that is being read.
    #[must_use]
    pub fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// The last block.
    #[must_use]
    pub fn block(&self) -> &[u8] {
        &self.buffer[..self.block]
    }

    /// Passes each line of the block, without the first `skipped`, to `take`, and ends with the first fault. The
    /// message that `take` returns becomes the fault of its line.
    pub fn each(
        &self,
        skipped: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(), Fault> {
        for (offset, line) in lines_of(self.block()).skip(skipped) {
            if line.len() > LINE_BYTES_MAX {
                return Err(self.too_long(offset));
            }
            if let Err(message) = take(line) {
                return Err(Fault { place: self.place(offset), message });
            }
        }
        Ok(())
    }

    /// Reads the next block; `false` at the end of the input.
    ///
    /// # Errors
    /// If the input cannot be read, a line is too long, or, unless [that is accepted](super::Source::up_to_its_end),
    /// the last line does not end.
    pub fn advance(&mut self) -> Result<bool, Fault> {
        self.line += memchr::memchr_iter(b'\n', self.block()).count() as u64;
        self.byte += self.block as u64;
        self.buffer.copy_within(self.block..self.filled, 0);
        self.filled -= self.block;
        self.block = 0;
        loop {
            let n = self.input.read(&mut self.buffer[self.filled..])?;
            let read_from = self.filled;
            self.filled += n;
            if n == 0 {
                return self.end().map(|()| false);
            }
            if let Some(end) = memchr::memrchr(b'\n', &self.buffer[read_from..self.filled]) {
                self.block = read_from + end + 1;
                return Ok(true);
            }
            if self.filled > LINE_BYTES_MAX {
                return Err(self.too_long(0));
            }
        }
    }

    /// The place in the text of the line that begins at this offset of the block.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let before = memchr::memchr_iter(b'\n', &self.buffer[..offset]).count() as u64;
        Place::Line { line: self.line + before + 1, byte: self.byte + offset as u64 }
    }

    /// The fault of a line that is too long and begins at this offset of the block.
    #[must_use]
    pub fn too_long(&self, offset: usize) -> Fault {
        let message = format!(
            "a line of more than {LINE_BYTES_MAX} bytes, expected the short lines of a trace"
        );
        Fault { place: self.place(offset), message }
    }

    /// The end of the input: a line without an end is left out, if that is accepted.
    fn end(&mut self) -> Result<(), Fault> {
        let what = self.input.cut_in().or((self.filled > 0).then_some(CutIn::Text));
        let Some(what) = what else { return Ok(()) };
        let cut = Cut { what, line: self.line + 1, byte: self.byte };
        if !self.input.accepts_cut() {
            return Err(cut.fault());
        }
        self.filled = 0;
        self.cut = Some(cut);
        Ok(())
    }
}

/// One line of a block without its end, and its offset in the block.
type Line<'b> = (usize, &'b [u8]);

/// The lines of a block.
pub fn lines_of(block: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut begin = 0;
    memchr::memchr_iter(b'\n', block).map(move |end| {
        let line = &block[begin..end];
        let offset = std::mem::replace(&mut begin, end + 1);
        (offset, line.strip_suffix(b"\r").unwrap_or(line))
    })
}
