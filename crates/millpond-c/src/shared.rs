//! Pools that threads share: the library's [`SyncPool`] and [`SyncRecycler`], of places in an array whose values only
//! the C program knows.
//!
//! # Invariant
//!
//! `values` has room for a value for each slot, at the addresses that the slots' [`Place`]s name; it goes after the pool
//! that has them. Who may touch the value of a place is who may touch the `Place`, so the library's rules for values that
//! threads share are those of the bytes, too.

use alloc::boxed::Box;
use alloc::string::String;
use core::alloc::Layout;
use core::ffi::c_void;
use core::mem::{self, MaybeUninit};
use core::ptr::{self, NonNull};

use millpond::sync::{Acquired, Shared as Guard};
use millpond::{Handle, Stats, SyncPool, SyncRecycler};

use crate::callbacks::{Bits, boxed, c_free, c_take};
use crate::face::slot_of;
use crate::options::{Checked, Options, read};
use crate::pool::StatsInC;
use crate::status::{Status, status_of};

type End = unsafe extern "C" fn(*mut c_void, *mut c_void);
type Make = unsafe extern "C" fn(*mut c_void, *mut c_void);
type MakeAt = unsafe extern "C" fn(*mut c_void, usize, *mut c_void);
/// What a sanitizer of threads is told: it does not see the library's atomics.
type Edge = unsafe extern "C" fn(*mut c_void);

/// What the C program said of all values.
struct Rules {
    end: Option<End>,
    user: *mut c_void,
    acquire: Option<Edge>,
    release: Option<Edge>,
}

impl Rules {
    /// What others did with the value has happened.
    fn acquire(&self, value: *mut c_void) {
        if let Some(acquire) = self.acquire {
            // SAFETY: the sanitizer's function.
            unsafe { acquire(value) };
        }
    }

    /// What this thread did with the value has happened for those who come later.
    fn release(&self, value: *mut c_void) {
        if let Some(release) = self.release {
            // SAFETY: as above.
            unsafe { release(value) };
        }
    }
}

/// Where a value is. The value ends with it.
struct Place {
    value: *mut c_void,
    rules: NonNull<Rules>,
}

// SAFETY: the header says that values and the program's functions may be used on every thread.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: the rules go after the pool (`Values`).
        let rules = unsafe { self.rules.as_ref() };
        rules.acquire(self.value);
        if let Some(end) = rules.end {
            // SAFETY: the program's function, with what it was given for it; nobody has the value any more.
            unsafe { end(self.value, rules.user) };
        }
        rules.release(self.value);
    }
}

/// Memory for the values, the name and the rules. Places and the pool point to all three, so none is a box that moves.
struct Values {
    memory: *mut u8,
    stride: usize,
    rules: NonNull<Rules>,
    name: Option<NonNull<str>>,
}

impl Values {
    fn new(options: &Checked<'_>, end: Option<End>, user: *mut c_void) -> Result<Self, Status> {
        let raw = &options.raw;
        // What these pools do not have is not set.
        let is_plain = raw.order == 0
            && raw.index_bits == 0
            && raw.full == 0
            && raw.flags == 0
            && raw.slots_max == 0
            && raw.memory.is_null()
            && raw.take.is_none();
        if !is_plain || options.value.size() == 0 {
            return Err(Status::BAD_OPTIONS);
        }
        let slots = raw.slots as usize;
        let bytes = options.value.size().checked_mul(slots).ok_or(Status::OUT_OF_MEMORY)?;
        let layout = Layout::from_size_align(bytes, options.value.align())
            .map_err(|_| Status::OUT_OF_MEMORY)?;
        let name = options.name.map(copied).transpose()?;
        let rules = boxed(Rules { end, user, acquire: None, release: None })?;
        let memory = NonNull::new(c_take(layout).cast::<u8>()).ok_or(Status::OUT_OF_MEMORY)?;
        // SAFETY: there are so many bytes.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(Self {
            memory: memory.as_ptr(),
            stride: options.value.size(),
            rules: NonNull::from(Box::leak(rules)),
            name: name.map(|name| NonNull::from(Box::leak(name))),
        })
    }

    fn rules(&self) -> &Rules {
        // SAFETY: they are there as long as this is, and change only before the pool is used.
        unsafe { self.rules.as_ref() }
    }

    fn watch(&mut self, acquire: Option<Edge>, release: Option<Edge>) {
        // SAFETY: nobody uses the pool yet, so nobody reads the rules.
        let rules = unsafe { self.rules.as_mut() };
        (rules.acquire, rules.release) = (acquire, release);
    }

    /// The name, for as long as the pool that is built with it: see `Shared` and `Lender`.
    fn name(&self) -> Option<&'static str> {
        // SAFETY: the text goes after the pool, and nobody changes it.
        self.name.map(|name| unsafe { name.as_ref() })
    }

    fn value(&self, slot: usize) -> *mut c_void {
        // SAFETY: slots are those of the pool.
        unsafe { self.memory.add(slot * self.stride) }.cast()
    }

    fn place(&self, slot: usize) -> Place {
        Place { value: self.value(slot), rules: self.rules }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        // SAFETY: it came from the C library, and the pool has gone before.
        unsafe { c_free(self.memory.cast()) };
        // SAFETY: they came from a box, and the pool has gone before.
        drop(unsafe { Box::from_raw(self.rules.as_ptr()) });
        // SAFETY: as above.
        drop(self.name.map(|name| unsafe { Box::from_raw(name.as_ptr()) }));
    }
}

