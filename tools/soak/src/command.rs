//! `millpond soak`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;

use crate::{
    CAPACITY_MAX, Checkpoint, Plan, ProgramPlan, Shape, ThreadsPlan, Unusable, json, soak,
    soak_program, soak_threads, text, without_huge_pages,
};
use millpond_plan::error::{Failure, Fault, shown, shown_path};
use millpond_terminal::arguments::whole;
use millpond_terminal::interrupt;

/// Run random operations on every pool for minutes to days, and check every result.
///
/// Each pool type, in each reuse order and with several handle layouts, is compared with a plain model at each
/// operation; the pools' invariants are checked every 16,384 operations. Ctrl-C or SIGTERM ends the soak early, with the
/// summary. It fails (exit code 1) if a result or an invariant is wrong, if memory is allocated or an object is lost
/// after the start, or if resident memory grows by more than a page per pool. Pools whose slots have retired are
/// replaced; they must return every byte to the system's allocator, but growth of its heap during a replacement does
/// not count.
///
/// If a PROGRAM is given, it is soaked instead: it runs for the time and is then ended with SIGTERM. The soak fails if
/// the program's resident memory drifts after the warm-up, or if it ends with an error; with --live also if one of its
/// pools allocates memory, refuses objects or reaches a new peak after the warm-up. Resident memory, with that of the
/// processes that the program starts, can be read on Linux only; on other systems, --live is needed. The program gets no
/// transparent huge pages, because resident memory grows when the system makes them.
#[derive(Debug, Parser)]
#[command(name = "millpond soak", bin_name = "millpond soak", version, term_width = 80)]
#[command(after_help = "\
Examples:
  millpond soak --for 30s
  millpond soak --for 72h --seed 7
  millpond soak --for 3h --checkpoint soak.json  continue day by day
  millpond soak --for 5m --trace game.csv.gz     the operations of a trace
  millpond soak --for 5m --threads 8             pools that threads share
  millpond soak --for 5m --system-allocator      boxes instead of pools
  millpond soak --json --for 10s | jq .violations
  millpond soak --for 8h -- ./game --demo        does your game's memory grow?
  millpond soak --for 3d --warm-up 10m --live game.trace -- ./game --demo
                                                 the same, and its pools")]
pub struct SoakArguments {
    #[command(flatten)]
    color: millpond_terminal::Color,
    /// The duration: a number and s, m, h or d.
    #[arg(long = "for", value_name = "TIME", default_value = "1m", value_parser = duration)]
    time: Duration,
    /// The seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// The number of slots of each pool.
    #[arg(long, value_name = "N", default_value_t = 10_000, conflicts_with = "trace",
          value_parser = whole(1..=CAPACITY_MAX))]
    capacity: u64,
    /// Insert and remove as in this trace, repeatedly, in pools as large as its peak.
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Soak only pools whose name contains this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// End when each pool has done N operations.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    steps: Option<u64>,
    /// Go on from the state in this file, and leave the new state there.
    ///
    /// Soaks of a few hours so make days. The file is written when a soak ends, also by Ctrl-C; it keeps a record of
    /// each. Pools that can insert at a given handle continue the lifetimes of their slots, the others begin anew.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["trace", "system_allocator", "threads", "program"])]
    checkpoint: Option<PathBuf>,
    /// Use boxes of the system's allocator instead of pools.
    #[arg(long)]
    system_allocator: bool,
    /// Use a `SyncPool` and a `SyncRecycler` from N threads, instead of all other pools from one.
    #[arg(long, value_name = "N", conflicts_with_all = ["trace", "only", "system_allocator", "json"],
          value_parser = whole(1..=1024_u16))]
    threads: Option<u16>,
    /// Print the summary as JSON, for programs.
    #[arg(long)]
    json: bool,
    /// The live trace that the recorder of PROGRAM writes.
    #[arg(long, value_name = "FILE", requires = "program")]
    live: Option<PathBuf>,
    /// How long PROGRAM may allocate memory and reach new peaks
    ///
    /// [default: a tenth of the time]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "program")]
    warm_up: Option<Duration>,
    /// By how many KiB the resident memory of PROGRAM may grow.
    #[arg(long, value_name = "KIB", default_value_t = 1024, requires = "program",
          value_parser = whole(0..=1_u64 << 32))]
    drift: u64,
    /// Your own program and its arguments.
    #[arg(last = true, value_name = "PROGRAM", num_args = 1..,
          conflicts_with_all = ["trace", "only", "system_allocator", "threads", "json", "steps", "seed", "capacity"])]
    program: Vec<OsString>,
}

/// Runs the command with these arguments, the first of them the program's own name; returns the exit code:
/// 0 done, 1 a promise was broken, 2 unusable input or arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    millpond_terminal::run(arguments, |arguments: SoakArguments| {
        millpond_terminal::set_when(arguments.color.when);
        any(&arguments).inspect(|()| interrupt::end_if_stopped())
    })
}

