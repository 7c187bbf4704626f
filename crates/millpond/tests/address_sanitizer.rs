//! Uses of dead slots are reported by AddressSanitizer, in builds that have it: `ci/sanitizers`.
//!
//! Each use is made by a process of its own, which the sanitizer ends.
#![cfg(millpond_asan)]

use std::process::Command;

use millpond::classic::BytemapPool;
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{Handle, Pool, SideTable};

/// Larger than a link, and a multiple of the eight bytes that the sanitizer tells apart.
type Value = [u64; 4];

/// Reads the last word of a slot of a pool after its object has gone.
fn read_after<R: ReuseOrder>(end: fn(&mut Pool<Value, R>, Handle<Value>)) {
    let mut pool: Pool<Value, R> = Pool::with_capacity(4);
    pool.insert([1; 4]).unwrap();
    let handle = pool.insert([2; 4]).unwrap();
    let word: *const u64 = &raw const pool[handle][3];
    end(&mut pool, handle);
    // SAFETY: none. This is the use of a dead slot that must be caught.
    std::hint::black_box(unsafe { word.read_volatile() });
}

const USES: &[(&str, fn())] = &[
    ("remove_lifo", || read_after::<Lifo>(|pool, handle| _ = pool.remove(handle))),
    ("remove_fifo", || read_after::<Fifo>(|pool, handle| _ = pool.remove(handle))),
    ("remove_lowest_first", || read_after::<LowestFirst>(|pool, handle| _ = pool.remove(handle))),
    ("remove_roster", || read_after::<Roster>(|pool, handle| _ = pool.remove(handle))),
    ("remove_next_fit", || read_after::<NextFit>(|pool, handle| _ = pool.remove(handle))),
    ("remove_intrusive", || read_after::<Intrusive>(|pool, handle| _ = pool.remove(handle))),
    ("clear", || read_after::<Lifo>(|pool, _| pool.clear())),
    ("retain", || read_after::<Lifo>(|pool, _| pool.retain(|_, _| false))),
    ("drain", || read_after::<Lifo>(|pool, _| drop(pool.drain()))),
    ("write", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *mut u64 = &raw mut pool[handle][3];
        pool.remove(handle);
        // SAFETY: none, as above.
        unsafe { word.write_volatile(5) };
    }),
    ("never_live", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *const u64 = &raw const pool[handle][3];
        // SAFETY: none: the next slot was never live.
        std::hint::black_box(unsafe { word.add(1).read_volatile() });
    }),
    ("side_table", || {
        let mut table = SideTable::<Handle<()>, Value>::new(4);
        let handle = Handle::from_parts(1, 1).unwrap();
        table.insert(handle, [1; 4]).unwrap();
        let word: *const u64 = &raw const table.get(handle).unwrap()[3];
        table.remove(handle);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("bytemap", || {
        let mut pool = BytemapPool::new(4);
        let handle = pool.insert([1_u64; 4]).unwrap();
        let word: *const u64 = &raw const pool.get(handle).unwrap()[3];
        pool.remove(handle);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
];

const CHILD: &str = "MILLPOND_USE_OF_A_DEAD_SLOT";

#[test]
fn use_of_a_dead_slot_is_reported() {
    if let Ok(wanted) = std::env::var(CHILD) {
        let (_, work) = USES.iter().find(|(name, _)| *name == wanted).unwrap();
        work();
        return;
    }
    for (name, _) in USES {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["use_of_a_dead_slot_is_reported", "--exact", "--nocapture"])
            .env(CHILD, name)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name}: nothing was noticed");
        assert!(said.contains("use-after-poison"), "{name}: {said}");
    }
}

#[test]
fn use_of_live_slots_is_not() {
    let mut pool = Pool::<Value>::new(70);
    for round in 0..3 {
        let handles: Vec<_> = (0..70).map(|id| pool.insert([id + round; 4]).unwrap()).collect();
        assert_eq!(pool.values().map(|value| value[3]).sum::<u64>(), 69 * 35 + 70 * round);
        handles.iter().step_by(2).for_each(|handle| _ = pool.remove(*handle));
        let copy = pool.clone();
        assert!(copy.values().eq(pool.values()));
        pool.runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|value| value[0] += 1));
        pool.clear();
    }
}
