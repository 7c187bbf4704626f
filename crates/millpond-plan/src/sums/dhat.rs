//! Files of DHAT: of valgrind's tool from version 3.15 on, and of the crate dhat-rs.
//!
//! Both are JSON, one object for each call stack (a program point, `pps`), and then a table of frames (`ftbl`). Names of
//! functions and files are bytes, which need not be UTF-8.
//!
//! What a point's figures are worth depends on who wrote them. `tbk` counts all blocks, `gbk` those that were alive when the
//! program had most bytes, and `ebk` those at its end. `mbk` is the number of blocks when the *point* had most bytes,
//! for dhat-rs and for valgrind 3.15 and 3.16; since 3.17 valgrind notes it only while the whole program has more bytes
//! than ever before, so it is zero for what comes and goes at other times.
//!
//! valgrind adds `acc`, a count for each byte of a block, exactly where all blocks of a point have one size of at most
//! 1,024 bytes: it proves the size. Without it, a size is a mean, unless there was one block.

use std::fmt;
use std::io::BufReader;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{AtOnce, Site, Size, Sums, Tool};
use crate::error::{Fault, Place, shown, shown_start};
use crate::input::{Bytes, Cut, CutIn, Input, LineBegins};
use crate::reading::{Reading, Reason};
use crate::trace::{Frame, StacksOfSums};

const WITHOUT_BLOCKS: Reason = Reason {
    name: "call-stack-without-blocks",
    one: "that requested no block",
    many: "that requested no block",
};

/// Whether a text that begins like this is a file of DHAT.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let start = beginning.iter().filter(|byte| !byte.is_ascii_whitespace());
    start.take(KEY.len()).eq(KEY)
}

const KEY: &[u8] = b"{\"dhatFileVersion\"";

/// Reads a file from its beginning.
pub(super) fn read(input: Input<'_>) -> Result<Sums, Fault> {
    let mut file = DhatFile::default();
    let offset = input.mark_bytes();
    let mut text = LineBegins::new(BufReader::new(Bytes::new(input)), offset);
    let mut json = serde_json::Deserializer::from_reader(&mut text);
    let read = (&mut file).deserialize(&mut json).and_then(|()| json.end());
    let cut = match read {
        Ok(()) => None,
        Err(error) => Some(cut_at(&error, &text, file.points.len())?),
    };
    file.sums(cut)
}

/// Where the file ends too early, if that is what is wrong with it and is accepted.
fn cut_at(
    error: &serde_json::Error,
    text: &LineBegins<BufReader<Bytes<'_>>>,
    points: usize,
) -> Result<Cut, Fault> {
    let bytes = text.get_ref().get_ref();
    if let Some(fault) = bytes.fault() {
        return Err(fault.clone());
    }
    let line = error.line() as u64;
    let byte = text.begin_of(line);
    let place = Place::Line { line, byte };
    if !error.is_eof() {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&*message, |(what, _)| what);
        let message = format!("column {}: {}", error.column(), shown(message.as_bytes()));
        return Err(Fault { place, message });
    }
    if points == 0 {
        let message = "the file is cut short before its first call stack".to_owned();
        return Err(Fault { place, message });
    }
    let input = bytes.input();
    let cut = Cut { what: input.cut_in().unwrap_or(CutIn::Text), line, byte };
    if input.accepts_cut() { Ok(cut) } else { Err(cut.fault()) }
}

/// What is in a file, as far as it was read.
#[derive(Default)]
struct DhatFile {
    version: u64,
    command: Vec<u8>,
    /// What lives are measured in, at the end of the program.
    end: u64,
    is_of_rust: bool,
    points: Vec<Point>,
    frames: Vec<Vec<u8>>,
}

/// The figures of a call stack.
#[derive(Default)]
struct Point {
    total: Counted,
    /// All lives together.
    lives: u64,
    most: Counted,
    at_peak: Counted,
    at_end: Counted,
    /// The size of all blocks, where a count of accesses for each byte proves it.
    size: Option<u64>,
    frames: Vec<u32>,
}

#[derive(Default, Clone, Copy)]
struct Counted {
    blocks: u64,
    bytes: u64,
}

impl Counted {
    /// Whether these bytes are those of blocks of this size.
    fn fits(self, size: u64) -> bool {
        self.blocks.checked_mul(size) == Some(self.bytes)
    }
}

impl Point {
    /// The size of its blocks, as far as its figures tell.
    fn size(&self) -> Size {
        let (blocks, bytes) = (self.total.blocks, self.total.bytes);
        let mean = bytes as f64 / blocks as f64;
        let whole = bytes / blocks;
        let fits = |of: &Counted| of.fits(whole);
        match self.size {
            _ if blocks == 1 => Size::Exactly(bytes),
            Some(size) if self.total.fits(size) => Size::Exactly(size),
            None if [self.total, self.most, self.at_peak, self.at_end].iter().all(fits) => {
                Size::Assumed(whole)
            }
            _ => Size::Mean(mean),
        }
    }
}

