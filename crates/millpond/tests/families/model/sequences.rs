//! Sequences of steps, and how one that fails is shrunk and printed.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngAlgorithm, TestError, TestRng, TestRunner,
};

use crate::subject::{KindToRun, Plan, Run, Step, for_every_pool};

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        30 => Just(Step::Insert),
        2 => Just(Step::InsertWith),
        1 => Just(Step::InsertWithPanics),
        2 => Just(Step::Promise),
        8 => (n(), -3_i8..=3).prop_map(|(slot, ahead)| Step::InsertAt(slot, ahead)),
        24 => n().prop_map(Step::Remove),
        1 => n().prop_map(Step::RemovePanics),
        1 => Just(Step::RemoveStale),
        1 => n().prop_map(Step::Overwrite),
        2 => any::<u16>().prop_map(Step::Retain),
        1 => n().prop_map(Step::RetainPanics),
        2 => any::<u16>().prop_map(Step::Extract),
        1 => n().prop_map(Step::Drain),
        1 => n().prop_map(Step::DrainBack),
        1 => n().prop_map(Step::LeakDrain),
        1 => Just(Step::Clear),
        1 => n().prop_map(Step::ClearPanics),
        4 => n().prop_map(Step::Evict),
        1 => n().prop_map(Step::EvictPanics),
        1 => (n(), n()).prop_map(|(a, b)| Step::BorrowTwo(a, b)),
        2 => n().prop_map(Step::Copy),
        3 => n().prop_map(Step::Save),
        4 => n().prop_map(Step::Restore),
    ]
}

/// How many times the usual number of sequences, for a longer run.
fn factor() -> u32 {
    std::env::var("MILLPOND_MODEL_FACTOR").map_or(1, |factor| factor.parse().unwrap())
}

fn sequences(kind: &KindToRun, plan: Plan, cases: u32, length: usize) {
    let config = Config {
        cases: cases * factor(),
        failure_persistence: None::<Box<FileFailurePersistence>>.map(|it| it as _),
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    // The same sequences on every run, unless there are more of them. ChaCha would take most of the time.
    let random = TestRng::deterministic_rng(RngAlgorithm::XorShift);
    let mut runner = TestRunner::new_with_rng(config, random);
    let result = runner.run(&vec(step(), 0..length), |steps| {
        follow(kind, plan, &steps).map_err(|(_, reason)| TestCaseError::fail(reason))
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(_, steps)) => {
            let (taken, reason) = follow(kind, plan, &steps).expect_err("it has failed before");
            panic!(
                "these {} steps fail, on every run of this test:\n\
                 {plan:?}\n{steps:?}\n\
                 after {taken} of them: {reason}",
                steps.len(),
            );
        }
        Err(abort) => panic!("{plan:?}: {abort}"),
    }
}

/// Takes the steps beside the model; or how many went well, and what was then found.
fn follow(kind: &KindToRun, plan: Plan, steps: &[Step]) -> Result<(), (usize, String)> {
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
        sequences(kind, Plan::of(capacity), 6, 120);
    }
}

fn retiring(kind: &KindToRun) {
    for lifetimes in [1, 2, 5] {
        sequences(kind, Plan { lifetimes: Some(lifetimes), ..Plan::of(6) }, 6, 100);
    }
}

fn wrapping(kind: &KindToRun) {
    if kind.facts().wraps_early {
        for lifetimes in [1, 2, 5] {
            let plan = Plan { lifetimes: Some(lifetimes), wraps: true, ..Plan::of(6) };
            sequences(kind, plan, 6, 100);
        }
    }
}

for_every_pool! { lasting, retiring, wrapping }
