//! How many objects smaller pools would have refused at least and at most, if of equal objects it is unknown who died.
//!
//! Newest first and oldest first are not the ends here: what counts is whether the one that dies had been taken in. At one
//! end it had, whenever one of its kind had; then a slot becomes free, and the next object is taken in. At the other it had
//! not, whenever one of its kind had been refused. Of objects of one kind, no way to die refuses fewer, or more, and none evicts
//! fewer than newest first, or more than oldest first. Where kinds share a pool, hardly any does: the tests try them all.

use super::between::Between;
use super::replay::ClassPlan;
use super::smaller::{POOLS_MAX, capacities};
use crate::trace::{Event, Watch};

/// Counts for all classes while the events of a recording pass; of their keys, nothing is used.
#[derive(Debug)]
pub(super) struct Refusals {
    classes: Vec<Vec<Pool>>,
    kinds: Vec<Kind>,
}

/// The fewest and the most refusals of a smaller pool.
#[derive(Debug)]
struct Pool {
    capacity: u32,
    fewest: Refusing,
    most: Refusing,
}

#[derive(Debug, Default)]
struct Refusing {
    holds: u32,
    refused: u64,
}

/// The live objects of a kind, and how many of them each pool holds at both ends.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    live: u32,
    held: [[u32; 2]; POOLS_MAX],
}

impl Refusing {
    /// An object of a kind of which it holds some is born.
    #[inline]
    fn birth(&mut self, capacity: u32, held: &mut u32) {
        if self.holds < capacity {
            self.holds += 1;
            *held += 1;
        } else {
            self.refused += 1;
        }
    }

    /// One that it holds dies.
    #[inline]
    fn death(&mut self, held: &mut u32) {
        self.holds -= 1;
        *held -= 1;
    }
}

impl Refusals {
    pub(super) fn new(plans: &[ClassPlan]) -> Self {
        let pool =
            |capacity| Pool { capacity, fewest: Refusing::default(), most: Refusing::default() };
        let pools = |plan: &ClassPlan| {
            capacities(plan.peak_live, plan.p99_live).into_iter().map(pool).collect()
        };
        Self { classes: plans.iter().map(pools).collect(), kinds: Vec::new() }
    }

    /// By class and smaller pool, the largest first.
    pub(super) fn finish(self) -> Vec<Vec<Between<u64>>> {
        let between = |pool: Pool| Between::ends(pool.fewest.refused, pool.most.refused);
        self.classes.into_iter().map(|pools| pools.into_iter().map(between).collect()).collect()
    }
}

impl Watch for Refusals {
    fn birth(&mut self, event: Event) {
        let number = event.kind as usize;
        if number >= self.kinds.len() {
            self.kinds.resize(number + 1, Kind::default());
        }
        let kind = &mut self.kinds[number];
        kind.live += 1;
        // A file that changes while it is read may have new classes; it is refused at the end.
        let Some(pools) = self.classes.get_mut(event.class as usize) else { return };
        for (pool, [fewest, most]) in pools.iter_mut().zip(&mut kind.held) {
            pool.fewest.birth(pool.capacity, fewest);
            pool.most.birth(pool.capacity, most);
        }
    }

