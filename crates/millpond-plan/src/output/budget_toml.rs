//! A plan as a budget: a table of capacities that the program reads when it starts.

use std::fmt::Write;

use millpond_overflow::Budget;

use super::figures::{count, number_of};
use super::foreign::{for_toml, is_hidden};
use crate::error::shown;
use crate::plan::{Class, ClassStatistics, NearPeak, TracePlan};
use crate::trace::{Format, Summary, TickUnit};

/// The first line of a budget, before the fingerprint of all lines after it.
const MARKER: &str = "# millpond budget v1 ";

/// The endings of file names: those of compression, then those of formats.
const STORED_AS: [&str; 2] = [".gz", ".zst"];
const FORMATS: [&str; 5] = [".csv", ".heap", ".heaptrack", ".trace", ".txt"];

/// The name of a trace's scenario: its file's name, without the endings.
pub fn scenario_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let without = |name, endings: &[&str]| {
        endings.iter().find_map(|ending| str::strip_suffix(name, ending)).unwrap_or(name)
    };
    let stem = without(without(name, &STORED_AS), &FORMATS);
    match (name, stem) {
        ("-", _) => "stdin",
        (_, "") => name,
        _ => stem,
    }
}

/// The pools of one scenario.
#[derive(Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Its pools, in any order.
    pub pools: Vec<ScenarioPool>,
    /// The number of other classes, which are not worth a pool.
    pub left_out: usize,
}

/// One pool of a scenario.
#[derive(Debug)]
pub struct ScenarioPool {
    /// Its name.
    pub name: String,
    /// Its slots.
    pub capacity: u32,
    /// The reason for that number.
    pub comment: String,
    /// The functions that request its objects, if they are known.
    pub requested_by: Vec<String>,
}

impl Scenario {
    /// The scenario that a trace shows. Classes that are not worth a pool are left out unless `all` are
    /// wanted.
    pub fn of(plan: &TracePlan, all: bool) -> Self {
        let wanted = |class: &&Class| all || class.worth_a_pool;
        let pools = plan.classes.iter().filter(wanted);
        let pools: Vec<_> = pools.map(|class| ScenarioPool::of(class, &plan.summary)).collect();
        let left_out = plan.classes.len() - pools.len();
        Self { name: scenario_name(&plan.name).to_owned(), pools, left_out }
    }
}

impl ScenarioPool {
    fn of(class: &Class, summary: &Summary) -> Self {
        let peak = class.statistics.peak_live;
        let mut comment = format!("{} at the peak", count(peak.into()));
        if let Some(p99) = class.p99_live.filter(|p99| *p99 < peak) {
            comment += &format!(", at most {} in 99 % of the ticks", count(p99.into()));
        }
        for words in Recorded::of(&class.statistics, summary).words() {
            comment += &format!("{PARTS}{words}");
        }
        let requested_by = class.callers.iter().map(|caller| caller.function.clone()).collect();
        Self { name: class.name.clone(), capacity: class.capacity, comment, requested_by }
    }

    /// Its entry; why not, if it is larger than a budget may say.
    fn entry(&self) -> Result<String, String> {
        if self.capacity as usize > Budget::LIMIT_DEFAULT {
            return Err(format!(
                "class {}: {} slots, expected at most {}, which is the limit of a budget",
                shown(self.name.as_bytes()),
                self.capacity,
                Budget::LIMIT_DEFAULT
            ));
        }
        Ok(format!("{} = {}", for_toml(&self.name), self.capacity))
    }
}

/// All scenarios as one budget, and the rule by which the capacities were found; why not, if a pool is
/// larger than a budget may say.
pub fn budget_toml(scenarios: &[Scenario], rule: &str) -> Result<String, String> {
    let rule = format!(
        "# Slots for each pool: {rule}.\n\
         # The program reads this with millpond_overflow::Budget::from_toml (feature `toml`).\n\
         # A full pool refuses insertions. This sets another policy, or a limit for all scenarios:\n\
         #   decals = {{ capacity = 64, on_full = \"evict-oldest\" }}  # or evict-least, refuse\n\
         #   orders = {{ capacity = 64, on_full = \"spill\", spill = 16 }}\n\
         #   trees = {{ capacity = 64, on_full = \"grow\", max = 256 }}\n\
         #   chunks = {{ capacity = 64, untouched = 4096 }}  # memory for the first number, addresses for the second\n\
         #   [limits]\n\
         #   decals = 256\n"
    );
    with_head(&rule, scenarios)
}

/// The capacities of lenders as a budget, and the rule by which they were found; why not, if one is larger than a
/// budget may say.
pub fn loans_toml(scenarios: &[Scenario], rule: &str) -> Result<String, String> {
    let rule = format!(
        "# Capacity of each lender: {rule}.\n\
         # The program reads this with millpond_overflow::Budget::from_toml (feature `toml`), and passes the \
         number to\n\
         # `Builder::capacity` and `Builder::idle_min`.\n"
    );
    with_head(&rule, scenarios)
}

