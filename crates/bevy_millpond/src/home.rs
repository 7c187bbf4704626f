//! Which pool is a world's own: a pool may leave its world and come back, and a world may get another.

use core::any::TypeId;
use core::marker::PhantomData;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;

use crate::alone::catch_up;
use crate::identity::Identity;
use crate::member::InPool;
use crate::pool::EntityPool;
use crate::sleep::Asleep;
use crate::slot::Body;

/// The pools of `M` that this world has had, and that may be in it, or away for a moment. It goes with all resources if the
/// world is cleared.
#[derive(Resource)]
struct Home<M: Send + Sync + 'static> {
    pools: Vec<(u32, Weak<()>)>,
    kind: PhantomData<fn() -> M>,
}

/// Gives the next pool of `M` in this world an identity.
pub(crate) fn settle_in<M: Send + Sync + 'static>(world: &mut World) -> Identity {
    static IDS: AtomicU32 = AtomicU32::new(0);
    let (id, alive) = (IDS.fetch_add(1, Ordering::Relaxed), Arc::new(()));
    let pool = (id, Arc::downgrade(&alive));
    match world.get_resource_mut::<Home<M>>() {
        Some(mut home) => home.pools.push(pool),
        None => world.insert_resource(Home::<M> { pools: vec![pool], kind: PhantomData }),
    }
    Identity::new(id, alive, come_back::<M>, move_in::<M>)
}

/// Makes a pool at home in a world that it has come to: what it knew of components and archetypes was of another world.
fn move_in<M: Send + Sync + 'static>(world: &mut World) {
    let Some(settings) = world.get_resource::<EntityPool<M>>().map(|pool| pool.settings.clone())
    else {
        return;
    };
    let components = settings.components(world);
    let identity = settle_in::<M>(world);
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.move_in(identity, components);
    }
}

/// How many pools of this kind the program had: so each refuses the handles of the others, also of those in other worlds.
pub(crate) fn next_salt<M: 'static>() -> u64 {
    static SALTS: Mutex<Option<HashMap<TypeId, u64>>> = Mutex::new(None);
    let mut salts = SALTS.lock().unwrap_or_else(PoisonError::into_inner);
    let salt = salts.get_or_insert_default().entry(TypeId::of::<M>()).or_default();
    *salt += 1;
    *salt - 1
}

/// Despawns the sleepers of pools that are no more: nobody could ever wake them.
pub(crate) fn bury<M: Send + Sync + 'static>(world: &mut World) {
    let Some(home) = world.get_resource::<Home<M>>() else { return };
    if home.pools.iter().all(|(_, alive)| alive.strong_count() > 0) {
        return;
    }
    let mut home = world.resource_mut::<Home<M>>();
    let gone = home.pools.extract_if(.., |(_, alive)| alive.strong_count() == 0);
    let gone: Vec<u32> = gone.map(|(id, _)| id).collect();
    let mut all = world.query_filtered::<(Entity, &InPool<M>), (
        Or<(With<Disabled>, With<Asleep>)>,
        Allow<Disabled>,
        Allow<Asleep>,
    )>();
    let of_gone = all.iter(world).filter(|(_, place)| gone.contains(&place.pool()));
    let sleepers: Vec<Entity> = of_gone.map(|(entity, _)| entity).collect();
    for entity in sleepers {
        let _gone_already = world.try_despawn(entity);
    }
}

/// Brings a pool up to date that is inserted into a world.
fn come_back<M: Send + Sync + 'static>(mut world: DeferredWorld, context: HookContext) {
    // The world does not know its resource yet.
    let Some(pool) = world.get::<EntityPool<M>>(context.entity) else { return };
    let id = pool.identity.id;
    let home = world.get_resource::<Home<M>>();
    let is_home = home.is_some_and(|home| home.pools.iter().any(|(of, _)| *of == id));
    let is_there = |entity: Entity, body: Body| match body {
        // Its spawn may still be in a queue.
        Body::Unmade => world.entities().contains(entity),
        Body::Warming | Body::Asleep { .. } | Body::Awake { .. } => world
            .get_entity(entity)
            .is_ok_and(|entity| entity.get::<InPool<M>>().is_some_and(|place| place.pool() == id)),
    };
    let slots = pool.slots().iter().enumerate();
    let is_gone = |(index, slot): (usize, &crate::slot::Slot)| {
        let entity = slot.entity?;
        (!is_home || !is_there(entity, slot.body)).then_some(index as u32)
    };
    let gone: Vec<u32> = slots.filter_map(is_gone).collect();
    if let Some(mut pool) = world.get_mut::<EntityPool<M>>(context.entity) {
        for index in gone {
            pool.lose_slot(index);
        }
        pool.is_stranger = !is_home;
    }
    world.commands().queue(catch_up::<M>);
}
