//! `millpond odds`, which the tool starts: as a program of its own, because the code of slots for each of the handle
//! layouts takes a while to build.

mod odds;

use std::process::ExitCode;

use millpond_cli::OddsArguments;
use millpond_plan::error::Failure;

use odds::{Mix, Options, compute, json, table};

fn main() -> ExitCode {
    millpond_cli::run_odds(run).into()
}

/// Prints the odds; a simulation that contradicts its formula is a check that failed.
fn run(arguments: &OddsArguments) -> Result<(), Failure> {
    let OddsArguments { slots, free, busy, rounds, seed, .. } = *arguments;
    let mix = free.zip(busy).map(|(free, busy)| Mix { free, busy });
    let slots = mix.map_or(slots, |mix| mix.free + mix.busy);
    if slots > OddsArguments::SLOTS_MAX {
        let most = OddsArguments::SLOTS_MAX;
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
