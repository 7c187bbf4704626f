use crate::circle::Circle;
use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;
use crate::pool::{KeptWords, Pool};
use crate::reuse::ReuseOrder;

/// A block of slots: a pool of its own, whose indices count from the block's first slot.
///
/// A block that is given back leaves its slots' words behind, so that a handle which was stale before
/// stays so when the block is taken again.
#[allow(clippy::large_enum_variant, reason = "a block is there as a rule, and is looked at often")]
#[derive(Clone)]
pub(super) enum Block<T, R: ReuseOrder, H: HandleLayout> {
    /// It was never taken.
    Unused,
    /// It is there.
    Taken(Pool<T, R, H>),
    /// It was taken once, and given back.
    GivenBack(KeptWords<H::Word, R>),
}

impl<T, R: ReuseOrder, H: HandleLayout> Block<T, R, H> {
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
        let (taken, result) = match core::mem::replace(self, Block::Unused) {
            Block::Unused => match Pool::try_of(circle, name, slots) {
                Ok(pool) => (Block::Taken(pool), Ok(())),
                Err(error) => (Block::Unused, Err(error)),
            },
            Block::GivenBack(words) => match Pool::try_continue(words, name) {
                Ok(pool) => (Block::Taken(pool), Ok(())),
                Err(words) => (Block::GivenBack(words), Err(OutOfMemory)),
            },
            taken @ Block::Taken(_) => (taken, Ok(())),
        };
        *self = taken;
        result
    }

    /// Gives back the memory of a block without values. `false` if it is not there, or has values.
    pub(super) fn give_back(&mut self) -> bool {
        if self.pool().is_none_or(|pool| !pool.is_empty()) {
            return false;
        }
        if let Block::Taken(pool) = core::mem::replace(self, Block::Unused) {
            *self = Block::GivenBack(pool.into_kept_words());
        }
        true
    }
}
