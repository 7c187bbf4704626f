//! One thing at a time for each entity of a pool.
//!
//! What begins or ends a life runs code of others: templates, hooks, observers. If that begins or ends a life of the same
//! entity, it waits until the first is done: so an entity is never half of one life and half of another. What comes while
//! the pool is out of its world for a moment waits until it is back. If the code of others takes it out in the middle, its
//! entity is given up.

use core::marker::PhantomData;
use std::sync::Mutex;

use bevy_ecs::prelude::*;

use crate::pool::EntityPool;

type Act = Box<dyn FnOnce(&mut World) + Send>;

/// The slots of the pool of `M` at which something is being done, and what waits for that.
#[derive(Resource)]
struct Doing<M: Send + Sync + 'static> {
    slots: Vec<u32>,
    waiting: Mutex<Vec<(u32, Act)>>,
    /// For the pool to come back.
    late: Mutex<Vec<(u32, Act)>>,
    kind: PhantomData<fn() -> M>,
}

impl<M: Send + Sync + 'static> Default for Doing<M> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            waiting: Mutex::default(),
            late: Mutex::default(),
            kind: PhantomData,
        }
    }
}

impl<M: Send + Sync + 'static> Doing<M> {
    fn waiting(&mut self) -> &mut Vec<(u32, Act)> {
        self.waiting.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn late(&mut self) -> &mut Vec<(u32, Act)> {
        self.late.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Makes a world ready for a pool of `M`.
pub(crate) fn prepare<M: Send + Sync + 'static>(world: &mut World) {
    world.init_resource::<Doing<M>>();
}

/// Does something to a slot's entity, now or as soon as what is being done to it is done.
pub(crate) fn alone<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    act: impl FnOnce(&mut World) + Send + 'static,
) {
    let pool = world.get_resource::<EntityPool<M>>();
    let is_away = pool.is_none();
    if let Some(pool) = pool.filter(|pool| pool.is_stranger) {
        let move_in = pool.identity.move_in;
        move_in(world);
    }
    let mut doing = world.get_resource_or_init::<Doing<M>>();
    if is_away {
        doing.late().push((index, Box::new(act)));
        return;
    }
    if doing.slots.contains(&index) {
        doing.waiting().push((index, Box::new(act)));
        return;
    }
    doing.slots.push(index);
    let mut turn = Turn::<M> { world, index, is_done: false, kind: PhantomData };
    act(&mut *turn.world);
    while let Some(act) = turn.next() {
        act(&mut *turn.world);
    }
    turn.is_done = true;
}

/// What ends when all is done, or somebody's code has panicked.
struct Turn<'w, M: Send + Sync + 'static> {
    world: &'w mut World,
    index: u32,
    is_done: bool,
    kind: PhantomData<fn() -> M>,
}

impl<M: Send + Sync + 'static> Turn<'_, M> {
    /// What waits for the entity; or ends the turn.
    fn next(&mut self) -> Option<Act> {
        let is_away = !self.world.contains_resource::<EntityPool<M>>();
        let index = self.index;
        let mut doing = self.world.get_resource_mut::<Doing<M>>()?;
        if !is_away && let Some(at) = doing.waiting().iter().position(|(slot, _)| *slot == index) {
            return Some(doing.waiting().remove(at).1);
        }
        doing.slots.retain(|&slot| slot != index);
        if is_away {
            doing.late().push((index, Box::new(move |world| give_up::<M>(world, index))));
            let waits: Vec<_> =
                doing.waiting().extract_if(.., |(slot, _)| *slot == index).collect();
            doing.late().extend(waits);
        }
        None
    }
}

impl<M: Send + Sync + 'static> Drop for Turn<'_, M> {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let index = self.index;
        if let Some(mut doing) = self.world.get_resource_mut::<Doing<M>>() {
            doing.slots.retain(|&slot| slot != index);
            doing.waiting().retain(|(slot, _)| *slot != index);
        }
        // Nobody knows what it is by now.
        if let Some(mut pool) = self.world.get_resource_mut::<EntityPool<M>>() {
            pool.lose_slot(index);
        }
    }
}

/// Despawns an entity of which nobody knows what it is by now.
fn give_up<M: Send + Sync + 'static>(world: &mut World, index: u32) {
    let slot = world.get_resource::<EntityPool<M>>().and_then(|pool| pool.slot(index));
    let Some(entity) = slot.and_then(|slot| slot.entity) else { return };
    let _gone_already = world.try_despawn(entity);
    // If it was gone, nobody has told the pool.
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.lose(index, entity);
    }
}

/// Does what has waited for the pool to come back.
pub(crate) fn catch_up<M: Send + Sync + 'static>(world: &mut World) {
    let Some(mut doing) = world.get_resource_mut::<Doing<M>>() else { return };
    for (index, act) in core::mem::take(doing.late()) {
        alone::<M>(world, index, act);
    }
}
