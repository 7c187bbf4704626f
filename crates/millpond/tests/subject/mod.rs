//! One interface for all pools, so that one test runs over every pool type, reuse order and handle layout.
//!
//! A new pool type gets all families of tests, the model, the exhaustive sequences and the fuzzer by an
//! adapter here (an implementation of [`PoolUnderTest`] and of [`Kind`]) and one line per combination in
//! [`one_of_each`] or [`every_kind`]. What is asked of a pool is in `interface.rs`. Tests see the adapters as trait objects: see `erased.rs`.
#![allow(dead_code, unused_imports, unused_macros, reason = "each test program uses its own part")]

mod allocator;
mod boxes;
mod classic;
mod erased;
mod form;
mod handle;
mod interface;
mod key;
mod packed;
mod past;
mod player;
mod policy;
mod pool;
mod reading;
mod recycler;
mod shared;
mod side_table;
mod static_pool;
mod steps;
mod vec_pool;
mod walk;

pub(crate) use allocator::AllocatorKind;
pub(crate) use boxes::{PlacedKind, PoolAllocatorPlaces, SizeClassesPlaces};
pub(crate) use classic::{BytemapKind, RosterPoolKind};
pub(crate) use erased::{
    Basic, Copied, Facts, KindOfPool, Makes, Of, Past, Plain, Rank, Reads, Saved, Saves, Subject,
};
pub(crate) use form::Form;
pub(crate) use handle::AnyHandle;
pub(crate) use handle::Seeded;
pub(crate) use interface::{
    CLONED, Claimed, Fate, Kind, Live, Moved, Plan, PoolUnderTest, WAYS_BACK, WAYS_TO_SORT,
    WRITTEN, claimed, for_every_pool, for_one_of_each, for_one_of_each_place, lent_alike, place,
    planned, says, says_all, tests_of,
};
pub(crate) use key::Key;
pub(crate) use packed::{PackedKind, PackedVecKind};
pub(crate) use past::NoPast;
pub(crate) use player::{Nothing, Value, hash, plans, play, seen};
pub(crate) use policy::{EVICT_LEAST, EVICT_OLDEST, GROW, PolicyKind, SPILL, SpillKind};
pub(crate) use pool::PoolKind;
pub(crate) use reading::{LOOKED_AT_MAX, agreed, is_justified, use_pool};
pub(crate) use recycler::RecyclerKind;
pub(crate) use shared::SharedKind;
pub(crate) use side_table::SideTableKind;
pub(crate) use static_pool::StaticKind;
pub(crate) use steps::{KindToRun, Run, Step};
pub(crate) use vec_pool::VecKind;
pub(crate) use walk::own_blocks;

pub(crate) use millpond::debug::DebugAids as Aids;

pub(crate) use millpond::recorder::Recorder;

/// A recorder with little room: it is no matter whether events are dropped.
pub(crate) fn recorder() -> Recorder {
    Recorder::builder().events(16).to_writer(std::io::sink()).unwrap()
}

/// The recorder of a pool inside of an adapter.
macro_rules! records {
    ($outer:ident => $place:expr) => {
        fn record(&mut self, recorder: Option<&$crate::subject::Recorder>) -> bool {
            let $outer = self;
            match recorder {
                Some(recorder) => $place.record(recorder),
                None => $place.stop_recording(),
            }
            true
        }
    };
}
pub(crate) use records;

/// A builder that has been told the plan's debug aids.
macro_rules! aided {
    ($builder:expr, $plan:expr) => {
        $builder.debug_aids($plan.aids)
    };
}
pub(crate) use aided;

/// One kind for each way in which values are kept, handed to a macro behind the arguments for it; and then the others in
/// the brackets.
macro_rules! one_of_each_place {
    ([$($other:tt)*] $callback:ident! $arguments:tt) => {
        $callback! { $arguments
            pool_lifo: PoolKind<Lifo, Handle<()>>;
            recycler_lifo: RecyclerKind<Lifo, Handle<()>>;
            allocator_lifo: AllocatorKind<Lifo, Handle<()>>;
            classic_pool_allocator: PlacedKind<PoolAllocatorPlaces>;
            size_classes: PlacedKind<SizeClassesPlaces>;
            vec_lifo: VecKind<Lifo, Handle<()>>;
            policy_spill: PolicyKind<SPILL>;
            packed: PackedKind<Handle<()>>;
            packed_vec: PackedVecKind<Handle<()>>;
            static_of_3: StaticKind<3, Handle32<(), 30>>;
            static_of_70: StaticKind<70, Handle<()>>;
            classic_roster: RosterPoolKind;
            classic_bytemap: BytemapKind<false>;
            shared: SharedKind;
            side_table: SideTableKind<Handle<()>, false>;
            side_table_growing_narrow: SideTableKind<Handle32<(), 16>, true>;
            $($other)*
        }
    };
}
pub(crate) use one_of_each_place;

/// One kind of each pool, of `Pool` in every order, in the same way.
macro_rules! one_of_each {
    ([$($other:tt)*] $callback:ident! $arguments:tt) => {
        $crate::subject::one_of_each_place! {
            [
                pool_fifo: PoolKind<Fifo, Handle<()>>;
                pool_lowest_first: PoolKind<LowestFirst, Handle<()>>;
                pool_roster: PoolKind<Roster, Handle<()>>;
                pool_fifo_narrow: PoolKind<Fifo, Handle32<(), 15>>;
                vec_fifo: VecKind<Fifo, Handle<()>>;
                policy_grow: PolicyKind<GROW>;
                policy_evict_least: PolicyKind<EVICT_LEAST>;
                policy_evict_oldest: PolicyKind<EVICT_OLDEST>;
                spill: SpillKind;
                $($other)*
            ]
            $callback! $arguments
        }
    };
}
pub(crate) use one_of_each;

/// Every kind of pool there is, handed to a macro behind the arguments for it: beside those, some that differ from one of
/// them in the reuse order, handle layout, capacity or a setting.
macro_rules! every_kind {
    ($callback:ident! $arguments:tt) => {
        $crate::subject::one_of_each! {
            [
                pool_lifo_narrow: PoolKind<Lifo, Handle32<(), 16>>;
                vec_roster: VecKind<Roster, Handle<()>>;
                vec_fifo_narrow: VecKind<Fifo, Handle32<(), 16>>;
                packed_narrow: PackedKind<Handle32<(), 16>>;
                packed_vec_narrow: PackedVecKind<Handle32<(), 16>>;
                static_of_0: StaticKind<0, Handle<()>>;
                static_of_64: StaticKind<64, Handle32<(), 30>>;
                classic_bytemap_retiring: BytemapKind<true>;
            ]
            $callback! $arguments
        }
    };
}
pub(crate) use every_kind;
