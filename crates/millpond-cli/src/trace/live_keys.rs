//! Small numbers for the objects that are alive.

use super::LIVE_MAX;

/// Gives out the smallest possible range of keys: a dead object's key is used again.
#[derive(Debug, Default)]
pub(super) struct LiveKeys {
    dead: Vec<u32>,
    issued: u32,
}

impl LiveKeys {
    /// A key that nobody has; why not, if too many objects are alive.
    #[inline]
    pub(super) fn take(&mut self) -> Result<u32, String> {
        if let Some(key) = self.dead.pop() {
            return Ok(key);
        }
        if self.issued == LIVE_MAX {
            return Err(format!("more than {LIVE_MAX} objects are alive at once"));
        }
        self.issued += 1;
        Ok(self.issued - 1)
    }

    /// Takes back the key of an object that has died.
    #[inline]
    pub(super) fn give_back(&mut self, key: u32) {
        self.dead.push(key);
    }
}
