//! Plain, gzip and zstd input, detected by the first bytes and never by the name.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::error::{Fault, reason, shown};

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The number of bytes read from the file at once.
const READ_BYTES: usize = 1 << 16;

/// The uncompressed text of a stored file.
pub(super) fn decompressed<'a>(
    stored: impl Read + 'a,
) -> std::result::Result<Box<dyn Read + 'a>, Fault> {
    let mut stored = BufReader::with_capacity(READ_BYTES, stored);
    let head = stored.fill_buf().map_err(|e| Fault::at_byte(0, reason(&e)))?;
    if head.starts_with(GZIP_MAGIC) {
        Ok(Box::new(Gzip(MultiGzDecoder::new(stored))))
    } else if head.starts_with(ZSTD_MAGIC) {
        Ok(Box::new(Zstd { stored, frame: FrameDecoder::new(), in_frame: false }))
    } else {
        Ok(Box::new(stored))
    }
}

/// gzip members one after the other, with errors that name their cause.
struct Gzip<R: BufRead>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer).map_err(|e| match e.kind() {
            ErrorKind::Interrupted => e,
            ErrorKind::UnexpectedEof => Error::other("the gzip data is cut short"),
            _ => Error::other(format!("the gzip data is damaged ({})", shown_error(&e))),
        })
    }
}

/// zstd frames one after the other; skippable frames are skipped, checksums are compared.
struct Zstd<R: BufRead> {
    stored: R,
    frame: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    /// Moves on to the next frame that has content; `false` at the end of the file.
    fn next_frame(&mut self) -> Result<bool> {
        while !self.stored.fill_buf()?.is_empty() {
            match self.frame.init(&mut self.stored) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(u64::from(length))?,
                Err(e) => return Err(damaged(&e)),
            }
        }
        Ok(false)
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        let skipped = std::io::copy(&mut self.stored.by_ref().take(length), &mut std::io::sink())?;
        if skipped < length {
            return Err(Error::other("the zstd data is cut short"));
        }
        Ok(())
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
            if !self.in_frame && !self.next_frame()? {
                return Ok(0);
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                self.frame
                    .decode_blocks(&mut self.stored, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|e| damaged(&e))?;
            }
            let n = self.frame.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            self.check_sum()?;
            self.in_frame = false;
        }
    }
}

fn damaged(error: &FrameDecoderError) -> Error {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(e) = cause {
        if let Some(io) = e.downcast_ref::<Error>()
            && io.kind() == ErrorKind::UnexpectedEof
        {
            return Error::other("the zstd data is cut short");
        }
        cause = e.source();
    }
    Error::other(format!("the zstd data is damaged ({})", shown(error.to_string().as_bytes())))
}

fn shown_error(error: &Error) -> String {
    shown(error.to_string().as_bytes())
}
