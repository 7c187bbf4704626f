use core::fmt;
use core::num::NonZeroU32;

use crate::object_pool::{ObjectPool, Pooled};
use millpond::Full;
use millpond::Stats;

/// Design 4, the particle pool of the game programming patterns: a fixed array of particles, and a
/// free list threaded through the memory of the dead ones.
///
/// ```text
/// first available ──▶ 1
/// slots   [ live ][ dead, next 4 ][ live ][ live ][ dead, next none ]
///                          └──────────────────────▲
/// ```
///
/// A slot is a live particle **or** the number of the next available slot, in the same memory; the
/// number of frames left says which. (The sample uses a C union. A Rust `enum` is a union that
/// knows which half is valid, and its tag costs nothing here: no live particle has 0 frames left.)
/// So finding an available slot is O(1), and the list needs no memory beyond the particles: 20
/// bytes per slot, stored inline, without a heap.
///
/// Use it to follow the sample, or to teach it. [`ObjectPool`] is the same design for your own
/// objects that know that they are pooled. Particles are identified only by their index: for
/// objects that others refer to, use a [`Pool`](millpond::Pool); the example
/// `particles` shows both.
///
/// ```
/// use millpond_classic::ParticlePool;
///
/// let mut sparks = ParticlePool::<100>::new();
/// sparks.create(0.0, 0.0, 0.5, 1.0, 2).unwrap();
/// sparks.create(9.0, 0.0, 0.0, 1.0, 30).unwrap();
///
/// sparks.animate();
/// assert_eq!((sparks.get(0).unwrap().x, sparks.get(0).unwrap().y), (0.5, 1.0));
/// sparks.animate(); // the first one's time is up
/// assert!(!sparks.in_use(0) && sparks.in_use(1));
///
/// sparks.create(5.0, 5.0, 0.0, 0.0, 10).unwrap();
/// assert!(sparks.in_use(0)); // the slot freed last is used first
/// ```
///
/// The particles are in the pool itself, an array of `N`. A [`HeapParticlePool`](super::HeapParticlePool) has as many
/// as a number that is known only at run time, on the heap.
///
/// The sample's numbers are `double`; these are `f32`, as in most particle systems: 20 bytes for a
/// particle instead of 40. For `f64`, or fields of your own, an [`ObjectPool`] takes an `enum` of
/// yours.
#[derive(Clone)]
#[doc(alias = "object pool")]
pub struct ParticlePool<const N: usize = 100, S = [ParticleSlot; N]> {
    pub(super) slots: ObjectPool<ParticleSlot, N, S>,
}

/// A place for a particle in a [`ParticlePool`]: a particle in use, or the link to the next place.
#[derive(Clone, Copy, Debug)]
pub struct ParticleSlot(Slot);

/// A particle in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Where it is.
    pub x: f32,
    /// Where it is.
    pub y: f32,
    /// How far it goes in a frame.
    pub x_velocity: f32,
    /// How far it goes in a frame.
    pub y_velocity: f32,
    /// The number of frames that it has left, including this one.
    pub frames_left: NonZeroU32,
}

/// One place of the array.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Live(Particle),
    Dead { next: Option<u32>, fill: Fill },
}

/// What the rest of a dead particle's memory holds, if the feature `debug-aids` is enabled.
type Fill = [u32; FILL_WORDS];
const FILL_WORDS: usize = if cfg!(feature = "debug-aids") { 2 } else { 0 };
const FILL: Fill = [0x1dea_db0b; FILL_WORDS];

impl Slot {
    #[inline]
    const fn dead(next: Option<u32>) -> Self {
        Self::Dead { next, fill: FILL }
    }

    #[inline]
    fn particle_mut(&mut self) -> Option<&mut Particle> {
        match self {
            Self::Live(particle) => Some(particle),
            Self::Dead { .. } => None,
        }
    }
}

impl Pooled for ParticleSlot {
    #[inline]
    fn unused(next: Option<u32>) -> Self {
        Self(Slot::dead(next))
    }

    #[inline]
    fn in_use(&self) -> bool {
        matches!(self.0, Slot::Live(_))
    }

    #[inline]
    fn next_unused(&self) -> Option<u32> {
        match self.0 {
            Slot::Live(_) => None,
            Slot::Dead { next, fill } => {
                assert!(fill == FILL, "a dead particle was written to");
                next
            }
        }
    }
}

impl<const N: usize> ParticlePool<N> {
    /// Creates a pool of `N` particles, none of them in use. The lowest slot is used first.
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// static NONE_YET: ParticlePool<32> = ParticlePool::new();
    /// assert_eq!((NONE_YET.capacity(), NONE_YET.len()), (32, 0));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        let mut slots = [ParticleSlot(Slot::dead(None)); N];
        let mut next = 1;
        while next < N {
            slots[next - 1] = ParticleSlot(Slot::dead(Some(next as u32)));
            next += 1;
        }
        Self { slots: ObjectPool::of_linked(slots, N) }
    }
}

impl<const N: usize, S> ParticlePool<N, S> {
    /// Returns the number of particles in use. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether no particle is in use.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of particles, in use or not.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    #[must_use]
    pub const fn stats(&self) -> Stats {
        self.slots.stats()
    }
}

