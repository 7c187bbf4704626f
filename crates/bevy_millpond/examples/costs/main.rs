//! What a life costs: a population's and a pool's, beside Bevy's own spawn and despawn, in systems with commands.
//!
//! ```sh
//! cargo run --release --example costs              # nanoseconds of a life, and whole frames: two minutes on a quiet machine
//! cargo run --release --example costs -- frames    # only whole frames, of populations
//! cargo run --release --example costs -- list      # the rows and ways that can be counted
//! valgrind --tool=callgrind --toggle-collect='*costs::counted*' target/release/examples/costs 1 population
//! ```
//!
//! The last one counts instructions, of the number of lives that it prints; the repository's `ci/gates/bevy` does so for all.

mod scene;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use bevy_app::{App, Last};
use bevy_ecs::bundle::NoBundleEffect;
use bevy_ecs::prelude::*;
use bevy_ecs::spawn::SpawnIter;
use bevy_ecs::system::BoxedSystem;
use bevy_millpond::prelude::*;
use scene::{Scene, node};

macro_rules! components {
    ($($name:ident)*) => {
        $(#[derive(Component, Clone, Copy)]
        struct $name(#[allow(dead_code)] [f32; 4]);
        impl Default for $name {
            fn default() -> Self {
                Self([1.0, 2.0, 3.0, 4.0])
            }
        })*
    };
}
components!(A B C D E F G H I J K L M N O);
type Five = (A, B, C, D, E);
type Fifteen = (Five, (F, G, H, I, J, K, L, M, N, O));

#[derive(Component, Clone)]
struct Part;

/// How lives begin and end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    Population {
        noticing: Noticing,
        fixes: bool,
    },
    /// Of a population that others end the members of, as always: it notices at the end of the frame.
    ByOthers,
    /// Of a population, in one command each.
    Batch,
    /// The same, and the ids are known at once.
    BatchIds,
    Pool(Sleeping),
}

const WAYS: [(&str, Way); 9] = [
    ("plain", Way::Plain),
    ("population", Way::Population { noticing: Noticing::EachFrame, fixes: false }),
    ("by_others", Way::ByOthers),
    ("batch", Way::Batch),
    ("batch_ids", Way::BatchIds),
    ("at_once", Way::Population { noticing: Noticing::AtOnce, fixes: false }),
    ("fixed", Way::Population { noticing: Noticing::EachFrame, fixes: true }),
    ("pool", Way::Pool(Sleeping::Disabled)),
    ("asleep", Way::Pool(Sleeping::Asleep)),
];

/// What an entity has beside its bundle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Nothing,
    TwoChildren,
    /// Of nine components.
    TwentyNodes,
    /// The same, which a scene makes.
    Scene,
}

/// A world in which all are alive, a system that ends lives, and one that begins as many.
struct Measured {
    world: World,
    systems: [BoxedSystem; 2],
    walks: Vec<BoxedSystem>,
    lives: usize,
}

impl Measured {
    fn run(&mut self) {
        for system in &mut self.systems {
            system.run_without_applying_deferred((), &mut self.world).unwrap();
            system.apply_deferred(&mut self.world);
        }
        // What notices, if there is something.
        let _nothing = self.world.try_run_schedule(Last);
        // As each update of an app does: else Bevy's lists of removed components grow and grow.
        self.world.clear_trackers();
    }

    fn walk(&mut self) {
        for system in &mut self.walks {
            system.run((), &mut self.world).unwrap();
        }
    }
}

#[inline(never)]
fn counted(measured: &mut Measured) {
    measured.run();
}

fn draw(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as usize
}

/// What of the lives both systems know.
#[derive(Resource)]
struct Lives<T> {
    alive: Vec<T>,
    /// The lives that end next, anywhere in memory: drawn before anything is measured.
    draws: Vec<Vec<usize>>,
    turn: usize,
}

impl<T> Lives<T> {
    fn new(alive: Vec<T>, per_run: usize) -> Self {
        let mut state = 1;
        let mut chosen = |_| {
            let mut chosen: Vec<usize> = (0..alive.len()).collect();
            for n in 0..per_run {
                chosen.swap(n, n + draw(&mut state) % (alive.len() - n));
            }
            chosen.truncate(per_run);
            chosen
        };
        let draws = (0..50).map(&mut chosen).collect();
        Self { alive, draws, turn: 0 }
    }

