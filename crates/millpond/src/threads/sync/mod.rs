//! Pools that threads share: [`SyncPool`], for values that come and go, and [`SyncRecycler`], for objects that stay
//! constructed and are lent to one thread at a time.
//!
//! Needs the feature `sync`.
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
//! With the feature `std`, a thread's home is in a thread-local variable, a pool has as many homes as fit the machine, and
//! a [`SyncRecycler`] can wait. Without it, the home is computed from the address of the thread's stack, and there are up
//! to 64. Both pools need atomics of 64 bits.

// First, so that the docs of the pool begin with its methods for all threads.
#[allow(unsafe_code)]
mod pool;

mod at_home;
#[cfg_attr(all(test, loom), path = "../../../tests/sync_models/loom_atomics.rs")]
mod atomics;
#[allow(unsafe_code)]
mod batch;
#[allow(unsafe_code)]
mod claimed;
#[allow(unsafe_code)]
mod close;
#[allow(unsafe_code)]
mod debug;
mod error;
#[allow(unsafe_code)]
mod exclusive;
mod free;
#[allow(unsafe_code)]
mod frozen;
#[allow(unsafe_code)]
mod guard;
#[cfg_attr(any(not(feature = "std"), all(test, any(loom, shuttle))), path = "no_home.rs")]
mod home;
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
#[cfg(feature = "serde")]
mod saved;
#[allow(unsafe_code)]
mod slots;
mod snapshot;
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

pub use crate::values::{ValueRuns as FrozenRuns, ValueRunsMut as RunsMut};
pub use at_home::Home;
pub use error::TakeError;
pub use exclusive::Drain;
pub use frozen::Frozen;
pub use guard::{Guard, Shared, SharedOwned};
pub use iter::Iter;
pub use pool::{SyncPool, SyncPoolBuilder};
pub use recycler::{Acquired, AcquiredFrom, AcquiredOwned, SyncRecycler, SyncRecyclerBuilder};
pub use snapshot::{RestoreError, SyncSnapshot};
