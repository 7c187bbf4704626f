//! Walks with a body as large as a game's, and walks over pools that are only read: no `&mut` walk tells such a pool which of
//! its slots are live.
//!
//! Counted per 10 objects of a pool of 1,000, as the passes of `main.rs`: a walk for each 100 of `times`. What slotmap takes
//! for the same stands beside.

use std::hint::black_box;

use millpond::{Handle, Pool, StaticPool, VecPool};
use slotmap::{DefaultKey, SlotMap};

const OBJECTS: u64 = 1000;

/// 64 bytes: a position and a speed of eight numbers each.
#[derive(Clone, Copy)]
pub(crate) struct Body([f32; 16]);

impl Body {
    fn new(i: u64) -> Self {
        Self([i as f32; 16])
    }

    /// Eight steps: so much code that a compiler no longer makes a loop for each way that a walk may go.
    #[inline(always)]
    fn step(&mut self) {
        for i in 0..8 {
            self.0[i] += self.0[i + 8] * 0.016;
        }
    }

    #[inline(always)]
    fn sum(&self) -> f32 {
        self.0[0] + self.0[8]
    }
}

/// Every object.
pub(crate) const ALL: u64 = 100;
pub(crate) const HALF: u64 = 50;

/// Whether this object stays, of so many of a hundred.
fn stays(i: u64, percent: u64) -> bool {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 < (percent << 32) / 100
}

/// Pools and arenas of 1,000 bodies with room for a fifth more.
trait Bodies {
    type Key: Copy;
    fn make() -> Self;
    fn add(&mut self, body: Body) -> Option<Self::Key>;
    fn take(&mut self, key: Self::Key);
    fn walk(&mut self);
    fn read(&self) -> f32;
}

macro_rules! bodies {
    ($($name:ty, $key:ty: $make:expr, |$pool:ident, $body:ident| $add:expr;)+) => {$(
        impl Bodies for $name {
            type Key = $key;

            #[inline(never)]
            fn make() -> Self {
                $make
            }

            #[inline(always)]
            fn add(&mut self, $body: Body) -> Option<$key> {
                let $pool = self;
                $add
            }

            #[inline(always)]
            fn take(&mut self, key: $key) {
                black_box(self.remove(key));
            }

            #[inline(always)]
            fn walk(&mut self) {
                for body in self.values_mut() {
                    body.step();
                }
            }

            #[inline(always)]
            fn read(&self) -> f32 {
                let mut sum = 0.0;
                for body in self.values() {
                    sum += body.sum();
                }
                sum
            }
        }
    )+};
}
bodies! {
    Pool<Body>, Handle<Body>: Pool::new(1200), |pool, body| pool.insert(body).ok();
    VecPool<Body>, Handle<Body>: VecPool::new(), |pool, body| Some(pool.push(body));
    Box<StaticPool<Body, 1200>>, Handle<Body>: Box::new(StaticPool::new()), |pool, body| pool.insert(body).ok();
    SlotMap<DefaultKey, Body>, DefaultKey: SlotMap::with_capacity(1200), |pool, body| Some(pool.insert(body));
}

/// Filled with so many, and then so many of a hundred left. No walk has gone over it.
#[inline(never)]
fn thinned<P: Bodies>(objects: u64, percent: u64) -> (P, Vec<P::Key>) {
    let mut pool = P::make();
    let keys: Vec<_> = (0..objects).filter_map(|i| pool.add(Body::new(i))).collect();
    let mut left = Vec::new();
    for (i, key) in (0..).zip(keys) {
        match stays(i, percent) {
            true => left.push(key),
            false => pool.take(key),
        }
    }
    (pool, left)
}

fn steps<P: Bodies>(times: usize, percent: u64) {
    let (mut pool, _) = thinned::<P>(OBJECTS, percent);
    for _ in 0..times / 100 {
        black_box(&mut pool).walk();
    }
}

pub(crate) fn steps_for<const PERCENT: u64>(times: usize) {
    steps::<Pool<Body>>(times, PERCENT);
}

pub(crate) fn slotmap_steps_for<const PERCENT: u64>(times: usize) {
    steps::<SlotMap<DefaultKey, Body>>(times, PERCENT);
}

