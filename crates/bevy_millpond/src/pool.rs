//! [`EntityPool`]: which entities are awake, and what handles mean.

use core::any::{TypeId, type_name};
use core::fmt;

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::change_detection::Tick;
use bevy_ecs::component::ComponentId;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use millpond::pool::Handles;
use millpond::reuse::Lifo;
use millpond::{Handle, Recycler, Refusal, Stats};
use millpond_overflow::EvictOldest;

use crate::by_entity::ByEntity;
use crate::full::{Full, WhenFull};
use crate::identity::Identity;
use crate::settings::{Components, Settings};
use crate::sleep::Sleep;
use crate::slot::{Birth, Body, Slot};

/// A handle of an entity in the pool of `M`: 8 bytes, `Copy`, refused as soon as the life that it means has ended, although
/// the `Entity` lives on.
///
/// It is millpond's [`Handle`], with all of its methods; `Reflect` if `M` is `TypePath`, and with the feature `serde`
/// `Serialize` and `Deserialize`.
pub type PoolHandle<M> = Handle<M>;

/// The pool of the entities that `M` marks: any type of your own, such as the component that they all have.
///
/// [`builder`](Self::builder) makes one. Systems that spawn and free take [`Pooled<M>`](crate::Pooled), those that only look
/// up take `Res<EntityPool<M>>`, and exclusive systems use [`PooledWorld`](crate::PooledWorld).
///
/// **Memory**: allocated when the pool is built: some 40 bytes for each entity; and 4 bytes for each index that Bevy has given
/// to entities, up to the highest of a pooled one. (The entities' components are Bevy's.)
///
/// **Time**: all methods are O(1), unless they say otherwise.
///
/// **If the resource is removed**, it may come back, as in `World::resource_scope`: then it looks once which of its entities are
/// still there, O(capacity), and what commands wanted of it meanwhile is done. Once it is dropped or replaced, its sleeping
/// entities are despawned at the end of the frame, and those that are awake stay as entities that belong to no pool.
#[derive(Resource)]
#[component(on_insert = inserted::<M>)]
pub struct EntityPool<M: Send + Sync + 'static> {
    slots: Recycler<Slot, Lifo, PoolHandle<M>>,
    oldest: Option<EvictOldest<PoolHandle<M>>>,
    /// How many entities there may be, once those beyond are freed.
    capacity: usize,
    by_entity: ByEntity,
    /// How many entities there are, awake and asleep.
    made: usize,
    pub(crate) identity: Identity,
    births: Vec<Birth>,
    upkeep: Upkeep,
    pub(crate) settings: Settings,
    pub(crate) components: Components,
    /// Whether it has come to another world, of whose components it does not know yet.
    pub(crate) is_stranger: bool,
    pub(crate) leftovers: Vec<String>,
    /// Those of the leftovers, in the same order.
    pub(crate) left: Vec<ComponentId>,
    /// Whether the pool has said that somebody changed a sleeper.
    pub(crate) told_of_change: bool,
    /// Used again and again, so that nothing allocates in play.
    pub(crate) scratch: Vec<ComponentId>,
}

fn inserted<M: Send + Sync + 'static>(world: DeferredWorld, context: HookContext) {
    // The world does not know its resource yet.
    let Some(pool) = world.get::<EntityPool<M>>(context.entity) else { return };
    let come_back = pool.identity.come_back;
    come_back(world, context);
}

/// What became of a pool's entities, apart from their lives: see [`EntityPool::upkeep`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upkeep {
    /// The entities that the pool made: no more than its capacity, unless others despawn them, or it spawns beyond.
    pub made: u64,
    /// The entities that others despawned, or whose [`InPool`](crate::InPool) they removed.
    pub lost: u64,
    /// The entities whose components were all removed and made anew, because a spawn could not make them what its bundle
    /// says: they had lost a component of the template, or their last life began with another type of bundle.
    pub remade: u64,
    /// The sleeping entities that others changed or woke. They are remade, or put back to sleep.
    pub disturbed: u64,
}

