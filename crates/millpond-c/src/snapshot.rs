//! A pool's past, and its state as bytes.

use alloc::boxed::Box;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::slice;

use millpond::SavedSlots;
use postcard::ser_flavors::Size;

use crate::callbacks::boxed;
use crate::create::{create, destroy};
use crate::growing::create_growing;
use crate::head::Head;
use crate::kinds::{self, Shape, shape_of};
use crate::opened::{Opened, face};
use crate::options::{self, Options};
use crate::outside::Outside;
use crate::status::{Status, status_of};

/// `mp_snapshot`: a second pool of the same options, which nobody sees.
pub struct Snapshot {
    pool: NonNull<Head>,
    /// Whether something was saved.
    is_saved: bool,
}

/// See the header.
///
/// # Safety
///
/// As [`options::read`]; `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_snapshot_create(
    options: *const Options,
    out: *mut *mut Snapshot,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    // SAFETY: as above.
    let created = unsafe { options::read(options) }.and_then(|mut options| {
        // The pool lies in that memory; and dead slots are nobody's to look at.
        options.raw.memory = ptr::null_mut();
        options.raw.memory_bytes = 0;
        options.raw.flags &= options::WRAP | options::UNTOUCHED;
        match options.raw.slots_max {
            0 => create(&options),
            _ => create_growing(&options),
        }
    });
    let snapshot = created.and_then(|pool| {
        boxed(Snapshot { pool, is_saved: false }).inspect_err(|_| {
            // SAFETY: the pool was just made, and nobody else knows it.
            unsafe { destroy(pool) };
        })
    });
    status_of(snapshot.map(|snapshot| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(snapshot)) };
    }))
}

/// See the header.
///
/// # Safety
///
/// `snapshot` is null, or one that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_snapshot_destroy(snapshot: *mut Snapshot) {
    if !snapshot.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        let snapshot = unsafe { Box::from_raw(snapshot) };
        // SAFETY: the snapshot's own pool.
        unsafe { destroy(snapshot.pool) };
    }
}

