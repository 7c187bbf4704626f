//! What the demos have in common: a command line, checks, pictures, animations, and an allocator that
//! counts. The demos themselves are in `src/bin`, one file each.

mod animation;
mod chart;
mod counting;
mod picture;
mod random;
mod stage;

pub use animation::Animation;
pub use chart::{Chart, Line, thousands};
pub use counting::{Counting, allocations};
pub use picture::{BACKGROUND, FAINT, INK, Picture};
pub use plotters::style::{Color, RGBAColor, RGBColor};
pub use random::Random;
pub use stage::{Failure, Stage, check, play, play_with};