impl<M: Send + Sync + 'static> EntityPool<M> {
    pub(crate) fn new(
        capacity: usize,
        settings: Settings,
        salt: u64,
        identity: Identity,
        components: Components,
    ) -> Self {
        let slots = capacity.saturating_add(settings.when_full.beyond());
        let slots: Recycler<Slot, Lifo, PoolHandle<M>> =
            Recycler::typed_builder().capacity(slots).name(settings.name).salt(salt).build();
        let oldest =
            (settings.when_full == WhenFull::EvictOldest).then(|| EvictOldest::beside(&slots));
        Self {
            slots,
            oldest,
            capacity,
            by_entity: ByEntity::default(),
            made: 0,
            identity,
            births: Vec::new(),
            upkeep: Upkeep::default(),
            settings,
            components,
            is_stranger: false,
            leftovers: Vec::new(),
            left: Vec::new(),
            told_of_change: false,
            scratch: Vec::new(),
        }
    }

    /// Makes the pool, which has no entities, one of another world.
    pub(crate) fn move_in(&mut self, identity: Identity, components: Components) {
        self.identity = identity;
        self.components = components;
        self.is_stranger = false;
        self.births.clear();
        self.left.clear();
        self.leftovers.clear();
    }

    /// Returns the number of entities that the pool keeps: awake, asleep and not yet made.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of entities that are awake.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether no entity is awake.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the name of the pool: by default that of `M`, without its path.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.settings.name
    }

    /// Returns the counters: awake now and at most, spawned, freed, refused and evicted. `removed` counts all lives
    /// that ended: also those that were evicted, and those whose entity somebody else despawned.
    #[inline]
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots.stats()
    }

    /// Returns what became of the entities, apart from their lives.
    #[inline]
    #[must_use]
    pub fn upkeep(&self) -> Upkeep {
        self.upkeep
    }

    /// Returns the entity of this handle, or `None` if its life has ended.
    ///
    /// The entity may be one whose spawn is still in a queue of commands, as with `Commands::spawn`.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: PoolHandle<M>) -> Option<Entity> {
        self.slots.get(handle)?.entity
    }

    /// Returns whether the life that this handle means goes on.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: PoolHandle<M>) -> bool {
        self.slots.contains(handle)
    }

    /// Returns why the handle is refused.
    ///
    /// # Errors
    ///
    /// If it is refused.
    #[inline]
    pub fn check(&self, handle: PoolHandle<M>) -> Result<(), Refusal> {
        self.slots.check(handle)
    }

    /// Returns the handle of the life that this entity is in, or `None` if it is asleep or not of this pool.
    #[inline]
    #[must_use]
    pub fn handle_of(&self, entity: Entity) -> Option<PoolHandle<M>> {
        let index = self.by_entity.get(entity)? as usize;
        let is_its = self.slots.as_slice().get(index)?.entity == Some(entity);
        self.slots.handle_at(index).filter(|_| is_its)
    }

    /// Returns the number of entities that were made ahead and wait for their children, awake; see
    /// [`prewarm_scenes`](crate::EntityPoolBuilder::prewarm_scenes). O(capacity).
    #[must_use]
    pub fn warming(&self) -> usize {
        self.slots().iter().filter(|slot| matches!(slot.body, Body::Warming)).count()
    }

    /// Iterates over the handles and entities that are awake, in the order of their slots. O(capacity / 64 + live).
    pub fn iter(&self) -> EntityPoolIter<'_, M> {
        EntityPoolIter { handles: self.slots.handles(), slots: self.slots.as_slice() }
    }

    /// Returns the names of the components that kept state of a last life, which a debug build finds; see
    /// [the builder's `check_resets`](crate::EntityPoolBuilder::check_resets). Without Bevy's feature `debug`, there are
    /// numbers in place of names.
    #[inline]
    #[must_use]
    pub fn leftovers(&self) -> &[String] {
        &self.leftovers
    }

    /// Records each life from now on, under the pool's name; see [`millpond::recorder`].
    pub fn record(&mut self, recorder: &millpond::recorder::Recorder) {
        self.slots.record(recorder);
    }

    /// Takes a slot, and evicts if the pool's rule says so. The slot may still [lack an entity](Self::lacks_entity).
    pub(crate) fn take(&mut self) -> Result<PoolHandle<M>, Full> {
        let taken = match &mut self.oldest {
            Some(oldest) => oldest.acquire(&mut self.slots).map(|(handle, ..)| handle),
            None => self.slots.acquire().map(|(handle, _)| handle),
        };
        taken.ok_or(Full { name: self.settings.name, capacity: self.slots.capacity() })
    }

    /// Takes a slot; if there is none, that of the entity with the least key. O(capacity) if it evicts.
    pub(crate) fn take_evicting<K: Ord>(
        &mut self,
        mut key: impl FnMut(Entity) -> K,
    ) -> Result<PoolHandle<M>, Full> {
        // Each live slot has an entity.
        let key = |_, slot: &Slot| slot.entity.map(&mut key);
        let taken = self.slots.acquire_or_evict(key).map(|(handle, ..)| handle);
        if let (Some(handle), Some(oldest)) = (taken, &mut self.oldest) {
            oldest.note(handle);
        }
        taken.ok_or(Full { name: self.settings.name, capacity: self.slots.capacity() })
    }

    /// Whether the slot that was taken needs an entity first: [`adopt`](Self::adopt).
    #[inline]
    pub(crate) fn lacks_entity(&self, handle: PoolHandle<M>) -> bool {
        self.get(handle).is_none()
    }

    /// Gives a slot an entity that is allocated and not spawned.
    pub(crate) fn adopt(&mut self, index: u32, entity: Entity) {
        self.slots.as_mut_slice()[index as usize].entity = Some(entity);
        self.by_entity.insert(entity, index);
        self.made += 1;
        self.upkeep.made += 1;
    }

    /// Ends the life that this handle means, and returns whether it had not ended before.
    pub(crate) fn release(&mut self, handle: PoolHandle<M>) -> bool {
        self.slots.release(handle)
    }

    /// Ends all lives, and returns how many they were. O(capacity).
    pub(crate) fn release_all(&mut self) -> usize {
        let lives = self.len();
        self.slots.clear();
        lives
    }

    /// Gives up an entity that left the pool.
    pub(crate) fn lose(&mut self, index: u32, entity: Entity) {
        if self.forget(index, entity) {
            self.upkeep.lost += 1;
        }
    }

    /// Gives up an entity, and returns whether it was the pool's.
    pub(crate) fn forget(&mut self, index: u32, entity: Entity) -> bool {
        let slot = self.slots.as_slice().get(index as usize);
        if slot.is_none_or(|slot| slot.entity != Some(entity)) {
            return false;
        }
        if let Some(handle) = self.slots.handle_at(index as usize) {
            self.slots.release(handle);
        }
        self.made -= 1;
        self.slots.as_mut_slice()[index as usize] = Slot::default();
        true
    }

    /// Gives up the entity of a slot, if it has one.
    pub(crate) fn lose_slot(&mut self, index: u32) {
        if let Some(entity) = self.slot(index).and_then(|slot| slot.entity) {
            self.lose(index, entity);
        }
    }

    pub(crate) fn slot(&self, index: u32) -> Option<Slot> {
        self.slots.as_slice().get(index as usize).copied()
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        self.slots.as_slice()
    }

    pub(crate) fn is_live(&self, index: u32) -> bool {
        self.slots.handle_at(index as usize).is_some()
    }

    /// Whether the pool has more entities than it keeps.
    pub(crate) fn is_beyond(&self) -> bool {
        self.made > self.capacity
    }

    /// Notes the state of a slot's entity, unless the slot has given it up.
    pub(crate) fn set_body(&mut self, index: u32, entity: Entity, body: Body) {
        if let Some(slot) = self.slots.as_mut_slice().get_mut(index as usize)
            && slot.entity == Some(entity)
        {
            slot.body = body;
        }
    }

    /// Whether an entity of this archetype, at the end of a life that began with this birth, is as it was born, and no code
    /// of others has a say.
    pub(crate) fn is_quick_to_finish(&self, birth: u16, archetype: Option<ArchetypeId>) -> bool {
        let born = self.birth(birth);
        archetype == Some(born.archetype)
            && !born.has_children
            && self.settings.on_free.is_none()
            && !self.settings.checks_resets
    }

    pub(crate) fn set_born_at(&mut self, index: u32, tick: Tick) {
        if let Some(slot) = self.slots.as_mut_slice().get_mut(index as usize) {
            slot.born_at = tick;
        }
    }

    pub(crate) fn set_freed_at(&mut self, index: u32, tick: Tick) {
        if let Some(slot) = self.slots.as_mut_slice().get_mut(index as usize) {
            slot.freed_at = tick;
        }
    }

    /// The number of the births with this type of bundle, if there was one.
    pub(crate) fn birth_of(&self, bundle: TypeId) -> Option<u16> {
        self.births.iter().position(|birth| birth.bundle == bundle).map(|at| at as u16)
    }

    /// The number of the births with this bundle that left an entity of this archetype, if there was one.
    pub(crate) fn birth_as(&self, bundle: TypeId, archetype: ArchetypeId) -> Option<u16> {
        let is_it = |birth: &Birth| birth.bundle == bundle && birth.archetype == archetype;
        self.births.iter().position(is_it).map(|at| at as u16)
    }

    /// The number of the births that differ from this one by the archetype: of entities that adopted children.
    pub(crate) fn birth_with(&mut self, birth: u16, archetype: ArchetypeId) -> u16 {
        let old = &self.births[birth as usize];
        if let Some(known) = self.birth_as(old.bundle, archetype) {
            return known;
        }
        let (explicit, contributed) = (old.explicit.clone(), old.contributed.clone());
        let (bundle, marker) = (old.bundle, old.marker);
        self.learn(Birth { bundle, archetype, has_children: true, marker, explicit, contributed })
    }

    pub(crate) fn birth(&self, birth: u16) -> &Birth {
        &self.births[birth as usize]
    }

    pub(crate) fn learn(&mut self, birth: Birth) -> u16 {
        self.births.push(birth);
        (self.births.len() - 1) as u16
    }

    pub(crate) fn count_remade(&mut self) {
        self.upkeep.remade += 1;
    }

    pub(crate) fn count_disturbed(&mut self) {
        self.upkeep.disturbed += 1;
    }

    pub(crate) fn sleep(&self) -> Sleep {
        let Components { children, marker, .. } = self.components;
        Sleep { by: self.settings.sleeping, children, marker }
    }
}