/// A copy of a name, or `OUT_OF_MEMORY` where `Box::from` would end the program.
fn copied(name: &str) -> Result<Box<str>, Status> {
    let mut copy = String::new();
    copy.try_reserve_exact(name.len()).map_err(|_| Status::OUT_OF_MEMORY)?;
    copy.push_str(name);
    Ok(copy.into_boxed_str())
}

/// `mp_sync`. The pool goes first.
pub struct Shared {
    pool: SyncPool<Place>,
    values: Values,
}

/// `mp_shared`.
#[repr(C)]
pub struct SharedInC {
    value: *mut c_void,
    guard: MaybeUninit<[u64; 2]>,
}
const _: () = assert!(size_of::<Guard<'static, Place>>() <= 16);
const _: () = assert!(align_of::<Guard<'static, Place>>() <= 8);

/// `mp_recycler`. The objects go first.
pub struct Lender {
    objects: SyncRecycler<Place>,
    values: Values,
}

/// `mp_lent`.
#[repr(C)]
pub struct LentInC {
    object: *mut c_void,
    index: usize,
    guard: MaybeUninit<[u64; 2]>,
}
const _: () = assert!(size_of::<Acquired<'static, Place>>() <= 16);
const _: () = assert!(align_of::<Acquired<'static, Place>>() <= 8);

fn handle_of(bits: u64) -> Option<Handle<Place>> {
    Handle::from_bits(bits)
}

impl Shared {
    /// The handle of a value that `write` has written into its place; `None`: the pool is full.
    fn insert(&self, write: impl FnOnce(*mut c_void)) -> Option<u64> {
        let made = self.pool.insert_with(|handle| {
            let bits: u64 = handle.to_bits();
            let place = self.values.place(slot_of(bits));
            self.values.rules().acquire(place.value);
            write(place.value);
            self.values.rules().release(place.value);
            place
        });
        made.ok().map(|handle| handle.to_bits())
    }
}

/// See the header.
///
/// # Safety
///
/// `options` is as the header says; `out` is null or may be written; `end` may be called on every thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_create_(
    options: *const Options,
    end: Option<End>,
    user: *mut c_void,
    out: *mut *mut Shared,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    // SAFETY: as the caller promises.
    let created = unsafe { read(options) }.and_then(|options| {
        let values = Values::new(&options, end, user)?;
        let mut builder = SyncPool::<Place>::builder().capacity(options.raw.slots as usize);
        if let Some(name) = values.name() {
            builder = builder.name(name);
        }
        if options.raw.salt != 0 {
            builder = builder.salt(options.raw.salt);
        }
        if options.raw.lifetimes != 0 {
            builder = builder.lifetimes(options.raw.lifetimes);
        }
        boxed(Shared { pool: builder.try_build()?, values })
    });
    status_of(created.map(|created| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(created)) };
    }))
}

/// For the header: whom to tell what the sanitizer of threads does not see.
///
/// # Safety
///
/// `pool` is one that nobody else uses yet; the functions take any address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_watch_(
    pool: *mut Shared,
    acquire: Option<Edge>,
    release: Option<Edge>,
) {
    // SAFETY: as the caller promises.
    if let Some(pool) = unsafe { pool.as_mut() } {
        pool.values.watch(acquire, release);
    }
}

