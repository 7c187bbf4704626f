//! Lifetime traces: `tick,event,id,class` lines.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::born_ids::BornIds;
use super::classes::Classes;
use super::clock::Clock;
use super::columns::{split, wrong_columns};
use super::fields::decimal;
use super::live::{self, Lacking};
use super::live_keys::LiveKeys;
use super::unit::{NS_PER_MS, Unit};
use super::{End, Event, Format, Records, Summary, Watch, read_lines};
use crate::error::{Fault, Place, shown};
use crate::input::{Lines, decoded, lines_of};
use crate::progress::Progress;
use crate::reading::{Reading, Reason};

const HEADER: &[u8] = b"tick,event,id,class";

/// An object that was born before the recording began.
const UNKNOWN_OBJECT: Reason = Reason {
    name: "free-of-unknown-object",
    one: "end of an object whose beginning was not recorded",
    many: "ends of objects whose beginnings were not recorded",
};

/// Whether a text that begins like this is a lifetime trace.
pub(super) fn recognises(text: &[u8]) -> bool {
    text.strip_prefix(HEADER).is_some_and(|rest| matches!(rest.first(), Some(b',' | b'\r' | b'\n')))
}

/// Reads a lifetime trace whose first block has been read.
pub(super) fn read(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    let header = lines_of(lines.block()).next().map_or(&[][..], |(_, line)| line);
    read_lines(lines, 1, Reader::new(header), watch, progress)
}

/// A live object.
#[derive(Clone, Copy)]
struct Live {
    key: u32,
    class: u32,
}

struct Reader {
    classes: Classes,
    live: HashMap<u64, Live, foldhash::fast::RandomState>,
    born: BornIds,
    keys: LiveKeys,
    /// The column of the size, counted from 0 after the fourth column.
    size_column: Option<usize>,
    /// The column of an event's time, counted likewise, and its unit; in live traces, only statistics have one.
    time_column: Option<(usize, Unit)>,
    clock: Clock,
    /// Whether it is a live trace, which also contains statistics.
    is_live: bool,
    lacking: Lacking,
    has_end: bool,
    first_tick: Option<u32>,
    tick: u32,
    births: u64,
    deaths: u64,
    reading: Reading,
}

impl Reader {
    fn new(header: &[u8]) -> Self {
        let column =
            |wanted: &[u8]| header.split(|&b| b == b',').skip(4).position(|name| name == wanted);
        let time_column = || {
            let mut names = header.split(|&b| b == b',').skip(4).enumerate();
            names.find_map(|(place, name)| Some((place, Unit::of_column(name)?)))
        };
        let is_live = header == live::HEADER;
        Self {
            classes: Classes::default(),
            live: HashMap::default(),
            born: BornIds::default(),
            keys: LiveKeys::default(),
            size_column: column(b"size"),
            time_column: if is_live { None } else { time_column() },
            clock: Clock::default(),
            is_live,
            lacking: Lacking::default(),
            has_end: false,
            first_tick: None,
            tick: 0,
            births: 0,
            deaths: 0,
            reading: Reading::default(),
        }
    }

    #[inline]
    fn turn_to(&mut self, text: &[u8]) -> Result<(), String> {
        let Some(tick) = decimal(text).and_then(|tick| u32::try_from(tick).ok()) else {
            return Err(format!("tick `{}`, expected a number from 0 to 2^32 - 1", shown(text)));
        };
        if tick < self.tick {
            return Err(format!(
                "tick {tick} comes after tick {}, expected times in ascending order",
                self.tick
            ));
        }
        self.tick = tick;
        if self.first_tick.is_none() {
            self.first_tick = Some(tick);
        }
        Ok(())
    }

    #[inline]
    fn birth(
        &mut self,
        id: u64,
        class: &[u8],
        bytes: Option<u64>,
        watch: &mut dyn Watch,
    ) -> Result<(), String> {
        let class = self.classes.number(class)?;
        match self.live.entry(id) {
            Entry::Occupied(_) => Err(format!("id {id} is still alive, expected another id")),
            Entry::Vacant(_) if !self.born.insert(id) => {
                Err(format!("id {id} was used before, expected another id"))
            }
            Entry::Vacant(place) => {
                let key = self.keys.take()?;
                place.insert(Live { key, class });
                self.births += 1;
                watch.birth(Event { tick: self.tick, class, kind: class, key, bytes });
                Ok(())
            }
        }
    }

