use core::marker::PhantomData;

use super::HandleAllocator;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};
use crate::slots::reuse::{Lifo, ReuseOrder};

impl HandleAllocator {
    /// Creates an allocator with `capacity` slots.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn new(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    /// Returns a builder, to choose the reuse order, the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::reuse::Fifo;
    /// use millpond::{Handle32, HandleAllocator};
    ///
    /// struct Texture;
    /// let mut textures = HandleAllocator::builder()
    ///     .capacity(4096)
    ///     .reuse(Fifo)
    ///     .handle::<Handle32<Texture>>()
    ///     .name("textures")
    ///     .build();
    /// let handle: Handle32<Texture> = textures.acquire().unwrap();
    /// ```
    #[inline]
    pub fn builder() -> HandleAllocatorBuilder<(), Lifo, Handle<()>> {
        HandleAllocatorBuilder::new()
    }
}

/// Builds a [`HandleAllocator`].
#[derive(Debug)]
#[must_use = "call `.build()` to get the allocator"]
pub struct HandleAllocatorBuilder<T, R: ReuseOrder, H: HandleLayout> {
    pub(super) settings: Settings<R, H>,
    values: PhantomData<fn() -> T>,
}

impl<T, R: ReuseOrder, H: HandleLayout> HandleAllocatorBuilder<T, R, H> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: PhantomData }
    }

    settings_methods!();
    order_and_handle_methods!(HandleAllocatorBuilder<T>, keeps values);

    /// Builds the allocator.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> HandleAllocator<R, H> {
        or_panic(self.try_build())
    }

    /// Builds the allocator.
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name that many slots, or there is not
    /// enough memory.
    pub fn try_build(self) -> Result<HandleAllocator<R, H>, BuildError> {
        HandleAllocator::from_settings(&self.settings)
    }
}
