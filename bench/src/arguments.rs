//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::results::BUILD;

/// Measures millpond and what people would use instead: the same work, in one process, in turns.
///
/// Several processes measure, one after the other. Without options that takes some minutes, prints a verdict and tables,
/// records all figures in docs/benchmark, and makes docs/benchmark.md from what is recorded there. `ci/benchmark` does this
/// in the build that games are shipped with (fat link-time optimisation, one codegen unit).
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  millpond-bench --quick\n  millpond-bench --quick --only frames\n  millpond-bench --only churn --sizes 100000 --rounds 31\n  millpond-bench --full --output full\n  millpond-bench --recording game.csv.gz\n\nMore contenders: --features allocators (mimalloc, jemalloc; needs a C compiler), --features fyrox\n(fyrox-core, about 100 crates), --features cpp (Boost.Pool, plf::colony, foonathan/memory; needs a C++\ncompiler and apt-get install libboost-dev libplf-colony-dev libfoonathan-memory-dev).\n\nExit code: 0 measured, 1 contenders did not do the same work, 2 unusable arguments."
)]
pub(crate) struct Arguments {
    /// A verdict within two minutes: only what the bars compare, in few rounds
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// One round of what the pages show, to try the program and the pages: its figures say little
    #[arg(long, conflicts_with_all = ["full", "quick"])]
    short: bool,
    /// Every size with every object, 10,000,000 slots too: about 20 minutes, 4 GB
    #[arg(long)]
    full: bool,
    /// Only works whose name contains this
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Only contenders whose name contains this, or one of several with semicolons between
    #[arg(long, value_name = "PATTERN", value_delimiter = ';')]
    contenders: Vec<String>,
    /// Numbers of slots, with commas between
    #[arg(long, value_name = "SLOTS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(16..=50_000_000))]
    sizes: Vec<u32>,
    /// How often each contender is measured at each work by each process [default: 5 in frames, else 3; 1 with --short]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// How many processes measure, one after the other: each has its code and data at other addresses [default: 3; 2 with --short]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    processes: Option<u32>,
    /// Only the frames of this recording, tick,event,id,class, also compressed by gzip; may be given several times
    #[arg(long = "recording", value_name = "FILE")]
    pub(crate) recordings: Vec<PathBuf>,
    /// Where to write benchmark.md and the record, benchmark/*/*.csv [default: docs/ after a shipped build's run of everything, else nowhere]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Only makes the page anew, from the record beside it
    #[arg(long)]
    pub(crate) page: bool,
    /// Only draws the longest insertions while stores grow to 1,000,000 objects, as SVG: half a minute
    #[arg(long, value_name = "FILE")]
    pub(crate) growth_picture: Option<PathBuf>,
    /// Prints the peak of one allocator's replay and does nothing else: what the program asks of itself
    #[arg(long, hide = true, value_name = "ALLOCATOR")]
    pub(crate) heap_peak: Option<String>,
    /// Measures as one of the processes, and writes the cells to this file: what the program asks of itself
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) sample: Option<PathBuf>,
    /// Runs in an unoptimised build too: to try the program itself
    #[arg(long, hide = true)]
    pub(crate) unoptimised: bool,
}

/// Where the record and the page are, below the repository's root.
pub(crate) fn docs() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs"))
}

/// The rounds of whole frames, unless `--rounds` names another number.
const FRAME_ROUNDS: usize = 5;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What the pages show, each once.
    Short,
    /// What the bars need.
    Quick,
    /// All works; all sizes for one object, all objects at one size.
    Usual,
    /// All works at all sizes for all objects.
    Full,
}

impl Arguments {
    pub(crate) fn extent(&self) -> Extent {
        match (self.short, self.quick, self.full) {
            (true, _, _) => Extent::Short,
            (_, true, _) => Extent::Quick,
            (_, _, true) => Extent::Full,
            _ => Extent::Usual,
        }
    }

    pub(crate) fn rounds(&self) -> usize {
        let usual = if self.short { 1 } else { 3 };
        self.rounds.map_or(usual, |rounds| rounds as usize)
    }

    /// The rounds of whole frames. Their laps are short and read no memory beyond the caches, so more of them cost
    /// little, and the ratios of small pools move more than others when other programs run.
    pub(crate) fn frame_rounds(&self) -> usize {
        let usual = if self.short { 1 } else { FRAME_ROUNDS };
        self.rounds.map_or(usual, |rounds| rounds as usize)
    }

    /// The processes that measure, one after the other.
    pub(crate) fn processes(&self) -> usize {
        let usual = match self.extent() {
            Extent::Short => 2,
            Extent::Quick | Extent::Usual | Extent::Full => 3,
        };
        self.processes.map_or(usual, |processes| processes as usize)
    }

    /// Sizes asked for, or `usual`.
    pub(crate) fn sizes(&self, usual: &[usize]) -> Vec<usize> {
        if self.sizes.is_empty() {
            usual.to_vec()
        } else {
            self.sizes.iter().map(|&size| size as usize).collect()
        }
    }

    pub(crate) fn wants_work(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|pattern| name.contains(pattern.as_str()))
    }

    /// Whether a part is wanted that is no work of the plan.
    pub(crate) fn wants_beside_frames(&self, name: &str) -> bool {
        self.recordings.is_empty() && self.wants_work(name)
    }

    /// Whether allocators replay the heap of a program.
    pub(crate) fn wants_heap(&self) -> bool {
        !self.short && self.wants_beside_frames(crate::heap::WORK)
    }

    pub(crate) fn wants_contender(&self, name: &str) -> bool {
        self.contenders.is_empty()
            || self.contenders.iter().any(|pattern| name.contains(pattern.as_str()))
    }

    /// How many single operations are timed for the worst of them, and in how many parts.
    pub(crate) fn worst(&self) -> (usize, usize) {
        match self.extent() {
            Extent::Short => (500_000, 1),
            Extent::Quick => (6_000_000, 3),
            _ => (10_000_000, 5),
        }
    }

    /// Where to write: a part of the results does not replace the whole that is in `docs/`.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        let all = self.only.is_none()
            && self.contenders.is_empty()
            && self.sizes.is_empty()
            && self.recordings.is_empty()
            && !self.quick
            && !self.short
            && env!("BENCH_PROFILE") == BUILD;
        self.output.clone().or_else(|| (all || self.page).then(docs))
    }
}
