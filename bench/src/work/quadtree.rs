//! A quadtree for collision, torn down and rebuilt in every frame from where the actors of a real game were
//! (Freedoom 2 MAP15, 350 frames), then asked once for every actor. Its nodes are the objects. The time is
//! per actor and frame.
//!
//! Tearing down is `clear` where there is one, and otherwise giving back node by node.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use super::{Case, Work};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::traces;

/// As in the tables.
pub(crate) const NAME: &str = "quadtree";

/// More nodes than any of the frames needs.
pub(crate) const NODES_MAX: usize = 2048;

pub(crate) const ITEMS_MAX: usize = 6;
pub(crate) const DEPTH_MAX: u32 = 10;
/// Half the width of the root: map units fit into 16 bits.
const ROOT_HALF: i32 = 1 << 15;

static FRAMES: LazyLock<Vec<Vec<(i32, i32)>>> = LazyLock::new(traces::freedoom_frames);

/// See the module.
pub(crate) struct Quadtree;

impl Work for Quadtree {
    fn prepare<C: Contender, const P: usize>(_case: Case) -> Option<Box<dyn Lap>> {
        C::UPDATES.then_some(())?;
        let mut store = C::new::<Node<C>>(NODES_MAX)?;
        let clears = C::clear(&mut store);
        (clears || (C::KEYS_LAST && C::REMOVES)).then_some(())?;
        Some(Box::new(Run::<C> { store, root: None, clears, stack: Vec::new(), sum: 0 }))
    }
}

/// A square of the map.
pub(crate) struct Node<C: Contender> {
    center: (i32, i32),
    half: i32,
    depth: u32,
    /// How many of `items` are taken; more than there are when the node has been split.
    count: u32,
    items: [(i16, i16); ITEMS_MAX],
    children: [Option<C::Key<Node<C>>>; 4],
}

const SPLIT: u32 = u32::MAX;

impl<C: Contender> Clone for Node<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Contender> Copy for Node<C> {}

impl<C: Contender> Default for Node<C> {
    fn default() -> Self {
        Self::new((0, 0), ROOT_HALF, 0)
    }
}

impl<C: Contender> Node<C> {
    #[inline(always)]
    fn new(center: (i32, i32), half: i32, depth: u32) -> Self {
        Self { center, half, depth, count: 0, items: [(0, 0); ITEMS_MAX], children: [None; 4] }
    }

    #[inline(always)]
    fn quadrant(&self, at: (i32, i32)) -> usize {
        usize::from(at.0 >= self.center.0) + 2 * usize::from(at.1 >= self.center.1)
    }

    #[inline(always)]
    fn child(&self, quadrant: usize) -> Self {
        let half = (self.half / 2).max(1);
        let step = |up| if up { half } else { -half };
        let (x, y) = (step(quadrant & 1 == 1), step(quadrant & 2 == 2));
        Self::new((self.center.0 + x, self.center.1 + y), half, self.depth + 1)
    }
}

struct Run<C: Contender> {
    store: C::Store<Node<C>>,
    root: Option<C::Key<Node<C>>>,
    clears: bool,
    stack: Vec<C::Key<Node<C>>>,
    sum: u64,
}

impl<C: Contender> Run<C> {
    fn tear_down(&mut self) {
        if self.clears {
            C::clear(&mut self.store);
            self.root = None;
            return;
        }
        self.stack.extend(self.root.take());
        while let Some(key) = self.stack.pop() {
            let node = C::remove(&mut self.store, key);
            self.stack.extend(node.children.iter().flatten());
        }
    }

    fn build(&mut self, actors: &[(i32, i32)]) {
        let root = C::insert(&mut self.store, Node::default());
        self.root = Some(root);
        for &actor in actors {
            self.add(root, actor);
        }
    }

    fn add(&mut self, mut key: C::Key<Node<C>>, at: (i32, i32)) {
        loop {
            let node = C::get_mut(&mut self.store, key);
            if node.count != SPLIT {
                if (node.count as usize) < ITEMS_MAX {
                    node.items[node.count as usize] = (at.0 as i16, at.1 as i16);
                    node.count += 1;
                    return;
                }
                if node.depth == DEPTH_MAX {
                    return; // a crowd on one spot: it is counted as full
                }
                self.split(key);
            }
            key = self.child(key, at);
        }
    }

    fn split(&mut self, key: C::Key<Node<C>>) {
        let node = C::get_mut(&mut self.store, key);
        let items = node.items;
        node.count = SPLIT;
        for item in items {
            let at = (i32::from(item.0), i32::from(item.1));
            let child = self.child(key, at);
            let child = C::get_mut(&mut self.store, child);
            child.items[child.count as usize] = item;
            child.count += 1;
        }
    }

    #[inline(always)]
    fn child(&mut self, key: C::Key<Node<C>>, at: (i32, i32)) -> C::Key<Node<C>> {
        let node = C::get(&self.store, key);
        let quadrant = node.quadrant(at);
        if let Some(child) = node.children[quadrant] {
            return child;
        }
        let child = node.child(quadrant);
        let child = C::insert(&mut self.store, child);
        C::get_mut(&mut self.store, key).children[quadrant] = Some(child);
        child
    }

    /// How many actors share a leaf with the one at `at`, and how deep it is.
    fn ask(&self, at: (i32, i32)) -> u64 {
        let Some(mut key) = self.root else { return 0 };
        loop {
            let node = C::get(&self.store, key);
            match node.children[node.quadrant(at)] {
                Some(child) if node.count == SPLIT => key = child,
                _ => return u64::from(node.count) + 100 * u64::from(node.depth),
            }
        }
    }
}

impl<C: Contender> Lap for Run<C> {
    fn lap(&mut self) -> Timed {
        let frames = &*FRAMES;
        let start = Instant::now();
        for actors in frames {
            self.tear_down();
            self.build(actors);
            let shared: u64 = actors.iter().map(|&actor| self.ask(actor)).sum();
            self.sum = self.sum.wrapping_mul(3).wrapping_add(black_box(shared));
        }
        Timed { elapsed: start.elapsed(), operations: frames.iter().map(Vec::len).sum() }
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}

impl<C: Contender> Drop for Run<C> {
    fn drop(&mut self) {
        self.tear_down();
    }
}
