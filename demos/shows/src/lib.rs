//! What the demos have in common: a command line, checks, pictures, animations, and an allocator that
//! counts. The demos themselves are in `src/bin`, one file each.

mod animation;
mod chart;
mod colors;
mod picture;
mod random;
mod stage;

pub use animation::Animation;
pub use chart::{Chart, Line, thousands};
pub use colors::{BACKGROUND, FAINT, INK};
pub use millpond_testkit::allocations::Counting;
pub use picture::Picture;
pub use plotters::style::{Color, RGBAColor, RGBColor};
pub use random::Random;
pub use stage::{Failure, Stage, check, play, play_with};

/// Prints a line. A reader that has closed the pipe has seen enough.
#[macro_export]
macro_rules! say {
    ($($part:tt)*) => {{
        use ::std::io::Write as _;
        let _ = ::std::writeln!(::std::io::stdout(), $($part)*);
    }};
}

/// How often this thread has taken memory so far, or more of it. Counts in a program whose `#[global_allocator]` is
/// [`Counting`].
#[must_use]
pub fn allocations() -> u64 {
    let so_far = millpond_testkit::allocations::so_far();
    (so_far.taken + so_far.resized) as u64
}
