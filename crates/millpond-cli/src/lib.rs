//! The command line of the tool that computes how large each pool has to be.
//!
//! [`run`] is the whole tool. What it computes is in `millpond-plan`. The library exists for the tool, its tests and
//! its manual; its interface is not stable.

mod allocators;
mod args;
mod compare_arguments;
mod compare_commands;
mod export_command;
mod external;
mod generate;
mod generate_game;
mod headroom;
mod loans_command;
mod merge_arguments;
mod names;
mod odds_arguments;
pub mod output_file;
mod pages;
mod plan_command;
mod record_arguments;
mod record_command;
mod replay_arguments;
mod sums_command;
mod wanted;

pub use args::Arguments;
pub use merge_arguments::MergeArguments;
pub use odds_arguments::OddsArguments;
pub use replay_arguments::ReplayArguments;

use std::ffi::OsString;

use args::Command;
use external::External;
use millpond_plan::error::Failure;

/// Runs the tool with these arguments, the first of them its own name; returns the exit code:
/// 0 done, 1 a check that it made failed, 2 unusable input or arguments, 3 done with an input that is cut short.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match External::of(&arguments) {
        Some(external) => millpond_terminal::exit_code(external.run()),
        None => millpond_terminal::run(arguments, dispatch),
    }
}

/// Runs `millpond-merge`, which `command` is, with the arguments of this process; returns the exit code as [`run`]
/// does.
pub fn run_merge(command: impl FnOnce(&MergeArguments) -> Result<(), Failure>) -> u8 {
    run_program("merge", |parsed| match parsed {
        Command::Merge(arguments) => command(&arguments),
        other => unreachable!("the second word is `merge`: {other:?}"),
    })
}

/// Runs `millpond-replay`, which `command` is, with the arguments of this process; returns the exit code as [`run`]
/// does.
pub fn run_replay(command: impl FnOnce(&ReplayArguments) -> Result<(), Failure>) -> u8 {
    run_program("replay", |parsed| match parsed {
        Command::Replay(arguments) => command(&arguments),
        other => unreachable!("the second word is `replay`: {other:?}"),
    })
}

/// Runs `millpond-odds`, which `command` is, with the arguments of this process; returns the exit code as [`run`] does.
pub fn run_odds(command: impl FnOnce(&OddsArguments) -> Result<(), Failure>) -> u8 {
    run_program("odds", |parsed| match parsed {
        Command::Odds(arguments) => command(&arguments),
        other => unreachable!("the second word is `odds`: {other:?}"),
    })
}

/// A command that is a program of its own has the parser and the help of the tool.
fn run_program(name: &str, command: impl FnOnce(Command) -> Result<(), Failure>) -> u8 {
    let words = ["millpond", name].map(OsString::from);
    let words = words.into_iter().chain(std::env::args_os().skip(1));
    millpond_terminal::run(words, |arguments: Arguments| {
        millpond_terminal::set_when(arguments.color.when);
        command(arguments.command.expect("the second word is a command"))
    })
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    millpond_terminal::set_when(arguments.color.when);
    match arguments.command {
        None => plan_command::run_without_command(),
        Some(Command::Plan(arguments)) => match arguments.wait_p99_ms {
            Some(wait_p99_ms) => loans_command::run(&arguments, wait_p99_ms),
            None => plan_command::run(&arguments),
        },
        Some(Command::Check(arguments)) => compare_commands::run_check(&arguments),
        Some(Command::Diff(arguments)) => compare_commands::run_diff(&arguments),
        Some(Command::Export(arguments)) => export_command::run(&arguments),
        Some(Command::Record(arguments)) => record_command::run(&arguments),
        Some(Command::Merge(_)) => Err(External::out_of_place("merge")),
        Some(Command::Replay(_)) => Err(External::out_of_place("replay")),
        Some(Command::Odds(_)) => Err(External::out_of_place("odds")),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
        Some(Command::Prices) => allocators::run_prices(),
        Some(Command::Calls { trace }) => allocators::run_calls(&trace),
        Some(Command::Completions { shell }) => pages::completions(shell),
        Some(Command::Man { command }) => pages::man(command.as_deref()),
    }
}
