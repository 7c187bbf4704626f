//! A quadtree whose nodes own their children, in guards of a pool allocator: torn down and rebuilt from
//! the same timber in every frame.

use millpond::Stats;
use millpond_classic::{PoolAllocator, PoolBox};

use super::square::{LEAF_ACTORS_MAX, Point, Square, are_near};

/// Below this, a leaf that is full hands on to another one for the same square: there may be a crowd on
/// one spot.
const DEPTH_MAX: u32 = 12;

/// The tree, and the pool that its nodes come from.
pub(crate) struct Quadtree {
    pool: PoolAllocator<Node>,
    root: Option<PoolBox<Node>>,
}

struct Node {
    square: Square,
    depth: u32,
    /// The first of them count, up to `actor_count`.
    actors: [Point; LEAF_ACTORS_MAX],
    actor_count: usize,
    /// One for each quarter; of a crowded leaf only the first, for the same square.
    children: [Option<PoolBox<Node>>; 4],
}

impl Quadtree {
    /// A tree of no actors, with the memory for so many nodes.
    pub(crate) fn with_timber(nodes: usize) -> Self {
        let pool = PoolAllocator::new();
        pool.reserve(nodes).unwrap();
        Self { pool, root: None }
    }

    /// Tears the tree down and builds it of these actors.
    pub(crate) fn rebuild(&mut self, actors: &[Point]) {
        self.root = None;
        let mut root = self.pool.alloc_with(|| Node::leaf(Square::WHOLE, 0));
        for &actor in actors {
            root.add(&self.pool, actor);
        }
        self.root = Some(root);
    }

    /// How many actors are within a distance of a point.
    pub(crate) fn count_near(&self, at: Point, distance: i32) -> usize {
        self.root.as_ref().map_or(0, |root| root.count_near(at, distance))
    }

    /// What the pool of nodes has done.
    pub(crate) fn stats(&self) -> Stats {
        self.pool.stats()
    }

    /// How many times the pool had to take memory.
    pub(crate) fn chunks(&self) -> usize {
        self.pool.chunks()
    }
}

impl Node {
    fn leaf(square: Square, depth: u32) -> Self {
        let actors = [(0, 0); LEAF_ACTORS_MAX];
        Self { square, depth, actors, actor_count: 0, children: [const { None }; 4] }
    }

    fn add(&mut self, pool: &PoolAllocator<Node>, actor: Point) {
        let is_split = self.actor_count == 0 && self.children.iter().any(Option::is_some);
        if !is_split && self.actor_count < LEAF_ACTORS_MAX {
            self.actors[self.actor_count] = actor;
            self.actor_count += 1;
            return;
        }
        if self.depth == DEPTH_MAX {
            let (square, depth) = (self.square, self.depth);
            let more =
                self.children[0].get_or_insert_with(|| pool.alloc(Node::leaf(square, depth)));
            return more.add(pool, actor);
        }
        for moved in 0..core::mem::take(&mut self.actor_count) {
            self.add_to_quarter(pool, self.actors[moved]);
        }
        self.add_to_quarter(pool, actor);
    }

    fn add_to_quarter(&mut self, pool: &PoolAllocator<Node>, actor: Point) {
        let quarter = self.square.quarter_of(actor);
        let (square, depth) = (self.square.quarter(quarter), self.depth + 1);
        self.children[quarter]
            .get_or_insert_with(|| pool.alloc_with(|| Node::leaf(square, depth)))
            .add(pool, actor);
    }

    fn count_near(&self, at: Point, distance: i32) -> usize {
        if !self.square.is_near(at, distance) {
            return 0;
        }
        let here = &self.actors[..self.actor_count];
        let here = here.iter().filter(|actor| are_near(**actor, at, distance)).count();
        let below = self.children.iter().flatten();
        here + below.map(|child| child.count_near(at, distance)).sum::<usize>()
    }
}
