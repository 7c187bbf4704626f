//! What the tests share: values that count themselves, and reproducible random numbers.
#![allow(dead_code, unused_macros, reason = "each test file uses its own part")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Keeps count of its values, and panics when one is dropped twice.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Rc<RefCell<HashMap<u64, u32>>>);

impl Ledger {
    /// A new value that says `id`.
    pub(crate) fn value(&self, id: u64) -> Counted {
        *self.0.borrow_mut().entry(id).or_default() += 1;
        Counted { id, ledger: self.clone() }
    }

    /// How many values have not been dropped.
    pub(crate) fn alive(&self) -> usize {
        self.0.borrow().values().map(|count| *count as usize).sum()
    }
}

/// A value that is counted in its ledger until it is dropped.
pub(crate) struct Counted {
    id: u64,
    ledger: Ledger,
}

impl Counted {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.ledger.value(self.id)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.ledger.0.borrow_mut();
        let count = counts.get_mut(&self.id).filter(|count| **count > 0);
        *count.expect("a value was dropped twice, or was never made") -= 1;
    }
}

/// SplitMix64: small, and the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Calls a function once for each reuse order, as its first type parameter, and says which in the
/// output of a test that fails.
#[allow(unused_macros, reason = "each test file uses its own part")]
macro_rules! in_every_order {
    ($function:ident $(::<$($with:ty),+>)? ($($argument:expr),*)) => {{
        use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, Roster};
        println!("Lifo");
        $function::<Lifo $(, $($with),+)?>($($argument),*);
        println!("Fifo");
        $function::<Fifo $(, $($with),+)?>($($argument),*);
        println!("LowestFirst");
        $function::<LowestFirst $(, $($with),+)?>($($argument),*);
        println!("Roster");
        $function::<Roster $(, $($with),+)?>($($argument),*);
        println!("NextFit");
        $function::<NextFit $(, $($with),+)?>($($argument),*);
        println!("Intrusive");
        $function::<Intrusive $(, $($with),+)?>($($argument),*);
    }};
}
#[allow(unused_imports, reason = "each test file uses its own part")]
pub(crate) use in_every_order;
