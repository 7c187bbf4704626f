//! Object pools for games and other real-time programs.
//!
//! A [`Pool`] allocates all of its memory when it is created, and none later; other types can grow.
//! Insertion and removal take constant time. A [`Handle`] refers to an object; the pool refuses the
//! handle once the object is removed. Iterating over live objects is as fast as iterating over
//! slices.
//!
//! ```
//! use millpond::{Handle, Pool};
//!
//! struct Enemy {
//!     health: i32,
//!     target: Option<Handle<Enemy>>, // 8 bytes, like the handle alone
//! }
//!
//! let mut enemies = Pool::new(512);
//! let orc = enemies.insert(Enemy { health: 10, target: None })?;
//! let elf = enemies.insert(Enemy { health: 7, target: Some(orc) })?;
//!
//! enemies[orc].health -= 10;
//! enemies.retain(|_, enemy| enemy.health > 0);
//!
//! // The orc is removed. Whatever takes its slot, the handle that the elf holds stays refused.
//! let troll = enemies.insert(Enemy { health: 50, target: Some(elf) })?;
//! let target = enemies[elf].target.unwrap();
//! assert_eq!(target.index(), troll.index());
//! assert!(enemies.get(target).is_none());
//!
//! for (_, run) in enemies.runs_mut() {
//!     for enemy in run {
//!         enemy.health += 1; // `run` is a plain slice of live objects
//!     }
//! }
//! # Ok::<(), millpond::Full<Enemy>>(())
//! ```
//!
//! # Why not a `Vec`?
//!
//! | | where an object is | after a removal | when it grows |
//! | --- | --- | --- | --- |
//! | `Vec<T>` and `swap_remove` | changes | an index names another object, silently | everything moves |
//! | `Vec<Option<T>>` | stays | an index names a later object, silently; finding a free slot takes a search | everything moves |
//! | `Box<T>` for each | stays | safe, but every access follows a pointer, and every object costs a `malloc` and a `free` | at any time |
//! | [`Pool<T>`](Pool) | stays | the handle is refused, for ever | never: the capacity is its limit |
//!
//! # Which pool?
//!
//! | you have | take |
//! | --- | --- |
//! | values that are inserted and removed | [`Pool`] |
//! | values that are iterated over far more often than looked up, or that must be sorted | [`PackedPool`] |
//! | a `static`, or no heap | [`StaticPool`] |
//! | an unknown number of values, with or without a limit | [`BlockPool`] |
//! | values that many threads insert, read and remove | [`SyncPool`] |
//! | objects that many threads borrow and return | [`SyncRecycler`] |
//! | data that is rebuilt in every frame | [`FramePool`]; [`FrameMemory`] if it is used in one place only |
//! | objects that are expensive to construct, or a loop over all slots without a branch | [`Recycler`] |
//! | values of different types behind one trait | [`AnyPool`] |
//! | another system's data about a pool's objects | [`SideTable`] beside the pool |
//! | many small allocations of several sizes, for vectors, boxes and maps | [`SizeClasses`] |
//! | your own arrays (structure of arrays, a GPU buffer) | [`HandleAllocator`] |
//! | nodes that own their children, written with `Box` | [`classic::PoolAllocator`] |
//! | code or saved games that follow one of the published designs | [`classic`] |
//!
//! Which slot is reused next? [`reuse`] has a table; the default, [`reuse::Lifo`], is the fastest.
//! Which handles? [`handle`] has a table; the default has eight bytes and practically never runs
//! out of generations, and [`handle_type!`] declares your own types. What happens when a pool is
//! full? [`overflow`] has a table; by default, a pool refuses. How many slots? [`Budget`] keeps the
//! numbers in one place, and `millpond plan`, the tool that comes with this crate, computes them
//! from a trace of the real program.
//!
//! # What handles promise
//!
//! - A handle is valid from its object's insertion until its removal, however the object is removed
//!   (`remove`, `clear`, `drain`, eviction). Before and after, it is refused, whatever occupies the
//!   slot, unless [`revive`](Pool::revive) or [`restore`](Pool::restore) brings that lifetime back.
//! - A slot whose generations are used up (2<sup>31</sup> − 1 with [`Handle`]) **retires**: it is
//!   not reused, and [`Stats::retired`] counts it. A pool [built to wrap](PoolBuilder::wrap) starts
//!   the slot's generations again instead; a handle kept that long can then name another object.
//! - If pools of the same type have different [names](PoolBuilder::name) or
//!   [salts](PoolBuilder::salt), each refuses the others' [`Handle`]s with overwhelming
//!   probability. Four-byte handles have too few generations for that promise.
//! - A clone of a pool is its twin: the two issue the same handles, and accept each other's.
//! - There is no randomness and no global counter: the same program issues the same handles in
//!   every run and on every machine.
//! - You may make a handle from any bits ([`Handle::from_bits`]); no handle can make a pool
//!   unsound.
//!
//! # Saving and restoring
//!
//! [`Pool`], [`PackedPool`], [`BlockPool`], [`StaticPool`], [`SyncPool`], [`Recycler`],
//! [`HandleAllocator`], [`SideTable`], and the two [policies](overflow) that are pools themselves can
//! be saved and restored exactly, including handles and the reuse order, at the speed of `memcpy` if
//! the values are `Copy`. [`snapshot`] has what rollback and lockstep games need, including checksums
//! and a history of recent frames.
//!
//! # Cargo features
//!
//! - `alloc` (default): the pools whose memory comes from the global allocator. Without it, the
//!   crate has only the handle types, [`StaticPool`] and its snapshots, the [policies](overflow)
//!   that need no memory, [`classic::ObjectPool`] and [`classic::ParticlePool`].
//! - `validate`: a method of that name on each pool with handles, which checks every invariant in
//!   every slot. (Of a `Spill`, validate both parts.) It adds no cost to any other method.
//! - `bytemuck`: objects whose bits are all zero ([`Pool::insert_zeroed`], [`Recycler::zeroed`]),
//!   and runs as bytes with their offsets ([`Pool::runs_as_bytes`], [`PackedPool::as_bytes`]), for
//!   GPU buffers.
//! - `rayon`: runs and values on several threads ([`Pool::par_runs_mut`], [`Pool::par_values_mut`]),
//!   disjoint by construction. (A [`PackedPool`]'s slice has rayon's own methods.)
//! - `serde`: handles, [`Stats`], pools and [snapshots](snapshot#saving-to-a-file) can be
//!   serialised. A handle is `"3v7"` in human-readable formats and an integer in the others; a
//!   handle that no pool can issue is refused, except [`DANGLING`](Handle::DANGLING).
//! - `recorder`: [`recorder`](https://docs.rs/millpond/latest/millpond/recorder/index.html) writes a live
//!   trace of the pools, which `millpond watch` shows while the program runs. Needs the standard library.
//! - `debug-aids`: [`debug`], to find code that writes to free slots, removes objects twice, or
//!   never removes them, in the heap-allocated pools that have handles. For the classic pools, it
//!   fills free slots. Off unless a pool's builder, or a classic pool's `fill_dead_slots`, enables
//!   it (a [`classic::ParticlePool`] always checks its free slots).
//! - `allocator-api2`: `&SizeClasses` implements that crate's `Allocator`, for its vectors and
//!   boxes, and for hashbrown's maps.
//! - `sync` (default): [`SyncPool`] and [`SyncRecycler`], for threads; see [`sync`]. Needs atomics of 64 bits.
//! - `std`: the parts of `sync` that need the standard library: waiting for an object, and a home
//!   for each thread, where its search for free slots starts.
//! - `toml`: `Budget::from_toml`, which reads the capacities of a program's pools from text.
//!
//! There is deliberately no feature for logging. Errors name their pool, and [`Stats`] has its
//! counters: the caller decides what to log. A logger called from `insert` would run foreign code,
//! with locks and output, in the middle of a frame.
//!
//! The crate is `no_std`. It has no dependency unless a feature named after a crate is enabled.
//!
//! # How the pools differ
//!
//! `T` stands for `size_of::<T>()`, `W` for the bytes of the reuse order: 4 by default.
//!
//! | | stable addresses? | dense? | grows? | memory from | bytes per slot |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Pool`] | yes | in runs | no | the heap, once | `T` + 4.125 + `W` |
//! | [`PackedPool`] | no: the last value takes the place of a removed one | yes, a slice | no | the heap, once | `T` + 16 |
//! | [`StaticPool`] | while the pool stays | in runs | no | itself | `T` + 12 |
//! | [`BlockPool`] | yes | in runs, within blocks | by blocks that double, or of one size; shrinks from the end | the heap, a block at a time | `T` + 4.125 + `W`, for the blocks that exist |
//! | [`Recycler`] | yes | in runs, or all slots | no | the heap, once | `T` + 4.125 + `W` |
//! | [`AnyPool`] | yes | no | no | the heap, once | `SLOT_BYTES`, rounded up to a multiple of 16, + 28.125 + `W` |
//! | [`SyncPool`] | yes | in runs, by `&mut` | no | the heap, once | `T` + 8.25 to 10.1 |
//! | [`SyncRecycler`] | yes | no | no | the heap, once | `T` + 0.125 to 2 |
//! | [`HandleAllocator`] | yours | in runs | no | the heap, once | 4.125 + `W` |
//! | [`SideTable`] | if its capacity is fixed | in runs | by choice | the heap, once, or doubling | `T` + 4.125 |
//! | [`FramePool`] | until it is reset | yes, a slice | no | the heap, once | `T` |
//! | [`FrameMemory`] | for the frame | yes | no | the heap, once | each value's own |
//! | [`SizeClasses`] | yes | – | by blocks | the heap, a block at a time | the class, and 64 for each block |
//! | [`classic::RosterPool`] | yes | all slots | no | the heap, once | `T` + 12.125 |
//! | [`classic::BytemapPool`] | yes | in runs | no | the heap, once | `T` + 1.125 |
//! | [`classic::PoolAllocator`] | yes | no | by chunks | the heap, a chunk at a time | `T` + 16 |
//! | [`classic::ParticlePool`] | while the pool stays | all slots | no | itself | 20, its particle included |
//! | [`classic::ObjectPool`] | while the pool stays | all slots | no | itself | `T`, which knows whether it is in use |
//!
//! What the operations cost:
//!
//! | | insert | remove | lookup | iterating over the values |
//! | --- | --- | --- | --- | --- |
//! | [`Pool`] | O(1) | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`PackedPool`] | O(1) | O(1), moves one value | O(1), one more step | O(live), a slice |
//! | [`StaticPool`] | O(1) | O(1) | O(1) | O(N) |
//! | [`BlockPool`] | O(1), except for growth | O(1) | O(1), one more step | O(capacity / 64 + live) |
//! | [`Recycler`] | O(1), nothing is constructed | O(1), nothing is dropped | O(1) | O(capacity / 64 + live), or all slots |
//! | [`AnyPool`] | O(1) | O(1) | O(1), one more step | O(capacity / 64 + live) |
//! | [`SyncPool`] | O(1); nearly full: O(capacity / 64) | O(1) | O(1) | O(capacity) |
//! | [`SyncRecycler`] | O(1), nothing is constructed | O(1), nothing is dropped | – | – |
//! | [`HandleAllocator`] | O(1) | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`SideTable`] | O(1), except for growth | O(1) | O(1) | O(capacity / 64 + values); joined with the pool, as fast |
//! | [`FramePool`] | O(1) | all at once | O(1) | O(live), a slice |
//! | [`FrameMemory`] | O(1) | all at once | a pointer | – |
//! | [`SizeClasses`] | O(1), except for growth | O(1) | a pointer | – |
//! | [`classic::RosterPool`] | O(1) | O(1) | O(1) | O(capacity), no branch |
//! | [`classic::BytemapPool`] | O(capacity / 64) at worst | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`classic::PoolAllocator`] | O(1), except for growth | O(1) | a pointer | – |
//! | [`classic::ParticlePool`] | O(1) | during iteration | O(1) | O(N) |
//! | [`classic::ObjectPool`] | O(1) | O(1), or during iteration | O(1) | O(N) |
//!
//! # Bytes per slot
//!
//! A [`Pool`] allocates, per slot and all at creation:
//!
//! > `size_of::<T>()` + generation word + 1/8 + reuse order
//!
//! The generation word has 4 bytes, or 2 with a [`Handle32`] of 16 index bits or more. The reuse
//! order takes between 0 and 8 bytes; see the [table](reuse). With the defaults that is
//! `size_of::<T>()` + 8.2 bytes, with [`reuse::LowestFirst`] `size_of::<T>()` + 4.2, with
//! `Handle32<T, 16>` and up to 65,536 slots `size_of::<T>()` + 4.2. Creation writes every page
//! once, so that no page faults occur later.
//!
//! # What each operation costs
//!
//! | operation | time | |
//! | --- | --- | --- |
//! | [`insert`](Pool::insert), [`remove`](Pool::remove) | O(1) | with [`reuse::NextFit`], `insert` is O(capacity / 64) in the worst case; with [`reuse::Lifo`], amortised once `insert_at` is used |
//! | [`get`](Pool::get), [`contains`](Pool::contains) | O(1) | one comparison of generations |
//! | [`get_at`](Pool::get_at), [`handle_at`](Pool::handle_at), [`object_at`](Pool::object_at), [`index_of`](Pool::index_of) | O(1) | |
//! | [`insert_at`](Pool::insert_at) | O(1) amortised | [`reuse::Lifo`] sweeps now and then; the others do not |
//! | [`iter`](Pool::iter), [`retain`](Pool::retain), [`drain`](Pool::drain) | O(capacity / 64 + live) | 64 slots of the bitmap at a time |
//! | [`runs`](Pool::runs) | O(capacity / 64 + runs) | as fast as a slice where live slots are adjacent; with many holes, `values_mut().for_each(…)` is faster |
//! | [`insert_or_evict`](Pool::insert_or_evict) | O(1); full: O(capacity / 64 + live) | |
//! | [`clear`](Pool::clear) | O(capacity) | |
//! | creation, [`Clone`], [`snapshot`](Pool::snapshot) | O(capacity) | allocate; insertion, removal and iteration never do |
//!
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(millpond_nightly, feature(allocator_api))]
#![cfg_attr(
    not(all(
        feature = "alloc",
        feature = "bytemuck",
        feature = "debug-aids",
        feature = "rayon",
        feature = "std",
        feature = "sync"
    )),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)
)]

