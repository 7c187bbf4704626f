//! Systems in each order that Bevy allows: what the pool decided when the systems ran holds, whatever the order in which
//! their commands are applied.

use std::collections::HashMap;

use bevy_ecs::prelude::*;
use bevy_ecs::world::CommandQueue;
use bevy_millpond::prelude::*;

use crate::{Bullet, entity, found, pool, world};

/// What a system does with the pool.
#[derive(Clone, Copy, Debug)]
enum Act {
    Spawn(u32),
    FreeFirst,
    Clear,
}

/// The lives that were begun, and what each began with.
#[derive(Resource, Default)]
struct Begun(HashMap<PoolHandle<Bullet>, u32>);

/// Runs each act as a system of its own, whose commands are applied in the given order.
fn run(world: &mut World, acts: &[Act], order: &[usize]) {
    let mut queues: Vec<CommandQueue> = Vec::new();
    for &act in acts {
        let run_act = move |mut bullets: Pooled<Bullet>, mut begun: ResMut<Begun>| match act {
            Act::Spawn(n) => {
                begun.0.extend(bullets.spawn(Bullet(n)).map(|handle| (handle, n)));
            }
            Act::FreeFirst => {
                let first = bullets.iter().next();
                if let Some((handle, _)) = first {
                    assert!(bullets.free(handle) && !bullets.free(handle));
                }
            }
            Act::Clear => {
                let live = bullets.len();
                assert_eq!((bullets.clear(), bullets.clear()), (live, 0));
            }
        };
        let mut system = IntoSystem::into_system(run_act);
        system.initialize(world);
        // Without its commands: they are taken out below.
        system.run_without_applying_deferred((), world).unwrap();
        let mut queue = CommandQueue::default();
        queue.push(move |world: &mut World| system.apply_deferred(world));
        queues.push(queue);
    }
    let mut queues: Vec<_> = queues.into_iter().map(Some).collect();
    for &at in order {
        queues[at].take().unwrap().apply(world);
    }
}

/// All orders of so many things.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let insert = |order: Vec<usize>| {
        (0..n).map(move |at| {
            let mut order = order.clone();
            order.insert(at, n - 1);
            order
        })
    };
    orders(n - 1).into_iter().flat_map(insert).collect()
}

#[test]
fn commands_in_any_order_bring_entities_to_where_the_pool_says() {
    use Act::{Clear, FreeFirst, Spawn};
    let sequences: [&[Act]; 9] = [
        &[FreeFirst, Spawn(10)],
        &[Spawn(10), FreeFirst],
        &[FreeFirst, Spawn(10), FreeFirst],
        &[Spawn(10), FreeFirst, Spawn(11), FreeFirst],
        &[FreeFirst, Spawn(10), FreeFirst, Spawn(11)],
        &[FreeFirst, FreeFirst, Spawn(10), FreeFirst, Spawn(11)],
        &[Clear, Spawn(10)],
        &[Spawn(10), Clear, Spawn(11), Spawn(12)],
        &[FreeFirst, Clear, Spawn(10), Clear, Spawn(11)],
    ];
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest, WhenFull::SpawnBeyond(1)] {
        for acts in sequences {
            for order in orders(acts.len()) {
                let mut world = world(0);
                let builder = EntityPool::<Bullet>::builder().capacity(2).when_full(rule);
                // Nobody who is awake sees what an end does.
                let ended =
                    |bullet: &mut EntityWorldMut| bullet.get_mut::<Bullet>().unwrap().0 = 99;
                builder.on_free(ended).insert_into(&mut world);
                let begun =
                    [1, 2].map(|n| (world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap(), n));
                world.insert_resource(Begun(begun.into()));
                run(&mut world, acts, &order);
                let handles: Vec<_> = pool(&world).iter().collect();
                let mut awake: Vec<_> = world
                    .query::<(Entity, &Bullet)>()
                    .iter(&world)
                    .map(|(entity, bullet)| (entity, bullet.0))
                    .collect();
                let begun = &world.resource::<Begun>().0;
                let mut expected: Vec<_> =
                    handles.iter().map(|&(handle, entity)| (entity, begun[&handle])).collect();
                awake.sort_unstable();
                expected.sort_unstable();
                assert_eq!(awake, expected, "{rule:?} {acts:?} {order:?}");
                // And they can all be freed, and spawned again.
                for (handle, _) in handles {
                    assert!(world.free_pooled(handle));
                }
                assert!(found(&mut world).is_empty());
                for n in [7, 8] {
                    let handle = world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
                    assert_eq!(world.get(entity(&world, handle)), Some(&Bullet(n)));
                }
                assert_eq!(found(&mut world), [7, 8]);
            }
        }
    }
}

/// Commands need no access to the pool, and decide when they are applied.
#[test]
fn commands_spawn_and_free_when_they_are_applied() {
    let mut world = world(2);
    for n in 0..3 {
        world.commands().spawn_pooled::<Bullet, _>(Bullet(n));
    }
    assert_eq!(pool(&world).len(), 0);
    world.flush();
    assert_eq!((found(&mut world), pool(&world).stats().refused), (vec![0, 1], 1));
    let (first, _) = pool(&world).iter().next().unwrap();
    world.commands().free_pooled(first);
    world.commands().free_pooled(first);
    world.flush();
    assert_eq!(found(&mut world), [1]);

    world.remove_resource::<EntityPool<Bullet>>();
    world.commands().spawn_pooled::<Bullet, _>(Bullet(3));
    world.flush();
}
