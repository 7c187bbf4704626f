//! The objects that the contenders hold: 16, 64 or 256 bytes, plain numbers, no niche.

/// What a contender can hold. `Copy`, because objects of games mostly are plain data, and because it
/// keeps every contender's `clear` free of drop loops; `Default` for those whose slots always hold a value.
pub(crate) trait Value: Copy + Default + 'static {}

impl<T: Copy + Default + 'static> Value for T {}

/// An object with the fields that the works use, and a payload behind them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Object<const PAYLOAD_WORDS: usize> {
    /// Where it is; starts as the number under which it was made.
    x: u32,
    y: u32,
    step: u32,
    /// Frames left to live (particles), or the frame of twenty in which it dies (retain).
    pub(crate) life: u32,
    payload: [u32; PAYLOAD_WORDS],
}

/// 16 bytes: a particle.
pub(crate) type Small = Object<0>;
/// 64 bytes, one cache line: a bullet, a sound, a component.
pub(crate) type Medium = Object<12>;
/// 256 bytes: an actor.
pub(crate) type Large = Object<60>;

impl<const PAYLOAD_WORDS: usize> Default for Object<PAYLOAD_WORDS> {
    fn default() -> Self {
        Self { x: 0, y: 0, step: 0, life: 0, payload: [0; PAYLOAD_WORDS] }
    }
}

impl<const PAYLOAD_WORDS: usize> Object<PAYLOAD_WORDS> {
    /// The `number`th object that a work makes: the same for every contender.
    #[inline(always)]
    pub(crate) fn new(number: u32) -> Self {
        let life = number.wrapping_mul(0x9E37_79B1) >> 16;
        Self { x: number, y: !number, step: 1, life, payload: [number; PAYLOAD_WORDS] }
    }

    /// The value that checksums are made of.
    #[inline(always)]
    pub(crate) fn x(&self) -> u32 {
        self.x
    }

    /// One frame of movement.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.x = self.x.wrapping_add(self.step);
        self.y = self.y.wrapping_sub(self.step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_the_sizes_that_the_tables_name() {
        assert_eq!(size_of::<Small>(), 16);
        assert_eq!(size_of::<Medium>(), 64);
        assert_eq!(size_of::<Large>(), 256);
    }
}
