//! `millpond odds`.

use clap::Args;

use crate::odds::{Mix, Options, compute, json, table};
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
  millpond odds --free 30 --busy 80
  millpond odds --json | jq '.layouts[0].wrap'")]
pub(crate) struct OddsArguments {
    /// The number of slots of each pool.
    #[arg(long, value_name = "N", default_value_t = Options::DEFAULT.slots, value_parser = whole(1..=Options::SLOTS_MAX))]
    slots: u64,
    /// The number of free slots, in place of --slots: the odds for a pool of which --busy slots stay in use, and these are
    /// used again and again.
    #[arg(long, value_name = "N", requires = "busy", conflicts_with = "slots", value_parser = whole(1..=Options::SLOTS_MAX))]
    free: Option<u64>,
    /// The number of slots that stay in use, with --free.
    #[arg(long, value_name = "M", requires = "free", value_parser = whole(0..=Options::SLOTS_MAX - 1))]
    busy: Option<u64>,
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
    let OddsArguments { slots, free, busy, rounds, seed, .. } = *arguments;
    let mix = free.zip(busy).map(|(free, busy)| Mix { free, busy });
    let slots = mix.map_or(slots, |mix| mix.free + mix.busy);
    if slots > Options::SLOTS_MAX {
        let most = Options::SLOTS_MAX;
        return Err(Failure::Arguments(format!(
            "--free and --busy: {slots} slots, expected at most {most}"
        )));
    }
    let odds = compute(&Options { slots, rounds, seed, mix });
    let text = if arguments.json { json(&odds)? } else { table(&odds, millpond_terminal::paint()) };
    millpond_terminal::print(&text)?;
    if odds.agree() {
        Ok(())
    } else {
        Err(Failure::Check("odds: a simulation contradicts its formula".to_owned()))
    }
}
