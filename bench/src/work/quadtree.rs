//! A quadtree for collision, torn down and rebuilt in every frame from where the actors of a real game were
//! (Freedoom 2 MAP15, 350 frames), then asked once for every actor. Its nodes are the objects. The time is
//! per actor and frame.
//!
//! Tearing down is `clear` where there is one, and otherwise giving back node by node.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::LazyLock;
use std::time::Instant;

use super::{Case, Work};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::sizes::NODES_MAX;
use crate::traces;

/// As in the tables.
pub(crate) const NAME: &str = "quadtree";

pub(crate) const ITEMS_MAX: usize = 6;
pub(crate) const DEPTH_MAX: u32 = 10;
/// Half the width of the root: map units fit into 16 bits.
const ROOT_HALF: i32 = 1 << 15;

/// How many of the frames are played at most: in the tests, which are not optimised, the first.
pub(crate) const FRAMES_MAX: usize = if cfg!(test) { 30 } else { usize::MAX };

static FRAMES: LazyLock<Vec<Vec<(i32, i32)>>> =
    LazyLock::new(|| traces::freedoom_frames().into_iter().take(FRAMES_MAX).collect());

/// See the module.
pub(crate) struct Quadtree;

impl Work for Quadtree {
    fn prepare<C: Contender, const P: usize>(_case: Case) -> Option<Box<dyn Lap>> {
        C::UPDATES.then_some(())?;
        let mut store = C::new::<Node<Of<C>>>(NODES_MAX)?;
        let clears = C::clear(&mut store);
        (clears || (C::KEYS_LAST && C::REMOVES)).then_some(())?;
        let nodes = StoreOf(store);
        Some(Box::new(Run::<C> { nodes, root: None, clears, stack: Vec::new(), sum: 0 }))
    }
}

/// What nodes know their children by. A type that names the keys, so that nodes and keys may contain each other.
pub(crate) trait Keys {
    type Key: Copy;
}

/// Where a tree keeps its nodes.
pub(crate) trait Nodes {
    type Keys: Keys;

    fn insert(&mut self, node: Node<Self::Keys>) -> KeyIn<Self>;

    fn get(&self, key: KeyIn<Self>) -> &Node<Self::Keys>;

    fn get_mut(&mut self, key: KeyIn<Self>) -> &mut Node<Self::Keys>;
}

type KeyIn<N> = <<N as Nodes>::Keys as Keys>::Key;

/// A square of the map.
pub(crate) struct Node<K: Keys> {
    center: (i32, i32),
    half: i32,
    depth: u32,
    /// How many of `items` are taken; more than there are when the node has been split.
    count: u32,
    items: [(i16, i16); ITEMS_MAX],
    children: [Option<K::Key>; 4],
}

const SPLIT: u32 = u32::MAX;

impl<K: Keys> Clone for Node<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Keys> Copy for Node<K> {}

impl<K: Keys> Default for Node<K> {
    fn default() -> Self {
        Self::new((0, 0), ROOT_HALF, 0)
    }
}

