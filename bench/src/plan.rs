//! Which works are done on which objects in stores of which size.

use crate::arguments::{Arguments, Extent};
use crate::frames;
use crate::measure::Task;
use crate::sizes::NODES_MAX;
use crate::work::burst::Burst;
use crate::work::churn::{self, Churn};
use crate::work::clear_refill::ClearRefill;
use crate::work::create::Create;
use crate::work::duplicate::{self, Duplicate};
use crate::work::fill::Fill;
use crate::work::get::Get;
use crate::work::growth::{self, Growth};
use crate::work::iterate::{For, ForEach, Iterate, Runs};
use crate::work::particles::Particles;
use crate::work::quadtree::{self, Quadtree};
use crate::work::replay::{Bots, Replay, ReplayHeap, Solo};
use crate::work::retain::Retain;
use crate::work::snapshot;
use crate::work::sparse::{self, Sparse};
use crate::work::{Case, Work, particle_pool, task, tree_in_frame, tree_in_place};

/// Occupancies for the walks, in percent.
pub(crate) const OCCUPANCIES: [usize; 4] = [100, 90, 50, 10];

/// The sizes at which stores differ by a factor.
const FACTOR_SLOTS: [usize; 2] = [100_000, 1_000_000];

/// Words of payload of the three objects.
const SMALL: usize = 0;
const MEDIUM: usize = 12;
const LARGE: usize = 60;

/// Everything that `arguments` ask for. An error says what is wrong with a recording.
pub(crate) fn tasks(arguments: &Arguments) -> Result<Vec<Task>, String> {
    let mut plan = Plan { arguments, tasks: Vec::new() };
    if !arguments.recordings.is_empty() {
        plan.recordings()?;
        return Ok(plan.tasks);
    }
    let extent = arguments.extent();
    plan.frames();
    let usual: &[usize] = match extent {
        Extent::Short => &[1_000],
        Extent::Quick => &[1_000, 100_000, 1_000_000],
        Extent::Usual => &[1_000, 10_000, 100_000, 1_000_000],
        Extent::Full => &[1_000, 10_000, 100_000, 1_000_000, 10_000_000],
    };
    for slots in arguments.sizes(usual) {
        let named = slots == 100_000 || !arguments.sizes(&[]).is_empty();
        if slots < 10_000_000 {
            plan.objects::<MEDIUM>(slots);
        }
        if slots >= 10_000_000 || extent == Extent::Full || (extent == Extent::Usual && named) {
            plan.objects::<SMALL>(slots);
        }
        // At 100,000 slots large objects fill a third-level cache to the brim: other programs would decide.
        let named = slots == 10_000 || !arguments.sizes(&[]).is_empty();
        if slots <= 1_000_000 && (extent == Extent::Full || (extent == Extent::Usual && named)) {
            plan.objects::<LARGE>(slots);
        }
        plan.particles(slots);
    }
    match extent {
        Extent::Short => plan.of_pages(),
        Extent::Quick => {}
        Extent::Usual | Extent::Full => plan.programs(),
    }
    if extent != Extent::Quick {
        plan.factors();
    }
    plan.snapshots();
    Ok(plan.tasks)
}

struct Plan<'a> {
    arguments: &'a Arguments,
    tasks: Vec<Task>,
}