impl<M: Send + Sync + 'static> fmt::Debug for EntityPool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntityPool<{}>({}: {})", type_name::<M>(), self.name(), self.stats())
    }
}

/// Iterates over the handles and entities of a pool that are awake: [`EntityPool::iter`].
pub struct EntityPoolIter<'a, M: Send + Sync + 'static> {
    handles: Handles<'a, Lifo, PoolHandle<M>>,
    slots: &'a [Slot],
}

impl<M: Send + Sync + 'static> Iterator for EntityPoolIter<'_, M> {
    type Item = (PoolHandle<M>, Entity);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let handle = self.handles.next()?;
            // Each live slot has an entity.
            if let Some(entity) = self.slots[handle.index() as usize].entity {
                return Some((handle, entity));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.handles.size_hint().1)
    }
}

impl<M: Send + Sync + 'static> Clone for EntityPoolIter<'_, M> {
    fn clone(&self) -> Self {
        Self { handles: self.handles.clone(), slots: self.slots }
    }
}

impl<M: Send + Sync + 'static> fmt::Debug for EntityPoolIter<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_millpond::prelude::*;
///
/// struct Bullet;
/// fn look(bullets: Res<EntityPool<Bullet>>) {
///     for (handle, entity) in &*bullets {
///         assert_eq!(bullets.get(handle), Some(entity));
///     }
/// }
/// # bevy_ecs::system::assert_is_system(look);
/// ```
impl<'a, M: Send + Sync + 'static> IntoIterator for &'a EntityPool<M> {
    type Item = (PoolHandle<M>, Entity);
    type IntoIter = EntityPoolIter<'a, M>;

    fn into_iter(self) -> EntityPoolIter<'a, M> {
        self.iter()
    }
}