pub(crate) fn steps_for_handles_half(times: usize) {
    let (mut pool, _) = thinned::<Pool<Body>>(OBJECTS, HALF);
    for _ in 0..times / 100 {
        for (handle, body) in black_box(&mut pool) {
            black_box(handle);
            body.step();
        }
    }
}

/// Between two walks, what `change` does to a pool and the keys of its objects.
fn reads<P: Bodies>(times: usize, percent: u64, change: impl Fn(&mut P, &mut Vec<P::Key>, usize)) {
    let (mut pool, mut keys) = thinned::<P>(OBJECTS, percent);
    for i in 0..times / 100 {
        change(black_box(&mut pool), &mut keys, i);
        black_box(black_box(&pool).read());
    }
}

pub(crate) fn read_for<const PERCENT: u64>(times: usize) {
    reads::<Pool<Body>>(times, PERCENT, |_, _, _| {});
}

pub(crate) fn read_for_vec_pool(times: usize) {
    reads::<VecPool<Body>>(times, HALF, |_, _, _| {});
}

pub(crate) fn read_for_static<const PERCENT: u64>(times: usize) {
    reads::<Box<StaticPool<Body, 1200>>>(times, PERCENT, |_, _, _| {});
}

pub(crate) fn slotmap_read_for<const PERCENT: u64>(times: usize) {
    reads::<SlotMap<DefaultKey, Body>>(times, PERCENT, |_, _, _| {});
}

/// One is born.
fn birth<P: Bodies>(pool: &mut P, _: &mut Vec<P::Key>, i: usize) {
    black_box(pool.add(black_box(Body::new(i as u64))));
}

/// One dies, and another is born.
fn turn<P: Bodies>(pool: &mut P, keys: &mut Vec<P::Key>, i: usize) {
    let at = i * 7919 % keys.len();
    pool.take(keys[at]);
    if let Some(key) = pool.add(black_box(Body::new(i as u64))) {
        keys[at] = key;
    }
}

pub(crate) fn read_for_birth<const PERCENT: u64>(times: usize) {
    reads::<Pool<Body>>(times, PERCENT, birth);
}

pub(crate) fn slotmap_read_for_birth<const PERCENT: u64>(times: usize) {
    reads::<SlotMap<DefaultKey, Body>>(times, PERCENT, birth);
}

pub(crate) fn read_for_turn<const PERCENT: u64>(times: usize) {
    reads::<Pool<Body>>(times, PERCENT, turn);
}

pub(crate) fn slotmap_read_for_turn<const PERCENT: u64>(times: usize) {
    reads::<SlotMap<DefaultKey, Body>>(times, PERCENT, turn);
}

/// The pools of a game, of 64 slots each, from a few bodies to all of them, and the keys of these.
#[inline(never)]
fn game<P: Bodies>() -> Vec<(P, Vec<P::Key>)> {
    (0..48).map(|i| thinned(64, 6 + 2 * i)).collect()
}

/// Frames of a game, each a death and a birth in one of the pools, and then a walk over all. Counted per hundredth of a frame:
/// a frame for each 100 of `times`.
fn frames<P: Bodies>(times: usize, mut walk: impl FnMut(&mut P)) {
    let mut pools = game::<P>();
    for i in 0..times / 100 {
        let at = i * 7 % pools.len();
        let (pool, keys) = &mut pools[at];
        turn(pool, keys, i);
        for (pool, _) in &mut pools {
            walk(pool);
        }
    }
}

pub(crate) fn frames_steps_for(times: usize) {
    frames(times, Pool::<Body>::walk);
}

pub(crate) fn frames_steps_for_each(times: usize) {
    frames(times, |pool: &mut Pool<Body>| pool.values_mut().for_each(Body::step));
}

pub(crate) fn slotmap_frames_steps_for(times: usize) {
    frames(times, SlotMap::<DefaultKey, Body>::walk);
}

pub(crate) fn frames_read_for(times: usize) {
    let mut sum = 0.0;
    frames(times, |pool: &mut Pool<Body>| sum += pool.read());
    black_box(sum);
}

pub(crate) fn slotmap_frames_read_for(times: usize) {
    let mut sum = 0.0;
    frames(times, |pool: &mut SlotMap<DefaultKey, Body>| sum += pool.read());
    black_box(sum);
}