/// See the header.
///
/// # Safety
///
/// `pool` is null, or one that nobody uses any more, and none of whose values is held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_destroy(pool: *mut Shared) {
    if !pool.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        drop(unsafe { Box::from_raw(pool) });
    }
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool; `value` points to a value; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_insert(
    pool: *const Shared,
    value: *const c_void,
    out: *mut Bits,
) -> bool {
    // SAFETY: as the caller promises.
    let made = unsafe { pool.as_ref() }.filter(|_| !value.is_null()).and_then(|pool| {
        pool.insert(|place| {
            // SAFETY: the place is this call's, and both have so many bytes.
            unsafe {
                place.cast::<u8>().copy_from_nonoverlapping(value.cast(), pool.values.stride)
            };
        })
    });
    if !out.is_null() {
        // SAFETY: as the caller promises.
        unsafe { out.write(Bits { bits: made.unwrap_or(0) }) };
    }
    made.is_some()
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool; `make` keeps the header's rules; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_insert_with(
    pool: *const Shared,
    make: Option<Make>,
    user: *mut c_void,
    out: *mut Bits,
) -> bool {
    // SAFETY: as the caller promises.
    let made = unsafe { pool.as_ref() }.zip(make).and_then(|(pool, make)| {
        // SAFETY: the program's function, with what it was given for it; the place is this call's.
        pool.insert(|place| unsafe { make(place, user) })
    });
    if !out.is_null() {
        // SAFETY: as the caller promises.
        unsafe { out.write(Bits { bits: made.unwrap_or(0) }) };
    }
    made.is_some()
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool; `out` is null, or may be written and holds no value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_get(
    pool: *const Shared,
    Bits { bits }: Bits,
    out: *mut SharedInC,
) -> *mut c_void {
    if out.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: as the caller promises.
    let found =
        unsafe { pool.as_ref() }.and_then(|pool| Some((pool, pool.pool.get(handle_of(bits)?)?)));
    let Some((pool, guard)) = found else {
        // SAFETY: as the caller promises.
        unsafe { out.write(SharedInC { value: ptr::null_mut(), guard: MaybeUninit::zeroed() }) };
        return ptr::null_mut();
    };
    let value = guard.value;
    pool.values.rules().acquire(value);
    let mut held = SharedInC { value, guard: MaybeUninit::zeroed() };
    // SAFETY: it is large enough, and as aligned (above).
    unsafe { held.guard.as_mut_ptr().cast::<Guard<'_, Place>>().write(guard) };
    // SAFETY: as the caller promises.
    unsafe { out.write(held) };
    value
}

/// See the header.
///
/// # Safety
///
/// `held` is null, or was written by `mp_sync_get`, whose pool is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_drop(held: *mut SharedInC) {
    // SAFETY: as the caller promises.
    let Some(held) = (unsafe { held.as_mut() }) else { return };
    if mem::replace(&mut held.value, ptr::null_mut()).is_null() {
        return;
    }
    // SAFETY: a value is held, so `mp_sync_get` wrote a guard there, which nobody has read since.
    let guard = unsafe { held.guard.as_ptr().cast::<Guard<'_, Place>>().read() };
    // SAFETY: the rules are the pool's.
    unsafe { guard.rules.as_ref() }.release(guard.value);
    drop(guard);
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_remove(pool: *const Shared, Bits { bits }: Bits) -> bool {
    // SAFETY: as the caller promises.
    unsafe { pool.as_ref() }
        .zip(handle_of(bits))
        .is_some_and(|(pool, handle)| pool.pool.remove(handle))
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_contains(pool: *const Shared, Bits { bits }: Bits) -> bool {
    // SAFETY: as the caller promises.
    unsafe { pool.as_ref() }
        .zip(handle_of(bits))
        .is_some_and(|(pool, handle)| pool.pool.contains(handle))
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_handle_at(pool: *const Shared, index: usize) -> Bits {
    // SAFETY: as the caller promises.
    let found = unsafe { pool.as_ref() }
        .filter(|pool| index < pool.pool.capacity())
        .and_then(|pool| pool.pool.handle_at(index));
    Bits { bits: found.map_or(0, |handle| handle.to_bits()) }
}

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sync_stats(pool: *const Shared) -> StatsInC {
    // SAFETY: as the caller promises.
    StatsInC::of(&unsafe { pool.as_ref() }.map_or_else(Stats::default, |pool| pool.pool.stats()))
}

/// See the header.
///
/// # Safety
///
/// `options` is as the header says; `out` is null or may be written; `make` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_create_(
    options: *const Options,
    make: Option<MakeAt>,
    end: Option<End>,
    user: *mut c_void,
    out: *mut *mut Lender,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    // SAFETY: as the caller promises.
    let created = unsafe { read(options) }.and_then(|options| {
        if options.raw.salt != 0 || options.raw.lifetimes != 0 {
            return Err(Status::BAD_OPTIONS);
        }
        let values = Values::new(&options, end, user)?;
        let mut builder = SyncRecycler::<Place>::builder().capacity(options.raw.slots as usize);
        if let Some(name) = values.name() {
            builder = builder.name(name);
        }
        let objects = builder.try_build_with(|index| {
            let place = values.place(index);
            if let Some(make) = make {
                // SAFETY: the program's function, with what it was given for it.
                unsafe { make(place.value, index, user) };
            }
            place
        })?;
        boxed(Lender { objects, values })
    });
    status_of(created.map(|created| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(created)) };
    }))
}

/// For the header, as `mp_sync_watch_`.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_watch_(
    recycler: *mut Lender,
    acquire: Option<Edge>,
    release: Option<Edge>,
) {
    // SAFETY: as the caller promises.
    if let Some(recycler) = unsafe { recycler.as_mut() } {
        recycler.values.watch(acquire, release);
    }
}

