//! An object that was removed comes back under its handle, as long as its slot was not used since.

use std::collections::HashMap;

use crate::common::Random;
use millpond::InsertAtErrorKind::{self, *};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{
    BlockPool, Handle, Handle32, HandleLayout, PackedPool, Pool, StaticPool, SyncPool, VecPool,
};

fn kind<H>(refused: Result<H, millpond::InsertAtError<u64>>) -> InsertAtErrorKind {
    refused.map(|_| ()).unwrap_err().kind()
}

/// What was removed from the handle's slot is not undone: the slot is used again.
fn forget<H: HandleLayout>(removed: &mut Vec<(H, u64)>, handle: H) {
    removed.retain(|(gone, _)| gone.index() != handle.index());
}

/// What was moved out, of a pool that says why if it was not.
fn out(taken: impl IntoIterator<Item = u64>) -> Option<u64> {
    taken.into_iter().next()
}

/// The same tests for pools of eight slots with three lifetimes each.
macro_rules! tests {
    ($($name:ident: $pool:expr, $take:ident;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn the_reason_is_told() {
                let mut pool = $pool;
                let handle = pool.insert(1).unwrap();
                assert_eq!(kind(pool.revive(handle, 9)), Occupied);
                let later = HandleLayout::from_parts(handle.index(), handle.generation() + 1);
                let fresh = HandleLayout::from_parts(7, handle.generation());
                assert_eq!(kind(pool.revive(fresh.unwrap(), 9)), NeverLived);
                pool.remove(handle);
                assert_eq!(kind(pool.revive(later.unwrap(), 9)), NeverLived);
                assert_eq!(pool.revive(handle, 2).unwrap(), handle);
                assert_eq!((*pool.get(handle).unwrap(), pool.len()), (2, 1));
                // Two more lifetimes are left to the slot, whatever was revived.
                for generation in 2..=3 {
                    pool.clear();
                    let at = HandleLayout::from_parts(handle.index(), generation).unwrap();
                    pool.insert_at(at, 3).unwrap();
                    assert_eq!(kind(pool.revive(handle, 9)), Occupied);
                    pool.$take(at).unwrap();
                    let expected = if generation == 2 { Stale } else { Retired };
                    assert_eq!(kind(pool.revive(handle, 9)), expected);
                }
                let outside = HandleLayout::from_parts(8, 1).unwrap();
                assert_eq!(kind(pool.revive(outside, 9)), OutOfRange);
                let beyond = HandleLayout::from_parts(7, 4).unwrap();
                assert_eq!(kind(pool.revive(beyond, 9)), BeyondLifetimes);
                let dangling = HandleLayout::DANGLING;
                assert_eq!(kind(pool.revive(dangling, 9)), OutOfRange);
                pool.validate().unwrap();
            }

            #[test]
            fn random_removals_are_undone() {
                let mut pool = $pool;
                let mut random = Random(7);
                for round in 0..60 {
                    let mut live = HashMap::new();
                    // What was removed, latest first to be undone.
                    let mut removed = Vec::new();
                    for step in 0..60 {
                        match random.next() % 4 {
                            0 | 1 => {
                                if let Ok(handle) = pool.insert(step) {
                                    live.insert(handle, step);
                                    forget(&mut removed, handle);
                                }
                            }
                            2 => {
                                let first = pool.iter().next().map(|(handle, _)| handle);
                                let Some(handle) = first else { continue };
                                assert_eq!(out(pool.$take(handle)), live.remove(&handle));
                                removed.push((handle, step + 1000));
                            }
                            _ => {
                                let Some((handle, value)) = removed.pop() else { continue };
                                match pool.revive(handle, value) {
                                    Ok(revived) => {
                                        assert_eq!(revived, handle);
                                        live.insert(handle, value);
                                    }
                                    Err(error) => {
                                        assert_eq!((error.kind(), error.into_inner()), (Retired, value));
                                    }
                                }
                            }
                        }
                        pool.validate().unwrap();
                        assert_eq!(pool.len(), live.len());
                        assert!(live.iter().all(|(handle, value)| pool.get(*handle).as_deref() == Some(value)));
                    }
                    assert_eq!(pool.stats().live, pool.len(), "round {round}");
                    pool = $pool;
                }
            }
        }
    )*};
}

fn short<R: ReuseOrder, H: HandleLayout>(order: R) -> Pool<u64, R, H> {
    Pool::<u64>::builder().capacity(8).lifetimes(3).reuse(order).handle::<H>().build()
}

