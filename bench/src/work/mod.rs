//! What is done to all contenders, one file each; and the contenders that do one work alone.

pub(crate) mod burst;
pub(crate) mod churn;
pub(crate) mod clear_refill;
pub(crate) mod create;
pub(crate) mod duplicate;
pub(crate) mod fill;
pub(crate) mod get;
pub(crate) mod growth;
pub(crate) mod iterate;
#[cfg(feature = "cpp")]
mod native;
pub(crate) mod particle_pool;
pub(crate) mod particles;
pub(crate) mod quadtree;
pub(crate) mod replay;
pub(crate) mod retain;
pub(crate) mod snapshot;
pub(crate) mod sparse;
pub(crate) mod tree_in_frame;
pub(crate) mod tree_in_place;
pub(crate) mod worst;

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::measure::{Candidate, Lap, Task};
use crate::object::Object;

/// How large a work is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) slots: usize,
    /// How many of the slots are live.
    pub(crate) percent: usize,
}

/// A work that `cpp/works.hpp` has too, with its number there.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cpp"), allow(dead_code, reason = "only the C++ contenders ask"))]
pub(crate) struct NativeWork {
    pub(crate) number: u32,
    /// How many operations a lap has at least.
    pub(crate) operations: fn(usize) -> usize,
}

/// Something to do, on objects of `P` words of payload.
pub(crate) trait Work: 'static {
    /// The number of the same work in C++, if it has been written there.
    #[cfg_attr(not(feature = "cpp"), allow(dead_code, reason = "only the C++ contenders ask"))]
    const NATIVE: Option<NativeWork> = None;

    /// Makes a contender ready, or answers `None` if it lacks what the work needs.
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>>;
}

/// Work `W` with all contenders. `name` is the column in the tables.
pub(crate) fn task<W: Work, const P: usize>(name: impl Into<String>, case: Case) -> Task {
    let mut collector =
        Collector::<W, P> { case, candidates: Vec::new(), work: std::marker::PhantomData };
    visit_all(&mut collector);
    #[cfg(feature = "cpp")]
    collector.candidates.extend(W::NATIVE.into_iter().flat_map(
        |NativeWork { number, operations }| {
            native::candidates(number, P, case, operations(live(case)))
        },
    ));
    Task {
        work: name.into(),
        object_bytes: size_of::<Object<P>>(),
        slots: case.slots,
        candidates: collector.candidates,
    }
}

struct Collector<W, const P: usize> {
    case: Case,
    candidates: Vec<Candidate>,
    work: std::marker::PhantomData<W>,
}

impl<W: Work, const P: usize> Visitor for Collector<W, P> {
    fn visit<C: Contender>(&mut self) {
        let case = self.case;
        self.candidates.push(Candidate {
            name: C::NAME,
            kind: C::KIND,
            prepare: Box::new(move || W::prepare::<C, P>(case)),
        });
    }
}

/// How many slots are live.
#[cfg(feature = "cpp")]
fn live(case: Case) -> usize {
    case.slots * case.percent / 100
}

/// How many operations a lap has: enough for the clock, and enough to bring back into the caches what other
/// contenders have pushed out (each timed lap comes after one that is not); few enough for many rounds.
pub(crate) fn operations(slots: usize) -> usize {
    (2 * slots).clamp(OPERATIONS_MIN, 500_000)
}

/// Enough for the clock; a test of the works themselves needs no more than a few.
const OPERATIONS_MIN: usize = if cfg!(test) { 500 } else { 100_000 };