/// See the header.
///
/// # Safety
///
/// `recycler` is null, or one that nobody uses any more, and none of whose objects is lent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_destroy(recycler: *mut Lender) {
    if !recycler.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        drop(unsafe { Box::from_raw(recycler) });
    }
}

/// See the header.
///
/// # Safety
///
/// `recycler` is null or a recycler; `out` is null, or may be written and has no object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_acquire(
    recycler: *const Lender,
    out: *mut LentInC,
) -> *mut c_void {
    if out.is_null() {
        return ptr::null_mut();
    }
    let mut lent = LentInC { object: ptr::null_mut(), index: 0, guard: MaybeUninit::zeroed() };
    // SAFETY: as the caller promises.
    let found = unsafe { recycler.as_ref() }
        .and_then(|recycler| Some((recycler, recycler.objects.acquire()?)));
    if let Some((recycler, guard)) = found {
        lent.object = guard.value;
        lent.index = Acquired::index(&guard);
        recycler.values.rules().acquire(lent.object);
        // SAFETY: it is large enough, and as aligned (above).
        unsafe { lent.guard.as_mut_ptr().cast::<Acquired<'_, Place>>().write(guard) };
    }
    let object = lent.object;
    // SAFETY: as the caller promises.
    unsafe { out.write(lent) };
    object
}

/// See the header.
///
/// # Safety
///
/// `lent` is null, or was written by `mp_recycler_acquire`, whose recycler is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_release(lent: *mut LentInC) {
    // SAFETY: as the caller promises.
    let Some(lent) = (unsafe { lent.as_mut() }) else { return };
    if mem::replace(&mut lent.object, ptr::null_mut()).is_null() {
        return;
    }
    // SAFETY: an object is lent, so `mp_recycler_acquire` wrote a guard there, which nobody has read since.
    let guard = unsafe { lent.guard.as_ptr().cast::<Acquired<'_, Place>>().read() };
    // SAFETY: the rules are the recycler's.
    unsafe { guard.rules.as_ref() }.release(guard.value);
    drop(guard);
}

/// See the header.
///
/// # Safety
///
/// `recycler` is null or a recycler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_capacity(recycler: *const Lender) -> usize {
    // SAFETY: as the caller promises.
    unsafe { recycler.as_ref() }.map_or(0, |recycler| recycler.objects.capacity())
}

/// See the header.
///
/// # Safety
///
/// `recycler` is null or a recycler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_recycler_available(recycler: *const Lender) -> usize {
    // SAFETY: as the caller promises.
    unsafe { recycler.as_ref() }.map_or(0, |recycler| recycler.objects.available())
}
