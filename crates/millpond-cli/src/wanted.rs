//! What the user wants to see of a recording and of its plan.

use crate::args::PlanArguments;
use millpond_plan::input::Source;
use millpond_plan::output::plan_text::Wanted;

pub(crate) fn wanted(arguments: &PlanArguments) -> Wanted {
    Wanted {
        top: arguments.top,
        classes: arguments.class.clone(),
        handles: !arguments.no_handles,
        measured: arguments.measure,
        all: arguments.all,
    }
}

/// A source with the profiler's own blocks, if they are wanted.
pub(crate) fn as_wanted(source: Source, arguments: &PlanArguments) -> Source {
    if arguments.with_profiler { source.with_profiler() } else { source }
}
