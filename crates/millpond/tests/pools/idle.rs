//! What is done to objects that nobody has, to give back what a burst took.

use millpond::{Recycler, SyncRecycler};

use crate::common::{panics, quiet_panic};

#[test]
fn each_dead_object_is_visited_once_and_no_live_one() {
    let mut recycler = Recycler::from_fn(70, |_| 0_u32);
    let handles: Vec<_> = (0..70).map(|_| recycler.acquire().unwrap().0).collect();
    for handle in handles.iter().step_by(3) {
        recycler.release(*handle);
    }
    recycler.for_each_idle(|object| *object += 1);
    for (n, handle) in handles.iter().enumerate() {
        let index = handle.index() as usize;
        assert_eq!(recycler.as_slice()[index], u32::from(n % 3 == 0), "{handle}");
        assert_eq!(recycler.contains(*handle), n % 3 != 0);
    }
    recycler.validate().unwrap();
}

#[test]
fn each_free_object_is_visited_once_and_reset_and_no_lent_one() {
    for is_lazy in [false, true] {
        let builder = SyncRecycler::<(u32, u32)>::builder().capacity(70).homes(3);
        let builder = builder.on_release(|object: &mut (u32, u32)| object.1 += 1);
        let recycler = match is_lazy {
            true => builder.build_lazily(|_| (0, 0)),
            false => builder.build_with(|_| (0, 0)),
        };
        let mut lent: Vec<_> = (0..10).map(|_| recycler.acquire().unwrap()).collect();
        drop(lent.split_off(4));
        let made = if is_lazy { 10 } else { 70 };
        assert_eq!(
            recycler.for_each_idle(|object| object.0 += 1),
            made - 4,
            "one is not made for this"
        );
        assert!(lent.iter().all(|object| **object == (0, 0)));
        assert_eq!((recycler.made(), recycler.available()), (made, 66));
        drop(lent);
        // The hook has run once for each guard and each visit.
        let all: Vec<_> = (0..70).map(|_| *recycler.acquire_at_home(0).unwrap()).collect();
        assert!(all.iter().all(|(visits, _)| *visits <= 1));
    }
}

#[test]
fn a_visit_that_panics_leaves_its_object_free() {
    let recycler = SyncRecycler::<u32>::new(3);
    let mut seen = 0;
    assert!(panics(|| {
        recycler.for_each_idle(|_| {
            seen += 1;
            if seen == 2 {
                quiet_panic();
            }
        });
    }));
    assert_eq!((seen, recycler.available()), (2, 3));
}
