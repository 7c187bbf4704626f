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
    payload: [f32; PAYLOAD_WORDS],
}

/// The numbers that a large body moves, and the time that passes in a frame.
const STEPS: usize = 8;
const FRAME: f32 = 1.0 / 60.0;

/// 16 bytes: a particle.
pub(crate) type Small = Object<0>;
/// 64 bytes, one cache line: a bullet, a sound, a component.
pub(crate) type Medium = Object<12>;
/// 256 bytes: an actor.
pub(crate) type Large = Object<60>;

impl<const PAYLOAD_WORDS: usize> Default for Object<PAYLOAD_WORDS> {
    fn default() -> Self {
        Self { x: 0, y: 0, step: 0, life: 0, payload: [0.0; PAYLOAD_WORDS] }
    }
}

impl<const PAYLOAD_WORDS: usize> Object<PAYLOAD_WORDS> {
    /// The `number`th object that a work makes: the same for every contender.
    #[inline(always)]
    pub(crate) fn new(number: u32) -> Self {
        let life = number.wrapping_mul(0x9E37_79B1) >> 16;
        Self { x: number, y: !number, step: 1, life, payload: [number as f32; PAYLOAD_WORDS] }
    }

    /// The value that checksums are made of.
    #[inline(always)]
    pub(crate) fn x(&self) -> u32 {
        self.x
    }

    /// What a loop that only reads adds up.
    #[inline(always)]
    pub(crate) fn seen(&self) -> u64 {
        u64::from(self.x) + u64::from(self.y)
    }

    /// One frame of movement.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.x = self.x.wrapping_add(self.step);
        self.y = self.y.wrapping_sub(self.step);
    }

    /// One frame of a body as games have it: eight steps, if the payload has room for them. Compilers make other loops of
    /// it than of [`Self::advance`].
    #[inline(always)]
    pub(crate) fn advance_all(&mut self) {
        self.advance();
        let (moved, speeds) = self.payload.split_at_mut(PAYLOAD_WORDS / 2);
        for (moved, speed) in moved.iter_mut().zip(speeds).take(STEPS - 2) {
            *moved += *speed * FRAME;
        }
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
