//! `AnyPool`: values of different types behind one trait.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::common::{Counted, Ledger, Random, in_every_order};
use millpond::reuse::{Lifo, ReuseOrder};
use millpond::{AnyPool, GetDisjointMutError, Handle, Handle32, InsertAtErrorKind, Refusal};

/// What all values of these tests are.
trait Thing: std::fmt::Debug {
    fn id(&self) -> u64;
    fn rename(&mut self, id: u64);
}
millpond::any_pool_trait!(dyn Thing);
millpond::any_pool_trait!(dyn Thing + Send);
millpond::any_pool_trait!(dyn Thing + Send + Sync);

macro_rules! things {
    ($($type:ty: |$this:ident| $id:expr, |$to:ident| $rename:expr;)*) => {$(
        impl Thing for $type {
            fn id(&self) -> u64 {
                let $this = self;
                $id
            }
            fn rename(&mut self, $to: u64) {
                let $this = self;
                $rename
            }
        }
    )*};
}
things! {
    u64: |this| *this, |id| *this = id;
    u8: |this| u64::from(*this), |id| *this = id as u8;
    [u32; 5]: |this| u64::from(this[4]), |id| this[4] = id as u32;
    String: |this| this.parse().unwrap(), |id| *this = id.to_string();
    (): |this| { let () = this; 0 }, |id| { let _ = (this, id); };
    Option<Box<u64>>: |this| this.as_ref().map_or(0, |id| **id), |id| *this = Some(Box::new(id));
    Aligned: |this| this.0.into(), |id| this.0 = id as u8;
    Noted: |this| this.0.id(), |id| { let _ = (this, id); };
    Cell<u64>: |this| this.get(), |id| this.set(id);
}

#[derive(Debug)]
#[repr(align(16))]
struct Aligned(u8);

/// A value that is counted.
struct Noted(Counted);

impl std::fmt::Debug for Noted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("noted")
    }
}

type Things<R = Lifo> = AnyPool<dyn Thing, 24, R>;

#[test]
fn each_value_keeps_its_type() {
    let mut pool = Things::new(10);
    let number = pool.insert(1_u64).unwrap();
    let small = pool.insert(2_u8).unwrap();
    let array = pool.insert([0, 0, 0, 0, 3_u32]).unwrap();
    let text = pool.insert("4".to_string()).unwrap();
    let nothing = pool.insert(()).unwrap();
    let boxed = pool.insert(Some(Box::new(6_u64))).unwrap();
    let aligned = pool.insert(Aligned(7)).unwrap();
    let all = [number, small, array, text, nothing, boxed, aligned];
    assert_eq!(all.map(|handle| pool[handle].id()), [1, 2, 3, 4, 0, 6, 7]);
    assert_eq!((&raw const pool[aligned]).addr() % 16, 0);
    pool.values_mut().for_each(|value| value.rename(value.id() + 10));
    assert_eq!(pool.values().map(|value| value.id()).sum::<u64>(), 11 + 12 + 13 + 14 + 16 + 17);

    assert_eq!(pool.get_as::<u8>(small), Some(&12));
    assert_eq!((pool.get_as::<u64>(small), pool.get_as::<i8>(small)), (None, None));
    assert!(pool.is::<String>(text) && !pool.is::<&str>(text));
    *pool.get_as_mut::<Option<Box<u64>>>(boxed).unwrap() = None;
    assert_eq!(pool[boxed].id(), 0);
    assert!(pool.get_as_mut::<u64>(boxed).is_none());
    assert_eq!(pool.remove_as::<u64>(text), None);
    assert_eq!(pool.remove_as::<String>(text).as_deref(), Some("14"));
    assert!(!pool.is::<String>(text) && pool.remove_as::<String>(text).is_none());
    assert_eq!(format!("{:?}", pool.get(array)), "Some([0, 0, 0, 0, 13])");
    pool.validate().unwrap();
}

