//! Saved states that outlive a change: a pool takes over the objects of one with other options.
//!
//! # Invariant
//!
//! That of [`opened`](crate::opened): a pool that a C program passes is null, or one that may be used.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::slice;

use millpond::reuse::{ReuseOrder, Roster};
use millpond::snapshot::MigrateError;
use millpond::{Handle, HandleLayout, SavedSlots};

use crate::callbacks::{Bits, Convert};
use crate::face::Face;
use crate::head::Head;
use crate::opened::Opened;
use crate::orders::{ForOrder, Slots, limits_of, with_order};
use crate::packed::{Packed, Parts};
use crate::packed_state::{are_places, split_packed};
use crate::snapshot::{Front, slots_of_bytes};
use crate::status::{Status, status_of};
use crate::whole::Whole;

/// The values of a saved state, of any kind of pool.
struct Old<'s> {
    /// The order's number and the index bits, as in [`Head::kind`].
    kind: u32,
    value_bytes: usize,
    values: &'s [u8],
    /// Of a packed pool: the place of each value, in the order of the slots.
    places: Option<&'s [u8]>,
}

impl<'s> Old<'s> {
    /// The slots and the values of bytes that agree with each other.
    fn of(state: &'s [u8]) -> Result<(SavedSlots, Self), Status> {
        let (packed, slots) = match split_packed(state) {
            Some((value_bytes, slots, values)) => (Some((value_bytes, values)), slots),
            None => (None, state),
        };
        let (front, rest) = Front::of(slots).ok_or(Status::BAD_STATE)?;
        let (slots, own) = front.split(rest).ok_or(Status::BAD_STATE)?;
        let saved = slots_of_bytes(slots).ok_or(Status::BAD_STATE)?;
        let own_bytes = front.value_bytes as usize;
        let is_whole = |bytes: usize, of: &[u8]| saved.live().checked_mul(bytes) == Some(of.len());
        // Bit 16 says that the pool kept ages, which no state has.
        if !is_whole(own_bytes, own) || front.kind >> 17 != 0 {
            return Err(Status::BAD_STATE);
        }
        let (value_bytes, values, places) = match packed {
            None => (own_bytes, own, None),
            Some((value_bytes, values)) => {
                let fits = own_bytes == size_of::<u32>() && is_whole(value_bytes, values);
                if !fits || !are_places(own, saved.live())? {
                    return Err(Status::BAD_STATE);
                }
                (value_bytes, values, Some(own))
            }
        };
        Ok((saved, Self { kind: front.kind, value_bytes, values, places }))
    }

    /// The place that the `nth` value, in the order of the slots, had in a packed pool; or `nth`.
    fn place(&self, nth: usize) -> usize {
        let place = self.places.and_then(|places| places.get(nth * size_of::<u32>()..));
        let place = place.and_then(|place| place.first_chunk());
        place.map_or(nth, |place| u32::from_ne_bytes(*place) as usize)
    }

    /// Writes the `nth` value, in the order of the slots, to its place in a pool.
    ///
    /// # Safety
    ///
    /// `to` is the place of a value of the pool, whose values have as many bytes as these unless they are converted; the
    /// function keeps the header's rules.
    unsafe fn write(&self, nth: usize, to: *mut u8, bits: u64, by: Conversion) {
        let at = self.place(nth) * self.value_bytes;
        let Some(value) = self.values.get(at..at + self.value_bytes) else { return };
        match by.convert {
            Some(convert) => {
                let (from, bytes) = (value.as_ptr().cast(), value.len());
                // SAFETY: the caller's function, with what it was given for it.
                unsafe { convert(to.cast(), from, bytes, Bits { bits }, by.user) };
            }
            // SAFETY: as the caller promises; the state lies elsewhere.
            None => unsafe { to.copy_from_nonoverlapping(value.as_ptr(), value.len()) },
        }
    }
}

/// How the program makes values of old ones.
#[derive(Clone, Copy)]
struct Conversion {
    convert: Option<Convert>,
    user: *mut c_void,
}

/// Old slots, by their order.
struct Leave {
    saved: SavedSlots,
    generation_max: u32,
}

impl ForOrder for Leave {
    type Out = Result<Slots<Roster>, Status>;

    fn run<S: ReuseOrder>(self) -> Self::Out {
        let old = Slots::<S>::of_saved_slots(self.saved, self.generation_max);
        Ok(old.ok_or(Status::BAD_STATE)?.to_roster()?)
    }
}

/// A pool, by its order, takes over old slots.
struct Arrive<'o> {
    old: &'o Slots<Roster>,
    to: NonNull<Head>,
}

impl ForOrder for Arrive<'_> {
    type Out = Result<(), Status>;

    fn run<R: ReuseOrder>(self) -> Self::Out {
        // SAFETY: it is a pool of this order, and whoever opened it has it alone.
        let to = unsafe { self.to.cast::<Whole<R>>().as_mut() };
        let needed = self.old.slots_to_migrate();
        if needed > to.capacity_max() {
            return Err(Status::TOO_FEW_SLOTS);
        }
        // As many as were live at once, too: a peak is none of more slots than there are.
        let slots = to.slots.capacity().max(self.old.capacity().min(to.capacity_max()));
        to.take_on(slots, &mut |slots| Ok(slots.migrate_beside(self.old)?))
    }
}

