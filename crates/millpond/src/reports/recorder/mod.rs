//! A live trace of a running program's pools, for `millpond watch` and `millpond plan`.
//!
//! ```
//! # let directory = std::env::temp_dir().join(format!("millpond-recorder-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # let path = directory.join("game.trace");
//! use millpond::Pool;
//! use millpond::recorder::Recorder;
//!
//! let recorder = Recorder::create(&path)?; // "game.trace", or so
//! let mut bullets = Pool::builder().capacity(512).name("bullets").build();
//! bullets.record(&recorder);
//!
//! for frame in 0..3 {
//!     let bullet = bullets.insert(frame).unwrap();
//!     if frame > 0 {
//!         bullets.remove(bullet);
//!     }
//!     recorder.tick();
//! }
//! let summary = recorder.finish()?;
//! assert_eq!((summary.events, summary.dropped), (5, 0));
//! # let text = std::fs::read_to_string(&path)?;
//! # assert!(text.starts_with("tick,event,id,class,capacity,"), "{text}");
//! # assert!(text.contains("\n0,alloc,0,bullets,0\n1,alloc,1,bullets,1\n1,free,1,bullets,1\n"), "{text}");
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! `millpond watch game.trace` shows the pools while the program runs, on another terminal or over ssh; afterwards,
//! `millpond plan game.trace` computes their sizes. The format is lines of text, described in `docs/live-trace.md` in
//! the repository.
//!
//! [`Pool`](crate::Pool::record), [`PackedPool`](crate::PackedPool::record), [`VecPool`](crate::VecPool::record),
//! [`StaticPool`](crate::StaticPool::record), [`SyncPool`](crate::SyncPool::record),
//! [`Recycler`](crate::Recycler::record) and [`HandleAllocator`](crate::HandleAllocator::record) can be recorded. Other
//! types with slots use [`Recorder::track`]. (The `SizeClasses` of the crate `millpond-memory` cannot be recorded: its
//! slots have no numbers, and every small allocation of a thread would be an event. Its `class_stats` return the peaks
//! at any time, and `millpond plan --size-classes` computes classes from a heaptrack file.)
//!
//! # What it costs
//!
//! Without the feature `recorder`, nothing: not an instruction, not a byte. With it, a pool that is not recorded has
//! one more pointer, and a removal and an insertion together take at most 5 instructions on top of 80 or more, in a
//! [`SyncPool`](crate::SyncPool) 9 on top of 190 (a check of the repository counts them). In a recorded pool, each insertion and removal adds an event to a ring in memory.
//! The recorder's own thread takes the events from the ring and writes them as text.
//!
//! # What it never does
//!
//! - **Wait.** Insertions and removals wait neither for the disk nor for a lock. (A lock is held for a moment when the
//!   recording of a pool begins; [`finish`](Recorder::finish), and dropping the recorder, wait until all events are
//!   written.)
//! - **Grow.** The ring has a fixed number of [places](RecorderBuilder::events). If the disk is so
//!   slow that it is full, events are dropped and counted, by pool.
//! - **Lie.** The statistics in the trace (live, peak, refused, …) are right even if events are dropped. Some lifetimes
//!   are then missing or too long, but the trace stays consistent: no object is freed without a birth, or born twice.

mod event;
mod ring;
mod shared;
#[allow(unsafe_code)]
mod shared_track;
mod track;
mod writer;

pub(crate) use shared_track::SharedTrack;
pub use track::Track;

pub(crate) type TrackBox = Box<Track>;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::thread::{self, JoinHandle};

use crate::reports::stats::Stats;
use ring::Ring;
use shared::Shared;
use writer::Writer;

/// The first line of every live trace.
pub const HEADER: &str = "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,\
                          evicted,dropped,ms";

/// The default number of events that the ring has room for: at 24 bytes each, 1.5 MiB.
pub const EVENTS_DEFAULT: usize = 1 << 16;

/// Writes a live trace; see the [module](self).
#[derive(Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<Summary>>>,
}

/// What a [`Recorder`] has written; returned by [`Recorder::finish`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The number of births and deaths in the trace.
    pub events: u64,
    /// The number of events that found no room in the ring, because the disk was too slow.
    pub dropped: u64,
    /// The length of the trace in bytes.
    pub bytes: u64,
}

