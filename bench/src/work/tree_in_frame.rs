//! The quadtree of the work of that name in `millpond_memory::FrameMemory`, whose links have a lifetime and so are no
//! keys of a contender.

use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

use millpond_memory::{Frame, FrameMemory, FrameRef};

use super::quadtree::{self, Keys, Node, Nodes};
use crate::contender::Kind;
use crate::measure::{Candidate, Lap, Timed};
use crate::sizes::NODES_MAX;

/// As in the tables.
pub(crate) const NAME: &str = "FrameMemory";

pub(crate) fn candidate() -> Candidate {
    let prepare = || {
        let memory = FrameMemory::new(NODES_MAX * size_of::<Node<Links<'_>>>());
        Some(Box::new(Run { memory, sum: 0 }) as Box<dyn Lap>)
    };
    Candidate { name: NAME, kind: Kind::Millpond, prepare: Box::new(prepare) }
}

/// The links in a frame.
pub(crate) struct Links<'frame>(PhantomData<Frame<'frame>>);

impl<'frame> Keys for Links<'frame> {
    type Key = FrameRef<'frame, Node<Links<'frame>>>;
}

impl<'frame> Nodes for Frame<'frame> {
    type Keys = Links<'frame>;

    #[inline(always)]
    fn insert(&mut self, node: Node<Links<'frame>>) -> FrameRef<'frame, Node<Links<'frame>>> {
        Frame::insert(self, node).unwrap_or_else(|_| unreachable!("there is room"))
    }

    #[inline(always)]
    fn get(&self, link: FrameRef<'frame, Node<Links<'frame>>>) -> &Node<Links<'frame>> {
        Frame::get(self, link)
    }

    #[inline(always)]
    fn get_mut(&mut self, link: FrameRef<'frame, Node<Links<'frame>>>) -> &mut Node<Links<'frame>> {
        Frame::get_mut(self, link)
    }
}

struct Run {
    memory: FrameMemory,
    sum: u64,
}

impl Lap for Run {
    fn lap(&mut self) -> Timed {
        let frames = quadtree::frames();
        let start = Instant::now();
        for actors in frames {
            let shared = self.memory.frame(|frame| {
                let root = quadtree::build(frame, actors);
                quadtree::ask_all(frame, root, actors)
            });
            self.sum = self.sum.wrapping_mul(3).wrapping_add(black_box(shared));
        }
        Timed::whole(start.elapsed(), frames.iter().map(Vec::len).sum())
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}
