//! A pool seen as one whose values have to be cloned.

/// A pool seen as one whose values have to be cloned; has one method, `snapshot`.
///
/// A pool of values that are `Copy` has a method of that name itself, which takes all values at once, with
/// one `memcpy`. For a pool of values that are only `Clone` the compiler looks further, and finds this
/// one. So `pool.snapshot()` is what to write for both.
#[repr(transparent)]
#[derive(Debug)]
pub struct ByClone<P>(P);

impl<P> ByClone<P> {
    /// The same pool.
    #[inline]
    pub(crate) fn of(pool: &P) -> &Self {
        // SAFETY: `Self` has the layout of `P`, and no invariant of its own.
        unsafe { &*core::ptr::from_ref(pool).cast::<Self>() }
    }

    #[inline]
    pub(crate) fn pool(&self) -> &P {
        &self.0
    }
}
