//! Packed pools: values without holes, beside a [pool](crate::create) of their places.
//!
//! ```text
//! mp_packed    Packed │ the pool of places: Head … places │ entries │ words │ bitmap │ handles │ values
//! ```
//!
//! The inner pool has all handles and generations; the value of a slot in it is a place, the number of the packed value.
//! The handles are the inverse: that of the value at each place, whole, because a loop gives it with each value. No rule of
//! a pool is written here a second time.
//!
//! # Invariant
//!
//! A packed pool that a C program passes is null, or one that [`create`] has made and nobody has destroyed; one that is
//! changed is used by nobody else. That is the header's contract, and every block below relies on it. The inner pool lies
//! right behind the [`Packed`], and has `count` live slots, whose places are 0 to `count` and the inverse of the handles.

use alloc::boxed::Box;
use core::alloc::Layout;
use core::ffi::{c_char, c_void};
use core::mem::offset_of;
use core::ptr::{self, NonNull};
use core::slice;

use millpond::snapshot::Checksum;

use crate::block::{BLOCK_ALIGN, Block};
use crate::callbacks::{AddToSum, Bits, Give, Key, Poison, boxed};
use crate::create::{self, LAYOUT};
use crate::head::{Head, InC};
use crate::kinds;
use crate::opened::face;
use crate::options::{self, Checked, EVICT_OLDEST, FILLED, Options, UNTOUCHED, WRAP, ZEROED};
use crate::outside::Outside;
use crate::pool::{mp_pool_clear, mp_pool_validate};
use crate::status::{Status, status_of};
use crate::sum::Sum;
use crate::text::write_text;

/// What stands in front of the inner pool.
#[repr(C)]
pub struct Packed {
    /// Who takes the block back; otherwise nobody, or the C library.
    give: Option<Give>,
    user: *mut c_void,
    /// How many bytes the block has; 0 if it is the caller's.
    block_bytes: usize,
    /// What is done beside when a value comes or goes; null for most pools. It has no recorder: the inner pool has.
    pub(crate) aids: *mut Outside,
    pub(crate) values: *mut u8,
    pub(crate) handles: *mut u64,
    pub(crate) count: usize,
    pub(crate) value_bytes: u32,
    pub(crate) value_align: u32,
}

/// `mp_packed`, as the header declares it.
#[repr(C)]
pub(crate) struct PackedInC {
    packed: Packed,
    pub(crate) slots: InC,
}

const _: () = assert!(offset_of!(PackedInC, slots) == size_of::<Packed>());
// The inner pool's block is as aligned as any pool's.
const _: () = assert!(size_of::<Packed>() == BLOCK_ALIGN);

/// The inner pool.
pub(crate) fn head_of(packed: NonNull<Packed>) -> NonNull<Head> {
    // SAFETY: it lies right behind (the invariant).
    unsafe { packed.add(1) }.cast()
}

/// The slot of a handle.
fn slot_of(bits: u64) -> usize {
    (bits >> 32) as usize
}

/// A packed pool that a function reads or changes, and its arrays.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) head: NonNull<Head>,
    pub(crate) slots: usize,
    pub(crate) count: usize,
    pub(crate) value_bytes: usize,
    values: *mut u8,
    handles: *mut u64,
    places: *mut u32,
    aids: *mut Outside,
}

impl Parts {
    /// # Safety
    ///
    /// The pool is as this module's invariant says, for as long as the result is used.
    pub(crate) unsafe fn of(packed: *const Packed) -> Option<(NonNull<Packed>, Self)> {
        let packed = NonNull::new(packed.cast_mut())?;
        // SAFETY: as the caller promises; the fields are copied.
        let Packed { count, value_bytes, values, handles, aids, .. } = unsafe { packed.read() };
        let head = head_of(packed);
        // SAFETY: as above.
        let inner = unsafe { face(head.as_ptr()) }?;
        let (slots, places) = (inner.occupancy().slots(), inner.values().as_ptr().cast());
        let value_bytes = value_bytes as usize;
        Some((packed, Self { head, slots, count, value_bytes, values, handles, places, aids }))
    }

    /// The value at a place, which is below the number of slots.
    pub(crate) fn value(&self, place: usize) -> *mut u8 {
        // SAFETY: there is room for as many values as slots.
        unsafe { self.values.add(place * self.value_bytes) }
    }

    /// The handles of the values.
    pub(crate) fn handles(&self) -> &[u64] {
        // SAFETY: as many handles as values were written, and nobody changes them.
        unsafe { slice::from_raw_parts(self.handles, self.count) }
    }

