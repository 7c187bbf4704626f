//! Where an object was inserted, in a cell that threads may share.
//!
//! # Invariant
//!
//! The pointer in a cell is null, or comes from a `&'static Location`.

use core::panic::Location;
use core::ptr::{from_ref, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

#[derive(Debug, Default)]
pub(super) struct OriginCell(AtomicPtr<Location<'static>>);

impl OriginCell {
    pub(super) fn set(&self, place: Option<&'static Location<'static>>) {
        self.0.store(place.map_or(null_mut(), |place| from_ref(place).cast_mut()), Relaxed);
    }

    pub(super) fn get(&self) -> Option<&'static Location<'static>> {
        // SAFETY: null, or a static location (invariant), which is never written.
        unsafe { self.0.load(Relaxed).as_ref() }
    }
}

impl Clone for OriginCell {
    fn clone(&self) -> Self {
        Self(AtomicPtr::new(self.0.load(Relaxed)))
    }
}