/// Makes one pool's state that of the other. `follows`: also if that goes on at other generations, since it took over the
/// objects of a third.
///
/// # Safety
///
/// Both are pools, and nobody else uses them.
pub(crate) unsafe fn copy(
    to: NonNull<Head>,
    from: NonNull<Head>,
    follows: bool,
) -> Result<(), Status> {
    // SAFETY: as the caller promises.
    let mut pool = unsafe { Opened::new(to.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
    // SAFETY: as above.
    let past = unsafe { face(from.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
    let slots = past.occupancy().slots();
    // SAFETY: as above; they are two.
    pool.be_replaced(slots, || unsafe { kinds::take_on(to, from, follows) })?;
    // SAFETY: as above; the field is copied.
    let outside = unsafe { (*from.as_ptr()).outside };
    // SAFETY: null, or that pool's own.
    let is_watched = unsafe { outside.as_ref() }.is_some_and(Outside::is_watched);
    let used = past.used_slots();
    let bytes = pool.value_bytes;
    let (values, past_values) = (pool.face().values(), past.values());
    let copy_slots = |first: usize, count: usize| {
        // SAFETY: both have these slots.
        let to = unsafe { values.add(first * bytes) };
        // SAFETY: as above.
        let from = unsafe { past_values.add(first * bytes) };
        // SAFETY: as above; two pools do not overlap.
        unsafe { to.copy_from_nonoverlapping(from, count * bytes) };
    };
    if is_watched {
        // What is dead may not even be copied.
        for run in past.occupancy().runs() {
            copy_slots(run.start, run.len());
        }
    } else {
        copy_slots(0, used);
    }
    if let Some(outside) = pool.outside_mut() {
        outside.replaced(to);
    }
    Ok(())
}

/// See the header.
///
/// # Safety
///
/// Both are null, or there; nobody else uses the snapshot, and nobody changes the pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_save(pool: *const Head, snapshot: *mut Snapshot) -> Status {
    // SAFETY: as the caller promises.
    let (Some(pool), Some(snapshot)) =
        (NonNull::new(pool.cast_mut()), unsafe { snapshot.as_mut() })
    else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as the caller promises.
    let saved = unsafe { copy(snapshot.pool, pool, true) };
    snapshot.is_saved |= saved.is_ok();
    status_of(saved)
}

/// See the header.
///
/// # Safety
///
/// Both are null, or there; nobody else uses the pool, and nobody changes the snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_restore(pool: *mut Head, snapshot: *const Snapshot) -> Status {
    // SAFETY: as the caller promises.
    let (Some(pool), Some(snapshot)) = (NonNull::new(pool), unsafe { snapshot.as_ref() }) else {
        return Status::NULL_POINTER;
    };
    if !snapshot.is_saved {
        return Status::BAD_STATE;
    }
    // SAFETY: as the caller promises.
    status_of(unsafe { copy(pool, snapshot.pool, false) })
}

/// See the header.
///
/// # Safety
///
/// Both are null, or there; nobody else uses the first, and nobody changes the second.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_copy(to: *mut Head, from: *const Head) -> Status {
    let (Some(to), Some(from)) = (NonNull::new(to), NonNull::new(from.cast_mut())) else {
        return Status::NULL_POINTER;
    };
    if to == from {
        return Status::OK;
    }
    // SAFETY: as the caller promises.
    status_of(unsafe { copy(to, from, false) })
}

/// In front of a state's bytes: what they are of. In little-endian order.
pub(crate) struct Front {
    pub(crate) value_bytes: u32,
    pub(crate) kind: u32,
    /// How many bytes of slots come first; the values of the used slots follow.
    slots_bytes: u64,
}

impl Front {
    const MAGIC: &'static [u8; 8] = b"millpnd1";
    const BYTES: usize = 24;

    fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(Self::MAGIC);
        bytes[8..12].copy_from_slice(&self.value_bytes.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.kind.to_le_bytes());
        bytes[16..].copy_from_slice(&self.slots_bytes.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes[at..].first_chunk()?));
        (bytes[..8] == *Self::MAGIC).then_some(())?;
        Some(Self {
            value_bytes: number(8)?,
            kind: number(12)?,
            slots_bytes: u64::from_le_bytes(*bytes[16..].first_chunk()?),
        })
    }

    /// The front of what may be a state, and what follows.
    pub(crate) fn of(state: &[u8]) -> Option<(Self, &[u8])> {
        let (front, rest) = state.split_first_chunk()?;
        Some((Self::of_bytes(front)?, rest))
    }

    /// The slots and the values of what follows.
    pub(crate) fn split<'s>(&self, rest: &'s [u8]) -> Option<(&'s [u8], &'s [u8])> {
        rest.split_at_checked(usize::try_from(self.slots_bytes).ok()?)
    }

    /// The values of what may be a state.
    pub(crate) fn values_of(state: &[u8]) -> Option<&[u8]> {
        let (front, rest) = Self::of(state)?;
        front.split(rest).map(|(_, values)| values)
    }
}

