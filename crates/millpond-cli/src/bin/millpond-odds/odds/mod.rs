//! `millpond odds`: how likely it is that a handle is not unique.
//!
//! The event, in plain words: somebody kept a handle, and the pool issues an equal one for another
//! object. To put a number on it, let the kept handle be equally likely any of the handles *in
//! play*: a slot that is taken and released again and again brings up one handle for each of its
//! lifetimes, a slot whose object stays has one. With `free` slots of the first kind and `busy` of
//! the second that makes `free × lifetimes + busy` handles, and the handle that is issued next is
//! one of them: the odds are `1 / (free × lifetimes + busy)`. With 128 lifetimes that is the
//! published formula of the byte-map pool, `1 / (128 + (n − 1))` at worst (one slot of a full pool
//! taken again and again) and `1 / (n × 128)` at best (an empty pool being filled).
//!
//! What the formula does not say: generations count up, they are not drawn by lot. Whoever keeps a
//! handle for exactly as many lifetimes of its slot as the layout has, is certain to be misled.
//! Slots that retire instead of beginning again rule that out, at the price of a pool that becomes
//! smaller: then the odds are 0, and what is worth knowing is after how many lifetimes slots are
//! gone.

mod formula;
mod json;
mod layouts;
mod simulation;
mod table;

use millpond_cli::OddsArguments;

pub(crate) use formula::Mix;
pub(crate) use json::json;
use layouts::Layout;
pub(crate) use simulation::{Exhausted, Simulated};
pub(crate) use table::table;

/// Handles in play beyond which nothing is simulated: they are all kept in memory.
const HANDLES_SIMULATED_MAX: u64 = 100_000;
/// Matches that a simulation has to expect, for its count to say anything.
const MATCHES_EXPECTED_MIN: u64 = 20;
/// Slots that one simulation looks at, at most: with one free slot a cursor passes all others.
const STEPS_MAX: u64 = 400_000_000;
/// Standard deviations beyond which a simulation contradicts the formula.
const SIGMAS_MAX: f64 = 5.0;

/// What to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// Slots of each pool, from 1 to [`OddsArguments::SLOTS_MAX`].
    pub(crate) slots: u64,
    /// Comparisons of each simulation, at least 1.
    pub(crate) rounds: u64,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// A mix of free and busy slots, together as many as `slots`, beside the worst and the best.
    pub(crate) mix: Option<Mix>,
}

/// The odds for every layout.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Odds {
    /// Slots of each pool.
    pub(crate) slots: u64,
    /// Comparisons of each simulation.
    pub(crate) rounds: u64,
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// One entry a layout: the byte-map pool first, then millpond's own.
    pub(crate) layouts: Vec<LayoutOdds>,
}

/// The odds for one layout.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayoutOdds {
    /// Its name, such as `Handle32<T, 20>`.
    pub(crate) layout: String,
    /// How many slots a pool with it can have; with fewer than asked for, the rest is empty.
    pub(crate) slots_max: u64,
    /// The number of lifetimes of one slot that it distinguishes.
    pub(crate) lifetimes_per_slot: u64,
    /// Slots begin again after their last lifetime: the worst case, half-full, the best case, and the mix that was asked
    /// for.
    pub(crate) wrap: Vec<CaseOdds>,
    /// Slots retire after their last lifetime.
    pub(crate) retire: Option<RetireOdds>,
}

/// The odds of one mix of free and busy slots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CaseOdds {
    /// `worst`, `half`, `best` or `mix`.
    pub(crate) case: &'static str,
    /// How many slots are free and how many busy.
    pub(crate) mix: Mix,
    /// `free × lifetimes + busy`.
    pub(crate) handles_in_play: u64,
    /// `1 / handles_in_play`.
    pub(crate) odds: f64,
    /// The same from a real pool; `None` where so rare an event takes more rounds.
    pub(crate) simulated: Option<Simulated>,
}

/// What retiring costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RetireOdds {
    /// Always 0: no handle is issued twice.
    pub(crate) odds: f64,
    /// Lifetimes after which the first slot is gone, where one slot has them all.
    pub(crate) first_slot_gone_after: u64,
    /// Lifetimes after which the last slot is gone.
    pub(crate) last_slot_gone_after: u64,
    /// The same from a real pool; `None` where that takes too long.
    pub(crate) simulated: Option<Exhausted>,
}

