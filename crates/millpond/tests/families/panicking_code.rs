//! Defect 2: a constructor, a `Clone`, a predicate or a key that panics. Nothing leaks, nothing is half
//! done: what was not finished has not happened. (`insert_with` and the keys of evictions: see `model`.)

use std::cmp::Ordering;

use millpond::Recycler;
use millpond::reuse::ReuseOrder;

use crate::Pools;
use crate::common::{Counted, Ledger, in_every_order, panics, quiet_panic};
use crate::subject::{Key, Plan, Rank, for_every_pool};
use crate::world::World;

fn clone(kind: &Pools) {
    for victim in World::new(kind).victims() {
        let world = World::new(kind);
        world.ledger.panic_in_clone_of(victim);
        let mut copy = None;
        if !panics(|| copy = world.pool.try_clone()) {
            assert!(copy.is_none());
            return;
        }
        assert_eq!(world.ledger.alive(), world.pool.len(), "what was copied is dropped");
        world.check();
    }
}

/// A clone that panics while a snapshot is taken, written over or restored: what was being written is left
/// empty, and all of it can be done again.
fn clone_of_a_snapshot(kind: &Pools) {
    World::plans(kind).into_iter().for_each(|plan| clone_of_a_snapshot_of(kind, plan));
}

fn clone_of_a_snapshot_of(kind: &Pools, plan: Plan) {
    for victim in World::of(kind, plan).victims() {
        let mut world = World::of(kind, plan);
        let live = world.pool.len();
        world.ledger.panic_in_clone_of(victim);
        let mut past = None;
        if !panics(|| past = world.pool.take_snapshot()) {
            assert!(past.is_none(), "the value was cloned");
            return;
        }
        assert_eq!(world.ledger.alive(), live, "what was copied is dropped");

        world.ledger.panic_in_clone_of(None);
        let mut past = world.pool.take_snapshot().unwrap();
        let ids: Vec<(Key, u64)> =
            world.pool.iter().map(|(handle, value)| (handle, value.id())).collect();
        // Some slots are live in the snapshot alone.
        for &(handle, _) in ids.iter().rev().filter(|(_, id)| id % 2 == 0) {
            assert!(world.pool.remove(handle).is_some());
        }
        world.ledger.panic_in_clone_of(victim);
        assert!(panics(|| world.pool.restore(&*past)));
        if !kind.facts().panicking_restore_empties {
            return;
        }
        world.pool.validate().unwrap();
        assert!(world.pool.is_empty() && world.pool.iter().next().is_none());
        assert_eq!(world.ledger.alive(), live, "those of the snapshot");
        while world.pool.insert(world.ledger.value(800)).is_ok() {}
        world.pool.validate().unwrap();

        world.ledger.panic_in_clone_of(None);
        world.pool.restore(&*past);
        world.ledger.panic_in_clone_of(victim);
        assert!(panics(|| world.pool.save_into(&mut *past)));
        world.pool.validate().unwrap();
        past.validate().unwrap();
        assert!(world.pool.iter().map(|(handle, value)| (handle, value.id())).eq(ids));
        assert_eq!(world.ledger.alive(), live, "the snapshot is empty");
        world.ledger.panic_in_clone_of(None);
        world.pool.save_into(&mut *past);
        past.validate().unwrap();
        world.pool.restore(&*past);
        drop(past);
        world.check();
    }
}

/// The choice of a function that removes some values, and panics at one.
fn some_but(victim: u64) -> impl FnMut(u64) -> bool {
    move |id| if id == victim { quiet_panic() } else { id % 2 == 0 }
}

fn predicates(kind: &Pools) {
    for victim in World::new(kind).victims() {
        let mut world = World::new(kind);
        let mut choice = some_but(victim);
        let mut has_it = true;
        let panicked = panics(|| has_it = world.pool.retain(&mut |_, value| choice(value.id())));
        assert_eq!(panicked, has_it);
        assert!(world.pool.contains(world.handles[&victim]), "the value that it looked at stays");
        world.check();

        let mut world = World::new(kind);
        let mut choice = some_but(victim);
        let panicked = panics(|| match world.pool.extract_if(&mut |_, value| choice(value.id())) {
            Some(extracted) => extracted.for_each(drop),
            None => has_it = false,
        });
        assert_eq!(panicked, has_it);
        assert!(world.pool.contains(world.handles[&victim]));
        world.check();
    }
}

/// An order of keys that panics.
fn panics_at_35(a: u64, b: u64) -> Ordering {
    if a + b == 35 { quiet_panic() } else { a.cmp(&b) }
}

fn comparison_of_eviction(kind: &Pools) {
    let mut world = World::full(kind);
    if !kind.facts().evicts || world.pool.len() < 36 {
        return;
    }
    assert!(panics(|| {
        let mut key = |value: &Counted| Rank(value.id(), panics_at_35);
        drop(world.pool.insert_or_evict(world.ledger.value(700), &mut key));
    }));
    assert!(world.handles.values().all(|&handle| world.pool.contains(handle)), "none has gone");
    world.check();
}

for_every_pool! { clone, clone_of_a_snapshot, predicates, comparison_of_eviction }

#[test]
fn function_that_panics_in_from_fn_drops_what_it_has_made() {
    for made in 0..20 {
        let ledger = Ledger::default();
        assert!(panics(|| {
            let make =
                |index| if index == made { quiet_panic() } else { ledger.value(index as u64) };
            drop(Recycler::from_fn(20, make));
        }));
        assert_eq!(ledger.alive(), 0);
    }
}

/// What the hook of the recyclers below panics at.
const BAD_OBJECT: u64 = 1_000_000;

fn panics_at_bad_object(object: &mut u64) {
    if *object == BAD_OBJECT {
        quiet_panic();
    }
    *object = 0;
}

fn on_release<R: ReuseOrder>() {
    for bad in 0..6 {
        let builder = Recycler::<u64>::builder().reuse(R::default()).capacity(6);
        let mut recycler = builder.on_release(panics_at_bad_object).build();
        let mut handles = Vec::new();
        while let Some((handle, object)) = recycler.acquire() {
            *object = if handles.len() == bad { BAD_OBJECT } else { 5 };
            handles.push(handle);
        }
        assert!(panics(|| {
            recycler.release(handles[bad]);
        }));
        assert!(recycler.contains(handles[bad]), "the object stays live");
        assert_eq!((recycler.len(), recycler[handles[bad]]), (6, BAD_OBJECT));

        assert!(panics(|| recycler.clear()));
        let left: Vec<_> = recycler.handles().collect();
        assert_eq!(left, handles[bad..], "and so do those that the hook has not come to");
        assert!(handles[..bad].iter().all(|handle| !recycler.contains(*handle)));

        recycler[handles[bad]] = 1;
        recycler.clear();
        assert!(recycler.is_empty() && recycler.as_slice() == [0; 6]);
        let again: Vec<_> = std::iter::from_fn(|| recycler.acquire().map(|pair| pair.0)).collect();
        assert_eq!(again.len(), 6);
        assert!(again.iter().all(|handle| !handles.contains(handle)));
    }
}

#[test]
fn hook_that_panics_on_release_leaves_the_object_live() {
    in_every_order!(on_release());
}
