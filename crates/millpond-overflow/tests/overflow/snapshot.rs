//! Snapshots of pools of several parts, and how they differ.

use millpond::snapshot::{Difference, SlotState, SnapshotError};
use millpond::{Pool, VecPool};
use millpond_overflow::{Overflow, PolicyPool, Spill};

#[test]
fn a_policy_pool_goes_back_to_its_own_past_only() {
    let build = |policy, slots| PolicyPool::new(policy, Pool::<u64>::builder().capacity(slots), 0);
    let mut pool = build(Overflow::EvictOldest, 3);
    (0..3).for_each(|value| _ = pool.insert_by(value, |_, _| 0).unwrap());
    let (saved, sum) = (pool.snapshot(), pool.checksum());
    assert_eq!(saved.checksum(), sum);
    // Which of the objects is the oldest is part of the state.
    pool.insert_by(3, |_, _| 0).unwrap();
    assert_ne!(pool.checksum(), sum);
    pool.restore(&saved).unwrap();
    assert_eq!((pool.checksum(), pool.insert_by(9, |_, _| 0).unwrap().1.unwrap().1), (sum, 0));
    let error = build(Overflow::Refuse, 3).restore(&saved).unwrap_err();
    assert_eq!(error, SnapshotError::OtherPolicy);
    assert_eq!(error.to_string(), "the snapshot is of a pool with another policy");
    let error = build(Overflow::EvictOldest, 4).restore(&saved).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: 4, snapshot: 3 });
}

/// Pools made of others tell the differences of all their parts: of values, of slots and of the order.
#[test]
fn a_comparison_of_pools_made_of_others_sees_every_part() {
    macro_rules! sees {
        ($pool:expr, $insert:expr) => {{
            let (mut pool, insert) = ($pool, $insert);
            let handles = [0, 1, 2, 3, 4, 5].map(|value| insert(&mut pool, value));
            // The last two slots of the second part.
            let [index, other_index] = [4, 5].map(|at: usize| handles[at].index() as usize);
            let before = pool.snapshot();
            *pool.get_mut(handles[4]).unwrap() += 100;
            let after = pool.snapshot();
            let changed = Difference::Value { index, handle: Some(handles[4]) };
            assert_eq!(before.diff(&after).collect::<Vec<_>>(), [changed]);
            assert_ne!(before.checksum(), after.checksum());

            let mut twin = pool.clone();
            pool.remove(handles[5]).unwrap();
            let (left, right) = (after.diff(&pool.snapshot()).next(), SlotState::Live(handles[5]));
            assert!(
                matches!(left, Some(Difference::Slot { index: at, left, .. })
                    if at == other_index && left == right),
                "{left:?}"
            );
            // The same slots are dead, and the same one comes next, but then another.
            pool.remove(handles[4]).unwrap();
            twin.remove(handles[4]).unwrap();
            twin.remove(handles[5]).unwrap();
            for pool in [&mut pool, &mut twin] {
                pool.remove(handles[2]).unwrap();
            }
            let (left, right) = (pool.snapshot(), twin.snapshot());
            let differences: Vec<_> = left.diff(&right).collect();
            let (left, right) = (Some(index), Some(other_index));
            assert_eq!(differences, [Difference::Order { position: 1, left, right }]);
        }};
    }
    sees!(Spill::new(Pool::<u64>::new(2), Pool::<u64>::new(4)), |pool: &mut Spill<_, _>, value| {
        pool.insert(value).unwrap()
    });
    for (policy, first, more) in [(Overflow::Refuse, 6, 0), (Overflow::Spill, 2, 4)] {
        sees!(
            PolicyPool::new(policy, Pool::<u64>::builder().capacity(first), more),
            |pool: &mut PolicyPool<u64>, value| pool.insert_by(value, |_, _| 0).unwrap().0
        );
    }
}

/// Between the slots of two pools there may be billions that never were.
#[test]
fn a_comparison_skips_the_gap_between_two_pools() {
    let mut second = Pool::new(4);
    second.insert(1).unwrap();
    let mut spill = Spill::new(VecPool::<u64>::builder().capacity_max(1 << 31).build(), second);
    let first = spill.insert(2).unwrap();
    let before = spill.snapshot();
    let mut after = spill.snapshot();
    assert_eq!(before.diff(&after).count(), 0);
    spill.iter_mut().for_each(|(_, value)| *value += 10);
    spill.save_into(&mut after).unwrap();
    let slots: Vec<_> = before
        .diff(&after)
        .map(|difference| match difference {
            Difference::Value { index, .. } => index,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(slots.len(), 2, "{slots:?}");
    assert!(slots[0] == first.index() as usize && slots[1] > 1 << 30, "{slots:?}");
}
