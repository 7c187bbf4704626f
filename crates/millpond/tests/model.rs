//! Random operations on every reuse order, layout and type of value, against a plain model.

mod common;

use std::collections::{BTreeMap, HashSet};

use common::{Counted, Ledger, Random};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, PoolBuilder};

/// What a pool must be like, in the plainest form: which values live at which index, under which
/// generation, and every handle that was ever issued and is gone.
struct Model<H> {
    live: BTreeMap<u32, (H, u64)>,
    dead: Vec<H>,
    ever: HashSet<H>,
    inserted: u64,
    peak: usize,
}

impl<H: HandleLayout> Model<H> {
    fn insert(&mut self, handle: H, value: u64) {
        assert!(self.ever.insert(handle), "{handle} was issued twice");
        assert!(self.live.insert(handle.index(), (handle, value)).is_none());
        self.inserted += 1;
        self.peak = self.peak.max(self.live.len());
    }

    fn remove(&mut self, handle: H) -> Option<u64> {
        let value = self.live.remove(&handle.index())?.1;
        self.dead.push(handle);
        Some(value)
    }

    fn any_live(&self, random: &mut Random) -> Option<(H, u64)> {
        self.live.values().nth(random.below(self.live.len().max(1))).copied()
    }

    fn any_dead(&self, random: &mut Random) -> Option<H> {
        self.dead.get(random.below(self.dead.len().max(1))).copied()
    }
}

fn check<R: ReuseOrder, H: HandleLayout>(pool: &Pool<Counted, R, H>, model: &Model<H>) {
    assert_eq!(pool.len(), model.live.len());
    let expected = || model.live.values().copied();
    assert!(pool.iter().map(|(handle, value)| (handle, value.id())).eq(expected()));
    assert!(pool.iter().rev().map(|(h, value)| (h, value.id())).eq(expected().rev()));
    assert!(pool.handles().eq(expected().map(|(handle, _)| handle)));
    let mut folded = Vec::new();
    pool.values().for_each(|value| folded.push(value.id()));
    assert!(folded.into_iter().eq(expected().map(|(_, value)| value)));
    let by_runs = pool.runs().flat_map(|(first, run)| {
        run.iter().enumerate().map(move |(at, value)| (first + at, value.id()))
    });
    assert!(by_runs.eq(expected().map(|(handle, value)| (handle.index() as usize, value))));
    for &dead in model.dead.iter().rev().take(50) {
        assert!(pool.get(dead).is_none(), "{dead} is stale");
    }
    let stats = pool.stats();
    assert_eq!((stats.live, stats.inserted), (model.live.len(), model.inserted));
    assert_eq!(stats.removed, model.inserted - model.live.len() as u64);
    assert_eq!(stats.peak, model.peak);
    assert!(stats.live + stats.retired <= stats.capacity);
    assert_eq!(pool.is_full(), stats.live + stats.retired == stats.capacity);
}

