//! The file of a recording: whole lines, in blocks, up to a limit.

use std::fs::File;
use std::io::{self, Write};

/// The number of bytes written at once.
const BLOCK_BYTES: usize = 1 << 16;

/// The longest line: a call stack with its addresses.
const LINE_BYTES_MAX: usize = 1 << 10;

/// A file that is written line by line, without allocation.
pub(crate) struct Writer {
    file: Option<File>,
    block: [u8; BLOCK_BYTES],
    used: usize,
    /// A line may begin up to here in the block: there is room for it in the block and in the file. 0 if there is no
    /// recording, or no more room for it.
    begins_max: usize,
    /// How many bytes are in the file. All are whole lines.
    written: u64,
    bytes_max: u64,
    error: Option<io::Error>,
}

impl Writer {
    pub(crate) const fn new() -> Self {
        Self {
            file: None,
            block: [0; BLOCK_BYTES],
            used: 0,
            begins_max: 0,
            written: 0,
            bytes_max: 0,
            error: None,
        }
    }

    pub(crate) fn open(&mut self, file: File, bytes_max: u64) {
        (self.file, self.used, self.written) = (Some(file), 0, 0);
        (self.bytes_max, self.error) = (bytes_max, None);
        self.find_room();
    }

    /// Begins a line; `false` if the recording has ended because the limit was reached.
    #[inline]
    pub(crate) fn begin(&mut self) -> bool {
        if self.used >= self.begins_max {
            self.flush();
        }
        self.used < self.begins_max
    }

    /// Finds out where lines may begin, after what is in the file has changed.
    fn find_room(&mut self) {
        let left = self.bytes_max.saturating_sub(self.written).min(BLOCK_BYTES as u64) as usize;
        let is_open = self.file.is_some() && self.error.is_none();
        self.begins_max = if is_open { (left + 1).saturating_sub(LINE_BYTES_MAX) } else { 0 };
    }

    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        if let Some(place) = self.block.get_mut(self.used) {
            *place = byte;
            self.used += 1;
        }
    }

    /// Writes a space and a number in hexadecimal.
    #[inline]
    pub(crate) fn number(&mut self, number: u64) {
        let digits = (u64::BITS - (number | 1).leading_zeros()).div_ceil(4) as usize;
        let Some(place) = self.block.get_mut(self.used..self.used + 17) else { return };
        place[0] = b' ';
        // Eight or sixteen are written, those in front that are zeros pushed out; what is too many is written over.
        let low = eight_digits(number as u32);
        if digits <= 8 {
            let text = low << (8 * (8 - digits));
            place[1..9].copy_from_slice(&text.to_be_bytes());
        } else {
            let high = eight_digits((number >> 32) as u32);
            let text = (u128::from(high) << 64 | u128::from(low)) << (8 * (16 - digits));
            place[1..].copy_from_slice(&text.to_be_bytes());
        }
        self.used += 1 + digits;
    }

    #[inline]
    pub(crate) fn end(&mut self) {
        self.byte(b'\n');
    }

    /// Writes a line that may be longer than the others and exceed the limit, for the beginning and
    /// the end of a file. Blocks are not split, so it is written separately.
    pub(crate) fn long_line(&mut self, line: &[u8]) {
        self.flush();
        let (Some(file), None) = (&mut self.file, &self.error) else { return };
        let result = file.write_all(line).and_then(|()| file.write_all(b"\n"));
        self.note(line.len() + 1, result);
    }

    pub(crate) fn flush(&mut self) {
        let used = std::mem::take(&mut self.used);
        let (Some(file), None) = (&mut self.file, &self.error) else { return };
        let result = file.write_all(&self.block[..used]);
        self.note(used, result);
    }

    fn note(&mut self, bytes: usize, result: io::Result<()>) {
        match result {
            Ok(()) => self.written += bytes as u64,
            Err(error) => {
                if let Some(file) = &self.file {
                    // What a full disk has taken of the block goes, so that the file ends with a whole
                    // line. If that fails too, the reader says that the file has been cut short.
                    let _ = file.set_len(self.written);
                }
                self.error = Some(error);
            }
        }
        self.find_room();
    }

    /// Closes the file; returns how many bytes it has.
    pub(crate) fn close(&mut self) -> io::Result<u64> {
        self.flush();
        (self.file, self.begins_max) = (None, 0);
        self.error.take().map_or(Ok(self.written), Err)
    }
}

/// The hexadecimal digits of a number, the highest in the highest byte. All eight are computed at
/// once, because a loop over them took a tenth of the recording time.
#[inline]
fn eight_digits(number: u32) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut digits = u64::from(number);
    digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff;
    digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff;
    digits = (digits | digits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let is_letter = (digits + 6 * EACH) >> 4 & EACH;
    digits + u64::from(b'0') * EACH + is_letter * u64::from(b'a' - b'0' - 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_hexadecimal() {
        let mut writer = Box::new(Writer::new());
        [0, 1, 0xf, 0x10, 0xdead_beef, u64::MAX].iter().for_each(|&number| writer.number(number));
        let text = std::str::from_utf8(&writer.block[..writer.used]).expect("digits");
        assert_eq!(text, " 0 1 f 10 deadbeef ffffffffffffffff");
        for shift in 0..64 {
            for number in [1_u64 << shift, u64::MAX >> shift, 0x9e37_79b9_7f4a_7c15 >> shift] {
                writer.used = 0;
                writer.number(number);
                assert_eq!(writer.block[..writer.used], *format!(" {number:x}").as_bytes());
            }
        }
    }
}
