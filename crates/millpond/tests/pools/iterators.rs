//! What each iterator of a pool tells of what is left, and that a drain leaves nothing behind. (Pools of
//! every shape, half-used iterators, clones and leaks: `tests/families/iterators.rs`.)

use std::cell::Cell;

use millpond::classic::RosterPool;
use millpond::{BlockPool, PackedPool, Pool, StaticPool, VecPool};

/// From the front and from the back in turn: at each step the iterator says how many are left.
#[track_caller]
fn tells_what_is_left(mut iter: impl DoubleEndedIterator + ExactSizeIterator, len: usize) {
    for left in (1..=len).rev() {
        assert_eq!((iter.size_hint(), iter.len()), ((left, Some(left)), left));
        let next = if left % 2 == 0 { iter.next().is_some() } else { iter.next_back().is_some() };
        assert!(next, "{left} were left");
    }
    assert_eq!(iter.size_hint(), (0, Some(0)));
    assert!(iter.next().is_none() && iter.next_back().is_none());
}

/// The iterators over every other of 70 values.
macro_rules! tells_what_is_left {
    ($($test:ident: $pool:expr;)*) => {$(
        #[test]
        fn $test() {
            let mut pool = $pool;
            (0..70_u64).for_each(|value| assert!(pool.insert(value).is_ok()));
            pool.retain(|_, value| *value % 2 == 0);
            tells_what_is_left(pool.iter(), 35);
            tells_what_is_left(pool.iter_mut(), 35);
            tells_what_is_left(pool.handles(), 35);
            tells_what_is_left(pool.values(), 35);
            tells_what_is_left(pool.values_mut(), 35);
            tells_what_is_left(pool.clone().into_iter(), 35);
            let mut copy = pool.clone();
            let mut drain = copy.drain();
            for left in (0..35).rev() {
                assert!(drain.next().is_some());
                assert_eq!((drain.size_hint(), drain.len()), ((left, Some(left)), left));
            }
            assert!(drain.next().is_none());

            // Which values it will choose nobody knows: none perhaps, or all that it was not asked about.
            let asked = Cell::new(0);
            let mut extracted = pool.extract_if(|_, value| {
                asked.set(asked.get() + 1);
                *value % 3 == 0
            });
            assert_eq!(extracted.size_hint(), (0, Some(35)));
            for taken in 1..=12 {
                assert!(extracted.next().is_some());
                let (least, most) = extracted.size_hint();
                assert_eq!(least, 0);
                let (asked, most) = (asked.get(), most.unwrap());
                assert!((35 - asked..=35 - taken).contains(&most), "{taken} of {asked}: {most}");
            }
            assert!(extracted.next().is_none() && pool.len() == 23);
        }
    )*};
}

tells_what_is_left! {
    pool_tells_what_is_left: Pool::new(70);
    packed_pool_tells_what_is_left: PackedPool::new(70);
    static_pool_tells_what_is_left: StaticPool::<u64, 70>::new();
    block_pool_tells_what_is_left: BlockPool::with_blocks(16, 5);
    vec_pool_tells_what_is_left: VecPool::new();
}

/// It knows its position, and with it how many it has not asked about.
#[test]
fn packed_pool_tells_what_is_left_to_extract() {
    let mut pool = PackedPool::new(35);
    (0..35_u64).for_each(|value| assert!(pool.insert(value).is_ok()));
    let asked = Cell::new(0);
    let mut extracted = pool.extract_if(|_, value| {
        asked.set(asked.get() + 1);
        *value % 3 == 0
    });
    while extracted.next().is_some() {
        assert_eq!(extracted.size_hint(), (0, Some(35 - asked.get())));
    }
    assert_eq!((extracted.size_hint(), asked.get()), ((0, Some(0)), 35));
}

#[test]
fn roster_pool_is_walked_from_both_ends() {
    let mut pool = RosterPool::<u64>::new(70);
    (0..70).for_each(|_| assert!(pool.allocate().is_some()));
    pool.retain(|handle, _| handle.index() % 2 == 0);
    let backwards = || (0..70).rev().skip(1).step_by(2);
    assert!(pool.handles().rev().map(|handle| handle.index()).eq(backwards()));
    assert!(pool.iter_mut().rev().map(|(handle, _)| handle.index()).eq(backwards()));
}

/// After steps from both ends, `for_each` visits what is left of a mutable iteration, in index order. The live slots are
/// the lowest ones, or there are holes; blocks of 4 slots and more end within them and at them.
macro_rules! folds_what_is_left {
    ($($test:ident: $pool:expr;)*) => {$(
        #[test]
        fn $test() {
            for (count, keep_one_in) in [(150, 1), (128, 1), (150, 2), (150, 7), (150, 100)] {
                let mut pool = $pool;
                (0..count).for_each(|value| assert!(pool.insert(value).is_ok()));
                pool.retain(|_, value| *value % keep_one_in == 0);
                let values: Vec<u64> = pool.values().copied().collect();
                let mut pairs = Vec::new();
                pool.iter_mut().for_each(|(handle, value)| pairs.push((handle, *value)));
                assert!(pairs.into_iter().eq(pool.iter().map(|(handle, value)| (handle, *value))));
                for (front, back) in [(0, 0), (1, 0), (0, 1), (3, 5), (4, 20), (64, 1), (70, 70)] {
                    let Some(until) = values.len().checked_sub(back) else { continue };
                    let Some(left) = values.get(front..until) else { continue };
                    let mut iter = pool.values_mut();
                    let from_front = iter.by_ref().take(front).map(|value| *value);
                    assert!(from_front.eq(values[..front].iter().copied()));
                    let from_back = iter.by_ref().rev().take(back).map(|value| *value);
                    assert!(from_back.eq(values[until..].iter().rev().copied()));
                    // One more from the front, so that the two have met in a word or a block.
                    assert_eq!(iter.next().map(|value| *value), left.first().copied());
                    let mut folded = Vec::new();
                    iter.for_each(|value| folded.push(*value));
                    assert_eq!(folded, left.get(1..).unwrap_or(&[]));
                }
            }
        }
    )*};
}

folds_what_is_left! {
    a_pool_folds_what_is_left: Pool::new(200);
    a_static_pool_folds_what_is_left: StaticPool::<u64, 200>::new();
    a_pool_of_doubling_blocks_folds_what_is_left: BlockPool::<u64>::new();
    a_vec_pool_folds_what_is_left: VecPool::<u64>::new();
    a_pool_of_equal_blocks_folds_what_is_left: BlockPool::<u64>::with_blocks(16, 13);
}
