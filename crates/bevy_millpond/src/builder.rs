//! How a pool is built.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use bevy_ecs::prelude::*;

use crate::alone::prepare;
use crate::full::WhenFull;
use crate::home::{bury, next_salt, settle_in};
use crate::life::{make_ahead, make_ahead_with};
use crate::member::InPool;
use crate::name::short_name;
use crate::pool::EntityPool;
use crate::settings::Settings;
use crate::sleep::Sleeping;

/// Makes entities of a pool before they are needed: a slot's, of this number.
pub(crate) type MakeAhead = Arc<dyn Fn(&mut World, u32, Entity) + Send + Sync>;

/// Builds an [`EntityPool`](crate::EntityPool).
#[must_use = "pass it to `App::add_entity_pool`, or call `insert_into`"]
pub struct EntityPoolBuilder<M: Send + Sync + 'static> {
    pub(crate) capacity: Option<usize>,
    pub(crate) has_rule: bool,
    pub(crate) settings: Settings,
    pub(crate) make_ahead: Option<MakeAhead>,
    salt: Option<u64>,
    kind: PhantomData<fn() -> M>,
}

impl<M: Send + Sync + 'static> fmt::Debug for EntityPoolBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityPoolBuilder")
            .field("name", &self.settings.name)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<M: Send + Sync + 'static> EntityPool<M> {
    /// Returns a builder of the pool.
    ///
    /// ```
    /// use bevy_app::App;
    /// use bevy_millpond::prelude::*;
    ///
    /// struct Bullet;
    /// let mut app = App::new();
    /// app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(512).when_full(WhenFull::EvictOldest));
    /// assert_eq!(app.world().resource::<EntityPool<Bullet>>().capacity(), 512);
    /// ```
    pub fn builder() -> EntityPoolBuilder<M> {
        EntityPoolBuilder::new()
    }
}

