//! Sequences of steps, and how one that fails is shrunk and printed.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::common::Random;
use crate::subject::{KindToRun, Plan, Run, Step, for_every_pool};

pub(super) fn step(random: &mut Random) -> Step {
    let [n, m, ..] = random.next().to_le_bytes();
    let mask = u16::from_le_bytes([n, m]);
    match random.below(100) {
        0..19 => Step::Insert,
        19..22 => Step::Reserve(n),
        22 if m % 2 == 0 => Step::Shrink,
        22 => Step::Compact(n),
        23 => Step::Extend(n),
        24..26 => Step::Lend(n, mask),
        26 => Step::Sort(n),
        27..29 => Step::Update(n, u16::from(m) | u16::from(m) << 7),
        29 => Step::Record(n % 2 == 0),
        30..32 => Step::InsertWith,
        32 => Step::InsertWithPanics,
        33..35 => Step::Promise,
        35..43 => Step::InsertAt(n, (m % 7) as i8 - 3),
        43..61 => Step::Remove(n),
        61..64 => Step::Detach(n),
        64..66 => Step::Reattach(n),
        66 => Step::FreeDetached(n),
        67 => Step::RemovePanics(n),
        68 => Step::Refused,
        69 => Step::Overwrite(n),
        70..72 => Step::Retain(mask),
        72 => Step::RetainPanics(n),
        73..75 => Step::Extract(mask),
        75 => Step::Drain(n),
        76 => Step::DrainBack(n),
        77 if m % 2 == 0 => Step::LeakDrain(n),
        77 => Step::LeakDrainBack(n),
        78 => Step::Clear,
        79 => Step::ClearPanics(n),
        80..83 => Step::Evict(n),
        83 => Step::Migrate(n),
        84 => Step::EvictPanics(n),
        85 => Step::BorrowTwo(n, m),
        86 => Step::Copy(n),
        87 if m % 2 == 0 => Step::Copy(n),
        87 => Step::Counted(n),
        88..91 => Step::Save(n),
        91..94 => Step::Restore(n),
        94 => Step::RestoreElsewhere(n, m),
        95..98 => Step::Revive(n, (m % 5) as i8 - 2),
        _ => Step::Fill,
    }
}

/// How many times the usual number of sequences, for a longer run.
fn factor() -> u64 {
    std::env::var("MILLPOND_MODEL_FACTOR").map_or(1, |factor| factor.parse().unwrap())
}

/// The same sequences on every run, unless there are more of them.
pub(crate) fn sequences(kind: &KindToRun, plan: Plan, cases: u64, length: usize) {
    sequences_of(step, kind, plan, cases, length);
}

pub(super) fn sequences_of(
    step: fn(&mut Random) -> Step,
    kind: &KindToRun,
    plan: Plan,
    cases: u64,
    length: usize,
) {
    let mut count = 0;
    for seed in 0..cases * factor() {
        let mut random = Random(seed);
        let mut steps: Vec<Step> = (0..random.below(length)).map(|_| step(&mut random)).collect();
        count += steps.len();
        if follow(kind, plan, &steps).is_err() {
            shrink(&mut steps, |steps| follow(kind, plan, steps).is_err());
            let (taken, reason) = follow(kind, plan, &steps).expect_err("it has failed before");
            panic!(
                "these {} steps fail, on every run of this test:\n\
                 {plan:?}\n{steps:?}\n\
                 after {taken} of them: {reason}",
                steps.len(),
            );
        }
    }
    println!("{count} steps");
}

/// Leaves out what need not be there for the sequence to fail: at first long parts of it, at last single steps.
fn shrink(steps: &mut Vec<Step>, fails: impl Fn(&[Step]) -> bool) {
    let mut part = steps.len();
    while part > 0 {
        let mut at = 0;
        while at < steps.len() {
            let end = steps.len().min(at + part);
            let fewer = [&steps[..at], &steps[end..]].concat();
            if fails(&fewer) { *steps = fewer } else { at = end }
        }
        part /= 2;
    }
}

/// Takes the steps beside the model; or how many went well, and what was then found.
pub(super) fn follow(kind: &KindToRun, plan: Plan, steps: &[Step]) -> Result<(), (usize, String)> {
    let taken = Cell::new(0);
    said_by(|| {
        let mut run = Run::new(kind, plan);
        for step in steps {
            run.take(*step);
            run.check();
            taken.set(taken.get() + 1);
        }
        run.end();
    })
    .map_err(|reason| (taken.get(), reason))
}

thread_local! {
    /// What the last panic said, while this thread's panics are not printed.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What the work says when it panics, which is not printed: shrinking tries hundreds of sequences.
fn said_by(work: impl FnOnce()) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let is_kept = SAID.with_borrow_mut(|said| {
                said.as_mut().map(|said| *said = panic.to_string()).is_some()
            });
            if !is_kept {
                print(panic);
            }
        }));
    });
    SAID.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let said = SAID.take().unwrap_or_default();
    result.map_err(|_| said)
}

fn lasting(kind: &KindToRun) {
    for capacity in kind.facts().capacities(&[0, 1, 3, 65]) {
        sequences(kind, Plan::of(capacity), 4, 120);
    }
}

fn retiring(kind: &KindToRun) {
    for lifetimes in [1, 2, 5] {
        sequences(kind, Plan { lifetimes: Some(lifetimes), ..Plan::of(6) }, 4, 100);
    }
}

fn wrapping(kind: &KindToRun) {
    if kind.facts().wraps_early {
        for lifetimes in [1, 2, 5] {
            let plan = Plan { lifetimes: Some(lifetimes), wraps: true, ..Plan::of(6) };
            sequences(kind, plan, 4, 100);
        }
    }
}

for_every_pool! { lasting, retiring, wrapping }
