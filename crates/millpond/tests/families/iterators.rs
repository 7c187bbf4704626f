//! Defect 10: iterators used from both ends, half-used, cloned, dropped half-way, leaked.

use millpond_classic::ParticlePool;

use crate::Pools;
use crate::common::{Counted, Random, from_both_ends, half_used};
use crate::subject::{CLONED, Key, Plan, Subject, Value, for_every_pool};
use crate::world::World;

/// Pools of shapes that cross every border of a bitmap's words.
fn shapes(kind: &Pools) -> Vec<Box<dyn Subject<Counted>>> {
    let kinds: [fn(usize) -> bool; 7] = [
        |_| true,
        |_| false,
        |slot| slot % 2 == 0,
        |slot| slot % 64 == 0 || slot % 64 == 63,
        |slot| slot / 64 != 1,
        |slot| slot % 64 < 60,
        |slot| (slot * slot + slot / 7) % 5 < 2,
    ];
    let mut pools = Vec::new();
    for slots in kind.facts().capacities(&[0, 1, 64, 65, 200]) {
        for stays in kinds {
            let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(slots));
            let handles: Vec<_> =
                (0..slots).map(|slot| pool.insert(Counted::of(slot as u64)).unwrap()).collect();
            for (slot, handle) in handles.into_iter().enumerate() {
                if !stays(slot) {
                    pool.remove(handle);
                }
            }
            pools.push(pool);
        }
    }
    pools
}

fn both_ends(kind: &Pools) {
    let mut random = Random(3);
    for mut pool in shapes(kind) {
        let copy: Vec<(Key, Counted)> =
            pool.iter().map(|(handle, value)| (handle, value.clone())).collect();
        let pairs: Vec<_> = copy.iter().map(|(handle, value)| (*handle, value)).collect();
        for _ in 0..3 {
            let Some(iter) = pool.iter_both_ends() else { break };
            from_both_ends(iter, &pairs, &mut random);
            let mut values: Vec<Counted> = copy.iter().map(|(_, value)| value.clone()).collect();
            let handles = copy.iter().map(|(handle, _)| *handle);
            let expected: Vec<_> = handles.zip(&mut values).collect();
            if let Some(iter) = pool.iter_mut_both_ends() {
                from_both_ends(iter, &expected, &mut random);
            }
        }
        for _ in 0..3 {
            let Some(iter) = pool.came_back(CLONED).and_then(|(_, copy)| copy.into_iter()) else {
                break;
            };
            from_both_ends(iter, &copy, &mut random);
        }
        let has_it = pool.iter_mut_both_ends().map(|iter| {
            iter.zip(1000..).for_each(|((_, value), number)| *value = Counted::of(number));
        });
        if has_it.is_some() {
            let values: Vec<Counted> = (1000..).take(copy.len()).map(Counted::of).collect();
            let expected = copy.iter().map(|(handle, _)| *handle).zip(&values);
            assert!(pool.iter().eq(expected));
        }
    }
}

fn half_used_clones(kind: &Pools) {
    for pool in shapes(kind) {
        let Some(iter) = pool.iter_both_ends() else { return };
        half_used(iter, &pool.iter().collect::<Vec<_>>());
    }
}

fn runs(kind: &Pools) {
    for pool in shapes(kind) {
        let Some(runs) = pool.runs() else { return };
        let in_runs: Vec<_> =
            runs.iter().flat_map(|(first, run)| (*first..).zip(run.iter().copied())).collect();
        let mut expected: Vec<_> = pool.iter().map(|(h, v)| (h.index(), v)).collect();
        expected.sort_unstable_by_key(|(index, _)| *index);
        assert_eq!(in_runs, expected);
        for pair in runs.windows(2) {
            assert!(pair[0].0 + pair[0].1.len() < pair[1].0, "a dead slot between two runs");
        }
        assert!(runs.iter().all(|(_, run)| !run.is_empty()));
    }
}

fn drains(kind: &Pools) {
    for taken in [0, 1, 7, 30, 62] {
        for is_leaked in [false, true] {
            let mut world = World::new(kind);
            let expected: Vec<(Key, u64)> =
                world.pool.iter().map(|(handle, value)| (handle, value.id())).collect();
            let len = world.pool.len();
            let Some(mut drain) = world.pool.drain() else { return };
            assert_eq!(drain.size_hint(), (len, Some(len)));
            let kept: Vec<_> = drain.by_ref().take(taken).collect();
            assert_eq!(drain.len(), len - kept.len());
            let got = kept.iter().map(|(handle, value)| (*handle, value.id()));
            assert!(got.eq(expected.iter().copied().take(taken)));
            if is_leaked {
                drain.forget();
                assert_eq!(world.pool.len(), len - kept.len(), "the rest stay");
            } else {
                drop(drain);
                assert_eq!((world.pool.len(), world.ledger.alive()), (0, kept.len()));
            }
            drop(kept);
            world.check();
        }
    }
}

fn drains_from_the_back(kind: &Pools) {
    let mut world = World::new(kind);
    let mut expected: Vec<u64> = world.pool.iter().map(|(_, value)| value.id()).collect();
    expected.reverse();
    let Some(drain) = world.pool.drain_back() else { return };
    assert!(drain.map(|(_, value)| value.id()).eq(expected));
    world.check();
}

fn extraction_stopped_half_way(kind: &Pools) {
    for taken in [0, 1, 7, 100] {
        let mut world = World::new(kind);
        let len = world.pool.len();
        let mut choose = |_: Key, value: &mut Counted| value.id() % 2 == 0;
        let Some(mut extracted) = world.pool.extract_if(&mut choose) else { return };
        assert_eq!(extracted.size_hint(), (0, Some(len)));
        let gone: Vec<_> = extracted.by_ref().take(taken).collect();
        drop(extracted);
        assert!(gone.iter().all(|(_, value)| value.id() % 2 == 0));
        assert_eq!(world.pool.len(), len - gone.len());
        drop(gone);
        world.check();
    }
}

/// The particles in use by slot, and the available slots: between them each slot once, after any past.
#[test]
fn particles_and_available_slots() {
    let mut random = Random(8);
    let mut pool = ParticlePool::<65>::new();
    for _ in 0..300 {
        for _ in 0..random.below(12) {
            // Full, it goes without.
            let _ = pool.create(0.0, 0.0, 0.0, 0.0, 1 + random.below(20) as u32);
        }
        let in_use: Vec<usize> = (0..65).filter(|slot| pool.in_use(*slot)).collect();
        let there = in_use.iter().map(|slot| pool.get(*slot).unwrap());
        assert!(pool.particles().eq(there) && pool.len() == in_use.len());
        let mut slots: Vec<usize> = pool.available().chain(in_use).collect();
        slots.sort_unstable();
        assert!(slots.into_iter().eq(0..65));
        pool.animate();
    }
}

for_every_pool! {
    both_ends, half_used_clones, runs, drains, drains_from_the_back, extraction_stopped_half_way,
}
