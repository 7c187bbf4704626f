//! Who takes part, each called directly, so that all are in one process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{NonNull, null_mut};

use millpond_memory::SizeClasses;

use crate::contender::Kind;

/// Something that gives memory and takes it back.
pub(crate) trait Allocator: 'static {
    /// As in the tables.
    const NAME: &'static str;
    const KIND: Kind;

    fn new() -> Self;

    /// Null if there is no memory.
    fn allocate(&mut self, layout: Layout) -> *mut u8;

    /// # Safety
    ///
    /// The memory was allocated here with this layout, and is not used any more.
    unsafe fn deallocate(&mut self, memory: *mut u8, layout: Layout);

    /// Everything was given back.
    fn end_lap(&mut self) {}
}

/// Something that is done with every allocator's type.
pub(crate) trait Visitor {
    fn visit<A: Allocator>(&mut self);
}

/// Shows every allocator to `visitor`, in the order of the tables.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<Classes<512>>();
    visitor.visit::<Classes<1024>>();
    visitor.visit::<Planned>();
    visitor.visit::<Global<System>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<Global<mimalloc::MiMalloc>>();
    #[cfg(feature = "allocators")]
    visitor.visit::<Global<tikv_jemallocator::Jemalloc>>();
    visitor.visit::<Bump>();
}

/// `SizeClasses` that grows, with classes up to so many bytes; the rest goes to the system's `malloc`.
pub(crate) struct Classes<const BYTES_MAX: usize>(SizeClasses);

/// The same with what `millpond plan --size-classes --headroom 0` says, all of it reserved.
pub(crate) struct Planned(SizeClasses);

/// Bytes and slots of each class.
const PLANNED: [(usize, usize); 12] = [
    (16, 865),
    (32, 17_361),
    (48, 11_558),
    (64, 6_140),
    (80, 1_486),
    (96, 4_329),
    (112, 593),
    (160, 605),
    (176, 644),
    (256, 152),
    (368, 84),
    (512, 828),
];

#[inline(always)]
fn allocate(memory: &SizeClasses, layout: Layout) -> *mut u8 {
    memory.allocate(layout).map_or(null_mut(), |memory| memory.as_ptr().cast())
}

/// # Safety
///
/// As for [`Allocator::deallocate`].
#[inline(always)]
unsafe fn deallocate(classes: &SizeClasses, memory: *mut u8, layout: Layout) {
    if let Some(memory) = NonNull::new(memory) {
        // SAFETY: the caller's contract.
        unsafe { classes.deallocate(memory, layout) };
    }
}

impl<const BYTES_MAX: usize> Allocator for Classes<BYTES_MAX> {
    const NAME: &'static str = match BYTES_MAX {
        512 => super::OWN,
        _ => "SizeClasses, up to 1024 bytes",
    };
    const KIND: Kind = Kind::Millpond;

    fn new() -> Self {
        Self(SizeClasses::builder().classes_up_to(BYTES_MAX).build())
    }

    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        allocate(&self.0, layout)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { deallocate(&self.0, memory, layout) };
    }
}

impl Allocator for Planned {
    const NAME: &'static str = "SizeClasses, as planned";
    const KIND: Kind = Kind::Millpond;

    fn new() -> Self {
        Self(SizeClasses::builder().classes(PLANNED).build())
    }

    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        allocate(&self.0, layout)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { deallocate(&self.0, memory, layout) };
    }
}

/// A program's whole allocator.
pub(crate) struct Global<A>(A);

/// An allocator without state of its own, and its name in the tables.
pub(crate) trait Named: GlobalAlloc + 'static {
    const NAME: &'static str;
    const IT: Self;
}

impl Named for System {
    const NAME: &'static str = if cfg!(target_env = "gnu") { "glibc" } else { "system" };
    const IT: Self = System;
}

#[cfg(feature = "allocators")]
impl Named for mimalloc::MiMalloc {
    const NAME: &'static str = "mimalloc";
    const IT: Self = mimalloc::MiMalloc;
}

#[cfg(feature = "allocators")]
impl Named for tikv_jemallocator::Jemalloc {
    const NAME: &'static str = "jemalloc";
    const IT: Self = tikv_jemallocator::Jemalloc;
}

impl<A: Named> Allocator for Global<A> {
    const NAME: &'static str = A::NAME;
    const KIND: Kind = Kind::Allocator;

    fn new() -> Self {
        Self(A::IT)
    }

    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: nothing in the trace has a size of 0.
        unsafe { self.0.alloc(layout) }
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { self.0.dealloc(memory, layout) };
    }
}

/// bumpalo: gives nothing back before the lap's end.
pub(crate) struct Bump(bumpalo::Bump);

impl Allocator for Bump {
    const NAME: &'static str = "bumpalo";
    const KIND: Kind = Kind::Arena;

    fn new() -> Self {
        Self(bumpalo::Bump::new())
    }

    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        self.0.try_alloc_layout(layout).map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, _memory: *mut u8, _layout: Layout) {}

    fn end_lap(&mut self) {
        self.0.reset();
    }
}