    #[inline]
    fn death(&mut self, id: u64, class: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        let Entry::Occupied(place) = self.live.entry(id) else {
            if !self.born.contains(id) {
                self.reading.pass_over(&UNKNOWN_OBJECT);
                return Ok(());
            }
            return Err(format!("id {id} is freed but not alive, expected an earlier `alloc`"));
        };
        let live = *place.get();
        let born_as = self.classes.name(live.class);
        if born_as != class && born_as != decoded(class).as_bytes() {
            return Err(format!(
                "id {id} is freed as `{}`, expected `{}` as in its `alloc`",
                shown(class),
                shown(born_as)
            ));
        }
        place.remove();
        self.keys.give_back(live.key);
        self.deaths += 1;
        let Live { class, key } = live;
        watch.death(Event { tick: self.tick, class, kind: class, key, bytes: None });
        Ok(())
    }
}

impl Records for Reader {
    #[inline]
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String> {
        let Some((tick, event, id, class, rest)) = split(line) else {
            return Err(wrong_columns(line));
        };
        self.turn_to(tick)?;
        let id_text = id;
        let Some(id) = decimal(id_text) else {
            return Err(format!("id `{}`, expected a number from 0 to 2^64 - 1", shown(id_text)));
        };
        if let Some((column, unit)) = self.time_column {
            let text = rest.split(|&b| b == b',').nth(column).unwrap_or(&[]);
            self.clock.note(self.tick, unit.ns(text)?, unit)?;
        }
        if self.is_live && matches!(event, b"alloc" | b"free") {
            live::slot(rest)?;
        }
        match event {
            b"alloc" => {
                let bytes = match self.size_column {
                    Some(column) => Some(number(rest, column, "size")?),
                    None => None,
                };
                self.birth(id, class, bytes, watch)
            }
            b"free" => self.death(id, class, watch),
            b"stats" if self.is_live => {
                let stats = live::pool_stats(id_text, class, rest)?;
                self.lacking.note(&stats);
                self.clock.note(self.tick, stats.ms.saturating_mul(NS_PER_MS), Unit::Ms)
            }
            b"end" if self.is_live => {
                self.has_end = true;
                Ok(())
            }
            _ => Err(format!("event `{}`, expected `alloc` or `free`", shown(event))),
        }
    }

    fn events(&self) -> u64 {
        self.births + self.deaths
    }

    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault> {
        let Some(first_tick) = self.first_tick else {
            return Err(Fault {
                place: Place::Line { line: 1, byte: 0 },
                message: match self.is_live {
                    true => "nothing follows the header, expected at least one event; did the program end before \
                             `Recorder::finish`?",
                    false => "nothing follows the header, expected at least one event",
                }
                .to_owned(),
            });
        };
        for live in self.live.values() {
            watch.left(live.class, live.key, self.tick);
        }
        Ok(Summary {
            format: Format::Lifetimes,
            first_tick,
            last_tick: self.tick,
            ticks_per_second: self.clock.ticks_per_second(),
            timestamps: None,
            frames: None,
            ms_in_frames: None,
            births: self.births,
            deaths: self.deaths,
            classes: self.classes.into_names(),
            allocations: None,
            missing_events: self.lacking.dropped,
            end: self.is_live.then_some(if self.has_end { End::Whole } else { End::Missing }),
            cut: None,
            has_pools: self.is_live,
            refused: self.lacking.refused,
            full: self.lacking.full,
            reading: self.reading,
        })
    }
}

/// A number in one of the columns after the fourth, which are `rest`.
fn number(rest: &[u8], column: usize, what: &str) -> Result<u64, String> {
    let text = rest.split(|&b| b == b',').nth(column).unwrap_or(&[]);
    decimal(text)
        .ok_or_else(|| format!("{what} `{}`, expected a number from 0 to 2^64 - 1", shown(text)))
}
