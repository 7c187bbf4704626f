//! `AnyValue`: values of different types behind one trait. (Pools of them are as any others; Miri's suite has them,
//! `tests/families/miri.rs`.)

use std::any::Any;
use std::cell::Cell;

use crate::common::{Counted, Ledger, panics};
use millpond::{AnyPool, AnyValue, Handle, StaticPool};

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

type Anything = AnyValue<dyn Thing, 24>;
type Things = AnyPool<dyn Thing, 24>;

#[test]
fn each_value_keeps_its_type() {
    let mut pool = Things::new(10);
    let number = pool.insert(Anything::new(1_u64)).unwrap();
    let small = pool.insert(Anything::new(2_u8)).unwrap();
    let array = pool.insert(Anything::new([0, 0, 0, 0, 3_u32])).unwrap();
    let text = pool.insert(Anything::new("4".to_string())).unwrap();
    let nothing = pool.insert(Anything::new(())).unwrap();
    let boxed = pool.insert(Anything::new(Some(Box::new(6_u64)))).unwrap();
    let aligned = pool.insert(Anything::new(Aligned(7))).unwrap();
    let all = [number, small, array, text, nothing, boxed, aligned];
    assert_eq!(all.map(|handle| pool[handle].id()), [1, 2, 3, 4, 0, 6, 7]);
    assert_eq!((&raw const *pool[aligned]).addr() % 16, 0);
    pool[number].rename(11);
    for value in pool.values_mut().skip(1) {
        let id = value.id();
        value.rename(id + 10);
    }
    assert_eq!(pool.values().map(|value| value.id()).sum::<u64>(), 11 + 12 + 13 + 14 + 16 + 17);

    assert_eq!(pool.get(small).and_then(|value| value.downcast_ref()), Some(&12_u8));
    assert!(pool[small].downcast_ref::<u64>().is_none() && !pool[small].is::<i8>());
    *pool[boxed].downcast_mut::<Option<Box<u64>>>().unwrap() = None;
    assert!(pool[boxed].id() == 0 && pool[boxed].downcast_mut::<u64>().is_none());
    let value = pool.remove(text).unwrap().downcast::<u64>().unwrap_err();
    assert_eq!((value.id(), value.downcast::<String>().ok().as_deref()), (14, Some("14")));
    assert_eq!(format!("{:?}", pool.get(array)), "Some([0, 0, 0, 0, 13])");
    pool.validate().unwrap();
}

/// Also through a plain shared reference: the room is an `UnsafeCell`.
#[test]
fn a_value_may_change_while_it_is_shared() {
    let mut pool = StaticPool::<AnyValue<dyn Any, 4>, 2>::new();
    let handle = pool.insert(AnyValue::new(Cell::new(1_u32))).unwrap();
    fn set(number: u32, value: &AnyValue<dyn Any, 4>) -> u32 {
        value.downcast_ref::<Cell<u32>>().unwrap().replace(number)
    }
    assert_eq!([2, 3, 4].map(|number| set(number, &pool[handle])), [1, 2, 3]);
}

#[test]
fn a_value_is_dropped_once_also_if_that_panics() {
    let ledger = Ledger::default();
    let value = |id| Anything::new(ledger.value(id));
    ledger.panic_in_drop_of(1);
    assert!(panics(|| drop(value(1))));
    ledger.panic_in_drop_of(1);
    assert!(panics(|| drop(value(1).downcast::<Counted>())));
    assert_eq!(value(2).downcast::<u64>().unwrap_err().id(), 2);
    assert_eq!(ledger.alive(), 0);
    let mut values: Vec<_> = (2..5).map(value).collect();
    let second = values.swap_remove(1).downcast::<Counted>().unwrap();
    assert_eq!((values.iter().map(|value| value.id()).sum::<u64>(), ledger.alive()), (6, 3));
    drop((values, second));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_panicking_drop_is_dropped_once_and_the_pool_goes_on() {
    type Way = fn(&mut Things, Handle<Anything>);
    let ways: [(&str, Way, usize); 4] = [
        ("remove", |pool, bomb| _ = pool.remove(bomb), 1),
        ("retain", |pool, _| pool.retain(|_, value| value.id() != 1), 1),
        ("clear", |pool, _| pool.clear(), 2),
        (
            "evict",
            |pool, _| _ = pool.insert_or_evict(Anything::new(9_u64), |_, value| value.id() != 1),
            1,
        ),
    ];
    for (name, way, dropped) in ways {
        let ledger = Ledger::default();
        let mut pool = Things::new(3);
        let handles = [0, 1, 2].map(|id| pool.insert(Anything::new(ledger.value(id))).unwrap());
        ledger.panic_in_drop_of(1);
        assert!(panics(|| way(&mut pool, handles[1])), "{name}");
        assert_eq!(ledger.alive(), 3 - dropped, "{name}");
        assert!(!pool.contains(handles[1]), "{name}");
        pool.validate().unwrap();
        // The new value of the eviction is in the slot.
        assert_eq!(pool.insert(Anything::new(5_u64)).is_ok(), name != "evict", "{name}");
        pool.validate().unwrap();
        drop(pool);
        assert_eq!(ledger.alive(), 0, "{name}");
    }
}

#[test]
fn takes_no_memory_after_its_creation() {
    let (mut pool, created) = crate::allocations::during(|| Things::new(100));
    // 48 bytes for a value of 24, 8.2 for the handles.
    let slack = 64;
    assert!((5600..=5640 + slack).contains(&created.bytes_taken), "{created:?}");
    let ((), later) = crate::allocations::during(|| {
        for round in 0..10_u64 {
            while pool.insert(Anything::new([round as u32; 5])).is_ok() {}
            pool.retain(|handle, _| handle.index() % 2 == 0);
            pool.insert_or_evict(Anything::new(round), |handle, _| handle);
            pool.clear();
        }
    });
    assert_eq!(later, crate::allocations::Allocations::default());
}
