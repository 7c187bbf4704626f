//! Replays the births and deaths of a recorded program, once on the system's allocator and once in pools or an arena, and
//! measures how long each takes.
//!
//! What is measured has to be compiled as a program is that ships, with optimisation, and the rest of the plan need not
//! be: so it is a crate of its own. It exists for `millpond-plan`; its interface is not stable.
//!
//! ```
//! use millpond_laps::{Between, Kept, Program, Script, Step};
//!
//! // One object of 24 bytes that is born and dies, timed.
//! let steps = vec![Step::new(0, 0, true), Step::new(0, 0, false)];
//! let script = Script { steps, parts: vec![(2, true)], places: 1, bytes_peak: 48 };
//! let mut program = Program::new(&script, &[24], &[true], Kept::Arena(1 << 10));
//! assert_eq!(program.lap(&script, &mut Between::Nothing).len(), 1);
//! ```

pub mod clock;
mod lap;
mod memory;
mod script;

pub use lap::{Between, Found, Kept, OtherWork, Pools, Program};
pub use memory::{Size, roomy_heap};
pub use script::{Script, Step};

/// The sizes of slots for a place that asks for many sizes are multiples of this.
pub const GRANULE: u64 = 16;

/// Larger blocks are left out: a system allocator maps them one by one, whether there are pools or not.
pub const BLOCK_BYTES_MAX: u64 = 64 << 10;
