//! heaptrack files: what `heaptrack ./program` records, in its interpreted form.
//!
//! A line is a record, identified by its first byte. Numbers are hexadecimal. An allocation names only its *kind* (a
//! size requested from a call stack), and so does a deallocation: the file does not say which live object of the kind
//! dies. This importer takes the newest; a plan also tries the [oldest](super::oldest_first). Counts, bytes, peaks and the
//! mean length of a lifetime are exact in any case.

use super::allocations::{Allocations, KindCounts, check_room_for_kind};
use super::fields::hexadecimal;
use super::live_keys::LiveKeys;
use super::neighbours::{KindOfClass, Neighbours};
use super::sizes::Sizes;
use super::stacks::CallStacks;
use super::{Event, HeapFormat, Records, Summary, Watch, read_lines};
use crate::error::{Fault, shown, shown_start};
use crate::input::Lines;
use crate::progress::Progress;

/// The newest supported file version.
const FILE_VERSION_MAX: u64 = 3;

/// Whether a text that begins like this is a heaptrack file.
pub(super) fn recognises(text: &[u8]) -> bool {
    text.strip_prefix(b"v ").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_hexdigit))
}

/// Reads a heaptrack file whose first block has been read.
pub(super) fn read(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    read_lines(lines, 0, Reader::default(), watch, progress)
}

/// A kind of allocation: a size requested from a call stack.
struct Kind {
    counts: KindCounts,
    /// The keys of the live objects, the newest last.
    live: Vec<u32>,
}

#[derive(Default)]
struct Reader {
    kinds: Vec<Kind>,
    sizes: Sizes,
    stacks: CallStacks,
    keys: LiveKeys,
    neighbours: Neighbours,
    first_tick: u32,
    tick: u32,
    timestamps: u64,
    births: u64,
    deaths: u64,
}

impl Reader {
    /// A record that is not an event.
    fn rare_line(&mut self, line: &[u8]) -> Result<(), String> {
        let Some((&record, rest)) = line.split_first() else {
            return Ok(());
        };
        let rest = match rest {
            [] => rest,
            [b' ', rest @ ..] => rest,
            _ if record == b'#' => rest,
            _ => return Err(unknown_record(line)),
        };
        match record {
            b'c' => self.clock(rest),
            b'a' => self.kind(rest),
            b's' => self.stacks.string(rest),
            b'i' => self.stacks.instruction(rest),
            b't' => self.stacks.node(rest),
            b'v' => self.version(rest),
            // Command line, system, resident memory, suppression, attached, comment.
            b'X' | b'I' | b'R' | b'S' | b'A' | b'#' => Ok(()),
            _ => Err(unknown_record(line)),
        }
    }

    fn version(&mut self, text: &[u8]) -> Result<(), String> {
        let mut fields = text.split(|&b| b == b' ');
        let (Some(_), Some(file_version)) =
            (fields.next().and_then(hexadecimal), fields.next().and_then(hexadecimal))
        else {
            return Err(format!("`v {}`, expected `v VERSION FILEVERSION`", shown(text)));
        };
        if !(1..=FILE_VERSION_MAX).contains(&file_version) {
            return Err(format!(
                "heaptrack file version {file_version}, expected 1 to {FILE_VERSION_MAX}"
            ));
        }
        self.stacks.strings_have_lengths(file_version >= 3);
        Ok(())
    }

    fn clock(&mut self, text: &[u8]) -> Result<(), String> {
        let Some(tick) = hexadecimal(text).and_then(|ms| u32::try_from(ms).ok()) else {
            return Err(format!(
                "time `{}`, expected milliseconds as a hexadecimal number below 2^32",
                shown(text)
            ));
        };
        if tick < self.tick {
            return Err(format!(
                "time {tick:x} comes after {:x}, expected times in ascending order",
                self.tick
            ));
        }
        self.tick = tick;
        self.timestamps += 1;
        Ok(())
    }

    fn kind(&mut self, text: &[u8]) -> Result<(), String> {
        let mut fields = text.split(|&b| b == b' ').map(hexadecimal);
        let (Some(Some(bytes)), Some(Some(stack)), None) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("`a {}`, expected `a SIZE TRACE`", shown(text)));
        };
        let stack = self.stacks.stack(stack)?;
        check_room_for_kind(self.kinds.len())?;
        let class = self.sizes.class(bytes)?;
        let counts = KindCounts { class, stack, births: 0 };
        self.kinds.push(Kind { counts, live: Vec::new() });
        Ok(())
    }

    #[inline]
    fn birth(&mut self, text: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        let kind = self.known_kind(b'+', text)?;
        let key = self.keys.take()?;
        if self.births == 0 {
            self.first_tick = self.tick;
        }
        let Kind { counts, live } = &mut self.kinds[kind as usize];
        counts.births += 1;
        live.push(key);
        self.births += 1;
        let class = counts.class;
        let bytes = Some(self.sizes.bytes(class));
        watch.birth(Event { tick: self.tick, class, kind, key, bytes });
        self.neighbours.event(KindOfClass { kind, class }, true);
        Ok(())
    }

    #[inline]
    fn death(&mut self, text: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        let kind = self.known_kind(b'-', text)?;
        let Kind { counts, live } = &mut self.kinds[kind as usize];
        let Some(key) = live.pop() else {
            return Err(format!(
                "an allocation of kind {} is freed but none is alive, expected an earlier `+`",
                shown(text)
            ));
        };
        let class = counts.class;
        self.keys.give_back(key);
        self.deaths += 1;
        watch.death(Event { tick: self.tick, class, kind, key, bytes: None });
        self.neighbours.event(KindOfClass { kind, class }, false);
        Ok(())
    }

    /// The number of the kind that an event names.
    #[inline]
    fn known_kind(&self, sign: u8, text: &[u8]) -> Result<u32, String> {
        match hexadecimal(text) {
            Some(number) if number < self.kinds.len() as u64 => Ok(number as u32),
            _ => Err(unknown_kind(sign, text, self.kinds.len())),
        }
    }
}

impl Records for Reader {
    #[inline]
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        match line {
            [b'+', b' ', kind @ ..] => self.birth(kind, watch),
            [b'-', b' ', kind @ ..] => self.death(kind, watch),
            _ => self.rare_line(line),
        }
    }

    fn events(&self) -> u64 {
        self.births + self.deaths
    }

    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        if self.births == 0 {
            return Err(Fault::whole(
                "contains no allocation, expected at least one `+` line (did the program start and end \
                 immediately?)",
            ));
        }
        for kind in &self.kinds {
            for &key in &kind.live {
                watch.left(kind.counts.class, key, self.tick);
            }
        }
        let ticks = self.first_tick..=self.tick;
        let allocations = Allocations {
            stacks: self.stacks,
            kinds: self.kinds.into_iter().map(|kind| kind.counts).collect(),
            neighbours: self.neighbours.into_counts(),
            sizes: self.sizes.into_sizes(),
        };
        let format = HeapFormat::Heaptrack;
        Ok(Summary::of_heap(format, ticks, self.timestamps, self.deaths, allocations))
    }
}

fn unknown_record(line: &[u8]) -> String {
    let line = shown_start(line);
    format!(
        "`{line}` is not a known record, expected one of v X I s i t a + - c R S A # \
         (a raw recording has `x` and `m` first)"
    )
}

fn unknown_kind(sign: u8, text: &[u8], kinds: usize) -> String {
    format!(
        "`{} {}`, expected the hexadecimal number of one of the {kinds} kinds (`a` lines) so far",
        char::from(sign),
        shown(text)
    )
}
