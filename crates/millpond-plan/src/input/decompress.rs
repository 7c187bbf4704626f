//! Plain, gzip and zstd input, detected by the first bytes and never by the name. Data that is cut short is an error,
//! or read up to its end.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::cut::{CutIn, Ending};
use crate::error::{Fault, reason, shown};

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// A frame of zstd that is skipped, after a first byte from 0x50 to 0x5f: pzstd writes one first.
const SKIPPED_MAGIC: &[u8] = &[0x2a, 0x4d, 0x18];

/// The last block of a zstd frame, without content, and a checksum.
const ZSTD_END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// The number of bytes read from the file at once.
const READ_BYTES: usize = 1 << 16;

/// The uncompressed text of a stored file.
pub(super) fn decompressed<'a>(
    stored: impl Read + 'a,
    ending: Ending,
) -> std::result::Result<Box<dyn Read + 'a>, Fault> {
    let mut stored = BufReader::with_capacity(READ_BYTES, stored);
    let head = stored.fill_buf().map_err(|e| Fault::at_byte(0, reason(&e)))?;
    if head.starts_with(GZIP_MAGIC) {
        Ok(Box::new(Gzip { members: MultiGzDecoder::new(stored), ending }))
    } else if head.starts_with(ZSTD_MAGIC) || begins_with_skipped_frame(head) {
        let frame = FrameDecoder::new();
        Ok(Box::new(Zstd { stored, frame, state: State::Between, ending }))
    } else {
        Ok(Box::new(stored))
    }
}

fn begins_with_skipped_frame(head: &[u8]) -> bool {
    head.first().is_some_and(|first| first & 0xf0 == 0x50) && head[1..].starts_with(SKIPPED_MAGIC)
}

/// gzip members one after the other, with errors that name their cause.
struct Gzip<R: BufRead> {
    members: MultiGzDecoder<R>,
    ending: Ending,
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.ending.met.get().is_some() {
            return Ok(0);
        }
        match self.members.read(buffer) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                self.ending.meet(CutIn::Gzip)?;
                Ok(0)
            }
            Err(e) if e.kind() != ErrorKind::Interrupted => {
                Err(Error::other(format!("the gzip data is damaged ({})", shown_error(&e))))
            }
            read => read,
        }
    }
}

/// zstd frames one after the other; skippable frames are skipped, checksums are compared.
struct Zstd<R: BufRead> {
    stored: R,
    frame: FrameDecoder,
    state: State,
    ending: Ending,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a frame, or after the last one.
    Between,
    InFrame,
    /// In a frame that has no end: what was decoded is still to be read.
    InCutFrame,
    /// After it.
    Cut,
}

impl<R: BufRead> Zstd<R> {
    /// Moves on to the next frame that has content; `false` at the end of the file.
    fn next_frame(&mut self) -> Result<bool> {
        while !self.stored.fill_buf()?.is_empty() {
            match self.frame.init(&mut self.stored) {
                Ok(()) => {
                    self.state = State::InFrame;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(u64::from(length))?,
                Err(e) if is_cut(&e) => self.meet_cut(State::Cut)?,
                Err(e) => return Err(damaged(&e)),
            }
        }
        Ok(false)
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        let skipped = std::io::copy(&mut self.stored.by_ref().take(length), &mut std::io::sink())?;
        if skipped < length {
            self.meet_cut(State::Cut)?;
        }
        Ok(())
    }

    /// Accepts that the data ends here, or does not.
    fn meet_cut(&mut self, state: State) -> Result<()> {
        self.ending.meet(CutIn::Zstd)?;
        self.state = state;
        Ok(())
    }

    fn decode_block(&mut self) -> Result<()> {
        let decoded =
            self.frame.decode_blocks(&mut self.stored, BlockDecodingStrategy::UptoBlocks(1));
        match decoded {
            Ok(_) => Ok(()),
            Err(e) if is_cut(&e) => {
                self.meet_cut(State::InCutFrame)?;
                // A decoder keeps its window until the frame has ended.
                let end = self.frame.decode_blocks(&ZSTD_END[..], BlockDecodingStrategy::All);
                end.map(drop).map_err(|e| damaged(&e))
            }
            Err(e) => Err(damaged(&e)),
        }
    }

    fn check_sum(&self) -> Result<()> {
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(stored), Some(found)) if stored != found => {
                Err(Error::other("the zstd data is damaged (its checksum does not match)"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            if self.state == State::Cut || (self.state == State::Between && !self.next_frame()?) {
                return Ok(0);
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                self.decode_block()?;
            }
            let n = self.frame.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            if self.state == State::InCutFrame {
                self.state = State::Cut;
            } else {
                self.check_sum()?;
                self.state = State::Between;
            }
        }
    }
}

/// Whether the data ends where it should go on.
fn is_cut(error: &FrameDecoderError) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(e) = cause {
        let io = e.downcast_ref::<Error>();
        if io.is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof) {
            return true;
        }
        cause = e.source();
    }
    false
}

fn damaged(error: &FrameDecoderError) -> Error {
    Error::other(format!("the zstd data is damaged ({})", shown(error.to_string().as_bytes())))
}

fn shown_error(error: &Error) -> String {
    shown(error.to_string().as_bytes())
}
