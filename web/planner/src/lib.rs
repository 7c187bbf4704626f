//! Plans recordings in a browser, as `millpond plan` does on a command line: with the same library, so that its results
//! are the same. [`job`] is all that it does; `exports` is how the page's worker calls it.

pub mod job;

#[cfg(target_arch = "wasm32")]
mod exports;
