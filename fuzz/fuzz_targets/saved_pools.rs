//! Bytes as a file of a saved pool, of any type, reuse order and handle layout, in JSON and in a compact form:
//! refused, or a pool that is sound and of use, without memory that the input does not justify.
//!
//! The first byte chooses the pool, the second the form and the values.

#![no_main]

#[path = "../../crates/millpond/tests/common/mod.rs"]
mod common;
#[path = "common/kinds.rs"]
mod kinds;
#[path = "../../crates/millpond/tests/subject/mod.rs"]
mod subject;

use millpond_testkit::allocations;
use subject::{Form, Kind, LOOKED_AT_MAX, Of, Reads, Value, is_justified, use_pool};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[kind, flags], bytes)) = bytes.split_first_chunk() else { return };
    let form = Form::ALL[flags as usize % 2];
    let kind = KINDS[kind as usize % KINDS.len()];
    // Small values, and values that own memory.
    match flags & 2 {
        0 => read::<u32>(kind, form, bytes),
        _ => read::<String>(kind, form, bytes),
    }
});

/// A kind of pool, and the values that it is read with.
trait ReadsBoth: Reads<u32> + Reads<String> {}

impl<K: Kind> ReadsBoth for Of<K> {}

const KINDS: &[&dyn ReadsBoth] = kinds::kinds!();

fn read<T: Value>(kind: &'static dyn ReadsBoth, form: Form, bytes: &[u8])
where
    dyn ReadsBoth: Reads<T>,
{
    let (read, allocations) = allocations::during(|| Reads::<T>::read(kind, form, bytes));
    assert!(is_justified(&allocations, bytes.len()), "{allocations:?} for {}", bytes.len());
    if matches!(&read, Some(Ok(pool)) if pool.capacity() > LOOKED_AT_MAX) {
        return;
    }
    if let Some(Ok(past)) = Reads::<T>::read_past(kind, form, bytes) {
        past.validate().unwrap();
    }
    if let Some(Ok(mut pool)) = read {
        use_pool::<T, _>(&mut *pool);
    }
}
