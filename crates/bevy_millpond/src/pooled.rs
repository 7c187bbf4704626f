//! How systems use a pool.

use core::fmt;
use core::ops::Deref;

use bevy_ecs::entity::EntityAllocator;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use crate::full::Full;
use crate::life::{adopt_children, begin, end, end_all, with};
use crate::pool::{EntityPool, EntityPoolIter, PoolHandle};

/// What a system takes to spawn and free entities of the pool of `M`. It reads as the [`EntityPool`] itself.
///
/// Whether there is room, and which handles are valid, is decided at once; what happens to the entities is a command, applied
/// with those of the system. So two systems that take it run one after the other. Systems that need no handle may use
/// [`PooledCommands`], and those that only look up take `Res<EntityPool<M>>`.
///
/// ```
/// use bevy_app::{App, Update};
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::prelude::*;
///
/// #[derive(Component)]
/// struct Bullet {
///     frames_left: u32,
/// }
///
/// fn shoot(mut bullets: Pooled<Bullet>) {
///     let _ = bullets.spawn(Bullet { frames_left: 3 }); // if the pool is full, no shot
/// }
///
/// fn fly(mut bullets: Pooled<Bullet>, mut flying: Query<(Entity, &mut Bullet)>) {
///     for (entity, mut bullet) in &mut flying {
///         bullet.frames_left -= 1;
///         if bullet.frames_left == 0 {
///             bullets.free_entity(entity);
///         }
///     }
/// }
///
/// let mut app = App::new();
/// app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(64));
/// app.add_systems(Update, (shoot, fly).chain());
/// for _ in 0..100 {
///     app.update();
/// }
/// let pool = app.world().resource::<EntityPool<Bullet>>();
/// assert_eq!((pool.len(), pool.stats().inserted, pool.upkeep().made), (2, 100, 3));
/// ```
#[derive(SystemParam)]
pub struct Pooled<'w, 's, M: Send + Sync + 'static> {
    pool: ResMut<'w, EntityPool<M>>,
    allocator: &'w EntityAllocator,
    commands: Commands<'w, 's>,
}

impl<M: Send + Sync + 'static> Pooled<'_, '_, M> {
    /// Begins a life: an entity with this bundle. O(1), and a command.
    ///
    /// # Errors
    ///
    /// If the pool is full, and its rule is to refuse.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Result<PoolHandle<M>, Full> {
        let handle = self.pool.take()?;
        self.begin(handle, bundle);
        Ok(handle)
    }

    /// The same as [`spawn`](Self::spawn), but if the pool is full, evicts the entity with the least `key`, whatever the
    /// pool's rule is. O(capacity) then. Read the key from a query of your own:
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
    /// fn play(mut voices: Pooled<Voice>, playing: Query<&Voice>) {
    ///     let loudness = |entity| playing.get(entity).map_or(0, |voice: &Voice| voice.loudness);
    ///     voices.spawn_evicting(Voice { loudness: 7 }, loudness).unwrap();
    /// }
    /// # bevy_ecs::system::assert_is_system(play);
    /// ```
    ///
    /// # Errors
    ///
    /// If the capacity is 0.
    pub fn spawn_evicting<B: Bundle, K: Ord>(
        &mut self,
        bundle: B,
        key: impl FnMut(Entity) -> K,
    ) -> Result<PoolHandle<M>, Full> {
        let handle = self.pool.take_evicting(key)?;
        self.begin(handle, bundle);
        Ok(handle)
    }

    fn begin<B: Bundle>(&mut self, handle: PoolHandle<M>, bundle: B) {
        if self.pool.lacks_entity(handle) {
            self.pool.adopt(handle.index(), self.allocator.alloc());
        }
        self.commands.queue(move |world: &mut World| begin(world, handle, bundle));
    }

    /// Ends a life: the handle is refused from now on, and the entity sleeps when the system's commands are applied. Returns
    /// whether the life had not ended before. O(1).
    pub fn free(&mut self, handle: PoolHandle<M>) -> bool {
        let is_freed = self.pool.release(handle);
        if is_freed {
            self.commands.queue(move |world: &mut World| end::<M>(world, handle.index()));
        }
        is_freed
    }

    /// Ends the life that this entity is in. Returns `false` if it is asleep or not of this pool. O(1).
    pub fn free_entity(&mut self, entity: Entity) -> bool {
        self.pool.handle_of(entity).is_some_and(|handle| self.free(handle))
    }

    /// Ends all lives, as at the end of a level, and returns how many they were. O(capacity), and one command, which looks at the
    /// children of all.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// struct Bullet;
    /// fn end_of_level(mut bullets: Pooled<Bullet>) {
    ///     bullets.clear(); // in an app with states, a system of `OnExit(…)`
    /// }
    /// # bevy_ecs::system::assert_is_system(end_of_level);
    /// ```
    pub fn clear(&mut self) -> usize {
        let lives = self.pool.release_all();
        if lives > 0 {
            self.commands.queue(end_all::<M>);
        }
        lives
    }

    /// Returns commands for the entity of this handle, or `None` if its life has ended. They are applied after the spawn that
    /// began the life, also if that was in this system.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    /// #[derive(Component)]
    /// struct Burning;
    ///
    /// fn shoot(mut bullets: Pooled<Bullet>) {
    ///     let Ok(bullet) = bullets.spawn(Bullet) else { return };
    ///     bullets.entity(bullet).unwrap().insert(Burning);
    /// }
    /// # bevy_ecs::system::assert_is_system(shoot);
    /// ```
    ///
    /// A system's own `Commands` are another queue. If that parameter stands before `Pooled`, Bevy applies it first: before
    /// there is the entity, or while it sleeps.
    pub fn entity(&mut self, handle: PoolHandle<M>) -> Option<EntityCommands<'_>> {
        let entity = self.pool.get(handle)?;
        Some(self.commands.entity(entity))
    }

    /// Returns the commands of this parameter: the queue that its spawns and frees are in, so that what you add is applied
    /// after them. Use it in place of a parameter `Commands` of the system.
    pub fn commands(&mut self) -> Commands<'_, '_> {
        self.commands.reborrow()
    }
}

