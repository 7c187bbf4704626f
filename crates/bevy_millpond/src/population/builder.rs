//! How a population is built.

use core::fmt;
use core::marker::PhantomData;

use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::prelude::*;
use millpond::HandleAllocator;
use millpond_overflow::EvictOldest;

use super::place::{FixedIndex, Member};
use super::places::Places;
use super::{NO_BUNDLE, Noticing, Population, away, notice};
use crate::by_entity::ByEntity;
use crate::full::WhenFull;
use crate::name::short_name;

/// Builds a [`Population`].
#[must_use = "pass it to `App::add_population`, or call `insert_into`"]
pub struct PopulationBuilder<M: Component> {
    pub(crate) capacity: Option<usize>,
    pub(crate) when_full: Option<WhenFull>,
    pub(crate) name: &'static str,
    noticing: Noticing,
    has_fixed_indices: bool,
    kind: PhantomData<fn() -> M>,
}

impl<M: Component> fmt::Debug for PopulationBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PopulationBuilder")
            .field("name", &self.name)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<M: Component> Population<M> {
    /// Returns a builder of the population.
    ///
    /// ```
    /// use bevy_app::App;
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Decal;
    /// let mut app = App::new();
    /// app.add_population(Population::<Decal>::builder().capacity(512).when_full(WhenFull::EvictOldest));
    /// assert_eq!(app.world().resource::<Population<Decal>>().capacity(), 512);
    /// ```
    pub fn builder() -> PopulationBuilder<M> {
        PopulationBuilder {
            capacity: None,
            when_full: None,
            name: short_name::<M>(),
            noticing: Noticing::default(),
            has_fixed_indices: false,
            kind: PhantomData,
        }
    }
}

impl<M: Component> PopulationBuilder<M> {
    /// Sets the number of places.
    ///
    /// A population that is added to an `App` may take its capacity from a budget in place of this:
    /// [`MillpondPlugin::budget`](crate::MillpondPlugin::budget).
    pub fn capacity(mut self, places: usize) -> Self {
        self.capacity = Some(places);
        self
    }

    /// Sets what a spawn does when all places are taken; by default, it [refuses](WhenFull::Refuse).
    pub fn when_full(mut self, rule: WhenFull) -> Self {
        self.when_full = Some(rule);
        self
    }

    /// Sets the name for diagnostics, recordings, budgets and errors; by default that of `M`, without its path.
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Sets when members are noticed that others ended; by default, at [the end of the frame](Noticing::EachFrame).
    pub fn noticing(mut self, noticing: Noticing) -> Self {
        self.noticing = noticing;
        self
    }

    /// Gives each place an index of Bevy's entities for itself: all members of a place have that index, and each has the next
    /// generation. Ids then depend only on which places were taken how often, and not on what else is spawned: for
    /// rollback, and for worlds that are to agree on ids. It takes some 1,000 instructions more for each life.
    ///
    /// Members have to be despawned by [`Population::despawn`] then, or [`clear`](Population::clear). If others despawn one, its
    /// index is Bevy's again, and the place gets another: [`Population::indices_lost`].
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Player;
    ///
    /// let mut world = World::new();
    /// Population::<Player>::builder().capacity(4).fixed_indices().insert_into(&mut world);
    /// let first = world.spawn_in::<Player, _>(Player)?;
    /// world.clear_population::<Player>();
    /// world.spawn_empty(); // does not get the index
    /// let second = world.spawn_in::<Player, _>(Player)?;
    /// assert_eq!(first.index(), second.index());
    /// assert_ne!(first, second);
    /// # Ok::<(), Full>(())
    /// ```
    pub fn fixed_indices(mut self) -> Self {
        self.has_fixed_indices = true;
        self
    }

    /// Builds the population and inserts it into this world as a resource, where it replaces an earlier one, whose members live
    /// on as entities of no population. (In an `App`, use
    /// [`add_population`](crate::AddPopulation::add_population).)
    ///
    /// # Panics
    ///
    /// If no capacity was set, or if it is to [notice at once](Noticing::AtOnce) and the component has a hook `on_remove`, or was
    /// used before.
    #[track_caller]
    pub fn insert_into(self, world: &mut World) {
        let Self { capacity, when_full, name, noticing, has_fixed_indices, .. } = self;
        let Some(capacity) = capacity else {
            panic!(
                "population {name:?} needs a capacity: call `.capacity(places)` on its builder, or give `MillpondPlugin` a budget"
            );
        };
        let when_full = when_full.unwrap_or_default();
        let slots = capacity.saturating_add(when_full.beyond());
        let members = vec![Member::NONE; slots].into_boxed_slice();
        let fixed = if has_fixed_indices { slots } else { 0 };
        let indices = vec![FixedIndex::default(); fixed].into_boxed_slice();
        let all = HandleAllocator::typed_builder().capacity(slots).name(name).build();
        let oldest = (when_full == WhenFull::EvictOldest).then(|| EvictOldest::beside(&all));
        let places = Places::new(all, oldest.is_none() && !has_fixed_indices);
        let home = away::settle::<M>(world);
        if noticing == Noticing::AtOnce {
            notice::hook::<M>(world, name);
        }
        let mut population = Population::<M> {
            places,
            members,
            indices,
            oldest,
            by_entity: ByEntity::default(),
            name,
            capacity,
            when_full,
            noticing,
            has_fixed_indices,
            indices_lost: 0,
            home,
            next_look: 0,
            removed: Default::default(),
            looked_in_vain: false,
            doubted: EntityHashSet::new(),
            doomed: Vec::new(),
            known_bundles: Vec::new(),
            quick_bundle: NO_BUNDLE,
            overtaken: home << 32,
            spare: Default::default(),
        };
        if has_fixed_indices {
            population.reserve_indices(world);
        }
        world.insert_resource(population);
    }
}
