//! Children that come some frames after their entity, as those of a scene do.

use bevy_app::{App, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::Asleep;
use bevy_millpond::prelude::*;

#[derive(Component)]
struct Tank;
/// Beside it, so that bundles of two types share the pool.
#[derive(Component)]
struct Elite;
/// As Bevy's `WorldAssetRoot`: the nodes come when this has changed, so not to one that sleeps.
#[derive(Component)]
struct SceneRoot;
/// What Bevy adds to the root.
#[derive(Component)]
struct Instance;
#[derive(Component)]
struct Node;
#[derive(Resource)]
struct Delay(u32);

/// Frames until the nodes come.
#[derive(Component)]
struct Coming(u32);

fn request(roots: Query<Entity, Changed<SceneRoot>>, delay: Res<Delay>, mut commands: Commands) {
    for root in &roots {
        commands.entity(root).insert(Instance);
        let coming = Coming(delay.0);
        commands.spawn((coming, For(root)));
    }
}

#[derive(Component)]
struct For(Entity);

fn instantiate(mut coming: Query<(Entity, &mut Coming, &For)>, mut commands: Commands) {
    for (entity, mut frames, root) in &mut coming {
        if frames.0 == 0 {
            for _ in 0..20 {
                commands.spawn((Node, ChildOf(root.0)));
            }
            commands.adopt_children::<Tank>(root.0);
            commands.entity(entity).despawn();
        }
        frames.0 = frames.0.saturating_sub(1);
    }
}

fn app(delay: u32, sleeping: Sleeping, warms: bool) -> App {
    let mut app = App::new();
    app.insert_resource(Delay(delay));
    let mut pool = EntityPool::<Tank>::builder().capacity(3).sleeping(sleeping).template(|tank| {
        tank.insert(SceneRoot);
    });
    if warms {
        pool = pool.prewarm_scenes();
    }
    app.add_entity_pool(pool).add_systems(Update, (request, instantiate).chain());
    app
}

/// The nodes that queries find, and all.
fn nodes(app: &mut App) -> (usize, usize) {
    let world = app.world_mut();
    let awake = world.query_filtered::<(), With<Node>>().iter(world).count();
    let mut all = world.query_filtered::<(), (With<Node>, Allow<Disabled>, Allow<Asleep>)>();
    (awake, all.iter(world).count())
}

const BOTH: [Sleeping; 2] = [Sleeping::Disabled, Sleeping::Asleep];

#[test]
fn children_that_come_later_belong_to_the_life() {
    for sleeping in BOTH {
        for delay in [0, 2] {
            let mut app = app(delay, sleeping, false);
            for life in 0..4 {
                let tank = app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap();
                (0..4).for_each(|_| app.update());
                assert_eq!(nodes(&mut app), (20, 20), "{sleeping:?} {delay} {life}");
                app.world_mut().free_pooled(tank);
                app.update();
                assert_eq!(nodes(&mut app), (0, 20), "{sleeping:?} {delay} {life}");
            }
            let upkeep = app.world().resource::<EntityPool<Tank>>().upkeep();
            assert_eq!((upkeep.made, upkeep.remade, upkeep.lost, upkeep.disturbed), (1, 0, 0, 0));
        }
    }
}

/// They come while the tank sleeps again.
#[test]
fn a_life_that_ends_before_its_children_come() {
    for sleeping in BOTH {
        let mut app = app(3, sleeping, false);
        let tank = app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap();
        app.update();
        app.world_mut().free_pooled(tank);
        (0..6).for_each(|_| app.update());
        assert_eq!(nodes(&mut app), (0, 20), "{sleeping:?}");
        for _ in 0..3 {
            let tank = app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap();
            app.update();
            assert_eq!(nodes(&mut app), (20, 20));
            app.world_mut().free_pooled(tank);
            app.update();
            assert_eq!(nodes(&mut app), (0, 20));
        }
    }
}

#[test]
fn scenes_are_made_before_play() {
    for sleeping in BOTH {
        for delay in [0, 3] {
            let mut app = app(delay, sleeping, true);
            app.update();
            let warming = |app: &App| app.world().resource::<EntityPool<Tank>>().warming();
            assert_eq!(warming(&app), if delay == 0 { 0 } else { 3 });
            // One that is wanted before that begins its life at once, and gets its nodes.
            let early = app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap();
            (0..6).for_each(|_| app.update());
            assert_eq!((nodes(&mut app), warming(&app)), ((20, 60), 0), "{sleeping:?} {delay}");
            assert!(app.world_mut().free_pooled(early));
            for _ in 0..3 {
                let tanks =
                    [(); 3].map(|()| app.world_mut().spawn_pooled::<Tank, _>(Tank).unwrap());
                app.update();
                assert_eq!(nodes(&mut app), (60, 60), "{sleeping:?} {delay}");
                for tank in tanks {
                    assert!(app.world_mut().free_pooled(tank));
                }
                app.update();
                assert_eq!(nodes(&mut app), (0, 60), "{sleeping:?} {delay}");
            }
            let upkeep = app.world().resource::<EntityPool<Tank>>().upkeep();
            assert_eq!((upkeep.made, upkeep.remade, upkeep.lost, upkeep.disturbed), (3, 0, 0, 0));
        }
    }
}

/// Another type of bundle makes the entity anew, with a scene of its own.
#[test]
fn bundles_of_two_types() {
    let mut app = app(1, Sleeping::Disabled, false);
    for life in 0..4 {
        let world = app.world_mut();
        let tank = match life % 2 {
            0 => world.spawn_pooled::<Tank, _>(Tank),
            _ => world.spawn_pooled::<Tank, _>((Tank, Elite)),
        };
        (0..4).for_each(|_| app.update());
        assert_eq!(nodes(&mut app), (20, 20), "{life}");
        app.world_mut().free_pooled(tank.unwrap());
        app.update();
        assert_eq!(nodes(&mut app), (0, 20), "{life}");
    }
    assert_eq!(app.world().resource::<EntityPool<Tank>>().upkeep().remade, 3);
}
