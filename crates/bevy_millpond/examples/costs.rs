//! What a life costs: spawn and free of a pool beside spawn and despawn, in systems with commands, 10,000 entities alive.
//!
//! ```sh
//! cargo run --release --example costs                   # the tables; a minute on a quiet machine
//! cargo run --release --example costs -- 3 pool 200000  # 200,000 lives of the third row in a pool, for a profiler
//! ```

use std::process::ExitCode;
use std::time::Instant;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::BoxedSystem;
use bevy_ecs::world::DeferredWorld;
use bevy_millpond::prelude::*;

const ALIVE: usize = 10_000;
/// The lives that one run of the system ends and begins.
const PER_RUN: usize = 1000;
const RUNS: usize = 20;
/// Each is a median of so many rounds, in which all ways take turns.
const ROUNDS: usize = 15;

/// The marker of the pools.
struct Kind;

macro_rules! components {
    ($($name:ident)*) => {
        $(#[derive(Component, Clone, Copy, Default)]
        struct $name(#[expect(dead_code, reason = "only its size counts")] [f32; 4]);)*
    };
}
components!(C D E F G H I J K L M N O);

#[derive(Component, Clone, Copy, Default)]
struct A([f32; 4]);

#[derive(Component, Clone, Copy, Default)]
struct B([f32; 4]);

#[derive(Component)]
struct Text(#[expect(dead_code, reason = "only its memory counts")] String);

impl Default for Text {
    fn default() -> Self {
        Self("a line of a chat, longer than what fits in place".into())
    }
}

#[derive(Component)]
struct Part;

/// Something with hooks: an index that knows it.
#[derive(Component, Default)]
#[component(on_add = count, on_remove = count)]
struct Indexed;

#[derive(Resource, Default)]
struct Count(u64);

fn count(mut world: DeferredWorld, _: HookContext) {
    world.resource_mut::<Count>().0 += 1;
}

/// Something that two observers watch.
#[derive(Component, Default)]
struct Watched;

fn watch(world: &mut World) {
    world.add_observer(|_: On<Add<Watched>>, mut count: ResMut<Count>| count.0 += 1);
    world.add_observer(|_: On<Remove<Watched>>, mut count: ResMut<Count>| count.0 += 1);
}

/// How lives begin and end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    Pool(Sleeping, Reset),
    /// Freed and spawned again before the commands are applied.
    Reused,
}

const WAYS: [(&str, Way); 5] = [
    ("plain", Way::Plain),
    ("pool", Way::Pool(Sleeping::Disabled, Reset::Bundle)),
    ("reused", Way::Reused),
    ("asleep", Way::Pool(Sleeping::Asleep, Reset::Bundle)),
    ("remake", Way::Pool(Sleeping::Disabled, Reset::Remake)),
];

/// A world in which all are alive, a system that ends lives, and one that begins as many.
struct Measured {
    world: World,
    systems: [BoxedSystem; 2],
    applies_between: bool,
}

impl Measured {
    fn run(&mut self) {
        let Self { world, systems, applies_between } = self;
        for system in &mut *systems {
            system.run_without_applying_deferred((), world).unwrap();
            if *applies_between {
                system.apply_deferred(world);
            }
        }
        if !*applies_between {
            systems.iter_mut().for_each(|system| system.apply_deferred(world));
        }
    }
}

fn draw(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as usize
}

/// The lives that end next: anywhere in memory.
fn chosen(state: &mut u64) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..ALIVE).collect();
    for n in 0..PER_RUN {
        chosen.swap(n, n + draw(state) % (ALIVE - n));
    }
    chosen.truncate(PER_RUN);
    chosen
}

/// What of the lives both systems know.
#[derive(Resource)]
struct Lives<T> {
    alive: Vec<T>,
    /// Drawn before anything is measured, each in its turn.
    draws: Vec<Vec<usize>>,
    turn: usize,
}

impl<T> Lives<T> {
    fn new(alive: Vec<T>) -> Self {
        let mut state = 1;
        Self { alive, draws: (0..50).map(|_| chosen(&mut state)).collect(), turn: 0 }
    }

    fn each(&mut self, mut act: impl FnMut(&mut T)) {
        for &at in &self.draws[self.turn % self.draws.len()] {
            act(&mut self.alive[at]);
        }
    }
}

fn measured<T: Bundle + Default>(way: Way, children: usize) -> Measured {
    let mut world = World::new();
    world.init_resource::<Count>();
    watch(&mut world);
    let with_children = move |parent: &mut EntityWorldMut| {
        for _ in 0..children {
            parent.with_child(Part);
        }
    };
    let (sleeping, reset) = match way {
        Way::Pool(sleeping, reset) => (sleeping, reset),
        Way::Plain | Way::Reused => Default::default(),
    };
    let mut systems: [BoxedSystem; 2] = match way {
        Way::Plain => {
            let make = |_| {
                let mut entity = world.spawn(T::default());
                with_children(&mut entity);
                entity.id()
            };
            let alive = (0..ALIVE).map(make).collect();
            world.insert_resource(Lives::<Entity>::new(alive));
            let end = |mut lives: ResMut<Lives<Entity>>, mut commands: Commands| {
                lives.each(|&mut entity| commands.entity(entity).despawn());
            };
            let begin = move |mut lives: ResMut<Lives<Entity>>, mut commands: Commands| {
                lives.each(|entity| {
                    *entity = match children {
                        0 => commands.spawn(T::default()).id(),
                        _ => commands.spawn((T::default(), children![Part, Part])).id(),
                    }
                });
                lives.turn += 1;
            };
            [Box::new(IntoSystem::into_system(end)), Box::new(IntoSystem::into_system(begin))]
        }
        Way::Pool(..) | Way::Reused => {
            EntityPool::<Kind>::builder()
                .capacity(ALIVE)
                .sleeping(sleeping)
                .reset(reset)
                .template(with_children)
                .prewarm_with(T::default)
                .insert_into(&mut world);
            let make = |_| world.spawn_pooled::<Kind, _>(T::default()).unwrap();
            let alive = (0..ALIVE).map(make).collect();
            type Handles = Lives<PoolHandle<Kind>>;
            world.insert_resource(Handles::new(alive));
            let end = |mut lives: ResMut<Handles>, mut pool: Pooled<Kind>| {
                lives.each(|&mut handle| assert!(pool.free(handle)));
            };
            let begin = |mut lives: ResMut<Handles>, mut pool: Pooled<Kind>| {
                lives.each(|handle| *handle = pool.spawn(T::default()).unwrap());
                lives.turn += 1;
            };
            [Box::new(IntoSystem::into_system(end)), Box::new(IntoSystem::into_system(begin))]
        }
    };
    systems.iter_mut().for_each(|system| {
        system.initialize(&mut world);
    });
    Measured { world, systems, applies_between: way != Way::Reused }
}