    /// The place of the value of a live slot, as the inner pool has it.
    pub(crate) fn place(&self, slot: usize) -> usize {
        // SAFETY: callers name slots of the pool.
        let place = unsafe { self.places.add(slot) };
        // SAFETY: as above; a live slot has a place.
        unsafe { place.read() as usize }
    }

    /// Notes at which place the value of a slot is.
    pub(crate) fn set_place(&self, slot: usize, place: usize) {
        // SAFETY: callers name slots of the pool.
        let to = unsafe { self.places.add(slot) };
        // SAFETY: as above.
        unsafe { to.write(place as u32) };
    }

    /// Notes the handle of the value at a place.
    pub(crate) fn set_handle(&self, place: usize, bits: u64) {
        // SAFETY: there is room for as many as slots.
        let to = unsafe { self.handles.add(place) };
        // SAFETY: as above.
        unsafe { to.write(bits) };
    }

    /// Calls the function with the pool's aids, if it has some, for as long as it runs.
    fn with_aids(&self, work: impl FnOnce(&mut Outside)) {
        // SAFETY: null, or the pool's own, which nobody else uses meanwhile.
        if let Some(aids) = unsafe { self.aids.as_mut() } {
            work(aids);
        }
    }

    /// All bytes of values may be written from now on.
    pub(crate) fn open(&self) {
        self.with_aids(|aids| {
            (0..self.slots).for_each(|place| aids.open_value(self.value(place), self.value_bytes));
        });
    }

    /// The bytes behind the first `count` values are dead again.
    pub(crate) fn close(&self, count: usize) {
        self.with_aids(|aids| {
            (count..self.slots)
                .for_each(|place| aids.death(place, self.value(place), self.value_bytes));
        });
    }
}

/// Where the parts of a packed pool's block are, behind the [`Packed`] itself.
struct Plan {
    layout: Layout,
    slots_bytes: usize,
    handles: usize,
    values: usize,
}

/// The options of the inner pool.
fn of_places<'o>(options: &Checked<'o>) -> Checked<'o> {
    let value = Layout::new::<u32>();
    let raw = Options {
        value_bytes: value.size() as u32,
        value_align: value.align() as u32,
        flags: options.raw.flags & WRAP,
        take: None,
        give: None,
        ..options.raw
    };
    Checked { raw, value, name: options.name }
}

impl Plan {
    fn of(options: &Checked<'_>) -> Result<Self, Status> {
        let Options { full, slots_max, flags, .. } = options.raw;
        if full == EVICT_OLDEST || slots_max != 0 || flags & UNTOUCHED != 0 {
            return Err(Status::BAD_OPTIONS);
        }
        let too_large = |_| Status::OUT_OF_MEMORY;
        let inner = create::layout(&of_places(options))?;
        let slots = options.raw.slots as usize;
        let bytes = options.value.size().checked_mul(slots).ok_or(Status::OUT_OF_MEMORY)?;
        let values = Layout::from_size_align(bytes, options.value.align().max(BLOCK_ALIGN));
        let (layout, _) = Layout::new::<Packed>().extend(inner).map_err(too_large)?;
        let handles = Layout::array::<u64>(slots).map_err(too_large)?;
        let (layout, handles) = layout.extend(handles).map_err(too_large)?;
        let (layout, values) = layout.extend(values.map_err(too_large)?).map_err(too_large)?;
        Ok(Self { layout: layout.pad_to_align(), slots_bytes: inner.size(), handles, values })
    }
}

/// Creates a packed pool.
fn create(options: &Checked<'_>) -> Result<NonNull<Packed>, Status> {
    let plan = Plan::of(options)?;
    let block = Block::take(&options.raw, plan.layout)?;
    let packed = block.start.cast::<Packed>();
    let mut inner = of_places(options);
    inner.raw.memory = head_of(packed).as_ptr().cast();
    inner.raw.memory_bytes = plan.slots_bytes;
    let head = create::create(&inner)?;
    debug_assert_eq!(head, head_of(packed));
    let aids = match options.raw.flags & (ZEROED | FILLED) {
        0 => ptr::null_mut(),
        flags => match boxed(Outside::filling(flags)) {
            Ok(aids) => Box::into_raw(aids),
            Err(status) => {
                // SAFETY: the inner pool was just made, and nobody else knows it.
                unsafe { create::destroy(head) };
                return Err(status);
            }
        },
    };
    // SAFETY: the places are within the block.
    let handles = unsafe { block.start.add(plan.handles) };
    // SAFETY: as above.
    let values = unsafe { block.start.add(plan.values) };
    let (give, user, block_bytes) = (block.give, options.raw.user, block.bytes);
    let (values, handles) = (values.as_ptr(), handles.as_ptr().cast());
    let Options { value_bytes, value_align, .. } = options.raw;
    let made = Packed {
        give,
        user,
        block_bytes,
        aids,
        values,
        handles,
        count: 0,
        value_bytes,
        value_align,
    };
    // SAFETY: the block begins with room for it, aligned.
    unsafe { packed.write(made) };
    // From here on the pool gives its block back.
    block.keep();
    // SAFETY: the pool was just made.
    if let Some((_, parts)) = unsafe { Parts::of(packed.as_ptr()) } {
        parts.close(0);
    }
    Ok(packed)
}

