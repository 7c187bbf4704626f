//! Defect 4: after a round trip a stale handle is good, or other handles come than without it.

use crate::allocations::{Allocations, during};
use crate::common::{Counted, Random};
use crate::subject::{
    AnyHandle, Form, Kind, Plan, PoolUnderTest, Value, for_every_pool, plans, play, seen,
};
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
        for way in 0..<K::Pool<Counted>>::WAYS_BACK {
            let (mut world, issued) = used::<K>(seed);
            let Some((how, mut copy)) = world.pool.came_back(way) else { continue };
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

/// Goes back again and again, to snapshots of all ages, and plays on with the same inputs.
fn replays<K: Kind>() {
    for plan in plans::<K>() {
        replay::<K, String>(plan, |pool| pool.take_snapshot());
        replay::<K, u32>(plan, |pool| pool.take_snapshot_of_copies());
    }
}

type PastOf<K, T> = <<K as Kind>::Pool<T> as PoolUnderTest<T>>::Past;

fn replay<K: Kind, T: Value>(
    plan: Plan,
    take_snapshot: impl Fn(&K::Pool<T>) -> Option<PastOf<K, T>>,
) {
    let mut pool = K::build::<T>(plan);
    for round in 0..5_u64 {
        // Without claims at first.
        let seed = if round < 3 { 2 * round } else { 2 * round + 1 };
        play(&mut pool, seed, 9 << round);
        pool.validate().unwrap();
        let (at_first, sum_at_first) = (seen(&pool), pool.sum());
        let Some(mut past) = take_snapshot(&pool) else { return };
        assert_eq!(Some(<K::Pool<T>>::sum_of(&past)), sum_at_first);
        // Of a pool that is not rolled back: what should happen.
        let mut twin = pool.try_clone().unwrap();
        let expected = play(&mut twin, 100 + seed, 60);

        for steps in [0, 1, 60] {
            assert_eq!(play(&mut pool, 100 + seed, steps), expected[..steps], "{plan:?}");
            play(&mut pool, 200 + seed, 25);
            pool.restore(&past);
            pool.validate().unwrap();
            assert_eq!((seen(&pool), pool.sum()), (at_first, sum_at_first), "{plan:?}");
        }
        assert_eq!(play(&mut pool, 100 + seed, 60), expected, "{plan:?}");
        assert_eq!(pool.sum(), twin.sum(), "{plan:?}");

        // Over a snapshot that holds something else.
        pool.save_into(&mut past);
        <K::Pool<T>>::validate_past(&past).unwrap();
        let (now, sum) = (seen(&pool), pool.sum());
        play(&mut pool, 300 + seed, 40);
        pool.restore(&past);
        pool.validate().unwrap();
        assert_eq!((seen(&pool), pool.sum()), (now, sum), "{plan:?}");
        let (left, right) = (take_snapshot(&twin).unwrap(), take_snapshot(&pool).unwrap());
        assert_eq!(<K::Pool<T>>::differences(&left, &right), 0, "{plan:?}");
    }
}

/// A snapshot of the beginning, when nothing was used, and one of a pool in full use, over each other.
fn the_beginning_comes_back<K: Kind>() {
    for plan in plans::<K>() {
        let mut pool = K::build::<String>(plan);
        let Some(empty) = pool.take_snapshot() else { return };
        let sum = pool.sum();
        let first = play(&mut pool, 1, 100);
        let full = pool.take_snapshot().unwrap();
        for _ in 0..2 {
            pool.restore(&empty);
            pool.validate().unwrap();
            assert_eq!(pool.sum(), sum, "{plan:?}");
            pool.restore(&full);
            pool.validate().unwrap();
            assert_eq!(pool.sum(), Some(<K::Pool<String>>::sum_of(&full)), "{plan:?}");
            pool.restore(&empty);
            assert_eq!(play(&mut pool, 1, 100), first, "{plan:?}");
        }
    }
}

/// What is read is written in the same way again, can be restored, and goes on as what was written.
fn files_go_on_alike<K: Kind>() {
    for plan in plans::<K>() {
        for form in Form::ALL {
            file::<K, u32>(plan, form);
            file::<K, String>(plan, form);
            file::<K, [u64; 3]>(plan, form);
        }
        // In JSON, `Some(())` is `null`, and is read as `None`: that is not for a recycler of options.
        file::<K, ()>(plan, Form::Postcard);
    }
}

fn file<K: Kind, T: Value>(plan: Plan, form: Form) {
    let mut pool = K::build::<T>(plan);
    for seed in 0..2 {
        play(&mut pool, seed, 5 << (3 * seed));
        let Some(bytes) = pool.write(form) else { return };
        let mut read = <K::Pool<T>>::read(form, &bytes).unwrap().unwrap();
        read.validate().unwrap();
        assert_eq!((seen(&read), read.sum()), (seen(&pool), pool.sum()), "{plan:?}");
        assert_eq!(read.write(form).unwrap(), bytes, "{plan:?}");
        let expected = play(&mut pool.try_clone().unwrap(), 50 + seed, 40);
        let mut restored = pool.try_clone().unwrap();
        play(&mut restored, 70 + seed, 20);
        restored.restore(&read.take_snapshot().unwrap());
        if let Some(past) = <K::Pool<T>>::read_past(form, &bytes) {
            play(&mut restored, 70 + seed, 20);
            restored.restore(&past.unwrap());
        }
        restored.validate().unwrap();
        assert_eq!(play(&mut restored, 50 + seed, 40), expected, "{plan:?}");
        assert_eq!(play(&mut read, 50 + seed, 40), expected, "{plan:?}");
    }
}

fn saving_and_restoring_take_no_memory<K: Kind>() {
    if K::ALLOCATES {
        return;
    }
    for take_snapshot in [<K::Pool<u32>>::take_snapshot, <K::Pool<u32>>::take_snapshot_of_copies] {
        let mut pool = K::build::<u32>(Plan::of(K::CAPACITY.unwrap_or(70)));
        let Some(past) = take_snapshot(&pool) else { return };
        let mut pasts = [past, take_snapshot(&pool).unwrap()];
        for turn in 0..60 {
            play(&mut pool, 2 * turn as u64, 2);
            let newest = &mut pasts[turn % 2];
            let ((), allocations) = during(|| pool.save_into(newest));
            assert_eq!(allocations, Allocations::default());
            if turn % 5 == 0 {
                let oldest = &pasts[(turn + 1) % 2];
                let ((), allocations) = during(|| pool.restore(oldest));
                assert_eq!(allocations, Allocations::default());
            }
        }
    }
}

for_every_pool! {
    copies_are_the_same_and_go_on_alike, live_handles_go_to_a_file_and_come_back, replays,
    the_beginning_comes_back, files_go_on_alike, saving_and_restoring_take_no_memory,
}
