//! A live trace of pools, as text that a function of the program writes; `docs/live-trace.md` says what it is made of.
//!
//! The library's own recorder has a thread and a ring, which need the standard library. This one writes at once.
//!
//! # Invariant
//!
//! A recorder knows the pools that it listens to, and each of these has a [`Track`] that knows the recorder; whichever
//! goes first ends the other's part.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::fmt::Write as _;
use core::ptr::{self, NonNull};

use crate::callbacks::{Write, boxed};
use crate::head::Head;
use crate::options::NAME_BYTES_MAX;
use crate::outside::{Outside, each_slot};
use crate::pool::face;
use crate::status::{Status, status_of};

/// The first line of every live trace.
const HEADER: &str =
    "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n";

/// So much text is gathered before it is written.
const TEXT_BYTES: usize = 1 << 14;

/// A class has at most so many bytes: a pool's name, and a number.
const CLASS_BYTES_MAX: usize = NAME_BYTES_MAX + 21;

/// No line is longer: a class, thirteen numbers and the commas between them.
const LINE_BYTES_MAX: usize = CLASS_BYTES_MAX + 14 * 21;

/// How often at most the statistics are written, in milliseconds.
const BETWEEN_STATS_MS: u64 = 100;

/// No lifetime.
const NONE: u64 = u64::MAX;

/// `mp_recorder`.
pub struct Recorder {
    write: Write,
    user: *mut c_void,
    text: String,
    tick: u32,
    ms: u64,
    stats_at: Option<u64>,
    next_id: u64,
    events: u64,
    pools: Vec<Listened>,
    pools_ever: u32,
    has_failed: bool,
}

/// A pool that the recorder listens to.
struct Listened {
    pool: NonNull<Head>,
    number: u32,
    class: String,
}

/// What a pool knows of its recorder.
pub(crate) struct Track {
    recorder: NonNull<Recorder>,
    class: String,
    /// By slot: the lifetime that was begun and not ended.
    ids: Vec<u64>,
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

    /// The pool's state was replaced: this slot is live now, or not.
    pub(crate) fn replaced(&mut self, slot: usize, is_live: bool) {
        let was_live = self.ids.get(slot).is_some_and(|id| *id != NONE);
        if was_live != is_live {
            self.write(slot, is_live);
        }
    }

    /// The pool goes: what lives in it ends.
    pub(crate) fn end(mut self, pool: NonNull<Head>) {
        for slot in 0..self.ids.len() {
            self.replaced(slot, false);
        }
        // SAFETY: as above.
        unsafe { self.recorder.as_mut() }.pools.retain(|listened| listened.pool != pool);
    }
}

/// Text with room for so many bytes.
fn empty_text(bytes: usize) -> Result<String, Status> {
    let mut text = String::new();
    text.try_reserve_exact(bytes).map_err(|_| Status::OUT_OF_MEMORY)?;
    Ok(text)
}