/// Soaks, and prints the outcome.
fn any(arguments: &SoakArguments) -> Result<(), Failure> {
    without_huge_pages();
    if !arguments.program.is_empty() {
        return run_program(arguments);
    }
    if let Some(threads) = arguments.threads {
        return run_threads(arguments, threads.into());
    }
    let shape = match &arguments.trace {
        None => Shape::Synthetic,
        Some(path) => bounded(Shape::of_trace(path)?)?,
    };
    let plan = Plan {
        shape: &shape,
        seed: arguments.seed,
        capacity: arguments.capacity as usize,
        time: arguments.time,
        steps: arguments.steps,
        only: arguments.only.as_deref(),
        system_allocator: arguments.system_allocator,
    };
    let mut checkpoint = arguments.checkpoint.as_deref().map(|path| -> Result<_, Failure> {
        let checkpoint = Checkpoint::open(path, arguments.seed, arguments.capacity)?;
        // What cannot be written is told before the soak, not after it.
        checkpoint.write(path)?;
        Ok((path, checkpoint))
    });
    let mut checkpoint = checkpoint.take().transpose()?;
    let stop = interrupt::stop_flag()?;
    let going_on = checkpoint.as_mut().map(|(_, checkpoint)| checkpoint);
    let outcome = soak(&plan, going_on, &stop).map_err(|unusable| match unusable {
        Unusable::NoPool => {
            let name = shown(plan.only.unwrap_or_default().as_bytes());
            Failure::Arguments(format!("--only: no pool has a name that contains `{name}`"))
        }
        Unusable::State { pool, why } => {
            let name = arguments.checkpoint.as_deref().unwrap_or(Path::new("")).to_string_lossy();
            Fault::whole(format!("{pool}: {}", shown(why.as_bytes()))).of_input(&name)
        }
    })?;
    if let Some((path, checkpoint)) = &checkpoint {
        checkpoint.write(path)?;
    }
    let so_far = checkpoint.as_ref().map(|(_, checkpoint)| checkpoint.so_far());
    if arguments.json {
        millpond_terminal::print(&json(&outcome, so_far)?)?;
    } else {
        let (again, paint) = (arguments.again(), millpond_terminal::paint());
        millpond_terminal::print(&text(&outcome, so_far, &again, paint))?;
    }
    if let Some(violation) = &outcome.violation {
        return Err(Failure::Check(format!(
            "soak: {}, step {}, seed {}: {}",
            violation.pool,
            violation.step,
            outcome.seed,
            shown(violation.message.as_bytes())
        )));
    }
    match outcome.broken_promise() {
        Some(promise) => Err(Failure::Check(format!("soak: {promise}"))),
        None => Ok(()),
    }
}

/// Soaks a program of the user's own.
fn run_program(arguments: &SoakArguments) -> Result<(), Failure> {
    let plan = ProgramPlan {
        program: &arguments.program,
        time: arguments.time,
        warm_up: arguments.warm_up.unwrap_or(arguments.time / 10),
        drift_max: arguments.drift << 10,
        live: arguments.live.as_deref(),
    };
    soak_program(&plan, &*interrupt::stop_flag()?)
}

/// Soaks the pools that threads share.
fn run_threads(arguments: &SoakArguments, threads: usize) -> Result<(), Failure> {
    let plan = ThreadsPlan {
        threads,
        seed: arguments.seed,
        capacity: arguments.capacity as usize,
        time: arguments.time,
        steps: arguments.steps,
    };
    let stop = interrupt::stop_flag()?;
    let tally = soak_threads(&plan, &stop).map_err(|message| {
        let message = shown(message.as_bytes());
        Failure::Check(format!("soak: {threads} threads, seed {}: {message}", plan.seed))
    })?;
    millpond_terminal::print(&tally.text(&plan))
}

impl SoakArguments {
    /// The command that does the same again, without seed, steps and pool.
    fn again(&self) -> String {
        let mut command = "millpond soak".to_owned();
        match &self.trace {
            Some(path) => {
                command += " --trace '";
                command += &shown_path(path);
                command += "'";
            }
            None => command += &format!(" --capacity {}", self.capacity),
        }
        if let Some(path) = &self.checkpoint {
            command += " --checkpoint '";
            command += &shown_path(path);
            command += "'";
        }
        if self.system_allocator {
            command += " --system-allocator";
        }
        command
    }
}

/// A trace that the pools have handles for.
fn bounded(shape: Shape) -> Result<Shape, Failure> {
    match &shape {
        Shape::Trace { peak, .. } if *peak as u64 > CAPACITY_MAX => Err(Failure::Arguments(
            format!("--trace: {peak} objects are alive at once, expected at most {CAPACITY_MAX}"),
        )),
        _ => Ok(shape),
    }
}

/// A time in which something can happen.
fn duration(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("expected a longer time".to_owned()),
        time => Ok(time),
    }
}

/// A number and a unit.
fn time(text: &str) -> Result<Duration, String> {
    let expected =
        || "expected a number and s, m, h or d, such as 30s or 72h, up to 3650d".to_owned();
    let (unit_from, unit) = text.char_indices().next_back().ok_or_else(expected)?;
    let seconds = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        _ => return Err(expected()),
    };
    let number: f64 = text[..unit_from].parse().map_err(|_| expected())?;
    let seconds = number * seconds;
    if !(0.0..=3650.0 * 86_400.0).contains(&seconds) {
        return Err(expected());
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("72h"), Ok(Duration::from_secs(72 * 3600)));
        assert_eq!(time("2d"), Ok(Duration::from_secs(2 * 86_400)));
        for wrong in ["", "s", "5", "-1s", "1e99d", "nans", "infs", "5µ", "3651d", "1h30m"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
