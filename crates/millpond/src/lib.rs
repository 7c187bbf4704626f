//! Object pools for games and other real-time programs.
//!
//! A [`Pool`] is a fixed number of slots, each with room for one object. It takes its memory when you create it;
//! other types can grow. `insert` and `remove` are O(1). You refer to an object by its [`Handle`]: once the object is removed,
//! the pool rejects the handle, whatever reuses the slot. Iteration skips free slots 64 at a time, and can hand you
//! adjacent live objects as a slice.
//!
//! The pools with the same methods: [`Pool`] of a fixed capacity, [`VecPool`] which grows as a `Vec` does, [`StaticPool`]
//! without a heap, and [`PackedPool`] and [`PackedVecPool`] (which grows) whose values are one slice.
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
//! // The orc is removed, and the troll reuses its slot. The elf's handle of the orc is rejected.
//! let troll = enemies.insert(Enemy { health: 50, target: Some(elf) })?;
//! let target = enemies[elf].target.unwrap();
//! assert_eq!(target.index(), troll.index());
//! assert!(enemies.get(target).is_none());
//!
//! for (_, enemy) in &mut enemies {
//!     enemy.health += 1;
//! }
//! # Ok::<(), millpond::Full<Enemy>>(())
//! ```
//!
//! # Which pool?
//!
//! Most programs need one of these:
//!
//! | you have | use |
//! | --- | --- |
//! | anything you create and destroy during play: the default | [`Pool`] |
//! | things you loop over far more often than you look them up, or must sort: sparks, bullets, particles | [`PackedPool`]; [`PackedVecPool`] grows |
//! | no idea how many there will be | [`VecPool`]: grows like a `Vec`, and handles stay valid |
//! | …but a limit, and values must never move | [`Pool`] with an `untouched` capacity: the system provides memory as it fills |
//! | a `static`, or no heap | [`StaticPool`] |
//! | several threads that insert, read and remove | [`SyncPool`] (feature `sync`) |
//!
//! [`choosing`] has all others, and compares them by what stays in place, by memory and by the cost of each operation.
//! A [`SideTable`] beside a pool holds another system's data about the pool's objects.
//!
//! - **Which slot is reused next?** The one freed last ([`reuse::Lifo`], the fastest); [`reuse`] has the others.
//! - **Which handles?** [`Handle`] has eight bytes and practically never runs out of generations; [`handle`] has a table
//!   of smaller ones.
//! - **What if a pool is full?** `insert` returns [`Full`], from which [`into_inner`](Full::into_inner) gives you the
//!   value back, and nothing else changes. [`insert_or_evict`](Pool::insert_or_evict) evicts; the crate
//!   [`millpond-overflow`] has all policies: refuse, evict, spill, grow.
//! - **How many slots?** `millpond plan`, the tool that comes with this crate, works them out from a recording of your
//!   program, and a `Budget` of [`millpond-overflow`] keeps them in one place.
//!
//! A [`Pool`] needs `size_of::<T>()` + 8.2 bytes for each slot. Insertion, removal and lookup are O(1). Iteration is
//! O(capacity / 64 + live). After many insertions and removals the next loop is O(capacity), because it rebuilds the
//! bitmap. (Of loops over a shared pool, the second after such changes does so; both are O(capacity).)
//!
//! # Why not a `Vec`?
//!
//! | | where an object is | after a removal | when it grows |
//! | --- | --- | --- | --- |
//! | `Vec<T>` and `swap_remove` | changes | an index names another object, silently | everything moves |
//! | `Vec<Option<T>>` | stays | an index names a later object, silently; finding a free slot takes a search | everything moves |
//! | `Box<T>` for each | stays | safe, but every access follows a pointer, and every object costs a `malloc` and a `free` | at any time |
//! | [`Pool<T>`](Pool) | stays | the handle is rejected | never: the capacity is its limit |
//!
//! # What handles promise
//!
//! - A handle is valid from the moment its object is inserted until it is removed, however it is removed (`remove`,
//!   `clear`, `drain`, eviction). After that it is rejected, whatever is in the slot. It becomes valid again only if you
//!   ask for it: by [`restore`](Pool::restore), [`revive`](Pool::revive), [`reattach`](Pool::reattach), or a pool
//!   [built to wrap](PoolBuilder::wrap).
//! - Each reuse of a slot is a new **generation**, and a handle names one of them. A slot that has used up its
//!   generations (2<sup>31</sup> − 1 with [`Handle`]) **retires**: it is not reused, and [`Stats::retired`] counts it. A
//!   pool built to wrap starts the slot's generations again instead; a handle kept that long can then find another object.
//! - Give your pools [names](PoolBuilder::name) (or [salts](PoolBuilder::salt)), and each also rejects [`Handle`]s that
//!   belong to another pool, with overwhelming probability. Four-byte handles have too few generations for that.
//! - A clone of a pool issues the same handles as the original, and accepts the original's.
//! - There is no randomness and no global counter: the same program issues the same handles in
//!   every run and on every machine.
//! - You may make a handle from any bits ([`Handle::from_bits`]): no handle can make a pool unsound.
//!
//! # Saving and restoring
//!
//! [`Pool`], [`PackedPool`], [`VecPool`], [`PackedVecPool`], [`StaticPool`], [`SyncPool`], [`Recycler`],
//! [`HandleAllocator`], [`SideTable`], and the two policies of [`millpond-overflow`] that are pools themselves can
//! be saved and restored exactly, including handles and the reuse order, at the speed of `memcpy` if
//! the values are `Copy`. [`snapshot`] has what rollback and lockstep games need, including checksums
//! and a history of recent frames.
//!
//! # Cargo features
//!
//! The default features are what most programs need: `alloc`, `packed`, `tables` and `vec`. The feature `full` adds
//! everything else that needs no more than a heap. With `default-features = false`, a program compiles only the parts that
//! it names.
//!
//! - `alloc` (default): [`Pool`] and [`HandleAllocator`], their reuse orders and snapshots. Without it,
//!   the crate has only the handle types, and [`StaticPool`] and its snapshots.
//! - `packed` (default): [`PackedPool`] and [`PackedVecPool`].
//! - `tables` (default): [`SideTable`] and joins.
//! - `vec` (default): [`VecPool`].
//! - `full`: the default features and the five that follow.
//! - `any`: [`AnyPool`] and [`AnyValue`].
//! - `history`: [`snapshot::History`], structs of pools that are saved as one ([`snapshot::Saved`]), and
//!   [differences](snapshot::Diff) between snapshots.
//! - `lots`: [`lots`], work on one [`Pool`] by many threads.
//! - `recycler`: [`Recycler`].
//! - `sync`: [`SyncPool`] and [`SyncRecycler`], for threads; see [`sync`]. Needs atomics of 64 bits.
//! - `validate`: a method of that name on each pool with handles, which checks every invariant in
//!   every slot. It adds no cost to any other method.
//! - `bevy_reflect`: `Reflect` for [`Handle`], [`Handle32`] and [`Stats`]; the crate `bevy_millpond` has pools of entities.
//!   It follows Bevy's versions, and needs the compiler that Bevy needs: both are outside of what this crate promises.
//! - `bytemuck`: handles are plain bytes, for GPU buffers with links between their elements; and a
//!   recycler of objects whose bits are all zero ([`Recycler::zeroed`]). (A run is a slice, which
//!   `bytemuck::cast_slice` turns into bytes without this feature.)
//! - `rayon`: runs and values on several threads ([`Pool::par_runs_mut`], [`Pool::par_values_mut`]),
//!   disjoint by construction. (A [`PackedPool`]'s slice has rayon's own methods.)
//! - `serde`: handles, [`Stats`], pools and [snapshots](snapshot#saving-to-a-file) can be
//!   serialised. A handle is `"3v7"` in human-readable formats and an integer in the others; a
//!   handle that no pool can issue is refused, except [`DANGLING`](Handle::DANGLING).
//! - `recorder`: [`recorder`](https://docs.rs/millpond/latest/millpond/recorder/index.html) writes a live
//!   trace of the pools, which `millpond watch` shows while the program runs. Needs the standard library.
//! - `debug-aids`: [`debug`](https://docs.rs/millpond/latest/millpond/debug/index.html), to find code that writes to free slots, removes objects twice, or
//!   never removes them, in the heap-allocated pools that have handles. Off unless a pool's builder enables it.
//! - `std`: blocking `acquire`, and a starting point for each thread's search for free slots.
//!
//! There is deliberately no feature for logging. Errors name their pool, and [`Stats`] has its
//! counters: you decide what to log. A logger called from `insert` would run foreign code,
//! with locks and output, in the middle of a frame.
//!
//! The crate is `no_std`, and has no dependencies by default. `cargo doc --open -p millpond --all-features` builds these
//! pages with all parts.
//!
//! [`millpond-overflow`]: https://docs.rs/millpond-overflow/latest/millpond_overflow/
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(all(
        feature = "full",
        feature = "__c",
        feature = "__parts",
        feature = "bytemuck",
        feature = "debug-aids",
        feature = "rayon",
        feature = "recorder",
        feature = "serde",
        feature = "validate",
    )),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        unused_macros,
        unused_mut,
        rustdoc::broken_intra_doc_links,
        rustdoc::private_intra_doc_links,
        reason = "the parts that are built share a part of it"
    )
)]

