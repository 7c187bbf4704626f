//! `millpond odds`.

use clap::Args;

use crate::odds::{Options, compute, json, table};
use millpond_plan::error::Failure;
use millpond_terminal::arguments::whole;

/// Print how likely it is that a handle is not unique, for every handle layout.
///
/// The table compares the odds of the published formula with those of a simulation with real pools. A dash marks
/// layouts whose odds are too small to simulate. The same options always give the same results.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond odds
  millpond odds --slots 1000 --rounds 20000000
  millpond odds --json | jq '.layouts[0].wrap'")]
pub(crate) struct OddsArguments {
    /// The number of slots of each pool.
    #[arg(long, value_name = "N", default_value_t = Options::DEFAULT.slots, value_parser = whole(1..=Options::SLOTS_MAX))]
    slots: u64,
    /// The number of handles that each simulation compares.
    #[arg(long, value_name = "N", default_value_t = Options::DEFAULT.rounds, value_parser = whole(1..=Options::ROUNDS_MAX))]
    rounds: u64,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = Options::DEFAULT.seed, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Print the odds as JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// Prints the odds; a simulation that contradicts its formula is a check that failed.
pub(crate) fn run(arguments: &OddsArguments) -> Result<(), Failure> {
    let OddsArguments { slots, rounds, seed, .. } = *arguments;
    let odds = compute(&Options { slots, rounds, seed });
    let text = if arguments.json { json(&odds)? } else { table(&odds, millpond_terminal::paint()) };
    millpond_terminal::print(&text)?;
    if odds.agree() {
        Ok(())
    } else {
        Err(Failure::Check("odds: a simulation contradicts its formula".to_owned()))
    }
}
