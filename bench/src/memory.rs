//! Bytes per slot, counted by the allocator.

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

/// What a contender takes for each slot beyond the object, and the size of its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BytesPerSlot {
    pub(crate) contender: String,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) beyond_object: f64,
    pub(crate) key: usize,
}

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
        });
    }
}
