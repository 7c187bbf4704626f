//! A quadtree that is never torn down: an actor that moves tells it, and only what changes is touched. Actors and
//! squares refer to each other by handles that stay good, so an actor knows its leaf, and one that stays in its square
//! costs a comparison.
//!
//! The tree is at any time the one that a rebuild would give: a square is split exactly if more than
//! [`LEAF_ACTORS_MAX`] actors are in it, unless it is at the greatest depth.

use std::fmt;

use millpond::{Full, Handle, Pool};

use super::square::{LEAF_ACTORS_MAX, Point, Square, are_near};

/// The tree, with its actors.
pub(crate) struct LastingTree {
    nodes: Pool<Node>,
    actors: Pool<Actor>,
    root: Handle<Node>,
    depth_max: u32,
}

/// A square.
struct Node {
    square: Square,
    depth: u32,
    /// The square that this one is a quarter of, and which.
    parent: Option<(Handle<Node>, usize)>,
    /// How many actors are in it, and in the squares below it.
    count: usize,
    /// The first actor of a leaf.
    first: Option<Handle<Actor>>,
    /// None in a leaf; in a square that is split, those that have actors.
    children: [Option<Handle<Node>>; 4],
}

/// An actor, in the list of its leaf.
pub(crate) struct Actor {
    at: Point,
    leaf: Handle<Node>,
    next: Option<Handle<Actor>>,
    previous: Option<Handle<Actor>>,
}

/// The tree was made for fewer squares or actors. It is not to be used any more.
#[derive(Debug)]
pub(crate) struct NoRoom(String);

impl<T> From<Full<T>> for NoRoom {
    fn from(full: Full<T>) -> Self {
        Self(full.to_string())
    }
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRoom {}

impl Node {
    fn leaf(square: Square, depth: u32, parent: Option<(Handle<Node>, usize)>) -> Self {
        Self { square, depth, parent, count: 0, first: None, children: [None; 4] }
    }

    fn is_split(&self) -> bool {
        self.children.iter().any(Option::is_some)
    }
}

impl LastingTree {
    /// A tree of no actors, with the memory for so many squares and actors. Squares at `depth_max` are not split.
    pub(crate) fn new(nodes_max: usize, actors_max: usize, depth_max: u32) -> Result<Self, NoRoom> {
        let mut nodes = Pool::builder().capacity(nodes_max).name("nodes").build();
        let root = nodes.insert(Node::leaf(Square::WHOLE, 0, None))?;
        let actors = Pool::builder().capacity(actors_max).name("actors").build();
        Ok(Self { nodes, actors, root, depth_max })
    }

    /// An actor appears.
    pub(crate) fn insert(&mut self, at: Point) -> Result<Handle<Actor>, NoRoom> {
        let actor = Actor { at, leaf: self.root, next: None, previous: None };
        let actor = self.actors.insert(actor)?;
        self.nodes[self.root].count += 1;
        self.settle(actor, self.root)?;
        Ok(actor)
    }

    /// An actor goes.
    pub(crate) fn remove(&mut self, actor: Handle<Actor>) {
        self.leave(actor, |_| false);
        self.actors.remove(actor);
    }

    /// An actor is at `at` now.
    #[inline]
    pub(crate) fn move_to(&mut self, actor: Handle<Actor>, at: Point) -> Result<(), NoRoom> {
        let moving = &mut self.actors[actor];
        if moving.at == at {
            return Ok(());
        }
        moving.at = at;
        let is_home = |node: &Node| node.square.contains(at) || node.parent.is_none();
        if is_home(&self.nodes[moving.leaf]) {
            return Ok(());
        }
        let place = self.leave(actor, is_home);
        self.settle(actor, place)
    }

    /// How many actors are in the actor's leaf, itself included, and how deep the leaf is.
    #[inline]
    pub(crate) fn leaf_of(&self, actor: Handle<Actor>) -> (usize, u32) {
        let leaf = &self.nodes[self.actors[actor].leaf];
        (leaf.count, leaf.depth)
    }

    /// How many actors are within a distance of a point.
    pub(crate) fn count_near(&self, at: Point, distance: i32) -> usize {
        self.count_near_in(self.root, at, distance)
    }

