//! A population that was out of its world for a moment: in `World::resource_scope`, or removed and inserted.

use core::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use millpond::Handle;

use super::{FixedIndex, Population};

/// Says in a world which population of `M` is its own: it is gone with all resources if the world is cleared.
#[derive(Resource)]
pub(crate) struct Home<M: Component> {
    id: u64,
    pub(super) is_hooked: bool,
    /// The lives of which a command was applied while the population was away.
    missed: Vec<Handle<M>>,
    kind: PhantomData<fn() -> M>,
}

static HOMES: AtomicU64 = AtomicU64::new(1);

/// Makes this world the home of the next population of `M`.
pub(super) fn settle<M: Component>(world: &mut World) -> u64 {
    let id = HOMES.fetch_add(1, Ordering::Relaxed);
    match world.get_resource_mut::<Home<M>>() {
        Some(mut home) => home.id = id,
        None => world.insert_resource(Home::<M> {
            id,
            is_hooked: false,
            missed: Vec::new(),
            kind: PhantomData,
        }),
    }
    id
}

/// Makes a population at home in a world that it has come to, if that had none.
fn move_in<M: Component>(world: &mut World) {
    if world.contains_resource::<Population<M>>() && !world.contains_resource::<Home<M>>() {
        let home = settle::<M>(world);
        world.resource_mut::<Population<M>>().home = home;
    }
}

/// Notes that the population did not see what became of this place.
pub(super) fn miss<M: Component>(world: &mut World, handle: Handle<M>) {
    if let Some(mut home) = world.get_resource_mut::<Home<M>>() {
        home.missed.push(handle);
    }
}

/// Brings a population up to date that is inserted into a world.
pub(super) fn come_back<M: Component>(mut world: DeferredWorld, context: HookContext) {
    let home = world.get_resource_mut::<Home<M>>();
    let (home, missed) =
        home.map_or((0, Vec::new()), |mut home| (home.id, core::mem::take(&mut home.missed)));
    // The world does not know its resource yet.
    let Some(population) = world.get::<Population<M>>(context.entity) else { return };
    let is_home = population.home == home;
    // What is spawned without the component is nobody's member, or another entity with the same id.
    let is_gone = |entity: &Entity| match world.entities().get(*entity) {
        Ok(Some(_)) => world.get_entity(*entity).is_ok_and(|entity| !entity.contains::<M>()),
        Ok(None) => false,
        Err(_) => true,
    };
    let places = if is_home { population.places.capacity() } else { 0 };
    let known = (0..places).filter_map(|place| population.known_at(place));
    let gone: Vec<Entity> = known.filter(is_gone).collect();
    if is_home && gone.is_empty() && missed.is_empty() {
        return;
    }
    let Some(mut population) = world.get_mut::<Population<M>>(context.entity) else { return };
    for handle in missed {
        population.forget(handle);
    }
    for entity in gone {
        population.leave(entity);
    }
    if !is_home {
        population.forget_all();
        population.home = home;
    }
    if home == 0 {
        world.commands().queue(move_in::<M>);
    }
}

impl<M: Component> Population<M> {
    /// Forgets the members, which are of another world, or of this one before it was cleared.
    fn forget_all(&mut self) {
        self.places.settle();
        for place in 0..self.places.capacity() {
            self.vacate(place);
        }
        self.indices.fill(FixedIndex::default());
        self.doomed.clear();
        self.overtaken += 1;
    }

    /// Makes the place of a life vacant that began or ended while the population was away.
    fn forget(&mut self, handle: Handle<M>) {
        if self.places.contains(handle) {
            let place = handle.index() as usize;
            self.vacate(place);
            // The one before, who was to make room.
            let index = self.indices.get_mut(place).map(core::mem::take);
            self.doomed.extend(index.and_then(|index| index.in_world));
        }
    }
}
