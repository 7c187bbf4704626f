//! What a full pool's own methods do. (The policies have tests of their own, in `millpond-overflow`.)

use millpond::reuse::Fifo;
use millpond::{PackedPool, Pool, Recycler, StaticPool, VecPool};

#[test]
fn what_matters_least_is_refused_even_if_it_is_the_newcomer() {
    macro_rules! on {
        ($pool:expr) => {
            let mut pool = $pool;
            let (loud, evicted) = pool.insert_unless_least(90, |value| *value).unwrap();
            assert!(evicted.is_none());
            let refused = pool.insert_unless_least(5, |value| *value).unwrap_err();
            assert_eq!((refused.into_inner(), pool.len(), pool.stats().refused), (5, 1, 1));
            let (equal, evicted) = pool.insert_unless_least(90, |value| *value).unwrap();
            assert_eq!(evicted, Some((loud, 90)));
            let (_, evicted) = pool.insert_unless_least(91, |value| *value).unwrap();
            assert_eq!((evicted, pool.stats().evicted), (Some((equal, 90)), 2));
            // The other form does not compare it.
            assert_eq!(pool.insert_or_evict(5, |_, value| *value).1.unwrap().1, 91);
        };
    }
    on!(Pool::<u64>::new(1));
    on!(StaticPool::<u64, 1>::new());
    on!(PackedPool::<u64>::new(1));
    on!(VecPool::<u64>::builder().capacity_max(1).build());
    on!(Pool::<u64>::builder().reuse(Fifo).capacity(1).build());
    on!(millpond::SyncPool::<u64>::new(1));
}

#[test]
fn a_recycler_refuses_the_least_newcomer() {
    let mut voices = Recycler::from_fn(2, |_| 0_u64);
    for loudness in [90, 40] {
        let (_, voice, evicted) = voices.acquire_unless_least(loudness, |_, own| *own).unwrap();
        *voice = loudness;
        assert!(evicted.is_none());
    }
    assert!(voices.acquire_unless_least(39, |_, own| *own).is_none());
    assert_eq!((voices.len(), voices.stats().refused, voices.stats().evicted), (2, 1, 0));
    let (_, voice, evicted) = voices.acquire_unless_least(40, |_, own| *own).unwrap();
    assert_eq!((*voice, evicted.map(|handle| handle.index())), (40, Some(1)));
    voices.validate().unwrap();
}
