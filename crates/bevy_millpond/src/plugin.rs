//! How an app gets pools, and what it learns of them.

use std::sync::{Mutex, PoisonError};

use bevy_app::{App, First, Last, Plugin, PreStartup};
use bevy_diagnostic::Diagnostics;
use bevy_ecs::prelude::*;
use millpond::recorder::Recorder;
use millpond_overflow::budget::{Budget, Entry};

use crate::builder::{EntityPoolBuilder, prewarm};
use crate::figures::{Figures, RegisterMeasures};
use crate::full::WhenFull;
use crate::home::bury;
use crate::life::settle;
use crate::pool::EntityPool;
use crate::population::{Population, PopulationBuilder, notice};

/// What the pools of an app share: a budget with their capacities, and a recorder. Add it before the pools.
/// [`add_entity_pool`](AddEntityPool::add_entity_pool) adds it without either.
///
/// ```
/// use bevy_app::App;
/// use bevy_millpond::prelude::*;
/// use millpond::recorder::Recorder;
/// use millpond_overflow::budget::{Budget, Entry};
///
/// struct Bullet;
/// let mut budget = Budget::new();
/// budget.insert("level 1", "Bullet", Entry::new(512))?;
/// let recorder = Recorder::to_writer(std::io::sink())?; // in a game: Recorder::create("game.trace")
///
/// let mut app = App::new();
/// app.add_plugins(MillpondPlugin::default().budget(budget, "level 1").recorder(recorder));
/// app.add_entity_pool(EntityPool::<Bullet>::builder());
/// assert_eq!(app.world().resource::<EntityPool<Bullet>>().capacity(), 512);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MillpondPlugin {
    budget: Option<Scenario>,
    // A plugin is built from a shared reference.
    recorder: Mutex<Option<Recorder>>,
}

/// The capacities of pools that set none.
#[derive(Resource, Clone, Debug)]
struct Scenario {
    budget: Budget,
    name: String,
}

/// Records the pools of the app: each life, by [the pool's name](EntityPool::name), and each frame as a tick. `millpond
/// watch` shows the file while the app runs, and `millpond plan` computes the pools' sizes from it.
///
/// The trace is complete once this resource is removed or dropped; to see errors, remove it and call
/// [`Recorder::finish`].
#[derive(Resource, Debug)]
pub struct PoolRecorder(pub Recorder);

impl MillpondPlugin {
    /// Takes the capacities and rules of those pools that set none from a scenario of a [`Budget`], by the pools' names.
    #[must_use]
    pub fn budget(mut self, budget: Budget, scenario: impl Into<String>) -> Self {
        self.budget = Some(Scenario { budget, name: scenario.into() });
        self
    }

    /// Records all pools that are added later; see [`PoolRecorder`].
    #[must_use]
    pub fn recorder(self, recorder: Recorder) -> Self {
        Self { recorder: Mutex::new(Some(recorder)), ..self }
    }
}

impl Plugin for MillpondPlugin {
    // So that the message below is read, which says what to do.
    fn is_unique(&self) -> bool {
        false
    }

    fn build(&self, app: &mut App) {
        assert!(
            !app.world().contains_resource::<Figures>(),
            "there is a MillpondPlugin already: add yours once, and before the first population or pool, which would add one \
             without a budget and a recorder"
        );
        app.register_type::<Figures>().init_resource::<Figures>();
        if let Some(budget) = &self.budget {
            app.insert_resource(budget.clone());
        }
        if let Some(recorder) = self.recorder.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            app.insert_resource(PoolRecorder(recorder));
            // Before the frame, whose births and deaths are those of the new tick.
            app.add_systems(First, tick);
        }
    }
}

fn tick(recorder: Option<Res<PoolRecorder>>) {
    if let Some(recorder) = recorder {
        recorder.0.tick();
    }
}

/// Adds pools to an [`App`].
pub trait AddEntityPool {
    /// Adds a pool: as a resource at once, its entities in `PreStartup` if it is to be prewarmed. Registers the diagnostics
    /// `pools/NAME/live`, `peak`, `refused` and `evicted`, which are measured in `Last`. In debug builds, sleeping entities
    /// that something else woke are put back to sleep in `Last`
    /// ([`settle_pool`](crate::PooledWorld::settle_pool)).
    ///
    /// # Panics
    ///
    /// If neither the builder nor the budget of the [`MillpondPlugin`] has a capacity for this pool, or if there is a pool of `M`
    /// already.
    fn add_entity_pool<M: Send + Sync + 'static>(
        &mut self,
        pool: EntityPoolBuilder<M>,
    ) -> &mut Self;
}

