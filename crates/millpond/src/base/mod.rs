//! Parts that know nothing of pools: guards against panics, memory, addresses, the sanitizer.

pub mod address;
#[allow(unsafe_code)]
pub mod bytes;
pub mod guard;
#[cfg(feature = "sync")]
#[allow(unsafe_code)]
pub(crate) mod lines;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
pub mod memory;
#[cfg(any(feature = "sync", target_has_atomic = "32"))]
pub(crate) mod orders;
#[allow(unsafe_code)]
pub mod sanitizer;
pub(crate) mod shared;

use core::fmt::Debug;

/// What the derive of `Reflect` asks to be in scope.
#[cfg(feature = "bevy_reflect")]
pub(crate) mod reflect {
    pub(crate) use bevy_reflect::prelude::ReflectDefault;
    #[cfg(feature = "serde")]
    pub(crate) use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
}

/// The allocator failed, or the size exceeds what it accepts.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// An entry that a reuse order stores in an array beside the slots.
#[doc(hidden)]
pub trait OrderEntry: Copy + Debug + Send + Sync + 'static {
    /// The value that the array is initially filled with.
    const EMPTY: Self;
    /// Whether all bits of [`EMPTY`](Self::EMPTY) are 0.
    const EMPTY_IS_ZERO: bool = true;
}

impl OrderEntry for () {
    const EMPTY: Self = ();
}

impl OrderEntry for u16 {
    const EMPTY: Self = 0;
}

impl OrderEntry for u32 {
    const EMPTY: Self = 0;
}

impl OrderEntry for u64 {
    const EMPTY: Self = 0;
}

/// Called on the rare side of a branch, so that the compiler puts that code aside. The black box is why there is a call: one
/// that does nothing is gone before the order of the code is decided.
#[cold]
#[inline(never)]
pub fn cold() {
    core::hint::black_box(());
}

/// What was made, or a panic with the error's message.
#[track_caller]
#[inline]
pub fn or_panic<P, E: core::fmt::Display>(made: Result<P, E>) -> P {
    match made {
        Ok(made) => made,
        Err(error) => panic!("{error}"),
    }
}