impl Recorder {
    fn new(write: Write, user: *mut c_void, text: String) -> Self {
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
    fn line(&mut self, line: core::fmt::Arguments<'_>) {
        // Text in memory never fails.
        let _ = writeln!(self.text, "{line}");
        if self.text.len() >= TEXT_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.has_failed && !self.text.is_empty() {
            // SAFETY: the caller's function, with what it was given for it.
            let is_written =
                unsafe { (self.write)(self.text.as_ptr(), self.text.len(), self.user) };
            self.has_failed = !is_written;
        }
        self.text.clear();
    }

    /// The name as a class of a trace, with a number behind if another pool has it now.
    fn class_of(&self, name: Option<&str>) -> Result<String, Status> {
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

    fn stats(&mut self) {
        let (tick, ms) = (self.tick, self.ms);
        let pools = core::mem::take(&mut self.pools);
        for Listened { pool, number, class } in &pools {
            // SAFETY: a pool that goes is listened to no more.
            if let Some(stats) = unsafe { face(pool.as_ptr()) }.map(|face| face.stats()) {
                let millpond::Stats { capacity, live, peak, retired, .. } = stats;
                let millpond::Stats { inserted, removed, refused, evicted, .. } = stats;
                self.line(format_args!(
                    "{tick},stats,{number},{class},{capacity},{live},{peak},{retired},{inserted},{removed},{refused},\
                     {evicted},0,{ms}"
                ));
            }
        }
        self.pools = pools;
        self.stats_at = Some(ms);
    }

    fn listen(&mut self, pool: NonNull<Head>) -> Result<(), Status> {
        if self.pools.iter().any(|listened| listened.pool == pool) {
            return Ok(());
        }
        // SAFETY: the caller's pool.
        let face = unsafe { face(pool.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
        let class = self.class_of(face.name())?;
        let mut class_of_track = empty_text(class.len())?;
        class_of_track.push_str(&class);
        self.pools.try_reserve(1).map_err(|_| Status::OUT_OF_MEMORY)?;
        let mut ids = Vec::new();
        let slots = face.occupancy().slots();
        ids.try_reserve_exact(slots).map_err(|_| Status::OUT_OF_MEMORY)?;
        ids.resize(slots, NONE);
        let mut own = pool;
        // SAFETY: the caller's pool, used alone.
        let track = Outside::recorded(unsafe { own.as_mut() })?;
        let number = self.pools_ever;
        self.pools_ever += 1;
        self.pools.push(Listened { pool, number, class });
        let new = Track { recorder: NonNull::from(self), class: class_of_track, ids };
        let track = track.insert(new);
        each_slot(pool, |slot, _, _, is_live| track.replaced(slot, is_live));
        Ok(())
    }
}

/// See the header.
///
/// # Safety
///
/// `write` keeps the header's rules; `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recorder_create(
    write: Option<Write>,
    user: *mut c_void,
    out: *mut *mut Recorder,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    let Some(write) = write else {
        return Status::NULL_POINTER;
    };
    let recorder = empty_text(TEXT_BYTES + LINE_BYTES_MAX).and_then(|mut text| {
        text.push_str(HEADER);
        boxed(Recorder::new(write, user, text))
    });
    status_of(recorder.map(|recorder| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(recorder)) };
    }))
}

/// See the header.
///
/// # Safety
///
/// Both are null, or there and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_record(pool: *mut Head, recorder: *mut Recorder) -> Status {
    // SAFETY: as the caller promises.
    let (Some(pool), Some(recorder)) = (NonNull::new(pool), unsafe { recorder.as_mut() }) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above; the field is copied.
    let outside = unsafe { (*pool.as_ptr()).outside };
    // SAFETY: null, or the pool's own.
    let is_recorded = unsafe { outside.as_ref() }.is_some_and(Outside::is_recorded);
    if is_recorded && !recorder.pools.iter().any(|listened| listened.pool == pool) {
        // Another recorder listens.
        return Status::OCCUPIED;
    }
    status_of(recorder.listen(pool))
}

/// See the header.
///
/// # Safety
///
/// `recorder` is null, or one that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recorder_tick(recorder: *mut Recorder, ms: u64) {
    // SAFETY: as the caller promises.
    let Some(recorder) = (unsafe { recorder.as_mut() }) else {
        return;
    };
    recorder.tick = recorder.tick.saturating_add(1);
    recorder.ms = recorder.ms.max(ms);
    let is_time = |at: u64| recorder.ms - at >= BETWEEN_STATS_MS;
    if recorder.stats_at.is_none_or(is_time) {
        recorder.stats();
        recorder.flush();
    }
}

/// See the header.
///
/// # Safety
///
/// `recorder` is null, or one that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recorder_destroy(recorder: *mut Recorder) -> Status {
    if recorder.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: it came from a box, and nobody has it any more.
    let mut recorder = unsafe { Box::from_raw(recorder) };
    recorder.stats();
    for Listened { mut pool, .. } in core::mem::take(&mut recorder.pools) {
        // SAFETY: the pools that it listens to are there.
        if let Ok(track) = Outside::recorded(unsafe { pool.as_mut() }) {
            *track = None;
        }
    }
    let Recorder { tick, events, .. } = *recorder;
    recorder.line(format_args!("{tick},end,{events},recorder"));
    recorder.flush();
    if recorder.has_failed { Status::WRITE_FAILED } else { Status::OK }
}
