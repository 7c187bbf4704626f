//! Saved games that outlive a change, of pools of several parts, and of their ages.

use millpond::snapshot::MigrateError;
use millpond::{Pool, VecPool};
use millpond_overflow::{Overflow, PolicyPool, Spill};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a saved pool is read as, in both forms.
fn saved<P: Serialize + DeserializeOwned>(pool: &P) -> [P; 2] {
    let json = serde_json::to_string(pool).unwrap();
    let compact = postcard::to_allocvec(pool).unwrap();
    [serde_json::from_str(&json).unwrap(), postcard::from_bytes(&compact).unwrap()]
}

#[test]
fn two_parts_keep_their_places() {
    let build = |first, second| {
        Spill::new(Pool::<u64>::new(first), VecPool::builder().capacity_max(second).build())
    };
    let mut old = build(2, 3);
    let handles: Vec<_> = (0..4).map(|value| old.insert(value).unwrap()).collect();
    old.remove(handles[1]);
    old.remove(handles[2]);
    for old in saved(&old) {
        let mut new = build(2, 30);
        new.migrate_from(old).unwrap();
        new.first().validate().and_then(|()| new.second().validate()).unwrap();
        assert_eq!((new.len(), new.get(handles[0]), new.get(handles[3])), (2, Some(&0), Some(&3)));
        let next: Vec<_> = (0..9).map(|value| new.insert(value).unwrap()).collect();
        assert!(next.iter().all(|handle| !handles.contains(handle)));
    }
    let mut other = build(3, 30);
    let kept = other.insert(7).unwrap();
    let error = other.migrate_from(old.clone()).unwrap_err();
    assert_eq!(error, MigrateError::OtherFirstPart { old: 2, new: 3 });
    let error = build(2, 1).migrate_from(old).unwrap_err();
    assert_eq!(error, MigrateError::TooFewSlots { needed: 2, capacity_max: 1 });
    assert_eq!(other[kept], 7);
}

#[test]
fn a_first_part_may_be_larger_if_the_second_was_never_used() {
    let mut old = Spill::new(Pool::<u64>::new(2), Pool::<u64>::new(2));
    let first = old.insert(1).unwrap();
    let mut new = Spill::new(Pool::<u64>::new(5), Pool::<u64>::new(2));
    new.migrate_from(old).unwrap();
    assert_eq!(new[first], 1);
}

#[test]
fn a_pool_with_a_policy_takes_all_parts_into_its_first() {
    let build = |policy, capacity, more| {
        PolicyPool::<u64>::new(policy, Pool::builder().capacity(capacity).name("trees"), more)
    };
    for policy in [Overflow::Spill, Overflow::Grow] {
        let mut old = build(policy, 2, 32);
        let handles: Vec<_> =
            (0..5).map(|value| old.insert_by(value, |_, _| 0).unwrap().0).collect();
        old.remove(handles[1]);
        old.remove(handles[3]);
        for old in saved(&old) {
            let error = build(Overflow::Refuse, 4, 0).migrate_from(old.clone()).unwrap_err();
            assert_eq!(error, MigrateError::TooFewSlots { needed: 5, capacity_max: 4 });
            let mut new = build(Overflow::EvictLeast, 7, 2);
            for value in 0..9 {
                new.insert_by(value, |_, _| 0).unwrap();
            }
            new.migrate_from(old).unwrap();
            new.validate().unwrap();
            assert_eq!((new.len(), new[handles[2]], new[handles[4]]), (3, 2, 4));
            let next: Vec<_> =
                (0..6).map(|value| new.insert_by(value, |_, _| 0).unwrap().0).collect();
            assert!(next.iter().all(|handle| !handles.contains(handle)));
        }
    }
}

/// The second part keeps the generations of its own name.
#[test]
fn parts_that_begin_at_different_generations_do_not_migrate_again() {
    let build = |name, more| {
        PolicyPool::<u64>::new(Overflow::Spill, Pool::builder().capacity(2).name(name), more)
    };
    let mut old = build("old", 0);
    old.insert_by(1, |_, _| 0).unwrap();
    let mut new = build("new", 2);
    new.migrate_from(old).unwrap();
    let mut larger = Pool::<u64>::new(9);
    larger.migrate_from(new.clone()).unwrap();
    (0..2).for_each(|value| assert!(new.insert_by(value, |_, _| 0).is_ok()));
    let error = larger.migrate_from(new).unwrap_err();
    assert_eq!(error, MigrateError::SeveralFirstGenerations);
}

#[test]
fn ages_go_with_the_objects() {
    let build = |capacity| {
        PolicyPool::<u64>::new(Overflow::EvictOldest, Pool::builder().capacity(capacity), 0)
    };
    let mut old = build(3);
    let handles: Vec<_> = (0..3).map(|value| old.insert_by(value, |_, _| 0).unwrap().0).collect();
    old.remove(handles[0]);
    let newest = old.insert_by(7, |_, _| 0).unwrap().0;
    let mut new = build(4);
    new.insert_by(9, |_, _| 0).unwrap();
    new.migrate_from(old).unwrap();
    new.validate().unwrap();
    assert!(new.insert_by(8, |_, _| 0).unwrap().1.is_none(), "there is one slot more");
    let mut evicted = (0..3).map(|value| new.insert_by(value, |_, _| 0).unwrap().1.unwrap().0);
    assert!(evicted.by_ref().take(3).eq([handles[1], handles[2], newest]));
}