/// A pool's slots, how many bytes these take as bytes, and how many all do.
///
/// # Safety
///
/// It is a pool that nobody changes.
unsafe fn state_of(pool: *const Head) -> Result<(SavedSlots, usize, usize), Status> {
    // SAFETY: as the caller promises.
    let face = unsafe { face(pool) }.ok_or(Status::NULL_POINTER)?;
    let head = NonNull::new(pool.cast_mut()).ok_or(Status::NULL_POINTER)?;
    // SAFETY: as above.
    let value_bytes = unsafe { (*pool).value_bytes } as usize;
    // SAFETY: as above.
    let saved = unsafe { kinds::to_saved(head) }?;
    let slots = postcard::serialize_with_flavor(&saved, Size::default()).ok();
    let live = face.occupancy().live();
    let values = live.checked_mul(value_bytes);
    let sized = slots.zip(values).and_then(|(slots, values)| {
        Some((slots, Front::BYTES.checked_add(slots)?.checked_add(values)?))
    });
    let (slots, all) = sized.ok_or(Status::OUT_OF_MEMORY)?;
    Ok((saved, slots, all))
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_state_bytes(pool: *const Head) -> usize {
    // SAFETY: as the caller promises.
    unsafe { state_of(pool) }.map_or(0, |(_, _, bytes)| bytes)
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool that nobody changes; `buffer` is null or has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_write_state(
    pool: *const Head,
    buffer: *mut c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some(face), false) = (unsafe { face(pool) }, buffer.is_null()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let (saved, slots_bytes, needed) = match unsafe { state_of(pool) } {
        Ok(state) => state,
        Err(status) => return status,
    };
    if bytes < needed {
        return Status::SMALL_MEMORY;
    }
    // SAFETY: as the caller promises; the pool lies elsewhere. Nothing is read before it is written.
    let buffer = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), needed) };
    let Some(head) = NonNull::new(pool.cast_mut()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let Shape { value_bytes, kind } = unsafe { shape_of(head) };
    let front = Front { value_bytes, kind, slots_bytes: slots_bytes as u64 };
    let (head, rest) = buffer.split_at_mut(Front::BYTES);
    head.copy_from_slice(&front.to_bytes());
    let (slots, values) = rest.split_at_mut(slots_bytes);
    if postcard::to_slice(&saved, slots).is_err() {
        return Status::OUT_OF_MEMORY;
    }
    let bytes = value_bytes as usize;
    let mut to = values.as_mut_ptr();
    for run in face.occupancy().runs() {
        let run_bytes = run.len() * bytes;
        // SAFETY: the slots are there, and as many values fit as are live.
        let from = unsafe { face.values().add(run.start * bytes) };
        // SAFETY: as above.
        unsafe { to.copy_from_nonoverlapping(from.as_ptr(), run_bytes) };
        // SAFETY: as above.
        to = unsafe { to.add(run_bytes) };
    }
    Status::OK
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool that nobody else uses; `buffer` is null or has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_read_state(
    pool: *mut Head,
    buffer: *const c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some(mut opened), false) = (unsafe { Opened::new(pool) }, buffer.is_null()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let buffer = unsafe { slice::from_raw_parts(buffer.cast::<u8>(), bytes) };
    status_of(read_state(&mut opened, buffer))
}

/// The slots that make up all of these bytes. If not all of the pool's are listed, their number comes last.
pub(crate) fn slots_of_bytes(bytes: &[u8]) -> Option<SavedSlots> {
    let (mut saved, mut rest) = postcard::take_from_bytes::<SavedSlots>(bytes).ok()?;
    if !rest.is_empty() {
        (saved.capacity, rest) = postcard::take_from_bytes(rest).ok()?;
    }
    rest.is_empty().then_some(saved)
}

/// Takes on a state, or changes nothing.
pub(crate) fn read_state(pool: &mut Opened<'_>, buffer: &[u8]) -> Result<(), Status> {
    // SAFETY: the caller's pool.
    let Shape { value_bytes, kind } = unsafe { shape_of(pool.head) };
    let (front, rest) = Front::of(buffer).ok_or(Status::BAD_STATE)?;
    if (front.value_bytes, front.kind) != (value_bytes, kind) {
        return Err(Status::OTHER_SHAPE);
    }
    let (slots, values) = front.split(rest).ok_or(Status::BAD_STATE)?;
    let saved = slots_of_bytes(slots).ok_or(Status::BAD_STATE)?;
    let bytes = value_bytes as usize;
    if saved.live().checked_mul(bytes) != Some(values.len()) {
        return Err(Status::BAD_STATE);
    }
    let (head, listed) = (pool.head, saved.listed());
    // SAFETY: the caller's pool.
    pool.be_replaced(listed, || unsafe { kinds::load(head, saved) })?;
    let mut rest = values;
    for run in pool.face().occupancy().runs() {
        let (now, later) = rest.split_at_checked(run.len() * bytes).ok_or(Status::BAD_STATE)?;
        // SAFETY: the slots are there.
        let to = unsafe { pool.face().values().add(run.start * bytes) };
        // SAFETY: as above; the buffer lies elsewhere.
        unsafe { to.as_ptr().copy_from_nonoverlapping(now.as_ptr(), now.len()) };
        rest = later;
    }
    // Which of them is the oldest was not written.
    pool.note_all();
    pool.note_replaced();
    Ok(())
}
