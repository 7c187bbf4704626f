//! An input as a reader.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::source::Input;
use crate::error::Fault;

/// An input as a reader, for parsers that take one.
#[derive(Debug)]
pub(crate) struct Bytes<'a> {
    input: Input<'a>,
    fault: Option<Fault>,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        Self { input, fault: None }
    }

    /// The input that is read.
    pub(crate) fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// Why it could not be read, if that is what ended the reading. A parser may say less.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).map_err(|fault| {
            let error = io::Error::other(fault.to_string());
            self.fault = Some(fault);
            error
        })
    }
}

/// How many lines back an error may be from where its parser has read to.
const LINES_KEPT: usize = 16;

/// Knows where the last lines of a text begin, for parsers that tell an error by its line.
#[derive(Debug)]
pub(crate) struct LineBegins<R> {
    inner: R,
    read: u64,
    /// The number of each line, from 1, and the offset of its first byte.
    begins: VecDeque<(u64, u64)>,
}

impl<R> LineBegins<R> {
    /// A text whose first line begins at this offset.
    pub(crate) fn new(inner: R, offset: u64) -> Self {
        Self { inner, read: offset, begins: VecDeque::from([(1, offset)]) }
    }

    pub(crate) fn get_ref(&self) -> &R {
        &self.inner
    }

    /// The offset of the first byte of a line that was read lately.
    pub(crate) fn begin_of(&self, line: u64) -> u64 {
        let begin = self.begins.iter().find(|begin| begin.0 == line).or(self.begins.front());
        begin.map_or(0, |begin| begin.1)
    }
}

impl<R: Read> Read for LineBegins<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        for end in memchr::memchr_iter(b'\n', &buffer[..read]) {
            let line = self.begins.back().map_or(1, |last| last.0) + 1;
            if self.begins.len() == LINES_KEPT {
                self.begins.pop_front();
            }
            self.begins.push_back((line, self.read + end as u64 + 1));
        }
        self.read += read as u64;
        Ok(read)
    }
}
