//! The known bugs of pools of entities that are written by hand: each shown with a plain one, and cured.

use std::sync::Mutex;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, found, pool, world};

/// A pool as most programs have one: a list of parked entities.
#[derive(Default)]
struct Plain {
    parked: Vec<Entity>,
}

impl Plain {
    fn spawn(&mut self, world: &mut World, bundle: impl Bundle) -> Entity {
        match self.parked.pop() {
            Some(entity) => world.entity_mut(entity).insert(bundle).remove::<Disabled>().id(),
            None => world.spawn(bundle).id(),
        }
    }

    fn free(&mut self, world: &mut World, entity: Entity) {
        world.entity_mut(entity).insert(Disabled);
        self.parked.push(entity);
    }
}

#[test]
fn a_kept_reference_means_another_bullet() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let target = plain.spawn(&mut world, Bullet(1));
    plain.free(&mut world, target);
    plain.spawn(&mut world, Bullet(2));
    assert_eq!(world.get::<Bullet>(target), Some(&Bullet(2))); // a homing missile turns to it

    let mut world = crate::world(8);
    let target = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, target);
    world.free_pooled(target);
    assert_eq!(pool(&world).get(target), None);
    let second = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!((pool(&world).get(target), pool(&world).get(second)), (None, Some(body)));
    assert_eq!(pool(&world).check(target), Err(millpond::Refusal::Stale));
}

#[test]
fn a_double_release_puts_one_entity_in_the_pool_twice() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let bullet = plain.spawn(&mut world, Bullet(1));
    plain.free(&mut world, bullet);
    plain.free(&mut world, bullet);
    assert_eq!(plain.spawn(&mut world, Bullet(2)), plain.spawn(&mut world, Bullet(3))); // one of them is lost

    let mut world = crate::world(8);
    let bullet = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    assert!(world.free_pooled(bullet));
    assert!(!world.free_pooled(bullet));
    for n in [2, 3] {
        world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
    }
    assert!(!world.free_pooled(bullet)); // nor does it end the next life
    assert_eq!((found(&mut world), pool(&world).len()), (vec![2, 3], 2));
}

#[derive(Component)]
struct Burning;

#[test]
fn what_the_last_life_inserted_is_still_there() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let bullet = plain.spawn(&mut world, Bullet(1));
    world.entity_mut(bullet).insert(Burning).with_child(Health(1));
    plain.free(&mut world, bullet);
    let next = plain.spawn(&mut world, Bullet(2));
    assert!(world.entity(next).contains::<Burning>() && world.entity(next).contains::<Children>());

    let mut world = crate::world(8);
    let bullet = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, bullet);
    world.entity_mut(body).insert(Burning).with_child(Health(1));
    world.free_pooled(bullet);
    assert!(
        !world.entity(body).contains::<Burning>() && !world.entity(body).contains::<Children>()
    );
    assert_eq!(world.query_filtered::<&Health, Allow<Disabled>>().iter(&world).count(), 0);
    world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!((world.entity(body).get(), pool(&world).upkeep().remade), (Some(&Bullet(2)), 0));
}

/// The warnings of the next test.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn keeps_warning(error: BevyError, _: ErrorContext) {
    WARNINGS.lock().unwrap().push(error.to_string());
}

#[test]
fn what_the_last_life_changed_is_still_so() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let bullet = plain.spawn(&mut world, (Bullet(1), Health(9)));
    world.get_mut::<Health>(bullet).unwrap().0 = 1;
    plain.free(&mut world, bullet);
    let next = plain.spawn(&mut world, Bullet(2));
    assert_eq!(world.get(next), Some(&Health(1))); // nobody says so

    // A bundle sets what it names.
    let mut world = world_with_health();
    let bullet = world.spawn_pooled::<Bullet, _>((Bullet(1), Health(9))).unwrap();
    let body = entity(&world, bullet);
    world.get_mut::<Health>(body).unwrap().0 = 1;
    world.free_pooled(bullet);
    world.spawn_pooled::<Bullet, _>((Bullet(2), Health(9))).unwrap();
    assert_eq!(world.get(body), Some(&Health(9)));

    // What only the template has made is named, once.
    let mut world = world_with_health();
    world.insert_resource(FallbackErrorHandler(keeps_warning));
    for _ in 0..3 {
        let bullet = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
        let body = entity(&world, bullet);
        world.get_mut::<Health>(body).unwrap().0 -= 1;
        world.free_pooled(bullet);
    }
    let warnings = WARNINGS.lock().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let words = "pool \"Bullet\": pools::Health keeps state of the entity's last life, because the bundle does not set it";
    assert!(warnings[0].starts_with(words), "{}", warnings[0]);
    assert_eq!(pool(&world).leftovers(), ["pools::Health"]);
}

