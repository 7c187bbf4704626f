//! What happens when a pool is full.

use core::error::Error;
use core::fmt;

use millpond::budget::Entry;
use millpond::overflow::Overflow;

/// What a spawn does when every entity of the pool is awake.
///
/// To evict by a key from components (the dimmest light, the enemy farthest away), pass the key at the spawn:
/// [`Pooled::spawn_evicting`](crate::Pooled::spawn_evicting). A rule of the pool that read components would forbid each
/// system that spawns to change them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenFull {
    /// The spawn returns [`Full`].
    #[default]
    Refuse,
    /// The entity that has been awake longest is freed, and begins its next life at once.
    EvictOldest,
    /// Up to so many entities beyond the capacity are spawned. Once freed, they are despawned in place of put to sleep.
    SpawnBeyond(usize),
}

impl WhenFull {
    /// The rule of a budget's entry: `spill` and `grow` spawn beyond the capacity, `evict-least` refuses, because its key
    /// is passed at the spawn.
    pub(crate) fn of(entry: Entry) -> Self {
        match entry.policy() {
            Overflow::EvictOldest => Self::EvictOldest,
            Overflow::Spill => Self::SpawnBeyond(entry.spill_capacity()),
            Overflow::Grow => Self::SpawnBeyond(entry.capacity_max() - entry.capacity()),
            _ => Self::Refuse,
        }
    }
}

/// The error of a spawn from a full pool. The bundle is dropped.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::prelude::*;
///
/// struct Bullet;
/// let mut world = World::new();
/// EntityPool::<Bullet>::builder().capacity(1).insert_into(&mut world);
/// world.spawn_pooled::<Bullet, _>(()).unwrap();
/// let full = world.spawn_pooled::<Bullet, _>(()).unwrap_err();
/// assert_eq!(full.to_string(), "pool \"Bullet\" is full: all of its 1 entities are awake");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    pub(crate) name: &'static str,
    pub(crate) capacity: usize,
}

impl Full {
    /// Returns the name of the pool.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of entities that the pool can have awake at once.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pool {:?} is full: all of its {} entities are awake", self.name, self.capacity)
    }
}

impl Error for Full {}
