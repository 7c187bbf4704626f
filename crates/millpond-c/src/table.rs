//! Side tables: the library's [`SideTable`] says which slot has a value under which handle; the values lie beside it.

use alloc::boxed::Box;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use millpond::{Handle, HandleLayout, SideTable};

use crate::callbacks::{Bits, Visit, boxed, c_free, c_take};
use crate::face::slot_of;
use crate::orders::limits_of;
use crate::status::{Status, status_of};

/// `mp_table`.
pub struct Table {
    keys: SideTable<Handle<()>, ()>,
    /// The largest generation of the pool's handles.
    generation_max: u32,
    /// Generations are kept multiplied by this. So the half of the cycle that a table takes for the past is half of the
    /// pool's cycle, not half of the longer one of the handles that it keeps.
    spread: u32,
    /// As many values as there are slots; null if they have no bytes.
    values: *mut u8,
    value_bytes: usize,
    value_align: usize,
}

impl Drop for Table {
    fn drop(&mut self) {
        if !self.values.is_null() {
            // SAFETY: it came from the C library.
            unsafe { c_free(self.values.cast()) };
        }
    }
}

impl Table {
    /// The handle as it is kept; `None` where the pool has no such handle.
    fn kept(&self, bits: u64) -> Option<Handle<()>> {
        let generation = bits as u32;
        let spread = (generation <= self.generation_max).then(|| generation * self.spread)?;
        Handle::from_parts(slot_of(bits) as u32, spread)
    }

    fn find(&self, bits: u64) -> Option<usize> {
        self.kept(bits).filter(|handle| self.keys.contains(*handle)).map(|_| slot_of(bits))
    }

    /// Where the handle's value is from now on, and whether there was none; `None`: stale, or beyond the table.
    fn put(&mut self, bits: u64) -> Option<(*mut c_void, bool)> {
        let handle = self.kept(bits)?;
        let is_new = !self.keys.contains(handle);
        self.keys.insert(handle, ()).ok()?;
        Some((self.value(slot_of(bits)), is_new))
    }

    fn value(&self, slot: usize) -> *mut c_void {
        if self.values.is_null() {
            return ptr::without_provenance_mut(self.value_align);
        }
        // SAFETY: the keys name slots of the table only.
        unsafe { self.values.add(slot * self.value_bytes) }.cast()
    }
}

fn create(
    slots: u32,
    value_bytes: u32,
    value_align: u32,
    index_bits: u32,
) -> Result<Table, Status> {
    let slots = slots as usize;
    let align = (value_align as usize).max(1);
    let value =
        Layout::from_size_align(value_bytes as usize, align).map_err(|_| Status::BAD_OPTIONS)?;
    if value.size() % align != 0 {
        return Err(Status::BAD_OPTIONS);
    }
    let longest = <Handle<()> as HandleLayout>::LIFETIMES_MAX;
    let generation_max = match index_bits {
        0 => longest,
        index_bits => {
            let (generation_max, slots_max) = limits_of(index_bits)?;
            if slots > slots_max as usize {
                return Err(Status::TOO_MANY_SLOTS);
            }
            u32::from(generation_max)
        }
    };
    let value_bytes = value.size();
    let bytes = value_bytes.checked_mul(slots).ok_or(Status::OUT_OF_MEMORY)?;
    let all = Layout::from_size_align(bytes, align).map_err(|_| Status::OUT_OF_MEMORY)?;
    let keys = SideTable::try_with_capacity(slots)?;
    let spread = longest / generation_max;
    let values = ptr::null_mut();
    let mut table = Table { keys, generation_max, spread, values, value_bytes, value_align: align };
    if bytes > 0 {
        let values = NonNull::new(c_take(all).cast::<u8>()).ok_or(Status::OUT_OF_MEMORY)?;
        // SAFETY: there are so many bytes.
        unsafe { values.write_bytes(0, bytes) };
        table.values = values.as_ptr();
    }
    Ok(table)
}

/// See the header.
///
/// # Safety
///
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_create(
    slots: u32,
    value_bytes: u32,
    value_align: u32,
    index_bits: u32,
    out: *mut *mut Table,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    let table = create(slots, value_bytes, value_align, index_bits).and_then(boxed);
    status_of(table.map(|table| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(table)) };
    }))
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or one that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_destroy(table: *mut Table) {
    if !table.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        drop(unsafe { Box::from_raw(table) });
    }
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody else uses; `is_new` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_put(
    table: *mut Table,
    Bits { bits }: Bits,
    is_new: *mut bool,
) -> *mut c_void {
    // SAFETY: as the caller promises.
    let put = unsafe { table.as_mut() }.and_then(|table| table.put(bits));
    let (value, new) = put.unwrap_or((ptr::null_mut(), false));
    if !is_new.is_null() {
        // SAFETY: as the caller promises.
        unsafe { is_new.write(new) };
    }
    value
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_get(table: *const Table, Bits { bits }: Bits) -> *mut c_void {
    // SAFETY: as the caller promises.
    let found =
        unsafe { table.as_ref() }.and_then(|table| table.find(bits).map(|slot| table.value(slot)));
    found.unwrap_or(ptr::null_mut())
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_remove(table: *mut Table, Bits { bits }: Bits) -> bool {
    // SAFETY: as the caller promises.
    unsafe { table.as_mut() }.is_some_and(|table| {
        table.kept(bits).is_some_and(|handle| table.keys.remove(handle).is_some())
    })
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_count(table: *const Table) -> usize {
    // SAFETY: as the caller promises.
    unsafe { table.as_ref() }.map_or(0, |table| table.keys.len())
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody changes; `visit` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_each(
    table: *const Table,
    visit: Option<Visit>,
    user: *mut c_void,
) {
    // SAFETY: as the caller promises.
    if let (Some(table), Some(visit)) = (unsafe { table.as_ref() }, visit) {
        for handle in table.keys.handles() {
            let slot = handle.index() as usize;
            let bits = (slot as u64) << 32 | u64::from(handle.generation() / table.spread);
            // SAFETY: the caller's function, with what it was given for it.
            unsafe { visit(table.value(slot), Bits { bits }, user) };
        }
    }
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_clear(table: *mut Table) {
    // SAFETY: as the caller promises.
    if let Some(table) = unsafe { table.as_mut() } {
        table.keys.clear();
    }
}
