//! `AnyPool`: values of different types behind one trait. (What it does as any other pool: see `tests/families`.)

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Counted, Ledger, panics};
use millpond::{AnyPool, GetDisjointMutError, Handle, InsertAtErrorKind, Refusal};

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
    Counted: |this| Counted::id(this), |id| { let _ = (this, id); };
    Aligned: |this| this.0.into(), |id| this.0 = id as u8;
}

#[derive(Debug)]
#[repr(align(16))]
struct Aligned(u8);

type Things = AnyPool<dyn Thing, 24>;

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
    pool[number].rename(11);
    pool.values_mut().skip(1).for_each(|value| value.rename(value.id() + 10));
    assert_eq!((&pool).into_iter().count(), (&mut pool).into_iter().count());
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
fn a_panicking_drop_is_dropped_once_and_the_pool_goes_on() {
    type Way = fn(&mut Things, Handle<dyn Thing>);
    let ways: [(&str, Way, usize); 4] = [
        ("remove", |pool, bomb| _ = pool.remove(bomb), 1),
        ("retain", |pool, _| pool.retain(|_, value| value.id() != 1), 1),
        ("clear", |pool, _| pool.clear(), 2),
        ("evict", |pool, _| _ = pool.insert_or_evict(9_u64, |_, value| value.id() != 1), 1),
    ];
    for (name, way, dropped) in ways {
        let ledger = Ledger::default();
        let mut pool = Things::new(3);
        let handles = [0, 1, 2].map(|id| pool.insert(ledger.value(id)).unwrap());
        ledger.panic_in_drop_of(1);
        assert!(panics(|| way(&mut pool, handles[1])), "{name}");
        assert_eq!((ledger.alive(), pool.len()), (3 - dropped, 3 - dropped), "{name}");
        assert_eq!(pool.len(), pool.iter().count(), "{name}");
        assert!(!pool.contains(handles[1]), "{name}");
        pool.validate().unwrap();
        pool.insert(5_u64).unwrap();
        drop(pool);
        assert_eq!(ledger.alive(), 0, "{name}");
    }
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
fn what_cannot_be_built_is_an_error() {
    let narrow = AnyPool::<dyn Thing, 8>::builder().handle::<millpond::Handle32<dyn Thing, 8>>();
    assert!(narrow.capacity(300).try_build().is_err());
    assert!(AnyPool::<dyn Thing, 8>::builder().try_build().is_err());
    assert!(AnyPool::<dyn Thing, 8>::builder().capacity(usize::MAX).try_build().is_err());
    let huge = AnyPool::<dyn Thing, { 1 << 40 }>::builder().capacity(1 << 30).try_build();
    assert!(huge.is_err());
}
