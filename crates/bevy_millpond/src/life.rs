//! How the lives of entities begin and end in the world.
//!
//! Bevy may apply the commands of two systems in another order than that in which the systems ran, and hooks and observers
//! may spawn and free in the middle of all this. So nothing here means "wake" or "sleep": it brings an entity to where the
//! pool says that it is, and looks again whenever code of others has run. What such code does to the same entity waits
//! ([`alone`]).

use core::any::TypeId;

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;

use crate::alone::alone;
use crate::leftovers::{report_changed, report_disturbed, report_leftovers};
use crate::member::InPool;
use crate::pool::{EntityPool, PoolHandle};
use crate::settings::Template;
use crate::sleep::{Sleep, despawn_added_children, has_kept_child, is_asleep, keep_children};
use crate::slot::{Birth, Body, Rest};

/// Begins the life that this handle means, unless it has ended already.
pub(crate) fn begin<M: Send + Sync + 'static, B: Bundle>(
    world: &mut World,
    handle: PoolHandle<M>,
    bundle: B,
) {
    alone::<M>(world, handle.index(), move |world| begin_alone(world, handle, bundle));
}

/// Puts a slot's entity to sleep, unless it is in its next life already.
pub(crate) fn end<M: Send + Sync + 'static>(world: &mut World, index: u32) {
    alone::<M>(world, index, move |world| end_alone::<M>(world, index));
}

fn begin_alone<M: Send + Sync + 'static, B: Bundle>(
    world: &mut World,
    handle: PoolHandle<M>,
    bundle: B,
) {
    let Some(pool) = world.get_resource::<EntityPool<M>>() else { return };
    let Some(entity) = pool.get(handle) else { return };
    let Some(slot) = pool.slot(handle.index()) else { return };
    let sleep = pool.sleep();
    let checks = pool.settings.checks_resets;
    let mut was_awake = false;
    let known = pool.birth_of(TypeId::of::<B>());
    let marker = known.and_then(|birth| pool.birth(birth).marker);
    let rest = match slot.body {
        Body::Unmade => {
            let template = pool.settings.template.clone();
            make_bare::<M>(world, handle.index(), entity);
            build(world, entity, template);
            Rest::Template
        }
        Body::Warming => Rest::Template,
        // Evicted, or freed by a command that is yet to be applied.
        Body::Awake { birth } => {
            let rest = if pool.is_quick_to_finish(birth, archetype_of(world, entity)) {
                Rest::Life { birth }
            } else {
                finish::<M>(world, handle.index(), entity, birth)
            };
            let Some(rest) = ready::<M>(world, entity, known, rest) else { return };
            // It never slept.
            was_awake = matches!(rest, Rest::Life { .. });
            rest
        }
        Body::Asleep { rest, archetype } => {
            let rest = if archetype_of(world, entity) == Some(archetype) {
                rest
            } else {
                if checks {
                    report_changed::<M>(world, entity, archetype);
                }
                world.resource_mut::<EntityPool<M>>().count_disturbed();
                strip::<M>(world, entity)
            };
            let Some(rest) = ready::<M>(world, entity, known, rest) else { return };
            rest
        }
    };
    if known.is_none() {
        refuse_second_children::<M, B>(world, entity);
    }
    let Ok(mut body) = world.get_entity_mut(entity) else { return };
    body.insert(bundle);
    // It has only been overwritten. Doing the same for all components would cost a tenth to a fifth of a life.
    if let (Rest::Life { .. }, Some(marker)) = (rest, marker)
        && let Ok(mut marker) = body.get_mut_by_id(marker)
    {
        marker.set_added();
    }
    if !was_awake && sleep.wake(world, entity).is_none() {
        return;
    }
    if !is_of_slot::<M>(world, handle.index(), entity) {
        return;
    }
    let birth = match rest {
        Rest::Life { birth } => birth,
        Rest::Bare | Rest::Template => learn::<M, B>(world, entity),
    };
    let tick = checks.then(|| {
        if let Rest::Life { .. } = rest {
            report_leftovers::<M>(world, handle.index(), entity, birth);
        }
        world.increment_change_tick()
    });
    let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return };
    // If it has ended meanwhile, what is to put it to sleep waits.
    pool.set_body(handle.index(), entity, Body::Awake { birth });
    if let Some(tick) = tick {
        pool.set_born_at(handle.index(), tick);
    }
}