#[cfg(target_pointer_width = "16")]
compile_error!("millpond's slot indices have up to 32 bits: it needs pointers of 32 or 64 bits");

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", all(test, any(loom, shuttle))))]
extern crate std;

mod around;
mod base;
pub mod classic;
pub mod handle;
pub mod overflow;
mod policies;
mod pools;
mod reports;
#[cfg(feature = "alloc")]
pub mod size_classes;
#[cfg_attr(
    not(feature = "alloc"),
    allow(dead_code, unreachable_pub, reason = "static pools use a part of it")
)]
mod slots;
pub mod snapshot;
mod threads;
#[cfg_attr(
    not(feature = "alloc"),
    allow(dead_code, unreachable_pub, reason = "static pools use a part of it")
)]
#[allow(unsafe_code)]
mod values;

#[cfg(feature = "alloc")]
pub mod occupancy;
#[cfg(not(feature = "alloc"))]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "static pools use a part of it, and no public type does"
)]
mod occupancy;

// Last, so that the docs of each pool list these methods after the pool's own.
mod integrations;

/// The code of the guide to rollback, compiled and run with the tests.
#[cfg(all(doctest, feature = "serde", feature = "alloc"))]
#[doc = include_str!("../../../docs/rollback.md")]
struct RollbackGuide;

