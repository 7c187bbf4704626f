//! The objects of a replay, in a few sizes.

/// An object of this many words, all of which are written when it is made.
#[derive(Debug)]
pub(super) struct Object<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for Object<WORDS> {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

/// The requirements of a replay on an object.
pub(super) trait Value: Default + 'static {
    fn new(number: u64) -> Self;
    /// Turns an existing object into another: writes what differs, as the next user of a recycled object does.
    fn renew(&mut self, number: u64);
    /// The number, if the object is intact.
    fn number(&self) -> u64;
    /// Reads and writes the object, as a game's tick does, and returns its number.
    fn visit(&mut self) -> u64;
}

impl<const WORDS: usize> Value for Object<WORDS> {
    #[inline(always)]
    fn new(number: u64) -> Self {
        Self([number; WORDS])
    }

    #[inline(always)]
    fn renew(&mut self, number: u64) {
        self.0[0] = number;
        self.0[WORDS - 1] = number;
    }

    #[inline(always)]
    fn number(&self) -> u64 {
        // Differs from the number if the two words differ.
        self.0[0] | (self.0[0] ^ self.0[WORDS - 1]) << 32
    }

    #[inline(always)]
    fn visit(&mut self) -> u64 {
        let number = self.number();
        self.0[0] = number;
        number
    }
}

/// The sizes in bytes: 16 × 2^k; the last is also for all larger objects.
pub(crate) const SIZES: [usize; 9] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/// The index of the size for this many bytes; the last for all larger objects.
pub(super) fn size_of_bytes(bytes: u64) -> u8 {
    let fits = SIZES.iter().position(|&size| bytes <= size as u64);
    fits.unwrap_or(SIZES.len() - 1) as u8
}
