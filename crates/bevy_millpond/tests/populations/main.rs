//! Populations: a bound over Bevy's own entities.

mod away;
mod batches;
mod bound;
mod fixed;
mod model;
mod noticing;
mod plugin;
mod reentrance;

use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_millpond::PopulationBuilder;
use bevy_millpond::prelude::*;

/// What the populations of most tests are of.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bullet(u32);

/// What a bullet may have beside.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Health(u32);

fn builder() -> PopulationBuilder<Bullet> {
    Population::<Bullet>::builder()
}

/// A world with a population of bullets.
fn world(population: PopulationBuilder<Bullet>) -> World {
    let mut world = World::new();
    world.insert_resource(FallbackErrorHandler(panics));
    population.insert_into(&mut world);
    world
}

fn panics(error: BevyError, _: ErrorContext) {
    panic!("{error}");
}

fn bullets(world: &World) -> &Population<Bullet> {
    world.resource()
}

/// The bullets that queries find, in order.
fn found(world: &mut World) -> Vec<u32> {
    let mut found: Vec<u32> = world.query::<&Bullet>().iter(world).map(|bullet| bullet.0).collect();
    found.sort_unstable();
    found
}

/// The members, which all exist, in order.
fn members(world: &World) -> Vec<u32> {
    let of = |entity| world.get::<Bullet>(entity).expect("a member that does not exist").0;
    let mut members: Vec<u32> = bullets(world).iter().map(of).collect();
    members.sort_unstable();
    members
}
