//! Random steps on every kind of pool, with files of anybody's making and with migrations from every kind into every other.
//!
//! Each world is a pool that is used, saved and restored, written and read, and taken over by a pool of another kind. Every
//! few steps its file is edited before it is read: counts at each limit, alone and such that those of several parts are too
//! large only together, and other numbers in any place. Whatever is read must be sound, and stay so:
//!
//! - no load, migration or restore panics, and `validate` finds nothing after any step;
//! - no insertion returns the handle of a live object, and each value is dropped once;
//! - a pool that could be read can be written and read again, whatever was done with it in between.
//!
//! The same steps must hold in four builds, with and without overflow checks, and with and without debug assertions:
//! `.ci/run four_builds`. `MILLPOND_EDITED_STEPS` is the number of steps that each build takes, in thousands (the default is
//! 20), and `MILLPOND_EDITED_SEED` the first seed (0): an hour by hand is
//!
//! ```sh
//! MILLPOND_EDITED_STEPS=10000 MILLPOND_EDITED_SEED=1000000 .ci/run four_builds
//! ```

#[path = "../common/edited.rs"]
mod edited;

mod counts;
mod edits;
mod kinds;
mod steps;

use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

thread_local! {
    /// How many values there are.
    static ALIVE: Cell<i64> = const { Cell::new(0) };
}

/// A value that is counted.
#[derive(Debug)]
pub(crate) struct Counted(u64, Box<u64>);

impl Counted {
    pub(crate) fn new(number: u64) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(number, Box::new(number))
    }

    /// What it was made with.
    pub(crate) fn number(&self) -> u64 {
        assert_eq!(self.0, *self.1, "a value that is none");
        self.0
    }

    pub(crate) fn alive() -> i64 {
        ALIVE.get()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.number();
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(self.number())
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::new)
    }
}

/// A generator of numbers that are the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}
