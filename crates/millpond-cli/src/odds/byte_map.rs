//! The byte-map pool as far as its handles go: a byte a slot, a cursor, `index << 8 | byte`.

use super::simulation::Issuer;

/// Bit 7 of a slot's byte: the slot is free.
const FREE: u8 = 0x80;

/// The bytes of a byte-map pool.
pub(super) struct ByteMap {
    bytes: Vec<u8>,
    /// The slot that was taken last, or the free one before it.
    cursor: usize,
}

impl ByteMap {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            bytes: vec![FREE; slots],
            cursor: slots - 1,
        }
    }
}

impl Issuer for ByteMap {
    fn take(&mut self) -> Option<u64> {
        for _ in 0..self.bytes.len() {
            self.cursor = (self.cursor + 1) % self.bytes.len();
            let byte = &mut self.bytes[self.cursor];
            if *byte & FREE != 0 {
                *byte = (*byte & !FREE).wrapping_add(1) % FREE;
                return Some((self.cursor as u64) << 8 | u64::from(*byte));
            }
        }
        None
    }

    fn release(&mut self, handle: u64) {
        let slot = (handle >> 8) as usize;
        self.bytes[slot] |= FREE;
        self.cursor = self.cursor.min(slot);
    }
}
