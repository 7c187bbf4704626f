use core::marker::PhantomData;

use super::AnyPool;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};
use crate::slots::reuse::{Lifo, ReuseOrder};

impl<D: ?Sized, const SLOT_BYTES: usize> AnyPool<D, SLOT_BYTES> {
    /// Creates a pool of `capacity` slots. All of its memory is allocated and touched here.
    ///
    /// ```
    /// use std::any::Any;
    ///
    /// use millpond::AnyPool;
    ///
    /// let pool = AnyPool::<dyn Any, 32>::new(512);
    /// assert_eq!((pool.capacity(), pool.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory for that many slots.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    /// Returns a builder, to choose the reuse order, the handle layout, a name and more.
    ///
    /// ```
    /// use std::any::Any;
    ///
    /// use millpond::{AnyPool, Handle32};
    ///
    /// let mut pool = AnyPool::<dyn Any, 32>::builder()
    ///     .capacity(512)
    ///     .handle::<Handle32<dyn Any>>()
    ///     .name("events")
    ///     .build();
    /// let event: Handle32<dyn Any> = pool.insert("boom").unwrap();
    /// ```
    pub fn builder() -> AnyPoolBuilder<D, SLOT_BYTES> {
        AnyPoolBuilder::new()
    }
}

/// Builds an [`AnyPool`] with a capacity, a reuse order, a handle layout, a name, a salt, and a
/// rule for slots whose generations are used up.
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

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPoolBuilder<D, SLOT_BYTES, R, H>
{
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: PhantomData }
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPoolBuilder<D, SLOT_BYTES, R, H>
{
    settings_methods!();
    order_and_handle_methods!(AnyPoolBuilder<D, SLOT_BYTES>, keeps values);

    /// Builds the pool.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> AnyPool<D, SLOT_BYTES, R, H> {
        or_panic(self.try_build())
    }

    /// Builds the pool.
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name that many slots, or there is not
    /// enough memory.
    pub fn try_build(self) -> Result<AnyPool<D, SLOT_BYTES, R, H>, BuildError> {
        AnyPool::from_settings(&self.settings)
    }
}
