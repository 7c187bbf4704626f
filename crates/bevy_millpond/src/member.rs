//! What an entity of a pool knows: where in the pool it is.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;

use crate::pool::EntityPool;

/// Every entity of the pool of `M` has this component, asleep or awake; the pool inserts it once. It is immutable, and is
/// not cloned with the entity.
///
/// If it is removed, or the entity is despawned, the pool gives the entity up: its handle is refused from then on, and the
/// next life in its slot gets a new entity.
#[derive(Component)]
#[component(immutable, clone_behavior = Ignore, on_remove = leave::<M>)]
pub struct InPool<M: Send + Sync + 'static> {
    index: u32,
    /// Which pool of `M`.
    pool: u32,
    kind: PhantomData<fn() -> M>,
}

impl<M: Send + Sync + 'static> InPool<M> {
    pub(crate) fn new(index: u32, pool: u32) -> Self {
        Self { index, pool, kind: PhantomData }
    }

    pub(crate) fn pool(&self) -> u32 {
        self.pool
    }

    /// Returns the number of the entity's slot, from 0: it stays the same as long as the entity exists.
    #[inline]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl<M: Send + Sync + 'static> fmt::Debug for InPool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InPool<{}>({})", type_name::<M>(), self.index)
    }
}

fn leave<M: Send + Sync + 'static>(mut world: DeferredWorld, context: HookContext) {
    let Some(index) = world.get::<InPool<M>>(context.entity).map(InPool::index) else { return };
    if let Some(mut pool) = world.get_resource_mut::<EntityPool<M>>() {
        pool.lose(index, context.entity);
    }
}
