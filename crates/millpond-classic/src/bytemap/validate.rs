//! The invariants of a byte-map pool.

use super::{BytemapPool, FREE};
use millpond::__parts::checks::ensure;
use millpond::validate::Violation;

impl<T> BytemapPool<T> {
    /// Checks every invariant: the live and the retired slots are as many as are counted, and the
    /// cursor is in range. O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        let live = self.bytes().iter().filter(|byte| **byte & FREE == 0).count();
        ensure(
            live == self.len(),
            "the live slots are counted",
            format_args!("{live} are live, {} are counted", self.len()),
        )?;
        let retired = (0..self.capacity()).filter(|&index| self.is_retired(index)).count();
        ensure(
            retired == self.retired,
            "the slots that were given up are counted",
            format_args!("{retired} were given up, {} are counted", self.retired),
        )?;
        ensure(
            (-1..=self.capacity() as i32).contains(&self.cursor),
            "the cursor is at a slot, before the first or after the last",
            format_args!("{} of {}", self.cursor, self.capacity()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut BytemapPool<u8>)| {
            let mut pool = BytemapPool::retiring(3);
            let handle = pool.insert(0).unwrap();
            let _ = pool.insert(1).unwrap();
            pool.remove(handle);
            pool.validate().unwrap();
            change(&mut pool);
            pool.validate().unwrap_err().rule()
        };
        let given_up = "the slots that were given up are counted";
        assert_eq!(broken(|pool| pool.retired = 2), given_up);
        assert_eq!(broken(|pool| pool.retired = 1), given_up);
        let cursor = "the cursor is at a slot, before the first or after the last";
        assert_eq!(broken(|pool| pool.cursor = 4), cursor);
        assert_eq!(broken(|pool| pool.cursor = -2), cursor);
    }
}
