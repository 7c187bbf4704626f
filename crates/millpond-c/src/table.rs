//! Side tables: the library's [`SideTable`] says which slot has a value under which handle; the values lie beside it.

use alloc::boxed::Box;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use millpond::{Handle, Handle32, HandleLayout, SideTable};

use crate::callbacks::{Bits, Visit, c_free, c_take};
use crate::status::{Status, status_of};

/// A table of any handles.
trait Keys {
    /// The slot that the handle's value goes to; `None`: stale, or beyond the table.
    fn put(&mut self, bits: u64) -> Option<usize>;
    fn find(&self, bits: u64) -> Option<usize>;
    fn remove(&mut self, bits: u64) -> bool;
    fn count(&self) -> usize;
    /// Calls the function with each slot that has a value, and the handle.
    fn each(&self, f: &mut dyn FnMut(usize, u64));
    fn clear(&mut self);
}

impl<H: HandleLayout> Keys for SideTable<H, ()> {
    fn put(&mut self, bits: u64) -> Option<usize> {
        let handle = H::from_bits(bits)?;
        self.insert(handle, ()).ok()?;
        Some(handle.index() as usize)
    }

    fn find(&self, bits: u64) -> Option<usize> {
        H::from_bits(bits).filter(|handle| self.contains(*handle)).map(|h| h.index() as usize)
    }

    fn remove(&mut self, bits: u64) -> bool {
        H::from_bits(bits).is_some_and(|handle| self.remove(handle).is_some())
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn each(&self, f: &mut dyn FnMut(usize, u64)) {
        self.handles().for_each(|handle| f(handle.index() as usize, handle.to_bits()));
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// `mp_table`.
pub struct Table {
    keys: Box<dyn Keys>,
    /// As many values as there are slots; null if they have no bytes.
    values: *mut u8,
    value_bytes: usize,
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
    fn value(&self, slot: usize) -> *mut c_void {
        if self.values.is_null() {
            return NonNull::<u64>::dangling().as_ptr().cast();
        }
        // SAFETY: the keys name slots of the table only.
        unsafe { self.values.add(slot * self.value_bytes) }.cast()
    }
}

fn keys<H: HandleLayout + 'static>(slots: usize) -> Result<Box<dyn Keys>, Status> {
    Ok(Box::new(SideTable::<H, ()>::try_with_capacity(slots)?))
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
    let keys = match index_bits {
        0 => keys::<Handle<()>>(slots)?,
        16 => keys::<Handle32<(), 16>>(slots)?,
        20 => keys::<Handle32<(), 20>>(slots)?,
        24 => keys::<Handle32<(), 24>>(slots)?,
        _ => return Err(Status::BAD_OPTIONS),
    };
    let mut table = Table { keys, values: ptr::null_mut(), value_bytes: value.size() };
    let bytes = value.size().checked_mul(slots).ok_or(Status::OUT_OF_MEMORY)?;
    if bytes > 0 {
        let all = Layout::from_size_align(bytes, align).map_err(|_| Status::OUT_OF_MEMORY)?;
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
    status_of(create(slots, value_bytes, value_align, index_bits).map(|table| {
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(Box::new(table))) };
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
    let put = unsafe { table.as_mut() }.and_then(|table| {
        let was_there = table.keys.find(bits).is_some();
        let slot = table.keys.put(bits)?;
        Some((table.value(slot), !was_there))
    });
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
    let found = unsafe { table.as_ref() }
        .and_then(|table| table.keys.find(bits).map(|slot| table.value(slot)));
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
    unsafe { table.as_mut() }.is_some_and(|table| table.keys.remove(bits))
}

/// See the header.
///
/// # Safety
///
/// `table` is null, or a table that nobody changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_table_count(table: *const Table) -> usize {
    // SAFETY: as the caller promises.
    unsafe { table.as_ref() }.map_or(0, |table| table.keys.count())
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
        table.keys.each(&mut |slot, bits| {
            // SAFETY: the caller's function, with what it was given for it.
            unsafe { visit(table.value(slot), Bits { bits }, user) };
        });
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
