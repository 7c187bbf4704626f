//! Pools with so many slots that their bitmap is gathered at first, and synced once they are walked often:
//! beside a set of the live slots, with births and deaths, few and many, between walks of every kind.

use std::collections::BTreeMap;

use crate::common::Random;
use millpond::reuse::{Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Pool};

/// A pool, and what must live in it.
struct Pair<R: ReuseOrder> {
    pool: Pool<u64, R>,
    live: BTreeMap<u32, (Handle<u64>, u64)>,
}

impl<R: ReuseOrder> Pair<R> {
    fn new(capacity: usize) -> Self {
        Self { pool: Pool::with_capacity(capacity), live: BTreeMap::new() }
    }

    fn change(&mut self, random: &mut Random) {
        if random.below(self.pool.capacity()) < self.pool.len() {
            let from = random.below(self.pool.capacity()) as u32;
            let (&index, &(handle, value)) =
                self.live.range(from..).chain(&self.live).next().unwrap();
            assert_eq!(self.pool.remove(handle), Some(value));
            self.live.remove(&index);
        } else {
            let value = random.0;
            let handle = self.pool.insert(value).unwrap();
            assert!(self.live.insert(handle.index(), (handle, value)).is_none());
        }
    }

    /// Walks in one of many ways, and asks whether all that lives was met.
    fn walk(&mut self, way: usize) {
        let expected = self.live.values().copied();
        match way {
            0 => assert!(self.pool.iter().map(|(handle, value)| (handle, *value)).eq(expected)),
            1 => assert!(self.pool.iter_mut().map(|(handle, value)| (handle, *value)).eq(expected)),
            2 => {
                let back = self.pool.values_mut().rev().map(|value| *value);
                assert!(back.eq(expected.rev().map(|(_, value)| value)));
            }
            3 => {
                let mut values = Vec::new();
                self.pool.values_mut().for_each(|value| values.push(*value));
                assert!(expected.map(|(_, value)| value).eq(values));
            }
            4 => {
                let runs = self.pool.runs_mut().flat_map(|(first, run)| {
                    run.iter().enumerate().map(move |(at, value)| ((first + at) as u32, *value))
                });
                assert!(runs.eq(expected.map(|(handle, value)| (handle.index(), value))));
            }
            5 => assert!(self.pool.handles().rev().eq(expected.rev().map(|(handle, _)| handle))),
            _ => {
                let live = &self.live;
                self.pool.retain(|handle, _| live.contains_key(&handle.index()));
            }
        }
        assert_eq!(self.pool.len(), self.live.len());
        self.pool.validate().unwrap();
    }
}

fn every_walk_meets_what_lives<R: ReuseOrder>() {
    let mut random = Random(7);
    for capacity in [200, 257, 320, 1000] {
        let mut pair = Pair::<R>::new(capacity);
        let mut other = Pair::<R>::new(capacity);
        let mut pasts = [pair.pool.snapshot(), pair.pool.snapshot(), pair.pool.snapshot_cloned()]
            .map(|past| (past, BTreeMap::new()));
        for _ in 0..60 {
            // Few changes let a bitmap be synced, many leave one as it is.
            let changes = [0, 1, 3, capacity / 4, capacity / 2, 3 * capacity][random.below(6)];
            (0..changes).for_each(|_| pair.change(&mut random));
            // Pasts of different ages, of pools whose bitmaps are synced or not.
            let (past, live) = &mut pasts[random.below(3)];
            match random.below(6) {
                0 => {
                    pair.pool.save_into(past).unwrap();
                    live.clone_from(&pair.live);
                }
                1 => {
                    if random.below(2) == 0 {
                        std::mem::swap(&mut pair, &mut other);
                        (0..random.below(2 * capacity)).for_each(|_| pair.change(&mut random));
                    }
                    pair.pool.restore(past).unwrap();
                    pair.live.clone_from(live);
                }
                2 => {
                    pair.pool.clear();
                    pair.live.clear();
                }
                _ => {}
            }
            pair.walk(random.below(7));
        }
    }
}

#[test]
fn every_walk_meets_what_lives_in_every_kind_of_bitmap() {
    every_walk_meets_what_lives::<Lifo>();
    every_walk_meets_what_lives::<Roster>();
    every_walk_meets_what_lives::<LowestFirst>();
}
