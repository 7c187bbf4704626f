//! What a population knows of a place.

use bevy_ecs::entity::Entity;

/// The index of a place, if indices are fixed.
#[derive(Clone, Copy, Default)]
pub(super) struct FixedIndex {
    /// The id of the next life, unless that is still to be found.
    pub(super) next: Option<Entity>,
    /// Whom the population has spawned with the place's index.
    pub(super) in_world: Option<Entity>,
    /// Whether the place has an index, and nobody is spawned with it.
    pub(super) is_reserved: bool,
}

/// The member of a place: an `Option<Entity>` that is compared in one step. A place that is taken has none as long as a command
/// is awaited, which knows the entity, or ends it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Member(Entity);

impl Member {
    pub(super) const NONE: Self = Self(Entity::PLACEHOLDER);

    #[inline]
    pub(super) fn new(entity: Entity) -> Self {
        Self(entity)
    }

    /// Whether it is this entity, which is not [`Entity::PLACEHOLDER`].
    #[inline]
    pub(super) fn is(self, entity: Entity) -> bool {
        self.0 == entity
    }

    #[inline]
    pub(super) fn get(self) -> Option<Entity> {
        (self != Self::NONE).then_some(self.0)
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<Entity> {
        core::mem::replace(self, Self::NONE).get()
    }
}
