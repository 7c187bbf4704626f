use core::fmt;
use core::num::NonZeroU32;

use crate::reports::errors::{Full, FullPool};
use crate::reports::stats::Stats;

/// Design 4, the particle pool of the patterns for game programming: a fixed array of particles, and a
/// free list threaded through the memory of the dead ones.
///
/// ```text
/// first available ──▶ 1
/// slots   [ live ][ dead, next 4 ][ live ][ live ][ dead, next none ]
///                          └──────────────────────▲
/// ```
///
/// A slot is a live particle **or** the number of the next available slot, in the same memory; which of
/// the two, the frames left say. (The sample does it with a C union. A Rust `enum` is one that knows
/// which half is valid, and its tag costs nothing here: no live particle has 0 frames left.) So
/// finding an available slot is O(1), and the list costs no memory beyond the particles: 20 bytes per
/// slot, all of them in the pool itself, with no heap.
///
/// Pick it to follow the sample, or to teach it. Its particles are known by their places alone: for
/// anything that others refer to, and for values of your own, take a [`Pool`](crate::Pool), with
/// [`reuse::Intrusive`](crate::reuse::Intrusive) for the same list;
/// the example `particles` has both beside each other.
///
/// ```
/// use millpond::classic::ParticlePool;
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
#[derive(Clone)]
pub struct ParticlePool<const N: usize = 100> {
    slots: [Slot; N],
    first_available: Option<u32>,
    stats: Stats,
}

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
    /// How many frames it has left, this one included.
    pub frames_left: NonZeroU32,
}

/// One place of the array.
#[derive(Clone, Copy)]
enum Slot {
    Live(Particle),
    Dead { next: Option<u32> },
}

impl Particle {
    /// The particle a frame later; `None` if its time is up.
    fn animated(self) -> Option<Self> {
        let frames_left = NonZeroU32::new(self.frames_left.get() - 1)?;
        let (x, y) = (self.x + self.x_velocity, self.y + self.y_velocity);
        Some(Self { x, y, frames_left, ..self })
    }
}

impl<const N: usize> ParticlePool<N> {
    /// A pool of `N` particles, none of them in use. The lowest slot comes first.
    ///
    /// ```
    /// use millpond::classic::ParticlePool;
    ///
    /// static NONE_YET: ParticlePool<32> = ParticlePool::new();
    /// assert_eq!((NONE_YET.capacity(), NONE_YET.len()), (32, 0));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        assert!(N < u32::MAX as usize, "a particle pool has fewer than 2^32 - 1 slots");
        let mut slots = [Slot::Dead { next: None }; N];
        let mut next = 1;
        while next < N {
            slots[next - 1] = Slot::Dead { next: Some(next as u32) };
            next += 1;
        }
        let first_available = if N > 0 { Some(0) } else { None };
        let (inserted, removed, refused, evicted) = (0, 0, 0, 0);
        let stats = Stats {
            capacity: N,
            live: 0,
            peak: 0,
            retired: 0,
            inserted,
            removed,
            refused,
            evicted,
        };
        Self { slots, first_available, stats }
    }

    /// Starts a particle in an available slot. O(1).
    ///
    /// With 0 frames it is over before it begins: no slot is taken. (As published, such a particle was
    /// never freed, and its slot lost.)
    ///
    /// ```
    /// use millpond::classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<1>::new();
    /// assert!(pool.create(0.0, 0.0, 1.0, 1.0, 60).is_ok());
    /// let full = pool.create(0.0, 0.0, 1.0, 1.0, 60).unwrap_err();
    /// assert_eq!(full.to_string(), "the pool is full: capacity 1, all live, 1 at the peak");
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is available. For particles it is fine to go without: on a screen full of them,
    /// nobody misses one.
    pub fn create(
        &mut self,
        x: f32,
        y: f32,
        x_velocity: f32,
        y_velocity: f32,
        frames: u32,
    ) -> Result<(), Full<()>> {
        let Some(index) = self.first_available else {
            self.stats.refused += 1;
            let Stats { capacity, peak, .. } = self.stats;
            let pool = FullPool { name: None, capacity, peak, retired: 0, out_of_memory: false };
            return Err(Full { value: (), pool });
        };
        let Some(frames_left) = NonZeroU32::new(frames) else {
            return Ok(());
        };
        let slot = &mut self.slots[index as usize];
        if let Slot::Dead { next } = *slot {
            self.first_available = next;
        }
        *slot = Slot::Live(Particle { x, y, x_velocity, y_velocity, frames_left });
        self.stats.inserted += 1;
        self.stats.live += 1;
        self.stats.peak = self.stats.peak.max(self.stats.live);
        Ok(())
    }

    /// Moves each particle in use by its velocity; one whose time is up goes back to the pool in the
    /// same pass. O(N).
    ///
    /// ```
    /// use millpond::classic::ParticlePool;
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
        for (slot, index) in self.slots.iter_mut().zip(0..) {
            let Slot::Live(particle) = *slot else { continue };
            *slot = match particle.animated() {
                Some(particle) => Slot::Live(particle),
                None => {
                    self.stats.live -= 1;
                    self.stats.removed += 1;
                    Slot::Dead { next: self.first_available.replace(index) }
                }
            };
        }
    }

    /// Whether the slot's particle is in use; `false` for a slot that there is not. O(1).
    #[must_use]
    pub fn in_use(&self, index: usize) -> bool {
        self.get(index).is_some()
    }

    /// The slot's particle, if it is in use. O(1).
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Particle> {
        match self.slots.get(index)? {
            Slot::Live(particle) => Some(particle),
            Slot::Dead { .. } => None,
        }
    }

    /// The particles in use, to draw them, in the order of their slots.
    ///
    /// ```
    /// use millpond::classic::ParticlePool;
    ///
    /// let mut pool = ParticlePool::<8>::new();
    /// pool.create(1.0, 0.0, 0.0, 0.0, 60).unwrap();
    /// pool.create(2.0, 0.0, 0.0, 0.0, 60).unwrap();
    /// assert_eq!(pool.particles().map(|particle| particle.x).sum::<f32>(), 3.0);
    /// ```
    pub fn particles(&self) -> impl Iterator<Item = &Particle> {
        (0..N).filter_map(|index| self.get(index))
    }

    /// The available slots, in the order in which they will be used: a walk along the free list.
    ///
    /// ```
    /// use millpond::classic::ParticlePool;
    ///
    /// let pool = ParticlePool::<3>::new();
    /// assert_eq!(pool.available().collect::<Vec<_>>(), [0, 1, 2]);
    /// ```
    pub fn available(&self) -> impl Iterator<Item = usize> {
        let next = |index: &u32| match self.slots[*index as usize] {
            Slot::Dead { next } => next,
            Slot::Live(_) => None,
        };
        core::iter::successors(self.first_available, next).map(|index| index as usize)
    }

    /// How many particles are in use. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        self.stats.live
    }

    /// Whether no particle is in use.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many particles there are, in use or not: `N`.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// How the pool stands, and what it has done. O(1).
    #[must_use]
    pub const fn stats(&self) -> Stats {
        self.stats
    }
}

impl<const N: usize> Default for ParticlePool<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The particles in use, each after its slot.
impl<const N: usize> fmt::Debug for ParticlePool<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_use = (0..N).filter_map(|index| self.get(index).map(|particle| (index, particle)));
        f.debug_map().entries(in_use).finish()
    }
}