impl<K: Keys> Node<K> {
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

/// The tree of these actors, and its root.
#[inline(always)]
pub(crate) fn build<N: Nodes>(nodes: &mut N, actors: &[(i32, i32)]) -> KeyIn<N> {
    let root = nodes.insert(Node::default());
    for &actor in actors {
        add(nodes, root, actor);
    }
    root
}

#[inline(always)]
fn add<N: Nodes>(nodes: &mut N, mut key: KeyIn<N>, at: (i32, i32)) {
    loop {
        let node = nodes.get_mut(key);
        if node.count != SPLIT {
            if (node.count as usize) < ITEMS_MAX {
                node.items[node.count as usize] = (at.0 as i16, at.1 as i16);
                node.count += 1;
                return;
            }
            if node.depth == DEPTH_MAX {
                return; // a crowd on one spot: it is counted as full
            }
            split(nodes, key);
        }
        key = child(nodes, key, at);
    }
}

#[inline(always)]
fn split<N: Nodes>(nodes: &mut N, key: KeyIn<N>) {
    let node = nodes.get_mut(key);
    let items = node.items;
    node.count = SPLIT;
    for item in items {
        let at = (i32::from(item.0), i32::from(item.1));
        let child = child(nodes, key, at);
        let child = nodes.get_mut(child);
        child.items[child.count as usize] = item;
        child.count += 1;
    }
}

#[inline(always)]
fn child<N: Nodes>(nodes: &mut N, key: KeyIn<N>, at: (i32, i32)) -> KeyIn<N> {
    let node = nodes.get(key);
    let quadrant = node.quadrant(at);
    if let Some(child) = node.children[quadrant] {
        return child;
    }
    let child = node.child(quadrant);
    let child = nodes.insert(child);
    nodes.get_mut(key).children[quadrant] = Some(child);
    child
}

/// What all actors are answered, summed up.
#[inline(always)]
pub(crate) fn ask_all<N: Nodes>(nodes: &N, root: KeyIn<N>, actors: &[(i32, i32)]) -> u64 {
    actors.iter().map(|&actor| ask(nodes, root, actor)).sum()
}

/// How many actors share a leaf with the one at `at`, and how deep it is.
#[inline(always)]
fn ask<N: Nodes>(nodes: &N, mut key: KeyIn<N>, at: (i32, i32)) -> u64 {
    loop {
        let node = nodes.get(key);
        match node.children[node.quadrant(at)] {
            Some(child) if node.count == SPLIT => key = child,
            _ => return u64::from(node.count) + 100 * u64::from(node.depth),
        }
    }
}

/// The actors of all frames.
pub(crate) fn frames() -> &'static [Vec<(i32, i32)>] {
    &FRAMES
}

/// The keys of a contender.
pub(crate) struct Of<C>(PhantomData<C>);

impl<C: Contender> Keys for Of<C> {
    type Key = C::Key<Node<Of<C>>>;
}

/// A contender's store of nodes.
struct StoreOf<C: Contender>(C::Store<Node<Of<C>>>);

impl<C: Contender> Nodes for StoreOf<C> {
    type Keys = Of<C>;

    #[inline(always)]
    fn insert(&mut self, node: Node<Of<C>>) -> KeyIn<Self> {
        C::insert(&mut self.0, node)
    }

    #[inline(always)]
    fn get(&self, key: KeyIn<Self>) -> &Node<Of<C>> {
        C::get(&self.0, key)
    }

    #[inline(always)]
    fn get_mut(&mut self, key: KeyIn<Self>) -> &mut Node<Of<C>> {
        C::get_mut(&mut self.0, key)
    }
}

struct Run<C: Contender> {
    nodes: StoreOf<C>,
    root: Option<KeyIn<StoreOf<C>>>,
    clears: bool,
    stack: Vec<KeyIn<StoreOf<C>>>,
    sum: u64,
}

impl<C: Contender> Run<C> {
    fn tear_down(&mut self) {
        if self.clears {
            C::clear(&mut self.nodes.0);
            self.root = None;
            return;
        }
        self.stack.extend(self.root.take());
        while let Some(key) = self.stack.pop() {
            let node = C::remove(&mut self.nodes.0, key);
            self.stack.extend(node.children.iter().flatten());
        }
    }
}

impl<C: Contender> Lap for Run<C> {
    fn lap(&mut self) -> Timed {
        let frames = frames();
        let start = Instant::now();
        for actors in frames {
            self.tear_down();
            let root = build(&mut self.nodes, actors);
            self.root = Some(root);
            let shared = ask_all(&self.nodes, root, actors);
            self.sum = self.sum.wrapping_mul(3).wrapping_add(black_box(shared));
        }
        Timed::whole(start.elapsed(), frames.iter().map(Vec::len).sum())
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
