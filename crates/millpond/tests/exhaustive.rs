//! Small worlds of `Pool`, completely: every sequence of steps on pools of 0 to 3 slots, up to lengths for which
//! `families` takes no time, in every reuse order, with slots that retire, wrap or do neither, against the model.

mod common;
mod subject;
#[path = "families/model/worlds.rs"]
mod worlds;

use subject::{KindToRun, tests_of};

fn every_short_sequence(kind: &KindToRun) {
    let count = worlds::worlds(kind, &[(0, 2), (1, 3), (2, 2), (3, 2)]);
    if std::env::var_os("MILLPOND_MORE_STEPS").is_none() {
        assert_eq!(count, 38_628);
    }
}

tests_of! { [every_short_sequence]
    lifo: PoolKind<Lifo, Handle<()>>;
    fifo: PoolKind<Fifo, Handle<()>>;
    lowest_first: PoolKind<LowestFirst, Handle<()>>;
    roster: PoolKind<Roster, Handle<()>>;
    fifo_narrow: PoolKind<Fifo, Handle32<(), 15>>;
}
