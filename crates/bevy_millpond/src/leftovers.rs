//! What a pool says of mistakes that it finds: to Bevy's error handler, as warnings.

use bevy_ecs::component::ComponentId;
use bevy_ecs::error::{BevyError, ErrorContext, Severity};
use bevy_ecs::prelude::*;
use bevy_utils::prelude::DebugName;

use crate::pool::EntityPool;

fn warn<M: Send + Sync + 'static>(world: &mut World, message: String) {
    let error = BevyError::new(Severity::Warning, message);
    world.fallback_error_handler()(
        error,
        ErrorContext::Command { name: DebugName::type_name::<EntityPool<M>>() },
    );
}

/// Names the components of an entity that the last life changed, and that neither the bundle nor a reset has set since.
pub(crate) fn report_leftovers<M: Send + Sync + 'static>(
    world: &mut World,
    index: u32,
    entity: Entity,
    birth: u16,
) {
    let now = world.change_tick();
    let Ok(body) = world.get_entity(entity) else { return };
    let pool = world.resource::<EntityPool<M>>();
    let Some(slot) = pool.slot(index) else { return };
    let is_left = |&id: &ComponentId| {
        !pool.birth(birth).explicit.contains(&id)
            && !pool.ignored.contains(&id)
            && body.get_change_ticks_by_id(id).is_some_and(|ticks| {
                ticks.is_changed(slot.born_at, now) && !ticks.is_changed(slot.freed_at, now)
            })
    };
    // Nothing is allocated as long as nothing is left.
    let left: Vec<String> = (body.archetype().iter_components().filter(is_left))
        .filter_map(|id| Some(world.components().get_name(id)?.to_string()))
        .filter(|name| !pool.leftovers().contains(name))
        .collect();
    let pool_name = pool.name();
    for component in left {
        let message = format!(
            "pool {pool_name:?}: {component} keeps state of the entity's last life, because the bundle does not set it: name it \
             in the bundle, set it in `on_free`, or allow it with `keep`"
        );
        world.resource_mut::<EntityPool<M>>().leftovers.push(component);
        warn::<M>(world, message);
    }
}

/// Says that somebody else woke a sleeping entity.
pub(crate) fn report_disturbed<M: Send + Sync + 'static>(world: &mut World, entity: Entity) {
    let name = world.resource::<EntityPool<M>>().name();
    let message = format!(
        "pool {name:?}: {entity} was asleep, and something other than the pool woke it: it sleeps again"
    );
    warn::<M>(world, message);
}
