//! A life begins with what its bundle says, whatever the entity was before.

use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;
use bevy_millpond::EntityPoolBuilder;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, pool, world};

#[derive(Component, Default, Debug, PartialEq, Eq)]
struct Armour(u32);
#[derive(Component, Default)]
#[require(Armour)]
struct Tank;
#[derive(Component)]
struct Shield;
#[derive(Component)]
struct Trail;

/// The components of a life, in order.
fn components(world: &World, handle: PoolHandle<Bullet>) -> Vec<ComponentId> {
    let mut components: Vec<_> =
        world.entity(entity(world, handle)).archetype().iter_components().collect();
    components.sort_unstable();
    components
}

/// Whatever happens to an entity, the next life has the components that a new entity would have.
#[test]
fn the_next_life_has_the_components_of_a_new_entity() {
    type Harm = fn(&mut EntityWorldMut);
    let harms: [Harm; 7] = [
        |_| {},
        |bullet| {
            bullet.insert((Shield, Trail));
        },
        |bullet| {
            bullet.remove::<Tank>();
        },
        |bullet| {
            bullet.remove::<Armour>();
        },
        |bullet| {
            bullet.remove::<Health>().insert(Shield);
        },
        |bullet| {
            bullet.despawn_related::<Children>();
        },
        |bullet| {
            bullet.retain::<InPool<Bullet>>();
        },
    ];
    {
        for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
            let make = || {
                let mut world = World::new();
                // As a plugin may do: what comes with a component is not in the bundle.
                world.add_observer(|added: On<Add<Bullet>>, mut commands: Commands| {
                    commands.entity(added.entity).insert(Trail);
                });
                EntityPool::<Bullet>::builder()
                    .capacity(1)
                    .when_full(rule)
                    .template(|bullet| {
                        bullet.insert(Health(9)).with_child(Shield);
                    })
                    .insert_into(&mut world);
                world
            };
            let mut fresh = make();
            let handle = fresh.spawn_pooled::<Bullet, _>((Bullet(0), Tank)).unwrap();
            let expected = components(&fresh, handle);
            assert_eq!(expected.len(), 7);

            for harm in harms {
                let mut world = make();
                for n in 1..4 {
                    let handle = world.spawn_pooled::<Bullet, _>((Bullet(n), Tank)).unwrap();
                    assert_eq!(components(&world, handle), expected, "{rule:?}");
                    let body = entity(&world, handle);
                    assert_eq!(world.get(body), Some(&Bullet(n)));
                    assert_eq!(world.get::<Children>(body).unwrap().len(), 1);
                    harm(&mut world.entity_mut(body));
                    if rule == WhenFull::Refuse {
                        world.free_pooled(handle);
                    }
                }
                assert_eq!(pool(&world).upkeep().made, 1);
            }
        }
    }
}

/// Bundles of two types share a pool: each life has what its own bundle says.
#[test]
fn a_pool_takes_bundles_of_several_types() {
    let mut world = world(1);
    for n in 0..3 {
        let plain = world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
        assert_eq!(components(&world, plain).len(), 2);
        world.free_pooled(plain);
        let shielded = world.spawn_pooled::<Bullet, _>((Bullet(n), Shield)).unwrap();
        assert_eq!(components(&world, shielded).len(), 3);
        world.free_pooled(shielded);
    }
    assert_eq!((pool(&world).upkeep().made, pool(&world).upkeep().remade), (1, 5));
}

/// Required components come with their first value, and keep what the last life made of them: debug builds say so. All of it
/// is the same if the next life begins before the last one was put to sleep.
#[test]
fn a_required_component_keeps_its_value_and_is_named() {
    {
        for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
            let mut world = World::new();
            EntityPool::<Bullet>::builder()
                .capacity(1)
                .when_full(rule)
                .check_resets(true)
                .insert_into(&mut world);
            for _ in 0..2 {
                let handle = world.spawn_pooled::<Bullet, _>((Bullet(0), Tank)).unwrap();
                let body = entity(&world, handle);
                world.get_mut::<Armour>(body).unwrap().0 = 5;
                if rule == WhenFull::Refuse {
                    world.free_pooled(handle);
                }
            }
            let handle = world.spawn_pooled::<Bullet, _>((Bullet(0), Tank)).unwrap();
            assert_eq!(world.get(entity(&world, handle)), Some(&Armour(5)), "{rule:?}");
            let named = pool(&world).leftovers().len();
            assert_eq!(named, 1);
        }
    }
}

/// What a reset sets, and what is allowed to stay, is not named.
#[test]
fn on_free_and_keep_satisfy_the_check() {
    let with_rule = |builder: EntityPoolBuilder<Bullet>, rule| {
        let mut world = world(0);
        builder.capacity(1).when_full(rule).check_resets(true).insert_into(&mut world);
        for _ in 0..3 {
            let handle = world.spawn_pooled::<Bullet, _>((Bullet(0), Tank)).unwrap();
            let body = entity(&world, handle);
            world.get_mut::<Armour>(body).unwrap().0 += 1;
            if rule == WhenFull::Refuse {
                world.free_pooled(handle);
            }
        }
        let handle = world.spawn_pooled::<Bullet, _>((Bullet(0), Tank)).unwrap();
        world.get::<Armour>(entity(&world, handle)).unwrap().0
    };
    let builder = EntityPool::<Bullet>::builder;
    let reset = |bullet: &mut EntityWorldMut| bullet.get_mut::<Armour>().unwrap().0 = 0;
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        assert_eq!(with_rule(builder().keep::<Armour>(), rule), 3);
        assert_eq!(with_rule(builder().on_free(reset), rule), 0);
    }
}

/// With the bundle, not even the first life moves an entity to another archetype than it sleeps in and wakes to.
#[test]
fn prewarmed_with_a_bundle_nothing_is_made_in_play() {
    let mut world = World::new();
    EntityPool::<Bullet>::builder()
        .capacity(50)
        .prewarm_with(|| (Bullet(0), Tank))
        .insert_into(&mut world);
    let (entities, archetypes) = (world.entity_count(), world.archetypes().len());
    for _ in 0..3 {
        let handles: Vec<_> =
            (0..50).map(|n| world.spawn_pooled::<Bullet, _>((Bullet(n), Tank)).unwrap()).collect();
        handles.into_iter().for_each(|handle| assert!(world.free_pooled(handle)));
    }
    assert_eq!((world.entity_count(), pool(&world).upkeep().made), (entities, 50));
    // That of the awake ones was made with the sleeping ones.
    assert_eq!(world.archetypes().len(), archetypes);
}

#[derive(Component, Default)]
#[require(Sign)]
struct Signed;
#[derive(Component, Default)]
struct Sign;

/// As `Transform` requires `TransformTreeChanged`, which is changed again and again and has no state.
#[test]
fn a_component_without_a_size_keeps_nothing() {
    let mut world = world(0);
    EntityPool::<Bullet>::builder().capacity(1).check_resets(true).insert_into(&mut world);
    for _ in 0..3 {
        let handle = world.spawn_pooled::<Bullet, _>((Bullet(0), Signed)).unwrap();
        let body = entity(&world, handle);
        world.get_mut::<Sign>(body).unwrap().set_changed();
        world.free_pooled(handle);
    }
    assert_eq!(pool(&world).leftovers(), [""; 0]);
}
