//! `millpond record`, and the first half of `millpond plan --tracy`.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use millpond_plan::error::{Failure, Fault, shown_path};
use millpond_plan::input::{Source, Spool};
use millpond_plan::output::figures::{bytes, count, number_of};
use millpond_record::tracy::{self, Address, Client, End, Ended, Go, Progress};
use millpond_terminal::interrupt;
use millpond_terminal::progress::StatusLine;

use crate::args::PlanArguments;
use crate::output_file::{self, Kind, RECORDING_COMMENT};
use crate::record_arguments::RecordArguments;

/// The pause between two drawings of the line that shows what is recorded.
const REDRAW: Duration = Duration::from_millis(200);

/// How much is compressed at once.
const BLOCK_BYTES: usize = 1 << 16;

/// Records a program to a file.
pub(crate) fn run(arguments: &RecordArguments) -> Result<(), Failure> {
    let path = &arguments.output;
    // Checked before the work starts, so that nothing is left half done.
    output_file::may_replace(path, Kind::Recording)?;
    let mut recorder = Recorder::begin(&arguments.tracy, arguments.seconds)?;
    let Some(client) = recorder.client()? else { return recorder.nothing_came() };
    let told = About::of(&client);
    let mut ended = None;
    let mut fault = None;
    let written = millpond_terminal::output_file::write(path, |file| {
        match recorder.record(client, file) {
            Ok(recorded) if recorded.counts.births == 0 => fault = Some(told.says_nothing()),
            Ok(recorded) => {
                ended = Some(recorded.map_out());
                return Ok(());
            }
            Err(tracy::Fault::Output(error)) => return Err(error),
            Err(other) => fault = Some(recorder.unusable(&other)),
        }
        // Any error keeps the file from its place.
        Err(std::io::ErrorKind::Other.into())
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    written?;
    let Some(ended) = ended else { return recorder.nothing_came() };
    let place = shown_path(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let what = told.recorded(&ended);
    millpond_terminal::print(&format!("{what}\nRecording: {place}\n"))?;
    match told.lost(&ended.end) {
        Some(why) => Err(Failure::Unfinished(format!(
            "{}: {why}; recorded what came before",
            arguments.tracy
        ))),
        None => Ok(()),
    }
}

/// A program that was recorded for a plan.
pub(crate) struct Recorded {
    /// The name of the program.
    pub(crate) name: String,
    pub(crate) source: Source,
    /// Why the recording is not whole, if it is not.
    pub(crate) lost: Option<String>,
}

/// Records a program to a temporary file.
pub(crate) fn for_plan(address: &Address, arguments: &PlanArguments) -> Result<Recorded, Failure> {
    let mut recorder = Recorder::begin(address, arguments.seconds)?;
    let client = recorder.client()?;
    let Some(client) = client else {
        recorder.nothing_came()?;
        return Err(Failure::ClosedPipe);
    };
    let told = About::of(&client);
    let name = address.to_string();
    let mut spool = Spool::create().map_err(|fault| fault.of_input(&name))?;
    let recorded = recorder.record(client, &mut spool);
    let ended = recorded.map_err(|fault| recorder.unusable(&fault))?.map_out();
    if ended.counts.births == 0 {
        return Err(told.says_nothing());
    }
    interrupt::listen_again();
    let source = Source::from_spool(spool).up_to_its_end();
    Ok(Recorded { name: told.program.clone(), source, lost: told.lost(&ended.end) })
}

/// Who is recorded.
struct About {
    program: String,
    client: String,
    is_on_demand: bool,
}

impl About {
    fn of(client: &Client) -> Self {
        let program = match client.program() {
            "" => "the program".to_owned(),
            name => name.to_owned(),
        };
        let versions = client.versions();
        let protocol = client.protocol();
        Self {
            program,
            client: format!("Tracy {versions}, protocol {protocol}"),
            is_on_demand: client.is_on_demand(),
        }
    }

    fn says_nothing(&self) -> Failure {
        let fault = Fault::whole(
            "says nothing of its memory; in Bevy, the feature `trace_tracy_memory` makes it do so, in Rust \
             `tracy_client::ProfiledAllocator`, in C++ TracyAlloc and TracyFree",
        );
        fault.of_input(&self.program)
    }

    /// What was recorded, in a sentence.
    fn recorded(&self, ended: &Ended<()>) -> String {
        let Ended { counts, names, .. } = ended;
        let Self { program, client, .. } = self;
        let seconds = f64::from(counts.ms) / 1e3;
        let mut what = format!(
            "Recorded {program} ({client}), {seconds:.1} s: {}, {} alive at the end ({}); {} of {} with names",
            number_of(counts.births, "block"),
            count(counts.alive),
            bytes(counts.alive_bytes),
            count(names.0),
            number_of(names.1, "call site"),
        );
        if counts.frames > 0 {
            what += &format!("; {}", number_of(counts.frames, "frame"));
        }
        if counts.from_before > 0 {
            let blocks = number_of(counts.from_before, "block");
            let why = match self.is_on_demand {
                true => ", as this client tells its memory only while it is recorded",
                false => "",
            };
            what += &format!("; {blocks} died that were born before the recording{why}");
        }
        if counts.twice > 0 {
            let blocks = number_of(counts.twice, "block");
            what +=
                &format!("; {blocks} were born where one was alive, which is taken as its death");
        }
        if counts.beyond > 0 {
            let blocks = number_of(counts.beyond, "block");
            what += &format!("; {blocks} are left out, because too many were alive");
        }
        what + "."
    }

    /// Why the recording is not whole, if it is not.
    fn lost(&self, end: &End) -> Option<String> {
        let program = &self.program;
        match end {
            End::Program | End::Asked => None,
            End::Crashed(what) if what.is_empty() => Some(format!("{program} crashed")),
            End::Crashed(what) => Some(format!("{program} crashed: {what}")),
            End::Lost => Some(format!(
                "{program} ended without a word (it crashed, was killed, or the connection broke)"
            )),
            End::Broken(what) => Some(format!("{program} says what is not Tracy's stream: {what}")),
        }
    }
}

/// A recording that is to begin, and when it ends.
struct Recorder<'a> {
    address: &'a Address,
    seconds: Option<f64>,
    stop: Arc<AtomicBool>,
    line: StatusLine,
}

impl<'a> Recorder<'a> {
    fn begin(address: &'a Address, seconds: Option<f64>) -> Result<Self, Failure> {
        let stop = interrupt::stop_flag()?;
        Ok(Self { address, seconds, stop, line: StatusLine::on_stderr(REDRAW) })
    }

    /// Waits for the program; `None` if it was told to stop.
    fn client(&mut self) -> Result<Option<Client>, Failure> {
        let Self { address, stop, line, .. } = self;
        let waiting =
            format!("waiting for a program with Tracy's client at {address}; Ctrl-C ends");
        let mut go_on = || {
            if line.is_due() {
                line.say(waiting.clone());
            }
            !stop.load(Ordering::SeqCst)
        };
        tracy::connect(address, &mut go_on)
            .map_err(|fault| Failure::Arguments(format!("--tracy: {fault}")))
    }

    /// A command that is interrupted while it waits ends as every other does.
    fn nothing_came(&self) -> Result<(), Failure> {
        interrupt::end_if_stopped();
        Ok(())
    }

    fn unusable(&self, fault: &tracy::Fault) -> Failure {
        Failure::Output(format!("{}: cannot be recorded: {fault}", self.address))
    }

    /// Records the program, compressed.
    fn record<W: Write>(&mut self, client: Client, out: W) -> Result<Ended<W>, tracy::Fault> {
        let Self { seconds, stop, line, .. } = self;
        let program = client.program().to_owned();
        let begun = Instant::now();
        let mut is_ending = false;
        // The compressor takes blocks, not lines.
        let compressed: GzEncoder<W> =
            GzBuilder::new().comment(RECORDING_COMMENT).write(out, Compression::fast());
        let out = BufWriter::with_capacity(BLOCK_BYTES, compressed);
        let ended = tracy::record(client, out, &mut |progress| {
            if stop.swap(false, Ordering::SeqCst) {
                if is_ending {
                    return Go::Quit;
                }
                is_ending = true;
            }
            let is_over = seconds.is_some_and(|seconds| begun.elapsed().as_secs_f64() >= seconds);
            is_ending |= is_over;
            if line.is_due() {
                line.say(live(&program, begun.elapsed(), is_ending, &progress()));
            }
            if is_ending { Go::End } else { Go::On }
        })?;
        let Ended { out, counts, names, end } = ended;
        let out = out.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()?;
        Ok(Ended { out, counts, names, end })
    }
}

/// The line that shows what is recorded.
fn live(program: &str, elapsed: Duration, is_ending: bool, progress: &Progress) -> String {
    let Progress { counts, names, largest } = progress;
    if is_ending {
        let (named, all) = (count(names.0), number_of(names.1, "call site"));
        return format!(
            "{program}: waiting for the names of {all}, {named} are here; Ctrl-C does without"
        );
    }
    let seconds = elapsed.as_secs();
    let mut text = format!(
        "{program} {}:{:02}  {} events, {} alive",
        seconds / 60,
        seconds % 60,
        count(counts.births + counts.deaths),
        count(counts.alive),
    );
    for &(size, blocks) in largest {
        text += &format!(", {} × {size} B", count(blocks));
    }
    text
}
