//! Random sequences on pools that grow, in every order: on small ones, in which a reservation, a restore and a claim meet
//! at once.

use super::sequences::{follow, sequences_of, step};
use crate::common::Random;
use crate::subject::{KindToRun, Plan, Step, tests_of};

/// Every other time one of those that differ in pools that grow.
fn step_of_growth(random: &mut Random) -> Step {
    let [n, m, ..] = random.next().to_le_bytes();
    match random.below(22) {
        0..2 => Step::Reserve(n),
        2 => Step::Shrink,
        3 => Step::Save(n),
        4 => Step::Restore(n),
        5 => Step::RestoreElsewhere(n, m),
        6 if m % 4 == 0 => Step::Counted(n),
        6 => Step::Copy(n),
        7 => Step::Extend(n),
        8 => Step::InsertAt(n, (m % 3) as i8),
        9 => Step::Detach(n),
        10 => Step::Reattach(n),
        11 => Step::Migrate(n),
        _ => step(random),
    }
}

/// Every other time one of those that leave holes, or close them.
fn step_of_holes(random: &mut Random) -> Step {
    let [n, m, ..] = random.next().to_le_bytes();
    match random.below(20) {
        0..4 => Step::Compact(n),
        4..7 => Step::Remove(n),
        7 => Step::Fill,
        8 => Step::Detach(n),
        9 => Step::Retain(u16::from_le_bytes([n, m])),
        _ => step(random),
    }
}

fn compacted(kind: &KindToRun) {
    for capacity in [3, 8, 70] {
        let plan = Plan::of(capacity);
        sequences_of(step_of_holes, kind, plan, 6, 80);
        sequences_of(step_of_holes, kind, Plan { lifetimes: Some(2), ..plan }, 6, 80);
        let wrapping = Plan { lifetimes: Some(2), wraps: true, ..plan };
        sequences_of(step_of_holes, kind, wrapping, 6, 80);
    }
}

fn short(kind: &KindToRun) {
    for capacity in [5, 8, 16] {
        sequences_of(step_of_growth, kind, Plan::of(capacity), 4, 60);
    }
    let retiring = Plan { lifetimes: Some(2), ..Plan::of(8) };
    sequences_of(step_of_growth, kind, retiring, 4, 60);
}

/// A freed slot comes between those that were never used: which ones these are must not be derived from how many
/// lifetimes have begun.
fn reserved_behind_a_freed_slot(kind: &KindToRun) {
    let begin = [Step::Insert, Step::Remove(0), Step::Reserve(5), Step::Insert, Step::Save(0)];
    let between = [Step::InsertAt(0, 1), Step::InsertAt(0, 0), Step::Remove(0), Step::Fill];
    let end = [Step::InsertAt(4, 0), Step::InsertAt(0, 0), Step::Fill];
    for between in between {
        for restore in [Step::Restore(0), Step::RestoreElsewhere(0, 0), Step::Copy(4)] {
            let steps = [&begin[..], &[between, restore], &end].concat();
            follow(kind, Plan::of(16), &steps).unwrap();
        }
    }
}

tests_of! { [short, compacted, reserved_behind_a_freed_slot]
    vec_lifo: VecKind<Lifo, Handle<()>>;
    vec_fifo: VecKind<Fifo, Handle<()>>;
    vec_lowest_first: VecKind<LowestFirst, Handle<()>>;
    vec_roster: VecKind<Roster, Handle<()>>;
    packed_vec: PackedVecKind<Handle<()>>;
    packed_vec_narrow: PackedVecKind<Handle32<(), 16>>;
}
