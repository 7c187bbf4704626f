use core::marker::PhantomData;

use super::AnyPool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::settings::{BuildError, Settings, lifetime_methods};

/// Builds an [`AnyPool`]: capacity, reuse order, handle layout, name, salt, and what happens when the
/// generations of a slot are used up.
///
/// ```
/// use std::any::Any;
///
/// use millpond::AnyPool;
///
/// let pool = AnyPool::<dyn Any, 32>::builder().capacity(100).name("events").build();
/// assert_eq!(pool.name(), Some("events"));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct AnyPoolBuilder<
    D: ?Sized,
    const SLOT_BYTES: usize,
    R: ReuseOrder = Lifo,
    H: HandleLayout = Handle<D>,
> {
    settings: Settings<R, H>,
    values: PhantomData<fn() -> D>,
}

impl<D: ?Sized, const SLOT_BYTES: usize> AnyPoolBuilder<D, SLOT_BYTES> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: PhantomData }
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPoolBuilder<D, SLOT_BYTES, R, H>
{
    lifetime_methods!();

    /// In which order dead slots are handed out again; see [`reuse`](crate::reuse).
    pub fn reuse<R2: ReuseOrder>(self, _order: R2) -> AnyPoolBuilder<D, SLOT_BYTES, R2, H> {
        self.with_types()
    }

    /// Which handles the pool issues: [`Handle`] (the default) or [`Handle32`](crate::Handle32).
    pub fn handle<H2: HandleLayout>(self) -> AnyPoolBuilder<D, SLOT_BYTES, R, H2> {
        self.with_types()
    }

    fn with_types<R2: ReuseOrder, H2: HandleLayout>(self) -> AnyPoolBuilder<D, SLOT_BYTES, R2, H2> {
        let Settings { capacity, lifetimes, .. } = self.settings;
        let settings = Settings { capacity, lifetimes, types: PhantomData };
        AnyPoolBuilder { settings, values: PhantomData }
    }

    /// The pool.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> AnyPool<D, SLOT_BYTES, R, H> {
        self.try_build().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The pool.
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name so many slots, or there is no memory.
    pub fn try_build(self) -> Result<AnyPool<D, SLOT_BYTES, R, H>, BuildError> {
        AnyPool::from_settings(&self.settings)
    }
}
