//! Debug aids of every kind of pool, where something panics, is copied, or has no size. (What they tell of writes
//! and refusals, and by which lines: `tests/debug_aids`.)

use std::cell::Cell;

use millpond::debug::{DebugAids, LiveReport};

use crate::Pools;
use crate::common::{Counted, Ledger, panics, quiet_panic};
use crate::model::sequences::sequences;
use crate::subject::{Basic, Facts, Makes, Nothing, Plan, Subject, for_one_of_each};

thread_local! {
    /// How many objects were live in pools that have gone.
    static TOLD: Cell<usize> = const { Cell::new(0) };
}

fn keep(report: &LiveReport) {
    assert!(report.to_string().starts_with("the pool: "), "{report}");
    TOLD.set(TOLD.get() + report.live());
}

/// How many of so many live objects a pool tells of when it goes.
fn told_of(live: usize, facts: &Facts) -> usize {
    if facts.aided { live } else { 0 }
}

/// They change nothing in a program without mistakes.
fn model(kind: &Pools) {
    let aids = DebugAids::none().fill_dead_slots().remember_origins();
    sequences(kind, Plan { aids, ..Plan::of(kind.facts().capacity.unwrap_or(6)) }, 4, 120);
}

/// They once leaked.
fn values_go_with_a_pool_whose_report_panics(kind: &Pools) {
    let aids = DebugAids::none().report_on_drop(|_| quiet_panic());
    let ledger = Ledger::default();
    for is_taken_apart in [false, true] {
        let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan { aids, ..Plan::of(3) });
        pool.insert(ledger.value(1)).unwrap();
        let panicked = panics(|| match is_taken_apart {
            true => drop(pool.into_iter()),
            false => drop(pool),
        });
        assert_eq!(panicked, kind.facts().aided);
        assert_eq!(ledger.alive(), 0);
    }
}

/// What never came to be does not go. (But a copy of the first of two parts is told if the second part's panics.)
fn copies_that_panic_on_the_way_are_not_told(kind: &Pools) {
    let aids = DebugAids::none().report_on_drop(keep);
    for victim in 0..if kind.facts().written_in_parts { 1 } else { 3 } {
        let ledger = Ledger::default();
        let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan { aids, ..Plan::of(3) });
        (0..3).for_each(|id| assert!(pool.insert(ledger.value(id)).is_ok()));
        ledger.panic_in_clone_of(victim);
        let mut is_copied = false;
        panics(|| is_copied |= pool.try_clone().is_some());
        panics(|| is_copied |= pool.take_snapshot().is_some());
        assert_eq!((is_copied, TOLD.take()), (false, 0));
        drop(pool);
        assert_eq!(TOLD.take(), told_of(3, kind.facts()));
    }
}

fn values_without_size(kind: &dyn Makes<dyn Basic<Nothing>>) {
    for capacity in kind.facts().capacities(&[0, 3]) {
        let aids = DebugAids::all().report_on_drop(keep);
        let mut pool = kind.make(Plan { aids, ..Plan::of(capacity) });
        if let Ok(handle) = pool.insert(Nothing) {
            pool.remove(handle);
        }
        let _ = pool.insert(Nothing);
        pool.clear();
        while pool.insert(Nothing).is_ok() {}
        assert_eq!(pool.len(), capacity);
        drop(pool);
        assert_eq!(TOLD.take(), told_of(capacity, kind.facts()));
    }
}

for_one_of_each! {
    model, values_go_with_a_pool_whose_report_panics, copies_that_panic_on_the_way_are_not_told, values_without_size,
}