impl Plan<'_> {
    fn add<W: Work, const P: usize>(&mut self, name: &str, slots: usize, percent: usize) {
        if self.arguments.wants_work(name) {
            self.tasks.push(task::<W, P>(name, Case { slots, percent }));
        }
    }

    /// What games do: the recorded ones with objects of every size, and generated ones.
    fn frames(&mut self) {
        let wants = |work: &str| self.arguments.wants_work(work);
        let extent = self.arguments.extent();
        let games = frames::games();
        self.tasks.extend(frames::tasks::<MEDIUM>(games, &wants));
        if extent == Extent::Short {
            return;
        }
        if extent != Extent::Quick {
            self.tasks.extend(frames::tasks::<SMALL>(games, &wants));
            self.tasks.extend(frames::tasks::<LARGE>(games, &wants));
        }
        let generated = frames::generated_scripts();
        self.tasks.extend(frames::tasks::<MEDIUM>(generated, &wants));
        if extent == Extent::Full {
            self.tasks.extend(frames::tasks::<SMALL>(generated, &wants));
            self.tasks.extend(frames::tasks::<LARGE>(generated, &wants));
        }
    }

    /// The frames of other games, instead of everything.
    fn recordings(&mut self) -> Result<(), String> {
        let wants = |work: &str| self.arguments.wants_work(work);
        let paths = self.arguments.recordings.iter();
        let scripts = paths.map(|path| frames::recorded(path)).collect::<Result<Vec<_>, _>>()?;
        self.tasks.extend(frames::tasks::<MEDIUM>(scripts.leak(), &wants));
        Ok(())
    }

    /// The works on single objects.
    fn objects<const P: usize>(&mut self, slots: usize) {
        let all = !matches!(self.arguments.extent(), Extent::Quick | Extent::Short);
        if all {
            self.add::<Create, P>("create", slots, 0);
        }
        self.add::<Fill, P>("fill", slots, 100);
        self.add::<Get, P>("get", slots, 100);
        self.add::<Churn<false>, P>("churn", slots, 90);
        self.add::<Churn<true>, P>(churn::OPAQUE, slots, 90);
        self.add::<Burst, P>("burst", slots, 90);
        self.add::<Duplicate, P>(duplicate::NAME, slots, 100);
        self.add::<ClearRefill, P>("clear+refill", slots, 100);
        self.add::<Retain, P>("retain", slots, 100);
        for percent in OCCUPANCIES {
            let name = |form| format!("iterate {percent}%, {form}");
            self.add::<Iterate<For>, P>(&name("for"), slots, percent);
            if all || percent != 90 {
                self.add::<Iterate<ForEach>, P>(&name("for_each"), slots, percent);
                self.add::<Iterate<Runs>, P>(&name("runs"), slots, percent);
            }
        }
    }

    /// The particle frame, with the small object, up to a million of them.
    fn particles(&mut self, count: usize) {
        if count <= 1_000_000 && self.arguments.wants_work("particles") {
            let mut task =
                task::<Particles, SMALL>("particles", Case { slots: count, percent: 100 });
            task.candidates.extend(particle_pool::candidate(count));
            self.tasks.push(task);
        }
    }

    /// Saving and restoring: at two sizes against a plain copy, and what is usual in a game against peers.
    fn snapshots(&mut self) {
        if !self.arguments.wants_work(snapshot::PREFIX) {
            return;
        }
        for percent in [100, 90] {
            for slots in self.arguments.sizes(&[1_000, 1_000_000]) {
                self.tasks.push(snapshot::task::<16>(slots, percent));
            }
        }
        if self.arguments.sizes(&[]).is_empty() {
            self.tasks.push(snapshot::task::<32>(800, 100));
        }
    }

    /// What differs by a factor between stores: to pass over dead slots, and to grow.
    fn factors(&mut self) {
        for slots in self.arguments.sizes(&FACTOR_SLOTS) {
            self.add::<Sparse<For>, MEDIUM>(&format!("{}, for", sparse::PREFIX), slots, 0);
            self.add::<Sparse<ForEach>, MEDIUM>(&format!("{}, for_each", sparse::PREFIX), slots, 0);
            self.add::<Growth, MEDIUM>(growth::NAME, slots, 100);
        }
    }

    /// What the pages show beyond the works at 1,000 slots.
    fn of_pages(&mut self) {
        self.add::<Churn<true>, MEDIUM>(churn::OPAQUE, 1_000_000, 90);
        self.add::<Duplicate, MEDIUM>(duplicate::NAME, 10_000, 100);
        self.quadtree();
    }

    /// What real programs did.
    fn programs(&mut self) {
        self.quadtree();
        self.add::<Replay<Bots>, MEDIUM>("replay freedoom2-map01-8bots", 0, 0);
        self.add::<Replay<Solo>, MEDIUM>("replay freedoom2-map15-solo", 0, 0);
        self.add::<ReplayHeap, MEDIUM>("replay openttd-600ticks", 0, 0);
    }

    fn quadtree(&mut self) {
        if self.arguments.wants_work(quadtree::NAME) {
            let case = Case { slots: NODES_MAX, percent: 100 };
            let mut task = task::<Quadtree, MEDIUM>(quadtree::NAME, case);
            task.candidates.push(tree_in_frame::candidate());
            task.candidates.push(tree_in_place::candidate());
            self.tasks.push(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::measure;

    #[test]
    fn every_work_ends_with_the_same_checksum_for_every_contender() {
        let arguments = Arguments::parse_from(["millpond-bench", "--full", "--sizes", "100"]);
        let tasks = tasks(&arguments).unwrap();
        assert!(tasks.len() > 50);
        for task in tasks {
            let cells = measure::run(&task, 1).unwrap();
            assert!(cells.len() > 3, "{} has hardly a contender", task.work);
        }
    }
}
