//! The particle frame: spawn, then move every particle and kill those whose time is up, in one pass. The
//! time is per particle and frame.

use std::hint::black_box;
use std::time::Instant;

use super::{Case, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;
use crate::sizes::room;

/// Particles live 60 frames on average: at 60 frames a second, half a second to one and a half.
pub(crate) const LIFE_FRAMES_MEAN: usize = 60;
const LIFE_FRAMES_MIN: u32 = 30;

/// The frames of a lap.
pub(crate) fn frames(count: usize) -> usize {
    (2 * operations(count) / count).max(1)
}

/// The particle of this number, with the frames that it will live.
#[inline(always)]
pub(crate) fn make<const P: usize>(number: u32) -> Object<P> {
    let mut particle = Object::new(number);
    particle.life =
        LIFE_FRAMES_MIN + particle.life % (2 * (LIFE_FRAMES_MEAN as u32 - LIFE_FRAMES_MIN));
    particle
}

/// See the module. `slots` is the number of particles that live at once, on average.
pub(crate) struct Particles;

impl Work for Particles {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::REMOVES && C::WALKS_WITHOUT_KEYS).then_some(())?;
        let mut population = Population::<C, P>::empty(room(case.slots))?;
        C::retain(&mut population.store, |_| true).then_some(())?;
        let mut run = Run { population, count: case.slots };
        run.start();
        Some(Box::new(run))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    count: usize,
}

impl<C: Contender, const P: usize> Run<C, P> {
    /// All at once, but of every age, and then a lifetime, so that the slots are in no order.
    fn start(&mut self) {
        for _ in 0..self.count {
            let mut particle = self.make();
            particle.life = 1 + particle.x() % particle.life;
            C::insert(&mut self.population.store, particle);
        }
        for _ in 0..LIFE_FRAMES_MEAN {
            self.frame();
        }
    }

    #[inline(always)]
    fn make(&mut self) -> Object<P> {
        let number = self.population.next;
        self.population.next = number.wrapping_add(1);
        make(number)
    }

    #[inline(always)]
    fn frame(&mut self) {
        for _ in 0..self.count / LIFE_FRAMES_MEAN {
            let particle = self.make();
            C::insert(&mut self.population.store, particle);
        }
        C::retain(&mut self.population.store, |particle| {
            particle.advance();
            particle.life -= 1;
            particle.life > 0
        });
        black_box(&mut self.population.store);
    }
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let frames = frames(self.count);
        let start = Instant::now();
        for _ in 0..frames {
            self.frame();
        }
        Timed::whole(start.elapsed(), frames * self.count)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.population.sum_by_walk())
    }
}
