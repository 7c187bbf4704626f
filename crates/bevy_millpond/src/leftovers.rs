//! What a pool says of mistakes that it finds: to Bevy's error handler, as warnings.

use bevy_ecs::archetype::ArchetypeId;
use bevy_ecs::component::ComponentId;
use bevy_ecs::error::{BevyError, ErrorContext, Severity};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::AppTypeRegistry;
use bevy_utils::prelude::DebugName;

use crate::pool::EntityPool;

fn warn<M: Send + Sync + 'static>(world: &mut World, message: String) {
    let error = BevyError::new(Severity::Warning, message);
    world.fallback_error_handler()(
        error,
        ErrorContext::Command { name: DebugName::type_name::<EntityPool<M>>() },
    );
}

/// The name of a component: Bevy's, which are all the same without its feature `debug`, or that of its registered type.
fn name_of(world: &World, id: ComponentId) -> String {
    let info = world.components().get_info(id);
    let size = info.map_or(0, |info| info.layout().size());
    let has_names = DebugName::type_name::<u8>() != DebugName::type_name::<u16>();
    if let Some(name) = world.components().get_name(id).filter(|_| has_names) {
        return describe(Some(&name), id, size);
    }
    // Reflection has names as well.
    let registry = world.get_resource::<AppTypeRegistry>().map(|registry| registry.read());
    let info = info.and_then(|info| registry.as_ref()?.get_type_info(info.type_id()?));
    describe(info.map(|info| info.type_path()), id, size)
}

fn describe(name: Option<&str>, id: ComponentId, size: usize) -> String {
    match name {
        Some(name) => name.into(),
        None => format!(
            "component {} of {size} bytes (Bevy's feature `debug` shows its name, or register the type)",
            id.index()
        ),
    }
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
            && !pool.components.ignored.contains(&id)
            && !pool.left.contains(&id)
            // Without a size, there is no state.
            && world.components().get_info(id).is_some_and(|info| info.layout().size() > 0)
            && body.get_change_ticks_by_id(id).is_some_and(|ticks| {
                ticks.is_changed(slot.born_at, now) && !ticks.is_changed(slot.freed_at, now)
            })
    };
    // Nothing is allocated as long as nothing is left.
    let left: Vec<ComponentId> = body.archetype().iter_components().filter(is_left).collect();
    let pool_name = pool.name();
    for id in left {
        let component = name_of(world, id);
        let message = format!(
            "pool {pool_name:?}: {component} keeps state of the entity's last life, because the bundle does not set it: name it \
             in the bundle, set it in `on_free`, or allow it with `keep`"
        );
        let mut pool = world.resource_mut::<EntityPool<M>>();
        pool.left.push(id);
        pool.leftovers.push(component);
        warn::<M>(world, message);
    }
}

/// Says once that somebody else changed a sleeping entity: perhaps with commands that were meant for its next life.
pub(crate) fn report_changed<M: Send + Sync + 'static>(
    world: &mut World,
    entity: Entity,
    slept_as: ArchetypeId,
) {
    let mut pool = world.resource_mut::<EntityPool<M>>();
    if core::mem::replace(&mut pool.told_of_change, true) {
        return;
    }
    let name = pool.name();
    let inserted: Vec<String> = match (world.archetypes().get(slept_as), world.get_entity(entity)) {
        (Some(was), Ok(is)) => (is.archetype().iter_components())
            .filter(|&id| !was.contains(id))
            .map(|id| name_of(world, id))
            .collect(),
        _ => Vec::new(),
    };
    let what = match &inserted[..] {
        [] => "changed".into(),
        inserted => format!("inserted {} into", inserted.join(", ")),
    };
    let message = format!(
        "pool {name:?}: something other than the pool {what} an entity that was asleep ({entity}), so its next life is made \
         anew, without that. Did `Commands` that stand before `Pooled` in a system mean the next life? Take `Pooled::entity` or \
         `Pooled::commands` for it"
    );
    warn::<M>(world, message);
}

/// Says that somebody else woke a sleeping entity.
pub(crate) fn report_disturbed<M: Send + Sync + 'static>(world: &mut World, entity: Entity) {
    let name = world.resource::<EntityPool<M>>().name();
    let message = format!(
        "pool {name:?}: {entity} was asleep, and something other than the pool woke it: it sleeps again"
    );
    warn::<M>(world, message);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bevy's names are all "<Enable the debug feature to see the name>" then.
    #[test]
    fn a_component_without_a_name_has_its_number() {
        let id = ComponentId::new(57);
        assert_eq!(describe(Some("game::Armour"), id, 12), "game::Armour");
        let expected = "component 57 of 12 bytes (Bevy's feature `debug` shows its name, or register the type)";
        assert_eq!(describe(None, id, 12), expected);
    }
}
