//! Members with fixed indices: each place has an index of Bevy's entities for itself, and each of its lives has the next
//! generation.
//!
//! The index is the place's while its member is spawned (`FixedIndex::in_world`), and while nobody is (`FixedIndex::is_reserved`): between
//! the two stand the population's own commands, which despawn without giving the index back to Bevy. If others despawn a
//! member, Bevy has its index, and the place gets a new one. Ids are promised when a spawn is called. The commands that keep
//! the promise may be applied in any order, and some lives are over before: the generations of those are passed over.

use bevy_ecs::prelude::*;
use millpond::Handle;

use super::place::{FixedIndex, Member};
use super::spawn::{Birth, warn};
use super::{Population, away};

/// The id of the next life with the index of this one.
fn after(entity: Entity) -> Entity {
    Entity::from_index_and_generation(entity.index(), entity.generation().after_versions(1))
}

impl<M: Component> Population<M> {
    /// Gives each place an index.
    pub(super) fn reserve_indices(&mut self, world: &World) {
        for index in &mut self.indices {
            index.next = Some(world.entity_allocator().alloc());
            index.is_reserved = true;
        }
    }

    #[inline(never)]
    pub(super) fn despawn_fixed(&mut self, commands: &mut Commands, entity: Entity) -> bool {
        let Some(place) = self.place_of(entity) else { return false };
        self.end_fixed(commands, place, entity);
        true
    }

    pub(super) fn end_fixed(&mut self, commands: &mut Commands, place: usize, entity: Entity) {
        let Some(handle) = self.await_end(place, entity) else { return };
        commands.queue(move |world: &mut World| end(world, handle, entity));
    }

    /// The place stays taken until the entity is despawned, so that nobody spawns there before.
    pub(super) fn await_end(&mut self, at: usize, entity: Entity) -> Option<Handle<M>> {
        self.members[at] = Member::NONE;
        self.indices[at].next = Some(after(entity));
        self.places.handle_at(at)
    }

    #[track_caller]
    pub(super) fn prepare_fixed(&mut self, commands: &mut Commands, handle: Handle<M>) -> Birth<M> {
        let (entity, is_made) = match self.next_id(handle) {
            Some(entity) => (entity, false),
            None => (commands.spawn_empty().id(), true),
        };
        self.settle_in(handle.index() as usize, entity);
        Birth::At { handle, entity, is_made }
    }

    #[inline]
    #[track_caller]
    pub(super) fn queue_fixed<B: Bundle>(
        commands: &mut Commands,
        handle: Handle<M>,
        entity: Entity,
        is_made: bool,
        bundle: B,
    ) {
        commands.queue(move |world: &mut World| begin(world, handle, entity, is_made, bundle));
    }

    /// The id of the life for which this place was taken.
    pub(super) fn next_id(&mut self, handle: Handle<M>) -> Option<Entity> {
        // After whom the place was taken from, who may not even be spawned yet.
        let next = self.members[handle.index() as usize].take().map(after);
        next.or(self.index_mut(handle).next.take())
    }

    fn index_mut(&mut self, handle: Handle<M>) -> &mut FixedIndex {
        &mut self.indices[handle.index() as usize]
    }

    fn is_of(&self, handle: Handle<M>, entity: Entity) -> bool {
        self.places.handle_at(handle.index() as usize) == Some(handle)
            && self.members[handle.index() as usize].is(entity)
    }

    /// Lets the place go of its index.
    pub(super) fn lose_index(&mut self, at: usize) {
        self.indices_lost += 1;
        self.indices[at] = FixedIndex::default();
    }
}

/// Begins a life for which the place was taken, unless it has ended already.
pub(super) fn begin<M: Component, B: Bundle>(
    world: &mut World,
    handle: Handle<M>,
    entity: Entity,
    is_made: bool,
    bundle: B,
) {
    let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
        away::miss(world, handle);
        return;
    };
    if !population.is_of(handle, entity) {
        return;
    }
    let index = population.index_mut(handle);
    if is_made {
        (index.in_world, index.is_reserved) = (Some(entity), false);
        if let Ok(mut made) = world.get_entity_mut(entity) {
            made.insert(bundle);
        }
        return;
    }
    if let Some(before) = index.in_world.take() {
        let is_ended = world.try_despawn_no_free(before).is_ok();
        // Hooks and observers have run.
        let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
            away::miss(world, handle);
            return;
        };
        population.index_mut(handle).is_reserved = is_ended;
        if !population.is_of(handle, entity) {
            return;
        }
    }
    if pass_over(world, handle, entity) {
        let _spawned = world.spawn_at(entity, bundle);
        return;
    }
    let mut population = world.resource_mut::<Population<M>>();
    population.leave(entity);
    let name = population.name();
    let message = format!(
        "population {name:?}: {entity} was not spawned, because something other than the population despawned the member \
         before it, and so gave its index back to Bevy: despawn members of fixed indices with `Population::despawn`"
    );
    warn::<M>(world, message);
}

/// Brings the index of a place to the generation of this entity, and takes it. Returns `false` if the place has no index.
fn pass_over<M: Component>(world: &mut World, handle: Handle<M>, entity: Entity) -> bool {
    let mut population = world.resource_mut::<Population<M>>();
    let index = population.index_mut(handle);
    if !core::mem::take(&mut index.is_reserved) {
        return false;
    }
    index.in_world = Some(entity);
    loop {
        let next = world.entities().resolve_from_index(entity.index());
        if next == entity {
            return true;
        }
        if world.spawn_empty_at(next).is_err() || world.try_despawn_no_free(next).is_err() {
            return false;
        }
    }
}

/// Despawns a member, and keeps its index.
pub(super) fn end<M: Component>(world: &mut World, handle: Handle<M>, entity: Entity) {
    let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
        let _gone = world.try_despawn(entity);
        away::miss(world, handle);
        return;
    };
    // If its spawn is still in another queue, the one before has not been despawned yet. If the next life has begun, all is done.
    let is_last = population.places.contains(handle);
    let in_world = &mut population.index_mut(handle).in_world;
    if let Some(last) = in_world.take_if(|last| is_last || *last == entity) {
        let is_ended = world.try_despawn_no_free(last).is_ok();
        let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
            away::miss(world, handle);
            return;
        };
        if is_ended {
            population.index_mut(handle).is_reserved = true;
        } else {
            population.lose_index(handle.index() as usize);
        }
    }
    let mut population = world.resource_mut::<Population<M>>();
    if population.places.contains(handle) {
        population.vacate(handle.index() as usize);
    }
}
