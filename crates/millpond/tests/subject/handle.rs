//! What tests ask of a handle of any pool.

use std::fmt::Debug;
use std::hash::Hash;

use millpond::{Handle, Handle32, HandleLayout};

pub(crate) trait AnyHandle: Copy + Eq + Ord + Hash + Debug + 'static {
    /// The generation of a slot's last lifetime, unless the pool has a limit of its own.
    const GENERATION_MAX: u32;

    fn index(self) -> usize;
    fn generation(self) -> u32;
    fn bits(self) -> u64;
    fn from_bits(bits: u64) -> Option<Self>;
    fn from_parts(index: usize, generation: u32) -> Option<Self>;
}

macro_rules! layouts {
    ($([$($parameter:tt)*] $handle:ty;)+) => {$(
        impl $($parameter)* AnyHandle for $handle
        where
            $handle: HandleLayout,
        {
            const GENERATION_MAX: u32 = <Self as HandleLayout>::LIFETIMES_MAX;

            fn index(self) -> usize {
                HandleLayout::index(self) as usize
            }

            fn generation(self) -> u32 {
                HandleLayout::generation(self)
            }

            fn bits(self) -> u64 {
                self.to_bits()
            }

            fn from_bits(bits: u64) -> Option<Self> {
                <Self as HandleLayout>::from_bits(bits)
            }

            fn from_parts(index: usize, generation: u32) -> Option<Self> {
                HandleLayout::from_parts(u32::try_from(index).ok()?, generation)
            }
        }
    )+};
}

layouts! {
    [] Handle<()>;
    [<const INDEX_BITS: u32>] Handle32<(), INDEX_BITS>;
}

/// The byte-map pool's signed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Seeded(pub(crate) i32);

impl AnyHandle for Seeded {
    const GENERATION_MAX: u32 = 127;

    fn index(self) -> usize {
        (self.0 >> 8) as usize
    }

    fn generation(self) -> u32 {
        self.0 as u32 & 0xff
    }

    fn bits(self) -> u64 {
        u64::from(self.0 as u32)
    }

    /// Every number is a handle that somebody can come with.
    fn from_bits(bits: u64) -> Option<Self> {
        u32::try_from(bits).ok().map(|bits| Self(bits as i32))
    }

    fn from_parts(index: usize, generation: u32) -> Option<Self> {
        let fits = index < 1 << 23 && generation <= Self::GENERATION_MAX;
        fits.then_some(Self((index as i32) << 8 | generation as i32))
    }
}
