//! All sequences of steps on small pools, beside the model.

use crate::subject::{KindToRun, Plan, Run, Step};

/// The steps that differ in a world of so many slots, of which so many are live.
pub(super) fn steps(slots: u8, live: u8) -> Vec<Step> {
    let mut steps = vec![
        Step::Insert,
        Step::InsertWith,
        Step::InsertWithPanics,
        Step::Promise,
        Step::Refused,
        Step::Clear,
        Step::Copy(0),
        Step::Copy(3),
        Step::Save(0),
        Step::Restore(0),
        Step::Migrate(4),
        Step::Reattach(0),
        Step::FreeDetached(0),
    ];
    // The slot beyond the last, too; generations of before, to come, and after that.
    steps.extend((0..=slots).flat_map(|slot| [-1, 0, 1].map(|ahead| Step::InsertAt(slot, ahead))));
    steps.extend((0..=slots).flat_map(|slot| [-1, 0, 1].map(|ahead| Step::Revive(slot, ahead))));
    steps.extend((0..live).flat_map(|n| {
        [
            Step::Remove(n),
            Step::RemovePanics(n),
            Step::ClearPanics(n),
            Step::RetainPanics(n),
            Step::EvictPanics(n),
            Step::LeakDrain(n + 1),
            Step::LeakDrainBack(n + 1),
            Step::Drain(n),
            Step::DrainBack(n),
        ]
    }));
    // All that a mask can say about the live objects, but to keep them all.
    let masks = (1 << live) - 1;
    steps.extend((0..masks).flat_map(|mask| [Step::Retain(mask), Step::Extract(mask + 1)]));
    if live > 0 {
        steps.extend([Step::Detach(0), Step::Detach(live - 1)]);
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
pub(super) struct Saying(pub(super) Plan, pub(super) Vec<Step>);

impl Drop for Saying {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{:?}: after these steps: {:?}", self.0, self.1);
        }
    }
}

/// All worlds of pools of these sizes, each with sequences of up to so many steps; how many sequences.
pub(crate) fn worlds(kind: &KindToRun, sizes: &[(usize, u32)]) -> u64 {
    let more = std::env::var("MILLPOND_MORE_STEPS").map_or(0, |more| more.parse().unwrap());
    let mut count = 0;
    for &(capacity, length) in sizes {
        if !kind.facts().capacities(&[capacity]).contains(&capacity) {
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
    count
}
