//! The methods that pools share, as macros: each method is written once, with its docs, and each pool has it as a
//! method of its own, so that nobody has to import a trait.
//!
//! The methods call a few private methods and fields of the pool; each macro says which. `T` is the pool's type of
//! values and `H` that of its handles. The examples in the docs begin with an expression that makes an empty pool.

#[cfg(feature = "alloc")]
mod construct;
mod insert;
mod lookup;
mod remove;
mod state;
mod stored_state;
mod together;
mod walk;
mod watch;

#[cfg(feature = "alloc")]
pub(crate) use construct::{
    default_without_slots, full_from_iterator, growing_from_iterator, typed_builder_method,
};
pub(crate) use insert::{evicting_methods, insert_at_method, insert_methods, revive_method};
pub(crate) use lookup::{check_method, lookup_methods, object_at_methods, unchecked_methods};
pub(crate) use remove::{moving_out_methods, remove_methods};
pub(crate) use state::{books_methods, words_methods};
pub(crate) use stored_state::{stored_restore, stored_state};
#[cfg(feature = "alloc")]
pub(crate) use together::each_mut;
pub(crate) use together::get_each_mut_method;
pub(crate) use walk::walk_methods;
pub(crate) use watch::watch_methods;
