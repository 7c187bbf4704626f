//! `millpond record`, and the first half of `millpond plan --tracy`.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use millpond_plan::error::{Failure, Fault, shown_path};
use millpond_plan::input::{Source, Spool};
use millpond_plan::output::figures::{bytes, count, number_of};
use millpond_plan::output::wrap::wrapped;
use millpond_plan::plan::EndedBy;
use millpond_record::tracy::{self, Address, Client, End, Ended, Go, Progress};
use millpond_terminal::interrupt;
use millpond_terminal::progress::StatusLine;

use crate::args::PlanArguments;
use crate::output_file::{self, Kind, RECORDING_COMMENT};
use crate::record_arguments::RecordArguments;
use crate::wanted::as_wanted;

/// The pause between two drawings of the line that shows what is recorded.
const REDRAW: Duration = Duration::from_millis(200);

/// How much is compressed at once.
const BLOCK_BYTES: usize = 1 << 16;

/// How long no program may answer before it is said what may be the reason.
const PATIENCE: Duration = Duration::from_secs(10);

/// Records a program to a file.
pub(crate) fn run(arguments: &RecordArguments) -> Result<(), Failure> {
    let path = &arguments.output;
    // Checked before the work starts, so that nothing is left half done.
    output_file::may_replace(path, Kind::Recording)?;
    let mut recorder = Recorder::begin(&arguments.tracy, arguments.seconds)?;
    let Some(client) = recorder.client()? else { return recorder.nothing_came() };
    let told = About::of(&client);
    let ended = recorder.record_to_file(client, &told, path)?;
    let what = told.recorded(&ended, recorder.stopped);
    millpond_terminal::print(&format!("{what}{}", place(path)))?;
    match told.lost(&ended.end) {
        Some(why) => Err(Failure::Unfinished(format!(
            "{}: {why}; recorded what came before",
            arguments.tracy
        ))),
        None => Ok(()),
    }
}

/// Where a recording is, in a line.
pub(crate) fn place(path: &Path) -> String {
    let place = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("Recording: {}\n", shown_path(&place))
}

/// A program that was recorded for a plan.
pub(crate) struct Recorded {
    /// The name of the program, or of the file that keeps its recording.
    pub(crate) name: String,
    pub(crate) source: Source,
    /// What was recorded, in lines.
    pub(crate) what: String,
    pub(crate) ended_by: EndedBy,
    /// Why the recording is not whole, if it is not.
    pub(crate) lost: Option<String>,
}

/// Records a program to the file that the user names, or to a temporary one.
pub(crate) fn for_plan(address: &Address, arguments: &PlanArguments) -> Result<Recorded, Failure> {
    let mut recorder = Recorder::begin(address, arguments.seconds)?;
    let client = recorder.client()?;
    let Some(client) = client else {
        recorder.nothing_came()?;
        return Err(Failure::ClosedPipe);
    };
    let told = About::of(&client);
    let (name, ended, source) = match &arguments.output {
        Some(path) => {
            let ended = recorder.record_to_file(client, &told, path)?;
            let name = path.to_string_lossy().into_owned();
            let source = millpond_terminal::open(path).map_err(|fault| fault.of_input(&name))?;
            (name, ended, source)
        }
        None => {
            let of_input = |fault: Fault| fault.of_input(&address.to_string());
            let mut spool = Spool::create().map_err(of_input)?;
            let recorded = recorder.record(client, &mut spool);
            let ended = recorded.map_err(|fault| recorder.unusable(&fault))?.map_out();
            told.says_something(&ended)?;
            (told.program.clone(), ended, Source::from_spool(spool))
        }
    };
    interrupt::listen_again();
    Ok(Recorded {
        name,
        source: as_wanted(source.up_to_its_end(), arguments),
        what: told.recorded(&ended, recorder.stopped),
        ended_by: ended_by(&ended.end, recorder.stopped),
        lost: told.lost(&ended.end),
    })
}

/// Why the recorder has stopped by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stopped {
    Interrupt,
    /// So many seconds were over.
    Seconds(f64),
}

fn ended_by(end: &End, stopped: Option<Stopped>) -> EndedBy {
    match (end, stopped) {
        (End::Program, _) => EndedBy::Program,
        (End::Asked, Some(Stopped::Seconds(_))) => EndedBy::Seconds,
        (End::Asked, _) => EndedBy::Interrupt,
        (End::Crashed(_), _) => EndedBy::Crash,
        (End::Lost, _) => EndedBy::Silence,
        (End::Broken(_), _) => EndedBy::Stream,
    }
}

