//! What a pool does in which case.

use std::sync::Arc;

use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;

use crate::full::WhenFull;
use crate::sleep::Sleeping;

/// Makes what the bundle does not: children, meshes, observers.
pub(crate) type Template = Arc<dyn Fn(&mut EntityWorldMut) + Send + Sync>;

/// What a builder has gathered.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) name: &'static str,
    pub(crate) when_full: WhenFull,
    pub(crate) sleeping: Sleeping,
    pub(crate) template: Option<Template>,
    pub(crate) on_free: Option<fn(&mut EntityWorldMut)>,
    pub(crate) checks_resets: bool,
    /// The components that a reset may leave as they are.
    pub(crate) ignored: Vec<fn(&mut World) -> ComponentId>,
}

/// The components of which a pool knows, in a world.
pub(crate) struct Components {
    /// [`Children`].
    pub(crate) children: ComponentId,
    /// What puts entities to sleep.
    pub(crate) marker: ComponentId,
    pub(crate) ignored: Vec<ComponentId>,
}

impl Settings {
    /// Makes a world ready for entities that sleep, and finds its components.
    pub(crate) fn components(&self, world: &mut World) -> Components {
        self.sleeping.register(world);
        let children = world.register_component::<Children>();
        let marker = self.sleeping.component(world);
        let mut ignored = vec![children];
        ignored.extend(self.ignored.iter().map(|register| register(world)));
        Components { children, marker, ignored }
    }
}
