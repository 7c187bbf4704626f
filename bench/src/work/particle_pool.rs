//! `millpond_classic::ParticlePool`, whose particles are its own: in the work on particles alone. A particle
//! has 20 bytes (two places, two velocities, the frames that it has left), the work's object 16.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use millpond_classic::ParticlePool;

use super::particles;
use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Timed};
use crate::object::Small;
use crate::sizes::room;

/// As in the tables.
pub(crate) const NAME: &str = "classic::ParticlePool";

/// At work on so many particles, if a pool was built for them here.
pub(crate) fn candidate(count: usize) -> Option<Candidate> {
    let prepare: fn(usize) -> Box<dyn Lap> = match count {
        #[cfg(test)]
        100 => prepare::<{ room(100) }>,
        1_000 => prepare::<{ room(1_000) }>,
        10_000 => prepare::<{ room(10_000) }>,
        100_000 => prepare::<{ room(100_000) }>,
        1_000_000 => prepare::<{ room(1_000_000) }>,
        _ => return None,
    };
    let prepare = Box::new(move || Some(prepare(count)));
    Some(Candidate { name: NAME, kind: Kind::Millpond, prepare })
}

fn prepare<const N: usize>(count: usize) -> Box<dyn Lap> {
    let mut run = Run { pool: on_the_heap::<N>(), count, next: 0 };
    run.start();
    Box::new(run)
}

/// A new pool, made on a stack that is large enough for it and its copies.
fn on_the_heap<const N: usize>() -> Box<ParticlePool<N>> {
    let stack_bytes = 4 * size_of::<ParticlePool<N>>() + (1 << 20);
    let maker =
        thread::Builder::new().stack_size(stack_bytes).spawn(|| Box::new(ParticlePool::new()));
    maker.expect("a thread").join().expect("a pool")
}

struct Run<const N: usize> {
    pool: Box<ParticlePool<N>>,
    count: usize,
    /// The number of the next particle to be made.
    next: u32,
}

/// Numbers have 32 bits, and an `f32` is exact up to 24: the upper bits of a number are in `y`, which stands
/// still.
const X_BITS: u32 = 12;

impl<const N: usize> Run<N> {
    /// As [`particles::Particles`] does it.
    fn start(&mut self) {
        for _ in 0..self.count {
            let particle = self.make();
            self.create(particle.x(), 1 + particle.x() % particle.life);
        }
        for _ in 0..particles::LIFE_FRAMES_MEAN {
            self.frame();
        }
    }

    #[inline(always)]
    fn make(&mut self) -> Small {
        let particle = particles::make(self.next);
        self.next = self.next.wrapping_add(1);
        particle
    }

    #[inline(always)]
    fn create(&mut self, number: u32, frames: u32) {
        let (x, y) = (number % (1 << X_BITS), number >> X_BITS);
        self.pool.create(x as f32, y as f32, 1.0, 0.0, frames).expect("room");
    }

    #[inline(always)]
    fn frame(&mut self) {
        for _ in 0..self.count / particles::LIFE_FRAMES_MEAN {
            let particle = self.make();
            self.create(particle.x(), particle.life);
        }
        self.pool.animate();
        black_box(&mut self.pool);
    }
}

impl<const N: usize> Lap for Run<N> {
    fn lap(&mut self) -> Timed {
        let frames = particles::frames(self.count);
        let start = Instant::now();
        for _ in 0..frames {
            self.frame();
        }
        Timed::whole(start.elapsed(), frames * self.count)
    }

    fn checksum(&mut self) -> Option<u64> {
        let numbers = self.pool.particles().map(|it| it.x as u64 + ((it.y as u64) << X_BITS));
        Some(numbers.sum())
    }
}
