//! What `millpond.h` declares: millpond's pools for C and C++.
//!
//! ```text
//! mp_pool      Head │ HandleAllocator (the library's own) │ list of the oldest        one block of memory,
//!              name │ values │ entries │ words │ bitmap                               in this order
//! ```
//!
//! No rule of a pool is written here a second time: a pool is the library's [`HandleAllocator`](millpond::HandleAllocator),
//! which lies beside values whose type only the C program knows. The inline functions of the header read and write
//! that allocator's numbers themselves; [`millpond::SlotOffsets`] says where these are, and the module `head` checks it against the
//! header's struct when it is compiled.
//!
//! A packed pool, `mp_packed`, is such a pool too: of places, beside an array of values. See the module `packed`.
//!
//! Every function takes pointers as a C program gives them. Null is answered with a status or nothing; that any other
//! pointer is what the header says is the caller's part, as in every C library.
#![no_std]
#![allow(unreachable_pub, reason = "what has a C name is public, whatever module it lies in")]

extern crate alloc;

mod attach;
mod block;
mod callbacks;
mod checksum;
mod classes;
mod create;
mod detach;
mod face;
mod growing;
mod growth;
mod head;
mod kinds;
mod layout;
mod migrate;
mod opened;
mod options;
mod orders;
mod outside;
mod packed;
mod packed_state;
mod pool;
mod recorder;
mod recording;
#[cfg(millpond_standalone)]
mod runtime;
mod shared;
mod snapshot;
mod status;
mod sum;
mod table;
mod text;
mod whole;
