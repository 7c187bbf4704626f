//! Records births and deaths, by size and place.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::Moment;
use crate::frames::{FRAMES_MAX, by_frame_pointers, hash, stack_pointer, unwound};
use crate::spin::Spin;
use crate::symbols;
use crate::table::{Entry, Table};
use crate::writer::Writer;

/// The first line of every recording.
const HEADER: &[u8] = b"millpond heap 1";

/// The default limit of a recording.
pub(crate) const BYTES_MAX_DEFAULT: u64 = 1 << 30;

/// Without frame pointers, a place is unwound again once in this many times.
const UNWOUND_EVERY: u32 = 64;

/// The number of places stored by size and depth, without frame pointers.
const REMEMBERED: usize = 1 << 12;

const PLACES: usize = 1 << 15;
const ADDRESSES: usize = 1 << 16;

pub(crate) struct Recorder {
    /// Whether events are recorded.
    on: AtomicBool,
    /// Whether a recording exists, from before it is on until its file is closed.
    taken: AtomicBool,
    /// Whether this process was forked while a recording existed, which stays the parent's.
    is_forked: AtomicBool,
    state: Spin<State>,
}

struct State {
    writer: Writer,
    /// The call stacks that have been written, by their hashes.
    places: Table<PLACES>,
    /// All addresses in them.
    addresses: Table<ADDRESSES>,
    remembered: [Remembered; REMEMBERED],
    has_frame_pointers: bool,
    begun: Option<Moment>,
    /// An address in the heap: those of the blocks are written without the bits that they share with it, which makes
    /// the file a third shorter.
    base: usize,
    ms: u64,
    events: u64,
    lost: bool,
}

/// The place that last requested a size at a depth of the stack.
#[derive(Clone, Copy)]
struct Remembered {
    key: u64,
    place: u32,
    left: u32,
}

/// A finished recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// The number of births, deaths and changes of size in it.
    pub events: u64,
    /// The length of the file.
    pub bytes: u64,
    /// Whether the file reached its limit, so that later events are missing.
    pub is_cut: bool,
}

/// A recording, which continues until this is dropped.
#[derive(Debug)]
#[must_use = "the recording ends when this is dropped"]
pub struct Recording {
    recorder: &'static Recorder,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Recording {
    /// Ends the recording and closes its file.
    ///
    /// # Errors
    /// If the file could not be written completely. It contains only whole lines.
    pub fn finish(self) -> io::Result<Recorded> {
        self.recorder.stop()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Who wants to know calls `finish`; the file then has no last line, and its reader says so.
        let _ = self.recorder.stop();
    }
}

