//! The library's own tests of pools, with the pools of the C header for a subject: what is asked of a pool, the model and
//! the adapters' common parts are the files of `crates/millpond/tests/subject`.
#![allow(dead_code, unused_imports, unused_macros, reason = "each test program uses its own part")]

#[path = "../../../millpond/tests/subject/erased.rs"]
mod erased;
#[path = "../../../millpond/tests/subject/form.rs"]
mod form;
#[path = "../../../millpond/tests/subject/handle.rs"]
mod handle;
#[path = "../../../millpond/tests/subject/interface.rs"]
mod interface;
#[path = "../../../millpond/tests/subject/key.rs"]
mod key;
#[path = "../../../millpond/tests/subject/packed.rs"]
mod packed;
mod packed_of_c;
#[path = "../../../millpond/tests/subject/past.rs"]
mod past;
#[path = "../../../millpond/tests/subject/player.rs"]
mod player;
#[path = "../../../millpond/tests/subject/pool.rs"]
mod pool;
mod pool_of_c;
#[path = "../../../millpond/tests/subject/reading.rs"]
mod reading;
mod shim;
#[path = "../../../millpond/tests/subject/steps.rs"]
mod steps;
#[path = "../../../millpond/tests/subject/walk.rs"]
mod walk;

pub(crate) use erased::{
    Basic, Copied, Facts, KindOfPool, Makes, Of, Past, Plain, Rank, Reads, Saved, Saves, Subject,
};
pub(crate) use form::Form;
pub(crate) use handle::AnyHandle;
pub(crate) use interface::{
    CLONED, Claimed, Fate, Kind, Live, Moved, Plan, PoolUnderTest, WAYS_BACK, WAYS_TO_SORT,
    WRITTEN, claimed, for_every_pool, for_one_of_each, for_one_of_each_place, lent_alike, place,
    planned, says, says_all, tests_of,
};
pub(crate) use key::Key;
pub(crate) use packed::{PackedKind, PackedVecKind};
pub(crate) use packed_of_c::PackedCKind;
pub(crate) use player::{Nothing, Value, hash, plans, play, seen};
pub(crate) use pool_of_c::{CKind, GROWING};
pub(crate) use reading::{LOOKED_AT_MAX, agreed, is_justified, use_pool};
pub(crate) use steps::{KindToRun, Run, Step};

/// The header's pools have no debug aids.
pub(crate) type Aids = ();

/// Built without the library's recorder: no pool is recorded here.
pub(crate) struct Recorder;

pub(crate) fn recorder() -> Recorder {
    Recorder
}

macro_rules! records {
    ($outer:ident => $place:expr) => {};
}
pub(crate) use records;

/// A builder that has been told the plan's debug aids, of which there are none.
macro_rules! aided {
    ($builder:expr, $plan:expr) => {
        $builder
    };
}
pub(crate) use aided;

/// Every kind of pool of the header, handed to a macro behind the arguments for it.
macro_rules! one_of_each {
    ([] $callback:ident! $arguments:tt) => {
        $callback! { $arguments
            c_lifo: CKind<0, 0, Handle<()>>;
            c_fifo: CKind<1, 0, Handle<()>>;
            c_lowest_first: CKind<2, 0, Handle<()>>;
            c_roster: CKind<3, 0, Handle<()>>;
            c_lifo_narrow: CKind<0, 16, Handle32<(), 16>>;
            c_lifo_narrower: CKind<0, 20, Handle32<(), 20>>;
            c_fifo_narrow: CKind<1, 16, Handle32<(), 16>>;
            c_lowest_first_narrow: CKind<2, 24, Handle32<(), 24>>;
            c_growing: CKind<GROWING, 0, Handle<()>>;
            c_growing_fifo: CKind<{ GROWING + 1 }, 0, Handle<()>>;
            c_growing_lowest_first: CKind<{ GROWING + 2 }, 0, Handle<()>>;
            c_growing_roster: CKind<{ GROWING + 3 }, 0, Handle<()>>;
            c_growing_narrow: CKind<GROWING, 20, Handle32<(), 20>>;
            c_packed: PackedCKind<0, 0, Handle<()>>;
            c_packed_fifo: PackedCKind<1, 0, Handle<()>>;
            c_packed_roster: PackedCKind<3, 0, Handle<()>>;
            c_packed_narrow: PackedCKind<0, 16, Handle32<(), 16>>;
            c_packed_narrower: PackedCKind<0, 20, Handle32<(), 20>>;
        }
    };
}
pub(crate) use one_of_each;

/// The header's functions know no type of a value, so that all kinds are tried with all values.
macro_rules! every_kind {
    ($callback:ident! $arguments:tt) => {
        $crate::subject::one_of_each! { [] $callback! $arguments }
    };
}
pub(crate) use every_kind;
pub(crate) use one_of_each as one_of_each_place;