#[test]
fn every_value_is_destroyed_once_by_the_drop_of_its_own_type() {
    let ledger = Ledger::default();
    let noted = |id| Noted(ledger.value(id));
    let mut pool = Things::new(8);
    let handles: Vec<_> = (0..8).map(|id| pool.insert(noted(id)).unwrap()).collect();
    let full = pool.insert(noted(9)).unwrap_err();
    assert_eq!((full.into_inner().0.id(), pool.len()), (9, 8));
    assert_eq!(ledger.alive(), 8);
    assert!(pool.remove(handles[0]) && !pool.remove(handles[0]));
    let taken = pool.remove_as::<Noted>(handles[1]).unwrap();
    assert_eq!(ledger.alive(), 7);
    drop(taken);
    assert_eq!((ledger.alive(), pool.len()), (6, 6));
    pool.retain(|_, value| value.id() % 2 == 0);
    assert_eq!((ledger.alive(), pool.len()), (3, 3));
    pool.insert(1_u64).unwrap();
    drop(pool);
    assert_eq!(ledger.alive(), 0);

    let mut pool = Things::new(3);
    let old = pool.insert(noted(1)).unwrap();
    pool.insert(noted(2)).unwrap();
    pool.clear();
    assert_eq!((ledger.alive(), pool.len()), (0, 0));
    assert_eq!(pool.check(old), Err(Refusal::Stale));
    assert_eq!(pool.insert(3_u64).unwrap().index(), 0);
    pool.validate().unwrap();
}

/// Panics when it is dropped, once it is armed.
#[derive(Debug)]
struct Bomb {
    id: u64,
    is_armed: bool,
    drops: Rc<Cell<u32>>,
}

impl Thing for Bomb {
    fn id(&self) -> u64 {
        self.id
    }
    fn rename(&mut self, _: u64) {}
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.drops.set(self.drops.get() + 1);
        assert!(!self.is_armed, "bang");
    }
}

#[test]
fn a_panicking_drop_is_dropped_once_and_the_pool_goes_on() {
    type Way = fn(&mut Things, Handle<dyn Thing>);
    let ways: [(&str, Way, u32); 4] = [
        ("remove", |pool, bomb| _ = pool.remove(bomb), 1),
        ("retain", |pool, _| pool.retain(|_, value| value.id() != 1), 1),
        ("clear", |pool, _| pool.clear(), 2),
        ("evict", |pool, _| _ = pool.insert_or_evict(9_u64, |_, value| value.id() != 1), 1),
    ];
    for (name, way, dropped) in ways {
        let drops = Rc::new(Cell::new(0));
        let mut pool = Things::new(3);
        let bomb = |id| Bomb { id, is_armed: id == 1, drops: Rc::clone(&drops) };
        let handles = [0, 1, 2].map(|id| pool.insert(bomb(id)).unwrap());
        assert!(catch_unwind(AssertUnwindSafe(|| way(&mut pool, handles[1]))).is_err(), "{name}");
        assert_eq!(drops.get(), dropped, "{name}");
        assert_eq!(pool.len(), pool.iter().count(), "{name}");
        assert_eq!(pool.len() as u32, 3 - dropped, "{name}");
        assert!(!pool.contains(handles[1]), "{name}");
        pool.validate().unwrap();
        pool.insert(5_u64).unwrap();
        drop(pool);
        assert_eq!(drops.get(), 3, "{name}");
    }
    let drops = Rc::new(Cell::new(0));
    let mut pool = Things::new(3);
    for id in 0..3 {
        pool.insert(Bomb { id, is_armed: id == 1, drops: Rc::clone(&drops) }).unwrap();
    }
    assert!(catch_unwind(AssertUnwindSafe(|| drop(pool))).is_err());
    assert_eq!(drops.get(), 3);
}

#[test]
fn a_panic_of_the_user_leaves_nothing_half_done() {
    let mut pool = Things::new(2);
    let one = pool.insert(1_u64).unwrap();
    let calm = |work: &mut dyn FnMut()| assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    calm(&mut || _ = pool.insert_with::<u64>(|_| panic!("cannot be made")));
    calm(&mut || pool.retain(|_, _| panic!("cannot choose")));
    pool.insert(2_u8).unwrap();
    calm(&mut || _ = pool.insert_or_evict::<_, u8>(3_u64, |_, _| panic!("no key")));
    assert_eq!((pool.len(), pool[one].id()), (2, 1));
    pool.validate().unwrap();
}

