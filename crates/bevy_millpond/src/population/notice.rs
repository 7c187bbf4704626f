//! How a population learns that others ended a member.

use bevy_ecs::entity::Entities;
use bevy_ecs::lifecycle::{HookContext, RemovedComponentEntity};
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;

use super::{Home, Population};

/// When a population learns that others ended a member: by `commands.entity(entity).despawn()`, a despawn of its parent, a state
/// that is left, or by removing its component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub enum Noticing {
    /// At the end of the frame, in `Last`, from what Bevy notes of each component that is removed: some 65 instructions
    /// more for each member than an end by [`Population::despawn`]. Beside that, the population looks at one of 64 members in each
    /// frame, so that it also finds those that nobody told it of.
    ///
    /// So a place is vacant in the next frame at the latest; and if all places are taken, [`Population::spawn`] looks itself
    /// for members that are gone. [`Population::despawn`] makes a place vacant at once.
    #[default]
    EachFrame,
    /// At once, by a hook of the component, which takes some 180 to 300 instructions for each member that ends: a quarter of the life
    /// of a small entity. The component may have no hook `on_remove` of its own.
    AtOnce,
}

/// How many members a spawn in a `World` looks at that finds all places taken.
const LOOKS: usize = 16;
/// Each frame looks at so many parts of the members.
const PARTS: usize = 64;

impl<M: Component> Population<M> {
    /// If all places are taken, lets a member go that is gone, if there is one. Whoever was looked at in vain is not looked at
    /// again before the caller's commands are applied: by his commands, nobody goes until then.
    pub(super) fn look_if_full(&mut self, commands: &mut Commands) {
        if !self.is_full() || self.looked_in_vain {
            return;
        }
        self.looked_in_vain = !self.look(|entity| commands.get_entity(entity).is_err());
        if self.looked_in_vain {
            commands.queue(|world: &mut World| {
                if let Some(mut population) = world.get_resource_mut::<Self>() {
                    population.bypass_change_detection().looked_in_vain = false;
                }
            });
        }
    }

    /// Lets all members go that are gone. O(capacity).
    pub(super) fn look_at_all(&mut self, mut is_gone: impl FnMut(Entity) -> bool) {
        for place in 0..self.places.capacity() {
            if let Some(entity) = self.known_at(place)
                && is_gone(entity)
            {
                self.leave(entity);
            }
        }
    }

    /// Who lost the component next, by what Bevy notes of it, and where to read on.
    pub(super) fn next_removed(
        &self,
        world: &World,
    ) -> Option<(Entity, MessageCursor<RemovedComponentEntity>)> {
        let notes = world.removed_components().get(world.component_id::<M>()?)?;
        let mut removed = self.removed.clone();
        let entity = removed.read(notes).next()?.clone().into();
        Some((entity, removed))
    }

    /// The first of a few members that is gone though Bevy has noted nothing, and where the next look begins.
    pub(super) fn find_gone(&self, entities: &Entities) -> (Option<Entity>, usize) {
        let places = &self.members;
        let mut next = self.next_look;
        for _ in 0..LOOKS.min(places.len()) {
            let looked_at = self.known_at(next);
            next = if next + 1 < places.len() { next + 1 } else { 0 };
            if looked_at.is_some_and(|entity| !entities.contains(entity)) {
                return (looked_at, next);
            }
        }
        (None, next)
    }

    /// Lets the next member go that is gone. Returns whether there is one.
    fn look(&mut self, mut is_gone: impl FnMut(Entity) -> bool) -> bool {
        (0..self.places.capacity()).any(|_| {
            let looked_at = self.next_to_look_at();
            looked_at.is_some_and(|entity| is_gone(entity) && self.leave(entity))
        })
    }

    fn next_to_look_at(&mut self) -> Option<Entity> {
        let place = self.next_look;
        self.next_look = if place + 1 < self.places.capacity() { place + 1 } else { 0 };
        self.known_at(place)
    }

    /// Lets all members go that are gone, and returns how many they were. O(capacity). An app does it part by part, in `Last`;
    /// call it in a world without one.
    ///
    /// ```
    /// use bevy_ecs::entity::Entities;
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    /// fn look(entities: &Entities, mut bullets: ResMut<Population<Bullet>>) {
    ///     let gone = bullets.sweep(entities);
    /// }
    /// # bevy_ecs::system::assert_is_system(look);
    /// ```
    pub fn sweep(&mut self, entities: &Entities) -> usize {
        let members = self.len();
        self.look_at_all(|entity| !entities.contains(entity));
        members - self.len()
    }
}