const _: () = assert!(
    usize::BITS >= u32::BITS,
    "millpond's slot indices have up to 32 bits: it needs pointers of 32 or 64 bits"
);

#[cfg(feature = "alloc")]
extern crate alloc;
// The docs that a macro writes are read in this crate and in those beside it: their links name the crate.
#[cfg(doc)]
extern crate self as millpond;
#[cfg(any(feature = "std", all(test, any(loom, shuttle))))]
extern crate std;

#[doc(hidden)]
mod base;
pub mod choosing;
pub mod handle;
pub mod overflow;
mod pools;
mod reports;
#[cfg(feature = "tables")]
pub mod side_table;
mod slots;
pub mod snapshot;
mod threads;
#[allow(unsafe_code)]
mod values;

pub mod occupancy;

#[cfg(doctest)]
mod pages;

// Last, so that the docs of each pool list these methods after the pool's own.
mod integrations;

/// What the C library reads of a pool in its own code, without a call. Not for anything else.
#[cfg(feature = "__c")]
#[doc(hidden)]
pub use pools::allocator::beside::*;

#[cfg(feature = "__parts")]
#[doc(hidden)]
pub mod __parts;

/// What the expansion of this crate's macros needs. Not for anything else.
#[doc(hidden)]
pub mod __private {
    pub use crate::handle::serde::*;
    pub use crate::integrations::bytemuck::*;
}