#[test]
fn handles_are_refused_with_their_reason() {
    let mut pool = AnyPool::<dyn Any, 8>::builder().capacity(2).name("events").build();
    let handle = pool.insert(1_u8).unwrap();
    assert_eq!(pool.check(handle), Ok(()));
    pool.remove(handle);
    let second = pool.insert(2_u8).unwrap();
    assert_eq!(second.index(), handle.index());
    assert_eq!(pool.check(handle), Err(Refusal::Stale));
    assert!(pool.get(handle).is_none() && pool.get_mut(handle).is_none());
    assert!(pool.get_as::<u8>(handle).is_none() && !pool.is::<u8>(handle));
    assert_eq!(pool.check(Handle::from_parts(7, 1).unwrap()), Err(Refusal::OutOfRange));
    let mut other = AnyPool::<dyn Any, 8>::builder().capacity(2).name("sounds").build();
    let foreign = other.insert(1_u8).unwrap();
    assert!(pool.get(foreign).is_none());
    let panic = catch_unwind(AssertUnwindSafe(|| pool[handle].is::<u8>())).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.starts_with("pool \"events\" refuses handle"), "{message}");
    assert!(
        catch_unwind(AssertUnwindSafe(|| pool[handle].downcast_mut::<u8>().is_some())).is_err()
    );
    let full = {
        pool.insert(3_u8).unwrap();
        pool.insert(4_u8).unwrap_err()
    };
    assert_eq!(full.to_string(), "pool \"events\" is full: capacity 2, all live, 2 at the peak");
    assert!(pool.insert_with(|_| 5_u8).is_err() && pool.vacant_entry().is_none());
    assert_eq!(pool.stats().refused, 3);
}

#[test]
fn exactly_this_handle_can_be_claimed() {
    let mut pool = Things::new(4);
    let saved = Handle::from_parts(2, 5).unwrap();
    assert_eq!(pool.insert_at(saved, 7_u64), Ok(saved));
    assert_eq!(pool[saved].id(), 7);
    let error = pool.insert_at(saved, 8_u8).unwrap_err();
    assert_eq!((error.kind(), error.into_inner()), (InsertAtErrorKind::Occupied, 8));
    pool.remove(saved);
    assert_eq!(pool.insert_at(saved, 8_u8).unwrap_err().kind(), InsertAtErrorKind::Stale);
    let far = Handle::from_parts(4, 1).unwrap();
    assert_eq!(pool.insert_at(far, 8_u8).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);
    pool.validate().unwrap();
}

#[test]
fn the_least_noticed_is_evicted() {
    let mut pool = Things::new(3);
    let handles = [5, 1, 1].map(|id| pool.insert(id as u64).unwrap());
    let (new, evicted) = pool.insert_or_evict("9".to_string(), |_, value| value.id());
    assert_eq!((evicted, new.index()), (Some(handles[1]), handles[1].index()));
    assert_eq!((pool[new].id(), pool.stats().evicted, pool.stats().refused), (9, 1, 0));
    let mut none = Things::new(0);
    assert!(catch_unwind(AssertUnwindSafe(|| none.insert_or_evict((), |_, _| 0))).is_err());
    let mut last = AnyPool::<dyn Thing, 8>::builder().capacity(1).lifetimes(1).build();
    assert_eq!(last.insert_or_evict(1_u8, |_, _| 0).1, None);
    assert!(catch_unwind(AssertUnwindSafe(|| last.insert_or_evict(2_u8, |_, _| 0))).is_err());
    assert_eq!(last.values().next().map(Thing::id), Some(1));
}

