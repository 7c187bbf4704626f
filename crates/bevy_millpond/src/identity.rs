//! What tells a pool from all others of the program.

use std::sync::Arc;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::world::{DeferredWorld, World};

#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: u32,
    /// What brings the pool up to date when it is inserted into a world.
    pub(crate) come_back: fn(DeferredWorld<'_>, HookContext),
    /// What makes the pool at home in a world that it has come to.
    pub(crate) move_in: fn(&mut World),
    /// Gone as soon as the pool is.
    _alive: Arc<()>,
}

impl Identity {
    pub(crate) fn new(
        id: u32,
        alive: Arc<()>,
        come_back: fn(DeferredWorld<'_>, HookContext),
        move_in: fn(&mut World),
    ) -> Self {
        Self { id, come_back, move_in, _alive: alive }
    }
}