impl<M: Send + Sync + 'static> EntityPoolBuilder<M> {
    pub(crate) fn new() -> Self {
        Self {
            capacity: None,
            has_rule: false,
            settings: Settings {
                name: short_name::<M>(),
                when_full: WhenFull::default(),
                sleeping: Sleeping::default(),
                template: None,
                on_free: None,
                checks_resets: cfg!(debug_assertions),
                ignored: Vec::new(),
            },
            make_ahead: None,
            salt: None,
            kind: PhantomData,
        }
    }

    /// Sets the number of entities. The pool makes them one by one as they are first needed, or all when the program starts:
    /// [`prewarm`](Self::prewarm).
    ///
    /// A pool that is added to an `App` may take its capacity from a budget in place of this:
    /// [`MillpondPlugin::budget`](crate::MillpondPlugin::budget).
    pub fn capacity(mut self, entities: usize) -> Self {
        self.capacity = Some(entities);
        self
    }

    /// Sets what a spawn does when all entities are awake; by default, it [refuses](WhenFull::Refuse).
    pub fn when_full(mut self, rule: WhenFull) -> Self {
        self.settings.when_full = rule;
        self.has_rule = true;
        self
    }

    /// Sets the name for diagnostics, recordings, budgets and errors; by default that of `M`, without its path.
    pub fn name(mut self, name: &'static str) -> Self {
        self.settings.name = name;
        self
    }

    /// Sets the component that puts entities to sleep; by default Bevy's `Disabled`.
    pub fn sleeping(mut self, sleeping: Sleeping) -> Self {
        self.settings.sleeping = sleeping;
        self
    }

    /// Sets a number that decides, with the name, which handles the pool has; by default, each pool of `M` in the program has
    /// its own, so that it refuses the handles of the others. For two worlds of one program that are to have the same handles.
    pub fn salt(mut self, salt: u64) -> Self {
        self.salt = Some(salt);
        self
    }

    /// Sets a function that makes the parts that all entities of the pool share and no bundle names: children, meshes,
    /// observers. It runs once for each entity, before its first bundle is inserted, and again when an entity has to be
    /// made anew. Children that it makes sleep and wake with their parent.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Ship;
    /// #[derive(Component)]
    /// struct Flame;
    ///
    /// let mut world = World::new();
    /// EntityPool::<Ship>::builder()
    ///     .capacity(8)
    ///     .template(|ship| {
    ///         ship.with_child(Flame);
    ///     })
    ///     .insert_into(&mut world);
    ///
    /// let ship = world.spawn_pooled::<Ship, _>(Ship).unwrap();
    /// assert_eq!(world.query::<&Flame>().iter(&world).count(), 1);
    /// world.free_pooled(ship);
    /// assert_eq!(world.query::<&Flame>().iter(&world).count(), 0); // asleep with its ship
    /// ```
    pub fn template(
        mut self,
        template: impl Fn(&mut EntityWorldMut) + Send + Sync + 'static,
    ) -> Self {
        self.settings.template = Some(Arc::new(template));
        self
    }

    /// Sets a function that runs on each entity that is freed, before it sleeps: to put back what bundles do not set.
    pub fn on_free(mut self, reset: fn(&mut EntityWorldMut)) -> Self {
        self.settings.on_free = Some(reset);
        self
    }

    /// Says that components of this type may keep their values from life to life, so that
    /// [`check_resets`](Self::check_resets) does not name them: what is constant, and what other systems compute anew, such
    /// as `GlobalTransform`.
    pub fn keep<C: Component>(mut self) -> Self {
        self.settings.ignored.push(|world| world.register_component::<C>());
        self
    }

    /// Sets whether the pool looks, at each spawn, for components that the last life changed and nothing has set since; by
    /// default in debug builds. It passes each type once to Bevy's error handler, as a warning, and lists it in
    /// [`EntityPool::leftovers`](crate::EntityPool::leftovers). Children are not looked at. The names are there if Bevy has
    /// its feature `debug`, which its default features include. It also warns, once, if something other than the pool changed
    /// an entity that was asleep.
    pub fn check_resets(mut self, is_checked: bool) -> Self {
        self.settings.checks_resets = is_checked;
        self
    }

    /// Makes all entities when the program starts, in `PreStartup`, or in [`insert_into`](Self::insert_into): with the
    /// [template](Self::template), and asleep.
    pub fn prewarm(mut self) -> Self {
        self.make_ahead = Some(Arc::new(|world, index, entity| {
            make_ahead::<M>(world, index, entity, false);
        }));
        self
    }

    /// The same as [`prewarm`](Self::prewarm), for templates whose children come some frames later, as those of a scene do.
    /// The entities stay awake until then: each goes to sleep with
    /// [`adopt_children`](crate::PooledCommands::adopt_children). So load a level behind a screen that hides them, or give
    /// them a `Visibility::Hidden` that the bundle replaces. [`EntityPool::warming`](crate::EntityPool::warming) says how many are
    /// left. A spawn that comes first takes the entity as it is.
    pub fn prewarm_scenes(mut self) -> Self {
        self.make_ahead = Some(Arc::new(|world, index, entity| {
            make_ahead::<M>(world, index, entity, true);
        }));
        self
    }

    /// The same as [`prewarm`](Self::prewarm), but each entity also gets a bundle of the type with which it is spawned later,
    /// so that even its first life inserts no component.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet(f32);
    ///
    /// let mut world = World::new();
    /// EntityPool::<Bullet>::builder().capacity(100).prewarm_with(|| Bullet(0.0)).insert_into(&mut world);
    /// assert_eq!(world.resource::<EntityPool<Bullet>>().upkeep().made, 100);
    /// assert_eq!(world.query::<&Bullet>().iter(&world).count(), 0); // all of them sleep
    /// ```
    pub fn prewarm_with<B: Bundle>(
        mut self,
        bundle: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        self.make_ahead = Some(Arc::new(move |world, index, entity| {
            make_ahead_with::<M, B>(world, index, entity, bundle())
        }));
        self
    }

    /// Builds the pool and inserts it into this world as a resource, where it replaces an earlier one, whose sleepers are
    /// despawned. Makes its entities
    /// now if the pool is to be prewarmed. (In an `App`, use [`add_entity_pool`](crate::AddEntityPool::add_entity_pool).)
    ///
    /// Call it before the first query of the world, if the pool [sleeps](Self::sleeping) by a component of its own.
    ///
    /// # Panics
    ///
    /// If no capacity was set.
    #[track_caller]
    pub fn insert_into(self, world: &mut World) {
        if let Some(make_ahead) = self.insert_cold(world) {
            prewarm::<M>(world, &make_ahead);
        }
    }

    /// Inserts the pool without making entities, and returns what makes them.
    #[track_caller]
    pub(crate) fn insert_cold(self, world: &mut World) -> Option<MakeAhead> {
        let Self { capacity, mut settings, make_ahead, salt, .. } = self;
        let Some(capacity) = capacity else {
            panic!(
                "pool {:?} needs a capacity: call `.capacity(entities)` on its builder, or give `MillpondPlugin` a budget",
                settings.name
            );
        };
        settings.ignored.push(|world| world.register_component::<InPool<M>>());
        let components = settings.components(world);
        prepare::<M>(world);
        let identity = settle_in::<M>(world);
        let salt = salt.unwrap_or_else(next_salt::<M>);
        let pool = EntityPool::<M>::new(capacity, settings, salt, identity, components);
        world.insert_resource(pool);
        bury::<M>(world);
        make_ahead
    }
}

/// Makes the pool's entities.
pub(crate) fn prewarm<M: Send + Sync + 'static>(world: &mut World, make_ahead: &MakeAhead) {
    let capacity = world.get_resource::<EntityPool<M>>().map_or(0, EntityPool::capacity);
    for index in 0..capacity as u32 {
        let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return };
        if pool.slot(index).is_some_and(|slot| slot.entity.is_none()) {
            let entity = world.entity_allocator().alloc();
            pool = world.resource_mut::<EntityPool<M>>();
            pool.adopt(index, entity);
            make_ahead(world, index, entity);
        }
    }
}