fn world_with_health() -> World {
    let mut world = world(0);
    EntityPool::<Bullet>::builder()
        .capacity(8)
        .check_resets(true)
        .template(|bullet| {
            bullet.insert(Health(9));
        })
        .insert_into(&mut world);
    world
}

#[derive(EntityEvent)]
struct Hit(Entity);

#[derive(Resource, Default)]
struct Hits(u32);

/// Bevy's observers run on entities whatever their components are. Who sends by handle does not reach a sleeper; who gets an
/// event from others asks the pool.
#[test]
fn a_sleeping_bullet_still_gets_events() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    world.init_resource::<Hits>();
    let bullet = plain.spawn(&mut world, Bullet(1));
    world.entity_mut(bullet).observe(|_: On<Hit>, mut hits: ResMut<Hits>| hits.0 += 1);
    plain.free(&mut world, bullet);
    world.trigger(Hit(bullet));
    assert_eq!(world.resource::<Hits>().0, 1);

    let mut world = crate::world(8);
    world.init_resource::<Hits>();
    world.add_observer(|hit: On<Hit>, bullets: Res<EntityPool<Bullet>>, mut hits: ResMut<Hits>| {
        if bullets.handle_of(hit.0).is_some() {
            hits.0 += 1;
        }
    });
    let bullet = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, bullet);
    world.trigger(Hit(body));
    assert_eq!(world.resource::<Hits>().0, 1);
    world.free_pooled(bullet);
    assert!(pool(&world).get(bullet).is_none()); // nobody to send to
    world.trigger(Hit(body));
    assert_eq!(world.resource::<Hits>().0, 1);
}

#[test]
fn there_is_no_bound() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    for n in 0..1000 {
        plain.spawn(&mut world, Bullet(n));
    }
    assert_eq!(found(&mut world).len(), 1000);

    let mut world = crate::world(8);
    for n in 0..1000 {
        assert_eq!(world.spawn_pooled::<Bullet, _>(Bullet(n)).is_ok(), n < 8);
    }
    let stats = pool(&world).stats();
    assert_eq!((stats.live, stats.peak, stats.inserted, stats.refused), (8, 8, 8, 992)); // nor figures
}

#[test]
fn nothing_checks_that_a_parked_entity_is_alive() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let bullet = plain.spawn(&mut world, Bullet(1));
    plain.free(&mut world, bullet);
    world.despawn(bullet);
    assert!(world.get_entity(*plain.parked.last().unwrap()).is_err()); // the next spawn panics

    let mut world = crate::world(8);
    let bullet = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, bullet);
    world.free_pooled(bullet);
    world.despawn(body);
    let next = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_ne!(entity(&world, next), body);
    assert_eq!((found(&mut world), pool(&world).upkeep().lost), (vec![2], 1));
}

#[test]
fn nothing_checks_that_an_entity_is_of_this_pool() {
    let (mut world, mut plain) = (World::new(), Plain::default());
    let door = world.spawn(Health(5)).id();
    plain.free(&mut world, door);
    let bullet = plain.spawn(&mut world, Bullet(1));
    assert!(world.entity(bullet).contains::<Health>()); // the door is a bullet

    struct Rocket;
    let mut world = crate::world(8);
    EntityPool::<Rocket>::builder().capacity(8).insert_into(&mut world);
    let rocket = world.spawn_pooled::<Rocket, _>(Health(5)).unwrap();
    let body = world.resource::<EntityPool<Rocket>>().get(rocket).unwrap();
    let door = world.spawn(Health(5)).id();
    assert_eq!((pool(&world).handle_of(body), pool(&world).handle_of(door)), (None, None));
    assert!(!world.free_pooled::<Bullet>(rocket.relabel())); // not even with its type forced
}
