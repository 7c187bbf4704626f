//! What the static library brings along in place of the standard library: the C library's memory, and an end for a
//! defect of our own, and for a write to a dead slot.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::panic::PanicInfo;

use crate::callbacks::{c_free, c_take};

struct CLibrary;

// SAFETY: the C library gives memory of its own, as large and as aligned as asked for.
unsafe impl GlobalAlloc for CLibrary {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        c_take(layout).cast()
    }

    unsafe fn dealloc(&self, memory: *mut u8, _layout: Layout) {
        // SAFETY: it came from `alloc`.
        unsafe { c_free(memory.cast::<c_void>()) };
    }
}

#[global_allocator]
static MEMORY: CLibrary = CLibrary;

const WORDS_BYTES: usize = 256;

/// Written only by the thread that ends the program.
#[repr(transparent)]
pub struct LastWords(UnsafeCell<[u8; WORDS_BYTES]>);

// SAFETY: see above; a second thread that panics at the same time can only mix up the text.
unsafe impl Sync for LastWords {}

/// See the header.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name that C sees")]
pub static mp_last_words: LastWords = LastWords(UnsafeCell::new([0; WORDS_BYTES]));

/// Writes as much as fits; the last byte stays 0.
struct Pen {
    at: usize,
}

impl Pen {
    fn write(&mut self, text: &[u8]) {
        for &byte in text {
            if self.at < WORDS_BYTES - 1 {
                // SAFETY: the place is within the array.
                let place = unsafe { mp_last_words.0.get().cast::<u8>().add(self.at) };
                // SAFETY: nobody else writes there.
                unsafe { place.write(byte) };
                self.at += 1;
            }
        }
    }

    fn write_number(&mut self, number: u32) {
        if number >= 10 {
            self.write_number(number / 10);
        }
        self.write(&[b'0' + (number % 10) as u8]);
    }
}

unsafe extern "C" {
    safe fn abort() -> !;

    /// Of the C library, to the file with this number.
    #[cfg_attr(windows, link_name = "_write")]
    fn write(file: c_int, bytes: *const c_void, count: Count) -> Written;
}

#[cfg(windows)]
type Count = u32;
#[cfg(not(windows))]
type Count = usize;
#[cfg(windows)]
type Written = i32;
#[cfg(not(windows))]
type Written = isize;

/// Says the last words on stderr, and ends the program.
fn end(pen: &Pen) -> ! {
    const STDERR: c_int = 2;
    for (bytes, count) in [(mp_last_words.0.get().cast_const().cast(), pen.at), (b"\n".as_ptr(), 1)]
    {
        // SAFETY: so many bytes are there. Whoever does not want to hear them loses nothing.
        let _ = unsafe { write(STDERR, bytes.cast(), count as Count) };
    }
    abort()
}

/// Ends the program, because it has written to a dead slot.
pub(crate) fn end_for_write_to_dead(slot: u32, byte: u32) -> ! {
    let mut pen = Pen { at: 0 };
    pen.write(b"millpond: slot ");
    pen.write_number(slot);
    pen.write(b" was written to while it was dead, at byte ");
    pen.write_number(byte);
    end(&pen)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // Where it happened says enough. The message would bring all of Rust's formatting into every program.
    let mut pen = Pen { at: 0 };
    pen.write(b"millpond: a defect at ");
    if let Some(place) = info.location() {
        pen.write(place.file().as_bytes());
        pen.write(b":");
        pen.write_number(place.line());
    }
    end(&pen)
}

/// The parts of Rust's own library that are made for unwinding name these two; here nothing ever unwinds. They stay
/// within the library's object.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> ! {
    abort()
}

/// As above. On Windows, each compiler's own library has it.
#[cfg(not(windows))]
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    abort()
}
