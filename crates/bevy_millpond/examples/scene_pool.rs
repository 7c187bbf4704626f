//! Tanks whose 20 nodes come from a scene: made before play, put to sleep in place of despawned, and woken in place of
//! instantiated. Prints what the pool did.
//!
//! A system stands in for Bevy's scenes here, so that the example needs no assets: as they do, it adds the nodes a frame after
//! an entity has got its scene, and then triggers an event. With Bevy, the template inserts `WorldAssetRoot`, and the
//! event is `WorldInstanceReady`.
//!
//! ```sh
//! cargo run --release --example scene_pool
//! ```

use bevy_app::{App, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

#[derive(Component)]
pub struct Tank {
    frames_left: u32,
}

/// As Bevy's `WorldAssetRoot`.
#[derive(Component)]
struct SceneRoot;

/// As Bevy's `WorldInstanceReady`.
#[derive(EntityEvent)]
struct SceneReady(Entity);

#[derive(Component)]
pub struct Node;

/// As Bevy's instances of scenes.
fn instantiate(mut commands: Commands, roots: Query<Entity, Added<SceneRoot>>) {
    for root in &roots {
        for _ in 0..20 {
            commands.spawn((Node, ChildOf(root)));
        }
        commands.trigger(SceneReady(root));
    }
}

/// The scene's nodes sleep and wake with their tank from now on. (Without this, they would be despawned at the end of its
/// first life, and no scene would make them again.)
fn adopt(ready: On<SceneReady>, mut commands: Commands) {
    commands.adopt_children::<Tank>(ready.event_target());
}

/// The level begins when all tanks are there.
fn is_loaded(tanks: Res<EntityPool<Tank>>) -> bool {
    tanks.warming() == 0
}

fn attack(mut tanks: Pooled<Tank>) {
    let _ = tanks.spawn(Tank { frames_left: 30 }); // if all 20 are in battle, none comes
}

fn age(mut tanks: Pooled<Tank>, mut in_battle: Query<(Entity, &mut Tank)>) {
    for (entity, mut tank) in &mut in_battle {
        tank.frames_left -= 1;
        if tank.frames_left == 0 {
            tanks.free_entity(entity);
        }
    }
}

/// The whole game, for a test that plays it.
pub fn game() -> App {
    let mut app = App::new();
    app.add_entity_pool(
        EntityPool::<Tank>::builder()
            .capacity(20)
            // The scene stands here, not in the bundle: it is made once for each entity.
            .template(|tank| {
                tank.insert(SceneRoot);
            })
            .prewarm_scenes()
            // For hierarchies, the fast one.
            .sleeping(Sleeping::Asleep),
    );
    app.add_observer(adopt);
    app.add_systems(Update, (instantiate, (attack, age).chain().run_if(is_loaded)).chain());
    app
}

#[allow(dead_code)] // when a test plays the game
fn main() {
    let mut app = game();
    for _ in 0..10_000 {
        app.update();
    }
    let world = app.world_mut();
    let nodes = world.query_filtered::<(), With<Node>>().iter(world).count();
    let all = world
        .query_filtered::<(), (With<Node>, Allow<Disabled>, Allow<bevy_millpond::Asleep>)>()
        .iter(world)
        .count();
    let tanks = world.resource::<EntityPool<Tank>>();
    println!("{}; entities made: {}", tanks.stats(), tanks.upkeep().made);
    println!("{nodes} nodes in battle, of {all} that were ever made");
    assert_eq!((nodes, all), (tanks.len() * 20, 20 * 20));
}