impl DhatFile {
    fn sums(mut self, cut: Option<Cut>) -> Result<Sums, Fault> {
        let tool = match (self.is_of_rust, self.version) {
            (true, _) => Tool::DhatRs,
            (false, version) => Tool::Dhat { keeps_peaks: version < 2 },
        };
        let has_acc = self.points.iter().any(|point| point.size.is_some());
        let peak = self.points.iter().map(|point| point.at_peak.bytes);
        let peak_bytes = peak.fold(0, u64::saturating_add);
        let mut stacks = StacksOfSums::default();
        let mut numbers = Vec::with_capacity(self.frames.len());
        for text in &self.frames {
            numbers.push(stacks.frame(&frame(text)).map_err(Fault::whole)?);
        }
        let mut reading = Reading::of("call stack");
        reading.read = self.points.len() as u64;
        let without_blocks = self.points.extract_if(.., |point| point.total.blocks == 0);
        reading.pass_over_many(&WITHOUT_BLOCKS, without_blocks.count() as u64);
        let mut sites = Vec::with_capacity(self.points.len());
        for point in &self.points {
            let known = point.frames.iter().rev().filter_map(|&at| numbers.get(at as usize));
            if cut.is_none() && known.clone().count() < point.frames.len() {
                let most = self.frames.len();
                let why = format!("a call stack names a frame that is not in the table of {most}");
                return Err(Fault::whole(why));
            }
            let mean = point.total.bytes / point.total.blocks;
            stacks.stack(known.copied(), point.total.blocks, mean).map_err(Fault::whole)?;
            let peak_bytes = cut.is_none().then_some(peak_bytes);
            sites.push(self.site(point, tool, has_acc, peak_bytes));
        }
        if sites.is_empty() {
            return Err(Fault::whole("contains no allocation, expected at least one block"));
        }
        Ok(Sums {
            tool,
            command: self.command,
            sites,
            stacks,
            peak_bytes: cut.is_none().then_some(peak_bytes),
            reading,
            cut,
        })
    }

    fn site(&self, point: &Point, tool: Tool, has_acc: bool, peak_bytes: Option<u64>) -> Site {
        let size = match point.size() {
            // valgrind has a count for each byte of small blocks of one size, so without it there were several.
            Size::Assumed(size) if has_acc && size <= ACC_BYTES_MAX => Size::Mean(size as f64),
            size => size,
        };
        let blocks = point.total.blocks;
        let on_average = match self.end {
            0 => None,
            end => Some(point.lives as f64 / end as f64),
        };
        let average = on_average.map_or(0, |mean| (mean.ceil() as u64).min(blocks));
        let counted = [point.most, point.at_peak, point.at_end].map(|of| of.blocks);
        let least = counted.into_iter().fold(average.max(1), u64::max);
        let most = match size {
            // The most bytes are the most blocks, if all have one size.
            Size::Exactly(bytes) | Size::Assumed(bytes) if tool.keeps_peaks() && bytes > 0 => least,
            Size::Exactly(bytes @ 1..) => {
                let fit = peak_bytes.map_or(u64::MAX, |peak| peak / bytes);
                fit.clamp(least, blocks)
            }
            _ => blocks,
        };
        Site {
            blocks,
            bytes: point.total.bytes,
            size,
            at_once: AtOnce { least, most },
            at_peak: point.at_peak.blocks,
            left: point.at_end.blocks,
            on_average,
        }
    }
}

/// The most blocks of a call stack: more than a program requests in a month, and the sums of all stacks stay numbers.
const BLOCKS_MAX: u64 = 1 << 38;

/// The largest blocks whose bytes valgrind counts.
const ACC_BYTES_MAX: u64 = 1024;

/// A frame of the table: `0x1234: function (file:line)`, or `(in module)`.
fn frame(text: &[u8]) -> Frame<'_> {
    let (address, rest) = match memchr::memmem::find(text, b": ") {
        Some(at) if text.starts_with(b"0x") => {
            (crate::trace::hexadecimal(&text[2..at]).unwrap_or(0), &text[at + 2..])
        }
        _ => (0, text),
    };
    let (function, place) = match memchr::memmem::rfind(rest, b" (") {
        Some(at) if rest.ends_with(b")") => (&rest[..at], &rest[at + 2..rest.len() - 1]),
        _ => (rest, &b""[..]),
    };
    let function = if function == b"???" { b"" } else { function };
    match place.strip_prefix(b"in ") {
        Some(module) => Frame { address, function, file: b"", module },
        None => Frame { address, function, file: file_of(place), module: b"" },
    }
}

/// The file of a place in the source: `file:line`, or `file:line:column`.
fn file_of(place: &[u8]) -> &[u8] {
    let mut file = place;
    while let Some(at) = memchr::memrchr(b':', file) {
        if at + 1 == file.len() || !file[at + 1..].iter().all(u8::is_ascii_digit) {
            break;
        }
        file = &file[..at];
    }
    if file == b"???" { b"" } else { file }
}

