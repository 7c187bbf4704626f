//! Defect 4: after a round trip a stale handle is good, or other handles come than without it.

use crate::Pools;
use crate::allocations::{Allocations, during};
use crate::common::Counted;
use crate::subject::{
    Copied, Form, Makes, Nothing, Past, Plan, Saved, Saves, Value, for_every_pool, for_one_of_each,
    for_one_of_each_place, plans, play, seen,
};

/// Goes back again and again, to snapshots of all ages, and plays on with the same inputs.
fn replays(kind: &Pools) {
    for plan in plans(kind.facts()) {
        replay(kind, plan, |pool| pool.take_snapshot());
    }
}

fn replays_with_copies(kind: &dyn Makes<dyn Copied<u32>>) {
    for plan in plans(kind.facts()) {
        replay(kind, plan, |pool| pool.take_snapshot_of_copies());
    }
}

fn replay<T: Value, S: Saved<T> + ?Sized>(
    kind: &dyn Makes<S>,
    plan: Plan,
    take_snapshot: fn(&S) -> Option<Box<dyn Past>>,
) {
    let mut pool: Box<S> = kind.make(plan);
    for round in 0..3_u64 {
        // Without claims at first.
        let seed = if round < 2 { 2 * round } else { 2 * round + 1 };
        play(&mut *pool, seed, 9 << (2 * round));
        pool.validate().unwrap();
        let (at_first, sum_at_first) = (seen(&*pool), pool.sum());
        let Some(mut past) = take_snapshot(&*pool) else { return };
        assert_eq!(Some(past.sum()), sum_at_first);
        // Of a pool that is not rolled back: what should happen.
        let mut twin = pool.try_clone().unwrap();
        let expected = play(&mut *twin, 100 + seed, 60);

        for steps in [0, 1, 60] {
            assert_eq!(play(&mut *pool, 100 + seed, steps), expected[..steps], "{plan:?}");
            play(&mut *pool, 200 + seed, 25);
            pool.restore(&*past);
            pool.validate().unwrap();
            assert_eq!((seen(&*pool), pool.sum()), (at_first, sum_at_first), "{plan:?}");
        }
        assert_eq!(play(&mut *pool, 100 + seed, 60), expected, "{plan:?}");
        assert_eq!(pool.sum(), twin.sum(), "{plan:?}");

        // Over a snapshot that holds something else.
        pool.save_into(&mut *past);
        past.validate().unwrap();
        let (now, sum) = (seen(&*pool), pool.sum());
        play(&mut *pool, 300 + seed, 40);
        pool.restore(&*past);
        pool.validate().unwrap();
        assert_eq!((seen(&*pool), pool.sum()), (now, sum), "{plan:?}");
        let (left, right) = (twin.take_snapshot().unwrap(), pool.take_snapshot().unwrap());
        assert_eq!(left.differences(&*right), 0, "{plan:?}");
    }
}

/// A snapshot of the beginning, when nothing was used, and one of a pool in full use, over each other.
fn the_beginning_comes_back(kind: &Pools) {
    for plan in plans(kind.facts()) {
        let mut pool = kind.make(plan);
        let Some(empty) = pool.take_snapshot() else { return };
        let sum = pool.sum();
        let first = play(&mut *pool, 1, 100);
        let full = pool.take_snapshot().unwrap();
        for _ in 0..2 {
            pool.restore(&*empty);
            pool.validate().unwrap();
            assert_eq!(pool.sum(), sum, "{plan:?}");
            pool.restore(&*full);
            pool.validate().unwrap();
            assert_eq!(pool.sum(), Some(full.sum()), "{plan:?}");
            pool.restore(&*empty);
            assert_eq!(play(&mut *pool, 1, 100), first, "{plan:?}");
        }
    }
}

/// What is read is written in the same way again, can be restored, and goes on as what was written.
fn files_go_on_alike(kind: &dyn Saves<Counted>) {
    for plan in plans(kind.facts()) {
        for form in Form::ALL {
            file(kind, plan, form);
        }
    }
}

/// In JSON, `Some(())` is `null`, and is read as `None`: that is not for a recycler of options.
fn files_of_nothing_go_on_alike(kind: &dyn Saves<Nothing>) {
    for plan in plans(kind.facts()) {
        file(kind, plan, Form::Postcard);
    }
}

fn file<T: Value>(kind: &dyn Saves<T>, plan: Plan, form: Form) {
    let mut pool: Box<dyn Saved<T>> = kind.make(plan);
    for seed in 0..2 {
        play(&mut *pool, seed, 5 << (3 * seed));
        let Some(bytes) = pool.write(form) else { return };
        let mut read = kind.read(form, &bytes).unwrap().unwrap();
        read.validate().unwrap();
        assert_eq!((seen(&*read), read.sum()), (seen(&*pool), pool.sum()), "{plan:?}");
        assert_eq!(read.write(form).unwrap(), bytes, "{plan:?}");
        let expected = play(&mut *pool.try_clone().unwrap(), 50 + seed, 40);
        let mut restored = pool.try_clone().unwrap();
        play(&mut *restored, 70 + seed, 20);
        restored.restore(&*read.take_snapshot().unwrap());
        if let Some(past) = kind.read_past(form, &bytes) {
            play(&mut *restored, 70 + seed, 20);
            restored.restore(&*past.unwrap());
        }
        restored.validate().unwrap();
        assert_eq!(play(&mut *restored, 50 + seed, 40), expected, "{plan:?}");
        assert_eq!(play(&mut *read, 50 + seed, 40), expected, "{plan:?}");
    }
}

fn saving_and_restoring_take_no_memory(kind: &dyn Makes<dyn Copied<u32>>) {
    if kind.facts().allocates {
        return;
    }
    type Way = fn(&dyn Copied<u32>) -> Option<Box<dyn Past>>;
    let ways: [Way; 2] = [|pool| pool.take_snapshot(), |pool| pool.take_snapshot_of_copies()];
    for take_snapshot in ways {
        let mut pool: Box<dyn Copied<u32>> =
            kind.make(Plan::of(kind.facts().capacity.unwrap_or(70)));
        let Some(past) = take_snapshot(&*pool) else { return };
        let mut pasts = [past, take_snapshot(&*pool).unwrap()];
        for turn in 0..60 {
            play(&mut *pool, 2 * turn as u64, 2);
            let newest = &mut pasts[turn % 2];
            let ((), allocations) = during(|| pool.save_into(&mut **newest));
            assert_eq!(allocations, Allocations::default());
            if turn % 5 == 0 {
                let oldest = &pasts[(turn + 1) % 2];
                let ((), allocations) = during(|| pool.restore(&**oldest));
                assert_eq!(allocations, Allocations::default());
            }
        }
    }
}

for_every_pool! { replays, the_beginning_comes_back }

for_one_of_each! { files_go_on_alike }

for_one_of_each_place! {
    replays_with_copies, files_of_nothing_go_on_alike, saving_and_restoring_take_no_memory,
}
