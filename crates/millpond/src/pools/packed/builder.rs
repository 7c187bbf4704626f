use super::PackedPool;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind};
use crate::pools::settings::{BuildError, Settings};

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
        Self::typed_builder()
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
pub type PackedPoolBuilder<T, H = Handle<T>> = Builder<T, OfPackedPool, (), H>;

/// The kind of a [`PackedPool`].
#[derive(Clone, Copy, Debug)]
pub struct OfPackedPool;

impl<T, H: HandleLayout> Kind<T, (), H> for OfPackedPool {
    type Pool = PackedPool<T, H>;

    fn build(builder: PackedPoolBuilder<T, H>) -> Result<PackedPool<T, H>, BuildError> {
        PackedPool::from_settings(&builder.settings)
    }
}

impl<T, H: HandleLayout> PackedPool<T, H> {
    /// Returns a builder for pools of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = PackedPool<u8, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").capacity(8).build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> PackedPoolBuilder<T, H> {
        Builder::of(Settings::new(), OfPackedPool)
    }
}
