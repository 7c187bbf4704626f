//! A handle of any pool.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::AnyHandle;

/// A handle as its bits, beside the layout that they are in.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    bits: u64,
    layout: &'static Layout,
}

/// A handle layout, as a value.
pub(crate) struct Layout {
    pub(crate) generation_max: u32,
    is_handle: fn(u64) -> bool,
    from_parts: fn(usize, u32) -> Option<u64>,
    index: fn(u64) -> usize,
    generation: fn(u64) -> u32,
    debug: fn(u64, &mut fmt::Formatter<'_>) -> fmt::Result,
}

fn handle<H: AnyHandle>(bits: u64) -> H {
    H::from_bits(bits).expect("the bits of a handle")
}

impl Layout {
    pub(super) const fn of<H: AnyHandle>() -> Self {
        Self {
            generation_max: H::GENERATION_MAX,
            is_handle: |bits| H::from_bits(bits).is_some(),
            from_parts: |index, generation| Some(H::from_parts(index, generation)?.bits()),
            index: |bits| handle::<H>(bits).index(),
            generation: |bits| handle::<H>(bits).generation(),
            debug: |bits, f| handle::<H>(bits).fmt(f),
        }
    }

    pub(crate) fn key_of_bits(&'static self, bits: u64) -> Option<Key> {
        (self.is_handle)(bits).then_some(Key { bits, layout: self })
    }

    pub(crate) fn key_of_parts(&'static self, index: usize, generation: u32) -> Option<Key> {
        Some(Key { bits: (self.from_parts)(index, generation)?, layout: self })
    }
}

/// The layout of a handle type, in one place.
struct LayoutOf<H>(H);

impl<H: AnyHandle> LayoutOf<H> {
    const LAYOUT: &'static Layout = &Layout::of::<H>();
}

pub(super) const fn layout<H: AnyHandle>() -> &'static Layout {
    LayoutOf::<H>::LAYOUT
}

impl Key {
    pub(super) fn of<H: AnyHandle>(handle: H) -> Self {
        Self { bits: handle.bits(), layout: layout::<H>() }
    }

    pub(super) fn handle<H: AnyHandle>(self) -> H {
        handle(self.bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    pub(crate) fn index(self) -> usize {
        (self.layout.index)(self.bits)
    }

    pub(crate) fn generation(self) -> u32 {
        (self.layout.generation)(self.bits)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bits.cmp(&other.bits)
    }
}

impl Hash for Key {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.bits.hash(state);
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.layout.debug)(self.bits, f)
    }
}