fn with_head(rule: &str, scenarios: &[Scenario]) -> Result<String, String> {
    let mut text = format!("{rule}# millpond replaces this file unless it has been edited.\n");
    for scenario in scenarios {
        let _ = writeln!(text, "\n[scenario.{}]", for_toml(&scenario.name));
        if scenario.left_out > 0 {
            let left_out = number_of(scenario.left_out as u64, "class");
            let are = if scenario.left_out == 1 { "is" } else { "are" };
            let _ = writeln!(text, "# {left_out} {are} not worth a pool (--all adds them).");
        }
        let mut pools: Vec<&ScenarioPool> = scenario.pools.iter().collect();
        pools.sort_by(|a, b| natural(&a.name).cmp(&natural(&b.name)));
        let entries = pools.iter().map(|pool| pool.entry()).collect::<Result<Vec<_>, _>>()?;
        let widest = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0);
        for (entry, pool) in entries.iter().zip(pools) {
            let _ = writeln!(text, "{entry:<widest$}  # {}", pool.comment);
            if (1..=FUNCTIONS_MAX).contains(&pool.requested_by.len()) {
                let functions: Vec<_> = pool.requested_by.iter().map(|of| in_comment(of)).collect();
                let _ = writeln!(text, "{}{}", requests(&pool.name), functions.join(SEPARATOR));
            }
        }
    }
    Ok(format!("{MARKER}{:016x}\n{text}", fingerprint(text.as_bytes())))
}

/// A pool with objects of more functions than this says none of them.
const FUNCTIONS_MAX: usize = 100;

/// What stands between two functions in a comment; no function has it in its name.
const SEPARATOR: &str = " | ";

/// How the comment on who requests the objects of a pool begins.
fn requests(pool: &str) -> String {
    format!("# {} is requested by ", for_toml(pool))
}

/// A function's name in a comment.
fn in_comment(function: &str) -> String {
    function.chars().map(|c| if is_hidden(c) { '?' } else { c }).collect()
}

/// The functions that request the objects of a pool, by the comments of a budget that a plan wrote; `None` if it does not
/// say. `is_new` of a function is whether they are without it.
pub fn requested_by(budget: &str, scenario: &str, pool: &str) -> Option<RequestedBy> {
    let begins = requests(pool);
    let functions =
        of_scenario(budget, scenario).find_map(|line| line.strip_prefix(begins.as_str()))?;
    Some(RequestedBy(functions.split(SEPARATOR).map(str::to_owned).collect()))
}

/// The lines of a scenario.
fn of_scenario<'b>(budget: &'b str, scenario: &str) -> impl Iterator<Item = &'b str> {
    let heading = format!("[scenario.{}]", for_toml(scenario));
    let lines = budget.lines().skip_while(move |line| *line != heading).skip(1);
    lines.take_while(|line| !line.starts_with('['))
}

/// The functions that request the objects of a pool, by a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedBy(Vec<String>);

impl RequestedBy {
    /// Whether this function is one of them.
    #[must_use]
    pub fn contains(&self, function: &str) -> bool {
        self.0.contains(&in_comment(function))
    }
}

/// What stands between two parts of a pool's comment.
const PARTS: &str = "; ";

/// What the comment on a pool says of the recording besides the number of its objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How large its objects are, where a pool is of a type.
    pub sizes: Option<Sizes>,
    /// When it had nearly as many as at its peak.
    pub near_peak: Option<NearPeak>,
}

/// How large the objects of a pool are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The bytes of the largest one.
    pub largest: u64,
    /// Whether all are as large.
    pub are_alike: bool,
}

impl Recorded {
    /// What a recording says of a class.
    #[must_use]
    pub fn of(class: &ClassStatistics, summary: &Summary) -> Self {
        // A class of a heap's recording is a size.
        let largest = class.bytes_max.filter(|_| summary.format == Format::Lifetimes);
        let are_alike = class.bytes_min == class.bytes_max;
        let sizes = largest.map(|largest| Sizes { largest, are_alike });
        Self { sizes, near_peak: NearPeak::of(&class.heights, summary) }
    }

    /// What the comment of a budget says of a pool: nothing, if it was edited in another way.
    #[must_use]
    pub fn in_budget(budget: &str, scenario: &str, pool: &str) -> Self {
        let key = for_toml(pool);
        let mut of_pool = of_scenario(budget, scenario).filter_map(|line| {
            let value = line.strip_prefix(key.as_str())?.trim_start().strip_prefix('=')?;
            value.split_once('#')
        });
        let (_, comment) = of_pool.next().unwrap_or_default();
        let parts = || comment.split(PARTS).map(str::trim);
        Self { sizes: parts().find_map(sizes_from), near_peak: parts().find_map(near_peak_from) }
    }

    fn words(&self) -> impl Iterator<Item = String> {
        self.near_peak.map(near_peak_words).into_iter().chain(self.sizes.map(sizes_words))
    }
}

/// `48 bytes each`, or `up to 48 bytes each`.
pub fn sizes_words(sizes: Sizes) -> String {
    let up_to = if sizes.are_alike { "" } else { "up to " };
    format!("{up_to}{} each", number_of(sizes.largest, "byte"))
}

