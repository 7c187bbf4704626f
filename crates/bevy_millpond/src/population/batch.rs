//! Many members at once, in one command.

use core::any::Any;

use bevy_ecs::bundle::NoBundleEffect;
use bevy_ecs::entity::EntityAllocator;
use bevy_ecs::prelude::*;
use millpond::Handle;

use super::spawn::{KnownBundle, despawn};
use super::{Population, away};

/// Memory of batches that were applied, for the next ones: so that nothing allocates in play.
pub(super) struct Spare<M> {
    bundles: Vec<Box<dyn Any + Send + Sync>>,
    handles: Vec<Vec<Handle<M>>>,
    entities: Vec<Vec<Entity>>,
    /// Of the last batch.
    ids: Vec<Entity>,
}

/// Bundles that wait for their entities.
struct Births<B>(Vec<B>);

impl<B> Default for Births<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M> Default for Spare<M> {
    fn default() -> Self {
        Self { bundles: Vec::new(), handles: Vec::new(), entities: Vec::new(), ids: Vec::new() }
    }
}

impl<M> Spare<M> {
    fn bundles<B: Send + Sync + 'static>(&mut self) -> Box<Births<B>> {
        let of_type = self.bundles.iter().position(|bundles| bundles.is::<Births<B>>());
        of_type.and_then(|at| self.bundles.swap_remove(at).downcast().ok()).unwrap_or_default()
    }
}

impl<M: Component> Population<M> {
    /// Spawns a member with each of these bundles, in one command, and returns how many there was room for. This is the
    /// fastest way to spawn, but their ids are not known before the command is applied:
    /// [`spawn_batch_ids`](Self::spawn_batch_ids) returns them at once. Children and other effects of a bundle are for
    /// [`spawn`](Self::spawn).
    ///
    /// Each bundle for which there is no place counts as a spawn that is refused, or evicts, as is the rule.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet {
    ///     angle: f32,
    /// }
    ///
    /// fn burst(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    ///     let spiral = (0..36).map(|n| Bullet { angle: n as f32 * 10.0 });
    ///     let fired = bullets.spawn_batch(&mut commands, spiral);
    /// }
    /// # bevy_ecs::system::assert_is_system(burst);
    /// ```
    #[track_caller]
    pub fn spawn_batch<B: Bundle<Effect: NoBundleEffect>>(
        &mut self,
        commands: &mut Commands,
        bundles: impl IntoIterator<Item = B>,
    ) -> usize {
        if self.has_fixed_indices {
            let spawned = bundles.into_iter().map(|bundle| self.spawn(commands, bundle).is_ok());
            return spawned.filter(|&is_spawned| is_spawned).count();
        }
        let overtaken = self.overtaken;
        let (births, handles, evicted) = self.take_batch(commands, bundles);
        let count = handles.len();
        if count > 0 {
            commands
                .queue(move |world: &mut World| begin(world, births, handles, evicted, overtaken));
        }
        count
    }

    /// The same as [`spawn_batch`](Self::spawn_batch), but returns the entities of those that there was room for, in the order
    /// of their bundles. It takes the ids from the allocator of the world, which is a parameter of the system, and some 160
    /// instructions more for each.
    ///
    /// ```
    /// use bevy_ecs::entity::EntityAllocator;
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Wagon;
    /// #[derive(Component)]
    /// struct Behind(Entity);
    ///
    /// fn train(mut commands: Commands, ids: &EntityAllocator, mut wagons: ResMut<Population<Wagon>>) {
    ///     let wagons = wagons.spawn_batch_ids(&mut commands, ids, (0..5).map(|_| Wagon));
    ///     for pair in wagons.windows(2) {
    ///         commands.entity(pair[1]).insert(Behind(pair[0]));
    ///     }
    /// }
    /// # bevy_ecs::system::assert_is_system(train);
    /// ```
    #[track_caller]
    pub fn spawn_batch_ids<B: Bundle<Effect: NoBundleEffect>>(
        &mut self,
        commands: &mut Commands,
        ids: &EntityAllocator,
        bundles: impl IntoIterator<Item = B>,
    ) -> &[Entity] {
        let mut spawned = core::mem::take(&mut self.spare.ids);
        spawned.clear();
        if self.has_fixed_indices {
            for bundle in bundles {
                spawned.extend(self.spawn(commands, bundle).map(|bundle| bundle.id()));
            }
        } else {
            let (births, handles, evicted) = self.take_batch(commands, bundles);
            spawned.extend(ids.alloc_many(handles.len() as u32));
            // If the batch has evicted its own, the last in a place is its member.
            for (handle, &entity) in handles.iter().zip(&spawned) {
                self.settle_in(handle.index() as usize, entity);
            }
            self.spare.handles.push(handles);
            let mut entities = self.spare.entities.pop().unwrap_or_default();
            entities.clear();
            entities.extend_from_slice(&spawned);
            if !entities.is_empty() {
                commands.queue(move |world: &mut World| {
                    begin_at::<M, B>(world, births, entities, evicted)
                });
            }
        }
        self.spare.ids = spawned;
        &self.spare.ids
    }

