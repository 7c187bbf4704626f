//! What `--headroom` accepts, in every command that has it.

use std::ops::RangeInclusive;

/// In per cent: eleven times the peak at most.
pub(crate) const HEADROOM: RangeInclusive<f64> = 0.0..=1000.0;
