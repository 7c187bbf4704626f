//! Bytes per slot, and of small stores, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use crate::contender::{Contender, Kind};
use crate::contenders::{Visitor, visit_all};
use crate::csv;
use crate::object::Medium;
use crate::population::Population;
use crate::sizes::WEIGHED_SLOTS;

/// The system's allocator, and a count of the bytes that are taken. `Box` contenders do not go through it.
pub(crate) struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_add(size, Relaxed);
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// What a contender takes for each slot beyond the object, the size of its keys, and what a small store takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BytesPerSlot {
    pub(crate) contender: String,
    pub(crate) kind: Kind,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) beyond_object: f64,
    pub(crate) key: usize,
    /// Of one of [`SMALL_STORES`] stores of one object of 64 bytes: all that it takes, the store itself included. None if
    /// there is no store of one slot.
    #[serde(serialize_with = "csv::rounded_if_any")]
    pub(crate) small_store: Option<f64>,
}

/// As many small stores are weighed together.
pub(crate) const SMALL_STORES: usize = 4_000;

/// Weighs every contender that keeps its objects in a store.
pub(crate) fn bytes_per_slot(wanted: &dyn Fn(&str) -> bool) -> Vec<BytesPerSlot> {
    let mut collector = Collector(Vec::new(), wanted);
    visit_all(&mut collector);
    collector.0
}

struct Collector<'a>(Vec<BytesPerSlot>, &'a dyn Fn(&str) -> bool);

impl Visitor for Collector<'_> {
    fn visit<C: Contender>(&mut self) {
        if matches!(C::KIND, Kind::Limit | Kind::Allocator) || !(self.1)(C::NAME) {
            return;
        }
        let before = TAKEN.load(Relaxed);
        let Some(population) = Population::<C, 12>::full(WEIGHED_SLOTS) else { return };
        let keys = WEIGHED_SLOTS * size_of::<C::Key<Medium>>();
        let taken = TAKEN.load(Relaxed) - before - keys;
        drop(population);
        self.0.push(BytesPerSlot {
            contender: C::NAME.to_owned(),
            beyond_object: taken as f64 / WEIGHED_SLOTS as f64 - size_of::<Medium>() as f64,
            key: size_of::<C::Key<Medium>>(),
            kind: C::KIND,
            small_store: small_store::<C>(),
        });
    }
}

/// What one of many stores takes that were created for one object and have one.
fn small_store<C: Contender>() -> Option<f64> {
    let before = TAKEN.load(Relaxed);
    let mut stores = Vec::with_capacity(SMALL_STORES);
    let mut keys = Vec::with_capacity(SMALL_STORES);
    for number in 0..SMALL_STORES as u32 {
        let mut store = C::new::<Medium>(1)?;
        keys.push([C::insert(&mut store, Medium::new(number))]);
        stores.push(store);
    }
    let taken = TAKEN.load(Relaxed) - before - SMALL_STORES * size_of::<[C::Key<Medium>; 1]>();
    for (store, keys) in stores.iter_mut().zip(&keys) {
        C::dispose(store, keys);
    }
    Some(taken as f64 / SMALL_STORES as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_store_takes_what_it_consists_of() {
        let weighed = bytes_per_slot(&|name| ["slotmap", "Pool, Lifo"].contains(&name));
        let small: Vec<_> = weighed.iter().map(|bytes| bytes.small_store.unwrap()).collect();
        // The pool or map itself is in it, and the object.
        let own = size_of::<millpond::Pool<Medium>>() + size_of::<Medium>();
        let map = size_of::<slotmap::SlotMap<slotmap::DefaultKey, Medium>>() + size_of::<Medium>();
        assert!(small[0] > own as f64 && small[0] < 2.0 * own as f64, "{small:?}, {own}");
        assert!(small[1] > map as f64 && small[1] < 3.0 * map as f64, "{small:?}, {map}");
    }
}
