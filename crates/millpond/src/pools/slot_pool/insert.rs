//! Insertion: in the slot that comes next, at a handle, or in place of another object.

use super::{CannotGrow, Growth, PoolPlace, SlotPool, Slotted};
use crate::handle::HandleLayout;
use crate::reports::errors::{Full, InsertAtError};
use crate::slots::CheckWord;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Moves `value` into a free slot and returns its handle. O(1); in the [reuse order](crate::reuse)
    /// `Lifo` amortised once `insert_at` is used. If no slot is free, a pool that grows does so.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(1);
    /// let handle = pool.insert("a").unwrap();
    /// let full = pool.insert("b").unwrap_err();
    /// assert_eq!(full.into_inner(), "b");
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full: no slot is free, and it cannot grow (it is at its limit, or [memory runs
    /// out](Full::is_out_of_memory)). The error returns `value`.
    #[doc(alias = "add")]
    #[doc(alias = "alloc")]
    #[doc(alias = "create")]
    #[doc(alias = "spawn")]
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    // Always inlined: as a call, the value would be written to the stack piece by piece and read back as a whole
    // before the pieces have arrived, a stall longer than all of the rest.
    #[inline(always)]
    #[track_caller]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        let inserted = storage.put_next(
            value,
            |storage| {
                let taken = Self::add_slot(storage, growth);
                taken.map_err(|cause| growth.refuse(cause, storage.slots_mut()))
            },
            |value, pool| Full { value, pool },
        );
        self.note_origin_of(&inserted);
        inserted
    }

    /// Like [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        let inserted = storage.put_next(
            value,
            |storage| Self::add_slot(storage, growth),
            |value, cause| (value, cause),
        );
        self.note_origin_of(&inserted);
        inserted
    }

    /// Makes room for an insertion, and takes the slot that then comes next out of the order.
    #[inline(always)]
    fn add_slot(
        storage: &mut Slotted<T, R, H::Erased, P>,
        growth: &mut G,
    ) -> Result<usize, CannotGrow> {
        // So that a pool that does not grow has nothing of this.
        if !G::GROWS {
            return Err(CannotGrow::AtLimit);
        }
        storage.lend_to_grow(|own| growth.add_slot(own))
    }

    /// A value was inserted here, if one was.
    #[inline(always)]
    #[track_caller]
    fn note_origin_of<E>(&self, inserted: &Result<H, E>) {
        if let Ok(handle) = inserted {
            self.note_origin(handle.index() as usize);
        }
    }

    /// Counts a refusal, and makes the error.
    #[cold]
    pub(crate) fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        Full { value, pool: self.growth.refuse(cause, self.storage.slots_mut()) }
    }

    /// The handle that comes next, after growth if necessary.
    #[inline]
    #[track_caller]
    pub(super) fn make_next_handle(&mut self) -> Result<H, CannotGrow> {
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        if let Some(handle) = storage.slots_mut().peek().map(H::from_erased) {
            return Ok(handle);
        }
        storage.lend_to_grow(|own| growth.make_room(own))?;
        Ok(H::from_erased(storage.slots_mut().peek().expect("there is room")))
    }

    /// Inserts at the handle that comes next; the pool is unchanged since it was asked.
    #[inline]
    #[track_caller]
    pub(in crate::pools) fn insert_peeked(&mut self, handle: H, value: T) {
        let (index, word) = self.storage.slots_mut().take_next().expect("there is room");
        debug_assert_eq!((index, word), (handle.index() as usize, handle.word()));
        self.storage.put(index, word, value);
        self.note_origin(index);
    }

    /// Inserts a value at a handle whose slot may have it by `check`, and is near those that are there, if it must be.
    #[track_caller]
    pub(super) fn insert_by(
        &mut self,
        check: CheckWord<H::Erased>,
        is_near: bool,
        handle: H,
        value: T,
    ) -> Result<H, InsertAtError<T>> {
        let Self { storage, growth, detached } = self;
        let index = handle.index() as usize;
        let reached = match index < storage.words().slots() {
            true => Ok(()),
            false => {
                storage.lend_to_grow(|own| growth.grow_up_to(handle.erase(), check, is_near, own))
            }
        };
        if reached.is_ok() {
            storage.inspect(index);
        }
        match reached.and_then(|()| storage.slots_mut().take_at(handle.erase(), check)) {
            Ok(index) => {
                self.storage.put(index, handle.word(), value);
                self.note_origin(index);
                Ok(handle)
            }
            Err(kind) => {
                let kind = detached.explain(handle.index(), kind);
                Err(self.error_at(handle, kind, value))
            }
        }
    }
}