/// See the header.
///
/// # Safety
///
/// As [`options::read`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_bytes(options: *const Options) -> usize {
    // SAFETY: as the caller promises.
    let plan = unsafe { options::read(options) }.and_then(|options| Plan::of(&options));
    plan.map_or(0, |plan| create::bytes_wherever(plan.layout))
}

/// See the header.
///
/// # Safety
///
/// As [`options::read`]; `out` is null or points to a pointer. What the options say of memory and functions is true.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_create_(
    options: *const Options,
    out: *mut *mut Packed,
    layout: u32,
    packed_bytes: usize,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    if layout != LAYOUT || packed_bytes != size_of::<PackedInC>() {
        return Status::OTHER_VERSION;
    }
    // SAFETY: as the caller promises.
    let created = unsafe { options::read(options) }.and_then(|options| create(&options));
    status_of(created.map(|packed| {
        // SAFETY: as above.
        unsafe { out.write(packed.as_ptr()) };
    }))
}

/// See the header.
///
/// # Safety
///
/// `packed` is null, or a pool that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_destroy(packed: *mut Packed) {
    // SAFETY: as the caller promises.
    let Some((packed, parts)) = (unsafe { Parts::of(packed) }) else {
        return;
    };
    parts.open();
    // SAFETY: as above; the fields are copied.
    let Packed { give, user, block_bytes, value_align, aids, .. } = unsafe { packed.read() };
    if !aids.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        drop(unsafe { Box::from_raw(aids) });
    }
    // SAFETY: nobody uses the inner pool any more.
    unsafe { create::destroy(parts.head) };
    // SAFETY: it is the pool's own.
    unsafe { Block::give_back(packed.cast(), (block_bytes, value_align), (give, user)) };
}

/// See the header: for programs compiled with a sanitizer.
///
/// # Safety
///
/// As this module's invariant says; the functions are the sanitizer's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_watch_(
    packed: *mut Packed,
    poison: Option<Poison>,
    unpoison: Option<Poison>,
) {
    // SAFETY: as the caller promises.
    let parts = unsafe { Parts::of(packed) };
    let (Some((mut packed, parts)), Some(poison), Some(unpoison)) = (parts, poison, unpoison)
    else {
        return;
    };
    if parts.aids.is_null() {
        // Not watched if there is no memory for that.
        let Ok(aids) = boxed(Outside::default()) else { return };
        // SAFETY: as the caller promises.
        unsafe { packed.as_mut() }.aids = Box::into_raw(aids);
    }
    // SAFETY: as above.
    if let Some((_, parts)) = unsafe { Parts::of(packed.as_ptr()) } {
        parts.with_aids(|aids| aids.poison_with(poison, unpoison));
        parts.close(parts.count);
    }
}

/// The called part of an insertion and a removal.
///
/// # Safety
///
/// As this module's invariant says, but that the value at the place, which is below the number of slots, is just coming
/// or going.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_note_(packed: *mut Packed, place: usize, has_come: bool) {
    // SAFETY: as the caller promises.
    let Some((_, parts)) = (unsafe { Parts::of(packed) }) else {
        return;
    };
    let value = parts.value(place);
    parts.with_aids(|aids| match has_come {
        true => aids.birth(place, value, parts.value_bytes),
        false => aids.death(place, value, parts.value_bytes),
    });
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_clear(packed: *mut Packed) {
    // SAFETY: as the caller promises.
    if let Some((mut packed, parts)) = unsafe { Parts::of(packed) } {
        parts.open();
        // SAFETY: as above.
        unsafe { mp_pool_clear(parts.head.as_ptr()) };
        // SAFETY: as above.
        unsafe { packed.as_mut() }.count = 0;
        parts.close(0);
    }
}

