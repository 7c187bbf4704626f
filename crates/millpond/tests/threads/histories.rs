//! Linearisability of `SyncPool`: what several threads saw could have been seen by one thread that did the same on a
//! `Pool`, each operation at some moment between its call and its return.
//!
//! Operations name handles, so a history falls apart by slot, and by lifetimes within a slot. In each lifetime there is
//! one insertion and at most one removal, so whether their moments can be chosen is seen in linear time; then the
//! moments are tried on a `Pool`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Barrier, Mutex};
use std::thread;

use millpond::{Handle, Pool, SyncPool, TakeError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Insert,
    /// Whether the object was there.
    Get(bool),
    Remove(bool),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    called: u64,
    returned: u64,
    handle: Handle<u64>,
    operation: Operation,
}

/// The moments of one lifetime's insertion and removal, or why there are none.
fn moments(events: &[Event], not_before: u64) -> Result<(u64, Option<u64>), String> {
    let inserts: Vec<_> = events.iter().filter(|e| e.operation == Operation::Insert).collect();
    let [insert] = inserts[..] else { return Err(format!("{} insertions", inserts.len())) };
    let removals: Vec<_> =
        events.iter().filter(|e| e.operation == Operation::Remove(true)).collect();
    if removals.len() > 1 {
        return Err(format!("{} removals", removals.len()));
    }
    let seen = events.iter().filter(|e| e.operation == Operation::Get(true));
    let (first_seen, last_seen) =
        seen.fold((u64::MAX, 0), |(first, last), e| (first.min(e.returned), last.max(e.called)));
    let refused = [Operation::Get(false), Operation::Remove(false)];
    let refused =
        events.iter().filter(|e| refused.contains(&e.operation)).map(|e| e.returned).min();
    let begins = insert.called.max(not_before);
    if begins > insert.returned || begins > first_seen {
        return Err(
            "it begins after it was seen, or before the slot's lifetime before has ended".into()
        );
    }
    let Some(removal) = removals.first() else {
        return match refused {
            None => Ok((begins, None)),
            Some(_) => Err("refused, though nobody removed it".into()),
        };
    };
    // As early as can be, so that the slot's next lifetime has room.
    let ends = removal.called.max(last_seen).max(begins);
    if ends > removal.returned || refused.is_some_and(|refused| ends > refused) {
        return Err("seen after its removal, or refused before it".into());
    }
    Ok((begins, Some(ends)))
}

/// Checks a history; returns how many operations it had.
fn check(mut events: Vec<Event>, capacity: usize) -> Result<usize, String> {
    let count = events.len();
    events.sort_by_key(|event| (event.handle, event.called));
    let mut timeline: BTreeMap<(u64, u32), (Handle<u64>, bool)> = BTreeMap::new();
    let mut ended = BTreeMap::new();
    for lifetime in events.chunk_by(|a, b| a.handle == b.handle) {
        let handle = lifetime[0].handle;
        let not_before = ended.get(&handle.index()).copied().unwrap_or(0);
        let (begins, ends) = moments(lifetime, not_before)
            .map_err(|why| format!("{handle}: {why}\n{lifetime:#?}"))?;
        // Two moments of a slot may be the same tick: its order is that of the generations, twice each.
        timeline.insert((begins, handle.generation() * 2), (handle, true));
        if let Some(ends) = ends {
            timeline.insert((ends, handle.generation() * 2 + 1), (handle, false));
            ended.insert(handle.index(), ends);
        }
    }
    let mut pool = Pool::<u64>::new(capacity);
    for (handle, begins) in timeline.into_values() {
        let done = match begins {
            true => pool.insert_at(handle, 0).is_ok(),
            false => pool.remove(handle).is_some(),
        };
        if !done {
            return Err(format!("a pool refuses {handle}"));
        }
    }
    Ok(count)
}

fn history(seed: u64, threads: u64, steps: u64, capacity: usize) -> Vec<Event> {
    let pool = SyncPool::<u64>::builder().capacity(capacity).homes(2).build();
    let clock = AtomicU64::new(0);
    let tick = || clock.fetch_add(1, SeqCst);
    let known = Mutex::new(Vec::<Handle<u64>>::new());
    let barrier = Barrier::new(threads as usize);
    let mut events = Vec::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| {
                let (pool, tick, known, barrier) = (&pool, &tick, &known, &barrier);
                scope.spawn(move || {
                    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number << 32 | 1;
                    let mut mine = Vec::new();
                    barrier.wait();
                    for _ in 0..steps {
                        random ^= random << 13;
                        random ^= random >> 7;
                        random ^= random << 17;
                        let kind = random % 8;
                        if kind < 3 {
                            let called = tick();
                            let Ok(handle) = pool.insert(random) else { continue };
                            let returned = tick();
                            mine.push(Event {
                                called,
                                returned,
                                handle,
                                operation: Operation::Insert,
                            });
                            known.lock().unwrap().push(handle);
                            continue;
                        }
                        let recent = {
                            let known = known.lock().unwrap();
                            let first = known.len().saturating_sub(4);
                            known.get(first + random as usize / 8 % 4).copied()
                        };
                        let Some(handle) = recent else { continue };
                        let called = tick();
                        let operation = match kind {
                            3..=5 => Operation::Get(pool.get(handle).is_some()),
                            6 => Operation::Remove(pool.remove(handle)),
                            _ => match pool.take(handle) {
                                Ok(_) => Operation::Remove(true),
                                Err(TakeError::Stale) => Operation::Remove(false),
                                // Another thread has a guard, so the object was there.
                                Err(_) => Operation::Get(true),
                            },
                        };
                        mine.push(Event { called, returned: tick(), handle, operation });
                    }
                    mine
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| events.extend(thread.join().unwrap()));
    });
    events
}

#[test]
fn what_threads_see_could_have_been_seen_by_one() {
    let mut checked = 0;
    for seed in 0..60 {
        let capacity = [1, 2, 5, 70][seed as usize % 4];
        checked += check(history(seed, 2 + seed % 3, 400, capacity), capacity).unwrap();
    }
    assert!(checked > 20_000, "{checked}");
}

/// The check finds what is wrong.
#[test]
fn histories_that_no_pool_has_are_refused() {
    let handle = Handle::from_parts(0, 1).unwrap();
    let event = |called, returned, operation| Event { called, returned, handle, operation };
    let insert = event(1, 2, Operation::Insert);
    let good = [insert, event(5, 8, Operation::Remove(true)), event(6, 7, Operation::Get(true))];
    assert_eq!(check(good.to_vec(), 1), Ok(3));
    let bad = [
        // Seen after the removal had returned.
        vec![insert, event(5, 8, Operation::Remove(true)), event(9, 10, Operation::Get(true))],
        // Refused before the removal was called, or without one.
        vec![insert, event(5, 8, Operation::Remove(true)), event(3, 4, Operation::Get(false))],
        vec![insert, event(3, 4, Operation::Get(false))],
        // Removed twice, inserted twice, or not at all.
        vec![insert, event(3, 4, Operation::Remove(true)), event(3, 5, Operation::Remove(true))],
        vec![insert, event(1, 3, Operation::Insert)],
        vec![event(3, 4, Operation::Get(true))],
    ];
    for events in bad {
        assert!(check(events.clone(), 1).is_err(), "{events:?}");
    }
    // The slot's next lifetime begins before this one has ended.
    let next =
        Event { handle: Handle::from_parts(0, 2).unwrap(), ..event(3, 4, Operation::Insert) };
    assert!(check(vec![insert, event(5, 8, Operation::Remove(true)), next], 1).is_err());
}
