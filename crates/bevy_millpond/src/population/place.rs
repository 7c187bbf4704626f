//! What a population knows of a place.

use bevy_ecs::entity::Entity;

#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// Its member. A place that is taken has none as long as a command is awaited, which knows the entity, or ends it.
    pub(super) member: Member,
    /// Whether the entity was not spawned when it was last looked at.
    pub(super) is_doubted: bool,
    /// With fixed indices: the id of the next life, unless that is still to be found.
    pub(super) next: Option<Entity>,
    /// With fixed indices: whom the population has spawned with the place's index.
    pub(super) in_world: Option<Entity>,
    /// With fixed indices: whether the place has an index, and nobody is spawned with it.
    pub(super) is_reserved: bool,
}

impl Place {
    #[inline]
    pub(super) fn settle(&mut self, entity: Entity) {
        self.member = Member(entity);
        self.is_doubted = false;
    }
}

/// An `Option<Entity>` that is compared in one step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Member(Entity);

impl Member {
    pub(super) const NONE: Self = Self(Entity::PLACEHOLDER);

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
        core::mem::take(self).get()
    }
}

impl Default for Member {
    fn default() -> Self {
        Self::NONE
    }
}
