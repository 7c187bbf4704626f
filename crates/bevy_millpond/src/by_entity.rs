//! A number for each entity, found by the entity's index.

use bevy_ecs::entity::Entity;

/// In which slot an entity is, or was: the slot knows whether it still is. 4 bytes for each index of the world up to the highest
/// that was noted. A hash table takes 500 instructions for each entity with another generation.
#[derive(Debug, Default)]
pub(crate) struct ByEntity(Vec<u32>);

/// No slot.
const NONE: u32 = u32::MAX;

impl ByEntity {
    /// Returns the slot that the last entity with this index was noted with, unless that was [taken](Self::take_if).
    #[inline]
    pub(crate) fn insert(&mut self, entity: Entity, slot: u32) -> Option<u32> {
        let at = entity.index_u32() as usize;
        let last = match self.0.get_mut(at) {
            Some(noted) => core::mem::replace(noted, slot),
            None => self.insert_beyond(at, slot),
        };
        (last != NONE).then_some(last)
    }

    #[cold]
    fn insert_beyond(&mut self, at: usize, slot: u32) -> u32 {
        self.0.resize((at + 1).next_power_of_two(), NONE);
        core::mem::replace(&mut self.0[at], slot)
    }

    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<u32> {
        self.0.get(entity.index_u32() as usize).copied()
    }

    /// Forgets the slot of this entity if `is_its_own`, and returns it.
    #[inline]
    pub(crate) fn take_if(
        &mut self,
        entity: Entity,
        is_its_own: impl FnOnce(u32) -> bool,
    ) -> Option<u32> {
        let noted = self.0.get_mut(entity.index_u32() as usize)?;
        is_its_own(*noted).then(|| core::mem::replace(noted, NONE))
    }
}
