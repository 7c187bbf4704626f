//! What a pool does in which case.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use crate::full::WhenFull;
use crate::sleep::Sleeping;

/// What makes an entity what its bundle says, when a life begins on an entity that lived before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// The bundle overwrites its components. What was inserted in the last life is removed, and children that were added
    /// are despawned, when the entity is freed. Components of the template, and those that the bundle *requires* but
    /// does not name, keep their values: debug builds name those that the last life changed.
    #[default]
    Bundle,
    /// Everything is removed when the entity is freed and made anew: as after a despawn and a spawn, at their price. What
    /// remains of the pool is its bound, its handles and its figures.
    Remake,
}

/// Makes what the bundle does not: children, meshes, observers.
pub(crate) type Template = Arc<dyn Fn(&mut EntityWorldMut) + Send + Sync>;

/// What a builder has gathered.
pub(crate) struct Settings {
    pub(crate) name: &'static str,
    pub(crate) when_full: WhenFull,
    pub(crate) sleeping: Sleeping,
    pub(crate) reset: Reset,
    pub(crate) template: Option<Template>,
    pub(crate) on_free: Option<fn(&mut EntityWorldMut)>,
    pub(crate) checks_resets: bool,
}
