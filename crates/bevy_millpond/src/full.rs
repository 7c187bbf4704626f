//! What happens when a population or a pool is full.

use core::error::Error;
use core::fmt;

use bevy_reflect::Reflect;
use millpond_overflow::Overflow;
use millpond_overflow::budget::Entry;

/// What a spawn does when all places of a population are taken, or all entities of a pool are awake.
///
/// To evict by a key from components (the dimmest light, the enemy farthest away), pass the key at the spawn:
/// [`Population::spawn_evicting`](crate::Population::spawn_evicting). A rule that read components would forbid each system that
/// spawns to change them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[non_exhaustive]
pub enum WhenFull {
    /// The spawn returns [`Full`].
    #[default]
    Refuse,
    /// The entity that was spawned first of all makes room for the new one: a population despawns it, a pool gives it its next
    /// life at once.
    EvictOldest,
    /// Up to so many entities beyond the capacity are spawned. A pool despawns them when they are freed, in place of putting
    /// them to sleep.
    SpawnBeyond(usize),
}

impl WhenFull {
    /// How many entities there may be beyond the capacity.
    pub(crate) fn beyond(self) -> usize {
        match self {
            Self::SpawnBeyond(beyond) => beyond,
            Self::Refuse | Self::EvictOldest => 0,
        }
    }

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

/// The error of a spawn for which there is no place. The bundle is dropped.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::prelude::*;
///
/// #[derive(Component)]
/// struct Bullet;
/// let mut world = World::new();
/// Population::<Bullet>::builder().capacity(1).insert_into(&mut world);
/// world.spawn_in::<Bullet, _>(Bullet).unwrap();
/// let full = world.spawn_in::<Bullet, _>(Bullet).unwrap_err();
/// assert_eq!(full.to_string(), "\"Bullet\" is full: all of its 1 places are taken");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    pub(crate) name: &'static str,
    pub(crate) capacity: usize,
}

impl Full {
    /// Returns the name of the population or pool.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of its places, with those beyond the capacity.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is full: all of its {} places are taken", self.name, self.capacity)
    }
}

impl Error for Full {}
