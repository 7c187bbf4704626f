//! Bytes as operations on a pool of any type, reuse order and handle layout, beside the model that the
//! library's own tests use: after every operation the pool is as the model says, and `validate` finds
//! nothing.
//!
//! The first byte chooses the pool, three more how it is built, and each further three an operation.

#![no_main]

#[path = "../../crates/millpond/tests/common/mod.rs"]
mod common;
#[path = "common/kinds.rs"]
mod kinds;
#[path = "../../crates/millpond/tests/subject/mod.rs"]
mod subject;

use subject::{KindToRun, Plan, Run, Step};

/// Enough for two words of an occupancy.
const CAPACITY_MAX: usize = 70;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[kind, capacity, lifetimes, flags], steps)) = bytes.split_first_chunk() else {
        return;
    };
    let plan = Plan {
        lifetimes: (lifetimes > 0).then_some(u32::from(lifetimes)),
        wraps: flags & 1 != 0,
        ..Plan::of(capacity as usize % (CAPACITY_MAX + 1))
    };
    run(KINDS[kind as usize % KINDS.len()], plan, steps);
});

const KINDS: &[&KindToRun] = kinds::kinds!();

fn run(kind: &KindToRun, mut plan: Plan, bytes: &[u8]) {
    plan.wraps &= kind.facts().wraps_early;
    let mut run = Run::new(kind, plan);
    for bytes in bytes.chunks_exact(3) {
        run.take(step([bytes[0], bytes[1], bytes[2]]));
        run.check();
    }
    run.end();
}

fn step([what, a, b]: [u8; 3]) -> Step {
    let mask = u16::from_le_bytes([a, b]);
    match what % 32 {
        0..7 => Step::Insert,
        7..12 => Step::Remove(a),
        12 => Step::InsertAt(a, b as i8),
        13 => Step::Revive(a, b as i8),
        14 if b & 1 == 0 => Step::Copy(a),
        14 => Step::Compact(a),
        15 => Step::Save(a),
        16 => Step::Restore(a),
        17 => Step::InsertWith,
        18 => Step::InsertWithPanics,
        19 => Step::Promise,
        20 => Step::RemovePanics(a),
        21 => Step::Refused,
        22 => Step::Overwrite(a),
        23 => Step::Retain(mask),
        24 => Step::RetainPanics(a),
        25 => Step::Extract(mask),
        26 => Step::Drain(a),
        27 => Step::DrainBack(a),
        28 if b & 1 == 0 => Step::LeakDrain(a),
        28 => Step::LeakDrainBack(a),
        29 if b & 1 == 0 => Step::Clear,
        29 => Step::ClearPanics(a),
        30 if b & 1 == 0 => Step::Evict(a),
        30 => Step::EvictPanics(a),
        _ => Step::BorrowTwo(a, b),
    }
}