fn end_alone<M: Send + Sync + 'static>(world: &mut World, index: u32) {
    let Some(pool) = world.get_resource::<EntityPool<M>>() else { return };
    let Some(slot) = pool.slot(index) else { return };
    let (Some(entity), false) = (slot.entity, pool.is_live(index)) else { return };
    let birth = match slot.body {
        Body::Awake { birth } => birth,
        Body::Asleep { .. } => {
            // The life may have ended before it began here: then the sleeper was given the children that were for it.
            despawn_added_children(world, entity);
            return;
        }
        Body::Unmade | Body::Warming => return,
    };
    if pool.is_beyond() {
        world.resource_mut::<EntityPool<M>>().forget(index, entity);
        world.despawn(entity);
        return;
    }
    let sleep = pool.sleep();
    let rest = if pool.is_quick_to_finish(birth, archetype_of(world, entity)) {
        Rest::Life { birth }
    } else {
        // If the next life begins meanwhile, it waits, and wakes the entity.
        finish::<M>(world, index, entity, birth)
    };
    rests::<M>(world, index, entity, rest, sleep);
}

/// Puts the entities of all lives to sleep that have ended.
pub(crate) fn end_all<M: Send + Sync + 'static>(world: &mut World) {
    let slots = world.get_resource::<EntityPool<M>>().map_or(0, |pool| pool.slots().len());
    for index in 0..slots {
        end::<M>(world, index as u32);
    }
}

/// Does something to the entity of a life that has begun and not ended.
pub(crate) fn with<M: Send + Sync + 'static>(
    world: &mut World,
    handle: PoolHandle<M>,
    act: impl FnOnce(EntityWorldMut) + Send + 'static,
) {
    alone::<M>(world, handle.index(), move |world| with_alone(world, handle, act));
}

fn with_alone<M: Send + Sync + 'static>(
    world: &mut World,
    handle: PoolHandle<M>,
    act: impl FnOnce(EntityWorldMut),
) {
    let Some(pool) = world.get_resource::<EntityPool<M>>() else { return };
    let Some(slot) = pool.slot(handle.index()).filter(|_| pool.contains(handle)) else { return };
    if let (Some(entity), Body::Awake { .. }) = (slot.entity, slot.body)
        && let Ok(entity) = world.get_entity_mut(entity)
    {
        act(entity);
    }
}

/// Makes the children of an entity those of its template, and puts it to sleep if it was made ahead, or was freed before they
/// came.
pub(crate) fn adopt_children<M: Send + Sync + 'static>(world: &mut World, entity: Entity) {
    let Some(index) = world.get::<InPool<M>>(entity).map(InPool::index) else { return };
    alone::<M>(world, index, move |world| adopt_alone::<M>(world, index, entity));
}

fn adopt_alone<M: Send + Sync + 'static>(world: &mut World, index: u32, entity: Entity) {
    let slot = world.get_resource::<EntityPool<M>>().and_then(|pool| pool.slot(index));
    let Some(slot) = slot.filter(|slot| slot.entity == Some(entity)) else { return };
    keep_children(world, entity);
    let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return };
    let sleep = pool.sleep();
    match slot.body {
        Body::Unmade => {}
        Body::Warming => sleep_ahead::<M>(world, index, entity, |_| Rest::Template),
        Body::Awake { birth } => {
            let Some(archetype) = archetype_of(world, entity) else { return };
            pool = world.resource_mut::<EntityPool<M>>();
            let birth = pool.birth_with(birth, archetype);
            pool.set_body(index, entity, Body::Awake { birth });
        }
        Body::Asleep { rest, .. } => {
            // As it wakes, so the birth is known by it.
            let Some(archetype) = sleep.wake(world, entity) else { return };
            let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return };
            let rest = match rest {
                Rest::Life { birth } => Rest::Life { birth: pool.birth_with(birth, archetype) },
                rest => rest,
            };
            rests::<M>(world, index, entity, rest, sleep);
        }
    }
}

/// Takes from an entity what its life gave it.
fn finish<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    entity: Entity,
    birth: u16,
) -> Rest {
    let pool = world.resource::<EntityPool<M>>();
    let on_free = pool.settings.on_free;
    if pool.settings.checks_resets {
        let tick = world.increment_change_tick();
        world.resource_mut::<EntityPool<M>>().set_freed_at(index, tick);
    }
    if let (Some(on_free), Ok(mut body)) = (on_free, world.get_entity_mut(entity)) {
        on_free(&mut body);
    }
    tidy::<M>(world, entity, birth)
}

