//! The same operations on what grows: `VecPool` and the generational arenas of other crates; and the loops around the operations without any.
//! The difference between an operation and its loop is what the operation itself takes.

use std::hint::black_box;
use std::num::NonZero;

use super::{TIMES_MAX, Value};

/// The handles in the order of [`jumping`](super::jumping).
fn jumping<K: Copy>(keys: &[K], times: usize) -> impl Iterator<Item = K> {
    (0..times).map(|i| keys[i * 7919 % keys.len()])
}

/// A number for each slot, as large as the handles of a pool that was just filled.
#[inline(never)]
fn numbers() -> Vec<NonZero<u64>> {
    (0..TIMES_MAX as u64).filter_map(|index| NonZero::new(index << 32 | 1)).collect()
}

pub(crate) fn loop_insert(times: usize) {
    for i in 0..times as u64 {
        black_box(&black_box([i; 4]));
        black_box(Some(i));
    }
}

/// The loop of `get` and of `remove`.
pub(crate) fn loop_get(times: usize) {
    for number in jumping(&numbers(), times) {
        black_box(Some(number));
    }
}

pub(crate) fn loop_remove_insert(times: usize) {
    for (i, number) in (0..).zip(jumping(&numbers(), times)) {
        black_box(Some(number));
        black_box(&black_box([i; 4]));
        black_box(Some(number));
    }
}

/// Four operations on an arena of this type and its keys, into which this method inserts.
macro_rules! operations_of {
    ($name:ident: $arena:ty, $key:ty, $insert:ident) => {
        pub(crate) mod $name {
            use super::*;

            /// As that of a pool, out of line: no operation is compiled for what it does.
            #[inline(never)]
            fn filled() -> ($arena, Vec<$key>) {
                let mut arena = <$arena>::with_capacity(TIMES_MAX);
                let keys = (0..TIMES_MAX as u64).map(|i| arena.$insert([i; 4])).collect();
                (arena, keys)
            }

            pub(crate) fn insert(times: usize) {
                let mut arena = <$arena>::with_capacity(TIMES_MAX);
                for i in 0..times as u64 {
                    black_box(arena.$insert(black_box([i; 4])));
                }
            }

            pub(crate) fn get(times: usize) {
                let (arena, keys) = filled();
                for key in jumping(&keys, times) {
                    black_box(arena.get(key));
                }
            }

            pub(crate) fn remove(times: usize) {
                let (mut arena, keys) = filled();
                for key in jumping(&keys, times) {
                    black_box(arena.remove(key));
                }
            }

            pub(crate) fn remove_insert(times: usize) {
                let (mut arena, keys) = filled();
                for (i, key) in (0..).zip(jumping(&keys, times)) {
                    black_box(arena.remove(key));
                    black_box(arena.$insert(black_box([i; 4])));
                }
            }
        }
    };
}
operations_of!(vec_pool: ::millpond::VecPool<Value>, ::millpond::Handle<Value>, push);
operations_of!(slotmap: ::slotmap::SlotMap<::slotmap::DefaultKey, Value>, ::slotmap::DefaultKey, insert);
operations_of!(thunderdome: ::thunderdome::Arena<Value>, ::thunderdome::Index, insert);
operations_of!(gen_map: ::gen_map::GenMap<Value>, ::gen_map::Key<::gen_map::DefaultKeyConfig>, insert);
