use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;
use crate::pool::{KeptWords, Pool};
use crate::reuse::ReuseOrder;
use crate::slots::Circle;

/// A block of slots: a pool of its own, whose indices count from the block's first slot.
///
/// A block that is given back leaves its slots' words behind, so that a handle which was stale before
/// stays so when the block is taken again.
#[allow(clippy::large_enum_variant, reason = "a block is there as a rule, and is looked at often")]
pub(super) enum Block<T, R: ReuseOrder, H: HandleLayout> {
    /// It was never taken.
    Unused,
    /// It is there.
    Taken(Pool<T, R, H>),
    /// It was taken once, and given back.
    GivenBack(KeptWords<H::Word>),
}

impl<T, R: ReuseOrder, H: HandleLayout> Block<T, R, H> {
    /// A block with the same values and words.
    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory>
    where
        T: Clone,
    {
        Ok(match self {
            Block::Unused => Block::Unused,
            Block::Taken(pool) => Block::Taken(pool.clone()),
            Block::GivenBack(words) => Block::GivenBack(words.try_clone()?),
        })
    }

    #[inline]
    pub(super) fn pool(&self) -> Option<&Pool<T, R, H>> {
        match self {
            Block::Taken(pool) => Some(pool),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn pool_mut(&mut self) -> Option<&mut Pool<T, R, H>> {
        match self {
            Block::Taken(pool) => Some(pool),
            _ => None,
        }
    }

    /// How many values there are in it.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.pool().map_or(0, Pool::len)
    }

    /// Whether it has a slot for another value.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.pool().is_some_and(|pool| !pool.is_full())
    }

    /// How many of its slots are retired, whether it is there or not.
    pub(super) fn retired(&self) -> usize {
        match self {
            Block::Unused => 0,
            Block::Taken(pool) => pool.stats().retired,
            Block::GivenBack(words) => words.retired(),
        }
    }

    /// Whether it can be taken and would then have room.
    pub(super) fn is_takeable(&self) -> bool {
        match self {
            Block::Unused => true,
            Block::Taken(_) => false,
            Block::GivenBack(words) => words.retired() < words.slots(),
        }
    }

    /// Takes the memory of a block that is not there. If there is none, nothing has changed.
    pub(super) fn try_take(
        &mut self,
        slots: usize,
        circle: Circle<H::Word>,
        name: Option<&'static str>,
    ) -> Result<(), OutOfMemory> {
        let pool = match self {
            Block::Unused => Pool::try_of(circle, name, slots)?,
            Block::GivenBack(words) => Pool::try_continue(words, name)?,
            Block::Taken(_) => return Ok(()),
        };
        *self = Block::Taken(pool);
        Ok(())
    }

    /// Gives back the memory of a block without values, but for its words. `false` if it is not there, or has
    /// values, or there is no memory for the words.
    pub(super) fn give_back(&mut self) -> bool {
        let empty = self.pool().filter(|pool| pool.is_empty());
        let Some(Ok(words)) = empty.map(Pool::try_keep_words) else { return false };
        *self = Block::GivenBack(words);
        true
    }
}
