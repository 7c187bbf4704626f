//! Populations in exclusive systems, in commands that are decided late, and in tests.

use bevy_ecs::prelude::*;

use super::batch::discard_id;
use super::spawn::{KnownBundle, despawn};
use super::{Population, fixed};
use crate::full::Full;

/// Spawns members with a [`World`]: for exclusive systems, and tests.
pub trait PopulationWorld {
    /// Spawns a member with this bundle.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    ///
    /// let mut world = World::new();
    /// Population::<Bullet>::builder().capacity(1).insert_into(&mut world);
    /// let bullet = world.spawn_in::<Bullet, _>(Bullet)?;
    /// assert!(world.spawn_in::<Bullet, _>(Bullet).is_err());
    /// world.despawn(bullet);
    /// assert!(world.spawn_in::<Bullet, _>(Bullet).is_ok());
    /// # Ok::<(), Full>(())
    /// ```
    ///
    /// As after `World::spawn`, hooks and observers may have ended it already.
    ///
    /// If all places are taken, it lets members go that others ended. (Of one that ended before it had the component, Bevy notes
    /// nothing: it looks at 16 members, at others each time. [`settle_population`](Self::settle_population) looks at all.)
    ///
    /// # Errors
    ///
    /// If there is no place, and the rule is to refuse.
    ///
    /// # Panics
    ///
    /// If there is no population of `M`.
    #[track_caller]
    fn spawn_in<M: Component, B: Bundle>(&mut self, bundle: B) -> Result<Entity, Full>;

    /// Despawns all members of the population of `M`, and returns how many they were. O(capacity).
    fn clear_population<M: Component>(&mut self) -> usize;

    /// Does what an app does in `Last`, at once and for all members: lets those go that are gone, and returns how many they
    /// were. O(capacity).
    fn settle_population<M: Component>(&mut self) -> usize;
}

/// Lets members go that others ended, until there is a place.
fn look_if_full<M: Component>(world: &mut World) {
    loop {
        let population = world.resource::<Population<M>>();
        if !population.is_full() {
            return;
        }
        let Some((gone, removed)) = population.next_removed(world) else { break };
        let mut population = world.resource_mut::<Population<M>>();
        population.removed = removed;
        population.leave(gone);
    }
    let (gone, next) = world.resource::<Population<M>>().find_gone(world.entities());
    let mut population = world.resource_mut::<Population<M>>();
    population.next_look = next;
    if let Some(gone) = gone {
        population.leave(gone);
    }
}

impl PopulationWorld for World {
    #[track_caller]
    fn spawn_in<M: Component, B: Bundle>(&mut self, bundle: B) -> Result<Entity, Full> {
        let Some(population) = self.get_resource::<Population<M>>() else { panic_without::<M>() };
        if population.is_full() {
            look_if_full::<M>(self);
        }
        let mut population = self.resource_mut::<Population<M>>();
        let handle = population.take()?;
        let place = handle.index() as usize;
        let kind = KnownBundle::of::<M, B>();
        let is_new = population.is_new_bundle(kind);
        if population.has_fixed_indices {
            let next = population.next_id(handle);
            let entity = next.unwrap_or_else(|| self.entity_allocator().alloc());
            let mut population = self.resource_mut::<Population<M>>();
            population.settle_in(place, entity);
            if next.is_none() {
                population.indices[place].is_reserved = true;
            }
            fixed::begin(self, handle, entity, false, bundle);
            return Ok(entity);
        }
        let evicted = population.members[place].take();
        let entity = self.entity_allocator().alloc();
        self.resource_mut::<Population<M>>().settle_in(place, entity);
        if let Some(evicted) = evicted {
            despawn::<M>(self, evicted);
        }
        // Hooks and observers of the one that was evicted have run.
        let is_member = |world: &World| {
            world.get_resource::<Population<M>>().is_some_and(|of| of.contains(entity))
        };
        if evicted.is_none() || is_member(self) {
            let _spawned = self.spawn_at(entity, bundle);
        } else {
            discard_id(self, entity);
        }
        if is_new {
            (kind.warn)(self);
        }
        Ok(entity)
    }

    fn clear_population<M: Component>(&mut self) -> usize {
        let Some(population) = self.get_resource::<Population<M>>() else { return 0 };
        let (members, capacity) = (population.len(), population.places.capacity());
        for place in 0..capacity {
            let Some(mut population) = self.get_resource_mut::<Population<M>>() else { break };
            let Some(entity) = population.at(place) else { continue };
            if population.has_fixed_indices {
                if let Some(handle) = population.await_end(place, entity) {
                    fixed::end(self, handle, entity);
                }
            } else {
                population.vacate(place);
                despawn::<M>(self, entity);
            }
        }
        members
    }

    fn settle_population<M: Component>(&mut self) -> usize {
        let Some(mut population) = self.get_resource_mut::<Population<M>>() else { return 0 };
        let members = population.len();
        let doomed = core::mem::take(&mut population.doomed);
        let population = self.resource::<Population<M>>();
        let known =
            (0..population.places.capacity()).filter_map(|place| population.known_at(place));
        let gone: Vec<Entity> = known.filter(|&entity| !self.entities().contains(entity)).collect();
        for &entity in &gone {
            self.resource_mut::<Population<M>>().leave(entity);
        }
        for entity in doomed {
            despawn::<M>(self, entity);
        }
        let left = self.get_resource::<Population<M>>().map_or(members, Population::len);
        members.saturating_sub(left)
    }
}

#[cold]
#[track_caller]
fn panic_without<M>() -> ! {
    let name = core::any::type_name::<M>();
    panic!(
        "there is no population of {name}: call `App::add_population` first, or the builder's `insert_into`"
    )
}

/// Spawns members with [`Commands`], for systems that should run beside each other: they need no access to the population,
/// which decides when the commands are applied.
pub trait PopulationCommands {
    /// Spawns a member with this bundle if there is a place then; if not, the population counts a refusal. Does nothing if
    /// there is no such population.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    /// fn sparkle(mut commands: Commands) {
    ///     commands.spawn_in::<Spark, _>(Spark);
    /// }
    /// # bevy_ecs::system::assert_is_system(sparkle);
    /// ```
    fn spawn_in<M: Component, B: Bundle>(&mut self, bundle: B);

    /// Despawns all members of the population of `M`, if there is one. O(capacity).
    fn clear_population<M: Component>(&mut self);
}

impl PopulationCommands for Commands<'_, '_> {
    fn spawn_in<M: Component, B: Bundle>(&mut self, bundle: B) {
        self.queue(move |world: &mut World| {
            if world.contains_resource::<Population<M>>() {
                let _counted = world.spawn_in::<M, B>(bundle);
            }
        });
    }

    fn clear_population<M: Component>(&mut self) {
        self.queue(|world: &mut World| {
            world.clear_population::<M>();
        });
    }
}