/// The handle of the first value with the smallest key, of those whose slots can be used again, if the pool is full.
///
/// # Safety
///
/// As this module's invariant says; `key` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_least_(
    packed: *const Packed,
    key: Option<Key>,
    user: *mut c_void,
) -> u64 {
    // SAFETY: as the caller promises.
    let (Some((_, parts)), Some(key)) = (unsafe { Parts::of(packed) }, key) else {
        return 0;
    };
    // SAFETY: as above.
    let Some(inner) = (unsafe { face(parts.head.as_ptr()) }).filter(|inner| inner.is_full()) else {
        return 0;
    };
    let mut least = None;
    for (place, &bits) in parts.handles().iter().enumerate() {
        if !inner.is_last(bits) {
            let value = parts.value(place).cast_const().cast();
            // SAFETY: the caller's function, with what it was given for it.
            let key = unsafe { key(value, Bits { bits }, user) };
            if least.is_none_or(|(smallest, _)| key < smallest) {
                least = Some((key, bits));
            }
        }
    }
    least.map_or(0, |(_, bits)| bits)
}

/// Whether each value's handle is good and its slot has the value's place; as many slots are live as there are values.
fn is_inverse(parts: &Parts) -> bool {
    // SAFETY: the caller's pool.
    let Some(inner) = (unsafe { face(parts.head.as_ptr()) }) else { return false };
    let occupancy = inner.occupancy();
    parts.count == occupancy.live()
        && parts.handles().iter().enumerate().all(|(place, &bits)| {
            let slot = slot_of(bits);
            occupancy.is_live(slot) && inner.handle_at(slot) == bits && parts.place(slot) == place
        })
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `text` is null or has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_validate(
    packed: *const Packed,
    text: *mut c_char,
    room: usize,
) -> Status {
    let Some(head) = NonNull::new(packed.cast_mut()).map(head_of) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as the caller promises.
    let status = unsafe { mp_pool_validate(head.as_ptr(), text, room) };
    if status != Status::OK {
        return status;
    }
    // SAFETY: as above.
    match unsafe { Parts::of(packed) } {
        Some((_, parts)) if is_inverse(&parts) => Status::OK,
        _ => {
            let found = &"the places of the values are the inverse of their handles: they are not";
            // SAFETY: as the caller promises.
            unsafe { write_text(text, room, found) };
            Status::BROKEN
        }
    }
}

/// See the header.
///
/// # Safety
///
/// `packed` is null or a pool that nobody changes; `add` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_checksum(
    packed: *const Packed,
    add: Option<AddToSum>,
    user: *mut c_void,
) -> u64 {
    // SAFETY: as the caller promises.
    let Some((_, parts)) = (unsafe { Parts::of(packed) }) else {
        return 0;
    };
    let add_value = |slot: usize, sum: &mut Checksum| {
        if let Some(add) = add {
            let value = parts.value(parts.place(slot)).cast_const().cast();
            // SAFETY: the caller's function, with what it was given for it; the value of a live slot.
            unsafe { add(value, ptr::from_mut(sum).cast::<Sum>(), user) };
        }
    };
    let mut sum = Checksum::new();
    // SAFETY: as the caller promises.
    sum.add_word(unsafe { kinds::checksum(parts.head, &add_value) });
    parts.handles().iter().for_each(|bits| sum.add_word(slot_of(*bits) as u64));
    sum.finish()
}

/// See the header.
///
/// # Safety
///
/// Both are as this module's invariant says; nobody changes the second.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_packed_copy(to: *mut Packed, from: *const Packed) -> Status {
    // SAFETY: as the caller promises.
    let to = unsafe { Parts::of(to) };
    // SAFETY: as above.
    let (Some((mut packed, to)), Some((_, from))) = (to, unsafe { Parts::of(from) }) else {
        return Status::NULL_POINTER;
    };
    if to.head == from.head {
        return Status::OK;
    }
    if to.value_bytes != from.value_bytes {
        return Status::OTHER_SHAPE;
    }
    // SAFETY: both are inner pools of their own.
    if let Err(status) = unsafe { crate::snapshot::copy(to.head, from.head, false) } {
        return status;
    }
    to.open();
    // SAFETY: both have room for as many as there are slots, and they are two.
    unsafe { to.handles.copy_from_nonoverlapping(from.handles, from.count) };
    // SAFETY: as above.
    unsafe { to.values.copy_from_nonoverlapping(from.values, from.count * from.value_bytes) };
    // SAFETY: as the caller promises.
    unsafe { packed.as_mut() }.count = from.count;
    to.close(from.count);
    Status::OK
}
