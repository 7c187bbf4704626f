//! A quadtree whose nodes own their children, in guards of a pool allocator: torn down and rebuilt from
//! the same timber in every frame.

use millpond::Stats;
use millpond::classic::{PoolAllocator, PoolBox};

/// Where an actor is, in units of the map.
pub(crate) type Point = (i32, i32);

/// A leaf with more actors than this is split.
const LEAF_ACTORS_MAX: usize = 6;

/// Below this, a leaf that is full hands on to another one for the same square: there may be a crowd on
/// one spot.
const DEPTH_MAX: u32 = 12;

/// Half the width of the root: what 16 bits can say.
const ROOT_HALF: i32 = 1 << 15;

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

#[derive(Clone, Copy)]
struct Square {
    center: Point,
    half: i32,
}

impl Square {
    fn quarter_of(self, at: Point) -> usize {
        usize::from(at.0 >= self.center.0) + 2 * usize::from(at.1 >= self.center.1)
    }

    fn quarter(self, quarter: usize) -> Square {
        let half = self.half / 2;
        let step = |up: bool| if up { half } else { -half };
        let (x, y) = self.center;
        Square { center: (x + step(quarter & 1 == 1), y + step(quarter & 2 == 2)), half }
    }

    /// Whether any of it can be within this distance of a point.
    fn is_near(self, at: Point, distance: i32) -> bool {
        let reach = self.half + distance;
        (at.0 - self.center.0).abs() <= reach && (at.1 - self.center.1).abs() <= reach
    }
}

/// Whether two points are within a distance of each other.
pub(crate) fn are_near(a: Point, b: Point, distance: i32) -> bool {
    let (x, y, distance) = (i64::from(a.0 - b.0), i64::from(a.1 - b.1), i64::from(distance));
    x * x + y * y <= distance * distance
}

impl Quadtree {
    /// A tree of no actors, with the memory for so many nodes.
    pub(crate) fn with_timber(nodes: usize) -> Self {
        let pool = PoolAllocator::new();
        pool.reserve(nodes);
        Self { pool, root: None }
    }

    /// Tears the tree down and builds it of these actors.
    pub(crate) fn rebuild(&mut self, actors: &[Point]) {
        self.root = None;
        let square = Square { center: (0, 0), half: ROOT_HALF };
        let mut root = self.pool.alloc_with(|| Node::leaf(square, 0));
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
