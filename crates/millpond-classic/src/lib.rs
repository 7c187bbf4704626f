//! The published designs of object pools, each under its own name: as their texts have them, and checked.
//!
//! # What an object pool is
//!
//! An object pool is an array of *slots*, made once. An object that is born is put into a slot that is free; when it
//! dies, the slot is free again, and the next object takes it. So birth and death take a few instructions, whatever
//! else the program does; memory cannot fragment; how much there is is known before the first object; and objects of
//! one kind lie side by side, where a loop finds them. Without anything else, the pattern is a list of objects and a
//! list of free slots:
//!
//! ```
//! struct Pool<T> {
//!     slots: Vec<Option<T>>,
//!     free: Vec<usize>,
//! }
//!
//! impl<T> Pool<T> {
//!     fn new(capacity: usize) -> Self {
//!         let slots = (0..capacity).map(|_| None).collect();
//!         Self { slots, free: (0..capacity).rev().collect() }
//!     }
//!
//!     fn insert(&mut self, value: T) -> Option<usize> {
//!         let slot = self.free.pop()?; // no search, and no call of an allocator
//!         self.slots[slot] = Some(value);
//!         Some(slot)
//!     }
//!
//!     fn remove(&mut self, slot: usize) -> Option<T> {
//!         let value = self.slots[slot].take()?;
//!         self.free.push(slot);
//!         Some(value)
//!     }
//! }
//!
//! let mut shots = Pool::new(2);
//! let first = shots.insert("arrow").unwrap();
//! shots.insert("bolt");
//! assert_eq!(shots.insert("stone"), None); // full
//!
//! shots.remove(first);
//! shots.insert("spear");
//! // What the pattern leaves open: who still holds the number of the arrow now finds the spear.
//! assert_eq!(shots.slots[first], Some("spear"));
//! ```
//!
//! Each design is a set of answers to the questions that this leaves open:
//!
//! | | [`RosterPool`] | [`BytemapPool`] | [`PoolAllocator`] | [`ParticlePool`], [`ObjectPool`] |
//! | --- | --- | --- | --- | --- |
//! | how is a free slot found? | it stands at a partition in a list of all slots | a search through one byte for each slot | it is on top of a stack | a list leads through the dead objects |
//! | which one is next? | the one freed last | the next behind a cursor; freeing a slot moves the cursor down to it | the one freed last | the one freed last |
//! | what names an object? | a handle of 8 bytes: slot and generation | a number: slot, and a seed of 7 bits | a guard, which owns it | the number of its slot |
//! | a name that is out of date | is refused | is refused, until the slot's seed comes round after 128 uses | does not exist | finds the slot's next object |
//! | all slots are in use | refused | refused | grows by a chunk | refused |
//! | a dead object | stays as it is | is dropped | is dropped | is dropped; the link takes its place |
//! | a slot takes, beside the object | 12 bytes | 1 byte | its share of a header; 6 % in slots of up to 128 bytes | nothing |
//! | birth and death | O(1) | birth: O(slots / 8) at worst; death: O(1) | O(1), unless it grows | O(1) |
//! | without a heap | no | no | no | yes |
//!
//! # The four designs
//!
//! **The swap-delete pool, [`RosterPool`]**: a *roster* of all slots with a *partition*, those in use below it. A birth
//! moves the partition up; a death swaps two entries of the roster and moves it down.
//!
//! - When: each object has a role in every frame, and is worth keeping when it is dead: components of a game whose
//!   buffers are used again.
//! - Its point: a pass over *all* slots needs no branch, because a dead object is as valid as a live one. What a pass
//!   finds finished is freed in the pass.
//! - Mind: a dead object keeps alive what it refers to, unless a hook clears it ([`on_free`](RosterPool::on_free)); and
//!   an initialiser that forgets a field finds the last object's (`scramble_freed`, with the feature `debug-aids`,
//!   shows it).
//!
//! **The byte map, [`BytemapPool`]**: one byte for each slot says whether it is free, and how often it was used.
//!
//! - When: you read handles or saved games of the programs that had it, or a byte is all that a slot may cost.
//! - Its point: the smallest check of stale handles. `index << 8 | byte` names the slot and its use.
//! - Mind: 7 bits of uses repeat. [`seeds_restarted`](BytemapPool::seeds_restarted) counts it, and a pool that is
//!   [`retiring`](BytemapPool::retiring) gives the slot up instead. In a pool that is nearly full, the search is long.
//!
//! **The pool allocator, [`PoolAllocator`]**: a stack of freed objects behind guards like a `Box`. It grows when the
//! stack is empty, and then keeps its size.
//!
//! - When: nodes own their children, as in a tree that is torn down and rebuilt in each frame from the same timber.
//! - Its point: code that is written with `Box` stays as it is, and nothing can be stale: the guard is the only owner.
//! - Mind: nothing can be iterated over, and a guard stays on its thread. Growth takes time;
//!   [`reserve`](PoolAllocator::reserve) moves it to a time that you choose.
//!
//! **The particle pool, [`ParticlePool`], and [`ObjectPool`] for objects of your own**: objects that know that they are
//! pooled. A slot is an object or the link to the next free slot, in the same memory.
//!
//! - When: many small objects that nobody refers to: sparks, drops, sounds. Or there is no heap.
//! - Its point: the pool costs no memory at all beyond its objects.
//! - Mind: the number of a slot does not say which object is meant. A pass over the objects meets the dead ones too,
//!   and skips them one by one.
//!
//! The texts: Terrance Cohen, [A Dynamic Component Architecture for High Performance
//! Gameplay](https://gdcvault.com/play/1013164/A-Dynamic-Component-Architecture-for) (2010), and Michael Labbe,
//! [Constant Time Memory Allocation From Object
//! Pools](https://www.frogtoss.com/labs/constant-time-memory-allocation-with-object-pools.html) (2023), for the first;
//! the modders' wiki [Object pool](https://gtamods.com/wiki/Object_pool) for the second; [Memory Management: Pool
//! Allocator](https://devcry.heiho.net/html/2014/20141130-mm-pool-allocator.html) (2014) for the third; Robert Nystrom,
//! [Game Programming Patterns](https://gameprogrammingpatterns.com/object-pool.html), for the fourth. What they say,
//! remark by remark, with the test that shows it, is in `docs/classic.md` of the repository.
//!
//! # For a new program
//!
//! Use these to follow a design to the letter: to port code, to read old handles, to teach. A
//! [`Pool`](millpond::Pool) of the crate `millpond` is usually the better choice: birth and death in O(1), handles that
//! are refused when they are out of date, iteration that skips 64 dead slots at a time. Its reuse order
//! [`reuse::Roster`](millpond::reuse::Roster) is that of the first design; where objects are to stay constructed, a
//! [`Recycler`](https://docs.rs/millpond/latest/millpond/recycler/struct.Recycler.html) keeps them.
//!
//! # Cargo features
//!
//! - `alloc` (default): the pools on the heap. Without it: [`ObjectPool`] and [`ParticlePool`].
//! - `debug-aids`: `fill_dead_slots` of [`BytemapPool`] and [`PoolAllocator`], and `scramble_freed` of [`RosterPool`].
//!   (A [`ParticlePool`] then always checks its free slots.)
//! - `validate`: a method of that name, which checks every invariant, on [`RosterPool`] and [`BytemapPool`].
//!
//! The crate is `no_std`.
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod bytemap;
#[cfg(feature = "alloc")]
mod heap;
mod object_pool;
mod particle;
#[cfg(feature = "alloc")]
mod pool_allocator;
#[cfg(feature = "alloc")]
mod roster;

#[cfg(feature = "alloc")]
pub use self::{
    bytemap::{BytemapError, BytemapPool},
    heap::{HeapObjectPool, HeapParticlePool},
    pool_allocator::{PoolAllocator, PoolBox},
    roster::RosterPool,
};
pub use object_pool::{ObjectPool, Pooled};
pub use particle::{Particle, ParticlePool, ParticleSlot};
