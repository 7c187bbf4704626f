//! What a byte-map pool does for the debug aids.

use super::BytemapPool;

impl<T> BytemapPool<T> {
    /// Fills free slots with the repeated pattern `0x1deadb0b` from now on. An insertion into a
    /// slot that was written to meanwhile panics with the place of the change; see
    /// [`DebugAids::fill_dead_slots`](millpond::debug::DebugAids::fill_dead_slots).
    ///
    /// ```
    /// use millpond_classic::BytemapPool;
    ///
    /// let mut cars = BytemapPool::new(110);
    /// cars.fill_dead_slots();
    /// let taxi = cars.insert([1_u64; 4]).unwrap();
    /// cars.remove(taxi);
    /// cars.insert([2; 4]).unwrap(); // checks that nothing wrote to the slot in the meantime
    /// ```
    pub fn fill_dead_slots(&mut self) {
        self.slots.fill_free();
    }
}
