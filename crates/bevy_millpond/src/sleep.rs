//! How an entity and its children sleep.

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::component::ComponentId;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;

/// Which component puts the pool's entities to sleep. The crate's documentation has the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sleeping {
    /// Bevy's [`Disabled`]: every query leaves it out, and every crate knows it. A life that begins or ends moves the
    /// components to another table.
    #[default]
    Disabled,
    /// [`Asleep`], in a sparse set: the components stay where they are, which halves the cost of a life with a hierarchy. In
    /// return, queries go by archetypes in place of tables wherever some of a table's entities have slept, and a crate that
    /// wants sleeping entities has to name it.
    Asleep,
}

impl Sleeping {
    pub(crate) fn component(self, world: &mut World) -> ComponentId {
        match self {
            Self::Disabled => world.register_component::<Disabled>(),
            Self::Asleep => world.register_component::<Asleep>(),
        }
    }

    /// Lets queries leave sleeping entities out. Before the first query: it does not reach those that exist.
    pub(crate) fn register(self, world: &mut World) {
        if self == Self::Asleep {
            world.register_disabling_component::<Asleep>();
        }
    }
}

/// Marks a sleeping entity of a pool that is built with [`Sleeping::Asleep`].
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(storage = "SparseSet")]
pub struct Asleep;

/// Marks a child that the pool's template made: it sleeps and wakes with its parent. Other children of an entity that is
/// freed are despawned.
#[derive(Component, Clone, Copy, Debug)]
#[component(clone_behavior = Ignore)]
pub(crate) struct Kept;

/// How a pool's entities are put to sleep and woken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep {
    pub(crate) by: Sleeping,
    /// The component [`Children`].
    pub(crate) children: ComponentId,
    /// The component of `by`.
    pub(crate) marker: ComponentId,
}

impl Sleep {
    /// Puts an entity and all below it to sleep, and returns what it is then.
    pub(crate) fn put(self, world: &mut World, entity: Entity) -> Option<ArchetypeId> {
        self.each(world, entity, &|entity| {
            match self.by {
                Sleeping::Disabled => entity.insert(Disabled),
                Sleeping::Asleep => entity.insert(Asleep),
            };
        })
    }

    /// Wakes an entity and all below it, and returns what it is then.
    pub(crate) fn wake(self, world: &mut World, entity: Entity) -> Option<ArchetypeId> {
        self.each(world, entity, &|entity| {
            if !entity.contains_id(self.marker) {
                return;
            }
            match self.by {
                Sleeping::Disabled => entity.remove::<Disabled>(),
                Sleeping::Asleep => entity.remove::<Asleep>(),
            };
        })
    }

    /// Does something to an entity, and to each below it.
    fn each(
        self,
        world: &mut World,
        entity: Entity,
        act: &impl Fn(&mut EntityWorldMut),
    ) -> Option<ArchetypeId> {
        let mut body = world.get_entity_mut(entity).ok()?;
        act(&mut body);
        let archetype = body.try_archetype()?;
        let (id, has_children) = (archetype.id(), archetype.contains(self.children));
        if has_children {
            each_below(world, entity, &mut |world, child| {
                if let Ok(mut child) = world.get_entity_mut(child) {
                    act(&mut child);
                }
            });
        }
        Some(id)
    }
}

/// Does something to each entity below this one, the nearest first, without allocating.
fn each_below(world: &mut World, entity: Entity, act: &mut impl FnMut(&mut World, Entity)) {
    let child_at = |world: &World, n: usize| world.get::<Children>(entity)?.get(n).copied();
    let mut n = 0;
    while let Some(child) = child_at(world, n) {
        act(world, child);
        each_below(world, child, act);
        n += 1;
    }
}

/// Whether the entity carries the component that puts it to sleep.
pub(crate) fn is_asleep(entity: EntityRef, sleeping: Sleeping) -> bool {
    match sleeping {
        Sleeping::Disabled => entity.contains::<Disabled>(),
        Sleeping::Asleep => entity.contains::<Asleep>(),
    }
}

/// Marks all entities below this one as the template's.
pub(crate) fn keep_children(world: &mut World, entity: Entity) {
    each_below(world, entity, &mut |world, child| {
        world.entity_mut(child).insert(Kept);
    });
}

/// Despawns the entities below this one that the template did not make.
pub(crate) fn despawn_added_children(world: &mut World, entity: Entity) {
    let child_at = |world: &World, n: usize| world.get::<Children>(entity)?.get(n).copied();
    let mut n = 0;
    while let Some(child) = child_at(world, n) {
        if world.get::<Kept>(child).is_some() {
            despawn_added_children(world, child);
            n += 1;
        } else if !world.despawn(child) {
            n += 1;
        }
    }
}

/// Whether the template made a child of this entity.
pub(crate) fn has_kept_child(world: &World, entity: Entity) -> bool {
    let children = world.get::<Children>(entity);
    children.is_some_and(|children| children.iter().any(|child| world.get::<Kept>(child).is_some()))
}
