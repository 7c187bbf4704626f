//! How many slots some works ask for: the type of a `StaticPool` has the number.

/// The slots of the stores that are weighed: what a key of 16 bits can name.
pub(crate) const WEIGHED_SLOTS: usize = 65_536;

/// More nodes than any frame of the quadtree needs.
pub(crate) const NODES_MAX: usize = 2048;

/// The slots of a store for so many particles on average.
pub(crate) const fn room(count: usize) -> usize {
    count * 5 / 4 + 64
}