/// Makes an entity before it is needed, as the template makes it. If its children are yet to come, it stays awake for them.
pub(crate) fn make_ahead<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    entity: Entity,
    awaits_children: bool,
) {
    alone::<M>(world, index, move |world| {
        let Some(template) =
            world.get_resource::<EntityPool<M>>().map(|pool| pool.settings.template.clone())
        else {
            return;
        };
        make_bare::<M>(world, index, entity);
        build(world, entity, template);
        if !awaits_children {
            sleep_ahead::<M>(world, index, entity, |_| Rest::Template);
        } else if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
            pool.set_body(index, entity, Body::Warming);
        }
    });
}

/// Makes an entity before it is needed, as a life with this bundle would leave it.
pub(crate) fn make_ahead_with<M: Send + Sync + 'static, B: Bundle>(
    world: &mut World,
    index: u32,
    entity: Entity,
    bundle: B,
) {
    alone::<M>(world, index, move |world| {
        let Some(template) =
            world.get_resource::<EntityPool<M>>().map(|pool| pool.settings.template.clone())
        else {
            return;
        };
        make_bare::<M>(world, index, entity);
        build(world, entity, template);
        refuse_second_children::<M, B>(world, entity);
        if let Ok(mut body) = world.get_entity_mut(entity) {
            body.insert(bundle);
        }
        sleep_ahead::<M>(world, index, entity, |world| {
            let birth = learn::<M, B>(world, entity);
            tidy::<M>(world, entity, birth)
        });
    });
}

fn sleep_ahead<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    entity: Entity,
    rest: impl FnOnce(&mut World) -> Rest,
) {
    if !is_of_slot::<M>(world, index, entity) {
        return;
    }
    let rest = rest(world);
    let Some(sleep) = world.get_resource::<EntityPool<M>>().map(EntityPool::sleep) else { return };
    rests::<M>(world, index, entity, rest, sleep);
    let tick = world.increment_change_tick();
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.set_born_at(index, tick);
        pool.set_freed_at(index, tick);
    }
}

/// Puts those sleeping entities back to sleep that others woke, and returns how many they were.
pub(crate) fn settle<M: Send + Sync + 'static>(world: &mut World) -> usize {
    let Some(pool) = world.get_resource::<EntityPool<M>>() else { return 0 };
    let sleep = pool.sleep();
    let is_woken = |world: &World, entity| {
        world.get_entity(entity).is_ok_and(|entity| !is_asleep(entity, sleep.by))
    };
    let sleepers = (pool.slots().iter().enumerate())
        .filter(|(_, slot)| matches!(slot.body, Body::Asleep { .. }));
    let woken: Vec<_> = (sleepers.filter_map(|(index, slot)| Some((index as u32, slot.entity?))))
        .filter(|&(_, entity)| is_woken(world, entity))
        .collect();
    for &(index, entity) in &woken {
        alone::<M>(world, index, move |world| {
            if !is_dead::<M>(world, index, entity) {
                return;
            }
            report_disturbed::<M>(world, entity);
            let rest = strip::<M>(world, entity);
            rests::<M>(world, index, entity, rest, sleep);
            if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
                pool.count_disturbed();
            }
        });
    }
    woken.len()
}

/// Puts the entity to sleep, and notes what it rests as.
fn rests<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    entity: Entity,
    rest: Rest,
    sleep: Sleep,
) {
    let Some(archetype) = sleep.put(world, entity) else { return };
    let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return };
    pool.set_body(index, entity, Body::Asleep { rest, archetype });
}

/// Whether the entity is the slot's, and in no life.
fn is_dead<M: Send + Sync + 'static>(world: &World, index: u32, entity: Entity) -> bool {
    let pool = world.get_resource::<EntityPool<M>>();
    pool.is_some_and(|pool| {
        !pool.is_live(index) && pool.slot(index).is_some_and(|slot| slot.entity == Some(entity))
    })
}

/// Whether the entity is still the slot's, after code of others has run.
fn is_of_slot<M: Send + Sync + 'static>(world: &World, index: u32, entity: Entity) -> bool {
    let slot = world.get_resource::<EntityPool<M>>().and_then(|pool| pool.slot(index));
    slot.is_some_and(|slot| slot.entity == Some(entity))
}

fn archetype_of(world: &World, entity: Entity) -> Option<ArchetypeId> {
    world.get_entity(entity).ok().map(|entity| entity.archetype().id())
}

/// Spawns the slot's entity with nothing but its place in the pool.
fn make_bare<M: Send + Sync + 'static>(world: &mut World, index: u32, entity: Entity) {
    let Some(pool) = world.get_resource::<EntityPool<M>>().map(|pool| pool.identity.id) else {
        return;
    };
    let made = world.spawn_at(entity, InPool::<M>::new(index, pool)).is_ok();
    debug_assert!(made, "the pool allocated the entity, and nobody else spawns it");
}

