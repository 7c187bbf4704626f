//! Random sequences on pools several of whose objects are out at once, in every order: on small ones, in which a slot that
//! is kept meets one that has retired, a restore and a migration.

use super::sequences::{sequences_of, step};
use crate::common::Random;
use crate::subject::{KindToRun, Plan, Step, tests_of};

/// Every other time one of those that differ while objects are out.
fn step_of_detaching(random: &mut Random) -> Step {
    let [n, m, ..] = random.next().to_le_bytes();
    match random.below(28) {
        0..5 => Step::Detach(n),
        5..7 => Step::Reattach(n),
        7..9 => Step::FreeDetached(n),
        9 => Step::Save(n),
        10 => Step::Restore(n),
        11 => Step::RestoreElsewhere(n, m),
        12 => Step::Migrate(n),
        13 => Step::Refused,
        14 => Step::Shrink,
        15 => Step::Compact(n),
        16 => Step::Reserve(n),
        _ => step(random),
    }
}

fn short(kind: &KindToRun) {
    for capacity in kind.facts().capacities(&[3, 6, 70]) {
        let plan = Plan::of(capacity);
        sequences_of(step_of_detaching, kind, plan, 6, 80);
        sequences_of(step_of_detaching, kind, Plan { lifetimes: Some(2), ..plan }, 6, 80);
        let wrapping = Plan { lifetimes: Some(2), wraps: true, ..plan };
        sequences_of(step_of_detaching, kind, wrapping, 6, 80);
    }
}

tests_of! { [short]
    pool_lifo: PoolKind<Lifo, Handle<()>>;
    pool_fifo: PoolKind<Fifo, Handle<()>>;
    pool_lowest_first: PoolKind<LowestFirst, Handle<()>>;
    pool_roster: PoolKind<Roster, Handle<()>>;
    pool_fifo_narrow: PoolKind<Fifo, Handle32<(), 15>>;
    vec_lifo: VecKind<Lifo, Handle<()>>;
    vec_roster: VecKind<Roster, Handle<()>>;
    packed: PackedKind<Handle<()>>;
    packed_vec: PackedVecKind<Handle<()>>;
    packed_vec_narrow: PackedVecKind<Handle32<(), 16>>;
    static_of_3: StaticKind<3, Handle<()>>;
    static_of_70: StaticKind<70, Handle<()>>;
}
