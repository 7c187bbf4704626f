//! What a full pool's own methods do, and the traits by which other code sees a pool that can be full.
//!
//! `insert` of a full pool returns the value. [`insert_or_evict`](crate::Pool::insert_or_evict) evicts the object with
//! the smallest key, and [`insert_unless_least`](crate::Pool::insert_unless_least) the same, unless the newcomer's is
//! smaller still. The crate [`millpond-overflow`](https://docs.rs/millpond-overflow/latest/millpond_overflow/) has the
//! policies as values, chosen beside a pool or at run time: refuse, evict the least or the oldest object, spill, grow.
//! They work with every pool that is [`Bounded`].

mod bounded;
pub(crate) mod evict;
mod total;

pub use bounded::{Bounded, Inserted, Lifetimes};
pub use total::Total;

pub(crate) use bounded::{bounded, lifetimes};

#[cfg(not(feature = "__parts"))]
pub(crate) use bounded::sealed;
#[cfg(feature = "__parts")]
#[doc(hidden)]
pub use bounded::sealed;
