//! Lookups in random order, in a slot map and in a pool itself rather than by the face that the tests use:
//! `slotmap-bench COUNT ROUNDS`.

mod peak;

use std::hint::black_box;

#[cfg(feature = "after")]
use millpond::{VecPool as Values, Handle};
#[cfg(feature = "before")]
use slotmap::DefaultKey;

type Value = [u64; 4];
#[cfg(feature = "before")]
type Values<T> = slotmap::SlotMap<DefaultKey, T>;
#[cfg(feature = "before")]
type Key = DefaultKey;
#[cfg(feature = "after")]
type Key = Handle<Value>;

#[cfg(feature = "before")]
fn insert(values: &mut Values<Value>, value: Value) -> Key {
    values.insert(value)
}

#[cfg(feature = "after")]
fn insert(values: &mut Values<Value>, value: Value) -> Key {
    values.push(value)
}

/// Puts them in an order without a pattern, the same each time.
fn shuffle(keys: &mut [Key]) {
    let mut state = 1_u64;
    for last in (1..keys.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        keys.swap(last, (state >> 33) as usize % (last + 1));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().expect("an argument").parse::<usize>().expect("a number");
    let (count, rounds) = (number(), number());
    let mut values = Values::new();
    let mut keys: Vec<_> = (0..count as u64).map(|i| insert(&mut values, [i; 4])).collect();
    shuffle(&mut keys);
    for _ in 0..rounds {
        let sum = black_box(&keys).iter().filter_map(|key| values.get(*key)).fold(0_u64, |sum, value| sum + value[0]);
        assert_eq!(sum, (count as u64 - 1) * count as u64 / 2);
    }
    peak::print();
}
