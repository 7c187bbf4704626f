//! The colours that all pictures have in common.

use plotters::style::RGBColor;

/// The night behind everything.
pub const BACKGROUND: RGBColor = RGBColor(11, 15, 28);
/// For what is written.
pub const INK: RGBColor = RGBColor(214, 222, 240);
/// For what is there to be seen when looked for: frames, grids, second thoughts.
pub const FAINT: RGBColor = RGBColor(142, 154, 184);