type Five = (A, B, C, D, E);
type Ten = (F, G, H, I, J, K, L, M, N, O);

type Make = fn(Way) -> Measured;
const ROWS: [(&str, Make); 9] = [
    ("1 component", |way| measured::<A>(way, 0)),
    ("5 components", |way| measured::<Five>(way, 0)),
    ("15 components", |way| measured::<(Five, Ten)>(way, 0)),
    ("5, one a `String`", |way| measured::<(Five, Text)>(way, 0)),
    ("5, one with hooks", |way| measured::<(Five, Indexed)>(way, 0)),
    ("5, one with two observers", |way| measured::<(Five, Watched)>(way, 0)),
    ("1, and 2 children", |way| measured::<A>(way, 2)),
    ("5, and 2 children", |way| measured::<Five>(way, 2)),
    ("15, and 2 children", |way| measured::<(Five, Ten)>(way, 2)),
];

/// The median and half of the distance between the quartiles.
fn median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[times.len() * part / 4];
    (at(2), (at(3) - at(1)) / 2.0)
}

fn table() {
    print!("| nanoseconds a life |");
    WAYS.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n| --- | ---: | ---: | ---: | ---: | ---: |");
    for (row, make) in ROWS {
        let mut all: Vec<_> = WAYS.iter().map(|&(_, way)| (make(way), Vec::new())).collect();
        for round in 0..=ROUNDS {
            for (measured, times) in &mut all {
                let start = Instant::now();
                (0..RUNS).for_each(|_| measured.run());
                let time = start.elapsed().as_nanos() as f64 / (RUNS * PER_RUN) as f64;
                // The first is not counted.
                times.extend((round > 0).then_some(time));
            }
        }
        print!("| {row} |");
        for (_, times) in all {
            let (median, spread) = median(times);
            print!(" {median:.0} ± {spread:.0} |");
        }
        println!();
    }
}

/// A walk over all that are awake, in a world with as many sleepers.
fn walks() {
    let worlds = [
        ("no pool", None),
        ("sleepers by `Disabled`", Some(Sleeping::Disabled)),
        ("sleepers by `Asleep`", Some(Sleeping::Asleep)),
    ];
    println!(
        "\n| walk over {ALIVE} entities with two components | nanoseconds an entity |\n| --- | ---: |"
    );
    for mixes in [false, true] {
        for (name, sleeping) in worlds {
            let mut world = World::new();
            match sleeping {
                None => (0..ALIVE).for_each(|_| {
                    world.spawn(Five::default());
                }),
                Some(sleeping) => {
                    EntityPool::<Kind>::builder()
                        .capacity(2 * ALIVE)
                        .sleeping(sleeping)
                        .insert_into(&mut world);
                    let handles: Vec<_> = (0..2 * ALIVE)
                        .map(|_| world.spawn_pooled::<Kind, _>(Five::default()).unwrap())
                        .collect();
                    let mut state = 1;
                    for n in 0..ALIVE {
                        // In order, or anywhere.
                        let mut at = if mixes { draw(&mut state) % handles.len() } else { 2 * n };
                        while !world.free_pooled(handles[at % handles.len()]) {
                            at += 1;
                        }
                    }
                }
            }
            let mut query = world.query::<(&mut A, &B)>();
            assert_eq!(query.iter(&world).count(), ALIVE);
            let times = (0..ROUNDS).map(|_| {
                let start = Instant::now();
                for _ in 0..200 {
                    query.iter_mut(&mut world).for_each(|(mut a, b)| a.0[0] += b.0[0]);
                }
                start.elapsed().as_nanos() as f64 / (200 * ALIVE) as f64
            });
            let (median, spread) = median(times.collect());
            let order = if mixes { ", freed anywhere" } else { "" };
            println!("| {name}{order} | {median:.2} ± {spread:.2} |");
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [row, way, lives] = &arguments[..] else {
        table();
        walks();
        return ExitCode::SUCCESS;
    };
    let row = row.parse::<usize>().ok().and_then(|row| ROWS.get(row.checked_sub(1)?));
    let way = WAYS.iter().find(|(name, _)| name == way);
    let (Some((_, make)), Some(&(_, way)), Ok(lives)) = (row, way, lives.parse::<usize>()) else {
        eprintln!(
            "costs: expected [ROW (1 to 9) WAY (plain, pool, reused, asleep or remake) LIVES]"
        );
        return ExitCode::from(2);
    };
    let mut measured = make(way);
    (0..lives.div_ceil(PER_RUN)).for_each(|_| measured.run());
    ExitCode::SUCCESS
}
