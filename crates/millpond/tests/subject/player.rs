//! A program that uses a pool: steps chosen by random bits, what the pool answers to each, and how it looks
//! afterwards. Two pools in the same state go on alike, whatever is asked of them.

use std::fmt::Debug;

use millpond::snapshot::{Checksum, ToChecksum};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Basic, Facts, Key, Plan};
use crate::common::{Counted, Ledger, Random};

/// A value of a test, made from a number.
pub(crate) trait Value:
    Clone + Debug + PartialEq + ToChecksum + Serialize + DeserializeOwned + 'static
{
    fn of(number: u64) -> Self;
}

impl Value for u32 {
    fn of(number: u64) -> Self {
        number as u32
    }
}

impl Value for String {
    fn of(number: u64) -> Self {
        number.to_string()
    }
}

thread_local! {
    /// It has room for the values of a test that counts what a pool takes from the heap.
    static LEDGER: Ledger = Ledger::with_room(1 << 18);
}

/// In a ledger of the thread.
impl Value for Counted {
    fn of(number: u64) -> Self {
        LEDGER.with(|ledger| ledger.value(number))
    }
}

/// A value without a size, and with a large alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Nothing;

impl Value for Nothing {
    fn of(_: u64) -> Self {
        Self
    }
}

impl ToChecksum for Nothing {
    fn add_to(&self, _: &mut Checksum) {}
}

/// A sum over anything that can be printed, the same on every platform.
pub(crate) fn hash(what: impl Debug) -> u64 {
    let mut sum = Checksum::new();
    sum.add(&format!("{what:?}"));
    sum.finish()
}

/// Pools of a few sizes, and some whose slots retire or go round, or that have a name.
pub(crate) fn plans(of: &Facts) -> Vec<Plan> {
    let mut plans: Vec<Plan> = of.capacities(&[0, 1, 5, 70]).into_iter().map(Plan::of).collect();
    let several = Plan::of(of.capacity.unwrap_or(6));
    if of.lifetimes_chosen {
        plans.push(Plan { lifetimes: Some(3), ..several });
    }
    if of.wraps_early {
        plans.push(Plan { lifetimes: Some(4), wraps: true, ..several });
    }
    if of.named {
        plans.push(Plan { name: Some("named"), ..several });
    }
    plans
}

/// A number below the limit, the same where a `usize` has fewer bits.
fn below(bits: u64, limit: usize) -> usize {
    (bits % limit as u64) as usize
}

/// One step of the program, chosen by random bits: what the pool answers.
fn step<T: Value, S: Basic<T> + ?Sized>(pool: &mut S, bits: u64) -> u64 {
    let mut live: Vec<Key> = pool.iter().map(|(handle, _)| handle).collect();
    live.sort_unstable();
    let nth = live.get(below(bits >> 16, live.len().max(1))).copied();
    let value = T::of(bits >> 32);
    match bits % 32 {
        0..13 => hash(pool.insert(value)),
        13..25 => hash(nth.and_then(|handle| pool.remove(handle))),
        25..28 => hash(
            nth.and_then(|handle| pool.get_mut(handle)).map(|old| std::mem::replace(old, value)),
        ),
        28 | 29 => {
            let index = below(bits >> 8, pool.capacity() + 1);
            let handle = pool.layout().key_of_parts(index, 1 + (bits >> 40) as u32 % 6);
            let claimed = handle.map(|handle| pool.insert_at(handle, value));
            hash(claimed.map(|claimed| claimed.map(|result| result.map_err(|(_, value)| value))))
        }
        30 => hash(pool.retain(&mut |handle, _| handle.index() % 3 != below(bits, 5))),
        _ if bits >> 60 == 0 => {
            pool.clear();
            1
        }
        _ => hash(pool.insert_with(&mut |_| T::of(bits))),
    }
}

/// All that can be seen of a pool.
pub(crate) fn seen<T: Value, S: Basic<T> + ?Sized>(pool: &S) -> u64 {
    let all: Vec<_> = pool.iter().collect();
    hash((all, pool.len(), pool.retired(), pool.stats()))
}

/// What a pool answers to some steps, and how it looks after each. Even seeds have insertions in the place of
/// claims, retentions and clears, so that most slots stay unused.
pub(crate) fn play<T: Value, S: Basic<T> + ?Sized>(
    pool: &mut S,
    seed: u64,
    steps: usize,
) -> Vec<(u64, u64)> {
    let mut random = Random(seed);
    let chosen = |bits: u64| if seed % 2 == 0 && bits % 32 >= 27 { bits & !31 } else { bits };
    (0..steps).map(|_| (step(pool, chosen(random.next())), seen(pool))).collect()
}
