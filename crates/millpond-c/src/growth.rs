//! What a pool that grows knows of it; the module `growing` has how it grows.

use core::ptr::NonNull;

use millpond::reuse::ReuseOrder;

use crate::block::Block;
use crate::callbacks::Move;
use crate::face::Goal;
use crate::head::Head;
use crate::options::Checked;
use crate::orders::Slots;
use crate::status::Status;

/// How slots take on a state; on an error, nothing happens.
pub(crate) type TakeOn<'a, R> = &'a mut dyn FnMut(&mut Slots<R>) -> Result<(), Status>;

/// Of a pool that grows. The functions' contract: the head is that of this pool, which nobody else uses meanwhile.
pub(crate) struct Growth<R: ReuseOrder> {
    /// Those that it was created with, without the name. The limit is what its handles can name, or less.
    pub(crate) options: Checked<'static>,
    /// The arrays of the slots, in the layout for as many as there are.
    pub(crate) arrays: Block,
    /// How the program moves values; null: as bytes.
    pub(crate) mover: Option<Move>,
    pub(crate) grow: unsafe fn(NonNull<Head>, Goal) -> Result<(), Status>,
    pub(crate) replace: unsafe fn(NonNull<Head>, usize, TakeOn<'_, R>) -> Result<(), Status>,
}

impl<R: ReuseOrder> Growth<R> {
    pub(crate) fn slots_max(&self) -> usize {
        self.options.raw.slots_max as usize
    }

    /// The options of a pool with so many slots.
    pub(crate) fn options_of(&self, slots: usize) -> Checked<'static> {
        let mut options = self.options;
        options.raw.slots = u32::try_from(slots).unwrap_or(u32::MAX);
        options
    }
}
