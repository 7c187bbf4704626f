//! The clone of a pool: counted per node of one of 1,000, which are all live, or half of them, or of one of 100. And the pool that
//! becomes a clone, in its own memory.

use std::hint::black_box;

use ::slotmap::{DefaultKey, SlotMap};
use millpond::{Handle, Pool, VecPool};

/// Nodes of a pool.
const NODES: usize = 1000;

/// A node of a tree, 32 bytes. No `Copy`, as most nodes of most trees.
#[derive(Clone)]
#[allow(dead_code, reason = "only its copies count")]
struct Node {
    parent: Option<Handle<Node>>,
    first_child: Option<Handle<Node>>,
    next: Option<Handle<Node>>,
    weight: f32,
    depth: u32,
}

impl Node {
    fn of(number: usize) -> Self {
        let (weight, depth) = (number as f32, number as u32);
        Self { parent: None, first_child: None, next: None, weight, depth }
    }
}

fn clones(times: usize, pool: &impl Clone) {
    for _ in 0..times {
        black_box(black_box(pool).clone());
    }
}

fn clones_over<P: Clone>(times: usize, pool: &P, mut over: P) {
    for _ in 0..times {
        black_box(&mut over).clone_from(black_box(pool));
    }
}

/// Of the nodes, by a number that is no pattern, half.
fn is_kept(number: usize) -> bool {
    (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0
}

/// The clones of a full pool, and of one that is half full, which is made so and inserted into like this.
macro_rules! clones_of {
    ($name:ident: $pool:ty, $key:ty, $new:expr, $insert:expr) => {
        pub(crate) mod $name {
            use super::*;

            fn filled(nodes: usize) -> ($pool, Vec<$key>) {
                let insert: fn(&mut $pool, Node) -> Option<$key> = $insert;
                let mut pool = $new(nodes);
                let keys = (0..nodes).filter_map(|number| insert(&mut pool, Node::of(number)));
                let keys = keys.collect();
                (pool, keys)
            }

            fn half_filled() -> $pool {
                let (mut pool, keys) = filled(NODES);
                for (number, key) in keys.into_iter().enumerate() {
                    if !is_kept(number) {
                        pool.remove(key);
                    }
                }
                pool
            }

            pub(crate) fn full(times: usize) {
                clones(times / NODES, &filled(NODES).0);
            }

            pub(crate) fn of_100(times: usize) {
                clones(times / 100, &filled(100).0);
            }

            pub(crate) fn half(times: usize) {
                clones(times / NODES, &half_filled());
            }

            pub(crate) fn over_full(times: usize) {
                clones_over(times / NODES, &filled(NODES).0, filled(NODES).0);
            }

            pub(crate) fn over_half(times: usize) {
                clones_over(times / NODES, &half_filled(), filled(NODES).0);
            }
        }
    };
}

clones_of!(pool: Pool<Node>, Handle<Node>, Pool::new, |pool, node| pool.insert(node).ok());
clones_of!(vec_pool: VecPool<Node>, Handle<Node>, VecPool::with_capacity, |pool, node| pool.insert(node).ok());
clones_of!(slotmap: SlotMap<DefaultKey, Node>, DefaultKey, SlotMap::with_capacity, |map, node| Some(map.insert(node)));
