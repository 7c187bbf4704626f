//! The insertion of a struct with many small fields, as most objects of a game are, by a copy of a prefab: a value that moves once
//! is loaded and stored in pieces as large as those of the processor, and one that shares its bytes with something else on the
//! way field by field.

use std::hint::black_box;

use ::slotmap::{DefaultKey, SlotMap};
use millpond::{Pool, VecPool};

use super::TIMES_MAX;

/// 40 bytes.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "only its insertion counts")]
struct Body {
    position: [f32; 3],
    velocity: [f32; 3],
    radius: f32,
    health: u32,
    team: u32,
    sprite: u32,
}

impl Body {
    fn prefab() -> Self {
        let (position, velocity) = ([0.0, 1.0, 2.0], [0.0, 1.0, 0.5]);
        Self { position, velocity, radius: 0.5, health: 100, team: 1, sprite: 7 }
    }
}

macro_rules! insertions {
    ($($name:ident: $pool:ty, $new:expr, $insert:expr;)*) => {
        $(pub(crate) fn $name(times: usize) {
            let mut pool: $pool = $new(TIMES_MAX);
            let prefab = Body::prefab();
            for _ in 0..times {
                black_box($insert(&mut pool, *black_box(&prefab)));
            }
        })*
    };
}
insertions! {
    pool: Pool<Body>, Pool::new, |pool: &mut Pool<Body>, body| pool.insert(body).ok();
    vec_pool: VecPool<Body>, VecPool::with_capacity, |pool: &mut VecPool<Body>, body| pool.push(body);
    slotmap: SlotMap<DefaultKey, Body>, SlotMap::with_capacity, SlotMap::insert;
}
