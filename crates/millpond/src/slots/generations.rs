use crate::handle::{HandleLayout, Word};
use crate::slots::GenerationCycle;

/// The first generation of a pool's slots, and the number of lifetimes of each slot.
///
/// This is for tools that show or count lifetimes: a pool with a [name](crate::PoolBuilder::name)
/// begins at its own generation, so that a generation alone does not show how many of a slot's
/// lifetimes are used up.
///
/// ```
/// use millpond::Pool;
///
/// let mut sparks = Pool::builder().capacity(1).name("sparks").build();
/// let first = sparks.insert("red").unwrap();
/// sparks.remove(first);
/// let second = sparks.insert("blue").unwrap();
///
/// let generations = sparks.generations();
/// assert_eq!(generations.first(), first.generation());
/// assert_eq!(generations.lifetime(second.generation()), 2);
/// assert_eq!(generations.lifetimes_max(), 2_147_483_647);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generations {
    first: u32,
    /// The largest generation, after which 1 comes.
    max: u32,
    lifetimes_max: u32,
}

impl Generations {
    pub(crate) fn of<H: HandleLayout>(cycle: &GenerationCycle<H>) -> Self {
        Self {
            first: cycle.start().generation(),
            max: cycle.largest().generation(),
            lifetimes_max: cycle.count(),
        }
    }

    /// Returns the generation of every slot's first lifetime: 1, or a number computed from the
    /// pool's name and salt.
    #[must_use]
    #[inline]
    pub fn first(self) -> u32 {
        self.first
    }

    /// Returns how many lifetimes a slot has before it retires or, in a pool that
    /// [wraps](crate::PoolBuilder::wrap), starts again.
    #[must_use]
    #[inline]
    pub fn lifetimes_max(self) -> u32 {
        self.lifetimes_max
    }

    /// Returns which lifetime of its slot a handle of this `generation` names, counted from 1; in a
    /// pool that wraps, since the slot last started again. The pool must have issued `generation`.
    #[must_use]
    #[inline]
    pub fn lifetime(self, generation: u32) -> u32 {
        let before = match generation.checked_sub(self.first) {
            Some(before) => before,
            None => (self.max - self.first).saturating_add(generation),
        };
        before.saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use crate::Handle32;
    use crate::HandleLayout;
    use crate::pools::pool::Pool;

    #[test]
    fn lifetimes_are_counted_around_the_cycle() {
        type Short = Handle32<u8, 24>;
        for name in ["a", "b", "c", "d"] {
            let mut pool = Pool::<u8>::builder()
                .capacity(1)
                .handle::<Short>()
                .name(name)
                .lifetimes(200)
                .build();
            let generations = pool.generations();
            assert_eq!(generations.lifetimes_max(), 200);
            for lifetime in 1..=200 {
                let handle = pool.insert(0).unwrap();
                assert_eq!(generations.lifetime(handle.generation()), lifetime);
                pool.remove(handle);
            }
            assert!(pool.insert(0).is_err());
        }
        assert_eq!(Pool::<u8>::new(1).generations().lifetimes_max(), u32::MAX >> 1);
        let no_limit = Pool::<u8>::builder().capacity(1).handle::<Short>().build();
        assert_eq!(no_limit.generations().lifetimes_max(), Short::LIFETIMES_MAX);
    }
}
