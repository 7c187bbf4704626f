use super::HandleAllocator;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::settings::{BuildError, Settings};
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
        Self::typed_builder()
    }
}

/// Builds a [`HandleAllocator`].
pub type HandleAllocatorBuilder<T, R, H> = Builder<T, OfHandleAllocator, Ordered<R>, H>;

/// The kind of a [`HandleAllocator`].
#[derive(Clone, Copy, Debug)]
pub struct OfHandleAllocator;

impl<T, R: ReuseOrder, H: HandleLayout> Kind<T, Ordered<R>, H> for OfHandleAllocator {
    type Pool = HandleAllocator<R, H>;

    fn build(builder: HandleAllocatorBuilder<T, R, H>) -> Result<Self::Pool, BuildError> {
        HandleAllocator::from_settings(&builder.settings)
    }
}

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Returns a builder for allocators of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = HandleAllocator<reuse::Fifo, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").capacity(8).build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> HandleAllocatorBuilder<(), R, H> {
        Builder::of(Settings::NONE, OfHandleAllocator)
    }
}
