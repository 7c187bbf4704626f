//! A packed pool's state as bytes: [the front](PackedFront), the inner pool's state, whose values are places, and the
//! packed values in their order.

use alloc::vec::Vec;
use core::ffi::c_void;
use core::slice;

use crate::opened::{Opened, face};
use crate::packed::{Packed, Parts};
use crate::snapshot::{Front, mp_pool_state_bytes, mp_pool_write_state, read_state};
use crate::status::{Status, status_of};

/// What comes first: what the bytes are, and how many of them are the inner pool's. In little-endian order.
struct PackedFront {
    value_bytes: u64,
    slots_bytes: u64,
}

impl PackedFront {
    const MAGIC: &'static [u8; 8] = b"millpck1";
    const BYTES: usize = 24;

    fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(Self::MAGIC);
        bytes[8..16].copy_from_slice(&self.value_bytes.to_le_bytes());
        bytes[16..].copy_from_slice(&self.slots_bytes.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(*bytes[at..].first_chunk()?));
        (bytes[..8] == *Self::MAGIC).then_some(())?;
        Some(Self { value_bytes: number(8)?, slots_bytes: number(16)? })
    }
}

/// See the header.
///
/// # Safety
///
/// `packed` is null or a pool that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_state_bytes(packed: *const Packed) -> usize {
    // SAFETY: as the caller promises.
    let Some((_, parts)) = (unsafe { Parts::of(packed) }) else {
        return 0;
    };
    // SAFETY: as above.
    match unsafe { mp_pool_state_bytes(parts.head.as_ptr()) } {
        0 => 0,
        slots_bytes => PackedFront::BYTES + slots_bytes + parts.count * parts.value_bytes,
    }
}

/// See the header.
///
/// # Safety
///
/// `packed` is null or a pool that nobody changes; `buffer` is null or has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_write_state(
    packed: *const Packed,
    buffer: *mut c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some((_, parts)), false) = (unsafe { Parts::of(packed) }, buffer.is_null()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let needed = unsafe { mp_packed_state_bytes(packed) };
    if needed == 0 {
        // SAFETY: as above; it says why there is no state, and writes nothing.
        return unsafe { mp_pool_write_state(parts.head.as_ptr(), buffer, 0) };
    }
    if bytes < needed {
        return Status::SMALL_MEMORY;
    }
    let values_bytes = parts.count * parts.value_bytes;
    let slots_bytes = needed - PackedFront::BYTES - values_bytes;
    // SAFETY: as the caller promises; the pool lies elsewhere. Nothing is read before it is written.
    let buffer = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), needed) };
    let (front, rest) = buffer.split_at_mut(PackedFront::BYTES);
    let (slots, values) = rest.split_at_mut(slots_bytes);
    let value_bytes = parts.value_bytes as u64;
    front.copy_from_slice(&PackedFront { value_bytes, slots_bytes: slots_bytes as u64 }.to_bytes());
    // SAFETY: there are as many values, and they lie elsewhere.
    unsafe { values.as_mut_ptr().copy_from_nonoverlapping(parts.value(0), values_bytes) };
    // SAFETY: as the caller promises; the slice has so many bytes.
    unsafe { mp_pool_write_state(parts.head.as_ptr(), slots.as_mut_ptr().cast(), slots_bytes) }
}

/// See the header.
///
/// # Safety
///
/// `packed` is null or a pool that nobody else uses; `buffer` is null or has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_read_state(
    packed: *mut Packed,
    buffer: *const c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some((mut packed, parts)), false) = (unsafe { Parts::of(packed) }, buffer.is_null())
    else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let buffer = unsafe { slice::from_raw_parts(buffer.cast::<u8>(), bytes) };
    status_of(read(&parts, buffer).map(|count| {
        // SAFETY: as above.
        unsafe { packed.as_mut() }.count = count;
        parts.close(count);
    }))
}

/// Whether the bytes are the places of as many values, each once, in the inner pool's own byte order.
pub(crate) fn are_places(places: &[u8], count: usize) -> Result<bool, Status> {
    let mut is_taken = Vec::new();
    is_taken.try_reserve_exact(count).map_err(|_| Status::OUT_OF_MEMORY)?;
    is_taken.resize(count, false);
    Ok(places.chunks_exact(size_of::<u32>()).all(|place| {
        let place = place.first_chunk().map(|place| u32::from_ne_bytes(*place) as usize);
        let taken = place.and_then(|place| is_taken.get_mut(place));
        taken.is_some_and(|is_taken| !core::mem::replace(is_taken, true))
    }))
}

/// The size of a value, the inner pool's state and the packed values, of what may be a state.
pub(crate) fn split_packed(state: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let (front, rest) = state.split_first_chunk()?;
    let front = PackedFront::of_bytes(front)?;
    let (slots, values) = rest.split_at_checked(usize::try_from(front.slots_bytes).ok()?)?;
    Some((usize::try_from(front.value_bytes).ok()?, slots, values))
}

/// Takes on a state with so many values, which is the result; `count` is not yet set.
fn read(parts: &Parts, buffer: &[u8]) -> Result<usize, Status> {
    let (value_bytes, slots, values) = split_packed(buffer).ok_or(Status::BAD_STATE)?;
    if value_bytes != parts.value_bytes {
        return Err(Status::OTHER_SHAPE);
    }
    let places = Front::values_of(slots).ok_or(Status::BAD_STATE)?;
    let count = places.len() / size_of::<u32>();
    let is_whole = count.checked_mul(parts.value_bytes) == Some(values.len());
    if !is_whole || !are_places(places, count)? {
        return Err(Status::BAD_STATE);
    }
    // SAFETY: the caller's pool; the inner one is its own.
    let mut inner = unsafe { Opened::new(parts.head.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
    read_state(&mut inner, slots)?;
    drop(inner);
    // SAFETY: as above.
    let inner = unsafe { face(parts.head.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
    let slots = inner.occupancy().iter();
    slots.for_each(|slot| parts.set_handle(parts.place(slot), inner.handle_at(slot)));
    parts.open();
    // SAFETY: there is room for as many values as slots, and the buffer lies elsewhere.
    unsafe { parts.value(0).copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(count)
}
