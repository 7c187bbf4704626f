//! Small worlds, completely, for every pool type: every sequence of steps on pools of up to two slots, up
//! to a length, with hostile handles and with closures and drops that panic, against the model. (For
//! `Pool` in every reuse order, see `exhaustive.rs`.)
//!
//! `MILLPOND_MORE_STEPS=1` makes each sequence so much longer: a minute in a release build. With
//! `-- --nocapture` it says how many sequences they are.

use super::worlds::{Saying, steps, worlds};
use crate::subject::{KindToRun, Plan, Run, Step, for_every_pool, for_one_of_each};

/// Every step before a snapshot, and every one between it and the way back.
fn every_short_past(kind: &KindToRun) {
    let mut count = 0;
    for capacity in kind.facts().capacities(&[1, 2]).into_iter().filter(|capacity| *capacity <= 2) {
        // A slot that retires, or two that do not. The random sequences have several that retire.
        let lifetimes = (capacity == 1).then_some(2);
        count += pasts(kind, Plan { lifetimes, ..Plan::of(capacity) });
    }
    println!("{count} sequences");
}

fn pasts(kind: &KindToRun, plan: Plan) -> u64 {
    let mut count = 0;
    let slots = plan.capacity as u8;
    let of = |begin: &[Step]| {
        let mut run = Run::new(kind, plan);
        begin.iter().all(|step| run.take(*step)).then_some(run)
    };
    for before in steps(slots, 1) {
        let begin = [Step::Insert, before, Step::Save(0)];
        let Some(run) = of(&begin) else { continue };
        for between in steps(slots, run.len() as u8) {
            let mut all = begin.to_vec();
            all.extend([between, Step::Insert]);
            let said = Saying(plan, all.clone());
            if let Some(mut run) = of(&all) {
                run.take(Step::Restore(0));
                run.check();
                run.take(Step::Insert);
                run.check();
                run.end();
                count += 1;
            }
            drop(said);
        }
    }
    count
}

fn every_short_sequence(kind: &KindToRun) {
    worlds(kind, &[(0, 2), (1, 2), (2, 2)]);
}

for_every_pool! { every_short_sequence }

// What comes back depends on the order and on where the values are.
for_one_of_each! { every_short_past }
