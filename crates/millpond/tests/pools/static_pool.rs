//! `StaticPool`: a constant constructor, no heap, and everything else as a pool should.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

use crate::allocations;
use crate::common::{Counted, Ledger, Random, panics};
use millpond::{Handle, Handle32, HandleLayout, InsertAtErrorKind, Refusal, StaticPool};

static SHARED: Mutex<StaticPool<u64, 1000>> = Mutex::new(StaticPool::new());
static NAMED: Mutex<StaticPool<u64, 3, Handle32<u64, 16>>> =
    Mutex::new(StaticPool::named_with_handle("three"));

#[test]
fn lives_in_a_static_and_is_shared_by_threads() {
    let handles: Vec<Handle<u64>> = std::thread::scope(|scope| {
        let insert = |id| move || SHARED.lock().unwrap().insert(id).unwrap();
        let threads: Vec<_> = (0..4).map(|id| scope.spawn(insert(id))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut pool = SHARED.lock().unwrap();
    for (id, handle) in handles.iter().enumerate() {
        assert_eq!(pool[*handle], id as u64);
    }
    pool.clear();
    assert!(handles.iter().all(|handle| pool.get(*handle).is_none()));
}

#[test]
fn a_named_one_in_a_static_says_so_and_refuses_the_handles_of_others() {
    let mut pool = NAMED.lock().unwrap();
    let mut other: StaticPool<u64, 3, Handle32<u64, 16>> = StaticPool::named_with_handle("other");
    let handle = other.insert(1).unwrap();
    pool.insert(2).unwrap();
    assert_eq!(pool.check(handle), Err(Refusal::OtherPool));
    pool.insert(3).unwrap();
    pool.insert(4).unwrap();
    let full = pool.insert(5).unwrap_err().to_string();
    assert_eq!(full, "pool \"three\" is full: capacity 3, all live, 3 at the peak");
    // As a named pool on the heap, which takes its first generation from the same name.
    let heap = millpond::Pool::<u64>::builder().handle::<Handle32<u64, 16>>().name("other");
    assert_eq!(heap.capacity(3).build().insert(1).unwrap(), handle);
}

#[test]
fn takes_no_heap_at_all() {
    let ((), asked) = allocations::during(|| {
        let mut pool = StaticPool::<[u64; 3], 500>::new();
        let mut handles = [None; 500];
        for _ in 0..3 {
            for (id, handle) in handles.iter_mut().enumerate() {
                *handle = pool.insert([id as u64; 3]).ok();
            }
            assert!(pool.insert([0; 3]).is_err());
            for handle in handles[..200].iter().flatten() {
                pool.remove(*handle).unwrap();
            }
            pool.retain(|_, value| value[0] % 3 != 0);
            assert!(pool.extract_if(|_, value| value[0] % 5 == 0).count() > 0);
            assert_eq!(pool.runs().count(), pool.runs_mut().count());
            pool.drain().take(5).for_each(drop);
            pool.insert_or_evict([1; 3], |_, value| value[0]);
            pool.clear();
        }
    });
    assert_eq!(asked, allocations::Allocations::default());
}

#[test]
fn takes_the_documented_bytes() {
    const SLOTS: usize = 1000;
    let wide = size_of::<StaticPool<[u32; 4], SLOTS>>();
    assert!((SLOTS * (16 + 12)..=SLOTS * (16 + 12) + 96).contains(&wide), "{wide}");
    let narrow = size_of::<StaticPool<[u16; 4], SLOTS, Handle32<(), 16>>>();
    assert!((SLOTS * (8 + 6)..=SLOTS * (8 + 6) + 96).contains(&narrow), "{narrow}");
}

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

    fn any_live(&self, random: &mut Random) -> Option<H> {
        self.live.values().nth(random.below(self.live.len().max(1))).map(|(handle, _)| *handle)
    }

    fn any_dead(&self, random: &mut Random) -> Option<H> {
        self.dead.get(random.below(self.dead.len().max(1))).copied()
    }
}

fn check<const N: usize, H: HandleLayout>(pool: &mut StaticPool<Counted, N, H>, model: &Model<H>) {
    assert_eq!(pool.len(), model.live.len());
    let expected = || model.live.values().copied();
    assert!(pool.iter().map(|(handle, value)| (handle, value.id())).eq(expected()));
    assert!(pool.iter().rev().map(|(h, value)| (h, value.id())).eq(expected().rev()));
    assert!(pool.handles().eq(expected().map(|(handle, _)| handle)));
    assert!(pool.handles().rev().eq(expected().map(|(handle, _)| handle).rev()));
    let indexed = |(first, run): (usize, &[Counted])| -> Vec<_> {
        run.iter().enumerate().map(|(at, value)| (first + at, value.id())).collect()
    };
    let slots = || expected().map(|(handle, value)| (handle.index() as usize, value));
    assert!(pool.runs().flat_map(indexed).eq(slots()));
    assert!(pool.runs().rev().flat_map(|run| indexed(run).into_iter().rev()).eq(slots().rev()));
    assert!(pool.runs_mut().flat_map(|(first, run)| indexed((first, run))).eq(slots()));
    assert!(
        pool.runs_mut()
            .rev()
            .flat_map(|(first, run)| indexed((first, run)).into_iter().rev())
            .eq(slots().rev())
    );
    let (mut runs, mut from_both_ends) = (pool.runs_mut(), Vec::new());
    while let Some(run) = if from_both_ends.len() % 2 == 0 { runs.next() } else { runs.next_back() }
    {
        from_both_ends.push(indexed((run.0, run.1)));
    }
    from_both_ends.sort_unstable();
    assert!(from_both_ends.into_iter().flatten().eq(slots()));
    assert!(pool.iter_mut().map(|(handle, value)| (handle, value.id())).eq(expected()));
    let (mut values, mut slots) = (pool.values_mut(), expected());
    while let Some((_, last)) = slots.next_back() {
        assert_eq!(values.next_back().map(|value| value.id()), Some(last));
        assert_eq!(values.len(), slots.len());
        assert_eq!(values.next().map(|value| value.id()), slots.next().map(|(_, value)| value));
    }
    for (handle, value) in expected() {
        let index = handle.index() as usize;
        assert_eq!(pool[handle].id(), value);
        assert_eq!(pool.get_at(index).map(Counted::id), Some(value));
        assert_eq!((pool.handle_at(index), pool.is_live(index)), (Some(handle), true));
        assert_eq!(pool.index_of(&pool[handle]), Some(index));
    }
    for &dead in model.dead.iter().rev().take(50) {
        assert!(pool.get(dead).is_none(), "{dead} is stale");
    }
    let stats = pool.stats();
    assert_eq!((stats.live, stats.inserted), (model.live.len(), model.inserted));
    assert_eq!(stats.removed, model.inserted - model.live.len() as u64);
    assert_eq!((stats.peak, stats.capacity), (model.peak, N));
    assert_eq!(pool.is_full(), stats.live + stats.retired == N);
}

fn random_operations<const N: usize, H: HandleLayout>(seed: u64) {
    let ledger = Ledger::default();
    let mut random = Random(seed);
    let mut pool = Box::new(StaticPool::<Counted, N, H>::with_handle());
    let mut model = Model {
        live: BTreeMap::new(),
        dead: Vec::new(),
        ever: HashSet::new(),
        inserted: 0,
        peak: 0,
    };
    for step in 0..2000 {
        match random.below(100) {
            0..40 => match pool.insert(ledger.value(step)) {
                Ok(handle) => model.insert(handle, step),
                Err(full) => {
                    assert_eq!(full.into_inner().id(), step);
                    let stats = pool.stats();
                    assert_eq!(stats.live + stats.retired, N, "refused while not full");
                }
            },
            40..70 => {
                if let Some(handle) = model.any_live(&mut random) {
                    assert_eq!(pool.remove(handle).map(|v| v.id()), model.remove(handle));
                }
            }
            70..77 => {
                if let Some(dead) = model.any_dead(&mut random) {
                    assert!(pool.remove(dead).is_none() && pool.get_mut(dead).is_none());
                    assert!(pool.insert_at(dead, ledger.value(step)).is_err());
                }
            }
            77..86 => {
                let index = random.below(N + 1) as u32;
                let generation = match random.below(20) {
                    // The last ones, so that slots retire.
                    0 => H::LIFETIMES_MAX - random.below(2) as u32,
                    _ => 1 + random.below(6) as u32,
                };
                let Some(handle) = H::from_parts(index, generation) else { continue };
                match pool.insert_at(handle, ledger.value(step)) {
                    Ok(issued) => {
                        assert_eq!(issued, handle);
                        model.insert(handle, step);
                    }
                    Err(error) => match error.kind() {
                        InsertAtErrorKind::OutOfRange => assert_eq!(index as usize, N),
                        InsertAtErrorKind::Occupied => assert!(model.live.contains_key(&index)),
                        InsertAtErrorKind::Stale => assert!(!model.live.contains_key(&index)),
                        InsertAtErrorKind::Retired => assert!(pool.stats().retired > 0),
                        InsertAtErrorKind::BeyondLifetimes => panic!("there is no limit"),
                        other => panic!("{other}, though there is no limit"),
                    },
                }
            }
            86..90 => {
                if let Some(entry) = pool.vacant_entry() {
                    let promised = entry.handle();
                    assert_eq!(entry.insert(ledger.value(step)), promised);
                    model.insert(promised, step);
                }
            }
            90..92 => {
                let parity = random.below(2) as u64;
                pool.retain(|handle, value| {
                    let keep = value.id() % 2 == parity;
                    if !keep {
                        assert_eq!(model.remove(handle), Some(value.id()));
                    }
                    keep
                });
            }
            92..94 => {
                let parity = random.below(2) as u64;
                for (handle, value) in pool.extract_if(|_, value| value.id() % 2 == parity) {
                    assert_eq!(model.remove(handle), Some(value.id()));
                }
            }
            94 => {
                let half = pool.len() / 2;
                let highest: Vec<_> = model.live.values().rev().take(half).copied().collect();
                let drained: Vec<_> =
                    pool.drain().rev().take(half).map(|(handle, v)| (handle, v.id())).collect();
                assert_eq!(drained, highest);
                for (handle, _) in model.live.clone().into_values() {
                    model.remove(handle);
                }
            }
            95 => {
                pool.clear();
                for (handle, _) in model.live.clone().into_values() {
                    model.remove(handle);
                }
            }
            96 => pool = pool.clone(),
            _ => {
                let stats = pool.stats();
                let least = |(handle, _): &&(H, u64)| handle.generation() < H::LIFETIMES_MAX;
                let min = model.live.values().filter(least).min_by_key(|(_, id)| *id % 7).copied();
                if stats.live + stats.retired == N
                    && let Some((evicted, id)) = min
                {
                    let (handle, gone) =
                        pool.insert_or_evict(ledger.value(step), |_, v| v.id() % 7);
                    assert_eq!(
                        gone.map(|(handle, value)| (handle, value.id())),
                        Some((evicted, id))
                    );
                    model.remove(evicted);
                    model.insert(handle, step);
                }
            }
        }
        check(&mut pool, &model);
        assert_eq!(ledger.alive(), pool.len());
    }
    let values: Vec<_> = pool.into_iter().map(|(handle, value)| (handle, value.id())).collect();
    assert!(values.into_iter().eq(model.live.into_values()));
    assert_eq!(ledger.alive(), 0);
}

// Of the capacities around the words of a bitmap each layout has those beside the others'.

#[test]
fn agrees_with_the_model_with_handles_of_eight_bytes() {
    random_operations::<0, Handle<Counted>>(100);
    random_operations::<17, Handle<Counted>>(103);
    random_operations::<129, Handle<Counted>>(106);
}

#[test]
fn agrees_with_the_model_with_16_bits_of_index() {
    random_operations::<1, Handle32<Counted, 16>>(201);
    random_operations::<64, Handle32<Counted, 16>>(204);
}

#[test]
fn agrees_with_the_model_with_24_bits_of_index() {
    random_operations::<2, Handle32<Counted, 24>>(302);
    random_operations::<65, Handle32<Counted, 24>>(305);
}

/// After a clear slots are handed out from the lowest again, whatever came before.
#[test]
fn a_cleared_pool_begins_at_its_lowest_slot() {
    let ledger = Ledger::default();
    let mut pool = StaticPool::<Counted, 6, Handle32<Counted, 30>>::with_handle();
    let handles: Vec<_> = (0..5).map(|id| pool.insert(ledger.value(id)).unwrap()).collect();
    [2, 0, 3].into_iter().for_each(|at| assert!(pool.remove(handles[at]).is_some()));
    pool.clear();
    let next = |pool: &mut StaticPool<Counted, 6, Handle32<Counted, 30>>| {
        let handles = std::iter::from_fn(|| pool.insert(ledger.value(9)).ok());
        handles.map(|handle| handle.index()).collect::<Vec<_>>()
    };
    assert_eq!(next(&mut pool), [0, 1, 2, 3, 4, 5]);
    // A drop that panics stops it half-way: the others keep their slots.
    pool.clear();
    let handles: Vec<_> = (0..5).map(|id| pool.insert(ledger.value(id)).unwrap()).collect();
    ledger.panic_in_drop_of(2);
    assert!(panics(|| pool.clear()));
    pool.validate().unwrap();
    assert!(pool.contains(handles[3]) && pool.len() == 2);
    // Slots 0 to 4 have been used three times, which is all that they are good for.
    assert_eq!((next(&mut pool), pool.stats().retired), (vec![5], 3));
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(4096))]
struct Page(u8);

#[test]
fn values_without_size_and_with_large_alignment() {
    let mut units = StaticPool::<(), 3>::new();
    let handles: Vec<_> = (0..3).map(|_| units.insert(()).unwrap()).collect();
    assert!(units.insert(()).is_err());
    assert_eq!(units.remove(handles[1]), Some(()));
    assert_eq!((units.values().count(), units.index_of(&())), (2, None));
    assert_eq!(
        units.runs().map(|(first, run)| (first, run.len())).collect::<Vec<_>>(),
        [(0, 1), (2, 1)]
    );

    let mut pages = StaticPool::<Page, 3>::new();
    let page = pages.insert(Page(7)).unwrap();
    assert!(std::ptr::from_ref(&pages[page]).addr().is_multiple_of(4096));
    let moved = pages;
    assert!(std::ptr::from_ref(&moved[page]).addr().is_multiple_of(4096));
    assert_eq!(moved[page], Page(7));
}

#[test]
fn a_slot_is_live_while_its_object_is_there() {
    let mut pool = StaticPool::<u8, 3>::new();
    let handle = pool.insert(1).unwrap();
    let _ = pool.insert(2).unwrap();
    pool.remove(handle);
    assert_eq!([0, 1, 2, 3].map(|index| pool.is_live(index)), [false, true, false, false]);
}
