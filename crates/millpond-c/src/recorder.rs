//! A live trace of pools, as text that a function of the program writes; `docs/live-trace.md` says what it is made of.
//!
//! The library's own recorder has a thread and a ring, which need the standard library. This one writes at once.
//!
//! # Invariant
//!
//! That of [`recording`](crate::recording), and the pools that a recorder listens to are heads.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use crate::attach::each_slot;
use crate::callbacks::{Write, boxed};
use crate::head::Head;
use crate::opened::face;
use crate::outside::Outside;
use crate::recording::{CLASS_BYTES_MAX, Listened, NONE, Recorder, TEXT_BYTES, Track, empty_text};
use crate::status::{Status, status_of};

/// The first line of every live trace.
const HEADER: &str =
    "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n";

/// No line is longer: a class, thirteen numbers and the commas between them.
const LINE_BYTES_MAX: usize = CLASS_BYTES_MAX + 14 * 21;

/// How often at most the statistics are written, in milliseconds.
const BETWEEN_STATS_MS: u64 = 100;

impl Recorder {
    fn stats(&mut self) {
        let (tick, ms) = (self.tick, self.ms);
        let pools = core::mem::take(&mut self.pools);
        for Listened { pool, number, class } in &pools {
            // SAFETY: it is a head, and a pool that goes is listened to no more.
            if let Some(stats) = unsafe { face(pool.as_ptr().cast()) }.map(|face| face.stats()) {
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

    fn add_pool(&mut self, pool: NonNull<Head>) -> Result<(), Status> {
        if self.pools.iter().any(|listened| listened.pool == pool.cast()) {
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
        self.pools.push(Listened { pool: pool.cast(), number, class });
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
    if is_recorded && !recorder.pools.iter().any(|listened| listened.pool == pool.cast()) {
        // Another recorder listens.
        return Status::OCCUPIED;
    }
    status_of(recorder.add_pool(pool))
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
    for Listened { pool, .. } in core::mem::take(&mut recorder.pools) {
        // SAFETY: the pools that it listens to are heads, and there.
        if let Ok(track) = Outside::recorded(unsafe { pool.cast::<Head>().as_mut() }) {
            *track = None;
        }
    }
    let Recorder { tick, events, .. } = *recorder;
    recorder.line(format_args!("{tick},end,{events},recorder"));
    recorder.flush();
    if recorder.has_failed { Status::WRITE_FAILED } else { Status::OK }
}