impl AddEntityPool for App {
    #[track_caller]
    fn add_entity_pool<M: Send + Sync + 'static>(
        &mut self,
        mut pool: EntityPoolBuilder<M>,
    ) -> &mut Self {
        if !self.is_plugin_added::<MillpondPlugin>() {
            self.add_plugins(MillpondPlugin::default());
        }
        if pool.capacity.is_none()
            && let Some(entry) = entry_of(self.world(), pool.settings.name)
        {
            pool.capacity = Some(entry.capacity());
            if !pool.has_rule {
                pool.settings.when_full = WhenFull::of(entry);
            }
        }
        let name = pool.settings.name;
        refuse_second::<EntityPool<M>>(self.world(), "pool", name);
        if let Some(make_ahead) = pool.insert_cold(self.world_mut()) {
            self.add_systems(PreStartup, move |world: &mut World| prewarm::<M>(world, &make_ahead));
        }
        record(self.world_mut(), |world, recorder| {
            world.resource_mut::<EntityPool<M>>().record(recorder);
        });
        let measure = self.register_measures("pools", name);
        self.add_systems(
            Last,
            move |pool: Option<Res<EntityPool<M>>>,
                  diagnostics: Diagnostics,
                  figures: Option<ResMut<Figures>>| {
                if let Some(pool) = pool {
                    measure.note(pool.capacity(), pool.stats(), diagnostics, figures);
                }
            },
        );
        self.add_systems(Last, |world: &mut World| {
            bury::<M>(world);
            if cfg!(debug_assertions) {
                settle::<M>(world);
            }
        })
    }
}

/// Adds populations to an [`App`].
pub trait AddPopulation {
    /// Adds a population, as a resource. Registers the diagnostics `populations/NAME/live`, `peak`, `refused` and `evicted`, which
    /// are measured in `Last`, after the population has [noticed](crate::Noticing) whom others ended.
    ///
    /// # Panics
    ///
    /// If neither the builder nor the budget of the [`MillpondPlugin`] has a capacity for it, if there is a population of `M`
    /// already, and in the cases of [`insert_into`](PopulationBuilder::insert_into).
    fn add_population<M: Component>(&mut self, population: PopulationBuilder<M>) -> &mut Self;
}

impl AddPopulation for App {
    #[track_caller]
    fn add_population<M: Component>(&mut self, mut population: PopulationBuilder<M>) -> &mut Self {
        if !self.is_plugin_added::<MillpondPlugin>() {
            self.add_plugins(MillpondPlugin::default());
        }
        let name = population.name;
        refuse_second::<Population<M>>(self.world(), "population", name);
        if population.capacity.is_none()
            && let Some(entry) = entry_of(self.world(), name)
        {
            population.capacity = Some(entry.capacity());
            population.when_full.get_or_insert(WhenFull::of(entry));
        }
        population.insert_into(self.world_mut());
        record(self.world_mut(), |world, recorder| {
            world.resource_mut::<Population<M>>().record(recorder);
        });
        let measure = self.register_measures("populations", name);
        let measure = move |population: Option<Res<Population<M>>>,
                            diagnostics: Diagnostics,
                            figures: Option<ResMut<Figures>>| {
            if let Some(population) = population {
                measure.note(population.capacity(), population.stats(), diagnostics, figures);
            }
        };
        self.add_systems(Last, (notice::<M>, measure).chain())
    }
}

/// A second one would take the place of the first without a word.
#[track_caller]
fn refuse_second<R: Resource>(world: &World, what: &str, name: &str) {
    assert!(
        !world.contains_resource::<R>(),
        "{what} {name:?} is added twice: there is one for each marker type, so give the second a marker of its own"
    );
}

/// Does something with the app's recorder, if there is one.
fn record(world: &mut World, act: impl FnOnce(&mut World, &Recorder)) {
    world.try_resource_scope(|world, recorder: Mut<PoolRecorder>| act(world, &recorder.0));
}

/// What the app's budget says of the pool of this name.
#[track_caller]
fn entry_of(world: &World, pool: &str) -> Option<Entry> {
    let Scenario { budget, name } = world.get_resource::<Scenario>()?;
    match budget.scenario(name).and_then(|scenario| scenario.entry(pool)) {
        Ok(entry) => Some(entry),
        Err(error) => panic!("the budget of `MillpondPlugin`: {error}"),
    }
}
