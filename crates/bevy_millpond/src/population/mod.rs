//! [`Population`]: how many entities of a kind there may be, and which they are.
//!
//! Its members are plain entities, spawned and despawned as any others. All that a population has of them is their ids, each
//! in a place. A place is taken before its entity is spawned, and whoever spawns or despawns in hooks and observers finds the
//! population whole: it decides when it is called.

mod away;
mod batch;
mod builder;
mod fixed;
mod notice;
mod place;
mod places;
mod spawn;
mod world;

use core::any::{TypeId, type_name};
use core::fmt;

use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::lifecycle::RemovedComponentEntity;
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::*;
use millpond::pool::Handles;
use millpond::recorder::Recorder;
use millpond::reuse::Lifo;
use millpond::{Handle, Stats};
use millpond_overflow::EvictOldest;

pub use builder::PopulationBuilder;
pub use notice::Noticing;
pub use world::{PopulationCommands, PopulationWorld};

pub(crate) use away::Home;
pub(crate) use notice::notice;

use batch::Spare;
use place::{FixedIndex, Member};
use places::Places;

use crate::by_entity::ByEntity;
use crate::full::WhenFull;

/// The entities that have a component `M`, with a bound: how many there may be, which they are, and what happens to the next
/// one when all places are taken.
///
/// The members are Bevy's own entities: [`spawn`](Self::spawn) is `Commands::spawn` if there is room, and
/// `commands.entity(entity).despawn()` ends them, as always. [`builder`](Self::builder) makes a population,
/// [`add_population`](crate::AddPopulation::add_population) adds it to an app, as a resource.
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
/// fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
///     let _ = bullets.spawn(&mut commands, Bullet { frames_left: 3 }); // if 64 fly already, no shot
/// }
///
/// fn fly(mut commands: Commands, mut flying: Query<(Entity, &mut Bullet)>) {
///     for (entity, mut bullet) in &mut flying {
///         bullet.frames_left -= 1;
///         if bullet.frames_left == 0 {
///             commands.entity(entity).despawn();
///         }
///     }
/// }
///
/// let mut app = App::new();
/// app.add_population(Population::<Bullet>::builder().capacity(64));
/// app.add_systems(Update, (shoot, fly).chain());
/// for _ in 0..100 {
///     app.update();
/// }
/// let bullets = app.world().resource::<Population<Bullet>>();
/// assert_eq!((bullets.len(), bullets.stats().inserted), (2, 100));
/// ```
///
/// **Members**: an entity becomes one by a spawn of the population, and stays one until it is despawned or loses its `M`.
/// Clones, and entities that get an `M` in another way, are none. When the population notices that others ended a member is
/// a choice: [`Noticing`].
///
/// **Memory**: allocated when the population is built, some 20 bytes a place and up to 4 KiB more, or 45 bytes a place with
/// fixed indices; and 4 bytes for each index that Bevy has given to entities, up to the highest of a member.
///
/// **Time**: all methods are O(1) amortised, unless they say otherwise.
///
/// **If the resource is removed**, its members live on as entities of no population. It may come back, as in
/// `World::resource_scope`: then it looks once which of them are still there, O(capacity). In a world that was cleared since,
/// or in another one, it comes back empty.
#[derive(Resource)]
#[component(on_insert = away::come_back::<M>)]
pub struct Population<M: Component> {
    /// Which places are taken, and the figures.
    places: Places<M>,
    /// One for each place.
    members: Box<[Member]>,
    /// One for each place, if indices are fixed.
    indices: Box<[FixedIndex]>,
    oldest: Option<EvictOldest<Handle<M>>>,
    by_entity: ByEntity,
    name: &'static str,
    capacity: usize,
    when_full: WhenFull,
    noticing: Noticing,
    has_fixed_indices: bool,
    /// The members that lost a fixed index, because others despawned them.
    indices_lost: u64,
    /// Which world it is of.
    home: u64,
    /// Where the next look for members that are gone begins.
    next_look: usize,
    /// How far a spawn in a `World` has read what Bevy notes of components that are removed.
    removed: MessageCursor<RemovedComponentEntity>,
    /// None was gone, and the commands of whoever looked are still in a queue.
    looked_in_vain: bool,
    /// Members that were not spawned when they were last looked at.
    doubted: EntityHashSet,
    /// Despawned by commands that were applied before those that spawn them.
    doomed: Vec<Entity>,
    /// The types of bundle that were looked at: whether they have an `M`.
    known_bundles: Vec<TypeId>,
    /// The last of them, if nothing but a place is to be taken for it: there is no list of ages, and no index. [`NO_BUNDLE`] else.
    quick_bundle: TypeId,
    /// Changes whenever a place may have been taken back whose entity is awaited, and is another for each population: so
    /// that a batch need not look at each of its places.
    overtaken: u64,
    /// Memory of batches, used again and again.
    spare: Spare<M>,
}

