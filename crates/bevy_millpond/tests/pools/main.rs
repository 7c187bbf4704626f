//! Pools of entities, in worlds without a renderer.

mod adopted;
mod away;
mod bugs;
mod first_program;
mod model;
mod orders;
mod outside;
mod plugin;
mod reentrance;
mod reflected;
mod resets;
mod sleeping;

use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

/// What the pools of most tests are of.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bullet(u32);

/// What a bullet may have beside.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Health(u32);

/// A world with a pool of bullets.
fn world(capacity: usize) -> World {
    let mut world = World::new();
    world.insert_resource(FallbackErrorHandler(panics));
    EntityPool::<Bullet>::builder().capacity(capacity).insert_into(&mut world);
    world
}

fn panics(error: BevyError, _: ErrorContext) {
    panic!("{error}");
}

fn pool(world: &World) -> &EntityPool<Bullet> {
    world.resource()
}

fn entity(world: &World, handle: PoolHandle<Bullet>) -> Entity {
    pool(world).get(handle).unwrap()
}

/// The bullets that queries find, in order.
fn found(world: &mut World) -> Vec<u32> {
    let mut found: Vec<u32> = world.query::<&Bullet>().iter(world).map(|bullet| bullet.0).collect();
    found.sort_unstable();
    found
}
