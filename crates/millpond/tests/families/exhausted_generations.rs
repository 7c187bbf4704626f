//! Defect 6: the generations of a slot are used up, and a stale handle is good again. (Slots that retire or wrap after a
//! few lifetimes: see `model`.)

use millpond::InsertAtErrorKind;

use crate::Pools;
use crate::common::Counted;
use crate::subject::{Plan, Subject, Value, for_every_pool};

/// A slot is taken to its last lifetime by a claim.
fn last_lifetime(kind: &Pools) {
    let last = kind.facts().layout.generation_max;
    for wraps in [false, true] {
        let plan = Plan { wraps, ..Plan::of(2) };
        let mut pool: Box<dyn Subject<Counted>> = kind.make(plan);
        let Some(handle) = kind.facts().handle(0, last) else { panic!("a generation in range") };
        match pool.insert_at(handle, Counted::of(1)) {
            None => return,
            Some(result) => assert_eq!(result.is_ok(), pool.capacity() > 0),
        }
        if pool.capacity() == 0 {
            return;
        }
        let retires = !(kind.facts().wraps)(plan) && kind.facts().lasting;
        pool.validate().unwrap();
        assert_eq!(pool.remove(handle), Some(Counted::of(1)));
        pool.validate().unwrap();
        assert!(!pool.contains(handle));
        assert_eq!(pool.retired(), usize::from(retires));
        let mut again = Vec::new();
        while let Ok(handle) = pool.insert(Counted::of(2)) {
            again.push(handle);
        }
        assert_eq!(again.len(), pool.capacity() - usize::from(retires));
        assert!(!pool.contains(handle));
        if (kind.facts().wraps)(plan) {
            let first = kind.facts().handle(0, kind.facts().wraps_to).unwrap();
            assert!(again.contains(&first), "after the last lifetime comes the first");
        }
        if retires {
            assert!(again.iter().all(|handle| handle.index() != 0));
            let refused = (InsertAtErrorKind::Retired, Counted::of(9));
            assert_eq!(pool.insert_at(handle, Counted::of(9)), Some(Err(refused)));
        }
        pool.validate().unwrap();
    }
}

for_every_pool! { last_lifetime }
