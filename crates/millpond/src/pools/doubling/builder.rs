//! What the builders of pools that grow have beside all others.

use crate::pools::builder::Builder;

/// The kind of a [`VecPool`](crate::VecPool) or a [`PackedVecPool`](crate::PackedVecPool).
#[derive(Clone, Copy, Debug)]
pub struct Growing;

impl<T, R, H> Builder<T, Growing, R, H> {
    /// Limits the number of slots: an insertion that would need one more is refused. By default, the limit is what the
    /// handle layout can name.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::builder().capacity_max(10).name("ships").build();
    /// assert!((0..10).all(|i| pool.insert(i).is_ok()));
    /// let full = pool.insert(10).unwrap_err();
    /// assert_eq!(full.to_string(), "pool \"ships\" is full: all 10 slots are live");
    /// ```
    pub fn capacity_max(mut self, slots: usize) -> Self {
        self.settings.capacity_max = slots;
        self
    }
}
