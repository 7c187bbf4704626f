//! How members begin and end, by the commands of the caller.

use core::any::TypeId;

use bevy_ecs::error::{BevyError, ErrorContext, Severity};
use bevy_ecs::prelude::*;
use bevy_utils::prelude::DebugName;
use millpond::Handle;
use millpond_overflow::Policy;

use super::Population;
use super::place::Member;
use crate::full::Full;

impl<M: Component> Population<M> {
    /// Spawns a member with this bundle, in the caller's own queue of commands, so that what the caller adds comes after it.
    /// The bundle names `M`, or requires it.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    /// #[derive(Component)]
    /// struct Tracer;
    ///
    /// fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    ///     let Ok(mut bullet) = bullets.spawn(&mut commands, Bullet) else { return };
    ///     bullet.insert(Tracer);
    /// }
    /// # bevy_ecs::system::assert_is_system(shoot);
    /// ```
    ///
    /// If all places are taken, the population first looks for a member that is gone: O(capacity) for the first spawn that finds
    /// none before commands are applied, O(1) for the next ones.
    ///
    /// # Errors
    ///
    /// If there is no place, and the rule is to refuse.
    #[inline(always)]
    #[track_caller]
    pub fn spawn<'a, B: Bundle>(
        &mut self,
        commands: &'a mut Commands,
        bundle: B,
    ) -> Result<EntityCommands<'a>, Full> {
        let is_quick = self.quick_bundle == TypeId::of::<B>();
        let birth = match is_quick.then(|| self.places.take_any()).flatten() {
            Some(place) => Birth::Anywhere { place },
            None => self.make_room(commands, KnownBundle::of::<M, B>())?,
        };
        Ok(self.begin(commands, birth, bundle))
    }

    /// Takes a place, whatever the rule, for a bundle of any type.
    #[inline(never)]
    #[track_caller]
    fn make_room(
        &mut self,
        commands: &mut Commands,
        bundle: KnownBundle,
    ) -> Result<Birth<M>, Full> {
        self.look_if_full(commands);
        let handle = self.take()?;
        Ok(self.prepare(commands, handle, bundle))
    }

    /// The same as [`spawn`](Self::spawn), but if all places are taken, despawns the member with the least `key`, whatever the
    /// rule is. O(capacity) then. Read the key from a query of your own:
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Voice {
    ///     loudness: u32,
    /// }
    ///
    /// fn play(mut commands: Commands, mut voices: ResMut<Population<Voice>>, playing: Query<&Voice>) {
    ///     let loudness = |entity| playing.get(entity).map_or(u32::MAX, |voice: &Voice| voice.loudness);
    ///     voices.spawn_evicting(&mut commands, Voice { loudness: 7 }, loudness).unwrap();
    /// }
    /// # bevy_ecs::system::assert_is_system(play);
    /// ```
    ///
    /// Members that were spawned in this system, or since the last commands were applied, are in no query yet: give them the
    /// greatest key, as here, and they stay. Those of a [`spawn_batch`](Self::spawn_batch) have no id yet; no key is asked for,
    /// and they stay as long as there are others.
    ///
    /// # Errors
    ///
    /// If the capacity is 0.
    #[track_caller]
    pub fn spawn_evicting<'a, B: Bundle, K: Ord>(
        &mut self,
        commands: &'a mut Commands,
        bundle: B,
        key: impl FnMut(Entity) -> K,
    ) -> Result<EntityCommands<'a>, Full> {
        self.look_if_full(commands);
        let handle = self.take_evicting(key)?;
        let birth = self.prepare(commands, handle, KnownBundle::of::<M, B>());
        Ok(self.begin(commands, birth, bundle))
    }

    /// The same as [`spawn_evicting`](Self::spawn_evicting), but refuses the new one if all members have greater keys than its
    /// own. Of equal keys, the new one has the place.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Voice {
    ///     loudness: u32,
    /// }
    ///
    /// fn play(mut commands: Commands, mut voices: ResMut<Population<Voice>>, playing: Query<&Voice>) {
    ///     let loudness = |entity| playing.get(entity).map_or(u32::MAX, |voice: &Voice| voice.loudness);
    ///     if voices.spawn_unless_least(&mut commands, Voice { loudness: 7 }, 7, loudness).is_err() {
    ///         // All that play are louder.
    ///     }
    /// }
    /// # bevy_ecs::system::assert_is_system(play);
    /// ```
    ///
    /// # Errors
    ///
    /// If all places are taken by members with greater keys.
    #[track_caller]
    pub fn spawn_unless_least<'a, B: Bundle, K: Ord>(
        &mut self,
        commands: &'a mut Commands,
        bundle: B,
        key_of_bundle: K,
        key: impl FnMut(Entity) -> K,
    ) -> Result<EntityCommands<'a>, Full> {
        self.look_if_full(commands);
        let handle = self.take_unless_least(key_of_bundle, key)?;
        let birth = self.prepare(commands, handle, KnownBundle::of::<M, B>());
        Ok(self.begin(commands, birth, bundle))
    }

    /// Despawns a member with the commands, and returns whether it was one. **Its place is vacant at once**, for a spawn in the
    /// same system; after `commands.entity(entity).despawn()`, which is as good otherwise, it is when the population
    /// [notices](super::Noticing). With [fixed indices](super::PopulationBuilder::fixed_indices), it is when the
    /// commands are applied.
    #[inline(always)]
    pub fn despawn(&mut self, commands: &mut Commands, entity: Entity) -> bool {
        if self.has_fixed_indices {
            return self.despawn_fixed(commands, entity);
        }
        let Some(place) = self.take_out(entity) else { return false };
        self.places.pass_on(place);
        commands.queue(move |world: &mut World| despawn::<M>(world, entity));
        true
    }

    /// Despawns all members with the commands, as at the end of a level, and returns how many they were. O(capacity).
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    /// fn end_of_level(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    ///     bullets.clear(&mut commands); // in an app with states, a system of `OnExit(…)`
    /// }
    /// # bevy_ecs::system::assert_is_system(end_of_level);
    /// ```
    ///
    /// With `DespawnOnExit` in the bundle, its members end as well, but their places are vacant when the population
    /// [notices](super::Noticing) that.
    pub fn clear(&mut self, commands: &mut Commands) -> usize {
        let members = self.len();
        self.overtaken += 1;
        self.places.settle();
        for place in 0..self.places.capacity() {
            match self.members[place].get() {
                Some(entity) => self.end(commands, place, entity),
                // Of a batch that is still in a queue, which then does not spawn it.
                None if !self.has_fixed_indices => self.vacate(place),
                None => {}
            }
        }
        members
    }

    fn end(&mut self, commands: &mut Commands, place: usize, entity: Entity) {
        if self.has_fixed_indices {
            self.end_fixed(commands, place, entity);
        } else {
            self.vacate(place);
            commands.queue(move |world: &mut World| despawn::<M>(world, entity));
        }
    }

    /// Takes a place, and evicts if that is the rule: the place then still names the entity that was there.
    #[inline]
    pub(super) fn take(&mut self) -> Result<Handle<M>, Full> {
        let is_full = self.is_full();
        let taken = match &mut self.oldest {
            Some(oldest) => oldest.insert(self.places.all(), ()).ok().map(|(handle, _)| handle),
            None => self.places.acquire(),
        };
        self.overtaken += u64::from(is_full && taken.is_some());
        taken.ok_or_else(|| self.full())
    }

    pub(super) fn take_evicting<K: Ord>(
        &mut self,
        mut key: impl FnMut(Entity) -> K,
    ) -> Result<Handle<M>, Full> {
        self.overtaken += u64::from(self.is_full());
        let members = &self.members;
        let key = |handle: Handle<M>, _: &_| Key::of(&members[handle.index() as usize], &mut key);
        let taken = self.places.all().try_insert_or_evict((), key).ok().map(|(handle, _)| handle);
        self.note_age(taken)
    }

    pub(super) fn take_unless_least<K: Ord>(
        &mut self,
        key_of_bundle: K,
        mut key: impl FnMut(Entity) -> K,
    ) -> Result<Handle<M>, Full> {
        self.overtaken += u64::from(self.is_full());
        let mut key_of =
            |handle: Handle<M>| Key::of(&self.members[handle.index() as usize], &mut key);
        let least = self.places.handles().map(|handle| (key_of(handle), handle));
        let least = if self.is_full() { least.min_by(|a, b| a.0.cmp(&b.0)) } else { None };
        let taken = match least {
            Some((least, victim)) if least <= Key::Known(key_of_bundle) => {
                let places = self.places.all();
                let evicted = places.try_insert_or_evict((), |handle, _| handle != victim);
                evicted.ok().map(|(handle, _)| handle)
            }
            // A full one counts a refusal.
            _ => self.places.all().acquire(),
        };
        self.note_age(taken)
    }

    fn note_age(&mut self, taken: Option<Handle<M>>) -> Result<Handle<M>, Full> {
        if let (Some(handle), Some(oldest)) = (taken, &mut self.oldest) {
            oldest.note(handle);
        }
        taken.ok_or_else(|| self.full())
    }

    #[cold]
    fn full(&self) -> Full {
        Full { name: self.name, capacity: self.places.capacity() }
    }

    /// Despawns whom this place was taken from, and decides which entity is to be spawned there.
    #[inline(never)]
    #[track_caller]
    fn prepare(
        &mut self,
        commands: &mut Commands,
        handle: Handle<M>,
        bundle: KnownBundle,
    ) -> Birth<M> {
        self.look_at_bundle(commands, bundle);
        if self.has_fixed_indices {
            return self.prepare_fixed(commands, handle);
        }
        let place = handle.index();
        if let Some(evicted) = self.members[place as usize].take() {
            commands.queue(move |world: &mut World| despawn::<M>(world, evicted));
        }
        Birth::Anywhere { place }
    }

    #[inline(always)]
    #[track_caller]
    fn begin<'a, B: Bundle>(
        &mut self,
        commands: &'a mut Commands,
        birth: Birth<M>,
        bundle: B,
    ) -> EntityCommands<'a> {
        match birth {
            Birth::Anywhere { place } => {
                let spawned = commands.spawn(bundle);
                self.settle_in(place as usize, spawned.id());
                spawned
            }
            Birth::At { handle, entity, is_made } => {
                Self::queue_fixed(commands, handle, entity, is_made, bundle);
                commands.entity(entity)
            }
        }
    }

    /// Looks once at each type of bundle: whether it has an `M`.
    pub(super) fn look_at_bundle(&mut self, commands: &mut Commands, bundle: KnownBundle) {
        if self.is_new_bundle(bundle) {
            commands.queue(bundle.warn);
        }
    }

    pub(super) fn is_new_bundle(&mut self, bundle: KnownBundle) -> bool {
        self.quick_bundle != bundle.kind && self.learn_bundle(bundle.kind)
    }

    #[inline(never)]
    fn learn_bundle(&mut self, bundle: TypeId) -> bool {
        let is_new = !self.known_bundles.contains(&bundle);
        if is_new {
            self.known_bundles.push(bundle);
        }
        if self.oldest.is_none() && !self.has_fixed_indices {
            self.quick_bundle = bundle;
        }
        is_new
    }
}

