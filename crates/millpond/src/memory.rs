//! Taking memory once, at creation, with its pages touched there and then.
//!
//! The system hands out address space, not memory: a page costs its fault when it is first written.
//! All that a pool will ever use is therefore written once before the pool is given to the program.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::black_box;
use core::mem::MaybeUninit;

pub(crate) use crate::address::position_in;

/// The smallest page of the platforms that have pages.
const PAGE_BYTES: usize = 4096;

/// The allocator refused, or the size exceeds what it can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

/// A slice of copies of one value, every page of it written.
pub(crate) fn filled<V: Copy>(len: usize, value: V) -> Result<Box<[V]>, OutOfMemory> {
    let mut values = reserved(len)?;
    values.resize(len, value);
    // A fill with zeros right after an allocation may be turned into an allocation of untouched zero
    // pages; what has passed through a black box may not.
    let mut values = values.into_boxed_slice();
    black_box(&mut values[..]).fill(value);
    Ok(values)
}

/// A slice made by a function of the index.
pub(crate) fn from_fn<V>(
    len: usize,
    mut f: impl FnMut(usize) -> V,
) -> Result<Box<[V]>, OutOfMemory> {
    let mut values = reserved(len)?;
    values.extend((0..len).map(&mut f));
    Ok(values.into_boxed_slice())
}

/// An empty vector with room for exactly `len` values.
pub(crate) fn reserved<V>(len: usize) -> Result<Vec<V>, OutOfMemory> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    Ok(values)
}

/// An empty vector with room for exactly `len` values, every page of it written.
pub(crate) fn reserved_and_touched<V>(len: usize) -> Result<Vec<V>, OutOfMemory> {
    let mut values = reserved(len)?;
    touch(values.spare_capacity_mut());
    Ok(values)
}

/// Writes something in every page, so that the system has given them all.
pub(crate) fn touch<V>(room: &mut [MaybeUninit<V>]) {
    if size_of::<V>() == 0 {
        return;
    }
    // One element in each page, or every element of several pages.
    let elements_per_page = (PAGE_BYTES / size_of::<V>()).max(1);
    for element in room.iter_mut().step_by(elements_per_page) {
        *element = MaybeUninit::zeroed();
    }
    if let Some(last) = room.last_mut() {
        *last = MaybeUninit::zeroed();
    }
    // Otherwise the writes might be left out, as nothing reads them.
    black_box(room);
}
