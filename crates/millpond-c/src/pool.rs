//! What the header calls of one pool.
//!
//! # Invariant
//!
//! That of [`opened`](crate::opened): a pool that a C program passes is null, or one that may be used.

use core::ffi::{c_char, c_void};
use core::fmt;
use core::ptr::{self, NonNull};

use millpond::Stats;

use crate::callbacks::{Bits, Key, Poison};
use crate::face::{Face, slot_of};
use crate::head::Head;
use crate::kinds;
use crate::opened::{Opened, face};
use crate::outside::Outside;
use crate::status::{Status, status_of};
use crate::text::write_text;

/// # Safety
///
/// `to` is null, or points to what may be written.
pub(crate) unsafe fn give<V>(to: *mut V, value: V) {
    if !to.is_null() {
        // SAFETY: as the caller promises.
        unsafe { to.write(value) };
    }
}

/// The called half of `mp_insert`.
///
/// # Safety
///
/// As this module's invariant says; `bits` points to what may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_insert_slow_(pool: *mut Head, bits: *mut u64) -> *mut c_void {
    // SAFETY: as the caller promises.
    let inserted = unsafe { Opened::new(pool) }.and_then(|mut pool| pool.insert());
    let (handle, value) = inserted.unwrap_or((0, ptr::null_mut()));
    // SAFETY: as the caller promises.
    unsafe { give(bits, handle) };
    value.cast()
}

/// The called half of `mp_remove`.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_remove_slow_(pool: *mut Head, bits: u64) -> bool {
    // SAFETY: as the caller promises.
    unsafe { Opened::new(pool) }.is_some_and(|mut pool| pool.remove(bits))
}

/// As [`mp_remove_slow_`], for another object to take the slot: counts as an eviction.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_evict_(pool: *mut Head, bits: u64) {
    // SAFETY: as the caller promises.
    if let Some(mut pool) = unsafe { Opened::new(pool) } {
        pool.evict(bits);
    }
}

/// Whether the slot of this live object retires after it, so that evicting it would make no room.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_is_last_(pool: *const Head, bits: u64) -> bool {
    // SAFETY: as the caller promises.
    unsafe { face(pool) }.is_some_and(|face| face.is_last(bits))
}

/// 64 slots, from their words.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_gather_(pool: *const Head, word: usize) -> u64 {
    // SAFETY: as the caller promises.
    let face = unsafe { face(pool) };
    face.map_or(0, |face| {
        let occupancy = face.occupancy();
        if word < occupancy.slots().div_ceil(64) { occupancy.word(word) } else { 0 }
    })
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `value` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_insert_at(
    pool: *mut Head,
    Bits { bits }: Bits,
    value: *mut *mut c_void,
) -> Status {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return Status::NULL_POINTER;
    };
    if let Err(status) = pool.reach(bits) {
        return status;
    }
    // SAFETY: as the caller promises.
    let acquired = unsafe { kinds::acquire_at(pool.head, bits) };
    status_of(acquired.map(|()| {
        let place = pool.note_birth(bits);
        // SAFETY: as the caller promises.
        unsafe { give(value, place.cast()) };
    }))
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `out` and `evicted` are null or may be written; `evicted_value` is null or has room
/// for a value; `key` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_insert_or_evict(
    pool: *mut Head,
    key: Option<Key>,
    user: *mut c_void,
    out: *mut u64,
    evicted: *mut u64,
    evicted_value: *mut c_void,
) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { give(out, 0) };
    // SAFETY: as above.
    unsafe { give(evicted, 0) };
    // SAFETY: as above.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return ptr::null_mut();
    };
    if pool.face().is_full() {
        let victim = match key {
            Some(key) => {
                let (values, bytes) = (pool.face().values(), pool.value_bytes);
                let mut key_of = |bits: u64| {
                    // SAFETY: the slot of a live object.
                    let value = unsafe { values.add(slot_of(bits) * bytes) };
                    // SAFETY: the caller's function, with what it was given for it.
                    unsafe { key(value.as_ptr().cast(), Bits { bits }, user) }
                };
                // SAFETY: the caller's pool.
                unsafe { kinds::least(pool.head, &mut key_of) }
            }
            None => pool.face_mut().oldest(),
        };
        if victim != 0 {
            let value = pool.value(slot_of(victim));
            if !evicted_value.is_null() {
                // SAFETY: there is room for a value, and it lies elsewhere.
                unsafe { value.copy_to_nonoverlapping(evicted_value.cast(), pool.value_bytes) };
            }
            pool.evict(victim);
            // SAFETY: as the caller promises.
            unsafe { give(evicted, victim) };
        }
    }
    let Some((bits, value)) = pool.insert() else {
        return ptr::null_mut();
    };
    // SAFETY: as the caller promises.
    unsafe { give(out, bits) };
    value.cast()
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_note_use(pool: *mut Head, Bits { bits }: Bits) -> Status {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return Status::NULL_POINTER;
    };
    if !pool.face().keeps_oldest() {
        return Status::NOT_KEPT;
    }
    status_of(match pool.face().check(bits) {
        Ok(()) => {
            pool.face_mut().note(bits);
            Ok(())
        }
        Err(refusal) => Err(refusal.into()),
    })
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_clear(pool: *mut Head) {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return;
    };
    let head = pool.head;
    if let Some(outside) = pool.outside_mut() {
        outside.open(head);
    }
    // SAFETY: as above. A pool has a kind.
    let _ = unsafe { kinds::clear(head) };
    pool.note_replaced();
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_check(pool: *const Head, Bits { bits }: Bits) -> Status {
    // SAFETY: as the caller promises.
    let Some(face) = (unsafe { face(pool) }) else {
        return Status::NULL_POINTER;
    };
    status_of(face.check(bits).map_err(Status::from))
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `text` is null or has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_explain(
    pool: *const Head,
    Bits { bits }: Bits,
    text: *mut c_char,
    room: usize,
) -> usize {
    // SAFETY: as the caller promises.
    let explained: &dyn fmt::Display = match unsafe { face(pool) } {
        None => &"no pool",
        // SAFETY: as above.
        Some(face) => &Explained { face, bits, word: unsafe { Head::word(pool, slot_of(bits)) } },
    };
    // SAFETY: as the caller promises.
    unsafe { write_text(text, room, explained) }
}

/// What a handle is to a pool.
struct Explained<'p> {
    face: &'p dyn Face,
    bits: u64,
    /// That of the handle's slot.
    word: Option<u32>,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slot, generation) = (slot_of(self.bits), self.bits as u32);
        match self.face.name() {
            Some(name) => write!(f, "pool \"{name}\"")?,
            None => f.write_str("the pool")?,
        }
        let refusal = match self.face.check(self.bits) {
            Ok(()) => return write!(f, ": the handle {slot}v{generation} is live"),
            Err(refusal) => refusal,
        };
        if self.bits == 0 {
            return f.write_str(" refuses the handle 0, which names nothing");
        }
        write!(f, " refuses the handle {slot}v{generation}: ")?;
        match self.word {
            None => {
                let slots = self.face.occupancy().slots();
                write!(f, "{refusal}; the pool has {slots} slots")
            }
            Some(RETIRED) => write!(f, "{refusal}; slot {slot} is out of use"),
            Some(word) if word < RETIRED => {
                write!(f, "{refusal}; slot {slot} is now in generation {word}")
            }
            Some(word) => {
                let next = word - RETIRED;
                write!(f, "{refusal}; slot {slot} is free, and next in generation {next}")
            }
        }
    }
}

