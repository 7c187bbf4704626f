//! `millpond plan` of files that have sums by place and no single block.

use std::path::Path;

use millpond_plan::error::{Failure, shown_path};
use millpond_plan::input::Source;
use millpond_plan::nearest::{Known, fits_nothing};
use millpond_plan::plan::{Headroom, all_whole};
use millpond_plan::sums::{self, SumsPlan, needs_blocks, plan_sums};

use crate::args::PlanArguments;
use crate::output_file::{self, Kind};
use crate::wanted::wanted;

/// Plans these files of sums.
pub(crate) fn run(arguments: &PlanArguments, sources: &[(&Path, Source)]) -> Result<(), Failure> {
    needs_no_blocks(arguments)?;
    let headroom = Headroom { percent: arguments.rules.headroom };
    let mut plans = Vec::new();
    for (path, source) in sources {
        let name = path.to_string_lossy();
        let plan = plan_sums(&name, source, headroom, &arguments.skip_caller);
        plans.push(plan.map_err(|fault| fault.of_input(&name))?);
    }
    let class = arguments.class.as_ref();
    let is_shown = |plan: &SumsPlan| !plan.wanted(class).is_empty();
    if let Some(pattern) = class.filter(|_| !plans.iter().any(is_shown)) {
        let functions = plans.iter().flat_map(|plan| &plan.places);
        let known =
            functions.map(|place| Known { name: place.function.clone(), functions: Vec::new() });
        if let Some(why) = fits_nothing(pattern, &known.collect::<Vec<_>>()) {
            return Err(Failure::Arguments(why));
        }
    }
    if arguments.json {
        millpond_terminal::print(&sums::json(&plans, headroom, class)?)?;
    } else if arguments.csv {
        millpond_terminal::print(&sums::csv(&plans, class))?;
    } else {
        let paint = millpond_terminal::paint();
        millpond_terminal::print(&sums::text(&plans, headroom, &wanted(arguments), paint))?;
    }
    if let Some(path) = arguments.report_path() {
        let place = output_file::write(path, Kind::Report, &sums::html(&plans, headroom))?;
        if !arguments.json && !arguments.csv {
            millpond_terminal::print(&format!("\nReport: {}\n", shown_path(&place)))?;
        }
    }
    all_whole(plans.iter().map(SumsPlan::cut))
}

/// Refuses what only single blocks tell.
fn needs_no_blocks(arguments: &PlanArguments) -> Result<(), Failure> {
    let asked = [
        (arguments.measure, "--measure"),
        (arguments.size_classes.is_some(), "--size-classes"),
        (arguments.summary.is_some(), "--summary"),
        (arguments.budget.is_some(), "--budget"),
        (arguments.run_ms.is_some(), "--run-ms"),
    ];
    match asked.iter().find(|(is_asked, _)| *is_asked) {
        Some((_, option)) => Err(needs_blocks(option, &arguments.traces[0])),
        None => Ok(()),
    }
}
