//! What the page's worker calls, and what it provides.
//!
//! The worker asks for room, writes a request there as JSON, and calls [`plan`]. The result is JSON again: an object
//! with the results, or with a `failure`. If there is no memory left, or if something panics, the module traps;
//! [`no_memory`] and [`result`] then say why.
//!
//! All of this runs on one thread, that of the worker.

#![allow(unsafe_code, reason = "calls across the border of the module")]
#![allow(unreachable_pub, reason = "the module exports them")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_size;
use std::cell::RefCell;
use std::io::{Error, Read};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use millpond_plan::clock;
use millpond_plan::error::Failure;
use millpond_plan::progress::Progress;
use serde::Serialize;

use crate::job::{self, Request};

mod host {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Reads at most `len` bytes of a file to `to`; how many, 0 at the end, or a negative number if the file cannot
        /// be read.
        pub(super) unsafe fn read_at(file: usize, offset: f64, to: *mut u8, len: usize) -> isize;
        /// Shows how far a reading is; a label is UTF-8.
        pub(super) unsafe fn progress(
            label: *const u8,
            len: usize,
            read: f64,
            all: f64,
            events: f64,
        );
        /// The time in milliseconds.
        pub(super) safe fn now() -> f64;
    }
}

/// The system's allocator, up to a limit. It notes that there is no memory left.
struct Limited;

/// The limit, in pages of the module's memory.
static PAGES_MAX: AtomicUsize = AtomicUsize::new(usize::MAX);
static NO_MEMORY: AtomicBool = AtomicBool::new(false);

const PAGE_BYTES: u64 = 1 << 16;

impl Limited {
    /// Whether the memory may grow by a block of this many bytes.
    fn has_room(bytes: usize) -> bool {
        // A small block is in pages that the memory has, or in the next one.
        memory_size(0).saturating_add(bytes >> 16) < PAGES_MAX.load(Ordering::Relaxed)
    }

    /// The block that `allocate` returns, or none beyond the limit.
    fn within(bytes: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
        let block = if Self::has_room(bytes) { allocate() } else { ptr::null_mut() };
        if block.is_null() {
            NO_MEMORY.store(true, Ordering::Relaxed);
        }
        block
    }
}

// SAFETY: every block is the system's, for the caller's arguments, or null.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        Self::within(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        Self::within(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        Self::within(bytes, || unsafe { System.realloc(block, layout, bytes) })
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

thread_local! {
    /// What passes the border: a request, then its result.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a request; returns where to write it.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// Carries out the request; returns where the result is. [`result_bytes`] says how long.
#[unsafe(no_mangle)]
pub extern "C" fn plan() -> *const u8 {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        TEXT.with(|cell| {
            if let Ok(mut cell) = cell.try_borrow_mut() {
                *cell = text.into_bytes();
            }
        });
    }));
    clock::set(|| Duration::from_secs_f64(host::now() / 1e3));
    let request = TEXT.take();
    let result = Request::from_json(&request).and_then(|request| {
        let pages_max = request.memory_bytes_max.map(|bytes| (bytes / PAGE_BYTES) as usize);
        PAGES_MAX.store(pages_max.unwrap_or(usize::MAX), Ordering::Relaxed);
        job::run(&request, show, Stored::open)
    });
    let json = match &result {
        Ok(results) => json(results),
        Err(failure) => json(&Failed {
            failure: failure.to_string(),
            is_check: matches!(failure, Failure::Check(_)),
        }),
    };
    TEXT.set(json);
    TEXT.with_borrow(|text| text.as_ptr())
}

/// How long the result is, or after a trap, the message of a panic.
#[unsafe(no_mangle)]
pub extern "C" fn result_bytes() -> usize {
    TEXT.with(|text| text.try_borrow().map_or(0, |text| text.len()))
}

/// Where the message of a panic is.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u8 {
    TEXT.with(|text| text.try_borrow().map_or(std::ptr::null(), |text| text.as_ptr()))
}

/// After a trap: 1 if there was no memory left, 0 if something panicked.
#[unsafe(no_mangle)]
pub extern "C" fn no_memory() -> u32 {
    NO_MEMORY.load(Ordering::Relaxed).into()
}

#[derive(Serialize)]
struct Failed {
    /// The command's line.
    failure: String,
    /// Whether a check failed that the plan made.
    is_check: bool,
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts become JSON")
}

/// A file of the page.
struct Stored {
    number: usize,
    offset: u64,
}

impl Stored {
    fn open(number: usize) -> Self {
        Self { number, offset: 0 }
    }
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // SAFETY: the buffer has room for as many bytes.
        let n = unsafe {
            host::read_at(self.number, self.offset as f64, buffer.as_mut_ptr(), buffer.len())
        };
        let n = usize::try_from(n)
            .map_err(|_| Error::other("the browser cannot read the file any more"))?;
        self.offset += n as u64;
        Ok(n.min(buffer.len()))
    }
}

/// Begins to show a reading on the page.
fn show(label: &str, bytes: u64) -> Box<dyn Progress> {
    let mut shown = Shown { label: label.to_owned(), bytes };
    shown.update(0, 0);
    Box::new(shown)
}

struct Shown {
    label: String,
    bytes: u64,
}

impl Progress for Shown {
    fn update(&mut self, bytes_read: u64, events: u64) {
        // SAFETY: the label is as long as that, and the host only reads it.
        unsafe {
            host::progress(
                self.label.as_ptr(),
                self.label.len(),
                bytes_read as f64,
                self.bytes as f64,
                events as f64,
            );
        }
    }
}
