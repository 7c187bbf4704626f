//! A scene of nodes, written into the world as Bevy's `WorldAsset::write_to_world_with` of version 0.20 does it: component by
//! component, by reflection. (That crate needs Bevy's assets.)

use std::any::TypeId;
use std::sync::Arc;

use bevy_ecs::archetype::Archetype;
use bevy_ecs::component::ComponentCloneBehavior;
use bevy_ecs::entity::{EntityHashMap, SceneEntityMapper};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::relationship::RelationshipHookMode;
use bevy_reflect::{PartialReflect, Reflect, TypeRegistry};

macro_rules! parts {
    ($($name:ident)*) => {
        $(#[derive(Component, Clone, Copy, Default, Reflect)]
        #[reflect(Component, Clone)]
        struct $name([f32; 4]);)*
        fn register_parts(registry: &mut TypeRegistry) {
            $(registry.register::<$name>();)*
        }
    };
}
parts!(P Q R S T U);

#[derive(Component, Clone, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone)]
struct Mesh(#[expect(dead_code, reason = "only its count of references counts")] Arc<u64>);

#[derive(Component, Clone, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone)]
struct Material(#[expect(dead_code, reason = "only its count of references counts")] Arc<u64>);

#[derive(Component, Clone, Reflect)]
#[reflect(Component, Clone)]
struct Called(String);

/// What a node has: places, visibilities, a mesh, a material, a name.
pub fn node() -> impl Bundle + Clone {
    let places =
        (P::default(), Q::default(), R::default(), S::default(), T::default(), U::default());
    let called = Called("a node of the scene, with a name".into());
    (places, Mesh(Arc::new(1)), Material(Arc::new(2)), called)
}

pub struct Scene {
    world: World,
    registry: TypeRegistry,
}

impl Scene {
    /// A root, and as many children that there are `nodes` in all.
    pub fn new(nodes: usize) -> Self {
        let mut registry = TypeRegistry::default();
        register_parts(&mut registry);
        registry.register::<Mesh>();
        registry.register::<Material>();
        registry.register::<Called>();
        registry.register::<ChildOf>();
        registry.register::<Children>();
        let mut world = World::new();
        let root = world.spawn(node()).id();
        for _ in 1..nodes {
            world.spawn((node(), ChildOf(root)));
        }
        Self { world, registry }
    }

    fn archetypes(&self) -> impl Iterator<Item = &Archetype> {
        let is_part = |id| {
            self.world.components().get_info(id).and_then(|info| info.type_id())
                == Some(TypeId::of::<P>())
        };
        let archetypes = self.world.archetypes().iter();
        archetypes.filter(move |archetype| archetype.iter_components().any(is_part))
    }

    /// Writes the nodes into a world, the root as a child of `parent`.
    pub fn instance(&self, world: &mut World, parent: Entity) {
        let mut map = EntityHashMap::<Entity>::default();
        for archetype in self.archetypes() {
            for entity in archetype.entities() {
                map.entry(entity.id()).or_insert_with(|| world.spawn_empty().id());
            }
        }
        for archetype in self.archetypes() {
            for source in archetype.entities() {
                let entity = map[&source.id()];
                for id in archetype.iter_components() {
                    let info = self.world.components().get_info(id).unwrap();
                    if matches!(*info.clone_behavior(), ComponentCloneBehavior::Ignore) {
                        continue;
                    }
                    let registration = self.registry.get(info.type_id().unwrap()).unwrap();
                    let reflect = registration.data::<ReflectComponent>().unwrap();
                    let component = reflect.reflect(self.world.entity(source.id())).unwrap();
                    let component = component.as_partial_reflect().reflect_clone();
                    let component = component.map(PartialReflect::into_partial_reflect).unwrap();
                    SceneEntityMapper::world_scope(&mut map, world, |world, mapper| {
                        reflect.apply_or_insert_mapped(
                            &mut world.entity_mut(entity),
                            component.as_partial_reflect(),
                            &self.registry,
                            mapper,
                            RelationshipHookMode::Skip,
                        );
                    });
                }
            }
        }
        for (_, &entity) in map.iter() {
            if world.get_entity(entity).is_ok_and(|entity| !entity.contains::<ChildOf>()) {
                world.entity_mut(parent).add_child(entity);
            }
        }
    }
}