impl From<MigrateError> for Status {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::TooFewSlots { .. } => Self::TOO_FEW_SLOTS,
            MigrateError::BeyondLifetimes { .. } => Self::BEYOND_LIFETIMES,
            MigrateError::OutOfMemory { .. } => Self::OUT_OF_MEMORY,
            MigrateError::Detached { .. } => Self::DETACHED,
            _ => Self::OTHER_SHAPE,
        }
    }
}

/// Gives the pool's slots the state of the bytes, or changes nothing. The values are still to be written.
fn take_over<'s>(
    pool: &mut Opened<'_>,
    state: &'s [u8],
    value_bytes: usize,
    by: Conversion,
) -> Result<Old<'s>, Status> {
    let (saved, old) = Old::of(state)?;
    if by.convert.is_none() && old.value_bytes != value_bytes {
        return Err(Status::OTHER_VALUES);
    }
    let generation_max = match old.kind >> 8 & 0xff {
        0 => Handle::<()>::LIFETIMES_MAX,
        index_bits => {
            let limits = limits_of(index_bits).map_err(|_| Status::BAD_STATE)?;
            u32::from(limits.0)
        }
    };
    let left = with_order(old.kind & 0xff, Leave { saved, generation_max });
    let left = left.unwrap_or(Err(Status::BAD_STATE))?;
    let to = pool.head;
    // SAFETY: whoever opened the pool has it alone; the field is copied.
    let order = u32::from(unsafe { to.read() }.kind & 0xff);
    let slots = pool.face().occupancy().slots().max(left.capacity());
    pool.be_replaced(slots, || with_order(order, Arrive { old: &left, to })?)?;
    Ok(old)
}

/// Takes over the objects of the state, or changes nothing.
///
/// # Safety
///
/// The function keeps the header's rules.
unsafe fn migrate(pool: &mut Opened<'_>, state: &[u8], by: Conversion) -> Result<(), Status> {
    let bytes = pool.value_bytes;
    let old = take_over(pool, state, bytes, by)?;
    for (nth, slot) in pool.face().occupancy().iter().enumerate() {
        // SAFETY: there is such a slot; the rest is as the caller promises.
        unsafe { old.write(nth, pool.value(slot), pool.face().handle_at(slot), by) };
    }
    pool.note_all();
    pool.note_replaced();
    Ok(())
}

/// The same of a packed pool; the result is how many values it has, which is not yet set.
///
/// # Safety
///
/// The pool is as the module [`packed`](crate::packed) says; the function keeps the header's rules.
unsafe fn migrate_packed(parts: &Parts, state: &[u8], by: Conversion) -> Result<usize, Status> {
    // SAFETY: the caller's pool; the inner one is its own.
    let mut inner = unsafe { Opened::new(parts.head.as_ptr()) }.ok_or(Status::NULL_POINTER)?;
    let old = take_over(&mut inner, state, parts.value_bytes, by)?;
    parts.open();
    let mut count = 0;
    for slot in inner.face().occupancy().iter() {
        let place = old.place(count);
        parts.set_place(slot, place);
        let handle = inner.face().handle_at(slot);
        parts.set_handle(place, handle);
        let value = parts.value(place);
        // SAFETY: there are as many places as slots; the rest is as the caller promises.
        unsafe { old.write(count, value, handle, by) };
        count += 1;
    }
    inner.note_replaced();
    Ok(count)
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool that nobody else uses; `state` is null or has `bytes` bytes; `convert` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_migrate(
    pool: *mut Head,
    state: *const c_void,
    bytes: usize,
    convert: Option<Convert>,
    user: *mut c_void,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some(mut pool), false) = (unsafe { Opened::new(pool) }, state.is_null()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let state = unsafe { slice::from_raw_parts(state.cast::<u8>(), bytes) };
    // SAFETY: as above.
    status_of(unsafe { migrate(&mut pool, state, Conversion { convert, user }) })
}

/// See the header.
///
/// # Safety
///
/// `packed` is null or a pool that nobody else uses; `state` is null or has `bytes` bytes; `convert` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_migrate(
    packed: *mut Packed,
    state: *const c_void,
    bytes: usize,
    convert: Option<Convert>,
    user: *mut c_void,
) -> Status {
    // SAFETY: as the caller promises.
    let (Some((mut packed, parts)), false) = (unsafe { Parts::of(packed) }, state.is_null()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    let state = unsafe { slice::from_raw_parts(state.cast::<u8>(), bytes) };
    // SAFETY: as above.
    let count = unsafe { migrate_packed(&parts, state, Conversion { convert, user }) };
    status_of(count.map(|count| {
        // SAFETY: as above.
        unsafe { packed.as_mut() }.count = count;
        parts.close(count);
    }))
}