#[test]
fn several_at_once_are_disjoint() {
    let mut pool = Things::new(4);
    let handles = [1, 2, 3].map(|id| pool.insert(id as u64).unwrap());
    let [a, b] = pool.get_disjoint_mut([handles[2], handles[0]]).unwrap();
    a.rename(30);
    b.rename(10);
    assert_eq!(handles.map(|handle| pool[handle].id()), [10, 2, 30]);
    assert!(pool.get_disjoint_mut([]).is_ok());
    let twice = pool.get_disjoint_mut([handles[1], handles[0], handles[1]]).unwrap_err();
    assert_eq!(twice, GetDisjointMutError::Overlapping { position: 2 });
    pool.remove(handles[1]);
    let refused = pool.get_disjoint_mut([handles[0], handles[1]]).unwrap_err();
    let expected = GetDisjointMutError::Refused { position: 1, refusal: Refusal::Stale };
    assert_eq!(refused, expected);
}

#[test]
fn iterates_from_both_ends() {
    let mut pool = Things::new(70);
    let handles: Vec<_> = (0..70).map(|id| pool.insert(id as u64).unwrap()).collect();
    for handle in handles.iter().step_by(3) {
        pool.remove(*handle);
    }
    let expected: Vec<u64> = (0..70).filter(|id| id % 3 != 0).collect();
    let ids = |values: Vec<(Handle<dyn Thing>, u64)>| {
        assert!(values.iter().all(|(handle, id)| u64::from(handle.index()) == *id));
        values.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    };
    assert_eq!(pool.iter().len(), expected.len());
    assert_eq!(ids(pool.iter().map(|(handle, value)| (handle, value.id())).collect()), expected);
    let mut backward = ids(pool.iter().rev().map(|(h, v)| (h, v.id())).collect());
    backward.reverse();
    assert_eq!(backward, expected);
    let mut seen = Vec::new();
    let mut both = pool.iter_mut();
    while let Some((handle, value)) = both.next() {
        seen.push((handle, value.id()));
        seen.extend(both.next_back().map(|(handle, value)| (handle, value.id())));
    }
    assert!(both.next_back().is_none());
    seen.sort();
    assert_eq!(ids(seen), expected);
    assert_eq!((&pool).into_iter().count(), (&mut pool).into_iter().count());
    assert!(format!("{pool:?}").starts_with("{1v1: 1, 2v1: 2, 4v1: 4"));
    let kept: Vec<&mut dyn Thing> = pool.values_mut().collect();
    assert_eq!(kept.len(), expected.len());
}

fn behaves_as_a_map<R: ReuseOrder>() {
    let mut random = Random(7);
    let mut pool = Things::<R>::with_capacity(33);
    let mut model: HashMap<Handle<dyn Thing>, u64> = HashMap::new();
    let mut dead = Vec::new();
    for id in 0..if cfg!(miri) { 300 } else { 5000 } {
        let live: Vec<_> = pool.handles().collect();
        match random.below(8) {
            0..=3 => {
                let inserted = match random.below(4) {
                    0 => pool.insert(id).ok(),
                    1 => pool.insert([id as u32; 5]).ok(),
                    2 => pool.insert(id.to_string()).ok(),
                    _ => pool.insert_with(|_| Some(Box::new(id))).ok(),
                };
                assert_eq!(inserted.is_none(), model.len() == 33);
                model.extend(inserted.map(|handle| (handle, id)));
            }
            4..=5 if !live.is_empty() => {
                let handle = live[random.below(live.len())];
                assert!(pool.remove(handle) && model.remove(&handle).is_some());
                dead.push(handle);
            }
            6 if !live.is_empty() => {
                let handle = live[random.below(live.len())];
                let text = pool.remove_as::<String>(handle);
                if let Some(text) = text {
                    assert_eq!(model.remove(&handle).unwrap().to_string(), text);
                    dead.push(handle);
                }
            }
            7 if random.below(100) == 0 => {
                dead.extend(live);
                model.clear();
                pool.clear();
            }
            _ => pool.values_mut().take(1).for_each(|value| value.rename(value.id())),
        }
        assert_eq!(pool.len(), model.len());
        if id % 64 == 0 {
            pool.validate().unwrap();
            assert!(model.iter().all(|(handle, id)| pool[*handle].id() == *id));
            assert!(dead.iter().all(|handle| pool.get(*handle).is_none()));
        }
    }
    assert!(dead.len() > 50);
}

#[test]
fn behaves_as_a_map_in_every_reuse_order() {
    in_every_order!(behaves_as_a_map());
}

