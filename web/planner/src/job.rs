//! One job: the recordings of one drop, planned, with everything that the command would write.

use std::io::Read;
use std::path::Path;

use millpond_lend::replay::Question;
use millpond_plan::error::Failure;
use millpond_plan::input::Source;
use millpond_plan::loans;
use millpond_plan::output::budget_toml::{Scenario, budget_toml, scenario_name};
use millpond_plan::output::paint::Paint;
use millpond_plan::output::plan_csv::plan_csv;
use millpond_plan::output::plan_json::plan_json;
use millpond_plan::output::plan_text::{Wanted, plans_text};
use millpond_plan::pattern::Pattern;
use millpond_plan::plan::{
    BLOCKS_AT_HAND_DEFAULT, BYTES_MAX_LARGEST, Headroom, NotTried, Prices, Rules,
    SESSION_HOURS_DEFAULT, all_proved, plan, size_classes,
};
use millpond_plan::plan_report::report;
use millpond_plan::progress::Show;
use millpond_plan::report::render;
use millpond_plan::summary::summary_csv;
use millpond_plan::sums::{self, are_sums};
use serde::{Deserialize, Serialize};

/// What to plan, and the options of `millpond plan` by their names there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// The recordings, each of which gets its own plan.
    pub files: Vec<Recording>,
    /// `--headroom`, in per cent.
    pub headroom: f64,
    /// `--tick-rate`.
    pub tick_rate: Option<f64>,
    /// `--session-hours`.
    pub session_hours: f64,
    /// `--blocks-at-hand`.
    pub blocks_at_hand: u8,
    /// `--prices`; those of the reference if there are none, as a page is not where the recorded program runs.
    pub prices: Option<String>,
    /// `--skip-caller`.
    pub skip_caller: Vec<String>,
    /// `--top`.
    pub top: usize,
    /// `--class`.
    pub class: Option<String>,
    /// `--no-handles`.
    pub no_handles: bool,
    /// `--all`.
    pub all: bool,
    /// `--size-classes`.
    pub size_classes: Option<u64>,
    /// `--wait-p99-ms`: the recordings are those of lenders.
    pub wait_p99_ms: Option<f64>,
    /// `--open-ms`.
    pub open_ms: f64,
    /// `--closed`.
    pub closed: Option<usize>,
    /// The most memory that the module may take; `None` for as much as there is.
    pub memory_bytes_max: Option<u64>,
}

/// A recording that the page has.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Its file's name.
    pub name: String,
    /// Its stored size.
    pub bytes: u64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            headroom: Headroom::DEFAULT_PERCENT,
            tick_rate: None,
            session_hours: SESSION_HOURS_DEFAULT,
            blocks_at_hand: BLOCKS_AT_HAND_DEFAULT,
            prices: None,
            skip_caller: Vec::new(),
            top: 10,
            class: None,
            no_handles: false,
            all: false,
            size_classes: None,
            wait_p99_ms: None,
            open_ms: 10.0,
            closed: None,
            memory_bytes_max: None,
        }
    }
}

/// Everything that the command writes for these recordings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Results {
    /// What it prints, with the colours of a terminal.
    pub text: String,
    /// `report.html`.
    pub report: String,
    /// `--json`.
    pub json: String,
    /// `--csv`.
    pub csv: String,
    /// `--budget`, or why there is none.
    pub budget: Result<String, String>,
    /// `--summary`; none for loans.
    pub summary: Option<String>,
}

impl Request {
    /// Reads a request from JSON.
    ///
    /// # Errors
    /// In one line: what is wrong with it.
    pub fn from_json(json: &[u8]) -> Result<Self, Failure> {
        let request: Self =
            serde_json::from_slice(json).map_err(|e| Failure::Arguments(e.to_string()))?;
        request.check()?;
        Ok(request)
    }

    /// The ranges of the command's options.
    fn check(&self) -> Result<(), Failure> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let ranges = [
            (
                "--headroom",
                (0.0..=1000.0).contains(&self.headroom),
                "a number of per cent, from 0 to 1000",
            ),
            ("--tick-rate", self.tick_rate.is_none_or(positive), "ticks per second, more than 0"),
            ("--session-hours", positive(self.session_hours), "hours, more than 0"),
            (
                "--size-classes",
                self.size_classes.is_none_or(|bytes| (1..=BYTES_MAX_LARGEST).contains(&bytes)),
                "bytes, within the limit of a size class",
            ),
            ("--wait-p99-ms", self.wait_p99_ms.is_none_or(positive), "milliseconds, more than 0"),
            ("--open-ms", positive(self.open_ms), "milliseconds, more than 0"),
            ("--closed", self.closed.is_none_or(|n| n <= CALLERS_MAX), "at most 100,000 callers"),
        ];
        match ranges.iter().find(|(_, is_good, _)| !is_good) {
            Some((option, _, expected)) => {
                Err(Failure::Arguments(format!("{option}: expected {expected}")))
            }
            None => Ok(()),
        }
    }

    fn rules(&self) -> Result<Rules, Failure> {
        let prices = self.prices.as_deref().map_or(Ok(Prices::REFERENCE), Prices::parse);
        let prices = prices.map_err(|why| Failure::Arguments(format!("--prices: {why}")))?;
        Ok(Rules {
            headroom: Headroom { percent: self.headroom },
            ticks_per_second: self.tick_rate,
            run_ms: None,
            skip_callers: self.skip_caller.iter().map(|text| Pattern::new(text)).collect(),
            blocks_at_hand: self.blocks_at_hand,
            prices,
            not_tried: Some(NotTried::Unasked),
            session_seconds: self.session_hours * 3600.0,
        })
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            top: self.top,
            classes: self.class.as_deref().map(Pattern::new),
            handles: !self.no_handles,
            measured: false,
            all: self.all,
        }
    }
}