impl<M: Component> Population<M> {
    /// Lets a member go that is gone, or that was not spawned the last time either, some 64 frames ago: whatever was to spawn it
    /// was dropped, as after a panic. Should it come after all, it has no place.
    fn look_at(&mut self, entity: Entity, entities: &Entities) {
        match entities.get(entity) {
            Err(_) => {
                self.leave(entity);
            }
            Ok(None) => {
                if !self.doubted.insert(entity) {
                    self.leave(entity);
                    self.doomed.push(entity);
                }
            }
            Ok(Some(_)) => {}
        }
    }

    /// Keeps the doubts about members that still wait for their spawn.
    fn forget_doubts(&mut self, entities: &Entities) {
        if self.doubted.is_empty() {
            return;
        }
        let mut doubted = core::mem::take(&mut self.doubted);
        doubted.retain(|&entity| self.contains(entity) && !entities.contains_spawned(entity));
        self.doubted = doubted;
    }
}

/// The end of a frame.
pub(crate) fn notice<M: Component>(
    population: Option<ResMut<Population<M>>>,
    mut removed: RemovedComponents<M>,
    entities: &Entities,
    mut commands: Commands,
) {
    let Some(mut population) = population else { return };
    let members = population.len();
    let quiet = population.bypass_change_detection();
    quiet.looked_in_vain = false;
    for entity in removed.read() {
        quiet.leave(entity);
    }
    let capacity = quiet.places.capacity();
    for _ in 0..capacity.div_ceil(PARTS) {
        if let Some(entity) = quiet.next_to_look_at() {
            quiet.look_at(entity, entities);
        }
    }
    quiet.forget_doubts(entities);
    quiet.doomed.retain(|&entity| {
        let is_spawned = entities.contains_spawned(entity);
        if is_spawned {
            commands.entity(entity).try_despawn();
        }
        !is_spawned && entities.contains(entity)
    });
    if quiet.len() != members {
        population.set_changed();
    }
}

/// Has the component tell the population.
#[track_caller]
pub(super) fn hook<M: Component>(world: &mut World, name: &str) {
    let marker = world.register_component::<M>();
    if core::mem::replace(&mut world.resource_mut::<Home<M>>().is_hooked, true) {
        return;
    }
    let is_used = world.archetypes().iter().any(|archetype| archetype.contains(marker));
    assert!(
        !is_used,
        "population {name:?}: there are entities with its component already, and Bevy adds hooks before the first one: add \
         the population first"
    );
    let hooks = world.register_component_hooks::<M>();
    assert!(
        hooks.try_on_remove(leave::<M>).is_some(),
        "population {name:?}: its component has a hook `on_remove` of its own: call `Population::leave` in it, and build the \
         population with `Noticing::EachFrame`"
    );
}

fn leave<M: Component>(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut population) = world.get_resource_mut::<Population<M>>() {
        population.leave(context.entity);
    }
}

#[cfg(test)]
mod tests {
    use bevy_app::App;

    use super::*;
    use crate::AddPopulation;
    use crate::population::{PopulationCommands, PopulationWorld};

    #[derive(Component)]
    struct Bullet;

    fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
        bullets.spawn(&mut commands, Bullet).unwrap();
    }

    /// What was to be looked at again, or despawned, is on a list for a few frames.
    #[test]
    fn lists_become_empty_again() {
        let mut app = App::new();
        app.add_population(Population::<Bullet>::builder().capacity(1));
        let world = app.world_mut();
        let mut shoot = IntoSystem::into_system(shoot);
        shoot.initialize(world);
        for ends_first in [false, true] {
            let world = app.world_mut();
            shoot.run_without_applying_deferred((), world).unwrap();
            app.update();
            assert_eq!(app.world().resource::<Population<Bullet>>().doubted.len(), 1);
            if ends_first {
                app.world_mut().clear_population::<Bullet>();
            }
            app.update();
            let bullets = app.world().resource::<Population<Bullet>>();
            assert_eq!((bullets.doubted.len(), bullets.doomed.len()), (0, 1), "{ends_first}");
            shoot.apply_deferred(app.world_mut());
            app.update();
            app.update();
            let bullets = app.world().resource::<Population<Bullet>>();
            assert_eq!((bullets.doubted.len(), bullets.doomed.len()), (0, 0), "{ends_first}");
        }
        // One that is ended before it is spawned, and never is.
        app.add_observer(|_: On<Remove<Bullet>>, mut commands: Commands| {
            commands.clear_population::<Bullet>();
        });
        let builder = Population::<Bullet>::builder().capacity(1);
        builder.when_full(crate::WhenFull::EvictOldest).insert_into(app.world_mut());
        (0..2).for_each(|_| assert!(app.world_mut().spawn_in::<Bullet, _>(Bullet).is_ok()));
        assert_eq!(app.world().resource::<Population<Bullet>>().doomed.len(), 1);
        app.update();
        assert_eq!(app.world().resource::<Population<Bullet>>().doomed.len(), 0);
    }
}