fn random_operations<R: ReuseOrder, H: HandleLayout>(
    builder: PoolBuilder<Counted, R, H>,
    capacity: usize,
    steps: usize,
    seed: u64,
) {
    let ledger = Ledger::default();
    let mut random = Random(seed);
    let mut pool = builder.capacity(capacity).build();
    let mut model = Model {
        live: BTreeMap::new(),
        dead: Vec::new(),
        ever: HashSet::new(),
        inserted: 0,
        peak: 0,
    };
    for step in 0..(steps * soak_factor()) as u64 {
        match random.below(100) {
            0..40 => match pool.insert(ledger.value(step)) {
                Ok(handle) => model.insert(handle, step),
                Err(full) => {
                    assert_eq!(full.into_inner().id(), step);
                    let stats = pool.stats();
                    assert_eq!(stats.live + stats.retired, capacity, "refused while not full");
                }
            },
            40..70 => {
                if let Some((handle, value)) = model.any_live(&mut random) {
                    assert_eq!(pool[handle].id(), value);
                    assert_eq!(pool.remove(handle).map(|v| v.id()), model.remove(handle));
                }
            }
            70..80 => {
                if let Some(dead) = model.any_dead(&mut random) {
                    assert!(pool.remove(dead).is_none() && pool.get_mut(dead).is_none());
                    let error = pool.insert_at(dead, ledger.value(step)).unwrap_err();
                    assert_ne!(error.kind(), InsertAtErrorKind::OutOfRange);
                }
            }
            80..90 => {
                let index = random.below(capacity + 1) as u32;
                let Some(handle) = H::from_parts(index, 1 + random.below(6) as u32) else {
                    continue;
                };
                match pool.insert_at(handle, ledger.value(step)) {
                    Ok(issued) => {
                        assert_eq!(issued, handle);
                        model.insert(handle, step);
                    }
                    Err(error) => match error.kind() {
                        InsertAtErrorKind::OutOfRange => assert_eq!(index as usize, capacity),
                        InsertAtErrorKind::Occupied => assert!(model.live.contains_key(&index)),
                        InsertAtErrorKind::Stale => assert!(!model.live.contains_key(&index)),
                        InsertAtErrorKind::Retired => assert!(pool.stats().retired > 0),
                        InsertAtErrorKind::BeyondLifetimes => {}
                    },
                }
            }
            90..93 => {
                if capacity > 0 && pool.stats().retired == 0 && !pool.is_full() {
                    let promised = pool.vacant_entry().unwrap().handle();
                    assert!(!pool.contains(promised));
                    let handle = pool.insert_with(|me| {
                        assert_eq!(me, promised);
                        ledger.value(step)
                    });
                    model.insert(handle.unwrap(), step);
                }
            }
            93..95 => {
                let parity = random.below(2) as u64;
                pool.retain(|handle, value| {
                    let keep = value.id() % 2 == parity;
                    if !keep {
                        assert_eq!(model.remove(handle), Some(value.id()));
                    }
                    keep
                });
            }
            95 => {
                let parity = random.below(2) as u64;
                for (handle, value) in pool.extract_if(|_, value| value.id() % 2 == parity) {
                    assert_eq!(model.remove(handle), Some(value.id()));
                }
            }
            96 => {
                let half = pool.len() / 2;
                let mut drain = pool.drain();
                for _ in 0..half {
                    let (handle, value) = drain.next_back().unwrap();
                    assert_eq!(model.remove(handle), Some(value.id()));
                }
                drop(drain);
                for (handle, _) in model.live.clone().into_values() {
                    model.remove(handle);
                }
            }
            97 => {
                pool.clear();
                for (handle, _) in model.live.clone().into_values() {
                    model.remove(handle);
                }
            }
            98 => pool = pool.clone(),
            _ => {
                let stats = pool.stats();
                if stats.live == capacity && stats.retired == 0 && capacity > 0 {
                    let min = model.live.values().min_by_key(|(_, value)| *value % 7).copied();
                    let spared = pool.insert_or_evict(ledger.value(step), |_, v| v.id() % 7);
                    if let (handle, Some((evicted, value))) = spared {
                        assert_eq!(min, Some((evicted, value.id())));
                        model.remove(evicted);
                        model.insert(handle, step);
                    }
                }
            }
        }
        check(&pool, &model);
        pool.validate().unwrap();
        assert_eq!(ledger.alive(), pool.len());
    }
    drop(pool);
    assert_eq!(ledger.alive(), 0);
}

/// How many times the usual number of steps, for a longer run: `MILLPOND_MODEL_FACTOR`.
fn soak_factor() -> usize {
    std::env::var("MILLPOND_MODEL_FACTOR").map_or(1, |factor| factor.parse().unwrap())
}

fn every_capacity<R: ReuseOrder>(order: R) {
    for (seed, capacity) in [0, 1, 2, 3, 17, 63, 64, 65, 200].into_iter().enumerate() {
        let seed = seed as u64 + 1;
        let builder = Pool::<Counted>::builder().reuse(order);
        random_operations(builder, capacity, 1500, seed);
        let builder = Pool::<Counted>::builder().reuse(order).handle::<Handle32<Counted, 16>>();
        random_operations(builder, capacity, 600, seed + 100);
        let builder = Pool::<Counted>::builder().reuse(order).handle::<Handle32<Counted, 24>>();
        random_operations(builder.lifetimes(6), capacity, 1500, seed + 200);
        let builder = Pool::<Counted>::builder().reuse(order).handle::<Handle<Counted>>();
        random_operations(builder.lifetimes(1), capacity, 300, seed + 300);
    }
}

#[test]
fn lifo_agrees_with_the_model() {
    every_capacity(Lifo);
}

#[test]
fn fifo_agrees_with_the_model() {
    every_capacity(Fifo);
}

#[test]
fn lowest_first_agrees_with_the_model() {
    every_capacity(LowestFirst);
}

#[test]
fn roster_agrees_with_the_model() {
    every_capacity(Roster);
}

#[test]
fn next_fit_agrees_with_the_model() {
    every_capacity(NextFit);
}

#[test]
fn intrusive_agrees_with_the_model() {
    every_capacity(Intrusive);
}