/// The type of no bundle of anybody's.
const NO_BUNDLE: TypeId = {
    struct NoBundle;
    TypeId::of::<NoBundle>()
};

impl<M: Component> Population<M> {
    /// Returns the number of places.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of members, with those whose spawn is still in a queue of commands, and those whose end has not been
    /// [noticed](Noticing).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there are no members.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether all places are taken.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.places.is_full()
    }

    /// Returns the name: by default that of `M`, without its path.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what a spawn does when all places are taken.
    #[inline]
    #[must_use]
    pub fn when_full(&self) -> WhenFull {
        self.when_full
    }

    /// Returns when members are noticed that others ended.
    #[inline]
    #[must_use]
    pub fn noticing(&self) -> Noticing {
        self.noticing
    }

    /// Returns the counters: members now and at most, spawned, ended, refused and evicted. `removed` counts all that ended,
    /// also those that were evicted.
    #[inline]
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.places.stats()
    }

    /// Returns whether this entity is a member.
    #[inline]
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.place_of(entity).is_some()
    }

    /// Returns the number of the member's place, from 0 and below the capacity (with [`WhenFull::SpawnBeyond`], below the
    /// capacity and as many more). No two members have the same, so it may be an
    /// index into arrays of your own: of instances on a graphics card, of voices. The place is given to another member when
    /// this one has ended; which of the vacant ones the next member has is not specified.
    #[inline]
    #[must_use]
    pub fn place_of(&self, entity: Entity) -> Option<usize> {
        let place = self.by_entity.get(entity)? as usize;
        self.members.get(place)?.is(entity).then_some(place)
    }

    /// Returns the member in this place, or `None` if it is vacant.
    #[inline]
    #[must_use]
    pub fn at(&self, place: usize) -> Option<Entity> {
        self.members.get(place)?.get()
    }

    /// Iterates over the members, in the order of their places. O(capacity / 64 + members).
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_millpond::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Bullet;
    /// fn look(bullets: Res<Population<Bullet>>) {
    ///     for entity in &*bullets {
    ///         assert!(bullets.contains(entity));
    ///     }
    /// }
    /// # bevy_ecs::system::assert_is_system(look);
    /// ```
    pub fn iter(&self) -> PopulationIter<'_, M> {
        PopulationIter { handles: self.places.handles(), members: &self.members }
    }

    /// Returns how many members with [fixed indices](PopulationBuilder::fixed_indices) were despawned by others, so that their
    /// places got other indices.
    #[inline]
    #[must_use]
    pub fn indices_lost(&self) -> u64 {
        self.indices_lost
    }

    /// Records each member from now on, under the population's name; see [`millpond::recorder`].
    pub fn record(&mut self, recorder: &Recorder) {
        self.places.record(recorder);
    }

    /// Lets a member go, and returns whether it was one: the entity lives on, and its place is vacant. (If its spawn is still in
    /// a queue of commands, it is not spawned, where the population knows that it is over: with fixed indices, and of
    /// [`spawn_batch_ids`](Self::spawn_batch_ids).)
    pub fn leave(&mut self, entity: Entity) -> bool {
        let Some(place) = self.take_out(entity) else { return false };
        // Who ended it has given its index back to Bevy, or is still using it.
        if self.has_fixed_indices {
            // The one before may still have to make room.
            let before = self.indices[place].in_world;
            self.doomed.extend(before.filter(|&before| before != entity));
            self.lose_index(place);
        }
        self.places.pass_on(place);
        true
    }

    /// The member in a place, if Bevy can say whether it exists: not if its index is still that of the member before.
    fn known_at(&self, place: usize) -> Option<Entity> {
        let member = self.at(place);
        member.filter(|_| !self.has_fixed_indices || self.indices[place].in_world == member)
    }

    /// The place of a member, which has none then, and is to be given back. (The placeholder is nobody's id: no index is as high as its own.)
    #[inline(always)]
    fn take_out(&mut self, entity: Entity) -> Option<usize> {
        let members = &mut self.members;
        let is_its_own = |place| match members.get_mut(place as usize) {
            Some(member) if member.is(entity) => {
                *member = Member::NONE;
                true
            }
            _ => false,
        };
        self.by_entity.take_if(entity, is_its_own).map(|place| place as usize)
    }

    /// Whether a place that was taken when so many had been [overtaken](Self::overtaken) still waits for its entity. It does not
    /// if that was in a population which this one has replaced.
    fn awaits(&mut self, handle: Handle<M>, overtaken: u64) -> bool {
        self.overtaken >> 32 == overtaken >> 32 && self.places.contains(handle)
    }

    /// Makes a place vacant.
    #[inline(always)]
    fn vacate(&mut self, place: usize) {
        self.places.remove_at(place);
        self.members[place] = Member::NONE;
    }

    /// Notes the entity of a place that was taken.
    #[inline(always)]
    fn settle_in(&mut self, at: usize, entity: Entity) {
        self.members[at] = Member::new(entity);
        self.note(at as u32, entity);
    }

    #[inline(always)]
    fn note(&mut self, at: u32, entity: Entity) {
        if let Some(last) = self.by_entity.insert(entity, at) {
            self.unseat(last, at, entity);
        }
    }

    /// Makes the place vacant of a member that had this index before. It is gone, and could not be found by its index any more.
    #[cold]
    fn unseat(&mut self, last: u32, at: u32, entity: Entity) {
        let place = last as usize;
        let member = self.at(place);
        if last != at && member.is_some_and(|member| member.index() == entity.index()) {
            if self.has_fixed_indices {
                self.lose_index(place);
            }
            self.members[place] = Member::NONE;
            self.places.pass_on(place);
        }
    }
}

impl<'a, M: Component> IntoIterator for &'a Population<M> {
    type Item = Entity;
    type IntoIter = PopulationIter<'a, M>;

    fn into_iter(self) -> PopulationIter<'a, M> {
        self.iter()
    }
}

/// Iterates over the members of a population: [`Population::iter`].
pub struct PopulationIter<'a, M: Component> {
    handles: Handles<'a, Lifo, Handle<M>>,
    members: &'a [Member],
}

impl<M: Component> Iterator for PopulationIter<'_, M> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        loop {
            let place = self.handles.next()?.index() as usize;
            if let Some(entity) = self.members[place].get() {
                return Some(entity);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.handles.size_hint().1)
    }
}

impl<M: Component> Clone for PopulationIter<'_, M> {
    fn clone(&self) -> Self {
        Self { handles: self.handles.clone(), members: self.members }
    }
}

impl<M: Component> fmt::Debug for PopulationIter<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<M: Component> fmt::Debug for Population<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Population<{}>({}: {})", type_name::<M>(), self.name, self.stats())
    }
}