/// As many callers as the command replays at most.
const CALLERS_MAX: usize = 100_000;

/// Plans the recordings; `open` opens one of them by its number, at its beginning.
///
/// # Errors
/// What the command would print.
pub fn run<R: Read + 'static>(
    request: &Request,
    show: Show,
    open: impl Fn(usize) -> R + Copy + 'static,
) -> Result<Results, Failure> {
    let sources = || {
        request.files.iter().enumerate().map(move |(number, file)| {
            let source = Source::from_opener(file.bytes, move || Box::new(open(number)));
            (file.name.as_str(), source.shown(show).up_to_its_end())
        })
    };
    match request.wait_p99_ms {
        Some(wait_p99_ms) => plan_loans(request, wait_p99_ms, sources()),
        None => {
            let sources: Vec<_> = sources().collect();
            match are_sums(&sources)? {
                true => plan_sums(request, &sources),
                false => plan_objects(request, &sources),
            }
        }
    }
}

fn plan_objects(request: &Request, sources: &[(&str, Source)]) -> Result<Results, Failure> {
    let (rules, wanted) = (request.rules()?, request.wanted());
    let mut plans = Vec::new();
    for (name, source) in sources {
        let of_input = |fault: millpond_plan::error::Fault| fault.of_input(name);
        let mut planned = plan(name, source, &rules).map_err(of_input)?;
        if let Some(bytes_max) = request.size_classes {
            let classes = size_classes(&planned, source, bytes_max, &rules);
            planned.size_classes = Some(classes.map_err(of_input)?);
        }
        plans.push(planned);
    }
    all_proved(&plans)?;
    let text = plans_text(&plans, &rules, &wanted, Paint::new(true));
    let scenarios: Vec<_> = plans.iter().map(|plan| Scenario::of(plan, request.all)).collect();
    let sessions: Vec<_> = plans.iter().map(|plan| (scenario_name(&plan.name), plan)).collect();
    Ok(Results {
        text,
        report: render(&report(&plans, &rules)),
        json: plan_json(&plans, &rules, &wanted)?,
        csv: plan_csv(&plans, &wanted),
        budget: budget_toml(&scenarios, &rules.headroom.rule()),
        summary: Some(summary_csv(&sessions, &[])),
    })
}

/// Files that have sums by place and no single block.
fn plan_sums(request: &Request, sources: &[(&str, Source)]) -> Result<Results, Failure> {
    let first = Path::new(sources[0].0);
    if request.size_classes.is_some() {
        return Err(sums::needs_blocks("--size-classes", first));
    }
    let (rules, wanted) = (request.rules()?, request.wanted());
    let plans = sources.iter().map(|(name, source)| {
        sums::plan_sums(name, source, rules.headroom, &rules.skip_callers)
            .map_err(|fault| fault.of_input(name))
    });
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    Ok(Results {
        text: sums::text(&plans, rules.headroom, &wanted, Paint::new(true)),
        report: sums::html(&plans, rules.headroom),
        json: sums::json(&plans, rules.headroom, wanted.classes.as_ref())?,
        csv: sums::csv(&plans, wanted.classes.as_ref()),
        budget: Err(sums::needs_blocks("--budget", first).to_string()),
        summary: None,
    })
}

