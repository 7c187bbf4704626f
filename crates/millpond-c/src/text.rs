//! Text in a buffer of the caller's.
//!
//! # Invariant
//!
//! From `start` on there are `room` bytes that may be written, and `len` counts the bytes of the whole text, of which
//! those that fit in front of a closing 0 were written.

use core::ffi::c_char;
use core::fmt::{self, Write};

struct Text {
    start: *mut u8,
    room: usize,
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = self.room.saturating_sub(self.len + 1).min(text.len());
        if left > 0 {
            // SAFETY: `len + left` is below `room`.
            let to = unsafe { self.start.add(self.len) };
            // SAFETY: as many bytes may be written from there on, and no text of ours lies in the caller's buffer.
            unsafe { to.copy_from_nonoverlapping(text.as_ptr(), left) };
        }
        self.len = self.len.saturating_add(text.len());
        Ok(())
    }
}

/// Writes as much as fits, and a 0 behind it. Gives the length of the whole, as `snprintf` does.
///
/// # Safety
///
/// `start` is null, or there are `room` bytes that may be written.
pub(crate) unsafe fn write_text(start: *mut c_char, room: usize, text: &dyn fmt::Display) -> usize {
    let room = if start.is_null() { 0 } else { room };
    let mut out = Text { start: start.cast(), room, len: 0 };
    // It never fails.
    let _ = write!(out, "{text}");
    if room > 0 {
        // SAFETY: the place is within the buffer.
        let end = unsafe { start.add(out.len.min(room - 1)) };
        // SAFETY: as above.
        unsafe { end.write(0) };
    }
    out.len
}
