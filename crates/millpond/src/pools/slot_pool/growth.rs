//! Whether a pool gets more slots, and how.

use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::reports::errors::{FullPool, InsertAtErrorKind};
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, EntryOf, LedgerOf, Place, Slots};
use crate::values::Storage;

/// A place for the words of such handles, and for what such an order keeps: one block on the heap, or the pool itself. Sealed.
#[doc(hidden)]
pub trait PoolPlace<R: ReuseOrder, H: HandleLayout>:
    Place<Word = H::Word, Entry = EntryOf<R, H>>
{
}

impl<R, H, P> PoolPlace<R, H> for P
where
    R: ReuseOrder,
    H: HandleLayout,
    P: Place<Word = H::Word, Entry = EntryOf<R, H>>,
{
}

/// The storage of a pool with this order, and handles of this layout.
pub(crate) type Slotted<T, R, L, P> = Storage<T, P, LedgerOf<R, L>>;

/// Why an insertion finds no slot.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotGrow {
    AtLimit,
    OutOfMemory,
}

/// The slots of such a pool.
pub(crate) type SlotsOf<R, L, P> = Slots<P, LedgerOf<R, L>>;

/// Whether a pool gets more slots, and how; by default, it does not. With its place, that says which kind of pool it is. Sealed.
#[doc(hidden)]
pub trait Growth<T, R: ReuseOrder, L: HandleLayout, P: PoolPlace<R, L>>:
    SlotGrowth<R, L, P>
{
    /// The pool's name in the saved form.
    const KIND: &'static str;

    /// The parts of a pool that is read, to take on this state, as if never used.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    #[allow(clippy::type_complexity, reason = "a pair, or why not")]
    fn unused(
        state: &crate::slots::saved::Checked<L::Word>,
    ) -> Result<(Slotted<T, R, L, P>, Self), crate::snapshot::format::Refused>;

    /// Gives a pool as many slots as another has, whose state it is about to take on; the order is then out of date.
    fn become_like(
        &mut self,
        _storage: &mut Slotted<T, R, L, P>,
        _other: &Self,
        _other_storage: &Slotted<T, R, L, P>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }
}

/// What of [`Growth`] does not know the values, so that a program has it once.
///
/// Each method says what a pool with these slots does where there are no slots, or no more. `L` is the layout of the pool's
/// handles, [erased](HandleLayout::Erased). What changes the slots is called by way of
/// [`Storage::lend_to_grow`](crate::values::Storage).
#[doc(hidden)]
pub trait SlotGrowth<R: ReuseOrder, L: HandleLayout, P: PoolPlace<R, L>>: Clone {
    /// Whether it gets more slots, so that the saved form also has a limit, and how many of them exist.
    const GROWS: bool = false;

    /// The largest number of slots.
    #[inline]
    fn slots_max(&self, slots: &SlotsOf<R, L, P>) -> usize {
        slots.words().slots()
    }

    /// The number of slots that there may be but are not now, and that have not retired.
    #[inline]
    fn usable_beyond(&self, _slots: &SlotsOf<R, L, P>) -> usize {
        0
    }

    /// The number of slots that had retired when they were freed.
    #[inline]
    fn retired_beyond(&self) -> usize {
        0
    }

    /// Makes room for an insertion. On an error, nothing changes.
    #[inline(always)]
    fn make_room(&mut self, _slots: &mut SlotsOf<R, L, P>) -> Result<(), CannotGrow> {
        Err(CannotGrow::AtLimit)
    }

    /// Counts a refusal, and says what the pool is like.
    #[cold]
    fn refuse(&self, cause: CannotGrow, slots: &mut SlotsOf<R, L, P>) -> FullPool {
        let pool = slots.refuse().with_retired(self.retired_beyond());
        FullPool { out_of_memory: cause == CannotGrow::OutOfMemory, ..pool }
    }

    /// Makes room for an insertion, and takes the slot that then comes next out of the order.
    #[inline(always)]
    fn add_slot(&mut self, _slots: &mut SlotsOf<R, L, P>) -> Result<usize, CannotGrow> {
        Err(CannotGrow::AtLimit)
    }

    /// Makes sure that the handle's slot exists and can begin the handle's lifetime by `check`; `is_near`: unless it is far
    /// beyond the others. On an error, nothing changes.
    fn grow_up_to(
        &mut self,
        _handle: L,
        _check: CheckWord<L>,
        _is_near: bool,
        _slots: &mut SlotsOf<R, L, P>,
    ) -> Result<(), InsertAtErrorKind> {
        Err(InsertAtErrorKind::OutOfRange)
    }

    /// The word of a slot that exists, existed or may exist.
    #[inline]
    fn word_of(&self, index: usize, slots: &SlotsOf<R, L, P>) -> Option<L::Word> {
        slots.words().get(index)
    }

    /// The number of slots that exist or existed, as far as the pool knows.
    fn known(&self, slots: &SlotsOf<R, L, P>) -> usize {
        slots.words().slots()
    }

    /// Makes sure that there are this many slots, which the limit allows. On an error, nothing changes.
    fn make_slots(
        &mut self,
        _number: usize,
        _slots: &mut SlotsOf<R, L, P>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Knows the words of slots that existed and exist no more.
    fn set_former(&mut self, _words: &[L::Word]) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Checks what the pool knows of slots that are not there.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    fn validate(
        &self,
        _slots: &SlotsOf<R, L, P>,
    ) -> Result<(), crate::reports::validate::Violation> {
        Ok(())
    }
}

/// A pool that never gets more slots.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl<R: ReuseOrder, L: HandleLayout, P: PoolPlace<R, L>> SlotGrowth<R, L, P> for Fixed {}