    fn death(&mut self, event: Event) {
        let Some(kind) = self.kinds.get_mut(event.kind as usize) else { return };
        let Some(pools) = self.classes.get_mut(event.class as usize) else { return };
        for (pool, [fewest, most]) in pools.iter_mut().zip(&mut kind.held) {
            if *fewest > 0 {
                pool.fewest.death(fewest);
            }
            if *most == kind.live {
                pool.most.death(most);
            }
        }
        kind.live = kind.live.saturating_sub(1);
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[cfg(test)]
mod tests {
    use super::super::smaller::{Place, SmallerPools};
    use super::*;
    use crate::random::SplitMix64;
    use crate::trace::oldest_first::OldestFirst;

    /// A birth or a death of a kind.
    type Step = (bool, u32);

    /// The refusals and evictions of smaller pools, replayed by the one implementation that the plan uses.
    struct Played {
        pools: SmallerPools,
        places: Vec<Place>,
    }

    impl Watch for &mut Played {
        fn birth(&mut self, event: Event) {
            self.pools.birth(event.key, &mut self.places);
        }

        fn death(&mut self, event: Event) {
            self.pools.death(event.key, &mut self.places);
        }

        fn left(&mut self, _: u32, _: u32, _: u32) {}
    }

    fn played(peak: u32, p99: u32) -> Played {
        let places = vec![Place::default(); 64];
        Played { pools: SmallerPools::new(peak, p99), places }
    }

    fn event(kind: u32, key: u32) -> Event {
        Event { tick: 0, class: 0, kind, key, bytes: None }
    }

    /// By pool, the fewest and the most refusals and evictions of all ways to die.
    fn all_ways(steps: &[Step], peak: u32, p99: u32) -> Vec<[Between<u64>; 2]> {
        let mut found: Vec<[Between<u64>; 2]> = Vec::new();
        let mut choices = vec![0_usize; steps.len()];
        loop {
            let mut one = played(peak, p99);
            let mut live: Vec<(u32, u32)> = Vec::new();
            let mut options = vec![1; steps.len()];
            for (at, &(is_birth, kind)) in steps.iter().enumerate() {
                if is_birth {
                    live.push((kind, at as u32));
                    (&mut one).birth(event(kind, at as u32));
                } else {
                    let of_kind: Vec<usize> =
                        (0..live.len()).filter(|&of| live[of].0 == kind).collect();
                    options[at] = of_kind.len();
                    let (_, key) = live.remove(of_kind[choices[at]]);
                    (&mut one).death(event(kind, key));
                }
            }
            for (at, of) in one.pools.outcomes().into_iter().enumerate() {
                let both = [of.refused, of.evicted].map(Between::known);
                if at == found.len() {
                    found.push(both);
                }
                for (all, one) in found[at].iter_mut().zip(both) {
                    all.least = all.least.min(one.least);
                    all.most = all.most.max(one.most);
                }
            }
            // The next choice, as a clock advances.
            let Some(place) = (0..steps.len()).rev().find(|&at| choices[at] + 1 < options[at])
            else {
                return found;
            };
            choices[place] += 1;
            choices[place + 1..].fill(0);
        }
    }

    #[test]
    fn no_way_to_die_refuses_or_evicts_fewer_or_more() {
        let mut random = SplitMix64::new(60);
        let (mut ranges, mut figures, mut outside) = (0, 0_u32, 0_u32);
        for round in 0..600 {
            let kinds = 1 + round % 3;
            let mut live = vec![0_u32; kinds];
            let (mut steps, mut peak): (Vec<Step>, u32) = (Vec::new(), 0);
            for _ in 0..13 {
                let kind = random.below(kinds);
                let is_birth = live[kind] == 0 || random.below(5) < 3;
                live[kind] = if is_birth { live[kind] + 1 } else { live[kind] - 1 };
                steps.push((is_birth, kind as u32));
                peak = peak.max(live.iter().sum());
            }
            let p99 = random.below(peak as usize) as u32;
            let plan =
                ClassPlan { peak_live: peak, p99_live: p99, capacity: peak, pictured: false };
            let mut refusals = Refusals::new(&[plan]);
            let mut oldest = played(peak, p99);
            let mut oldest_first = OldestFirst::new(&mut oldest);
            let mut newest = played(peak, p99);
            let mut stacks: Vec<Vec<u32>> = vec![Vec::new(); kinds];
            for (at, &(is_birth, kind)) in steps.iter().enumerate() {
                if is_birth {
                    refusals.birth(event(kind, 0));
                    oldest_first.birth(event(kind, 0));
                    stacks[kind as usize].push(at as u32);
                    (&mut newest).birth(event(kind, at as u32));
                } else {
                    refusals.death(event(kind, 0));
                    oldest_first.death(event(kind, 0));
                    let key = stacks[kind as usize].pop().expect("alive");
                    (&mut newest).death(event(kind, key));
                }
            }
            let evicted: Vec<Between<u64>> = newest
                .pools
                .outcomes()
                .iter()
                .zip(oldest.pools.outcomes())
                .map(|(newest, oldest)| Between { least: newest.evicted, most: oldest.evicted })
                .collect();
            let found: Vec<[Between<u64>; 2]> =
                refusals.finish().remove(0).into_iter().zip(evicted).map(|(r, e)| [r, e]).collect();
            let expected = all_ways(&steps, peak, p99);
            ranges += expected.iter().filter(|both| both[0].one().is_none()).count();
            if kinds == 1 {
                assert_eq!(found, expected, "{steps:?}, peak {peak}, 99 % {p99}");
            }
            // Of several kinds, each end is a way to die, and few are farther out.
            for (found, all) in found.iter().flatten().zip(expected.iter().flatten()) {
                assert!(found.least >= all.least && found.most <= all.most, "{steps:?}");
                figures += 1;
                outside += u32::from(found != all);
            }
        }
        assert!(outside * 50 < figures, "{outside} of {figures}");
        assert!(ranges > 100, "the ways of dying make a difference: {ranges}");
    }
}
