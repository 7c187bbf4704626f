//! A quadtree whose nodes are in a pool, and name their children by handles.

use millpond::{Full, Handle, Pool, Stats};

use crate::game::{Actor, RADIUS_MAX};

/// A square with more actors than this is split into four.
const LEAF_ACTORS_MAX: usize = 6;
/// A square at this depth is not split: there may be a crowd on one spot.
const DEPTH_MAX: u32 = 9;
/// Half the width of the whole: no actor is further from the middle of the map.
const ROOT_HALF: f32 = 4096.0;

/// A square of the map.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) center: [f32; 2],
    pub(crate) half: f32,
    pub(crate) depth: u32,
    children: Option<[Handle<Node>; 4]>,
    /// The first actor in it, if it is not split; [`Tree::next`] has the others.
    first: Option<u16>,
    count: usize,
}

impl Node {
    fn new(center: [f32; 2], half: f32, depth: u32) -> Self {
        Self { center, half, depth, children: None, first: None, count: 0 }
    }

    fn quarter_of(&self, at: [f32; 2]) -> usize {
        usize::from(at[0] >= self.center[0]) + 2 * usize::from(at[1] >= self.center[1])
    }

    fn quarter(&self, quarter: usize) -> Self {
        let half = self.half / 2.0;
        let step = |is_up| if is_up { half } else { -half };
        let center =
            [self.center[0] + step(quarter & 1 == 1), self.center[1] + step(quarter & 2 == 2)];
        Self::new(center, half, self.depth + 1)
    }

    /// Whether a part of it is so near to a place, in both directions.
    fn is_near(&self, at: [f32; 2], distance: f32) -> bool {
        let reach = self.half + distance;
        (at[0] - self.center[0]).abs() <= reach && (at[1] - self.center[1]).abs() <= reach
    }
}

/// The tree, and the pool that its nodes come from.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Pool<Node>,
    root: Option<Handle<Node>>,
    /// For each actor the next one in the same square.
    next: Vec<Option<u16>>,
}

impl Tree {
    /// An empty tree, with the memory for so many nodes and actors.
    pub(crate) fn new(nodes_max: usize, actors_max: usize) -> Self {
        let nodes = Pool::builder().capacity(nodes_max).name("nodes").build();
        Self { nodes, root: None, next: vec![None; actors_max] }
    }

    /// Tears the tree down and builds it of these actors.
    pub(crate) fn rebuild(&mut self, actors: &[Actor]) -> Result<(), Full<Node>> {
        self.nodes.clear();
        let root = self.nodes.insert(Node::new([0.0, 0.0], ROOT_HALF, 0))?;
        self.root = Some(root);
        (0..actors.len() as u16).try_for_each(|actor| self.add(root, actor, actors))
    }

    fn add(&mut self, root: Handle<Node>, actor: u16, actors: &[Actor]) -> Result<(), Full<Node>> {
        let at = actors[usize::from(actor)].at;
        let mut place = root;
        while let Some(children) = self.nodes[place].children {
            place = children[self.nodes[place].quarter_of(at)];
        }
        let leaf = &mut self.nodes[place];
        self.next[usize::from(actor)] = leaf.first.replace(actor);
        leaf.count += 1;
        if leaf.count > LEAF_ACTORS_MAX && leaf.depth < DEPTH_MAX {
            self.split(place, actors)?;
        }
        Ok(())
    }

    /// Hands the actors of a leaf on to four new ones.
    fn split(&mut self, place: Handle<Node>, actors: &[Actor]) -> Result<(), Full<Node>> {
        let mut children = [place; 4];
        for (quarter, child) in children.iter_mut().enumerate() {
            let node = self.nodes[place].quarter(quarter);
            *child = self.nodes.insert(node)?;
        }
        let node = &mut self.nodes[place];
        node.children = Some(children);
        let mut moved = node.first.take();
        while let Some(actor) = moved {
            moved = self.next[usize::from(actor)];
            self.add(place, actor, actors)?;
        }
        Ok(())
    }

    /// All pairs of actors that touch, the lower one first; says how many pairs it looked at.
    pub(crate) fn touching(&self, actors: &[Actor], pairs: &mut Vec<(u16, u16)>) -> usize {
        pairs.clear();
        (0..actors.len() as u16)
            .map(|actor| self.root.map_or(0, |root| self.touching_in(root, actor, actors, pairs)))
            .sum()
    }

    fn touching_in(
        &self,
        place: Handle<Node>,
        actor: u16,
        actors: &[Actor],
        pairs: &mut Vec<(u16, u16)>,
    ) -> usize {
        let (node, this) = (&self.nodes[place], &actors[usize::from(actor)]);
        if !node.is_near(this.at, this.radius + RADIUS_MAX) {
            return 0;
        }
        if let Some(children) = node.children {
            return children
                .map(|child| self.touching_in(child, actor, actors, pairs))
                .iter()
                .sum();
        }
        let mut looked_at = 0;
        let mut other = node.first;
        while let Some(index) = other {
            if index > actor {
                looked_at += 1;
                if this.touches(&actors[usize::from(index)]) {
                    pairs.push((actor, index));
                }
            }
            other = self.next[usize::from(index)];
        }
        looked_at
    }

    pub(crate) fn root(&self) -> Option<Handle<Node>> {
        self.root
    }

    pub(crate) fn node(&self, node: Handle<Node>) -> Option<&Node> {
        self.nodes.get(node)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    pub(crate) fn stats(&self) -> Stats {
        self.nodes.stats()
    }
}
