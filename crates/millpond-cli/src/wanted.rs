//! The parts of a plan that the user wants to see.

use crate::args::PlanArguments;
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
