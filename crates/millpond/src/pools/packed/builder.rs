use core::marker::PhantomData;

use super::{PackedPool, PackedSettings};
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::settings::{BuildError, Settings, settings_methods};

impl<T> PackedPool<T> {
    /// Creates a pool of `capacity` slots, with eight-byte handles. All of its memory is allocated
    /// and touched here.
    ///
    /// ```
    /// use millpond::PackedPool;
    ///
    /// let pool = PackedPool::<String>::new(512);
    /// assert_eq!((pool.capacity(), pool.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory for that many slots, or they are more than 4,294,967,295; the
    /// builder's
    /// [`try_build`](PackedPoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    /// Returns a builder, to choose the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::{Handle32, PackedPool};
    ///
    /// struct Sprite;
    /// let mut sprites = PackedPool::<Sprite>::builder()
    ///     .capacity(4096)
    ///     .handle::<Handle32<Sprite, 16>>()
    ///     .name("sprites")
    ///     .build();
    /// let sprite: Handle32<Sprite, 16> = sprites.insert(Sprite).unwrap();
    /// ```
    pub fn builder() -> PackedPoolBuilder<T> {
        PackedPoolBuilder::new()
    }
}

/// Builds a [`PackedPool`] with a capacity, a handle layout, a name, a salt, and a rule for slots
/// whose generations are used up.
///
/// ```
/// use millpond::PackedPool;
///
/// let pool = PackedPool::<[f32; 4]>::builder().capacity(1000).name("sparks").build();
/// assert_eq!(pool.name(), Some("sparks"));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct PackedPoolBuilder<T, H: HandleLayout = Handle<T>> {
    settings: PackedSettings<H>,
    values: PhantomData<fn() -> T>,
}

impl<T, H: HandleLayout> PackedPoolBuilder<T, H> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: PhantomData }
    }
}

impl<T, H: HandleLayout> PackedPoolBuilder<T, H> {
    settings_methods!();

    /// Sets the layout of the pool's handles: [`Handle`](crate::Handle) (the default),
    /// [`Handle32`](crate::Handle32) or a type of your own.
    pub fn handle<H2: HandleLayout>(self) -> PackedPoolBuilder<T, H2> {
        PackedPoolBuilder { settings: self.settings.with_types(), values: self.values }
    }

    /// Builds the pool.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> PackedPool<T, H> {
        or_panic(self.try_build())
    }

    /// Builds the pool.
    ///
    /// ```
    /// use millpond::{BuildError, Handle32, PackedPool};
    ///
    /// let tiny = PackedPool::<u8>::builder().handle::<Handle32<u8, 8>>();
    /// let error = tiny.capacity(300).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// ```
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name that many slots, or there is not
    /// enough memory.
    pub fn try_build(self) -> Result<PackedPool<T, H>, BuildError> {
        PackedPool::from_settings(&self.settings)
    }
}
