//! `millpond export`: recordings in the formats of other tools.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use millpond_plan::error::Failure;
use millpond_plan::output::chrome::chrome;
use millpond_terminal::arguments::{POSITIVE, number};

/// Write a recording for other tools to standard output.
///
/// --chrome writes counters in Chrome's trace event format: open the file in Perfetto (https://ui.perfetto.dev), or convert
/// it with Tracy's import-chrome. A live trace of pools gives live objects, free slots and refusals of each pool; other
/// recordings give the live objects of each class.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond export --chrome game.trace > game.json
  millpond export --chrome --tick-rate 35 game.csv.gz > game.json")]
pub(crate) struct ExportArguments {
    /// Write counters in Chrome's trace event format.
    #[arg(long, required = true)]
    pub(crate) chrome: bool,
    /// The recording.
    #[arg(value_name = "RECORDING")]
    pub(crate) recording: PathBuf,
    /// The number of ticks per second of a lifetime trace without a clock of its own.
    #[arg(long, value_name = "HZ", value_parser = number(POSITIVE))]
    pub(crate) tick_rate: Option<f64>,
}

/// Writes the recording.
pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let name = arguments.recording.to_string_lossy();
    let source =
        millpond_terminal::open(&arguments.recording).map_err(|fault| fault.of_input(&name))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    chrome(&name, &source, arguments.tick_rate, &mut out)?;
    out.flush().map_err(|error| Failure::from_stdout(&error))
}
