//! Pools of few objects, which a program has thousands of: each is made, filled and dropped.

use std::hint::black_box;

use ::slotmap::{DefaultKey, SlotMap};
use millpond::VecPool;

/// 48 bytes.
type Value = [u64; 6];

macro_rules! made {
    ($($name:ident: $pool:ty, $insert:expr;)*) => {
        $(pub(crate) fn $name<const OBJECTS: u64>(times: usize) {
            for _ in 0..times {
                let mut pool = <$pool>::default();
                for object in 0..OBJECTS {
                    black_box($insert(&mut pool, black_box([object; 6])));
                }
                black_box(&mut pool);
            }
        })*
    };
}
made! {
    vec_pool: VecPool<Value>, VecPool::push;
    slotmap: SlotMap<DefaultKey, Value>, SlotMap::insert;
}