#[test]
fn takes_no_memory_after_its_creation() {
    let (mut pool, created) = crate::allocations::during(|| Things::new(100));
    // Rooms of 32 bytes, 24 for what is in each, 8.2 for the handles.
    let slack = 64;
    assert!((6400..=6440 + slack).contains(&created.bytes_taken), "{created:?}");
    let ((), later) = crate::allocations::during(|| {
        for round in 0..10_u64 {
            while pool.insert([round as u32; 5]).is_ok() {}
            pool.retain(|handle, _| handle.index() % 2 == 0);
            pool.insert_or_evict(round, |handle, _| handle);
            pool.clear();
        }
    });
    assert_eq!(later, crate::allocations::Allocations::default());
}

#[test]
fn a_pool_gives_back_all_that_it_took() {
    let ((), during) = crate::allocations::during(|| {
        let mut pool = Things::new(100);
        pool.insert("text".to_string()).unwrap();
        pool.insert(Some(Box::new(1_u64))).unwrap();
    });
    assert_eq!(during.taken, during.freed);
}

#[test]
fn values_to_change_come_from_both_ends_and_are_counted() {
    let mut pool = Things::new(70);
    let handles: Vec<_> = (0..70_u64).map(|id| pool.insert(id).unwrap()).collect();
    assert!(pool.remove(handles[1]) && pool.remove(handles[65]));
    let mut live: Vec<_> = pool.handles().collect();
    let mut iter = pool.iter_mut();
    while let Some((handle, value)) = iter.next_back() {
        assert_eq!((Some(handle), value.id()), (live.pop(), handle.index().into()));
        assert_eq!((iter.len(), iter.size_hint()), (live.len(), (live.len(), Some(live.len()))));
        if !live.is_empty() {
            assert_eq!(iter.next().map(|(handle, _)| handle), Some(live.remove(0)));
        }
    }
    assert!(live.is_empty() && iter.next().is_none());
}

#[test]
fn a_live_handle_indexes_its_value_to_change() {
    let mut pool = Things::new(2);
    let handle = pool.insert(1_u64).unwrap();
    pool[handle].rename(5);
    assert_eq!(pool[handle].id(), 5);
    pool.remove(handle);
    let used = catch_unwind(AssertUnwindSafe(|| pool[handle].rename(6)));
    assert!(used.is_err(), "a stale handle indexes nothing");
}

#[test]
fn pools_of_every_size() {
    for capacity in [0, 1, 63, 64, 65] {
        let mut pool = AnyPool::<dyn Thing, 0>::new(capacity);
        while pool.insert(()).is_ok() {}
        assert_eq!((pool.len(), pool.is_full(), pool.values().count()), (capacity, true, capacity));
    }
    let small = AnyPool::<dyn Thing, 8>::builder().handle::<Handle32<dyn Thing, 8>>();
    assert!(small.capacity(300).try_build().is_err());
    assert!(AnyPool::<dyn Thing, 8>::builder().try_build().is_err());
    assert!(AnyPool::<dyn Thing, 8>::builder().capacity(usize::MAX).try_build().is_err());
    let huge = AnyPool::<dyn Thing, { 1 << 40 }>::builder().capacity(1 << 30).try_build();
    assert!(huge.is_err());
}

#[test]
fn a_pool_is_send_and_sync_as_its_values_must_be() {
    fn is_send<T: Send>(_: &T) {}
    fn is_sync<T: Sync>(_: &T) {}
    let mut pool = AnyPool::<dyn Thing + Send, 8>::new(1);
    pool.insert(Cell::new(1_u64)).unwrap();
    is_send(&pool);
    std::thread::scope(|scope| scope.spawn(|| assert_eq!(pool.iter_mut().count(), 1)).join())
        .unwrap();
    let mut shared = AnyPool::<dyn Thing + Send + Sync, 8>::new(1);
    shared.insert(1_u64).unwrap();
    is_sync(&shared);
    is_send(&shared);
    std::thread::scope(|scope| scope.spawn(|| shared.values().count()).join()).unwrap();
}
