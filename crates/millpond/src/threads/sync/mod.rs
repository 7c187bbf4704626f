//! Pools that threads share: [`SyncPool`], for values that come and go, and [`SyncRecycler`], for objects that stay
//! constructed and are lent to one thread at a time.
//!
//! | | [`SyncPool`] | [`SyncRecycler`] | a [`Pool`](crate::Pool) behind a lock |
//! | --- | --- | --- | --- |
//! | a value is | shared: `&T` through guards | exclusive: `&mut T` through a guard | exclusive, for the thread that holds the lock |
//! | found by | a handle, refused once it is stale | any free object, without a handle | a handle |
//! | who waits | nobody | nobody, except in blocking methods | all threads but one |
//! | handles are the same on every run | no | – | no, unless the threads take turns |
//!
//! If the handles must be the same on every run and on any number of threads, use [`lots`](crate::lots).
//!
//! With the feature `std`, a thread's home is in a thread-local variable, and a [`SyncRecycler`] can wait. Without it,
//! the home is computed from the address of the thread's stack. Both pools need atomics of 64 bits.

// First, so that the docs of the pool begin with its methods for all threads.
#[allow(unsafe_code)]
mod pool;

mod at_home;
mod atomics;
#[allow(unsafe_code)]
mod batch;
mod builder;
#[allow(unsafe_code)]
mod claimed;
#[allow(unsafe_code)]
mod close;
#[cfg(feature = "debug-aids")]
#[allow(unsafe_code)]
mod debug;
mod error;
#[cfg(not(all(test, loom)))]
#[allow(unsafe_code)]
mod exclusive;
mod free;
#[cfg(not(all(test, loom)))]
#[allow(unsafe_code)]
mod frozen;
#[allow(unsafe_code)]
mod guard;
mod home;
#[cfg(not(all(test, loom)))]
mod insertions;
mod iter;
#[cfg(all(test, feature = "std", not(any(loom, shuttle))))]
#[path = "../../../tests/sync_models/lines.rs"]
mod lines;
mod order;
#[cfg(all(test, feature = "std", shuttle, not(loom)))]
#[path = "../../../tests/sync_models/parking.rs"]
mod parking;
#[allow(unsafe_code)]
mod recycler;
#[cfg(all(feature = "serde", not(all(test, loom))))]
mod saved;
#[allow(unsafe_code)]
mod slots;
#[cfg(not(all(test, loom)))]
mod snapshot;
#[allow(unsafe_code)]
mod tap;
#[cfg(feature = "validate")]
mod validate;
#[cfg(all(test, feature = "std", not(loom)))]
#[path = "../../../tests/sync_models/watched.rs"]
mod watched;
mod word;

#[cfg(all(test, loom))]
#[allow(unsafe_code)]
#[path = "../../../tests/sync_models/loom.rs"]
mod models;
#[cfg(all(test, shuttle, not(loom)))]
#[path = "../../../tests/sync_models/shuttle.rs"]
mod schedules;

pub use at_home::Home;
pub use builder::SyncPoolBuilder;
pub use error::TakeError;
#[cfg(not(all(test, loom)))]
pub use exclusive::{Drain, ExtractIf, RunsMut};
#[cfg(not(all(test, loom)))]
pub use frozen::{Frozen, FrozenIter, FrozenRuns};
pub use guard::{Shared, SharedOwned};
#[cfg(not(all(test, loom)))]
pub use insertions::VacantEntry;
pub use iter::Iter;
pub use pool::SyncPool;
pub use recycler::{Acquired, AcquiredOwned, SyncRecycler, SyncRecyclerBuilder};
#[cfg(not(all(test, loom)))]
pub use snapshot::{RestoreError, SyncSnapshot};
