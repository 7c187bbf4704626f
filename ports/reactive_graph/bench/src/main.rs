//! Signals and memos: `reactive_graph-bench SCENARIO ROUNDS`.

mod peak;

use std::hint::black_box;

use reactive_graph::computed::Memo;
use reactive_graph::owner::Owner;
use reactive_graph::prelude::*;
use reactive_graph::signal::RwSignal;

/// Makes so many signals.
fn signals(count: usize) -> Vec<RwSignal<usize>> {
    (0..count).map(RwSignal::new).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");

    let root = Owner::new();
    root.set();
    match scenario.as_str() {
        "signals" => {
            for _ in 0..rounds {
                let owner = Owner::new();
                owner.with(|| black_box(signals(10_000)));
                owner.cleanup();
            }
        }
        "memos" => {
            let source = RwSignal::new(0);
            let first = Memo::new(move |_| source.get() + 1);
            let last = (1..1_000).fold(first, |before, _| Memo::new(move |_| before.get() + 1));
            for round in 0..rounds {
                source.set(round);
                assert_eq!(last.get(), round + 1_000);
            }
        }
        "set" => {
            let signals = signals(100_000);
            // Steps of a number that has no factor in common with theirs come to all of them, in no order.
            for round in 0..rounds {
                let signal = signals[round * 61_803 % signals.len()];
                signal.set(round);
                black_box(signal.get());
            }
        }
        other => panic!("no scenario {other}"),
    }
    peak::print();
}
