//! A pool of Bevy's own scenes, without a screen: made ahead, woken, put to sleep, and replaced while they sleep. Panics if a node
//! is missing, or awake when its tank is not.

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets, Handle};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use bevy_reflect::prelude::*;
use bevy_world_serialization::{
    WorldAsset, WorldAssetRoot, WorldInstanceReady, WorldSerializationPlugin,
};

#[derive(Component, Reflect, Default)]
#[reflect(Component)]
struct Node(u32);

#[derive(Component)]
struct Tank;

/// As in the guide.
fn adopt(ready: On<WorldInstanceReady>, mut commands: Commands) {
    commands.adopt_children::<Tank>(ready.event_target());
}

/// A root with so many nodes below it, all with this number.
fn scene(nodes: usize, number: u32) -> WorldAsset {
    let mut scene = World::new();
    let root = scene.spawn(Node(number)).id();
    for _ in 1..nodes {
        scene.spawn((Node(number), ChildOf(root)));
    }
    WorldAsset::new(scene)
}

/// The nodes that queries find, and all, of which each has this number.
fn nodes(app: &mut App, number: u32) -> (usize, usize) {
    let world = app.world_mut();
    let awake = world.query::<&Node>().iter(world).count();
    let mut all =
        world.query_filtered::<&Node, (Allow<Disabled>, Allow<bevy_millpond::Asleep>)>();
    assert!(all.iter(world).all(|node| node.0 == number));
    (awake, all.iter(world).count())
}

fn play(app: &mut App, nodes_of_tank: usize, number: u32) {
    let warming = app.world().resource::<EntityPool<Tank>>().warming();
    assert_eq!((warming, nodes(app, number)), (0, (0, 3 * nodes_of_tank)));
    for _ in 0..3 {
        let tank = app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap();
        (0..3).for_each(|_| app.update());
        assert_eq!(nodes(app, number), (nodes_of_tank, 3 * nodes_of_tank));
        assert!(app.world_mut().free_pooled(tank));
        (0..3).for_each(|_| app.update());
        assert_eq!(nodes(app, number), (0, 3 * nodes_of_tank));
    }
}

fn main() {
    for sleeping in [Sleeping::Disabled, Sleeping::Asleep] {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin::default(),
            AssetPlugin::default(),
            WorldSerializationPlugin,
        ));
        app.register_type::<Node>().register_type::<ChildOf>().register_type::<Children>();
        let tank: Handle<WorldAsset> =
            app.world_mut().resource_mut::<Assets<WorldAsset>>().add(scene(20, 1));
        let of_template = tank.clone();
        app.add_entity_pool(
            EntityPool::<Tank>::builder()
                .capacity(3)
                .sleeping(sleeping)
                .template(move |entity| {
                    entity.insert(WorldAssetRoot(of_template.clone()));
                })
                .prewarm_scenes(),
        );
        app.add_observer(adopt);
        (0..3).for_each(|_| app.update());
        play(&mut app, 20, 1);

        // As a file that has changed: Bevy makes all instances anew, also below those that sleep.
        *app.world_mut().resource_mut::<Assets<WorldAsset>>().get_mut(&tank).unwrap() = scene(5, 2);
        (0..6).for_each(|_| app.update());
        play(&mut app, 5, 2);
        let upkeep = app.world().resource::<EntityPool<Tank>>().upkeep();
        assert_eq!((upkeep.made, upkeep.remade, upkeep.lost), (3, 0, 0));
        println!("{sleeping:?}: {upkeep:?}");
    }
}