impl Recorder {
    pub(crate) const fn new() -> Self {
        const NOTHING: Remembered = Remembered { key: 0, place: 0, left: 0 };
        Self {
            on: AtomicBool::new(false),
            taken: AtomicBool::new(false),
            is_forked: AtomicBool::new(false),
            state: Spin::new(State {
                writer: Writer::new(),
                places: Table::new(),
                addresses: Table::new(),
                remembered: [NOTHING; REMEMBERED],
                has_frame_pointers: false,
                begun: None,
                base: 0,
                ms: 0,
                events: 0,
                lost: false,
            }),
        }
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    pub(crate) fn start(&'static self, path: &Path, bytes_max: u64) -> io::Result<Recording> {
        if self.taken.swap(true, Ordering::AcqRel) {
            let why = match self.is_forked.load(Ordering::Acquire) {
                true => {
                    "this process was forked by one that was recording; a forked process can record only after exec"
                }
                false => "this process is already recording",
            };
            return Err(io::Error::other(why));
        }
        let started = self.start_taken(path, bytes_max);
        if started.is_err() {
            self.taken.store(false, Ordering::Release);
        }
        started
    }

    fn start_taken(&'static self, path: &Path, bytes_max: u64) -> io::Result<Recording> {
        let program = std::env::current_exe().unwrap_or_default();
        let program = format!("x {}", program.to_string_lossy().replace(['\n', '\r'], " "));
        refuse_foreign(path)?;
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        let has_frame_pointers = frame_pointers_work();
        let base = program.as_ptr().addr();
        at_exit(self);
        let mut state = self.state.lock();
        state.writer.open(file, bytes_max);
        state.writer.long_line(HEADER);
        state.writer.long_line(program.as_bytes());
        state.places.clear();
        state.addresses.clear();
        state.remembered.iter_mut().for_each(|remembered| remembered.key = 0);
        (state.has_frame_pointers, state.base) = (has_frame_pointers, base);
        (state.begun, state.ms, state.events, state.lost) = (Some(Moment::now()), 0, 0, false);
        drop(state);
        self.on.store(true, Ordering::Release);
        Ok(Recording { recorder: self })
    }

    /// Ends the recording; a second call does nothing.
    pub(crate) fn stop(&self) -> io::Result<Recorded> {
        // From here on nothing of this thread is recorded, so that it may allocate.
        if !self.on.swap(false, Ordering::AcqRel) {
            return Ok(Recorded { events: 0, bytes: 0, is_cut: false });
        }
        let mut state = self.state.lock();
        // Whoever saw the recording on and waits for the lock finds it over.
        state.begun = None;
        // Collecting allocates, which no longer comes here.
        let mut addresses: Vec<u64> = state.addresses.keys().collect();
        drop(state);
        addresses.sort_unstable();
        // Without the lock: a thread that waits for it may hold the one that names are found under.
        for address in addresses {
            let lines = symbols::lines(address);
            let mut state = self.state.lock();
            lines.iter().for_each(|line| state.writer.long_line(line.as_bytes()));
        }
        let mut state = self.state.lock();
        let (events, lost) = (state.events, state.lost);
        state.writer.long_line(if lost { b"e 1" } else { b"e 0" });
        let closed = state.writer.close();
        drop(state);
        self.taken.store(false, Ordering::Release);
        Ok(Recorded { events, bytes: closed?, is_cut: lost })
    }

    #[inline(never)]
    pub(crate) fn birth(&self, address: usize, bytes: usize) {
        if address != 0 {
            self.state.lock().birth(address, bytes);
        }
    }

    #[inline(never)]
    pub(crate) fn death(&self, address: usize) {
        let mut state = self.state.lock();
        if state.event(b'-') {
            state.block(address);
            state.writer.end();
        }
    }

    /// Resizes a block under the lock, so that no other thread receives the old one before this is
    /// recorded.
    #[inline(never)]
    pub(crate) fn resize(
        &self,
        old: usize,
        bytes: usize,
        resize: impl FnOnce() -> *mut u8,
    ) -> *mut u8 {
        let mut state = self.state.lock();
        let block = resize();
        // If it failed, the old block lives on.
        if !block.is_null() {
            state.resized(old, block.addr(), bytes);
        }
        block
    }
}

impl State {
    /// Begins the line of an event; `false` if nothing more is recorded.
    #[inline]
    fn event(&mut self, letter: u8) -> bool {
        let Some(begun) = self.begun else { return false };
        if self.lost || !self.writer.begin() {
            self.lost = true;
            return false;
        }
        let ms = begun.elapsed_ms();
        if ms != self.ms {
            self.ms = ms;
            self.writer.byte(b'c');
            self.writer.number(ms);
            self.writer.end();
        }
        self.events += 1;
        self.writer.byte(letter);
        true
    }

    /// Which block it is.
    #[inline]
    fn block(&mut self, address: usize) {
        self.writer.number((address ^ self.base) as u64);
    }

    #[inline]
    fn birth(&mut self, address: usize, bytes: usize) {
        let place = self.place(bytes);
        if self.event(b'+') {
            self.block(address);
            self.writer.number(bytes as u64);
            self.writer.number(place.into());
            self.writer.end();
        }
    }

    fn resized(&mut self, old: usize, new: usize, bytes: usize) {
        let place = self.place(bytes);
        if self.event(b'r') {
            self.block(old);
            self.block(new);
            self.writer.number(bytes as u64);
            self.writer.number(place.into());
            self.writer.end();
        }
    }

