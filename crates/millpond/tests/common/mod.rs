//! What the tests share: values that count themselves, and reproducible random numbers.
#![allow(dead_code, unused_macros, reason = "each test file uses its own part")]

mod value;

#[allow(unused_imports, reason = "each test file uses its own part")]
pub(crate) use value::{Counted, Ledger, panics, quiet_panic};

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
