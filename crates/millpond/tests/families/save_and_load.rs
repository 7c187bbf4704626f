//! Defect 4: after a round trip a stale handle is good, or other handles come than without it.

use crate::common::{Counted, Random};
use crate::subject::{AnyHandle, Kind, Plan, PoolUnderTest, for_every_pool};
use crate::world::World;

/// Pools that were used at random: fresh, dead, live and reused slots.
fn used<K: Kind>(seed: u64) -> (World<K>, Vec<K::Handle>) {
    let mut world = World::<K>::new();
    let mut random = Random(seed);
    let mut issued: Vec<K::Handle> = world.handles.values().copied().collect();
    issued.sort_unstable();
    for step in 0..150 {
        match random.below(2) {
            0 => {
                if let Ok(handle) = world.pool.insert(world.ledger.value(2_000 + step)) {
                    issued.push(handle);
                }
            }
            _ if issued.is_empty() => {}
            _ => drop(world.pool.remove(issued[random.below(issued.len())])),
        }
    }
    (world, issued)
}

/// The same operations on both have the same results.
fn go_on_alike<K: Kind>(
    how: &str,
    a: &mut K::Pool<Counted>,
    b: &mut K::Pool<Counted>,
    world: &crate::common::Ledger,
    issued: &[K::Handle],
) {
    let mut random = Random(77);
    let mut issued = issued.to_vec();
    for step in 0..300 {
        if random.below(5) < 3 {
            let (one, other) = (a.insert(world.value(step)), b.insert(world.value(step)));
            assert_eq!(one, other, "{how}: the same comes next");
            issued.extend(one.ok());
        } else if !issued.is_empty() {
            let handle = issued[random.below(issued.len())];
            assert_eq!(a.remove(handle), b.remove(handle), "{how}: {handle:?}");
        }
    }
    assert!(a.iter().eq(b.iter()), "{how}");
}

fn copies_are_the_same_and_go_on_alike<K: Kind>() {
    for seed in 0..3 {
        let ways = used::<K>(seed).0.pool.saved_and_loaded().len();
        for way in 0..ways {
            let (mut world, issued) = used::<K>(seed);
            let (how, mut copy) = world.pool.saved_and_loaded().swap_remove(way);
            copy.validate().unwrap_or_else(|violation| panic!("{how}: {violation}"));
            assert_eq!((copy.len(), copy.retired()), (world.pool.len(), world.pool.retired()));
            assert!(copy.iter().eq(world.pool.iter()), "{how}");
            for &handle in &issued {
                assert_eq!(copy.get(handle), world.pool.get(handle), "{how}: {handle:?}");
            }
            go_on_alike::<K>(how, &mut world.pool, &mut copy, &world.ledger, &issued);
            copy.validate().unwrap();
            // The one knows nothing of what becomes of the other.
            copy.clear();
            drop(copy);
            world.pool.validate().unwrap();
            assert_eq!(world.ledger.alive(), world.pool.len(), "{how}");
            world.check();
        }
    }
}

/// What a game saves that has no snapshot: the bits of each handle, and the value.
fn live_handles_go_to_a_file_and_come_back<K: Kind>() {
    for seed in 0..3 {
        let (world, issued) = used::<K>(seed);
        let saved: Vec<(u64, u64)> =
            world.pool.iter().map(|(handle, value)| (handle.bits(), value.id())).collect();
        let ledger = crate::common::Ledger::default();
        let mut loaded = K::build::<Counted>(Plan::of(world.pool.capacity()));
        for &(bits, id) in &saved {
            let handle = <K::Handle as AnyHandle>::from_bits(bits).unwrap();
            match loaded.insert_at(handle, ledger.value(id)) {
                None => return,
                Some(result) => assert_eq!(result, Ok(())),
            }
            loaded.validate().unwrap();
        }
        for &handle in &issued {
            let there = loaded.get(handle).map(Counted::id);
            assert_eq!(there, world.pool.get(handle).map(Counted::id), "{handle:?}");
        }
        // Every other slot comes once, and no slot twice.
        let mut slots: Vec<usize> = loaded.iter().map(|(handle, _)| handle.index()).collect();
        while let Ok(handle) = loaded.insert(ledger.value(5)) {
            slots.push(handle.index());
        }
        slots.sort_unstable();
        assert!(slots.into_iter().eq(0..loaded.capacity()));
        loaded.validate().unwrap();
    }
}

for_every_pool! { copies_are_the_same_and_go_on_alike, live_handles_go_to_a_file_and_come_back }
