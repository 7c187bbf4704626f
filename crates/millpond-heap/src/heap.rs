//! The allocator that forwards every call to another one, and reports it to the recorder.
//!
//! Invariant: the inner allocator's results are returned unchanged, and every call reaches it with
//! the caller's arguments. So the contract of [`GlobalAlloc`] holds because it holds for the inner
//! allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::path::Path;

use crate::recorder::{BYTES_MAX_DEFAULT, Recorder, Recording};

/// A global allocator that can record its calls.
pub struct Heap<A = System> {
    inner: A,
    recorder: Recorder,
}

impl<A> std::fmt::Debug for Heap<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heap").finish_non_exhaustive()
    }
}

impl Heap {
    /// Creates a heap on the system's allocator.
    #[must_use]
    pub const fn system() -> Self {
        Self::on(System)
    }
}

impl<A> Heap<A> {
    /// Creates a heap on another allocator.
    pub const fn on(inner: A) -> Self {
        Self { inner, recorder: Recorder::new() }
    }

    /// Records into the file at `path` until the [`Recording`] is dropped or the program exits. The
    /// file grows to at most 1 GiB.
    ///
    /// # Errors
    /// If the file cannot be created, or exists and is not a recording of this crate, which would be
    /// lost; if this process is already recording, or was forked by one that was recording at that
    /// time.
    pub fn record(&'static self, path: impl AsRef<Path>) -> io::Result<Recording> {
        self.record_up_to(path, BYTES_MAX_DEFAULT)
    }

    /// Like [`record`](Self::record), with another limit for the file. Nothing is recorded after
    /// the limit is reached.
    ///
    /// # Errors
    /// If the file cannot be created, or exists and is not a recording of this crate, which would be
    /// lost; if this process is already recording, or was forked by one that was recording at that
    /// time.
    pub fn record_up_to(
        &'static self,
        path: impl AsRef<Path>,
        bytes_max: u64,
    ) -> io::Result<Recording> {
        self.recorder.start(path.as_ref(), bytes_max)
    }
}

// SAFETY: see the invariant of this module. The recorder neither allocates from this heap nor panics
// while it records, and touches no memory that the inner allocator gave out.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Heap<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract for this layout.
        let block = unsafe { self.inner.alloc(layout) };
        if self.recorder.is_on() {
            self.recorder.birth(block.addr(), layout.size());
        }
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract for this layout.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if self.recorder.is_on() {
            self.recorder.birth(block.addr(), layout.size());
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Told before: another thread may be given the block as soon as it is free.
        if self.recorder.is_on() {
            self.recorder.death(block.addr());
        }
        // SAFETY: the caller got the block from this heap with this layout, so from the inner allocator.
        unsafe { self.inner.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let resize = || {
            // SAFETY: the caller got the block from this heap with this layout, so from the inner allocator,
            // and keeps the contract for the new size. It is called once.
            unsafe { self.inner.realloc(block, layout, new_size) }
        };
        if self.recorder.is_on() {
            return self.recorder.resize(block.addr(), new_size, resize);
        }
        resize()
    }
}
