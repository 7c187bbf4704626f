//! Sums by place as a report: a page for any browser.

use super::SumsPlan;
use super::text::{at_once, created, legend, meaning, sentences, size, unknown};
use crate::output::figures::{bytes, count, small};
use crate::plan::Headroom;
use crate::report::sums::{Page, Row, Section, render};

/// The plans as a page.
#[must_use]
pub fn html(plans: &[SumsPlan], headroom: Headroom) -> String {
    let title = match plans {
        [plan] => format!("Sums by place of {}", plan.name),
        _ => format!("Sums by place of {} files", plans.len()),
    };
    render(&Page {
        title,
        generated_by: format!("millpond {}", env!("CARGO_PKG_VERSION")),
        sections: plans.iter().map(|plan| section(plan, headroom)).collect(),
    })
}

fn section(plan: &SumsPlan, headroom: Headroom) -> Section<'_> {
    let mut notes = sentences(plan);
    notes.extend(unknown(plan));
    let places: Vec<_> = plan.places.iter().collect();
    let unknown = || "–".to_owned();
    Section {
        name: &plan.name,
        meaning: meaning(plan),
        notes,
        legend: legend(&places, headroom),
        rows: places
            .iter()
            .map(|place| Row {
                place: place.stack.join(" < "),
                figures: [
                    size(place.size),
                    created(place, plan.tool),
                    at_once(place),
                    place.on_average.map_or_else(unknown, small),
                    count(place.left),
                    place.reserve.map_or_else(unknown, |slots| count(slots.into())),
                    place.bytes_reserved().map_or_else(unknown, bytes),
                ],
            })
            .collect(),
    }
}