impl<'de> DeserializeSeed<'de> for &mut DhatFile {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut DhatFile {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a file of DHAT")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut has_points, mut has_frames) = (false, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "dhatFileVersion" => self.version = version(map.next_value()?)?,
                "mode" => self.is_of_rust = is_of_rust(&map.next_value::<Text>()?.0)?,
                "cmd" => self.command = map.next_value::<Text>()?.0,
                "te" | "ei" => self.end = map.next_value()?,
                "pps" | "aps" => {
                    has_points = true;
                    map.next_value_seed(Each(&mut self.points))?;
                }
                "ftbl" => {
                    has_frames = true;
                    map.next_value_seed(Each(&mut self.frames))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match has_points && has_frames {
            true => Ok(()),
            false => Err(A::Error::custom("the file has no `pps` and `ftbl`, expected both")),
        }
    }
}

fn version<E: Error>(version: u64) -> Result<u64, E> {
    match version {
        1 | 2 => Ok(version),
        _ => Err(E::custom(format!("version {version} of DHAT's file, expected 1 or 2"))),
    }
}

fn is_of_rust<E: Error>(mode: &[u8]) -> Result<bool, E> {
    match mode {
        b"heap" => Ok(false),
        b"rust-heap" => Ok(true),
        _ => Err(E::custom(format!(
            "mode `{}` counts no blocks of memory, expected `heap` or `rust-heap`",
            shown_start(mode)
        ))),
    }
}

/// A string in any bytes.
#[derive(Default)]
struct Text(Vec<u8>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct OfText;
        impl Visitor<'_> for OfText {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: Error>(self, text: &[u8]) -> Result<Text, E> {
                Ok(Text(text.to_vec()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.as_bytes().to_vec()))
            }
        }
        json.deserialize_bytes(OfText)
    }
}

/// Collects the items of a list, so that those before the end of a file that is cut short are there.
struct Each<'l, T>(&'l mut Vec<T>);

impl<'de, T: OfJson> DeserializeSeed<'de> for Each<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, T: OfJson> Visitor<'de> for Each<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element::<T::Json>()? {
            self.0.push(T::of_json(item).map_err(A::Error::custom)?);
        }
        Ok(())
    }
}

/// What is made from an item of a list.
trait OfJson: Sized {
    type Json: for<'de> Deserialize<'de>;

    /// The item, or what is wrong with it.
    fn of_json(json: Self::Json) -> Result<Self, String>;
}

impl OfJson for Vec<u8> {
    type Json = Text;

    fn of_json(Text(text): Text) -> Result<Self, String> {
        Ok(text)
    }
}

/// A point as it is written. In version 1 the list is `aps`, lives are `tli`, `fb` and `fbk` are what was left at the end,
/// and the end itself is `ei`.
#[derive(Deserialize)]
struct PointJson {
    tb: u64,
    tbk: u64,
    #[serde(default, alias = "tli")]
    tl: u64,
    #[serde(default)]
    mb: u64,
    #[serde(default)]
    mbk: u64,
    #[serde(default)]
    gb: u64,
    #[serde(default)]
    gbk: u64,
    #[serde(default, alias = "fb")]
    eb: u64,
    #[serde(default, alias = "fbk")]
    ebk: u64,
    #[serde(default)]
    acc: Option<Vec<i64>>,
    #[serde(default)]
    fs: Vec<u32>,
}

impl OfJson for Point {
    type Json = PointJson;

    fn of_json(json: PointJson) -> Result<Self, String> {
        let counted = |blocks, bytes| Counted { blocks, bytes };
        let point = Self {
            total: counted(json.tbk, json.tb),
            lives: json.tl,
            most: counted(json.mbk, json.mb),
            at_peak: counted(json.gbk, json.gb),
            at_end: counted(json.ebk, json.eb),
            size: json.acc.map(|acc| bytes_counted(&acc)),
            frames: json.fs,
        };
        let at_once = point.most.blocks.max(point.at_peak.blocks).max(point.at_end.blocks);
        if point.total.blocks > BLOCKS_MAX {
            let blocks = point.total.blocks;
            return Err(format!("a call stack requested {blocks} blocks, expected at most 2^38"));
        }
        match at_once <= point.total.blocks {
            true => Ok(point),
            false => Err(format!(
                "a call stack requested {} blocks, of which {at_once} were alive at once",
                point.total.blocks
            )),
        }
    }
}

/// The number of bytes with a count: a number below zero says how often the next one is repeated.
fn bytes_counted(acc: &[i64]) -> u64 {
    let mut bytes = 0_u64;
    let mut repeated = 1;
    for &number in acc {
        if number < 0 {
            repeated = number.unsigned_abs();
        } else {
            bytes = bytes.saturating_add(repeated);
            repeated = 1;
        }
    }
    bytes
}
