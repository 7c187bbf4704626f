//! The text of a live trace as it is made: what a recorder knows, and what each of its pools knows of it.
//!
//! # Invariant
//!
//! A recorder knows the pools that it listens to, and each of these has a [`Track`] that knows the recorder; whichever
//! goes first ends the other's part.

use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::fmt::Write as _;
use core::ptr::NonNull;

use crate::callbacks::Write;
use crate::options::NAME_BYTES_MAX;
use crate::status::Status;

/// So much text is gathered before it is written.
pub(crate) const TEXT_BYTES: usize = 1 << 14;

/// A class has at most so many bytes: a pool's name, and a number.
pub(crate) const CLASS_BYTES_MAX: usize = NAME_BYTES_MAX + 21;

/// No lifetime.
pub(crate) const NONE: u64 = u64::MAX;

/// `mp_recorder`.
pub struct Recorder {
    pub(crate) write: Write,
    pub(crate) user: *mut c_void,
    pub(crate) text: String,
    pub(crate) tick: u32,
    pub(crate) ms: u64,
    pub(crate) stats_at: Option<u64>,
    pub(crate) next_id: u64,
    pub(crate) events: u64,
    pub(crate) pools: Vec<Listened>,
    pub(crate) pools_ever: u32,
    pub(crate) has_failed: bool,
}

/// A pool that the recorder listens to.
pub(crate) struct Listened {
    /// Its head. Only whose it is counts here: a head knows its recorder, so that a recorder knows no head.
    pub(crate) pool: NonNull<()>,
    pub(crate) number: u32,
    pub(crate) class: String,
}

/// What a pool knows of its recorder.
pub(crate) struct Track {
    pub(crate) recorder: NonNull<Recorder>,
    pub(crate) class: String,
    /// By slot: the lifetime that was begun and not ended.
    pub(crate) ids: Vec<u64>,
}

impl Track {
    fn write(&mut self, slot: usize, is_birth: bool) {
        // SAFETY: the recorder outlives its tracks, and is used by one thread at a time.
        let recorder = unsafe { self.recorder.as_mut() };
        let Some(id) = self.ids.get_mut(slot) else { return };
        let event = if is_birth { "alloc" } else { "free" };
        if is_birth {
            *id = recorder.next_id;
            recorder.next_id += 1;
        }
        let ended = *id;
        if !is_birth {
            *id = NONE;
        }
        recorder.events += 1;
        let tick = recorder.tick;
        recorder.line(format_args!("{tick},{event},{ended},{},{slot}", self.class));
    }

    pub(crate) fn birth(&mut self, slot: usize) {
        self.write(slot, true);
    }

    pub(crate) fn death(&mut self, slot: usize) {
        self.write(slot, false);
    }

    /// Makes room for as many slots.
    pub(crate) fn make_room(&mut self, slots: usize) -> Result<(), Status> {
        let more = slots.saturating_sub(self.ids.len());
        self.ids.try_reserve_exact(more).map_err(|_| Status::OUT_OF_MEMORY)?;
        self.ids.resize(self.ids.len() + more, NONE);
        Ok(())
    }

    /// The pool's state was replaced: this slot is live now, or not.
    pub(crate) fn replaced(&mut self, slot: usize, is_live: bool) {
        let was_live = self.ids.get(slot).is_some_and(|id| *id != NONE);
        if was_live != is_live {
            self.write(slot, is_live);
        }
    }

    /// The pool goes: what lives in it ends.
    pub(crate) fn end(mut self, pool: NonNull<()>) {
        for slot in 0..self.ids.len() {
            self.replaced(slot, false);
        }
        // SAFETY: as above.
        unsafe { self.recorder.as_mut() }.pools.retain(|listened| listened.pool != pool);
    }
}

/// Text with room for so many bytes.
pub(crate) fn empty_text(bytes: usize) -> Result<String, Status> {
    let mut text = String::new();
    text.try_reserve_exact(bytes).map_err(|_| Status::OUT_OF_MEMORY)?;
    Ok(text)
}

impl Recorder {
    pub(crate) fn new(write: Write, user: *mut c_void, text: String) -> Self {
        Self {
            write,
            user,
            text,
            tick: 0,
            ms: 0,
            stats_at: None,
            next_id: 0,
            events: 0,
            pools: Vec::new(),
            pools_ever: 0,
            has_failed: false,
        }
    }

    /// Takes no memory: the text has room for a line more than is gathered.
    pub(crate) fn line(&mut self, line: core::fmt::Arguments<'_>) {
        // Text in memory never fails.
        let _ = writeln!(self.text, "{line}");
        if self.text.len() >= TEXT_BYTES {
            self.flush();
        }
    }

    pub(crate) fn flush(&mut self) {
        if !self.has_failed && !self.text.is_empty() {
            // SAFETY: the caller's function, with what it was given for it.
            let is_written =
                unsafe { (self.write)(self.text.as_ptr(), self.text.len(), self.user) };
            self.has_failed = !is_written;
        }
        self.text.clear();
    }

    /// The name as a class of a trace, with a number behind if another pool has it now.
    pub(crate) fn class_of(&self, name: Option<&str>) -> Result<String, Status> {
        let fits = |c: char| !c.is_control() && !matches!(c, ',' | '"' | '\u{feff}');
        let name = name.filter(|name| !name.is_empty()).unwrap_or("unnamed");
        let mut class = empty_text(CLASS_BYTES_MAX)?;
        class.extend(name.chars().map(|c| if fits(c) { c } else { '_' }));
        let name_bytes = class.len();
        let mut number = 1_u64;
        while self.pools.iter().any(|pool| pool.class == class) {
            number += 1;
            class.truncate(name_bytes);
            // Text in memory never fails.
            let _ = write!(class, "-{number}");
        }
        Ok(class)
    }
}