impl<const N: usize, S: AsRef<[ParticleSlot]> + AsMut<[ParticleSlot]>> ParticlePool<N, S> {
    /// Starts a particle in an available slot. O(1).
    ///
    /// With 0 frames, the particle ends at once and takes no slot. (A full pool returns an error
    /// all the same. As published, such a particle was never freed, and its slot was lost.)
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<1>::new();
    /// assert!(pool.create(0.0, 0.0, 1.0, 1.0, 60).is_ok());
    /// let full = pool.create(0.0, 0.0, 1.0, 1.0, 60).unwrap_err();
    /// assert_eq!(full.to_string(), "the pool is full: its only slot is live");
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is available. A missing particle is usually no problem: on a screen full of them,
    /// nobody notices.
    ///
    /// # Panics
    ///
    /// With the feature `debug-aids`, if the slot's dead particle was written to.
    #[inline]
    pub fn create(
        &mut self,
        x: f32,
        y: f32,
        x_velocity: f32,
        y_velocity: f32,
        frames: u32,
    ) -> Result<(), Full<()>> {
        let particle = |frames_left| Particle { x, y, x_velocity, y_velocity, frames_left };
        let slot = NonZeroU32::new(frames).map_or(Slot::dead(None), |n| Slot::Live(particle(n)));
        self.slots.create(ParticleSlot(slot)).map(|_| ()).map_err(|_| Full::new((), &self.stats()))
    }

    /// Moves each particle in use by its velocity. Particles whose time is up return to the pool in
    /// the same pass. O(N).
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(0.0, 0.0, 1.0, 2.0, 3).unwrap();
    /// pool.animate();
    /// pool.animate();
    /// assert_eq!((pool.get(0).unwrap().x, pool.get(0).unwrap().y), (2.0, 4.0));
    /// pool.animate();
    /// assert_eq!(pool.len(), 0);
    /// ```
    pub fn animate(&mut self) {
        self.slots.update_and_link(|ParticleSlot(slot), next| {
            let Slot::Live(particle) = slot else { return false };
            particle.x += particle.x_velocity;
            particle.y += particle.y_velocity;
            match NonZeroU32::new(particle.frames_left.get() - 1) {
                Some(frames_left) => {
                    particle.frames_left = frames_left;
                    false
                }
                None => {
                    *slot = Slot::dead(next);
                    true
                }
            }
        });
    }

    /// Returns all particles to the pool; the lowest slot is used first again. O(N).
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(0.0, 0.0, 1.0, 2.0, 30).unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && pool.available().eq(0..8));
    /// ```
    pub fn clear(&mut self) {
        self.slots.clear();
    }

    /// Returns whether the particle at `index` is in use; `false` if it does not exist. O(1).
    #[must_use]
    pub fn in_use(&self, index: usize) -> bool {
        self.get(index).is_some()
    }

    /// Returns a reference to the particle at `index`, or `None` if it is not in use. O(1).
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Particle> {
        match &self.slots.get(index)?.0 {
            Slot::Live(particle) => Some(particle),
            Slot::Dead { .. } => None,
        }
    }

    /// Returns a mutable reference to the particle at `index`, or `None` if it is not in use. O(1).
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(0.0, 0.0, 1.0, 2.0, 30).unwrap();
    /// pool.get_mut(0).unwrap().y_velocity = -2.0; // it bounces
    /// pool.animate();
    /// assert_eq!(pool.get(0).unwrap().y, -2.0);
    /// ```
    #[must_use]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Particle> {
        self.slots.objects_mut().get_mut(index)?.0.particle_mut()
    }

    /// Iterates over the particles in use, in index order, for example to draw them.
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(1.0, 0.0, 0.0, 0.0, 60).unwrap();
    /// pool.create(2.0, 0.0, 0.0, 0.0, 60).unwrap();
    /// assert_eq!(pool.particles().map(|particle| particle.x).sum::<f32>(), 3.0);
    /// ```
    pub fn particles(&self) -> impl Iterator<Item = &Particle> {
        (0..self.capacity()).filter_map(|index| self.get(index))
    }

    /// Iterates mutably over the particles in use, in index order.
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(1.0, 0.0, 0.0, 0.0, 60).unwrap();
    /// for particle in pool.particles_mut() {
    ///     particle.y_velocity -= 9.81 / 60.0; // gravity
    /// }
    /// assert!(pool.get(0).unwrap().y_velocity < 0.0);
    /// ```
    pub fn particles_mut(&mut self) -> impl Iterator<Item = &mut Particle> {
        self.slots.objects_mut().iter_mut().filter_map(|slot| slot.0.particle_mut())
    }

    /// Iterates over the available slots, in the order in which they will be used: along the free
    /// list.
    ///
    /// ```
    /// use millpond_classic::ParticlePool;
    ///
    /// let pool = ParticlePool::<3>::new();
    /// assert_eq!(pool.available().collect::<Vec<_>>(), [0, 1, 2]);
    /// ```
    pub fn available(&self) -> impl Iterator<Item = usize> {
        self.slots.available()
    }
}

impl<const N: usize> Default for ParticlePool<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Formats the pool as a map from indices to the particles in use.
impl<const N: usize, S> fmt::Debug for ParticlePool<N, S>
where
    S: AsRef<[ParticleSlot]> + AsMut<[ParticleSlot]>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let particle = |index| self.get(index).map(|particle| (index, particle));
        let in_use = (0..self.capacity()).filter_map(particle);
        f.debug_map().entries(in_use).finish()
    }
}

#[cfg(all(test, feature = "debug-aids"))]
mod tests {
    use super::*;

    /// No safe code can do that from outside, but a program's C part can.
    #[test]
    #[should_panic = "a dead particle was written to"]
    fn a_write_to_a_dead_particle_shows_when_it_is_used_again() {
        let mut pool = ParticlePool::<2>::new();
        pool.create(0.0, 0.0, 0.0, 0.0, 1).unwrap();
        pool.animate();
        match &mut pool.slots.objects_mut()[0].0 {
            Slot::Dead { fill, .. } => fill[0] = 5.0_f32.to_bits(),
            Slot::Live(_) => unreachable!(),
        }
        let _ = pool.create(0.0, 0.0, 0.0, 0.0, 1);
    }
}
