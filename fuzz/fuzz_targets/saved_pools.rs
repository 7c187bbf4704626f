//! Bytes as a file of a saved pool, of any type, reuse order and handle layout, in JSON and in a compact form:
//! refused, or a pool that is sound and of use, without memory that the input does not justify.
//!
//! The first byte chooses the pool, the second the form and the values.

#![no_main]

#[path = "../../crates/millpond/tests/common/allocations.rs"]
mod allocations;
#[path = "../../crates/millpond/tests/common/mod.rs"]
mod common;
#[path = "../../crates/millpond/tests/subject/mod.rs"]
mod subject;

use subject::{Form, Kind, PoolUnderTest, Value, bytes_justified, every_kind, use_pool};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[kind, flags], bytes)) = bytes.split_first_chunk() else { return };
    let form = Form::ALL[flags as usize % 2];
    let read = KINDS[kind as usize % KINDS.len()];
    read[flags as usize / 2 % read.len()](form, bytes);
});

macro_rules! reads {
    ([] $($name:ident: $kind:ty;)+) => {{
        use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, Roster};
        use millpond::{Handle, Handle32};
        use subject::*;
        &[$([read::<$kind, u32>, read::<$kind, String>]),+]
    }};
}
/// Of each kind of pool one of small values, and one of values that own memory.
const KINDS: &[[fn(Form, &[u8]); 2]] = every_kind!(reads![]);

fn read<K: Kind, T: Value>(form: Form, bytes: &[u8]) {
    let (read, allocations) = allocations::during(|| <K::Pool<T>>::read(form, bytes));
    let taken = allocations.bytes_taken;
    assert!(taken <= bytes_justified(bytes.len()), "{taken} bytes for {}", bytes.len());
    if let Some(Ok(past)) = <K::Pool<T>>::read_past(form, bytes) {
        <K::Pool<T>>::validate_past(&past).unwrap();
    }
    if let Some(Ok(pool)) = read {
        use_pool::<T, _>(pool);
    }
}
