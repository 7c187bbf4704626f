//! Members with fixed indices: each place has an index of Bevy's entities for itself, and each of its lives has the next
//! generation.
//!
//! An index is the place's while `Place::is_reserved`, or while the member is spawned. Between the two stand the population's own
//! commands, which despawn without giving the index back to Bevy. If others despawn a member, Bevy has its index, and the place
//! gets a new one.

use bevy_ecs::prelude::*;
use millpond::Handle;

use super::spawn::warn;
use super::{Population, away};

/// The id of the next life with the index of this one.
fn after(entity: Entity) -> Entity {
    Entity::from_index_and_generation(entity.index(), entity.generation().after_versions(1))
}

impl<M: Component> Population<M> {
    /// Gives each place an index.
    pub(super) fn reserve_indices(&mut self, world: &World) {
        for place in self.places.as_mut_slice() {
            place.next = Some(world.entity_allocator().alloc());
            place.is_reserved = true;
        }
    }

    pub(super) fn end_fixed(&mut self, commands: &mut Commands, place: usize, entity: Entity) {
        let Some(handle) = self.await_end(place, entity) else { return };
        commands.queue(move |world: &mut World| end(world, handle, entity));
    }

    /// The place stays taken until the entity is despawned, so that nobody spawns there before.
    pub(super) fn await_end(&mut self, at: usize, entity: Entity) -> Option<Handle<M>> {
        let place = &mut self.places.as_mut_slice()[at];
        place.entity = None;
        place.next = Some(after(entity));
        self.places.handle_at(at)
    }

    #[track_caller]
    pub(super) fn begin_fixed<'a, B: Bundle>(
        &mut self,
        commands: &'a mut Commands,
        handle: Handle<M>,
        bundle: B,
    ) -> EntityCommands<'a> {
        let (entity, is_made) = match self.next_id(handle) {
            Some(entity) => (entity, false),
            None => (commands.spawn_empty().id(), true),
        };
        self.settle_in(handle.index() as usize, entity);
        commands.queue(move |world: &mut World| begin(world, handle, entity, is_made, bundle));
        commands.entity(entity)
    }

    /// The id of the life for which this place was taken.
    pub(super) fn next_id(&mut self, handle: Handle<M>) -> Option<Entity> {
        let place = &mut self.places.as_mut_slice()[handle.index() as usize];
        // Whom the place was taken from is still spawned.
        let next = place.entity.take().map(after);
        next.or(place.next.take())
    }

    /// Says whether the place has its index, and takes it for an entity.
    fn use_index(&mut self, handle: Handle<M>) -> bool {
        let place = &mut self.places.as_mut_slice()[handle.index() as usize];
        core::mem::take(&mut place.is_reserved)
    }

    /// Notes that the entity was despawned, and that the index is the place's again.
    fn reserve(&mut self, handle: Handle<M>) {
        self.places.as_mut_slice()[handle.index() as usize].is_reserved = true;
    }

    fn is_of(&self, handle: Handle<M>, entity: Entity) -> bool {
        self.places.get(handle).is_some_and(|place| place.entity == Some(entity))
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
    let Some(population) = world.get_resource::<Population<M>>() else {
        away::miss(world, handle);
        return;
    };
    if !population.is_of(handle, entity) {
        return;
    }
    if is_made {
        if let Ok(mut made) = world.get_entity_mut(entity) {
            made.insert(bundle);
        }
        return;
    }
    let before = world.entities().resolve_from_index(entity.index());
    if world.entities().contains_spawned(before) && after(before) == entity {
        let is_ended = world.try_despawn_no_free(before).is_ok();
        let Some(mut population) = world.get_resource_mut::<Population<M>>() else { return };
        if is_ended {
            population.reserve(handle);
        }
        // Hooks and observers of the last life have run.
        if !population.is_of(handle, entity) {
            return;
        }
    }
    let mut population = world.resource_mut::<Population<M>>();
    let is_ours = population.use_index(handle);
    if is_ours && world.entities().check_can_spawn_at(entity).is_ok() {
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

/// Despawns a member, and keeps its index.
pub(super) fn end<M: Component>(world: &mut World, handle: Handle<M>, entity: Entity) {
    if !world.contains_resource::<Population<M>>() {
        let _gone = world.try_despawn(entity);
        away::miss(world, handle);
        return;
    }
    // Its spawn is still in another queue, which finds an id that is over.
    if !world.entities().contains_spawned(entity) && world.entities().contains(entity) {
        let _made = world.spawn_empty_at(entity);
    }
    let is_ended = world.try_despawn_no_free(entity).is_ok();
    let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
        away::miss(world, handle);
        return;
    };
    if !population.places.contains(handle) {
        // Evicted meanwhile, for a life that has the index.
        if is_ended {
            population.reserve(handle);
        }
        return;
    }
    let place = handle.index() as usize;
    population.vacate(place, is_ended.then(|| after(entity)));
    if is_ended {
        population.reserve(handle);
    } else {
        population.indices_lost += 1;
    }
}
