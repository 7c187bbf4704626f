//! Defect 7: a handle from a file or from the net names a slot beyond the pool, a dead lifetime, or
//! nothing at all; and memory is taken for it.

use crate::Pools;
use crate::allocations;
use crate::common::Counted;
use crate::subject::{Claimed, Facts, Key, Plan, Subject, Value, for_every_pool};

/// Numbers at which something begins or ends in some layout.
fn borders() -> Vec<u32> {
    let mut borders: Vec<u32> = (0..32).flat_map(|bit| [1_u32 << bit, (1 << bit) - 1]).collect();
    borders.extend([2, 3, 5, u32::MAX - 1, u32::MAX]);
    borders.extend((0..8).flat_map(|index| (0..4).map(move |low| index << 8 | low)));
    borders.extend((0..8).flat_map(|index| (0..4).map(move |low| index << 16 | low)));
    borders.sort_unstable();
    borders.dedup();
    borders
}

fn all_handles(of: &Facts) -> Vec<Key> {
    let borders = borders();
    let mut handles = Vec::new();
    for &high in &borders {
        handles.extend(
            borders
                .iter()
                .filter_map(|&low| of.layout.key_of_bits(u64::from(high) << 32 | u64::from(low))),
        );
        for generation in [0, 1, 2, 3, of.layout.generation_max - 1, of.layout.generation_max] {
            handles.extend(of.handle(high as usize, generation));
        }
    }
    handles.sort_unstable();
    handles.dedup();
    handles
}

/// Slots that are live in their first and in their second lifetime, that died, and that never lived.
fn used(kind: &Pools) -> (Box<dyn Subject<Counted>>, Vec<Key>) {
    let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(6));
    let mut live: Vec<Key> =
        (0..4).filter_map(|value| pool.insert(Counted::of(value)).ok()).collect();
    for _ in 0..live.len().min(2) {
        pool.remove(live.remove(0));
    }
    live.extend(pool.insert(Counted::of(7)));
    (pool, live)
}

fn refused_without_memory(kind: &Pools) {
    let handles = all_handles(kind.facts());
    let (mut pool, live) = used(kind);
    let ((), allocations) = allocations::during(|| {
        for &handle in &handles {
            let is_live = live.contains(&handle);
            assert_eq!(pool.contains(handle), is_live, "{handle:?}");
            assert_eq!(pool.get(handle).is_some(), is_live, "{handle:?}");
            assert_eq!(pool.get_mut(handle).is_some(), is_live, "{handle:?}");
            if !is_live {
                assert_eq!(pool.remove(handle), None, "{handle:?}");
                assert!(!matches!(pool.disjoint([handle]), Some(Some(_))), "{handle:?}");
            }
        }
    });
    assert_eq!(allocations, allocations::Allocations::default());
    assert!(live.iter().all(|&handle| pool.contains(handle) && handles.contains(&handle)));
    assert_eq!(pool.len(), live.len());
    pool.validate().unwrap();
}

/// A claim of any bits, or a revival: refused, and nothing has happened; or the object is there under exactly this
/// handle.
fn claimed(kind: &Pools) {
    claimed_by(kind, |pool, handle, value| pool.insert_at(handle, value));
    claimed_by(kind, |pool, handle, value| pool.revive(handle, value));
}

fn claimed_by(
    kind: &Pools,
    claim: fn(&mut dyn Subject<Counted>, Key, Counted) -> Claimed<Counted>,
) {
    let (mut pool, live) = used(kind);
    for handle in all_handles(kind.facts()) {
        let value = Counted::of(9);
        let (result, allocations) = allocations::during(|| claim(&mut *pool, handle, value));
        assert!(kind.facts().allocates || allocations == allocations::Allocations::default());
        let was_taken = match result {
            None => return,
            Some(Ok(())) => {
                assert!(handle.index() < pool.capacity() && !live.contains(&handle));
                assert_eq!(pool.get(handle), Some(&Counted::of(9)));
                true
            }
            Some(Err((_, value))) => {
                assert_eq!(value, Counted::of(9));
                assert_eq!(pool.contains(handle), live.contains(&handle));
                false
            }
        };
        assert_eq!(pool.len(), live.len() + usize::from(was_taken));
        assert!(live.iter().all(|&handle| pool.contains(handle)));
        if was_taken {
            pool.validate().unwrap();
            pool = used(kind).0;
        }
    }
    pool.validate().unwrap();
}

for_every_pool! { refused_without_memory, claimed }
