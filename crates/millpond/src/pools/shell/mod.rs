//! What several pools have that cannot be a function of one type: macros, each with its docs.

#[cfg(feature = "alloc")]
mod construct;
mod state;

#[cfg(feature = "alloc")]
pub(crate) use construct::{default_without_slots, full_from_iterator, typed_builder_method};
pub(crate) use state::books_methods;