    fn each(&mut self, mut act: impl FnMut(&mut T)) {
        for &at in &self.draws[self.turn % self.draws.len()] {
            act(&mut self.alive[at]);
        }
    }
}

fn boxed<In>(system: impl IntoSystem<(), (), In>) -> BoxedSystem {
    Box::new(IntoSystem::into_system(system))
}

/// Spawns below an entity what it has there.
fn grow(world: &mut World, entity: Entity, below: Below, scene: &Option<Arc<Scene>>) {
    match below {
        Below::Nothing => {}
        Below::TwoChildren => {
            world.entity_mut(entity).with_child(Part).with_child(Part);
        }
        Below::TwentyNodes => {
            for _ in 0..20 {
                world.entity_mut(entity).with_child(node());
            }
        }
        Below::Scene => scene.as_ref().unwrap().instance(world, entity),
    }
}

fn measured<T>(way: Way, below: Below, all: usize, lives: usize) -> Measured
where
    T: Bundle<Effect: NoBundleEffect> + Default + Clone,
{
    let mut world = World::new();
    let scene = (below == Below::Scene).then(|| Arc::new(Scene::new(20)));
    let of_scene = scene.clone();
    let mut systems: [BoxedSystem; 2] = match way {
        Way::Pool(sleeping) => {
            let pool = EntityPool::<Part>::builder().capacity(all).sleeping(sleeping);
            let pool = pool.template(move |entity| {
                let id = entity.id();
                entity.world_scope(|world| grow(world, id, below, &of_scene));
            });
            pool.prewarm_with(T::default).insert_into(&mut world);
            let alive: Vec<_> =
                (0..all).map(|_| world.spawn_pooled::<Part, _>(T::default()).unwrap()).collect();
            type Handles = Lives<PoolHandle<Part>>;
            world.insert_resource(Handles::new(alive, lives));
            let end = |mut lives: ResMut<Handles>, mut pool: Pooled<Part>| {
                lives.each(|&mut handle| assert!(pool.free(handle)));
            };
            let begin = |mut lives: ResMut<Handles>, mut pool: Pooled<Part>| {
                lives.each(|handle| *handle = pool.spawn(T::default()).unwrap());
                lives.turn += 1;
            };
            [boxed(end), boxed(begin)]
        }
        _ => {
            // Whom others end have places until that is noticed.
            let places = if way == Way::ByOthers { all + lives } else { all };
            let population = Population::<A>::builder().capacity(places);
            let population = match way {
                Way::Population { noticing, fixes: true } => {
                    population.noticing(noticing).fixed_indices()
                }
                Way::Population { noticing, .. } => population.noticing(noticing),
                _ => population,
            };
            if way == Way::ByOthers {
                let mut app = App::new();
                app.add_population(population);
                world = std::mem::take(app.world_mut());
            } else {
                population.insert_into(&mut world);
            }
            let alive: Vec<Entity> = (0..all)
                .map(|_| {
                    let entity = match way {
                        Way::Plain => world.spawn(T::default()).id(),
                        _ => world.spawn_in::<A, _>(T::default()).unwrap(),
                    };
                    grow(&mut world, entity, below, &scene);
                    entity
                })
                .collect();
            world.insert_resource(Lives::new(alive, lives));
            [end(way), begin::<T>(way, below, scene)]
        }
    };
    systems.iter_mut().for_each(|system| {
        system.initialize(&mut world);
    });
    let walk =
        |mut all: Query<(&mut A, &B)>| all.iter_mut().for_each(|(mut a, b)| a.0[0] += b.0[0]);
    let mut walks: Vec<BoxedSystem> = (0..10).map(|_| boxed(walk)).collect();
    walks.iter_mut().for_each(|system| {
        system.initialize(&mut world);
    });
    Measured { world, systems, walks, lives }
}

