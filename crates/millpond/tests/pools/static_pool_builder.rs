//! The builder of `StaticPool`, in constants.

use std::sync::Mutex;

use millpond::{Handle, Handle32, InsertAtErrorKind, Pool, Refusal, StaticPool};

type Small = Handle32<u64, 24>;

static SALTED: Mutex<StaticPool<u64, 4>> = Mutex::new(StaticPool::builder().salt(7).build());
static TWICE: Mutex<StaticPool<u64, 1>> = Mutex::new(StaticPool::builder().lifetimes(2).build());
static WRAPPING: Mutex<StaticPool<u64, 1, Small>> =
    Mutex::new(StaticPool::builder().handle::<Small>().name("ring").wrap().build());

#[test]
fn salts_and_names_begin_where_those_of_a_pool_do() {
    let identities: [(Option<&'static str>, Option<u64>); 4] =
        [(None, None), (Some("a"), None), (None, Some(7)), (Some("a"), Some(7))];
    for (name, salt) in identities {
        let mut builder = StaticPool::<u64, 4>::builder();
        let mut reference = Pool::<u64>::builder().capacity(4);
        if let Some(name) = name {
            (builder, reference) = (builder.name(name), reference.name(name));
        }
        if let Some(salt) = salt {
            (builder, reference) = (builder.salt(salt), reference.salt(salt));
        }
        let (mut pool, mut reference) = (builder.build(), reference.build());
        let handle = pool.insert(1).unwrap();
        assert_eq!(handle, reference.insert(1).unwrap());
        assert_eq!(pool.name(), name);
    }
    let salted = SALTED.lock().unwrap().insert(1).unwrap();
    assert_ne!(salted.generation(), 1);
    let mut other = StaticPool::<u64, 4>::builder().salt(8).build();
    other.insert(1).unwrap();
    assert!(matches!(other.check(salted), Err(Refusal::OtherPool | Refusal::NeverIssued)));
}

#[test]
fn a_slot_retires_after_its_lifetimes() {
    let mut pool = TWICE.lock().unwrap();
    let first = pool.insert(1).unwrap();
    assert_eq!(pool.remove(first), Some(1));
    let beyond = Handle::from_parts(0, 3).unwrap();
    assert_eq!(pool.insert_at(beyond, 9).unwrap_err().kind(), InsertAtErrorKind::BeyondLifetimes);
    let second = pool.insert(2).unwrap();
    assert_eq!(pool.remove(second), Some(2));
    assert_eq!(pool.insert(3).unwrap_err().retired(), 1);
    assert!(pool.is_full() && [first, second].iter().all(|handle| pool.get(*handle).is_none()));

    let mut once = StaticPool::<u64, 1>::builder().lifetimes(0).build();
    let only = once.insert(1).unwrap();
    once.remove(only);
    assert!(once.insert(2).is_err());
    let mut evicting = StaticPool::<u64, 2>::builder().lifetimes(1).build();
    let stays = evicting.insert(1).unwrap();
    assert!(evicting.insert(2).is_ok() && evicting.get(stays) == Some(&1));
}

#[test]
fn a_slot_of_a_wrapping_pool_starts_again() {
    let mut pool = WRAPPING.lock().unwrap();
    let first = pool.insert(0).unwrap();
    pool.remove(first);
    for turn in 1..255 {
        let handle = pool.insert(turn).unwrap();
        assert_ne!(handle, first);
        pool.remove(handle);
    }
    assert_eq!(pool.insert(255).unwrap(), first);
    assert_eq!(pool.stats().retired, 0);
    let again = StaticPool::<u64, 1>::builder().wrap().retire().lifetimes(1).build();
    let mut copy = again.clone();
    let handle = copy.insert(1).unwrap();
    copy.remove(handle);
    assert_eq!(copy.stats().retired, 1);
}
