//! Why size classes cannot be built.

use core::fmt;

use super::block::{BLOCK_BYTES_MAX, BLOCK_BYTES_MIN};
use super::table::CLASSES_MAX;

/// Why a [`SizeClasses`](super::SizeClasses) cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SizeClassesError {
    /// The builder has no class.
    NoClass,
    /// There are more than 255 classes.
    TooManyClasses {
        /// The number of classes.
        classes: usize,
    },
    /// A slot of this class does not fit into a block.
    ClassTooLarge {
        /// The requested slot size.
        bytes: usize,
        /// The largest slot that fits.
        bytes_max: usize,
    },
    /// The block size is not a power of two, or is out of range.
    BlockBytes {
        /// The requested block size.
        block_bytes: usize,
    },
    /// The reserved slots need more blocks than the limit.
    ReservedTooMuch {
        /// The number of blocks that they need.
        blocks: usize,
        /// The limit.
        max_blocks: usize,
    },
    /// There is not enough memory for the reserved slots.
    OutOfMemory {
        /// The number of blocks that they need.
        blocks: usize,
    },
}

impl fmt::Display for SizeClassesError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeClassesError::NoClass => f.write_str(
                "size classes need a class: call `.class(bytes, slots)` or `.classes_up_to(bytes)`",
            ),
            SizeClassesError::TooManyClasses { classes } => {
                write!(f, "{classes} classes are more than {CLASSES_MAX}: merge some")
            }
            SizeClassesError::ClassTooLarge { bytes, bytes_max } => write!(
                f,
                "a class of {bytes} bytes does not fit into a block, which has room for {bytes_max}: \
                 raise `block_bytes`, or leave such requests to the global allocator"
            ),
            SizeClassesError::BlockBytes { block_bytes } => write!(
                f,
                "blocks of {block_bytes} bytes: their size must be a power of two from \
                 {BLOCK_BYTES_MIN} to {BLOCK_BYTES_MAX}"
            ),
            SizeClassesError::ReservedTooMuch { blocks, max_blocks } => write!(
                f,
                "the reserved slots need {blocks} blocks, more than the limit of \
                 {max_blocks}: raise `max_blocks`"
            ),
            SizeClassesError::OutOfMemory { blocks } => {
                write!(f, "no memory for {blocks} blocks of size classes")
            }
        }
    }
}

impl core::error::Error for SizeClassesError {}
