//! Memory of pools: the program's own, of its functions, or of the C library.

use core::alloc::Layout;
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use crate::callbacks::{Give, c_free, c_give_zeroed, c_take, c_take_zeroed};
use crate::options::{Options, UNTOUCHED};
use crate::status::Status;

/// Blocks are aligned to cache lines at least.
pub(crate) const BLOCK_ALIGN: usize = 64;

/// Memory of a pool: goes back when it is dropped.
pub(crate) struct Block {
    pub(crate) start: NonNull<u8>,
    layout: Layout,
    pub(crate) give: Option<Give>,
    user: *mut c_void,
    /// How many bytes go back; 0 if none.
    pub(crate) bytes: usize,
}

impl Block {
    /// With [`UNTOUCHED`], all bytes are 0.
    pub(crate) fn take(options: &Options, layout: Layout) -> Result<Self, Status> {
        let (user, give) = (options.user, options.give);
        if let Some(memory) = NonNull::new(options.memory.cast::<u8>()) {
            let skipped = memory.align_offset(layout.align());
            let is_range = memory.addr().checked_add(options.memory_bytes).is_some();
            if !is_range || skipped.saturating_add(layout.size()) > options.memory_bytes {
                return Err(Status::SMALL_MEMORY);
            }
            // SAFETY: the caller's memory has more bytes.
            let start = unsafe { memory.add(skipped) };
            return Ok(Self { start, layout, give: None, user, bytes: 0 });
        }
        if layout.size() == 0 {
            // The arrays of a pool that grows and has no slots yet.
            let start = NonNull::new(ptr::without_provenance_mut(layout.align()));
            let start = start.ok_or(Status::BAD_OPTIONS)?;
            return Ok(Self { start, layout, give: None, user, bytes: 0 });
        }
        let (taken, give) = match options.take {
            // SAFETY: the caller's function, with what it was given for it.
            Some(take) => (unsafe { take(layout.size(), layout.align(), user) }, give),
            None if options.flags & UNTOUCHED != 0 => {
                (c_take_zeroed(layout), Some(c_give_zeroed as Give))
            }
            None => (c_take(layout), None),
        };
        let start = NonNull::new(taken.cast::<u8>()).ok_or(Status::OUT_OF_MEMORY)?;
        let block = Self { start, layout, give, user, bytes: layout.size() };
        match start.align_offset(layout.align()) {
            0 => Ok(block),
            _ => Err(Status::BAD_OPTIONS),
        }
    }

    /// The pool that was built in it gives it back.
    pub(crate) fn keep(self) {
        let _ = ManuallyDrop::new(self);
    }

    /// Gives back the block of a pool that has gone, with values of this alignment.
    ///
    /// # Safety
    ///
    /// The block was [taken](Self::take) and [kept](Self::keep) with the same arguments, and nobody uses it any more.
    pub(crate) unsafe fn give_back(
        start: NonNull<u8>,
        (bytes, value_align): (usize, u32),
        (give, user): (Option<Give>, *mut c_void),
    ) {
        let layout = Layout::from_size_align(bytes, (value_align as usize).max(BLOCK_ALIGN));
        if let (Ok(layout), true) = (layout, bytes > 0) {
            drop(Self { start, layout, give, user, bytes });
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let memory = self.start.as_ptr().cast::<c_void>();
        match self.give {
            // SAFETY: what `take` gave goes back to its counterpart, once.
            Some(give) => unsafe { give(memory, self.bytes, self.layout.align(), self.user) },
            // SAFETY: it came from the C library.
            None => unsafe { c_free(memory) },
        }
    }
}