/// The word of a slot that is never used again, or not before a constructor or destructor of `millpond.hpp` returns. Those of live slots are below, and those of free slots above.
const RETIRED: u32 = 1 << 31;

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_index_of(pool: *const Head, value: *const c_void) -> usize {
    // SAFETY: as the caller promises.
    let Some(face) = (unsafe { face(pool) }) else {
        return usize::MAX;
    };
    // SAFETY: as above.
    let bytes = unsafe { (*pool).value_bytes } as usize;
    let behind = value.addr().wrapping_sub(face.values().addr().get());
    let is_slot = bytes > 0 && behind % bytes == 0 && behind / bytes < face.occupancy().slots();
    if is_slot { behind / bytes } else { usize::MAX }
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_handle_at(pool: *const Head, slot: usize) -> Bits {
    // SAFETY: as the caller promises.
    Bits { bits: unsafe { face(pool) }.map_or(0, |face| face.handle_at(slot)) }
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_next_handle(pool: *mut Head) -> Bits {
    // SAFETY: as the caller promises.
    let opened = unsafe { Opened::new(pool) };
    let next = opened.map_or(0, |mut pool| match pool.make_room() {
        Ok(()) => pool.face_mut().next_handle(),
        Err(_) => 0,
    });
    Bits { bits: next }
}

/// The called half of `mp_pool_refresh`.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_refresh_slow_(pool: *mut Head) {
    // SAFETY: as the caller promises.
    if let Some(mut pool) = unsafe { Opened::new(pool) } {
        pool.face_mut().refresh();
    }
}

/// `mp_stats`.
#[repr(C)]
#[derive(Default)]
pub struct StatsInC {
    pub(crate) capacity: u64,
    live: u64,
    peak: u64,
    retired: u64,
    inserted: u64,
    removed: u64,
    refused: u64,
    pub(crate) evicted: u64,
}

impl StatsInC {
    pub(crate) fn of(stats: &Stats) -> Self {
        Self {
            capacity: stats.capacity as u64,
            live: stats.live as u64,
            peak: stats.peak as u64,
            retired: stats.retired as u64,
            inserted: stats.inserted,
            removed: stats.removed,
            refused: stats.refused,
            evicted: stats.evicted,
        }
    }
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_stats(pool: *const Head) -> StatsInC {
    // SAFETY: as the caller promises.
    let Some(stats) = (unsafe { face(pool) }).map(Face::stats) else {
        return StatsInC::default();
    };
    StatsInC::of(&stats)
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `text` is null or has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_validate(
    pool: *const Head,
    text: *mut c_char,
    room: usize,
) -> Status {
    let Some(head) = NonNull::new(pool.cast_mut()) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as the caller promises.
    match unsafe { kinds::validate(head) } {
        Ok(()) => {
            // SAFETY: as the caller promises.
            unsafe { write_text(text, room, &"") };
            Status::OK
        }
        Err(violation) => {
            let found: &dyn fmt::Display = match &violation {
                Some(violation) => violation,
                None => &"a pool is of a kind that there is: something else stands in its place",
            };
            // SAFETY: as the caller promises.
            unsafe { write_text(text, room, found) };
            Status::BROKEN
        }
    }
}

/// See the header: for programs compiled with a sanitizer.
///
/// # Safety
///
/// As this module's invariant says; the functions are the sanitizer's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_watch_(
    pool: *mut Head,
    poison: Option<Poison>,
    unpoison: Option<Poison>,
) {
    if let (Some(head), Some(poison), Some(unpoison)) = (NonNull::new(pool), poison, unpoison) {
        Outside::watch(head, poison, unpoison);
    }
}