#[doc(inline)]
pub use handle::{Handle, Handle32, HandleLayout, ParseHandleError, Refusal};
#[doc(inline)]
pub use occupancy::Occupancy;
pub use pools::static_pool::{StaticPool, StaticPoolBuilder};
pub use pools::{iterators, slot_pool, static_pool};
pub use reports::errors::{Full, GetDisjointMutError, InsertAtError, InsertAtErrorKind};
pub use reports::peak::{Peak, PeakMeter};
pub use reports::stats::Stats;
pub use slots::generations::Generations;

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use self::{
    pools::allocator::{HandleAllocator, HandleAllocatorBuilder},
    pools::builder,
    pools::pool::{self, Pool, PoolBuilder, Snapshot},
    pools::settings::BuildError,
    slots::reuse,
};
#[cfg(feature = "any")]
pub use pools::any_pool::{self, AnyPool, AnyValue};
#[cfg(feature = "packed")]
pub use pools::packed::{self, PackedPool, PackedPoolBuilder, PackedVecPool, PackedVecPoolBuilder};
#[cfg(feature = "recycler")]
pub use pools::recycler::{self, Recycler, RecyclerBuilder};
#[cfg(feature = "vec")]
pub use pools::vec_pool::{self, VecPool, VecPoolBuilder};
#[cfg(feature = "tables")]
#[doc(inline)]
pub use side_table::SideTable;

#[cfg(feature = "debug-aids")]
pub use reports::debug;
#[cfg(feature = "recorder")]
pub use reports::recorder;
#[cfg(feature = "validate")]
pub use reports::validate;
#[cfg(all(feature = "sync", target_has_atomic = "64"))]
pub use threads::sync::{SyncPool, SyncPoolBuilder, SyncRecycler, SyncRecyclerBuilder, TakeError};
pub use threads::*;
