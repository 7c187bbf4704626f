//! The arguments of `millpond record`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use millpond_record::tracy::Address;
use millpond_terminal::arguments::{POSITIVE, number};

/// What `--tracy` is without a host.
pub(crate) const HERE: &str = "127.0.0.1:8086";

/// Record the memory of a running program with Tracy's client, for `millpond plan`.
///
/// It waits for the program, shows what it records, and ends with the program, with Ctrl-C, or after --seconds. The program
/// needs Tracy 0.11.1 to 0.14 (protocols 69, 74, 76 and 82) and has to tell Tracy of its memory: in Bevy that is the feature
/// `trace_tracy_memory`, in Godot `core/profiling` with its memory, in C++ TracyAlloc and TracyFree, in Rust
/// `tracy_client::ProfiledAllocator`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0  done
  2  unusable arguments, or a program that cannot be recorded
  3  done, but the program ended without a word, or what it said is not Tracy's
     stream: the recording is of what came before

Examples:
  millpond record --tracy -o game.heap.gz
  millpond record --tracy 192.168.0.7 --seconds 60 -o game.heap.gz
  millpond plan game.heap.gz")]
pub(crate) struct RecordArguments {
    /// The machine on which the program runs; without a host, this one.
    #[arg(
        long,
        required = true,
        value_name = "HOST[:PORT]",
        num_args = 0..=1,
        default_missing_value = HERE,
        value_parser = Address::from_str
    )]
    pub(crate) tracy: Address,
    /// The file for the recording, which is compressed with gzip. It replaces an earlier recording, and no other file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// End the recording after this many seconds.
    #[arg(long, value_name = "N", value_parser = number(POSITIVE))]
    pub(crate) seconds: Option<f64>,
}
