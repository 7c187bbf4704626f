use super::{PackedPool, PackedVecPool};
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind};
use crate::pools::doubling::Growing;
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

    fn build(builder: PackedPoolBuilder<T, H>) -> Result<Self::Pool, BuildError> {
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
        Builder::of(Settings::NONE, OfPackedPool)
    }
}

impl<T> PackedVecPool<T> {
    /// Creates an empty pool that has not allocated, and grows without a limit: 4 slots, 8, 16 and so on.
    ///
    /// ```
    /// use millpond::PackedVecPool;
    ///
    /// const NO_SPARKS: PackedVecPool<[f32; 4]> = PackedVecPool::new();
    /// let mut sparks = NO_SPARKS;
    /// let spark = sparks.push([1.0; 4]);
    /// assert_eq!((sparks.len(), sparks.capacity()), (1, 4));
    /// assert_eq!(sparks[spark], [1.0; 4]);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::EMPTY
    }

    /// Returns a builder, to choose the capacity, the limit, the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::{Handle32, PackedVecPool};
    ///
    /// struct Sprite;
    /// let mut sprites = PackedVecPool::<Sprite>::builder()
    ///     .capacity(4096)
    ///     .capacity_max(60_000)
    ///     .handle::<Handle32<Sprite, 16>>()
    ///     .name("sprites")
    ///     .build();
    /// let sprite: Handle32<Sprite, 16> = sprites.push(Sprite);
    /// ```
    pub fn builder() -> PackedVecPoolBuilder<T> {
        Self::typed_builder()
    }
}

/// Builds a [`PackedVecPool`] with a limit, and all that a [`PackedPoolBuilder`] has.
///
/// ```
/// use millpond::PackedVecPool;
///
/// let pool = PackedVecPool::<[f32; 4]>::builder().capacity(100).capacity_max(1000).build();
/// assert_eq!((pool.capacity(), pool.capacity_max()), (100, 1000));
/// ```
pub type PackedVecPoolBuilder<T, H = Handle<T>> = Builder<T, Growing, (), H>;

impl<T, H: HandleLayout> PackedVecPool<T, H> {
    /// Returns a builder for pools of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = PackedVecPool<u8, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> PackedVecPoolBuilder<T, H> {
        Builder::of(Settings::of_capacity(0), Growing)
    }
}

impl<T, H: HandleLayout> Kind<T, (), H> for Growing {
    type Pool = PackedVecPool<T, H>;

    fn build(builder: PackedVecPoolBuilder<T, H>) -> Result<Self::Pool, BuildError> {
        let Builder { settings, .. } = builder;
        let mut pool = PackedVecPool::without_slots(&settings.generations, settings.capacity_max);
        settings.allocate::<H, _>(|capacity| {
            pool.watch(settings.debug_aids)?;
            pool.grow(capacity, true)
        })?;
        Ok(pool)
    }
}