/// The code of the project's front page, compiled and run with the tests.
#[cfg(all(doctest, feature = "alloc"))]
#[doc = include_str!("../../../README.md")]
struct FrontPage;

/// The code of the guide, compiled and run with the tests.
#[cfg(all(doctest, feature = "alloc"))]
mod guide {
    #[doc = include_str!("../../../docs/guide/README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/why-pools.md")]
    struct WhyPools;
    #[doc = include_str!("../../../docs/guide/fragmentation.md")]
    struct Fragmentation;
    #[doc = include_str!("../../../docs/guide/choose.md")]
    struct Choose;
    #[doc = include_str!("../../../docs/guide/pattern.md")]
    struct Pattern;
    #[doc = include_str!("../../../docs/guide/handles.md")]
    struct Handles;
    #[doc = include_str!("../../../docs/guide/full.md")]
    struct Full;
    #[doc = include_str!("../../../docs/guide/iterate.md")]
    struct Iterate;
    #[doc = include_str!("../../../docs/guide/borrowing.md")]
    struct Borrowing;
    #[doc = include_str!("../../../docs/guide/rebuild-each-frame.md")]
    struct RebuildEachFrame;
    #[doc = include_str!("../../../docs/guide/threads.md")]
    #[cfg(feature = "sync")]
    struct Threads;
    #[doc = include_str!("../../../docs/guide/save-and-roll-back.md")]
    struct SaveAndRollBack;
    #[doc = include_str!("../../../docs/guide/stale-handles.md")]
    #[cfg(feature = "debug-aids")]
    struct StaleHandles;
    #[doc = include_str!("../../../docs/guide/size-your-pools.md")]
    struct SizeYourPools;
    #[doc = include_str!("../../../docs/guide/many-sessions.md")]
    struct ManySessions;
    #[doc = include_str!("../../../docs/guide/watch.md")]
    #[cfg(feature = "recorder")]
    struct Watch;
    #[doc = include_str!("../../../docs/guide/c-and-cpp.md")]
    struct CAndCpp;
    #[doc = include_str!("../../../docs/guide/coming-from.md")]
    struct ComingFrom;
    #[doc = include_str!("../../../docs/guide/moving.md")]
    struct Moving;
}