    /// How many squares there are.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn count_near_in(&self, place: Handle<Node>, at: Point, distance: i32) -> usize {
        let node = &self.nodes[place];
        if !node.square.is_near(at, distance) {
            return 0;
        }
        let mut next = node.first;
        let list = std::iter::from_fn(|| {
            let actor = &self.actors[next?];
            next = actor.next;
            Some(actor)
        });
        let here = list.filter(|actor| are_near(actor.at, at, distance)).count();
        let below = node.children.iter().flatten();
        here + below.map(|&child| self.count_near_in(child, at, distance)).sum::<usize>()
    }

    /// Takes an actor out of its leaf, and out of the squares around it up to the first that `is_end` is true of, which
    /// it returns; the root, if that is none. Squares that have too few actors then are merged.
    fn leave(&mut self, actor: Handle<Actor>, is_end: impl Fn(&Node) -> bool) -> Handle<Node> {
        let mut place = self.unlink(actor);
        while !is_end(&self.nodes[place]) {
            let node = &mut self.nodes[place];
            node.count -= 1;
            let (count, parent, is_split) = (node.count, node.parent, node.is_split());
            if is_split && count <= LEAF_ACTORS_MAX {
                self.merge(place);
            }
            let Some((around, quarter)) = parent else { break };
            if count == 0 {
                self.nodes[around].children[quarter] = None;
                self.nodes.remove(place);
            }
            place = around;
        }
        place
    }

    /// Puts an actor that `place` counts already into its leaf below.
    fn settle(&mut self, actor: Handle<Actor>, mut place: Handle<Node>) -> Result<(), NoRoom> {
        while self.nodes[place].is_split() {
            place = self.enter_quarter(place, self.actors[actor].at)?;
        }
        self.link(actor, place);
        self.split_if_crowded(place)
    }

    /// The quarter of a square that a point is in, which counts one more actor.
    fn enter_quarter(&mut self, place: Handle<Node>, at: Point) -> Result<Handle<Node>, NoRoom> {
        let node = &self.nodes[place];
        let quarter = node.square.quarter_of(at);
        let child = match node.children[quarter] {
            Some(child) => child,
            None => {
                let (square, depth) = (node.square.quarter(quarter), node.depth + 1);
                let child = self.nodes.insert(Node::leaf(square, depth, Some((place, quarter))))?;
                self.nodes[place].children[quarter] = Some(child);
                child
            }
        };
        self.nodes[child].count += 1;
        Ok(child)
    }

    fn split_if_crowded(&mut self, place: Handle<Node>) -> Result<(), NoRoom> {
        let node = &mut self.nodes[place];
        if node.count <= LEAF_ACTORS_MAX || node.depth >= self.depth_max {
            return Ok(());
        }
        let mut moved = node.first.take();
        while let Some(actor) = moved {
            moved = self.actors[actor].next;
            let child = self.enter_quarter(place, self.actors[actor].at)?;
            self.link(actor, child);
        }
        let children = self.nodes[place].children;
        children.into_iter().flatten().try_for_each(|child| self.split_if_crowded(child))
    }

    /// Makes a square a leaf again, with the actors of its quarters, which are leaves.
    fn merge(&mut self, place: Handle<Node>) {
        let children = std::mem::take(&mut self.nodes[place].children);
        for child in children.into_iter().flatten() {
            let mut moved = self.nodes.remove(child).and_then(|child| child.first);
            while let Some(actor) = moved {
                moved = self.actors[actor].next;
                self.link(actor, place);
            }
        }
    }

    /// Puts an actor into the list of a leaf.
    fn link(&mut self, actor: Handle<Actor>, leaf: Handle<Node>) {
        let next = self.nodes[leaf].first.replace(actor);
        let linked = &mut self.actors[actor];
        (linked.leaf, linked.next, linked.previous) = (leaf, next, None);
        if let Some(next) = next {
            self.actors[next].previous = Some(actor);
        }
    }

    /// Takes an actor out of the list of its leaf, which it returns.
    fn unlink(&mut self, actor: Handle<Actor>) -> Handle<Node> {
        let Actor { leaf, next, previous, .. } = self.actors[actor];
        match previous {
            Some(previous) => self.actors[previous].next = next,
            None => self.nodes[leaf].first = next,
        }
        if let Some(next) = next {
            self.actors[next].previous = previous;
        }
        leaf
    }
}
