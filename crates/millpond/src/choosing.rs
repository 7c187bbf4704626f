//! Which pool to use, and what each one costs. This module has nothing but documentation.
//!
//! # All pools
//!
//! | you have | use |
//! | --- | --- |
//! | anything you create and destroy during play: the default | [`Pool`](crate::Pool) |
//! | things you loop over far more often than you look them up, or must sort | [`PackedPool`](crate::PackedPool) |
//! | a `static`, or no heap | [`StaticPool`](crate::StaticPool) |
//! | no idea how many there will be, with or without a limit | [`VecPool`](crate::VecPool); [`PackedVecPool`](crate::PackedVecPool) for what you loop over or sort |
//! | …but a limit, and values must never move | [`Pool`](crate::Pool) with an `untouched` capacity: the system provides memory as it fills |
//! | several threads that insert, read and remove | [`SyncPool`](crate::SyncPool) |
//! | objects that several threads borrow and return, made at the start or when first needed | [`SyncRecycler`](crate::SyncRecycler) |
//! | data that you rebuild in every frame | [`FramePool`](https://docs.rs/millpond-memory/latest/millpond_memory/struct.FramePool.html); [`FrameMemory`](https://docs.rs/millpond-memory/latest/millpond_memory/struct.FrameMemory.html) if it is used in one place only (crate `millpond-memory`) |
//! | objects that are expensive to construct, or a loop over all slots without a branch | [`Recycler`](crate::Recycler) |
//! | values of different types behind one trait | [`AnyPool`](crate::AnyPool) |
//! | another system's data about a pool's objects | [`SideTable`](crate::SideTable) beside the pool |
//! | many small allocations of several sizes, for vectors, boxes and maps | [`SizeClasses`](https://docs.rs/millpond-memory/latest/millpond_memory/struct.SizeClasses.html) (the same crate) |
//! | your own arrays (structure of arrays, a GPU buffer) | [`HandleAllocator`](crate::HandleAllocator) |
//! | nodes that own their children, written with `Box` | [`PoolAllocator`](https://docs.rs/millpond-classic/latest/millpond_classic/struct.PoolAllocator.html) (crate `millpond-classic`) |
//! | code or saved games that follow one of the published designs | [`millpond-classic`](https://docs.rs/millpond-classic/latest/millpond_classic/) |
//!
//! # How the pools differ
//!
//! `T` stands for `size_of::<T>()`, `W` for the bytes of the reuse order: 4 by default.
//!
//! | | stable addresses? | dense? | grows? | memory from | bytes per slot |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Pool`](crate::Pool) | yes | in runs | no | the heap, once | `T` + 4.125 + `W` |
//! | [`PackedPool`](crate::PackedPool) | no: the last value takes the place of a removed one | yes, a slice | no | the heap, once | `T` + 16 |
//! | [`StaticPool`](crate::StaticPool) | while the pool stays | in runs | no | itself | `T` + 12 |
//! | [`VecPool`](crate::VecPool) | until it grows | in runs | by doubling; shrinks from the end | the heap, one block | `T` + 4.125 + `W` |
//! | [`PackedVecPool`](crate::PackedVecPool) | no: as a `PackedPool`, and until it grows | yes, a slice | by doubling; shrinks from the end | the heap, three arrays | `T` + 16 |
//! | [`Recycler`](crate::Recycler) | yes | in runs, or all slots | no | the heap, once | `T` + 4.125 + `W` |
//! | [`AnyPool`](crate::AnyPool) | yes | in runs | no | the heap, once | `BYTES` + 16 (with pointers of 8 bytes), rounded up to a multiple of 16, + 4.125 + `W` |
//! | [`SyncPool`](crate::SyncPool) | yes | in runs, by `&mut` | no | the heap, once | `T` + 8.25 to 10.1 |
//! | [`SyncRecycler`](crate::SyncRecycler) | yes | no | no | the heap, once | `T` + 0.125 to 2; made lazily, 0.25 to 2.125 |
//! | [`HandleAllocator`](crate::HandleAllocator) | yours | in runs | no | the heap, once | 4.125 + `W` |
//! | [`SideTable`](crate::SideTable) | if its capacity is fixed | in runs | by choice | the heap, once, or doubling | `T` + 4.125 |
//!
//! What the operations cost:
//!
//! | | insert | remove | lookup | iterating over the values |
//! | --- | --- | --- | --- | --- |
//! | [`Pool`](crate::Pool) | O(1) | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`PackedPool`](crate::PackedPool) | O(1) | O(1), moves one value | O(1), one more step | O(live), a slice |
//! | [`StaticPool`](crate::StaticPool) | O(1) | O(1) | O(1) | O(N) |
//! | [`VecPool`](crate::VecPool) | O(1) on average; O(capacity) for growth | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`PackedVecPool`](crate::PackedVecPool) | O(1) on average; O(capacity) for growth | O(1), moves one value | O(1), one more step | O(live), a slice |
//! | [`Recycler`](crate::Recycler) | O(1), nothing is constructed | O(1), nothing is dropped | O(1) | O(capacity / 64 + live), or all slots |
//! | [`AnyPool`](crate::AnyPool) | O(1) | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`SyncPool`](crate::SyncPool) | O(1); nearly full: O(capacity / 64) | O(1) | O(1) | O(capacity) |
//! | [`SyncRecycler`](crate::SyncRecycler) | O(1), nothing is constructed (or once, lazily) | O(1), nothing is dropped | – | – |
//! | [`HandleAllocator`](crate::HandleAllocator) | O(1) | O(1) | O(1) | O(capacity / 64 + live) |
//! | [`SideTable`](crate::SideTable) | O(1), except for growth | O(1) | O(1) | O(capacity / 64 + values); joined with the pool, as fast |
//!
//! # Bytes per slot
//!
//! A [`Pool`](crate::Pool) allocates, per slot and all at creation:
//!
//! > `size_of::<T>()` + generation word + 1/8 + reuse order
//!
//! The generation word has 4 bytes, or 2 with a [`Handle32`](crate::Handle32) of 16 index bits or more. The reuse
//! order takes between 0 and 8 bytes; see the [table](crate::reuse). With the defaults that is
//! `size_of::<T>()` + 8.2 bytes, with [`reuse::LowestFirst`](crate::reuse::LowestFirst) `size_of::<T>()` + 4.2, with
//! `Handle32<T, 16>` and up to 65,536 slots `size_of::<T>()` + 4.2. Creation writes every page
//! once, so that no page faults occur later.
//!
//! # What each operation costs
//!
//! | operation | time | |
//! | --- | --- | --- |
//! | [`insert`](crate::Pool::insert), [`remove`](crate::Pool::remove) | O(1) | with [`reuse::Lifo`](crate::reuse::Lifo), amortised once `insert_at` is used |
//! | [`get`](crate::Pool::get), [`contains`](crate::Pool::contains) | O(1) | one comparison of generations |
//! | [`get_at`](crate::Pool::get_at), [`handle_at`](crate::Pool::handle_at), [`object_at`](crate::Pool::object_at), [`index_of`](crate::Pool::index_of) | O(1) | |
//! | [`insert_at`](crate::Pool::insert_at) | O(1) amortised | [`reuse::Lifo`](crate::reuse::Lifo) sweeps now and then; the others do not |
//! | [`iter`](crate::Pool::iter), [`retain`](crate::Pool::retain), [`drain`](crate::Pool::drain) | O(capacity / 64 + live) | 64 slots at a time; after many insertions and removals the next loop is O(capacity), because it rebuilds the bitmap |
//! | [`runs`](crate::Pool::runs) | O(capacity / 64 + runs) | as fast as a slice where live slots are adjacent; with many holes, `values_mut().for_each(…)` is faster |
//! | [`insert_or_evict`](crate::Pool::insert_or_evict) | O(1); full: O(capacity / 64 + live) | |
//! | [`clear`](crate::Pool::clear) | O(capacity) | |
//! | creation, [`Clone`], [`snapshot`](crate::Pool::snapshot) | O(capacity) | allocate; insertion, removal and iteration never do |