/// What the C library reads of a pool in its own code, without a call. Not for anything else.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use pools::allocator::CoreOffsets;
#[cfg(all(feature = "alloc", feature = "serde"))]
#[doc(hidden)]
pub use pools::allocator::SavedSlots;

/// What the expansion of this crate's macros needs. Not for anything else.
#[cfg(any(feature = "serde", feature = "bytemuck"))]
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "bytemuck")]
    pub use ::bytemuck;
    #[cfg(feature = "serde")]
    pub use ::serde;
}

pub use handle::{Handle, Handle32, HandleLayout, ParseHandleError, Refusal};
pub use pools::static_pool::{StaticPool, StaticPoolBuilder};
pub use pools::{faces, static_pool};
pub use reports::errors::{Full, GetDisjointMutError, InsertAtError, InsertAtErrorKind};
pub use reports::stats::Stats;
pub use slots::generations::Generations;

#[cfg(feature = "alloc")]
pub use self::{
    around::budget::{self, Budget},
    around::side_table::{self, SideTable},
    occupancy::Occupancy,
    pools::allocator::{HandleAllocator, HandleAllocatorBuilder},
    pools::any_pool::{self, AnyPool, AnyPoolBuilder},
    pools::block_pool::{self, BlockPool, BlockPoolBuilder},
    pools::frame_pool::{self, Frame, FrameFull, FrameLink, FrameMemory, FramePool, FrameRef},
    pools::packed::{self, PackedPool, PackedPoolBuilder},
    pools::pool::{self, Pool, PoolBuilder, Snapshot},
    pools::recycler::{self, Recycler, RecyclerBuilder},
    pools::settings::BuildError,
    size_classes::SizeClasses,
    slots::reuse,
};

#[cfg(feature = "debug-aids")]
pub use reports::debug;
#[cfg(feature = "recorder")]
pub use reports::recorder;
#[cfg(all(feature = "alloc", feature = "validate"))]
pub use reports::validate;
#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
pub use threads::lots;
#[cfg(all(feature = "sync", target_has_atomic = "64"))]
pub use threads::sync::{
    self, SyncPool, SyncPoolBuilder, SyncRecycler, SyncRecyclerBuilder, TakeError,
};
