use core::cell::Cell;

use super::block::{Block, Links};

/// A list of blocks, linked both ways through their headers.
#[derive(Debug, Default)]
pub(super) struct BlockList {
    first: Cell<Option<Block>>,
}

impl BlockList {
    #[inline]
    pub(super) fn first(&self) -> Option<Block> {
        self.first.get()
    }

    #[inline]
    pub(super) fn next(&self, block: Block) -> Option<Block> {
        block.links().get().next
    }

    /// Puts a block that is in no such list at the front.
    #[inline]
    pub(super) fn push(&self, block: Block) {
        self.put_between(None, block, self.first());
    }

    /// Puts a block that is in no such list behind the first, or at the front of an empty list.
    #[inline]
    pub(super) fn push_second(&self, block: Block) {
        let first = self.first();
        self.put_between(first, block, first.and_then(|first| self.next(first)));
    }

    #[inline]
    fn put_between(&self, previous: Option<Block>, block: Block, next: Option<Block>) {
        block.links().set(Links { next, previous });
        self.set_next(previous, Some(block));
        self.set_previous(next, Some(block));
    }

    /// Removes a block that is in this list.
    #[inline]
    pub(super) fn remove(&self, block: Block) {
        let Links { next, previous } = block.links().take();
        self.set_next(previous, next);
        self.set_previous(next, previous);
    }

    /// Removes the first block.
    #[inline]
    pub(super) fn pop(&self) -> Option<Block> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    /// What comes after a block, or first.
    #[inline]
    fn set_next(&self, block: Option<Block>, next: Option<Block>) {
        match block {
            Some(block) => {
                let links = block.links();
                links.set(Links { next, ..links.get() });
            }
            None => self.first.set(next),
        }
    }

    #[inline]
    fn set_previous(&self, block: Option<Block>, previous: Option<Block>) {
        if let Some(block) = block {
            let links = block.links();
            links.set(Links { previous, ..links.get() });
        }
    }
}