impl Recorder {
    /// Records to the file at `path`. An existing live trace is replaced; any other file is left
    /// alone.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, if it exists and is not a live trace
    /// ([`ErrorKind::AlreadyExists`]), or if the writer's thread cannot be started.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::builder().create(path)
    }

    /// Records to `out`, for example a socket, memory or a compressor.
    ///
    /// ```
    /// use millpond::recorder::Recorder;
    ///
    /// let recorder = Recorder::to_writer(std::io::sink())?;
    /// assert!(recorder.is_recording());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the writer's thread cannot be started.
    pub fn to_writer(out: impl Write + Send + 'static) -> io::Result<Self> {
        Self::builder().to_writer(out)
    }

    /// Returns a builder, to choose the size of the ring.
    pub fn builder() -> RecorderBuilder {
        RecorderBuilder { events: EVENTS_DEFAULT }
    }

    /// Begins the next tick, and returns its number. Traces measure time in ticks; a tick is
    /// usually a frame.
    pub fn tick(&self) -> u32 {
        self.shared.tick.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Returns a [`Track`] for something that is not a pool of this crate. `name` is the class of
    /// its objects in the trace.
    pub fn track(&self, name: &str, capacity: usize) -> Track {
        let stats = Stats { capacity, ..Stats::default() };
        self.track_pool(name, stats, core::iter::empty(), true)
    }

    /// The track of a pool with these counters and live slots, which several threads may use at once or not.
    pub(crate) fn track_pool(
        &self,
        name: &str,
        stats: Stats,
        live: impl Iterator<Item = usize>,
        by_threads: bool,
    ) -> Track {
        Track::new(&self.shared, name.to_string(), stats, live, by_threads)
    }

    /// Returns whether events are still written: `false` once writing has failed.
    /// [`finish`](Self::finish) then returns the error.
    pub fn is_recording(&self) -> bool {
        !self.shared.closed.load(Ordering::Relaxed)
    }

    /// Writes the remaining events, and closes the trace.
    ///
    /// # Errors
    ///
    /// If a write has failed.
    pub fn finish(mut self) -> io::Result<Summary> {
        self.close().unwrap_or_else(|| Err(io::Error::other("the recorder is closed")))
    }

    fn close(&mut self) -> Option<io::Result<Summary>> {
        let thread = self.thread.take()?;
        self.shared.closed.store(true, Ordering::Release);
        thread.thread().unpark();
        let panicked = |_| Err(io::Error::other("the thread that writes the trace has panicked"));
        Some(thread.join().unwrap_or_else(panicked))
    }
}

/// Writes the remaining events, ignoring errors; [`finish`](Recorder::finish) returns them.
impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Builds a [`Recorder`].
///
/// ```
/// use millpond::recorder::Recorder;
///
/// let recorder = Recorder::builder().events(1000).to_writer(Vec::new())?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "call `.create(path)` or `.to_writer(…)` to get the recorder"]
pub struct RecorderBuilder {
    events: usize,
}

impl RecorderBuilder {
    /// Sets how many events the ring has room for, rounded up to a power of two, at 24 bytes each.
    /// Events that occur while it is full are dropped.
    pub fn events(mut self, events: usize) -> Self {
        self.events = events.clamp(2, 1 << 30);
        self
    }

    /// Like [`Recorder::create`].
    ///
    /// # Errors
    ///
    /// If the file cannot be written, if it exists and is not a live trace, or if the writer's thread cannot be
    /// started.
    pub fn create(self, path: impl AsRef<Path>) -> io::Result<Recorder> {
        self.to_writer(trace_file(path.as_ref())?)
    }

    /// Like [`Recorder::to_writer`].
    ///
    /// # Errors
    ///
    /// If the writer's thread cannot be started.
    pub fn to_writer(self, out: impl Write + Send + 'static) -> io::Result<Recorder> {
        let shared = Arc::new(Shared::new(Ring::new(self.events)));
        let writer = Writer::new(Arc::clone(&shared), out);
        let thread = thread::Builder::new().name("millpond-recorder".to_string());
        let thread = thread.spawn(move || writer.run())?;
        Ok(Recorder { shared, thread: Some(thread) })
    }
}

/// Creates an empty file, where nothing or an earlier live trace was.
fn trace_file(path: &Path) -> io::Result<File> {
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.is_file() {
        let mut start = [0; HEADER.len()];
        let length = file.metadata()?.len();
        let is_ours =
            length == 0 || (file.read_exact(&mut start).is_ok() && start == *HEADER.as_bytes());
        if !is_ours {
            let why = "exists and is not a live trace; not overwriting it";
            return Err(io::Error::new(ErrorKind::AlreadyExists, why));
        }
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

/// The last part of a type's name, for pools without a name.
pub(crate) fn type_name<T: ?Sized>() -> &'static str {
    let name = core::any::type_name::<T>();
    let outer = name.split('<').next().unwrap_or(name);
    outer.rsplit("::").next().unwrap_or(outer)
}
