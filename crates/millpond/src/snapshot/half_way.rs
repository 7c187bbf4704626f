//! States that are written in two halves, and panics between them: each pool that was being written is sound afterwards, and
//! goes on, whoever panicked.

mod tests {
    use alloc::vec::Vec;
    use std::rc::Rc;

    use crate::base::guard::tests::panics_half_way;
    use crate::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
    use crate::{
        Handle, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, StaticPool, SyncPool,
        VecPool,
    };

    /// Fills any pool in part, with holes and a retired slot, empties it, and fills it again, so that each slot is issued once.
    macro_rules! use_all {
        ($pool:expr, $insert:expr) => {{
            let pool = &mut *$pool;
            pool.validate().unwrap();
            let live = pool.len();
            let handles: Vec<_> = core::iter::from_fn(|| $insert(pool)).take(40).collect();
            pool.validate().unwrap();
            assert_eq!(pool.len(), live + handles.len(), "each in a slot of its own");
            handles.iter().for_each(|handle| assert!(pool.remove(*handle).is_some()));
            pool.validate().unwrap();
        }};
    }

    type Value = Rc<u32>;

    fn value(number: u32) -> Value {
        Rc::new(number)
    }

    /// Two lifetimes, and holes.
    fn old() -> Pool<Value> {
        let mut pool = Pool::builder().capacity(7).lifetimes(2).build();
        let handles: Vec<Handle<_>> = (0..6).map(|n| pool.insert(value(n)).unwrap()).collect();
        pool.remove(handles[1]);
        pool.remove(handles[4]);
        let last = pool.insert(value(9)).unwrap();
        pool.remove(last);
        pool
    }

    fn used<R: ReuseOrder>(capacity: usize) -> Pool<Value, R> {
        let mut pool = Pool::<Value, R>::typed_builder().capacity(capacity).build();
        let handles: Vec<_> = (0..5).map(|n| pool.insert(value(n)).unwrap()).collect();
        pool.remove(handles[2]);
        pool.remove(handles[0]);
        pool
    }

