//! What pools smaller than planned would have done: refusals, or evictions of old objects.

/// The effects of one smaller pool over the whole trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smaller {
    /// The smaller pool's capacity.
    pub capacity: u32,
    /// The number of refused objects, if a full pool refuses.
    pub refused: u64,
    /// The number of evicted objects, if a full pool evicts its oldest.
    pub evicted: u64,
}

/// The capacities to try, in per cent of the peak, besides the 99th percentile.
const SHARES_PERCENT: [u64; 3] = [90, 75, 50];

/// The most capacities to try.
pub(super) const POOLS_MAX: usize = SHARES_PERCENT.len() + 1;

/// The capacities to try for a class with this peak and 99th percentile, the largest first.
pub(super) fn capacities(peak_live: u32, p99_live: u32) -> Vec<u32> {
    let share = |percent: u64| (u64::from(peak_live) * percent / 100) as u32;
    let mut capacities: Vec<u32> = SHARES_PERCENT.map(share).into();
    capacities.push(p99_live);
    capacities.retain(|&capacity| capacity > 0 && capacity < peak_live);
    capacities.sort_unstable_by(|a, b| b.cmp(a));
    capacities.dedup();
    capacities
}

/// No object.
const NONE: u32 = u32::MAX;

/// A live object in the simulations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The number of earlier births in its class.
    number: u64,
    /// The live objects of its class that were born just before and just after it, by key.
    older: u32,
    newer: u32,
    /// Bit n: whether the n-th refusing pool accepted it.
    taken_in: u8,
}

impl Default for Place {
    fn default() -> Self {
        Self { number: 0, older: NONE, newer: NONE, taken_in: 0 }
    }
}

/// The smaller pools of one class.
///
/// An evicting pool needs no list of its own. It evicts in the order of birth, so it always holds *all* live objects
/// from some birth on. One list of the class's live objects in the order of birth, and the oldest held object of each
/// pool, are enough.
#[derive(Debug, Default)]
pub(super) struct SmallerPools {
    pools: Vec<SmallerPool>,
    births: u64,
    newest: Option<u32>,
}

#[derive(Debug)]
struct SmallerPool {
    capacity: u32,
    /// The number of objects in the refusing pool.
    refusing_holds: u32,
    /// The number of objects in the evicting pool, and the oldest of them: its key, and its number in its class.
    evicting_holds: u32,
    oldest: u32,
    oldest_number: u64,
    refused: u64,
    evicted: u64,
}

impl SmallerPools {
    /// The pools to try for a class with this peak and 99th percentile.
    pub(super) fn new(peak_live: u32, p99_live: u32) -> Self {
        let pools = capacities(peak_live, p99_live).into_iter().map(SmallerPool::new).collect();
        Self { pools, births: 0, newest: None }
    }

    /// An object with this key is born; `places` are those of all keys.
    #[inline]
    pub(super) fn birth(&mut self, key: u32, places: &mut [Place]) {
        if self.pools.is_empty() {
            return;
        }
        let older = self.newest.unwrap_or(NONE);
        if let Some(before) = places.get_mut(older as usize) {
            before.newer = key;
        }
        let mut place = Place { number: self.births, older, newer: NONE, taken_in: 0 };
        places[key as usize] = place;
        for (bit, pool) in self.pools.iter_mut().enumerate() {
            if pool.take_in() {
                place.taken_in |= 1 << bit;
            }
            pool.take_in_evicting(key, places);
        }
        places[key as usize] = place;
        self.births += 1;
        self.newest = Some(key);
    }

    /// The object with this key dies.
    #[inline]
    pub(super) fn death(&mut self, key: u32, places: &mut [Place]) {
        if self.pools.is_empty() {
            return;
        }
        let place = places[key as usize];
        for (bit, pool) in self.pools.iter_mut().enumerate() {
            pool.refusing_holds -= u32::from(place.taken_in >> bit & 1);
            pool.give_back_evicting(key, &place, places);
        }
        if let Some(older) = places.get_mut(place.older as usize) {
            older.newer = place.newer;
        }
        match places.get_mut(place.newer as usize) {
            Some(newer) => newer.older = place.older,
            None => self.newest = (place.older != NONE).then_some(place.older),
        }
    }