    /// The number of the calling place; 0 if there are too many.
    #[inline]
    fn place(&mut self, bytes: usize) -> u32 {
        if self.begun.is_none() || self.lost {
            return 0;
        }
        match self.has_frame_pointers.then(by_frame_pointers).flatten() {
            Some(frames) => self.place_of(frames.take(FRAMES_MAX)),
            None => self.remembered_place(bytes),
        }
    }

    /// The place by size and depth of the stack, occasionally unwound.
    fn remembered_place(&mut self, bytes: usize) -> u32 {
        let key = (stack_pointer() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bytes as u64 | 1;
        let at = (key.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32) as usize & (REMEMBERED - 1);
        let remembered = &mut self.remembered[at];
        if remembered.key == key && remembered.left > 0 {
            remembered.left -= 1;
            return remembered.place;
        }
        let place = self.place_of(unwound().addresses().iter().copied());
        self.remembered[at] = Remembered { key, place, left: UNWOUND_EVERY };
        place
    }

    /// The number of the place with this call stack.
    #[inline]
    fn place_of(&mut self, stack: impl Iterator<Item = usize> + Clone) -> u32 {
        match self.places.enter(hash(stack.clone())) {
            Entry::Known(place) => place,
            Entry::Full => 0,
            Entry::New(place) => self.new_place(place, stack),
        }
    }

    #[cold]
    fn new_place(&mut self, place: u32, stack: impl Iterator<Item = usize>) -> u32 {
        if !self.writer.begin() {
            self.lost = true;
            return 0;
        }
        self.writer.byte(b't');
        self.writer.number(place.into());
        for address in stack {
            self.addresses.enter(address as u64);
            self.writer.number(address as u64);
        }
        self.writer.end();
        place
    }
}

/// A file that holds anything but an earlier recording is not overwritten. What is no file (a pipe, a device) takes what
/// it is given.
fn refuse_foreign(path: &Path) -> io::Result<()> {
    let length = match std::fs::metadata(path) {
        Ok(found) if found.is_file() => found.len(),
        _ => return Ok(()),
    };
    let mut start = [0; HEADER.len()];
    if length == 0 || File::open(path)?.read_exact(&mut start).is_ok() && start == HEADER {
        return Ok(());
    }
    let why = "exists and is not a recording of millpond-heap; not overwriting it";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, why))
}

/// Whether this program was built with frame pointers, so that a stack has as many of them as
/// calls.
fn frame_pointers_work() -> bool {
    #[inline(never)]
    fn deeper(calls: usize) -> usize {
        let frames = match calls {
            0 => by_frame_pointers().map_or(0, |frames| frames.take(FRAMES_MAX).count()),
            _ => deeper(calls - 1),
        };
        std::hint::black_box(frames)
    }
    const CALLS: usize = 6;
    let (few, many) = (deeper(1), deeper(1 + CALLS));
    few > 0 && many == few + CALLS
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "the C library calls at exit")]
fn at_exit(recorder: &'static Recorder) {
    use std::sync::OnceLock;
    static RECORDER: OnceLock<&'static Recorder> = OnceLock::new();
    extern "C" fn close() {
        if let Some(recorder) = RECORDER.get() {
            // The program ends: there is nobody left to tell.
            let _ = recorder.stop();
        }
    }
    /// Called in a forked process: the file belongs to the parent, and so does the lock, if another
    /// thread holds it.
    extern "C" fn forget() {
        if let Some(recorder) = RECORDER.get() {
            recorder.on.store(false, Ordering::Release);
            recorder.is_forked.store(recorder.taken.load(Ordering::Acquire), Ordering::Release);
        }
    }
    if RECORDER.set(recorder).is_ok() {
        // SAFETY: the function may be called at any time, and does not unwind: `stop` does not panic.
        // If there is no room for it, a program that exits early leaves a file without its last lines.
        unsafe { libc::atexit(close) };
        // SAFETY: the function may be called in a process that was forked: it only touches atomics.
        unsafe { libc::pthread_atfork(None, None, Some(forget)) };
    }
}

/// On other systems, a program that exits without dropping the recording leaves a file without its
/// last lines.
#[cfg(not(unix))]
fn at_exit(_recorder: &'static Recorder) {}