    fn of_order<R: ReuseOrder>() {
        let places = panics_half_way(
            || (used::<R>(9), Some(old())),
            |(pool, old)| pool.migrate_from(old.take().unwrap()).unwrap(),
            |(pool, _)| use_all!(pool, |pool: &mut Pool<Value, R>| pool.insert(value(1)).ok()),
        );
        assert!(places >= 8, "{places}");
        // A snapshot of another part of the slots.
        let snapshot = used::<R>(9).snapshot_cloned();
        let places = panics_half_way(
            || {
                let mut pool = used::<R>(9);
                (0..4).for_each(|n| _ = pool.insert(value(n)).unwrap());
                pool
            },
            |pool| pool.restore(&snapshot).unwrap(),
            |pool| use_all!(pool, |pool: &mut Pool<Value, R>| pool.insert(value(1)).ok()),
        );
        assert!(places >= 3, "{places}");
        let numbers = |count: u64| {
            let mut pool = Pool::<u64, R>::typed_builder().capacity(9).build();
            let handles: Vec<_> = (0..count).map(|n| pool.insert(n).unwrap()).collect();
            pool.remove(handles[0]);
            pool
        };
        let snapshot = numbers(3).snapshot();
        let places = panics_half_way(
            || numbers(8),
            |pool| pool.restore(&snapshot).unwrap(),
            |pool| use_all!(pool, |pool: &mut Pool<u64, R>| pool.insert(1).ok()),
        );
        assert!(places >= 3, "{places}");
        // One that grows, has shrunk, and grows again.
        let shrunk = || {
            let mut pool = VecPool::<Value, R>::typed_builder().build();
            let handles: Vec<_> = (0..12).map(|n| pool.push(value(n))).collect();
            handles[6..].iter().for_each(|handle| _ = pool.remove(*handle));
            pool.remove(handles[2]);
            (pool, handles)
        };
        let insert = |pool: &mut VecPool<Value, R>| Some(pool.push(value(1)));
        let stay = |(pool, handles): &mut (VecPool<Value, R>, Vec<Handle<Value>>)| {
            assert_eq!(pool.len(), 5, "nothing is lost");
            use_all!(pool, insert);
            assert!(handles[6..].iter().all(|handle| !pool.contains(*handle)), "stale handles");
            assert!(handles[..6].iter().filter(|handle| pool.contains(**handle)).count() == 5);
        };
        let places = panics_half_way(shrunk, |(pool, _)| _ = pool.shrink_to_fit(), stay);
        assert!(places >= 2, "{places}");
        let shrunk_to_fit = || {
            let (mut pool, handles) = shrunk();
            assert!(pool.shrink_to_fit() > 0);
            (pool, handles)
        };
        let places = panics_half_way(shrunk_to_fit, |(pool, _)| pool.reserve(30).unwrap(), stay);
        assert!(places >= 2, "{places}");
        let snapshot = {
            let mut pool = VecPool::<Value, R>::typed_builder().build();
            (0..3).for_each(|n| _ = pool.push(value(n)));
            pool.snapshot_cloned()
        };
        let places = panics_half_way(
            || shrunk_to_fit().0,
            |pool| pool.restore(&snapshot).unwrap(),
            |pool| use_all!(pool, insert),
        );
        assert!(places >= 3, "{places}");
        let places = panics_half_way(
            || (shrunk_to_fit().0, Some(old())),
            |(pool, old)| pool.migrate_from(old.take().unwrap()).unwrap(),
            |(pool, _)| use_all!(pool, insert),
        );
        assert!(places >= 8, "{places}");
        let places = panics_half_way(
            || HandleAllocator::<R>::with_capacity(9),
            |slots| {
                let mut old = Pool::<()>::new(9);
                (0..5).for_each(|_| _ = old.insert(()).unwrap());
                slots.migrate_from(old).unwrap();
            },
            |slots| use_all!(slots, |slots: &mut HandleAllocator<R>| slots.acquire()),
        );
        assert!(places >= 8, "{places}");
    }

    #[test]
    fn a_pool_is_sound_after_a_panic_half_way_in_each_order() {
        of_order::<Lifo>();
        of_order::<Fifo>();
        of_order::<LowestFirst>();
        of_order::<Roster>();
    }

    #[test]
    fn a_static_pool_is_sound_after_a_panic_half_way() {
        let pool = || {
            let mut pool = StaticPool::<Value, 9>::new();
            (0..5).for_each(|n| _ = pool.insert(value(n)).unwrap());
            pool
        };
        let insert = |pool: &mut StaticPool<Value, 9>| pool.insert(value(1)).ok();
        let places = panics_half_way(
            || (pool(), Some(old())),
            |(pool, old)| pool.migrate_from(old.take().unwrap()).unwrap(),
            |(pool, _)| use_all!(pool, insert),
        );
        assert!(places >= 8, "{places}");
        let snapshot = pool().snapshot_cloned();
        let places = panics_half_way(
            StaticPool::<Value, 9>::new,
            |pool| pool.restore(&snapshot).unwrap(),
            |pool| use_all!(pool, insert),
        );
        assert!(places >= 3, "{places}");
    }

