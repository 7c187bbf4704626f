//! What goes over a pool's live slots and values, in pools of every shape: from both ends, half-used and folded,
//! cloned, and what it tells of what is left. (With counted values, dropped half-way, leaked:
//! `tests/families/iterators.rs`.)

use std::cell::Cell;

use millpond::{Handle, PackedPool, PackedVecPool, Pool, Recycler, StaticPool, VecPool};
use millpond_classic::RosterPool;

use crate::common::{Random, from_both_ends, half_used, half_used_and_folded};

/// How many slots are taken, and which of them stay live: shapes that cross every border of a bitmap's words, and
/// of blocks.
fn shapes() -> impl Iterator<Item = (usize, fn(usize) -> bool)> {
    let kinds: [fn(usize) -> bool; 10] = [
        |_| true,
        |_| false,
        |slot| slot % 2 == 0,
        |slot| slot % 64 == 0 || slot % 64 == 63,
        |slot| slot / 64 != 1,
        |slot| slot % 97 > 3,
        |slot| slot % 64 < 60,
        |slot| (slot * slot + slot / 7) % 5 < 2,
        |slot| slot % 7 == 0,
        |slot| slot % 100 == 0,
    ];
    [0, 1, 64, 65, 128, 150, 200].into_iter().flat_map(move |slots| kinds.map(|kind| (slots, kind)))
}

/// A pool of such a shape, the slots of its values in its own order, and their handles: each value is its slot at
/// first.
macro_rules! shaped {
    ($make:expr, $slots:ident, $is_live:ident) => {{
        let mut pool = $make($slots);
        let handles: Vec<_> = (0..$slots).map(|slot| pool.insert(slot).unwrap()).collect();
        pool.retain(|_, slot| $is_live(*slot));
        let slots: Vec<usize> = pool.iter().map(|(_, slot)| *slot).collect();
        let handles: Vec<_> = slots.iter().map(|slot| handles[*slot]).collect();
        (pool, slots, handles)
    }};
}

/// What a selection says that has been asked to choose some of the live values: which it will choose nobody knows, none
/// perhaps, or all that it was not asked about. A packed pool knows by its position how many these are.
fn extracts(
    mut extracted: impl Iterator,
    asked: &Cell<usize>,
    live: usize,
    knows_its_position: bool,
) -> usize {
    assert_eq!(extracted.size_hint(), (0, Some(live)));
    let mut taken = 0;
    while extracted.next().is_some() {
        taken += 1;
        let (least, most) = extracted.size_hint();
        let (not_asked, most) = (live - asked.get(), most.unwrap());
        assert!(least == 0 && (not_asked..=live - taken).contains(&most), "{taken}: {most}");
        assert!(!knows_its_position || most == not_asked);
    }
    assert_eq!(asked.get(), live);
    taken
}

/// How many are taken from the front and from the back before the rest are folded.
const ENDS: [(usize, usize); 7] = [(0, 0), (1, 0), (0, 1), (3, 5), (4, 20), (64, 1), (70, 70)];

/// What every pool of values of one type has.
macro_rules! walks {
    ($($test:ident: $make:expr, $knows_its_position:expr;)*) => {$(
        #[test]
        fn $test() {
            let mut random = Random(3);
            for (slots, is_live) in shapes() {
                let (mut pool, slots, handles) = shaped!($make, slots, is_live);
                let values: Vec<&usize> = slots.iter().collect();
                half_used(pool.values(), &values);
                half_used(pool.handles(), &handles);
                from_both_ends(pool.values(), &values, &mut random);
                from_both_ends(pool.handles(), &handles, &mut random);
                let pairs = || handles.iter().copied().zip(slots.iter().copied());
                half_used(pool.clone().into_iter(), &pairs().collect::<Vec<_>>());
                assert!((&pool).into_iter().map(|(handle, value)| (handle, *value)).eq(pairs()));

                let mut copy = slots.clone();
                let expected: Vec<&mut usize> = copy.iter_mut().collect();
                from_both_ends(pool.values_mut(), &expected, &mut random);
                for ends in ENDS {
                    half_used_and_folded(pool.values_mut(), ends, &expected);
                }
                let expected: Vec<_> = handles.iter().copied().zip(expected).collect();
                for ends in ENDS {
                    half_used_and_folded(pool.iter_mut(), ends, &expected);
                }
                for (_, value) in &mut pool {
                    *value += 1000;
                }
                pool.iter_mut().for_each(|(_, value)| *value += 1000);
                pool.values_mut().rev().for_each(|value| *value += 1000);
                assert!(pool.values().copied().eq(slots.iter().map(|slot| slot + 3000)));

                let asked = Cell::new(0);
                let extracted = pool.extract_if(|_, value| {
                    asked.set(asked.get() + 1);
                    *value % 3 == 0
                });
                let taken = extracts(extracted, &asked, slots.len(), $knows_its_position);
                assert_eq!(taken, slots.iter().filter(|slot| *slot % 3 == 0).count());
                assert_eq!(pool.len(), slots.len() - taken);
            }
        }
    )*};
}