fn end(way: Way) -> BoxedSystem {
    match way {
        Way::Plain | Way::ByOthers => {
            boxed(|mut lives: ResMut<Lives<Entity>>, mut commands: Commands| {
                lives.each(|&mut entity| commands.entity(entity).despawn());
            })
        }
        Way::Batch => boxed(
            |lives: Res<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             mut commands: Commands| {
                // Nobody knows their ids: those who are in the places that were drawn.
                let draw = &lives.draws[lives.turn % lives.draws.len()];
                let mut dead = Vec::with_capacity(draw.len());
                dead.extend(draw.iter().filter_map(|&place| population.at(place)));
                population.despawn_batch(&mut commands, dead);
            },
        ),
        Way::BatchIds => boxed(
            |lives: Res<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             mut commands: Commands| {
                let draw = &lives.draws[lives.turn % lives.draws.len()];
                let dead = draw.iter().map(|&at| lives.alive[at]);
                population.despawn_batch(&mut commands, dead);
            },
        ),
        _ => boxed(
            |mut lives: ResMut<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             mut commands: Commands| {
                lives.each(|&mut entity| assert!(population.despawn(&mut commands, entity)));
            },
        ),
    }
}

fn begin<T>(way: Way, below: Below, scene: Option<Arc<Scene>>) -> BoxedSystem
where
    T: Bundle<Effect: NoBundleEffect> + Default + Clone,
{
    use bevy_ecs::entity::EntityAllocator;
    match way {
        Way::Plain if below == Below::Nothing => {
            boxed(|mut lives: ResMut<Lives<Entity>>, mut commands: Commands| {
                lives.each(|entity| *entity = commands.spawn(T::default()).id());
                lives.turn += 1;
            })
        }
        Way::Population { .. } | Way::ByOthers if below == Below::Nothing => boxed(
            |mut lives: ResMut<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             mut commands: Commands| {
                lives.each(|entity| {
                    *entity = population.spawn(&mut commands, T::default()).unwrap().id();
                });
                lives.turn += 1;
            },
        ),
        Way::Plain => boxed(move |mut lives: ResMut<Lives<Entity>>, mut commands: Commands| {
            lives.each(|entity| {
                *entity = match below {
                    Below::Nothing => unreachable!(),
                    Below::TwoChildren => {
                        commands.spawn((T::default(), children![Part, Part])).id()
                    }
                    Below::TwentyNodes => {
                        let nodes: Vec<_> = (0..20).map(|_| node()).collect();
                        let nodes = Children::spawn(SpawnIter(nodes.into_iter()));
                        commands.spawn((T::default(), nodes)).id()
                    }
                    Below::Scene => {
                        let root = commands.spawn(T::default()).id();
                        let scene = scene.clone();
                        commands.queue(move |world: &mut World| grow(world, root, below, &scene));
                        root
                    }
                }
            });
            lives.turn += 1;
        }),
        Way::Batch => boxed(
            |mut lives: ResMut<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             mut commands: Commands| {
                let Lives { draws, turn, .. } = &mut *lives;
                let births = draws[*turn % draws.len()].iter().map(|_| T::default());
                population.spawn_batch(&mut commands, births);
                *turn += 1;
            },
        ),
        Way::BatchIds => boxed(
            |mut lives: ResMut<Lives<Entity>>,
             mut population: ResMut<Population<A>>,
             ids: &EntityAllocator,
             mut commands: Commands| {
                let Lives { alive, draws, turn } = &mut *lives;
                let draw = &draws[*turn % draws.len()];
                let births = draw.iter().map(|_| T::default());
                let spawned = population.spawn_batch_ids(&mut commands, ids, births);
                draw.iter().zip(spawned).for_each(|(&at, &entity)| alive[at] = entity);
                *turn += 1;
            },
        ),
        _ => boxed(
            move |mut lives: ResMut<Lives<Entity>>,
                  mut population: ResMut<Population<A>>,
                  mut commands: Commands| {
                lives.each(|entity| {
                    let spawned = match below {
                        Below::Nothing => unreachable!(),
                        Below::TwoChildren => {
                            population.spawn(&mut commands, (T::default(), children![Part, Part]))
                        }
                        Below::TwentyNodes => {
                            let nodes: Vec<_> = (0..20).map(|_| node()).collect();
                            let nodes = Children::spawn(SpawnIter(nodes.into_iter()));
                            population.spawn(&mut commands, (T::default(), nodes))
                        }
                        Below::Scene => population.spawn(&mut commands, T::default()),
                    };
                    *entity = spawned.unwrap().id();
                    if below == Below::Scene {
                        let (root, scene) = (*entity, scene.clone());
                        commands.queue(move |world: &mut World| grow(world, root, below, &scene));
                    }
                });
                lives.turn += 1;
            },
        ),
    }
}