    /// Despawns these entities with one command, as [`despawn`](Self::despawn) does, and returns how many of them were members.
    /// Others are left alone.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet {
    ///     frames_left: u32,
    /// }
    ///
    /// fn age(
    ///     mut commands: Commands,
    ///     mut bullets: ResMut<Population<Bullet>>,
    ///     mut flying: Query<(Entity, &mut Bullet)>,
    /// ) {
    ///     let over = flying.iter_mut().filter_map(|(entity, mut bullet)| {
    ///         bullet.frames_left = bullet.frames_left.saturating_sub(1);
    ///         (bullet.frames_left == 0).then_some(entity)
    ///     });
    ///     bullets.despawn_batch(&mut commands, over);
    /// }
    /// # bevy_ecs::system::assert_is_system(age);
    /// ```
    pub fn despawn_batch(
        &mut self,
        commands: &mut Commands,
        entities: impl IntoIterator<Item = Entity>,
    ) -> usize {
        if self.has_fixed_indices {
            let ended = entities.into_iter().filter(|&entity| self.despawn(commands, entity));
            return ended.count();
        }
        let mut dead = self.spare.entities.pop().unwrap_or_default();
        dead.clear();
        for entity in entities {
            if let Some(place) = self.take_out(entity) {
                self.places.remove_at(place);
                dead.push(entity);
            }
        }
        let count = dead.len();
        commands.queue(move |world: &mut World| {
            for &entity in &dead {
                despawn::<M>(world, entity);
            }
            if let Some(mut population) = world.get_resource_mut::<Population<M>>() {
                population.spare.entities.push(dead);
            }
        });
        count
    }

    /// Takes places for bundles: those that got one, their places, and whom these were taken from.
    fn take_batch<B: Bundle>(
        &mut self,
        commands: &mut Commands,
        bundles: impl IntoIterator<Item = B>,
    ) -> (Box<Births<B>>, Vec<Handle<M>>, Vec<Entity>) {
        self.look_at_bundle(commands, KnownBundle::of::<M, B>());
        // The caller's code runs before a place is taken.
        let mut births = self.spare.bundles::<B>();
        births.0.extend(bundles);
        if births.0.len() > self.places.capacity() - self.len() {
            self.look_at_all(|entity| commands.get_entity(entity).is_err());
        }
        let mut handles = self.spare.handles.pop().unwrap_or_default();
        let mut evicted = self.spare.entities.pop().unwrap_or_default();
        handles.clear();
        evicted.clear();
        // Whom there is no room for is refused as well, and counted.
        if self.oldest.is_none() {
            let places = self.places.all();
            let room = births.0.iter().filter_map(|_| places.acquire());
            handles.extend(room);
        } else {
            for _ in 0..births.0.len() {
                if let Ok(handle) = self.take() {
                    evicted.extend(self.members[handle.index() as usize].take());
                    handles.push(handle);
                }
            }
        }
        births.0.truncate(handles.len());
        (births, handles, evicted)
    }

    fn give_back(&mut self, births: Box<dyn Any + Send + Sync>, entities: [Vec<Entity>; 2]) {
        self.spare.bundles.push(births);
        self.spare.entities.extend(entities);
    }
}