impl Odds {
    /// Whether every simulation agrees with its formula.
    #[must_use]
    pub(crate) fn agree(&self) -> bool {
        self.layouts.iter().all(|layout| {
            layout.wrap.iter().all(CaseOdds::agrees)
                && layout.retire.as_ref().is_none_or(RetireOdds::agrees)
        })
    }
}

impl CaseOdds {
    fn agrees(&self) -> bool {
        self.simulated.as_ref().is_none_or(|simulated| {
            simulated.handles_met == self.handles_in_play && simulated.sigmas.abs() <= SIGMAS_MAX
        })
    }
}

impl RetireOdds {
    fn agrees(&self) -> bool {
        self.simulated.as_ref().is_none_or(|simulated| {
            simulated.repeated == 0
                && simulated.first_slot_lifetimes == self.first_slot_gone_after
                && simulated.lifetimes == self.last_slot_gone_after
        })
    }
}

/// The odds for every layout, by formula and by simulation. The same options give the same answer
/// on every machine.
///
/// # Panics
///
/// If `options` are out of the ranges that they state.
#[must_use]
pub(crate) fn compute(options: &Options) -> Odds {
    let Options { slots, rounds, seed, mix } = *options;
    assert!(
        (1..=OddsArguments::SLOTS_MAX).contains(&slots),
        "slots: 1 to {}",
        OddsArguments::SLOTS_MAX
    );
    assert!(
        (1..=OddsArguments::ROUNDS_MAX).contains(&rounds),
        "rounds: 1 to {}",
        OddsArguments::ROUNDS_MAX
    );
    let is_of_slots = mix.is_none_or(|mix| mix.free >= 1 && mix.free + mix.busy == slots);
    assert!(is_of_slots, "a mix has a free slot at least, and as many slots as the pool");
    let layouts = layouts::all().iter().map(|layout| of_layout(layout, options)).collect();
    Odds { slots, rounds, seed, layouts }
}

fn of_layout(layout: &Layout, options: &Options) -> LayoutOdds {
    let slots = options.slots;
    let fits = slots <= layout.slots_max;
    let cases =
        [("worst", Mix::worst(slots)), ("half", Mix::half(slots)), ("best", Mix::best(slots))];
    let cases = cases.into_iter().chain(options.mix.map(|mix| ("mix", mix)));
    LayoutOdds {
        layout: layout.name.clone(),
        slots_max: layout.slots_max,
        lifetimes_per_slot: layout.lifetimes_per_slot,
        wrap: cases
            .filter(|_| fits)
            .map(|(case, mix)| under_wrap(layout, case, mix, options))
            .collect(),
        retire: fits.then(|| under_retire(layout, slots)),
    }
}

fn under_wrap(layout: &Layout, case: &'static str, mix: Mix, options: &Options) -> CaseOdds {
    let lifetimes = layout.lifetimes_per_slot;
    let handles = mix.handles(lifetimes);
    let rounds = options.rounds.min((STEPS_MAX * mix.free / options.slots).max(1));
    let feasible = handles <= HANDLES_SIMULATED_MAX && rounds / handles >= MATCHES_EXPECTED_MIN;
    let simulated = feasible.then(|| {
        let mut pool = (layout.wrapping)(options.slots as usize);
        simulation::run(pool.as_mut(), mix, lifetimes, rounds, options.seed)
    });
    CaseOdds { case, mix, handles_in_play: handles, odds: mix.odds(lifetimes), simulated }
}

fn under_retire(layout: &Layout, slots: u64) -> RetireOdds {
    let last_slot_gone_after = slots * layout.lifetimes_until_retired;
    let feasible = last_slot_gone_after <= HANDLES_SIMULATED_MAX;
    let simulated = feasible.then(|| {
        let mut pool = (layout.retiring)(slots as usize);
        simulation::exhaust(pool.as_mut(), slots, last_slot_gone_after)
    });
    RetireOdds {
        odds: 0.0,
        first_slot_gone_after: layout.lifetimes_until_retired,
        last_slot_gone_after,
        simulated,
    }
}

#[cfg(test)]
mod tests;
