//! What tells a pool from all others of the program.

use std::sync::Arc;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::world::DeferredWorld;

#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: u32,
    /// What brings the pool up to date when it is inserted into a world.
    pub(crate) come_back: fn(DeferredWorld<'_>, HookContext),
    /// Gone as soon as the pool is.
    _alive: Arc<()>,
}

impl Identity {
    pub(crate) fn new(
        id: u32,
        alive: Arc<()>,
        come_back: fn(DeferredWorld<'_>, HookContext),
    ) -> Self {
        Self { id, come_back, _alive: alive }
    }
}
