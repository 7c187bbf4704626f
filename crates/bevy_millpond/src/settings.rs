//! What a pool does in which case.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use crate::full::WhenFull;
use crate::sleep::Sleeping;

/// Makes what the bundle does not: children, meshes, observers.
pub(crate) type Template = Arc<dyn Fn(&mut EntityWorldMut) + Send + Sync>;

/// What a builder has gathered.
pub(crate) struct Settings {
    pub(crate) name: &'static str,
    pub(crate) when_full: WhenFull,
    pub(crate) sleeping: Sleeping,
    pub(crate) template: Option<Template>,
    pub(crate) on_free: Option<fn(&mut EntityWorldMut)>,
    pub(crate) checks_resets: bool,
}
