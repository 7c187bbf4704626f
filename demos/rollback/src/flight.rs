//! Bullets in lots: they fly, hit rocks and burst on several threads, with the same result on any number of them.
//!
//! A task changes its own bullets and looks at rocks. What it does to others is put aside, one list for each task, and done
//! task by task when all are over.

use std::sync::Mutex;

use millpond::lots::{Lot, Lots, Tasks};
use millpond::{Handle, Pool};

use crate::objects::{Bullet, Rock};

/// Bullets' slots in a task, and fragments that can be born in it. All players need the same: the handles depend on both.
const CHUNK_SLOTS: usize = 256;
const BIRTHS_EACH: usize = 32;

/// A bullet has hit a rock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) bullet: Bullet,
    pub(crate) rock: Handle<Rock>,
}

/// On which threads bullets fly.
pub(crate) struct Flight {
    lots: Lots<Bullet>,
    /// The hits of each task.
    hits: Vec<Mutex<Vec<Hit>>>,
    /// `None`: on the player's own thread.
    crew: Option<rayon::ThreadPool>,
}

impl Flight {
    /// Takes all memory that the flight of these bullets needs. `threads`: 0 for the player's own.
    pub(crate) fn new(bullets: &mut Pool<Bullet>, threads: usize) -> Result<Self, String> {
        let crew = match threads {
            0 => None,
            _ => Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build()),
        };
        let crew = crew.transpose().map_err(|error| format!("{threads} threads: {error}"))?;
        let mut lots = Lots::new(CHUNK_SLOTS, BIRTHS_EACH);
        bullets.update(&mut lots, |_, _| ());
        let tasks = 0..bullets.capacity().div_ceil(CHUNK_SLOTS);
        let hits = tasks.map(|_| Mutex::new(Vec::with_capacity(CHUNK_SLOTS))).collect();
        Ok(Self { lots, hits, crew })
    }

    /// All bullets fly for a frame. Those that hit a rock are gone afterwards, and their hits are kept.
    pub(crate) fn fly(&mut self, bullets: &mut Pool<Bullet>, rocks: &Pool<Rock>) {
        let Self { lots, hits, crew } = self;
        let hits_of = &*hits;
        let act = |bullet: &mut Bullet, lot: &mut Lot<'_, Bullet, Handle<Bullet>>| {
            let rock = bullet.fly(rocks);
            if let Some(rock) = rock {
                hits_of[lot.number()].lock().expect("no panic").push(Hit { bullet: *bullet, rock });
                for fragment in bullet.fragments() {
                    let _ = lot.insert(fragment); // none if the lot is used up
                }
            }
            if rock.is_some() || bullet.is_spent() {
                lot.die();
            }
        };
        match crew {
            None => bullets.update(lots, act),
            Some(crew) => {
                let mut update = bullets.set_aside(lots);
                run_all(crew, update.tasks(), act);
                update.settle();
            }
        }
    }

    /// The hits that were kept, task by task.
    pub(crate) fn hits(&mut self) -> impl Iterator<Item = Hit> {
        self.hits.iter_mut().flat_map(|hits| hits.get_mut().expect("no panic").drain(..))
    }
}

/// Runs the tasks on all threads of the crew. Whoever is done with one takes the next: who has which is different each time.
fn run_all<'a>(
    crew: &rayon::ThreadPool,
    tasks: Tasks<'a, Bullet>,
    act: impl Fn(&mut Bullet, &mut Lot<'a, Bullet, Handle<Bullet>>) + Sync,
) {
    let tasks = Mutex::new(tasks);
    crew.broadcast(|_| {
        loop {
            let next = tasks.lock().expect("no panic").next();
            let Some(mut task) = next else { break };
            task.run(&act);
        }
    });
}
