//! Small numbers for live objects.

use super::LIVE_MAX;

/// Assigns keys from the smallest possible range: a dead object's key is reused.
#[derive(Debug, Default)]
pub(super) struct LiveKeys {
    dead: Vec<u32>,
    issued: u32,
}

impl LiveKeys {
    /// A free key; the reason if too many objects are alive.
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

    /// Frees the key of a dead object.
    #[inline]
    pub(super) fn give_back(&mut self, key: u32) {
        self.dead.push(key);
    }
}