/// What a place is worth.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<K> {
    Known(K),
    /// Its entity is awaited, and has no key: it goes last.
    Awaited,
}

impl<K> Key<K> {
    fn of(member: &Member, key: impl FnMut(Entity) -> K) -> Self {
        member.get().map(key).map_or(Self::Awaited, Self::Known)
    }
}

/// What the queue of commands is to spawn, in a place that was taken.
pub(super) enum Birth<M: Component> {
    Anywhere {
        place: u32,
    },
    /// With a fixed index.
    At {
        handle: Handle<M>,
        entity: Entity,
        is_made: bool,
    },
}

/// A type of bundle, and what warns if it has no `M`.
#[derive(Clone, Copy)]
pub(super) struct KnownBundle {
    kind: TypeId,
    pub(super) warn: fn(&mut World),
}

impl KnownBundle {
    #[inline]
    pub(super) fn of<M: Component, B: Bundle>() -> Self {
        Self { kind: TypeId::of::<B>(), warn: warn_of_bundle::<M, B> }
    }
}

/// Without its marker, nobody is told when the entity ends.
fn warn_of_bundle<M: Component, B: Bundle>(world: &mut World) {
    let marker = world.register_component::<M>();
    if world.register_bundle::<B>().contributed_components().contains(&marker) {
        return;
    }
    let Some(name) = world.get_resource::<Population<M>>().map(Population::name) else { return };
    let message = format!(
        "population {name:?}: the bundle {} does not have the component of the population, {}: name it in the bundle. Without \
         it, the population notices the end of a member only when it looks for it",
        core::any::type_name::<B>(),
        core::any::type_name::<M>()
    );
    warn::<M>(world, message);
}

pub(super) fn warn<M: Component>(world: &mut World, message: String) {
    let error = BevyError::new(Severity::Warning, message);
    let name = DebugName::type_name::<Population<M>>();
    world.fallback_error_handler()(error, ErrorContext::Command { name });
}

/// Despawns an entity whose place is vacant by now, or somebody else's.
#[inline]
pub(super) fn despawn<M: Component>(world: &mut World, entity: Entity) {
    if world.try_despawn(entity).is_err() {
        doom::<M>(world, entity);
    }
}

/// Bevy may apply the commands of two systems in another order than that in which the systems ran: so the spawn of this entity
/// may still be in a queue.
#[cold]
fn doom<M: Component>(world: &mut World, entity: Entity) {
    if world.entities().contains(entity)
        && let Some(mut population) = world.get_resource_mut::<Population<M>>()
    {
        population.doomed.push(entity);
    }
}
