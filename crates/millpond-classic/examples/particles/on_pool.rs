//! The particle sample on a [`Pool`]: the pool knows nothing of particles, and the particles nothing of
//! the pool.

use millpond::{Full, Handle, Pool};

/// A particle; that it is in use is the pool's to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Particle {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) x_velocity: f32,
    pub(crate) y_velocity: f32,
    pub(crate) frames_left: u32,
}

/// Which slots are free is beside the particles, not in them as in the sample.
pub(crate) struct Particles {
    pub(crate) pool: Pool<Particle>,
}

impl Particles {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { pool: Pool::new(capacity) }
    }

    pub(crate) fn create(
        &mut self,
        particle: Particle,
    ) -> Result<Handle<Particle>, Full<Particle>> {
        self.pool.insert(particle)
    }

    /// Moves each particle; one whose time is up goes back in the same pass.
    pub(crate) fn animate(&mut self) {
        self.pool.retain(|_, particle| {
            particle.x += particle.x_velocity;
            particle.y += particle.y_velocity;
            particle.frames_left -= 1;
            particle.frames_left > 0
        });
    }
}
