//! What the tests share: values that count themselves, and the plain models of what more than one of them checks.
#![allow(dead_code, unused_macros, reason = "each test file uses its own part")]

mod both_ends;
pub(crate) mod edited;
mod panicked;
mod vacant;
mod value;

#[allow(unused_imports, reason = "each test file uses its own part")]
pub(crate) use {
    both_ends::{from_both_ends, half_used, half_used_and_folded},
    millpond_testkit::SplitMix64 as Random,
    panicked::{panic_and_place_of, panic_of, panics, quiet_panic},
    vacant::Vacant,
    value::{Counted, Ledger},
};

/// Calls a function once for each reuse order, as its first type parameter, and says which in the
/// output of a test that fails.
#[allow(unused_macros, reason = "each test file uses its own part")]
macro_rules! in_every_order {
    ($function:ident $(::<$($with:ty),+>)? ($($argument:expr),*)) => {{
        use millpond::reuse::*;
        println!("Lifo");
        $function::<Lifo $(, $($with),+)?>($($argument),*);
        println!("Fifo");
        $function::<Fifo $(, $($with),+)?>($($argument),*);
        println!("LowestFirst");
        $function::<LowestFirst $(, $($with),+)?>($($argument),*);
        println!("Roster");
        $function::<Roster $(, $($with),+)?>($($argument),*);
    }};
}
#[allow(unused_imports, reason = "each test file uses its own part")]
pub(crate) use in_every_order;
