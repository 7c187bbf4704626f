//! What a byte-map pool does for the debug aids.

use super::BytemapPool;
use crate::reports::debug::{DebugAids, Watch};

impl<T> BytemapPool<T> {
    /// Fills free slots with the repeated pattern `0x1deadb0b` from now on. An insertion into a
    /// slot that was written to meanwhile panics with the place of the change; see
    /// [`DebugAids::fill_dead_slots`].
    ///
    /// ```
    /// use millpond::classic::BytemapPool;
    ///
    /// let mut cars = BytemapPool::new(110);
    /// cars.fill_dead_slots();
    /// let taxi = cars.insert([1_u64; 4]).unwrap();
    /// cars.remove(taxi);
    /// cars.insert([2; 4]).unwrap(); // checks that nothing wrote to the slot in the meantime
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no memory for a few bytes.
    pub fn fill_dead_slots(&mut self) {
        let aids = DebugAids::none().fill_dead_slots();
        match Watch::try_new(None, aids, self.capacity()) {
            Ok(watch) => self.slots.watch(watch),
            Err(_) => panic!("no memory to watch the slots"),
        }
    }
}