type Make = fn(Way) -> Measured;
const ROWS: [(&str, Make); 6] = [
    ("1", |way| measured::<A>(way, Below::Nothing, 10_000, 1000)),
    ("5", |way| measured::<Five>(way, Below::Nothing, 10_000, 1000)),
    ("15", |way| measured::<Fifteen>(way, Below::Nothing, 10_000, 1000)),
    ("children", |way| measured::<Five>(way, Below::TwoChildren, 10_000, 1000)),
    ("nodes", |way| measured::<Five>(way, Below::TwentyNodes, 200, 20)),
    ("scene", |way| measured::<Five>(way, Below::Scene, 200, 20)),
];

/// Whether a way can do this row: batches are for bundles without children.
fn has(row: &str, way: Way) -> bool {
    !matches!(way, Way::Batch | Way::BatchIds) || row.parse::<u32>().is_ok()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

const ROUNDS: usize = 15;

fn table() {
    println!("nanoseconds a life; medians of {ROUNDS} rounds in which all ways take turns");
    for (row, make) in ROWS {
        let ways = WAYS.iter().filter(|(_, way)| has(row, *way));
        let mut all: Vec<_> = ways.map(|&(name, way)| (name, make(way), Vec::new())).collect();
        for round in 0..=ROUNDS {
            for (_, measured, times) in &mut all {
                let start = Instant::now();
                (0..5).for_each(|_| measured.run());
                let time = start.elapsed().as_nanos() as f64 / (5 * measured.lives) as f64;
                // The first is not counted.
                times.extend((round > 0).then_some(time));
            }
        }
        print!("{row}:");
        all.into_iter().for_each(|(name, _, times)| print!(" {name} {:.0}", median(times)));
        println!();
    }
}

/// 10,000 are alive, 500 lives end and 500 begin, and ten systems walk over all. Prints parts of what plain Bevy takes: the
/// medians of rounds in which all ways take turns.
fn frames() {
    println!(
        "a frame of 500 lives, and of ten walks over 10,000 entities: microseconds, and of plain Bevy's"
    );
    let ways = WAYS.iter().filter(|(_, way)| {
        let noticing = Noticing::EachFrame;
        let is_default = *way == Way::Population { noticing, fixes: false };
        is_default || matches!(way, Way::Plain | Way::ByOthers | Way::Batch | Way::BatchIds)
    });
    let mut all: Vec<_> = ways
        .map(|&(name, way)| {
            let measured = measured::<Five>(way, Below::Nothing, 10_000, 500);
            (name, measured, [Vec::new(), Vec::new(), Vec::new()])
        })
        .collect();
    for round in 0..=1000 {
        let mut plain = 0.0;
        for (_, measured, [lives, walks, ratios]) in &mut all {
            let start = Instant::now();
            measured.run();
            let middle = Instant::now();
            measured.walk();
            let walked = middle.elapsed().as_nanos() as f64 / 1e3;
            let lived = (middle - start).as_nanos() as f64 / 1e3;
            // The first round is not counted, and the first way is plain Bevy.
            if plain == 0.0 {
                plain = lived + walked;
            }
            if round > 0 {
                lives.push(lived);
                walks.push(walked);
                ratios.push((lived + walked) / plain);
            }
        }
    }
    for (name, _, times) in all {
        let [lives, walks, ratio] = times.map(median);
        println!("{name}: {lives:.0} + {walks:.0}; {ratio:.2}");
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => {
            table();
            frames();
            ExitCode::SUCCESS
        }
        [only] if only == "frames" => {
            frames();
            ExitCode::SUCCESS
        }
        [list] if list == "list" => {
            for (row, _) in ROWS {
                WAYS.iter()
                    .filter(|(_, way)| has(row, *way))
                    .for_each(|(way, _)| println!("{row} {way}"));
            }
            ExitCode::SUCCESS
        }
        [row, way] => {
            let row = ROWS.iter().find(|(name, _)| name == row);
            let way = WAYS.iter().find(|(name, _)| name == way);
            let (Some((row, make)), Some(&(_, way))) = (row, way) else { return usage() };
            if !has(row, way) {
                return usage();
            }
            let mut measured = make(way);
            (0..3).for_each(|_| measured.run());
            counted(&mut measured);
            println!("{}", measured.lives);
            ExitCode::SUCCESS
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("costs: expected nothing, `frames`, `list`, or ROW WAY of its list");
    ExitCode::from(2)
}
