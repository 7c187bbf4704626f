//! The slots of a pool that is read.

use core::alloc::Layout;

use crate::handle::HandleLayout;
use crate::pools::settings::Settings;
use crate::pools::unused::UnusedSlots;
use crate::slots::Block;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::Checked;
use crate::snapshot::format::Refused;

/// The most addresses of a pool that was read and some of whose slots its file does not list: they are untouched. Where a
/// system that provides memory page by page is unlikely, or has few addresses, it is as much as a program may well have.
const UNLISTED_BYTES_MAX: usize =
    if cfg!(all(any(unix, windows), target_pointer_width = "64")) { 2 << 30 } else { 64 << 20 };

/// The slots of a pool that is read, into which it loads the state: untouched, if its file does not list them all.
#[inline(never)]
pub(super) fn slots_to_load<R: ReuseOrder, L: HandleLayout>(
    state: &Checked<L::Word>,
    value: Layout,
) -> Result<UnusedSlots<R, L>, Refused> {
    let (capacity, listed) = (state.slots, state.words.len());
    let settings = Settings::of_capacity(capacity);
    let bytes = settings.layout::<R, L>(value).map_or(usize::MAX, |layout| layout.size());
    if listed < capacity && bytes > UNLISTED_BYTES_MAX {
        return Err(Refused::unlisted(capacity, listed, UNLISTED_BYTES_MAX));
    }
    let make = if listed < capacity { Block::try_untouched } else { Block::try_new };
    settings.slots(value, make).map_err(|_| Refused::out_of_memory(capacity))
}