/// Spawns a batch whose ids nobody knows. It was taken when so many places had been [overtaken](Population::overtaken).
fn begin<M: Component, B: Bundle<Effect: NoBundleEffect>>(
    world: &mut World,
    mut births: Box<Births<B>>,
    mut handles: Vec<Handle<M>>,
    mut evicted: Vec<Entity>,
    mut overtaken: u64,
) {
    for entity in evicted.drain(..) {
        despawn::<M>(world, entity);
    }
    let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
        handles.into_iter().for_each(|handle| away::miss(world, handle));
        return;
    };
    if population.overtaken != overtaken {
        let mut is_live = handles.iter().map(|&handle| population.awaits(handle, overtaken));
        births.0.retain(|_| is_live.next() == Some(true));
        handles.retain(|&handle| population.awaits(handle, overtaken));
        overtaken = population.overtaken;
    }
    let mut entities = population.spare.entities.pop().unwrap_or_default();
    entities.clear();
    let mut guard =
        Unsettled { world: &mut *world, handles: &handles, overtaken, is_settled: false };
    // Hooks and observers run, and may end what has just begun.
    entities.extend(guard.world.spawn_batch(births.0.drain(..)));
    guard.is_settled = true;
    drop(guard);
    if !entities.iter().all(|&entity| world.entities().contains(entity)) {
        for entity in &mut entities {
            if !world.entities().contains(*entity) {
                *entity = Entity::PLACEHOLDER;
            }
        }
    }
    let Some(mut population) = world.get_resource_mut::<Population<M>>() else {
        handles.into_iter().for_each(|handle| away::miss(world, handle));
        return;
    };
    let is_whole = population.overtaken == overtaken;
    for (&handle, &entity) in handles.iter().zip(&entities) {
        if !is_whole && !population.awaits(handle, overtaken) {
            evicted.push(entity);
        } else if entity == Entity::PLACEHOLDER {
            population.vacate(handle.index() as usize);
        } else {
            population.settle_in(handle.index() as usize, entity);
        }
    }
    for entity in evicted.drain(..) {
        despawn::<M>(world, entity);
    }
    if let Some(mut population) = world.get_resource_mut::<Population<M>>() {
        population.give_back(births, [entities, evicted]);
        population.spare.handles.push(handles);
    }
}

/// Vacates places that wait for their entities, if somebody's code panics before they have them.
struct Unsettled<'w, M: Component> {
    world: &'w mut World,
    handles: &'w [Handle<M>],
    overtaken: u64,
    is_settled: bool,
}

impl<M: Component> Drop for Unsettled<'_, M> {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        if let Some(mut population) = self.world.get_resource_mut::<Population<M>>() {
            for handle in self.handles {
                if population.awaits(*handle, self.overtaken) {
                    population.vacate(handle.index() as usize);
                }
            }
        }
    }
}

/// Spawns a batch at the ids that the caller knows.
fn begin_at<M: Component, B: Bundle<Effect: NoBundleEffect>>(
    world: &mut World,
    mut births: Box<Births<B>>,
    entities: Vec<Entity>,
    mut evicted: Vec<Entity>,
) {
    for entity in evicted.drain(..) {
        despawn::<M>(world, entity);
    }
    // Who is over already. Hooks and observers may end others before they are spawned, which are despawned below.
    let mut over = evicted;
    if let Some(population) = world.get_resource::<Population<M>>() {
        over.extend(entities.iter().filter(|&&entity| !population.contains(entity)));
    }
    for (bundle, &entity) in births.0.drain(..).zip(&entities) {
        if over.is_empty() || !over.contains(&entity) {
            let _spawned = world.spawn_at(entity, bundle);
        } else {
            discard_id(world, entity);
        }
    }
    over.clear();
    if let Some(population) = world.get_resource::<Population<M>>()
        && !population.doomed.is_empty()
    {
        over.extend(entities.iter().filter(|entity| population.doomed.contains(entity)));
    }
    for entity in over.drain(..) {
        let _gone_already = world.try_despawn(entity);
    }
    if let Some(mut population) = world.get_resource_mut::<Population<M>>() {
        population.give_back(births, [entities, over]);
    }
}

/// Ends an id that was never spawned: it means nobody from then on.
pub(super) fn discard_id(world: &mut World, entity: Entity) {
    if let Ok(never) = world.spawn_empty_at(entity) {
        never.despawn();
    }
}