impl<'a, M: Send + Sync + 'static> IntoIterator for &'a Pooled<'_, '_, M> {
    type Item = (PoolHandle<M>, Entity);
    type IntoIter = EntityPoolIter<'a, M>;

    fn into_iter(self) -> EntityPoolIter<'a, M> {
        self.pool.iter()
    }
}

impl<M: Send + Sync + 'static> fmt::Debug for Pooled<'_, '_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.pool, f)
    }
}

impl<M: Send + Sync + 'static> Deref for Pooled<'_, '_, M> {
    type Target = EntityPool<M>;

    fn deref(&self) -> &EntityPool<M> {
        &self.pool
    }
}

/// Spawns and frees with [`Commands`], for systems that should run beside each other: they need no access to the pool. The
/// pool decides when the commands are applied.
pub trait PooledCommands {
    /// Spawns an entity with this bundle if the pool of `M` has room then; if not, the pool counts a refusal. Does nothing
    /// if there is no such pool.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    /// fn sparkle(mut commands: Commands) {
    ///     commands.spawn_pooled::<Spark, _>(Spark);
    /// }
    /// # bevy_ecs::system::assert_is_system(sparkle);
    /// ```
    fn spawn_pooled<M: Send + Sync + 'static, B: Bundle>(&mut self, bundle: B);

    /// Frees the entity, if the life that the handle means has not ended then.
    fn free_pooled<M: Send + Sync + 'static>(&mut self, handle: PoolHandle<M>);

    /// Does something to the entity, if the life that the handle means goes on when the command is applied. A command that
    /// names the `Entity` has no such check, and an entity stays the same from life to life.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Enemy;
    /// #[derive(Component)]
    /// struct Burning;
    /// #[derive(Component)]
    /// struct Flame {
    ///     target: PoolHandle<Enemy>,
    /// }
    ///
    /// fn burn(flames: Query<&Flame>, mut commands: Commands) {
    ///     for flame in &flames {
    ///         commands.with_pooled(flame.target, |mut enemy| {
    ///             enemy.insert(Burning);
    ///         });
    ///     }
    /// }
    /// # bevy_ecs::system::assert_is_system(burn);
    /// ```
    fn with_pooled<M: Send + Sync + 'static>(
        &mut self,
        handle: PoolHandle<M>,
        act: impl FnOnce(EntityWorldMut) + Send + 'static,
    );

    /// Makes the children that a pooled entity has by now those of its template: they sleep and wake with it, in place of being
    /// despawned when it is freed. For scenes, whose nodes come some frames after the template has named them: call it when the
    /// scene is there, in Bevy by an observer of `WorldInstanceReady`. An entity that was
    /// [made ahead](crate::EntityPoolBuilder::prewarm_scenes) goes to sleep with it. Does nothing to other entities.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct WorldInstanceReady(Entity); // Bevy's own, in a program with scenes
    /// struct Tank;
    ///
    /// fn adopt(ready: On<WorldInstanceReady>, mut commands: Commands) {
    ///     commands.adopt_children::<Tank>(ready.event_target());
    /// }
    /// # World::new().add_observer(adopt);
    /// ```
    fn adopt_children<M: Send + Sync + 'static>(&mut self, entity: Entity);

    /// Frees all entities of the pool of `M`, if there is one. O(capacity).
    fn clear_pool<M: Send + Sync + 'static>(&mut self);
}