fn sizes_from(words: &str) -> Option<Sizes> {
    let number = words.strip_prefix("up to ");
    let sizes = Sizes {
        largest: counted(number.unwrap_or(words).split(' ').next()?)?,
        are_alike: number.is_none(),
    };
    (sizes_words(sizes) == words).then_some(sizes)
}

/// `near it from 163 to 262 of 1,000 frames`.
fn near_peak_words(near: NearPeak) -> String {
    let NearPeak { unit, from, to, of } = near;
    format!("near it from {} to {} of {} {}", count(from), count(to), count(of), unit.names())
}

fn near_peak_from(words: &str) -> Option<NearPeak> {
    let mut numbers = words.split(' ').filter_map(counted);
    let units = [TickUnit::Tick, TickUnit::Frame];
    let near = NearPeak {
        unit: units.into_iter().find(|unit| words.ends_with(unit.names()))?,
        from: numbers.next()?,
        to: numbers.next()?,
        of: numbers.next()?,
    };
    (near.from <= near.to && near_peak_words(near) == words).then_some(near)
}

/// The number of a word, as [`count`] writes it.
fn counted(word: &str) -> Option<u64> {
    word.replace(',', "").parse().ok()
}

/// Orders numbers by value, before names in alphabetical order.
fn natural(name: &str) -> (u64, &str) {
    (name.parse().unwrap_or(u64::MAX), name)
}

/// Whether a file is a budget as this tool wrote it, from its first byte to its last.
pub fn is_untouched_budget(file: &[u8]) -> bool {
    let Some(rest) = file.strip_prefix(MARKER.as_bytes()) else { return false };
    let Some((said, text)) = rest.split_at_checked(16) else { return false };
    let Some(text) = text.strip_prefix(b"\n") else { return false };
    said == format!("{:016x}", fingerprint(text)).as_bytes()
}

/// FNV-1a: enough to detect that a file was edited, and no protection against malice.
fn fingerprint(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_has_the_name_of_the_traces_file() {
        for (path, name) in [
            ("traces/freedoom2-map01-8bots.csv.gz", "freedoom2-map01-8bots"),
            ("openttd-600ticks.heaptrack.zst", "openttd-600ticks"),
            ("target/orders.trace", "orders"),
            ("heaptrack.game.1234.zst", "heaptrack.game.1234"),
            ("./e1m1", "e1m1"),
            (".csv", ".csv"),
            ("-", "stdin"),
        ] {
            assert_eq!(scenario_name(path), name);
        }
    }

    #[test]
    fn keys_are_quoted_where_they_must() {
        assert_eq!(for_toml("Imp-2_b"), "Imp-2_b");
        assert_eq!(for_toml("56"), "56");
        assert_eq!(for_toml(""), "\"\"");
        assert_eq!(for_toml("a.b"), "\"a.b\"");
        assert_eq!(for_toml("a\"\\\n\u{7f}é"), "\"a\\\"\\\\\\u000a\\u007fé\"");
    }

    #[test]
    fn what_a_comment_says_of_a_recording_is_read_back_and_nothing_else() {
        let near = NearPeak { unit: TickUnit::Frame, from: 163, to: 1_262, of: 12_000 };
        for (sizes, near_peak) in [
            (Some(Sizes { largest: 1_048, are_alike: true }), Some(near)),
            (Some(Sizes { largest: 1, are_alike: false }), None),
            (None, Some(NearPeak { unit: TickUnit::Tick, from: 0, ..near })),
        ] {
            let recorded = Recorded { sizes, near_peak };
            let comment = recorded.words().collect::<Vec<_>>().join(PARTS);
            let budget = format!(
                "[scenario.a]\n\"x=\" = 4  # 9 at the peak; 8 bytes each\nx = {{ capacity = 3 }} # 2 at the peak; {comment}"
            );
            assert_eq!(Recorded::in_budget(&budget, "a", "x"), recorded, "{budget}");
            assert_eq!(Recorded::in_budget(&budget, "b", "x"), Recorded::default());
            assert_eq!(Recorded::in_budget(&budget, "a", "y"), Recorded::default());
        }
        for edited in [
            "x = 3",
            "x = 3 # bytes each; near it; up to each; near it from to of frames",
            "x = 3 # 8 bytes; 08 bytes each; 99999999999999999999 bytes each",
            "x = 3 # near it from 5 to 4 of 9 frames; near it from 1 to 2 of 3 years",
        ] {
            let budget = format!("[scenario.a]\n{edited}\n");
            assert_eq!(Recorded::in_budget(&budget, "a", "x"), Recorded::default(), "{edited}");
        }
    }

    #[test]
    fn an_edited_budget_is_told_from_an_untouched_one() {
        let text = "\n[scenario.a]\nImp = 3\n";
        let file = format!("{MARKER}{:016x}\n{text}", fingerprint(text.as_bytes()));
        assert!(is_untouched_budget(file.as_bytes()));
        assert!(!is_untouched_budget(file.replace('3', "4").as_bytes()));
        for end in 0..file.len() {
            assert!(!is_untouched_budget(&file.as_bytes()[..end]));
        }
    }
}