/// What only those have whose values stay in their slots.
macro_rules! walks_over_slots {
    ($($test:ident: $make:expr;)*) => {
        walks! { $($test: $make, false;)* }

        mod slots_and_runs {
            use super::*;

            $(
                #[test]
                fn $test() {
                    let mut random = Random(9);
                    for (slots, is_live) in shapes() {
                        let expected: Vec<_> = (0..slots).filter(|slot| is_live(*slot)).collect();
                        let (mut pool, slots, handles) = shaped!($make, slots, is_live);
                        assert_eq!(slots, expected, "in index order");
                        half_used(pool.occupancy().iter(), &slots);
                        from_both_ends(pool.occupancy().iter(), &slots, &mut random);
                        let pairs: Vec<_> = handles.into_iter().zip(slots.clone()).collect();
                        from_both_ends(pool.clone().drain(), &pairs, &mut random);

                        let runs = slots.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run));
                        let runs: Vec<(usize, &[usize])> = runs.collect();
                        for taken in 0..4 {
                            let mut rest = pool.runs();
                            assert!(rest.by_ref().take(taken).eq(runs.iter().copied().take(taken)));
                            for rest in [rest.clone(), rest] {
                                assert!(rest.eq(runs.iter().copied().skip(taken)));
                            }
                        }
                        // All slices at once, to show that none overlaps another.
                        let held: Vec<_> = pool.runs_mut().collect();
                        assert!(held.iter().map(|(first, run)| (*first, &**run)).eq(runs));
                        for (_, run) in held {
                            run.iter_mut().for_each(|value| *value += 500);
                        }
                        assert!(pool.values().copied().eq(slots.iter().map(|slot| slot + 500)));
                    }
                }
            )*
        }
    };
}

walks_over_slots! {
    pool: Pool::<usize>::new;
    static_pool: |_| StaticPool::<usize, 200>::new();
    vec_pool: |_| VecPool::<usize>::new();
}

walks! {
    packed_pool: PackedPool::<usize>::new, true;
    packed_vec_pool: |_| PackedVecPool::<usize>::new(), true;
}

/// Its own iterator, over the slots of the whole array.
#[test]
fn roster_pool() {
    let mut pool = RosterPool::<u64>::new(70);
    (0..70).for_each(|_| assert!(pool.allocate().is_some()));
    pool.retain(|handle, _| handle.index() % 2 == 0);
    let expected: Vec<u32> = (0..70).step_by(2).collect();
    assert!(pool.iter().map(|(handle, _)| handle.index()).eq(expected.iter().copied()));
    assert!(pool.handles().map(Handle::index).eq(expected.iter().copied()));
    let backwards = || expected.iter().copied().rev();
    assert!(pool.iter().rev().map(|(handle, _)| handle.index()).eq(backwards()));
    assert!(pool.handles().rev().map(Handle::index).eq(backwards()));
    assert!(pool.iter_mut().rev().map(|(handle, _)| handle.index()).eq(backwards()));
}

#[test]
fn runs_of_a_recycler_and_its_mutable_walk() {
    let mut random = Random(9);
    for (slots, is_live) in shapes() {
        let mut recycler = Recycler::from_fn(slots, |index| index);
        let acquired = std::iter::from_fn(|| recycler.acquire().map(|(handle, _)| handle));
        let handles: Vec<_> = acquired.collect();
        for handle in handles.into_iter().filter(|handle| !is_live(handle.index() as usize)) {
            recycler.release(handle);
        }
        let mut expected: Vec<usize> = recycler.occupancy().iter().collect();
        assert!(expected.iter().copied().eq((0..slots).filter(|slot| is_live(*slot))));
        let runs = expected.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run));
        let runs: Vec<(usize, &[usize])> = runs.collect();
        assert!(recycler.runs().eq(runs.iter().copied()));
        // All slices at once, as above.
        let held: Vec<_> = recycler.runs_mut().collect();
        assert!(held.iter().map(|(first, run)| (*first, &**run)).eq(runs));
        let handles: Vec<_> = recycler.handles().collect();
        let expected: Vec<&mut usize> = expected.iter_mut().collect();
        from_both_ends(recycler.values_mut(), &expected, &mut random);
        let expected: Vec<_> = handles.into_iter().zip(expected).collect();
        from_both_ends(recycler.iter_mut(), &expected, &mut random);
    }
}
