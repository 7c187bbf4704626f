//! Handles and counters as Bevy's inspectors and scenes see them.

use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use bevy_reflect::prelude::*;
use bevy_reflect::{TypePath, TypeRegistry};
use millpond::{Handle32, Stats};

use crate::pool;

/// A kind of which one can say the path.
#[derive(TypePath)]
struct Enemy;

#[derive(Component, Reflect, Clone, PartialEq, Debug)]
struct Missile {
    target: Option<PoolHandle<Enemy>>,
    second: Handle32<Enemy>,
}

#[test]
fn components_with_handles_are_reflected() {
    let mut world = World::new();
    EntityPool::<Enemy>::builder().capacity(4).insert_into(&mut world);
    let target = world.spawn_pooled::<Enemy, _>(()).unwrap();
    let missile = Missile { target: Some(target), second: Handle32::DANGLING };
    assert_eq!(missile.reflect_clone().unwrap().downcast_ref(), Some(&missile));
    let path = <PoolHandle<Enemy> as TypePath>::type_path();
    assert_eq!(path, "millpond::Handle<pools::reflected::Enemy>");

    let mut other = Missile { target: None, second: Handle32::from_parts(1, 1).unwrap() };
    other.apply(missile.as_partial_reflect());
    assert_eq!(other, missile);
    assert_eq!(size_of::<Option<PoolHandle<Enemy>>>(), 8);
}

#[test]
fn counters_have_fields() {
    let mut world = crate::world(4);
    world.spawn_pooled::<crate::Bullet, _>(crate::Bullet(1)).unwrap();
    let stats = pool(&world).stats();
    let live: &usize = stats.get_field("live").unwrap();
    assert_eq!((*live, stats.field_len()), (1, 8));
    let mut registry = TypeRegistry::new();
    registry.register::<Stats>();
    assert!(registry.get_with_short_type_path("Stats").is_some());
}

#[cfg(feature = "serde")]
#[test]
fn handles_are_saved_as_text() {
    use bevy_reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
    use serde::de::DeserializeSeed;

    let mut world = World::new();
    EntityPool::<Enemy>::builder().capacity(4).insert_into(&mut world);
    let target = world.spawn_pooled::<Enemy, _>(()).unwrap();
    let text = serde_json::to_string(&target).unwrap();
    assert_eq!(text, format!("\"{target}\""));
    assert_eq!(serde_json::from_str::<PoolHandle<Enemy>>(&text).unwrap(), target);

    // As a scene does.
    let mut registry = TypeRegistry::new();
    registry.register::<PoolHandle<Enemy>>();
    let saved = serde_json::to_string(&TypedReflectSerializer::new(&target, &registry)).unwrap();
    assert_eq!(saved, text);
    let registration = registry.get(std::any::TypeId::of::<PoolHandle<Enemy>>()).unwrap();
    let mut json = serde_json::Deserializer::from_str(&text);
    let loaded =
        TypedReflectDeserializer::new(registration, &registry).deserialize(&mut json).unwrap();
    assert_eq!(loaded.try_downcast_ref(), Some(&target));
}
