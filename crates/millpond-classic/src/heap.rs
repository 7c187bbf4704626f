//! The pools of objects that know that they are pooled, on the heap.

use alloc::boxed::Box;

use crate::object_pool::{ObjectPool, Pooled, next_in_new};
use crate::particle::{ParticlePool, ParticleSlot};

/// An [`ObjectPool`] on the heap, whose number of objects is chosen when it is created.
///
/// ```
/// use millpond_classic::HeapObjectPool;
///
/// enum Voice {
///     Playing { samples_left: u32 },
///     Unused { next: Option<u32> },
/// }
/// millpond_classic::pooled!(Voice, Unused);
///
/// let channels = 24; // from a settings file
/// let mut voices = HeapObjectPool::with_capacity(channels);
/// voices.create(Voice::Playing { samples_left: 48_000 })?;
/// assert_eq!((voices.len(), voices.capacity()), (1, 24));
/// # Ok::<(), millpond::Full<Voice>>(())
/// ```
pub type HeapObjectPool<T> = ObjectPool<T, 0, Box<[T]>>;

impl<T: Pooled> HeapObjectPool<T> {
    /// Creates a pool of `capacity` objects on the heap, none of them in use. The lowest is used
    /// first.
    ///
    /// # Panics
    ///
    /// If `capacity` is 2^32 - 1 or more, or there is not enough memory.
    #[must_use]
    #[inline]
    pub fn with_capacity(capacity: usize) -> Self {
        let objects = (0..capacity).map(|index| T::unused(next_in_new(index, capacity)));
        Self::of_linked(objects.collect(), capacity)
    }
}

/// A [`ParticlePool`] on the heap, whose number of particles is chosen when it is created.
///
/// ```
/// use millpond_classic::HeapParticlePool;
///
/// let quality = 3; // from the player's settings
/// let mut sparks = HeapParticlePool::with_capacity(quality * 1_000);
/// sparks.create(0.0, 0.0, 0.5, 1.0, 2).unwrap();
/// sparks.animate();
/// assert_eq!((sparks.len(), sparks.capacity()), (1, 3_000));
/// ```
pub type HeapParticlePool = ParticlePool<0, Box<[ParticleSlot]>>;

impl HeapParticlePool {
    /// Creates a pool of `capacity` particles on the heap, none of them in use. The lowest slot is
    /// used first.
    ///
    /// # Panics
    ///
    /// If `capacity` is 2^32 - 1 or more, or there is not enough memory.
    #[must_use]
    #[inline]
    pub fn with_capacity(capacity: usize) -> Self {
        Self { slots: HeapObjectPool::with_capacity(capacity) }
    }
}
