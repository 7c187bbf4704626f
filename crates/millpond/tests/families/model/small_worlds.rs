//! Small worlds, completely, for every pool type: every sequence of steps on pools of up to two slots, up
//! to a length, with hostile handles and with closures and drops that panic, against the model. (For
//! `Pool` in every reuse order, see `exhaustive.rs`.)
//!
//! `MILLPOND_MORE_STEPS=1` makes each sequence so much longer: a minute in a release build. With
//! `-- --nocapture` it says how many sequences they are.

use crate::subject::{KindToRun, Plan, Run, Step, for_every_pool, for_one_of_each};

/// The steps that differ in a world of so many slots, of which so many are live.
fn steps(slots: u8, live: u8) -> Vec<Step> {
    let mut steps = vec![
        Step::Insert,
        Step::InsertWith,
        Step::InsertWithPanics,
        Step::Promise,
        Step::RemoveStale,
        Step::Clear,
        Step::Copy(0),
        Step::Copy(3),
        Step::Save(0),
        Step::Restore(0),
    ];
    // The slot beyond the last, too; generations of before, to come, and after that.
    steps.extend((0..=slots).flat_map(|slot| [-1, 0, 1].map(|ahead| Step::InsertAt(slot, ahead))));
    steps.extend((0..live).flat_map(|n| {
        [
            Step::Remove(n),
            Step::RemovePanics(n),
            Step::ClearPanics(n),
            Step::RetainPanics(n),
            Step::EvictPanics(n),
            Step::LeakDrain(n + 1),
            Step::Drain(n),
            Step::DrainBack(n),
        ]
    }));
    // All that a mask can say about the live objects, but to keep them all.
    let masks = (1 << live) - 1;
    steps.extend((0..masks).flat_map(|mask| [Step::Retain(mask), Step::Extract(mask + 1)]));
    if live > 0 {
        steps.extend([Step::Evict(0), Step::Evict(255), Step::Overwrite(0), Step::BorrowTwo(0, 0)]);
        steps.push(Step::BorrowTwo(0, live - 1));
    }
    steps
}

/// All sequences that begin like this and have so many steps more; how many they are.
fn sequences(kind: &KindToRun, plan: Plan, begin: &mut Vec<Step>, length: u32) -> u64 {
    let replayed = |begin: &[Step]| {
        let mut run = Run::new(kind, plan);
        begin.iter().for_each(|step| assert!(run.take(*step)));
        run
    };
    let mut count = 1;
    if length == 0 {
        return count;
    }
    for step in steps(plan.capacity as u8, replayed(begin).len() as u8) {
        begin.push(step);
        let said = Saying(plan, begin.clone());
        let mut run = replayed(&begin[..begin.len() - 1]);
        let is_step = run.take(step);
        run.check();
        run.end();
        drop(said);
        if is_step {
            count += sequences(kind, plan, begin, length - 1);
        }
        begin.pop();
    }
    count
}

/// Says on unwinding which sequence failed.
struct Saying(Plan, Vec<Step>);

impl Drop for Saying {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{:?}: after these steps: {:?}", self.0, self.1);
        }
    }
}

/// All worlds of up to so many steps for pools of these sizes; says how many sequences.
fn worlds(kind: &KindToRun, capacities: &[usize], length: u32) {
    let more = std::env::var("MILLPOND_MORE_STEPS").map_or(0, |more| more.parse().unwrap());
    let mut count = 0;
    for capacity in kind.facts().capacities(capacities) {
        if !capacities.contains(&capacity) {
            continue;
        }
        let plan = Plan::of(capacity);
        let mut plans = vec![plan];
        if kind.facts().lifetimes_chosen {
            plans.extend([1, 2].map(|count| Plan { lifetimes: Some(count), ..plan }));
        }
        if kind.facts().wraps_early {
            plans.push(Plan { lifetimes: Some(2), wraps: true, ..plan });
        }
        for plan in plans {
            count += sequences(kind, plan, &mut Vec::new(), length + more);
        }
    }
    println!("{count} sequences");
}

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
    worlds(kind, &[0, 1, 2], 2);
}

for_every_pool! { every_short_sequence }

// What comes back depends on the order and on where the values are.
for_one_of_each! { every_short_past }