impl PooledCommands for Commands<'_, '_> {
    fn spawn_pooled<M: Send + Sync + 'static, B: Bundle>(&mut self, bundle: B) {
        self.queue(move |world: &mut World| {
            if world.contains_resource::<EntityPool<M>>() {
                let _counted = world.spawn_pooled::<M, B>(bundle);
            }
        });
    }

    fn free_pooled<M: Send + Sync + 'static>(&mut self, handle: PoolHandle<M>) {
        self.queue(move |world: &mut World| {
            world.free_pooled(handle);
        });
    }

    fn with_pooled<M: Send + Sync + 'static>(
        &mut self,
        handle: PoolHandle<M>,
        act: impl FnOnce(EntityWorldMut) + Send + 'static,
    ) {
        self.queue(move |world: &mut World| with(world, handle, act));
    }

    fn adopt_children<M: Send + Sync + 'static>(&mut self, entity: Entity) {
        self.queue(move |world: &mut World| adopt_children::<M>(world, entity));
    }

    fn clear_pool<M: Send + Sync + 'static>(&mut self) {
        self.queue(|world: &mut World| {
            world.clear_pool::<M>();
        });
    }
}

/// Spawns and frees with a [`World`]: for exclusive systems, and tests.
pub trait PooledWorld {
    /// Spawns an entity with this bundle. O(1).
    ///
    /// # Errors
    ///
    /// If the pool is full, and its rule is to refuse.
    ///
    /// # Panics
    ///
    /// If there is no pool of `M`.
    fn spawn_pooled<M: Send + Sync + 'static, B: Bundle>(
        &mut self,
        bundle: B,
    ) -> Result<PoolHandle<M>, Full>;

    /// Puts the entity to sleep, and returns whether the life that the handle means had not ended before. O(1).
    fn free_pooled<M: Send + Sync + 'static>(&mut self, handle: PoolHandle<M>) -> bool;

    /// Puts all entities of the pool of `M` to sleep, and returns how many were awake. O(capacity).
    fn clear_pool<M: Send + Sync + 'static>(&mut self) -> usize;

    /// Puts those sleeping entities of the pool of `M` back to sleep that something else woke, passes each to Bevy's error
    /// handler as a warning, and returns how many they were. O(capacity). `App::add_entity_pool` has it run in each frame of
    /// a debug build.
    fn settle_pool<M: Send + Sync + 'static>(&mut self) -> usize;
}

impl PooledWorld for World {
    fn spawn_pooled<M: Send + Sync + 'static, B: Bundle>(
        &mut self,
        bundle: B,
    ) -> Result<PoolHandle<M>, Full> {
        let mut pool = self.resource_mut::<EntityPool<M>>();
        let handle = pool.take()?;
        if pool.lacks_entity(handle) {
            let entity = self.entity_allocator().alloc();
            self.resource_mut::<EntityPool<M>>().adopt(handle.index(), entity);
        }
        begin(self, handle, bundle);
        Ok(handle)
    }

    fn free_pooled<M: Send + Sync + 'static>(&mut self, handle: PoolHandle<M>) -> bool {
        let Some(mut pool) = self.get_resource_mut::<EntityPool<M>>() else { return false };
        let is_freed = pool.release(handle);
        if is_freed {
            end::<M>(self, handle.index());
        }
        is_freed
    }

    fn clear_pool<M: Send + Sync + 'static>(&mut self) -> usize {
        let Some(mut pool) = self.get_resource_mut::<EntityPool<M>>() else { return 0 };
        let lives = pool.release_all();
        end_all::<M>(self);
        lives
    }

    fn settle_pool<M: Send + Sync + 'static>(&mut self) -> usize {
        crate::life::settle::<M>(self)
    }
}
