//! An object that was removed comes back under its handle, as long as its slot was not used since. (Among other steps,
//! in every kind of pool: the model.)

use millpond::InsertAtErrorKind::{self, *};
use millpond::{Handle, Pool, VecPool};

fn kind<H>(refused: Result<H, millpond::InsertAtError<u64>>) -> InsertAtErrorKind {
    refused.map(|_| ()).unwrap_err().kind()
}

#[test]
fn a_named_pool_never_revives_what_came_before_its_first_lifetime() {
    let mut pool = Pool::<u64>::builder().capacity(2).name("lamps").build();
    let first = pool.generations().first();
    assert!(first > 1, "{first}");
    let before = Handle::from_parts(0, first - 1).unwrap();
    assert_eq!(kind(pool.revive(before, 1)), NeverLived);
    let wraps = Pool::<u64>::builder().capacity(1).lifetimes(2).wrap();
    let mut pool = wraps.build();
    for _ in 0..2 {
        let handle = pool.insert(1).unwrap();
        pool.remove(handle);
    }
    // The slot is at its first lifetime again: its word does not say whether its last one was just before.
    let refused = pool.revive(Handle::from_parts(0, 2).unwrap(), 1).unwrap_err();
    assert_eq!(refused.kind(), Wrapped);
    assert_eq!(
        refused.to_string(),
        "handle 0v2 is refused: the slot starts its lifetimes again, and keeps no trace of its last one"
    );
    assert_eq!(kind(pool.revive(Handle::from_parts(0, 1).unwrap(), 1)), NeverLived);
    let mut once = Pool::<u64>::builder().capacity(1).lifetimes(1).wrap().build();
    let handle = once.insert(1).unwrap();
    once.remove(handle);
    assert_eq!(kind(once.revive(handle, 1)), Wrapped);
}

/// Also for the first object beyond what is left.
#[test]
fn any_object_of_slots_that_were_given_back_can_be_revived() {
    for gone in 0..12 {
        let mut pool = VecPool::<u64>::builder().capacity_max(12).build();
        let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
        let left = gone / 4 * 4;
        handles[left..].iter().for_each(|handle| _ = pool.remove(*handle).unwrap());
        pool.shrink_to_fit();
        assert_eq!(pool.capacity(), left);
        assert_eq!(pool.revive(handles[gone], 7).unwrap(), handles[gone]);
        assert_eq!(pool[handles[gone]], 7);
        pool.validate().unwrap();
    }
}

#[test]
fn nothing_grows_for_what_cannot_be_revived() {
    let mut pool = VecPool::<u64>::builder().capacity_max(36).lifetimes(2).build();
    let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
    pool.clear();
    pool.shrink_to_fit();
    assert_eq!(pool.capacity(), 0);
    let [first, last] = [handles[0], handles[11]];
    assert_eq!(pool.revive(last, 11).unwrap(), last);
    assert_eq!((pool[last], pool.len(), pool.capacity()), (11, 1, 12));
    pool.validate().unwrap();
    assert_eq!(pool.revive(first, 0).unwrap(), first);
    let later = Handle::from_parts(11, last.generation() + 1).unwrap();
    pool.clear();
    pool.insert_at(later, 7).unwrap();
    pool.remove(later).unwrap();
    pool.shrink_to_fit();
    assert_eq!(kind(pool.revive(last, 9)), Retired);
    assert_eq!(kind(pool.revive(Handle::from_parts(35, 1).unwrap(), 9)), NeverLived);
    assert_eq!(kind(pool.revive(Handle::from_parts(36, 1).unwrap(), 9)), OutOfRange);
    assert_eq!(pool.capacity(), 0);
    pool.validate().unwrap();
}
