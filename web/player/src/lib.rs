//! Pools to play with: real pools, driven by short scripts, and everything of them that can be drawn.
//!
//! A [`World`] has one or several pools side by side, to which each operation is applied. Its [`state`](World::state) is
//! JSON that the page draws. A [script](parse) is the list of operations so far, as short text: a link holds a world as
//! its kind, its slots and its script, and the same script always gives the same world. [`EXAMPLES`] are those of the
//! published texts and of the guide.
//!
//! ```
//! use millpond_web_player::World;
//!
//! let world = World::of_link("roster/6/5xi.r1").unwrap();
//! assert!(world.state().contains(r#""roster":[5,1,3,2,4,0],"partition":4"#));
//! ```

mod examples;
mod json;
mod panels;
mod random;
mod script;
mod world;

#[cfg(target_arch = "wasm32")]
mod exports;

pub use examples::{EXAMPLES, Example, Step, examples_json};
pub use script::{Op, ScriptError, parse};
pub use world::{Kind, World};
