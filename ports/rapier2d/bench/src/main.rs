//! Worlds of bodies: `rapier2d-bench SCENARIO ROUNDS`.

mod peak;

use rapier2d::prelude::*;

/// Adds a ball that stays clear of all others.
fn insert_ball(world: &mut PhysicsWorld, number: usize) -> RigidBodyHandle {
    let position = Vector::new((number % 100) as f32 * 3.0, (number / 100) as f32 * 3.0);
    let body = RigidBodyBuilder::dynamic().translation(position).can_sleep(false);
    world.insert(body, ColliderBuilder::ball(0.5)).0
}

/// Balls that fall side by side for ever.
fn balls(count: usize) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld::new();
    let handles = (0..count).map(|number| insert_ball(&mut world, number)).collect();
    (world, handles)
}

/// Boxes on the ground, each row one box shorter than the one below.
fn pyramid(rows: usize) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.insert_collider(ColliderBuilder::cuboid(200.0, 0.5), None);
    for row in 0..rows {
        for column in 0..rows - row {
            let x = column as f32 * 1.1 - (rows - row) as f32 * 0.55;
            let position = Vector::new(x, 1.0 + row as f32 * 1.05);
            let body = RigidBodyBuilder::dynamic().translation(position).can_sleep(false);
            world.insert(body, ColliderBuilder::cuboid(0.5, 0.5));
        }
    }
    world
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");
    match scenario.as_str() {
        "pyramid" => {
            let mut world = pyramid(40);
            (0..rounds).for_each(|_| world.step());
        }
        "free" => {
            let (mut world, _) = balls(10_000);
            (0..rounds).for_each(|_| world.step());
        }
        "churn" => {
            let (mut world, mut handles) = balls(10_000);
            for round in 0..rounds {
                for handle in handles.iter_mut().skip(round % 10).step_by(10) {
                    world.remove_body(*handle);
                    *handle = insert_ball(&mut world, handle.into_raw_parts().0 as usize);
                }
            }
        }
        "worlds" => {
            let mut worlds: Vec<_> = (0..500).map(|_| balls(20).0).collect();
            for _ in 0..rounds {
                worlds.iter_mut().for_each(PhysicsWorld::step);
            }
        }
        other => panic!("no scenario {other}"),
    }
    peak::print();
}