/// Has the template make the shared parts of a bare entity.
fn build(world: &mut World, entity: Entity, template: Option<Template>) {
    if let (Some(template), Ok(mut body)) = (template, world.get_entity_mut(entity)) {
        template(&mut body);
        keep_children(world, entity);
    }
}

/// Gets an entity into a state in which the bundle makes it what a new entity would be. `None` if code of others took the pool
/// away.
fn ready<M: Send + Sync + 'static>(
    world: &mut World,
    entity: Entity,
    bundle: Option<u16>,
    rest: Rest,
) -> Option<Rest> {
    let pool = world.get_resource::<EntityPool<M>>()?;
    let is_same =
        |birth| bundle.is_some_and(|of| pool.birth(of).bundle == pool.birth(birth).bundle);
    let rest = match rest {
        Rest::Life { birth } if !is_same(birth) => strip::<M>(world, entity),
        rest => rest,
    };
    if rest == Rest::Bare {
        let pool = world.get_resource::<EntityPool<M>>()?;
        let (template, sleep) = (pool.settings.template.clone(), pool.sleep());
        sleep.wake(world, entity);
        build(world, entity, template);
        return Some(Rest::Template);
    }
    Some(rest)
}

/// Removes everything from an entity but its place in the pool.
fn strip<M: Send + Sync + 'static>(world: &mut World, entity: Entity) -> Rest {
    if let Ok(mut body) = world.get_entity_mut(entity) {
        body.despawn_related::<Children>();
    }
    if let Ok(mut body) = world.get_entity_mut(entity) {
        body.retain::<InPool<M>>();
    }
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.count_remade();
    }
    Rest::Bare
}

/// Removes what an entity got in a life that began with this birth. If it lost what the bundle would not bring back, removes
/// everything.
fn tidy<M: Send + Sync + 'static>(world: &mut World, entity: Entity, birth: u16) -> Rest {
    despawn_added_children(world, entity);
    let archetype = archetype_of(world, entity);
    let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() else { return Rest::Bare };
    if archetype == Some(pool.birth(birth).archetype) {
        return Rest::Life { birth };
    }
    let mut added = core::mem::take(&mut pool.scratch);
    let pool = world.resource::<EntityPool<M>>();
    let born = pool.birth(birth);
    let (Some(was), Ok(body)) = (world.archetypes().get(born.archetype), world.get_entity(entity))
    else {
        return Rest::Bare;
    };
    let is = body.archetype();
    let is_lost =
        was.components().iter().any(|&id| !is.contains(id) && !born.contributed.contains(&id));
    added.extend(is.iter_components().filter(|&id| !was.contains(id)));
    if is_lost {
        strip::<M>(world, entity);
    } else if let (false, Ok(mut body)) = (added.is_empty(), world.get_entity_mut(entity)) {
        body.remove_by_ids(&added);
    }
    added.clear();
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.scratch = added;
    }
    if is_lost { Rest::Bare } else { Rest::Life { birth } }
}

/// Learns what an entity is that has just been made with this bundle, if no other was the same.
fn learn<M: Send + Sync + 'static, B: Bundle>(world: &mut World, entity: Entity) -> u16 {
    let archetype = archetype_of(world, entity).unwrap_or(ArchetypeId::EMPTY);
    let known = world.resource::<EntityPool<M>>().birth_as(TypeId::of::<B>(), archetype);
    if let Some(known) = known {
        return known;
    }
    let info = world.register_bundle::<B>();
    let explicit: Box<[ComponentId]> = info.explicit_components().into();
    let contributed = info.contributed_components().into();
    let marker = world.components().get_id(TypeId::of::<M>()).filter(|id| explicit.contains(id));
    let bundle = TypeId::of::<B>();
    let has_children = world.get::<Children>(entity).is_some();
    let birth = Birth { bundle, archetype, has_children, marker, explicit, contributed };
    world.resource_mut::<EntityPool<M>>().learn(birth)
}

/// Refuses a bundle that would replace the children of the template by its own.
fn refuse_second_children<M: Send + Sync + 'static, B: Bundle>(world: &mut World, entity: Entity) {
    let children = world.register_component::<Children>();
    let Some(name) = world.get_resource::<EntityPool<M>>().map(EntityPool::name) else { return };
    let brings = world.register_bundle::<B>().contributed_components().contains(&children);
    assert!(
        !brings || !has_kept_child(world, entity),
        "pool {name:?}: the template makes children, and so does a bundle that is spawned: make all in the template"
    );
}
