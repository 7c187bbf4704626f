//! What a pool knows of each of its entities, and of what the entities are made of.

use core::any::TypeId;

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::change_detection::Tick;
use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;

/// A place in a pool. Its entity stays the same from life to life, until somebody else despawns it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) entity: Option<Entity>,
    pub(crate) body: Body,
    /// When the last life began and ended, if the pool checks its resets.
    pub(crate) born_at: Tick,
    pub(crate) freed_at: Tick,
}

impl Default for Slot {
    fn default() -> Self {
        Self { entity: None, body: Body::Unmade, born_at: Tick::new(0), freed_at: Tick::new(0) }
    }
}

/// The state of a slot's entity in the world. It follows the pool when commands are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Not spawned yet.
    Unmade,
    /// Made ahead by the template, and awake until its children have come.
    Warming,
    /// Asleep, and of this archetype unless somebody else touched it.
    Asleep { rest: Rest, archetype: ArchetypeId },
    /// Awake, in a life that began with this bundle.
    Awake { birth: u16 },
}

/// What a sleeping entity has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing but its place in the pool.
    Bare,
    /// What the template made.
    Template,
    /// What a life with this bundle left.
    Life { birth: u16 },
}

/// What an entity is after it was made with a bundle of some type.
#[derive(Debug)]
pub(crate) struct Birth {
    pub(crate) bundle: TypeId,
    pub(crate) archetype: ArchetypeId,
    pub(crate) has_children: bool,
    /// The pool's marker, if it is a component that the bundle sets.
    pub(crate) marker: Option<ComponentId>,
    /// The components that the bundle sets.
    pub(crate) explicit: Box<[ComponentId]>,
    /// These, and those that it requires.
    pub(crate) contributed: Box<[ComponentId]>,
}
