//! Text in UTF-16, text with a byte order mark, and lines that end with a carriage return, as UTF-8 with line feeds.

use std::borrow::Cow;
use std::io::{Read, Result};

use super::cut::{CutIn, Ending};

/// A name in a trace as text: UTF-8, or else Latin-1, in which every byte is a character.
#[must_use]
pub fn decoded(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(name) => name.into(),
        Err(_) => name.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// How a text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As it is expected.
    Plain,
    /// With a mark of three bytes, which is skipped.
    Marked,
    /// UTF-16 with the low byte first, as PowerShell's `>` writes it.
    Utf16Le,
    Utf16Be,
    /// With lines that end with a carriage return alone.
    CarriageReturns,
}

impl Encoding {
    /// The encoding of a text that begins like this.
    pub(super) fn of(beginning: &[u8]) -> Self {
        match beginning {
            [0xef, 0xbb, 0xbf, ..] => Self::Marked,
            [0xff, 0xfe, a, b, ..] if (*a, *b) != (0, 0) => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            [a, 0, b, 0, ..] if is_of_text(*a) && is_of_text(*b) => Self::Utf16Le,
            [0, a, 0, b, ..] if is_of_text(*a) && is_of_text(*b) => Self::Utf16Be,
            _ if has_only_carriage_returns(beginning) => Self::CarriageReturns,
            _ => Self::Plain,
        }
    }

    /// The number of bytes of its mark.
    pub(super) fn mark(self) -> usize {
        if self == Self::Marked { 3 } else { 0 }
    }
}

/// Traces begin with letters, digits and spaces.
fn is_of_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte == b' '
}

fn has_only_carriage_returns(beginning: &[u8]) -> bool {
    memchr::memchr(b'\n', beginning).is_none()
        && memchr::memchr(b'\r', beginning).is_some_and(|at| at + 1 < beginning.len())
}

/// The text as UTF-8 with line feeds.
pub(super) fn as_utf8<'a>(
    encoding: Encoding,
    text: Box<dyn Read + 'a>,
    ending: &Ending,
) -> Box<dyn Read + 'a> {
    match encoding {
        Encoding::Plain | Encoding::Marked => text,
        Encoding::CarriageReturns => Box::new(LineFeeds(text)),
        Encoding::Utf16Le => Box::new(FromUtf16::new(text, u16::from_le_bytes, ending.clone())),
        Encoding::Utf16Be => Box::new(FromUtf16::new(text, u16::from_be_bytes, ending.clone())),
    }
}

struct LineFeeds<R>(R);

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.0.read(buffer)?;
        for byte in &mut buffer[..read] {
            if *byte == b'\r' {
                *byte = b'\n';
            }
        }
        Ok(read)
    }
}

/// The number of bytes that are decoded at once.
const DECODED_BYTES: usize = 1 << 14;

/// UTF-16 as UTF-8. What is no character becomes `\u{fffd}`.
struct FromUtf16<R> {
    inner: R,
    unit: fn([u8; 2]) -> u16,
    ending: Ending,
    /// What has been read and not decoded: half a unit, or half a pair of surrogates.
    rest: Vec<u8>,
    decoded: Vec<u8>,
    /// What of it has been returned.
    given: usize,
    is_begun: bool,
}

impl<R: Read> FromUtf16<R> {
    fn new(inner: R, unit: fn([u8; 2]) -> u16, ending: Ending) -> Self {
        let (rest, decoded) = (Vec::new(), Vec::new());
        Self { inner, unit, ending, rest, decoded, given: 0, is_begun: false }
    }

    /// Decodes some more; `false` at the end.
    fn decode(&mut self) -> Result<bool> {
        let filled = self.rest.len();
        self.rest.resize(filled + DECODED_BYTES, 0);
        let read = self.inner.read(&mut self.rest[filled..])?;
        self.rest.truncate(filled + read);
        if read == 0 && self.rest.len() % 2 == 1 {
            self.ending.meet(CutIn::Text)?;
        }
        let mut units: Vec<u16> =
            self.rest.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])).collect();
        let is_first_of_pair = |unit: &u16| (0xd800..0xdc00).contains(unit);
        if read > 0 && units.last().is_some_and(is_first_of_pair) {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        if read == 0 {
            self.rest.clear();
        }
        let mark = usize::from(!self.is_begun && units.first() == Some(&0xfeff));
        self.is_begun |= !units.is_empty();
        self.decoded.clear();
        self.given = 0;
        for decoded in char::decode_utf16(units.into_iter().skip(mark)) {
            let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(read > 0)
    }
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.given == self.decoded.len() {
            if !self.decode()? && self.decoded.is_empty() {
                return Ok(0);
            }
        }
        let n = buffer.len().min(self.decoded.len() - self.given);
        buffer[..n].copy_from_slice(&self.decoded[self.given..self.given + n]);
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Drops<'b>(&'b [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let n = self.0.len().min(1).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn read(bytes: &[u8]) -> (String, Option<CutIn>) {
        let ending = Ending { is_accepted: true, ..Ending::default() };
        let mut text = String::new();
        let inner = Box::new(Drops(bytes));
        as_utf8(Encoding::of(bytes), inner, &ending).read_to_string(&mut text).expect("text");
        (text, ending.met.get())
    }

    #[test]
    fn utf_16_is_read_in_both_orders_with_and_without_a_mark() {
        let text = "tick,Grün 🎆\n";
        for mark in ["", "\u{feff}"] {
            let units = || mark.encode_utf16().chain(text.encode_utf16());
            let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            for bytes in [little, big] {
                assert_eq!(read(&bytes), (text.to_owned(), None), "{bytes:?}");
                let (cut, what) = read(&bytes[..bytes.len() - 1]);
                assert_eq!((cut.as_str(), what), (text.trim_end(), Some(CutIn::Text)));
            }
        }
        // Half a pair of surrogates.
        assert_eq!(read(b"a\0b\0\x3d\xd8").0, "ab\u{fffd}");
    }

    #[test]
    fn a_name_is_utf_8_or_latin_1() {
        assert_eq!(decoded("Grün".as_bytes()), "Grün");
        assert_eq!(decoded(b"Gr\xfcn"), "Grün");
    }

    #[test]
    fn lines_may_end_with_a_carriage_return() {
        assert_eq!(read(b"a,b\rc,d\r").0, "a,b\nc,d\n");
        assert_eq!(Encoding::of(b"a,b\r\nc,d\r\n"), Encoding::Plain);
        assert_eq!(Encoding::of(b"a,b\r"), Encoding::Plain, "what follows is not known");
        assert_eq!(Encoding::of(b"\xef\xbb\xbfa"), Encoding::Marked);
        assert_eq!(Encoding::of(b""), Encoding::Plain);
    }
}