    #[test]
    fn a_packed_pool_is_sound_after_a_panic_half_way() {
        let pool = || {
            let mut pool = PackedVecPool::<Value>::new();
            let handles: Vec<_> = (0..12).map(|n| pool.push(value(n))).collect();
            handles[6..].iter().for_each(|handle| _ = pool.remove(*handle));
            pool.remove(handles[2]);
            (pool, handles)
        };
        let insert = |pool: &mut PackedVecPool<Value>| Some(pool.push(value(1)));
        let stay = |(pool, handles): &mut (PackedVecPool<Value>, Vec<Handle<Value>>)| {
            assert_eq!(pool.len(), 5, "nothing is lost");
            use_all!(pool, insert);
            assert!(handles[6..].iter().all(|handle| !pool.contains(*handle)), "stale handles");
            assert!(handles[..6].iter().filter(|handle| pool.contains(**handle)).count() == 5);
        };
        assert!(panics_half_way(pool, |(pool, _)| _ = pool.shrink_to_fit(), stay) >= 2);
        let shrunk = || {
            let (mut pool, handles) = pool();
            assert!(pool.shrink_to_fit() > 0);
            (pool, handles)
        };
        assert!(panics_half_way(shrunk, |(pool, _)| pool.reserve(30).unwrap(), stay) >= 2);
        let snapshot = shrunk().0.snapshot_cloned();
        for has_shrunk in [false, true] {
            let new = || if has_shrunk { shrunk() } else { pool() };
            let places = panics_half_way(
                || new().0,
                |pool| pool.restore(&snapshot).unwrap(),
                |pool| use_all!(pool, insert),
            );
            assert!(places >= 4, "{places}");
            let places = panics_half_way(
                || (new().0, Some(old())),
                |(pool, old)| pool.migrate_from(old.take().unwrap()).unwrap(),
                |(pool, _)| use_all!(pool, insert),
            );
            assert!(places >= 10, "{places}");
        }
        let places = panics_half_way(
            || (PackedPool::<Value>::new(9), Some(old())),
            |(pool, old)| pool.migrate_from(old.take().unwrap()).unwrap(),
            |(pool, _)| use_all!(pool, |pool: &mut PackedPool<Value>| pool.insert(value(1)).ok()),
        );
        assert!(places >= 10, "{places}");
    }

    #[test]
    fn a_recycler_is_sound_after_a_panic_half_way() {
        let new = || {
            let mut pool = Recycler::<u32>::from_fn(7, |n| n as u32);
            (0..4).for_each(|_| _ = pool.acquire().unwrap());
            pool
        };
        let check = |pool: &mut Recycler<u32>| {
            pool.validate().unwrap();
            let live = pool.len();
            let more = core::iter::from_fn(|| pool.acquire().map(|(handle, _)| handle)).count();
            assert_eq!(live + more, 7);
            pool.validate().unwrap();
        };
        let places = panics_half_way(
            new,
            |pool| pool.migrate_from(Recycler::from_fn(3, |_| 5)).unwrap(),
            |pool| check(pool),
        );
        assert!(places >= 5, "{places}");
        let snapshot = Recycler::<u32>::from_fn(7, |_| 5).snapshot();
        let places = panics_half_way(new, |pool| pool.restore(&snapshot).unwrap(), check);
        assert!(places >= 3, "{places}");
    }

    #[test]
    fn a_shared_pool_is_sound_after_a_panic_half_way() {
        type Shared = SyncPool<u32>;
        let new = |n: u32| {
            let mut pool = Shared::builder().capacity(9).lifetimes(2).build();
            (0..n).for_each(|n| _ = pool.insert(n).unwrap());
            let first = pool.iter().next().map(|(handle, _)| handle);
            first.into_iter().for_each(|handle| _ = pool.remove(handle));
            pool.retain(|_, value| *value != 3);
            pool
        };
        let check = |pool: &mut Shared| {
            pool.validate().unwrap();
            let (live, retired) = (pool.len(), pool.stats().retired);
            let more = core::iter::from_fn(|| pool.insert(1).ok()).count();
            assert_eq!(live + retired + more, 9);
            pool.validate().unwrap();
        };
        let snapshot = new(7).snapshot();
        assert!(panics_half_way(|| new(4), |pool| pool.restore(&snapshot).unwrap(), check) >= 9);
        let migrate = |pool: &mut Shared| pool.migrate_from(new(7).snapshot()).unwrap();
        assert!(panics_half_way(|| new(4), migrate, check) >= 9);
    }
}