    /// The effects of each pool, the largest pool first.
    pub(super) fn outcomes(&self) -> Vec<Smaller> {
        let outcome = |pool: &SmallerPool| Smaller {
            capacity: pool.capacity,
            refused: pool.refused,
            evicted: pool.evicted,
        };
        self.pools.iter().map(outcome).collect()
    }
}

impl SmallerPool {
    fn new(capacity: u32) -> Self {
        Self {
            capacity,
            refusing_holds: 0,
            evicting_holds: 0,
            oldest: NONE,
            oldest_number: 0,
            refused: 0,
            evicted: 0,
        }
    }

    #[inline]
    fn take_in(&mut self) -> bool {
        let takes = self.refusing_holds < self.capacity;
        self.refusing_holds += u32::from(takes);
        self.refused += u64::from(!takes);
        takes
    }

    #[inline]
    fn take_in_evicting(&mut self, key: u32, places: &[Place]) {
        if self.evicting_holds < self.capacity {
            self.evicting_holds += 1;
        } else {
            self.evicted += 1;
            self.set_oldest(places[self.oldest as usize].newer, places);
        }
        if self.oldest == NONE {
            self.set_oldest(key, places);
        }
    }

    #[inline]
    fn give_back_evicting(&mut self, key: u32, place: &Place, places: &[Place]) {
        if self.oldest != NONE && place.number >= self.oldest_number {
            self.evicting_holds -= 1;
            if key == self.oldest {
                self.set_oldest(place.newer, places);
            }
        }
    }

    #[inline]
    fn set_oldest(&mut self, key: u32, places: &[Place]) {
        self.oldest = key;
        self.oldest_number = places.get(key as usize).map_or(0, |oldest| oldest.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// The obvious way: a list of the objects in a pool of this capacity.
    fn simulate(events: &[(bool, u32)], capacity: usize) -> Smaller {
        let (mut refusing, mut evicting) = (Vec::new(), Vec::new());
        let mut outcome = Smaller { capacity: capacity as u32, refused: 0, evicted: 0 };
        for &(birth, key) in events {
            if birth {
                if refusing.len() < capacity {
                    refusing.push(key);
                } else {
                    outcome.refused += 1;
                }
                if evicting.len() == capacity {
                    evicting.remove(0);
                    outcome.evicted += 1;
                }
                evicting.push(key);
            } else {
                refusing.retain(|&k| k != key);
                evicting.retain(|&k| k != key);
            }
        }
        outcome
    }

    #[test]
    fn agrees_with_lists() {
        let mut random = SplitMix64::new(7);
        for peak in [2, 3, 10, 40] {
            let (mut live, mut dead): (Vec<u32>, Vec<u32>) = (vec![], (0..peak).collect());
            let mut events = Vec::new();
            for _ in 0..3000 {
                let birth = live.is_empty() || !dead.is_empty() && random.below(2) == 0;
                let (from, to) =
                    if birth { (&mut dead, &mut live) } else { (&mut live, &mut dead) };
                let key = from.swap_remove(random.below(from.len()));
                to.push(key);
                events.push((birth, key));
            }
            let mut pools = SmallerPools::new(peak, peak - 1);
            let mut places = vec![Place::default(); peak as usize];
            for &(birth, key) in &events {
                if birth { pools.birth(key, &mut places) } else { pools.death(key, &mut places) }
            }
            assert!(!pools.outcomes().is_empty());
            for found in pools.outcomes() {
                assert_eq!(found, simulate(&events, found.capacity as usize), "peak {peak}");
            }
        }
    }

    #[test]
    fn a_class_of_one_has_no_smaller_pool() {
        assert!(SmallerPools::new(1, 1).outcomes().is_empty());
        let capacities: Vec<u32> =
            SmallerPools::new(100, 75).outcomes().iter().map(|o| o.capacity).collect();
        assert_eq!(capacities, [90, 75, 50]);
    }
}