/// The same in words that follow how long it took.
fn until(end: &End, stopped: Option<Stopped>) -> String {
    let words = match (ended_by(end, stopped), stopped) {
        (EndedBy::Seconds, Some(Stopped::Seconds(seconds))) => {
            return format!("until --seconds {seconds} were over");
        }
        (EndedBy::Program, _) => "until the program ended",
        (EndedBy::Interrupt | EndedBy::Seconds, _) => "until Ctrl-C",
        (EndedBy::Crash, _) => "until it crashed",
        (EndedBy::Silence, _) => "until it ended without a word",
        (EndedBy::Stream, _) => "until its stream made no sense",
    };
    words.to_owned()
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

    /// A program that says nothing of its memory is none to plan.
    fn says_something(&self, ended: &Ended<()>) -> Result<(), Failure> {
        if ended.counts.births > 0 {
            return Ok(());
        }
        let fault = Fault::whole(
            "says nothing of its memory; in Bevy, the feature `trace_tracy_memory` makes it do so, in Rust \
             `tracy_client::ProfiledAllocator`, in C++ TracyAlloc and TracyFree",
        );
        Err(fault.of_input(&self.program))
    }

    /// What was recorded, in lines.
    fn recorded(&self, ended: &Ended<()>, stopped: Option<Stopped>) -> String {
        let Ended { counts, names, end, .. } = ended;
        let until = until(end, stopped);
        let Self { program, client, .. } = self;
        let seconds = f64::from(counts.ms) / 1e3;
        let mut what = format!(
            "Recorded {program} ({client}), {seconds:.1} s, {until}: {}, {} alive at the end ({}); {} of {} with names",
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
        wrapped(&(what + "."))
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
    stopped: Option<Stopped>,
    line: StatusLine,
}

impl<'a> Recorder<'a> {
    fn begin(address: &'a Address, seconds: Option<f64>) -> Result<Self, Failure> {
        let stop = interrupt::stop_flag()?;
        Ok(Self { address, seconds, stop, stopped: None, line: StatusLine::on_stderr(REDRAW) })
    }

    /// Waits for the program; `None` if it was told to stop.
    fn client(&mut self) -> Result<Option<Client>, Failure> {
        let Self { address, stop, line, .. } = self;
        let waiting =
            format!("waiting for a program with Tracy's client at {address}; Ctrl-C ends");
        let mut patience = Patience::begin();
        let mut go_on = || {
            if patience.is_lost_at(patience.begun.elapsed()) {
                line.tell(&no_answer(address));
            }
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

    /// Records the program to a file, which is only there if the program has said something of its memory.
    fn record_to_file(
        &mut self,
        client: Client,
        told: &About,
        path: &Path,
    ) -> Result<Ended<()>, Failure> {
        let mut recorded = Err(Failure::ClosedPipe);
        let written = millpond_terminal::output_file::write(path, |file| {
            let ended = match self.record(client, file) {
                Err(tracy::Fault::Output(error)) => return Err(error),
                Err(other) => Err(self.unusable(&other)),
                Ok(ended) => Ok(ended.map_out()),
            };
            recorded = ended.and_then(|ended| told.says_something(&ended).map(|()| ended));
            match recorded {
                Ok(_) => Ok(()),
                // Any error keeps the file from its place.
                Err(_) => Err(std::io::ErrorKind::Other.into()),
            }
        });
        match (recorded, written) {
            // The file could not be written.
            (Err(Failure::ClosedPipe) | Ok(_), Err(failure)) => Err(failure),
            (recorded, _) => recorded,
        }
    }

    /// Records the program, compressed.
    fn record<W: Write>(&mut self, client: Client, out: W) -> Result<Ended<W>, tracy::Fault> {
        let Self { seconds, stop, stopped, line, .. } = self;
        let program = client.program().to_owned();
        let begun = Instant::now();
        // The compressor takes blocks, not lines.
        let compressed: GzEncoder<W> =
            GzBuilder::new().comment(RECORDING_COMMENT).write(out, Compression::fast());
        let out = BufWriter::with_capacity(BLOCK_BYTES, compressed);
        let ended = tracy::record(client, out, &mut |progress| {
            if stop.swap(false, Ordering::SeqCst) {
                if stopped.is_some() {
                    return Go::Quit;
                }
                *stopped = Some(Stopped::Interrupt);
            }
            if let Some(seconds) = *seconds
                && begun.elapsed().as_secs_f64() >= seconds
            {
                stopped.get_or_insert(Stopped::Seconds(seconds));
            }
            let is_ending = stopped.is_some();
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

/// How long a program is waited for before a word is said, once.
struct Patience {
    begun: Instant,
    is_lost: bool,
}

impl Patience {
    fn begin() -> Self {
        Self { begun: Instant::now(), is_lost: false }
    }

    /// Whether it ends now, after so long.
    fn is_lost_at(&mut self, waited: Duration) -> bool {
        waited >= PATIENCE && !std::mem::replace(&mut self.is_lost, true)
    }
}

/// What may be the reason that no program answers.
fn no_answer(address: &Address) -> String {
    format!(
        "millpond: no program has answered at {address} yet: does it run, and was it built to tell Tracy of its memory? In Bevy, \
         `cargo run --features bevy/trace_tracy_memory` does that. Still waiting; Ctrl-C ends"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_lost_once_and_not_at_once() {
        let mut patience = Patience::begin();
        let lost = [0, 9, 10, 11, 600].map(|s| patience.is_lost_at(Duration::from_secs(s)));
        assert_eq!(lost, [false, false, true, false, false]);
        let told = no_answer(&Address::default());
        assert!(told.contains("at 127.0.0.1:8086 yet") && !told.contains('\n'), "{told}");
        assert!(told.contains("bevy/trace_tracy_memory"), "{told}");
    }

    #[test]
    fn what_ended_a_recording_has_a_name_and_words() {
        let seconds = Some(Stopped::Seconds(1.5));
        for (end, stopped, name, words) in [
            (End::Program, None, "program", "until the program ended"),
            (End::Asked, Some(Stopped::Interrupt), "interrupt", "until Ctrl-C"),
            (End::Asked, seconds, "seconds", "until --seconds 1.5 were over"),
            (End::Crashed(String::new()), seconds, "crash", "until it crashed"),
            (End::Lost, None, "silence", "until it ended without a word"),
            (End::Broken(String::new()), None, "stream", "until its stream made no sense"),
        ] {
            assert_eq!(ended_by(&end, stopped).name(), name);
            assert_eq!(until(&end, stopped), words);
        }
    }
}