fn plan_loans<'n>(
    request: &Request,
    wait_p99_ms: f64,
    sources: impl Iterator<Item = (&'n str, Source)>,
) -> Result<Results, Failure> {
    let question = Question {
        wait_p99_us: (wait_p99_ms * 1_000.0) as u64,
        open_us: (request.open_ms * 1_000.0) as u64,
        callers: request.closed,
        ..Question::default()
    };
    let plans = sources
        .map(|(name, source)| loans::plan_loans(name, &source, &question, &[]))
        .collect::<Result<Vec<_>, _>>()?;
    loans::follows_littles_law(&plans)?;
    Ok(Results {
        text: loans::text(&plans, &question, Paint::new(true)),
        report: loans::html(&plans, &question),
        json: loans::json(&plans, &question)?,
        csv: loans::csv(&plans),
        budget: loans::budget_of(Path::new("budget.toml"), &plans, &question)
            .map_err(|failure| failure.to_string()),
        summary: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_plan::progress::Silent;
    use std::io::Cursor;

    const TRACE: &str = "tick,event,id,class\n0,alloc,1,Spark\n0,alloc,2,Spark\n3,free,1,Spark\n";
    const LOANS: &str = "asked_us,got_us,returned_us,pool\n0,0,2000,orders\n500,500,2500,orders\n";

    fn run_json(request: &str, text: &'static str) -> Result<Results, Failure> {
        let request = Request::from_json(request.as_bytes())?;
        run(&request, |_, _| Box::new(Silent), move |_| Cursor::new(text))
    }

    fn files(text: &str, options: &str) -> String {
        format!(r#"{{"files":[{{"name":"a.csv","bytes":{}}}]{options}}}"#, text.len())
    }

    #[test]
    fn the_defaults_are_those_of_the_library() {
        let results = run_json(&files(TRACE, ""), TRACE).unwrap();
        let rules = Rules::default();
        let plan = plan("a.csv", &Source::from_memory(TRACE.as_bytes()), &rules).unwrap();
        let wanted = Request::default().wanted();
        assert_eq!(results.json, plan_json(&[plan], &rules, &wanted).unwrap());
        assert!(
            results.text.contains("Spark") && results.report.starts_with("<!-- millpond report")
        );
        assert!(results.budget.unwrap().contains("[scenario.a]"));
        assert!(results.summary.unwrap().contains("Spark"));
    }

    #[test]
    fn loans_are_planned_if_a_limit_for_waits_is_given() {
        let results = run_json(&files(LOANS, r#","wait_p99_ms":5"#), LOANS).unwrap();
        assert!(results.json.contains("\"orders\"") && results.summary.is_none());
        let failure = run_json(&files(LOANS, ""), LOANS).unwrap_err();
        assert!(failure.to_string().contains("--wait-p99-ms"), "{failure}");
    }

    #[test]
    fn what_is_there_of_a_cut_recording_is_planned_and_nothing_is_said_as_the_command_says_it() {
        let cut = &TRACE[..TRACE.len() - 9];
        let results = run_json(&files(cut, ""), cut).unwrap();
        assert!(results.text.contains("The recording is cut short"), "{}", results.text);
        let nothing = "tick,event,id,cl";
        let failure = run_json(&files(nothing, ""), nothing).unwrap_err();
        let source = Source::from_memory(nothing.as_bytes()).up_to_its_end();
        let fault = plan("a.csv", &source, &Rules::default()).unwrap_err();
        assert_eq!(failure, fault.of_input("a.csv"));
    }

    #[test]
    fn sums_by_place_are_planned_and_have_no_budget() {
        let dhat = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false,"bu":"byte","bsu":"bytes","bksu":"blocks","tu":"us","Mtu":"s","tuth":10,"cmd":"./a","pid":1,"tg":5,"te":9,
            "pps":[{"tb":480,"tbk":10,"tl":9,"mb":96,"mbk":2,"gb":96,"gbk":2,"eb":0,"ebk":0,"fs":[0]}],"ftbl":["main (a.rs:3)"]}"#;
        let results = run_json(&files(dhat, ""), dhat).unwrap();
        assert!(results.text.contains("main") && results.json.contains("dhat"), "{}", results.text);
        assert!(results.summary.is_none());
        assert!(results.budget.unwrap_err().contains("sums by place"));
        let failure = run_json(&files(dhat, r#","size_classes":64"#), dhat).unwrap_err();
        assert!(failure.to_string().starts_with("--size-classes: a.csv has sums by place"));
    }

    #[test]
    fn unusable_options_are_refused_in_a_line() {
        for (options, part) in [
            (r#","headroom":-1"#, "--headroom: expected"),
            (r#","headroom":1001"#, "--headroom: expected"),
            (r#","tick_rate":0"#, "--tick-rate: expected"),
            (r#","session_hours":0"#, "--session-hours: expected"),
            (r#","size_classes":0"#, "--size-classes: expected"),
            (r#","wait_p99_ms":-5"#, "--wait-p99-ms: expected"),
            (r#","closed":1000000"#, "--closed: expected"),
            (r#","prices":"cheap""#, "--prices: expected `reference`"),
            (r#","blocks_at_hand":256"#, "256"),
            (r#","top":1.5"#, "1.5"),
            (r#","colour":true"#, "colour"),
        ] {
            let failure = run_json(&files(TRACE, options), TRACE).unwrap_err();
            let line = failure.to_string();
            assert!(line.contains(part) && !line.contains('\n'), "{options}: {line}");
            assert_eq!(failure.exit_code(), 2);
        }
    }

    #[test]
    fn a_fault_names_the_file_and_the_place() {
        let bad = "tick,event,id,class\n0,spawn,1,Imp\n";
        let failure = run_json(&files(bad, ""), bad).unwrap_err();
        assert!(failure.to_string().starts_with("a.csv: line 2 (byte 20): "), "{failure}");
    }
}
