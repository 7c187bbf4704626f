//! Shows loom who reads and who writes the words of a bitmap. They are in memory of the pool, so loom's cells are beside them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::thread_local;

use loom::cell::UnsafeCell;

use super::BitWord;

thread_local! {
    /// By the address of the word. (The threads of a model are one thread to the system.)
    static CELLS: RefCell<BTreeMap<usize, UnsafeCell<()>>> = const { RefCell::new(BTreeMap::new()) };
}

/// From now on, and in this schedule, these words are watched, and no others: the owner of the pool says so.
pub(crate) fn watch(words: &[BitWord]) {
    let addresses = words.iter().map(|word| core::ptr::from_ref(word).addr());
    CELLS.set(addresses.map(|address| (address, UnsafeCell::new(()))).collect());
}

pub(crate) fn note_reading(words: &[BitWord]) {
    CELLS.with_borrow(|cells| {
        let cells = words.iter().filter_map(|word| cells.get(&core::ptr::from_ref(word).addr()));
        cells.for_each(|cell| cell.with(|_| ()));
    });
}

pub(super) fn note_writing(bits: &mut [u64]) {
    CELLS.with_borrow(|cells| {
        let cells = bits.iter().filter_map(|bits| cells.get(&core::ptr::from_ref(bits).addr()));
        cells.for_each(|cell| cell.with_mut(|_| ()));
    });
}
