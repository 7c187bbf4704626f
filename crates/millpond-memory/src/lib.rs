//! Memory that is not a pool of one type: size classes for values of any size, and memory that is reset in each frame.
//!
//! | you have | use |
//! | --- | --- |
//! | vectors, boxes, strings and maps that come and go on one thread | [`SizeClasses`], an allocator |
//! | data that is rebuilt in every frame, with links that outlive a function | [`FramePool`]: links of eight bytes, checked at run time |
//! | the same, built and used in one function | [`FrameMemory`]: links that the compiler checks, for values of any types |
//! | objects that come and go one by one | a [`Pool`](millpond::Pool) of the crate `millpond` |
//!
//! All three take their memory when you create them, and touch it: a frame of a game then calls no allocator, and meets
//! no page fault. (A `SizeClasses` may grow beyond what was reserved, if you let it.)
//!
//! ```
//! use millpond_memory::{FrameLink, FramePool};
//!
//! struct Node {
//!     actor: u32,
//!     next: Option<FrameLink<Node>>, // 8 bytes
//! }
//!
//! let mut nodes = FramePool::new(1000);
//! for frame in 0..60 {
//!     nodes.reset(); // O(1): every link of the frame before is refused from now on
//!     let last = nodes.insert(Node { actor: frame, next: None })?;
//!     let first = nodes.insert(Node { actor: frame + 1, next: Some(last) })?;
//!     assert_eq!(nodes[first].next.map(|next| nodes[next].actor), Some(frame));
//! }
//! # Ok::<(), millpond::Full<Node>>(())
//! ```
//!
//! # Cargo features
//!
//! - `allocator-api2`: `&SizeClasses` implements that crate's `Allocator`, for its vectors and
//!   boxes, and for hashbrown's maps.
//!
//! The crate is `no_std`, and needs a heap. It depends on `millpond` for the errors and counters that both share.
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(millpond_nightly, feature(allocator_api))]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

#[allow(unsafe_code)]
mod frame_memory;
mod frame_pool;
pub mod size_classes;

pub use frame_memory::{Frame, FrameFull, FrameMemory, FrameRef};
pub use frame_pool::{FrameLink, FramePool};
#[doc(inline)]
pub use size_classes::SizeClasses;
