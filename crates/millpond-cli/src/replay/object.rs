//! The objects of a replay, in a few sizes.

/// An object of this many words, all of which its maker writes.
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
    /// Makes an object that stands there already into another: writes what tells them apart, as a
    /// recycled object's next user would.
    fn renew(&mut self, number: u64);
    /// The number, if the object is whole.
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
        // Not the number itself if the two differ.
        self.0[0] | (self.0[0] ^ self.0[WORDS - 1]) << 32
    }

    #[inline(always)]
    fn visit(&mut self) -> u64 {
        let number = self.number();
        self.0[0] = number;
        number
    }
}

/// The sizes in bytes that there are: 16 × 2^k, the last for all that is larger.
pub(crate) const SIZES: [usize; 9] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/// Which size an object of this many bytes has; the largest for all that is larger.
pub(super) fn size_of_bytes(bytes: u64) -> u8 {
    let fits = SIZES.iter().position(|&size| bytes <= size as u64);
    fits.unwrap_or(SIZES.len() - 1) as u8
}
