//! The builder of `StaticPool`, in constants.

use std::sync::Mutex;

use millpond::{Handle32, Pool, Refusal, StaticPool};

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

/// (That they retire and wrap as they must: the model, kinds `static_of_…`.)
#[test]
fn limits_and_wrapping_are_chosen_in_constants() {
    assert_eq!(TWICE.lock().unwrap().generations().lifetimes_max(), 2);
    let mut pool = WRAPPING.lock().unwrap();
    let first = pool.insert(0).unwrap();
    pool.remove(first);
    for turn in 1..255 {
        let handle = pool.insert(turn).unwrap();
        assert_ne!(handle, first);
        pool.remove(handle);
    }
    assert_eq!(pool.insert(255).unwrap(), first);
    let mut once = StaticPool::<u64, 1>::builder().wrap().retire().lifetimes(0).build();
    let handle = once.insert(1).unwrap();
    once.remove(handle);
    assert_eq!(once.stats().retired, 1);
}
