//! A number for each entity, found by the entity's index.

use bevy_ecs::entity::Entity;

/// In which slot an entity is, or was: the slot knows whether it still is. 4 bytes for each index of the world up to the highest
/// that was noted. A hash table takes 500 instructions for each entity with another generation.
#[derive(Debug, Default)]
pub(crate) struct ByEntity(Vec<u32>);

impl ByEntity {
    /// Returns the slot of the last entity with this index.
    #[inline]
    pub(crate) fn insert(&mut self, entity: Entity, slot: u32) -> Option<u32> {
        let at = entity.index_u32() as usize;
        if at >= self.0.len() {
            self.grow(at);
        }
        let last = core::mem::replace(&mut self.0[at], slot);
        (last != u32::MAX).then_some(last)
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.0.resize((at + 1).next_power_of_two(), u32::MAX);
    }

    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<u32> {
        self.0.get(entity.index_u32() as usize).copied()
    }
}
