//! The arguments of `millpond odds`.

use clap::Args;

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
pub struct OddsArguments {
    /// The number of slots of each pool.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1..=Self::SLOTS_MAX))]
    pub slots: u64,
    /// The number of free slots, in place of --slots: the odds for a pool of which --busy slots stay in use, and these are
    /// used again and again.
    #[arg(long, value_name = "N", requires = "busy", conflicts_with = "slots", value_parser = whole(1..=Self::SLOTS_MAX))]
    pub free: Option<u64>,
    /// The number of slots that stay in use, with --free.
    #[arg(long, value_name = "M", requires = "free", value_parser = whole(0..=Self::SLOTS_MAX - 1))]
    pub busy: Option<u64>,
    /// The number of handles that each simulation compares.
    #[arg(long, value_name = "N", default_value_t = 2_000_000, value_parser = whole(1..=Self::ROUNDS_MAX))]
    pub rounds: u64,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    pub seed: u64,
    /// Print the odds as JSON, for programs.
    #[arg(long)]
    pub json: bool,
}

impl OddsArguments {
    /// The maximum number of slots.
    pub const SLOTS_MAX: u64 = 65_536;
    /// The maximum number of comparisons of one simulation.
    pub const ROUNDS_MAX: u64 = 1_000_000_000;
}
