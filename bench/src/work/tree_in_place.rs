//! The quadtree of the work of that name, not rebuilt but updated in place, by handles of `millpond::Pool`: the code of
//! the library's example `quadtree`. It gives the same answers.

#[path = "../../../crates/millpond-classic/examples/quadtree/in_place.rs"]
#[allow(dead_code, reason = "the example asks other questions")]
mod in_place;
#[path = "../../../crates/millpond-classic/examples/quadtree/square.rs"]
#[allow(dead_code, reason = "as above")]
mod square;

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use in_place::{Actor, LastingTree};
use millpond::Handle;

use super::quadtree::{DEPTH_MAX, FRAMES_MAX, ITEMS_MAX};
use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Timed};
use crate::sizes::NODES_MAX;
use crate::traces;

/// As in the tables.
pub(crate) const NAME: &str = "Pool, Lifo, tree updated in place";

/// What a game tells its tree in a frame. Actors have numbers, as they would have handles in the game.
struct Frame {
    deaths: Vec<usize>,
    /// Births and places.
    actors: Vec<(usize, (i32, i32))>,
}

static FRAMES: LazyLock<(Vec<Frame>, usize)> = LazyLock::new(|| {
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut before: Vec<usize> = Vec::new();
    let mut frames = Vec::new();
    for recorded in traces::freedoom_actors().into_iter().take(FRAMES_MAX) {
        let actors: Vec<_> = recorded
            .into_iter()
            .map(|(id, at)| {
                let next = numbers.len();
                (*numbers.entry(id).or_insert(next), at)
            })
            .collect();
        let lives = |number: &usize| actors.iter().any(|(living, _)| living == number);
        let deaths = before.iter().copied().filter(|number| !lives(number)).collect();
        before = actors.iter().map(|(number, _)| *number).collect();
        frames.push(Frame { deaths, actors });
    }
    (frames, numbers.len())
});

pub(crate) fn candidate() -> Candidate {
    let prepare = || {
        let handles = vec![None; FRAMES.1];
        Some(Box::new(Run { tree: tree(), handles, sum: 0 }) as Box<dyn Lap>)
    };
    Candidate { name: NAME, kind: Kind::Millpond, prepare: Box::new(prepare) }
}

fn tree() -> LastingTree {
    let actors_max = FRAMES.0.iter().map(|frame| frame.actors.len()).max().unwrap_or(0);
    LastingTree::new(NODES_MAX, actors_max, DEPTH_MAX).expect("room for the root")
}

struct Run {
    tree: LastingTree,
    /// Of each actor of the recording, while it lives.
    handles: Vec<Option<Handle<Actor>>>,
    sum: u64,
}

impl Lap for Run {
    /// All frames; at the end all actors go, so that the next lap begins with none.
    fn lap(&mut self) -> Timed {
        let start = Instant::now();
        for frame in &FRAMES.0 {
            for &number in &frame.deaths {
                let dead = self.handles[number].take().expect("it lived in the frame before");
                self.tree.remove(dead);
            }
            for &(number, at) in &frame.actors {
                match self.handles[number] {
                    Some(actor) => self.tree.move_to(actor, at).expect("room"),
                    None => self.handles[number] = Some(self.tree.insert(at).expect("room")),
                }
            }
            let shared: u64 = frame.actors.iter().map(|&(number, _)| self.ask(number)).sum();
            self.sum = self.sum.wrapping_mul(3).wrapping_add(black_box(shared));
        }
        for handle in &mut self.handles {
            if let Some(actor) = handle.take() {
                self.tree.remove(actor);
            }
        }
        let operations = FRAMES.0.iter().map(|frame| frame.actors.len()).sum();
        Timed::whole(start.elapsed(), operations)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}

impl Run {
    /// As the work asks: how many actors share a leaf with this one, and how deep it is.
    #[inline(always)]
    fn ask(&self, number: usize) -> u64 {
        let Some(actor) = self.handles[number] else { return 0 };
        let (count, depth) = self.tree.leaf_of(actor);
        count.min(ITEMS_MAX) as u64 + 100 * u64::from(depth)
    }
}