tests! {
    lifo: short::<Lifo, Handle<u64>>(Lifo), remove;
    fifo: short::<Fifo, Handle<u64>>(Fifo), remove;
    lowest_first: short::<LowestFirst, Handle<u64>>(LowestFirst), remove;
    roster: short::<Roster, Handle<u64>>(Roster), remove;
    next_fit: short::<NextFit, Handle<u64>>(NextFit), remove;
    intrusive: short::<Intrusive, Handle<u64>>(Intrusive), remove;
    narrow: short::<Lifo, Handle32<u64, 8>>(Lifo), remove;
    packed: PackedPool::<u64>::builder().capacity(8).lifetimes(3).build(), remove;
    blocks: BlockPool::<u64>::builder().slots_per_block(8).max_blocks(1).lifetimes(3).build(), remove;
    vec: VecPool::<u64>::builder().capacity_max(8).lifetimes(3).build(), remove;
    fixed: StaticPool::<u64, 8>::builder().lifetimes(3).build(), remove;
    shared: SyncPool::<u64>::builder().capacity(8).lifetimes(3).build(), take;
}

#[test]
fn a_named_pool_never_revives_what_came_before_its_first_lifetime() {
    let mut pool = Pool::<u64>::builder().capacity(2).name("lamps").build();
    let first = pool.generations().first();
    assert!(first > 1, "{first}");
    let before = Handle::from_parts(0, first - 1).unwrap();
    assert_eq!(kind(pool.revive(before, 1)), NeverLived);
    let wraps = Pool::<u64>::builder().capacity(1).lifetimes(2).wrap();
    let mut pool = wraps.build();
    for _ in 0..2 {
        let handle = pool.insert(1).unwrap();
        pool.remove(handle);
    }
    // The slot is at its first lifetime again: its word does not say whether its last one was just before.
    let refused = pool.revive(Handle::from_parts(0, 2).unwrap(), 1).unwrap_err();
    assert_eq!(refused.kind(), Wrapped);
    assert_eq!(
        refused.to_string(),
        "the slot starts its lifetimes again, and keeps no trace of its last one"
    );
    assert_eq!(kind(pool.revive(Handle::from_parts(0, 1).unwrap(), 1)), NeverLived);
    let mut once = Pool::<u64>::builder().capacity(1).lifetimes(1).wrap().build();
    let handle = once.insert(1).unwrap();
    once.remove(handle);
    assert_eq!(kind(once.revive(handle, 1)), Wrapped);
}

/// Also for the first object beyond what is left.
#[test]
fn any_object_of_a_block_that_was_given_back_can_be_revived() {
    for gone in 0..12 {
        let mut pool = BlockPool::<u64>::with_blocks(4, 3);
        let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
        let left = gone / 4 * 4;
        handles[left..].iter().for_each(|handle| _ = pool.remove(*handle).unwrap());
        pool.shrink_to_fit();
        assert_eq!(pool.capacity(), left);
        assert_eq!(pool.revive(handles[gone], 7).unwrap(), handles[gone]);
        assert_eq!((pool[handles[gone]], pool.capacity()), (7, left + 4));
        pool.validate().unwrap();
    }
}

#[test]
fn a_block_that_was_given_back_comes_again_for_what_lay_in_it() {
    let blocks = BlockPool::<u64>::builder().slots_per_block(4).max_blocks(9);
    let mut pool = blocks.lifetimes(2).give_back_beyond(0).build();
    let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
    for handle in &handles {
        pool.remove(*handle).unwrap();
    }
    assert_eq!(pool.capacity(), 0);
    let [first, last] = [handles[0], handles[11]];
    assert_eq!(pool.revive(last, 11).unwrap(), last);
    assert_eq!((pool[last], pool.len(), pool.capacity()), (11, 1, 12));
    pool.validate().unwrap();
    assert_eq!(pool.revive(first, 0).unwrap(), first);
    // Nothing grows for what cannot be revived.
    let later = Handle::from_parts(11, last.generation() + 1).unwrap();
    pool.clear();
    pool.insert_at(later, 7).unwrap();
    pool.remove(later).unwrap();
    pool.shrink_to_fit();
    let capacity = pool.capacity();
    assert_eq!(kind(pool.revive(last, 9)), Retired);
    assert_eq!(kind(pool.revive(Handle::from_parts(35, 1).unwrap(), 9)), NeverLived);
    assert_eq!(kind(pool.revive(Handle::from_parts(36, 1).unwrap(), 9)), OutOfRange);
    assert_eq!(pool.capacity(), capacity);
    pool.validate().unwrap();
}
