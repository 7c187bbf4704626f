//! Comets that fall into wells, and the dust that they leave: a world whose bodies are updated in lots.

use std::sync::Mutex;
use std::thread;

use millpond::lots::{Lot, Lots, Tasks};
use millpond::snapshot::{Checksum, ToChecksum};
use millpond::{Handle, Pool};
use millpond_demos::Random;

/// The world is a square with sides from 0 to this.
pub(crate) const SIDE: f32 = 400.0;
const BODIES: usize = 1 << 15;
/// Slots in a task, and how many bodies can be born in it: part of the rules, as the handles depend on both.
const CHUNK_SLOTS: usize = 1024;
const BIRTHS_EACH: usize = 256;
const WELLS: usize = 48;
const WELL_RADIUS: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) at: [f32; 2],
    speed: [f32; 2],
    frames_left: u16,
    pub(crate) is_comet: bool,
}

impl ToChecksum for Body {
    fn add_to(&self, sum: &mut Checksum) {
        for part in self.at.into_iter().chain(self.speed) {
            sum.add(&part.to_bits());
        }
        sum.add(&(self.frames_left, u8::from(self.is_comet)));
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Well {
    pub(crate) at: [f32; 2],
    pub(crate) mass: f32,
}

pub(crate) struct World {
    frame: u32,
    random: Random,
    pub(crate) wells: [Well; WELLS],
    pub(crate) bodies: Pool<Body>,
    lots: Lots<Body>,
}

impl World {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(5);
        let wells = [(); WELLS].map(|()| Well {
            at: [(); 2].map(|()| random.between(0.08 * SIDE, 0.92 * SIDE)),
            mass: random.between(1.0, 4.0),
        });
        Self {
            frame: 0,
            random,
            wells,
            bodies: Pool::builder().capacity(BODIES).name("bodies").build(),
            lots: Lots::new(CHUNK_SLOTS, BIRTHS_EACH),
        }
    }

    /// A frame on this many threads: nobody but the clock can tell how many.
    pub(crate) fn step(&mut self, threads: usize) {
        self.launch();
        let wells = &self.wells;
        let act = |body: &mut Body, lot: &mut Lot<'_, Body, Handle<Body>>| body.step(wells, lot);
        let mut update = self.bodies.set_aside(&mut self.lots);
        run_all(threads, update.tasks(), act);
        update.settle();
        self.frame += 1;
    }

    /// Comets come in waves, from the left.
    fn launch(&mut self) {
        let wave = if self.frame % 300 < 120 { 30 } else { 3 };
        for _ in 0..wave {
            let at = [0.0, self.random.between(0.0, SIDE)];
            let speed = [self.random.between(0.8, 2.0), self.random.between(-0.6, 0.6)];
            let comet = Body { at, speed, frames_left: 300, is_comet: true };
            if self.bodies.insert(comet).is_err() {
                break; // as many as there may be
            }
        }
    }
}

/// Runs the tasks on this thread and as many more as it takes. Whoever is done with a task takes the next.
fn run_all<'a>(
    threads: usize,
    tasks: Tasks<'a, Body>,
    act: impl Fn(&mut Body, &mut Lot<'a, Body, Handle<Body>>) + Sync,
) {
    let tasks = Mutex::new(tasks);
    let work = || {
        loop {
            let next = tasks.lock().expect("no panic").next();
            let Some(mut task) = next else { break };
            task.run(&act);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

impl Body {
    fn step(&mut self, wells: &[Well], lot: &mut Lot<'_, Self, Handle<Self>>) {
        let mut is_swallowed = false;
        for well in wells {
            let [x, y] = [well.at[0] - self.at[0], well.at[1] - self.at[1]];
            let squared = x * x + y * y;
            let pull = well.mass / ((squared + 9.0) * (squared + 9.0).sqrt());
            self.speed[0] += x * pull;
            self.speed[1] += y * pull;
            is_swallowed |= squared < WELL_RADIUS * WELL_RADIUS;
        }
        self.at[0] += self.speed[0];
        self.at[1] += self.speed[1];
        self.frames_left -= 1;
        if self.is_comet && (is_swallowed || self.frames_left.is_multiple_of(5)) {
            // A trail, or all that is left of it.
            for spark in 0..if is_swallowed { 12 } else { 1 } {
                let turn = (spark * 5 + self.frames_left % 7) as f32;
                let away = [(turn * 0.9).sin(), (turn * 0.9).cos()];
                let speed = [0, 1].map(|axis| 0.3 * self.speed[axis] + 0.5 * away[axis]);
                let at = [0, 1].map(|axis| self.at[axis] + 5.0 * away[axis]);
                let _ = lot.insert(Self { at, speed, frames_left: 30, is_comet: false });
            }
        }
        let is_inside = self.at.iter().all(|part| (0.0..=SIDE).contains(part));
        if is_swallowed || !is_inside || self.frames_left == 0 {
            lot.die();
        }
    }
}
