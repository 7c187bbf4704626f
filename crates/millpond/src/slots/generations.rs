use crate::handle::Word;
use crate::slots::Circle;

/// Where the generations of a pool's slots begin, and how many lifetimes each slot has.
///
/// For tools that show or count lifetimes: a pool with a [name](crate::PoolBuilder::name) begins
/// at a generation of its own, so that a generation alone does not say how much of a slot is used up.
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
    /// The largest of the handle layout, after which 1 comes.
    max: u32,
    lifetimes_max: u32,
}

impl Generations {
    pub(crate) fn of<W: Word>(circle: &Circle<W>) -> Self {
        Self {
            first: circle.start.generation(),
            max: circle.max.generation(),
            lifetimes_max: circle.age(circle.last) + 1,
        }
    }

    /// The generation of every slot's first lifetime: 1, or what follows from the pool's name and salt.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// How many lifetimes a slot has before it retires or, in a pool that
    /// [wraps](crate::PoolBuilder::wrap), begins again.
    #[must_use]
    pub fn lifetimes_max(self) -> u32 {
        self.lifetimes_max
    }

    /// Which lifetime of its slot a handle of this generation names, counted from 1. In a pool that wraps:
    /// since the slot began again. The generation is one that the pool has issued.
    #[must_use]
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
    fn lifetimes_are_counted_around_the_circle() {
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
