//! One trace: what it means, its figures, the proof, and its classes.

use std::fmt::Write as _;

use super::{
    class_card, class_table, figures, html, live_plot,
    model::{Fact, Proof, Trace},
    savings,
};

/// Classes with plots; the table names the others.
const CARDS_MAX: usize = 60;
/// Cards that are unfolded from the start.
const CARDS_OPEN: usize = 4;
/// Summary figures.
const FACTS_MAX: usize = 16;

/// The section of the trace at `position` in the report.
pub(super) fn section(trace: &Trace, position: usize) -> String {
    let name = html::name(&trace.name);
    let meaning = html::cut(&trace.meaning, 1000);
    let facts = facts(&trace.facts);
    let proof = trace.proof.as_ref().map(proof).unwrap_or_default();
    let overview = trace
        .live_over_time
        .as_ref()
        .map(|series| live_plot::plot(series, None, trace.time_unit))
        .map(|plot| format!("<div class=\"overview\">{plot}</div>\n"))
        .unwrap_or_default();
    let savings = savings::section(trace);
    let table = class_table::table(trace);
    let cards = cards(trace);
    format!(
        "<section id=\"trace-{position}\">\n<h2>{name}</h2>\n<p class=\"meaning\">{meaning}</p>\n\
         {facts}{proof}{overview}{savings}<h3>Pools, one a class</h3>\n{table}{cards}</section>\n"
    )
}

fn facts(facts: &[Fact]) -> String {
    let mut tiles = String::new();
    for fact in facts.iter().take(FACTS_MAX) {
        let _ = write!(
            tiles,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            html::cut(&fact.label, 60),
            html::cut(&fact.value, 60)
        );
    }
    format!("<dl class=\"facts\">{tiles}</dl>\n")
}

/// What the replay showed, over all classes.
fn proof(proof: &Proof) -> String {
    let (class, verdict) =
        if proof.holds() { ("good", "✓ Proved.") } else { ("bad", "✗ Not proved.") };
    format!(
        "<p class=\"proof {class}\"><b>{verdict}</b> The trace was replayed through real pools of the \
         planned capacities, once with newest-first and once with oldest-first reuse: {} operations, \
         {} refused; {} live handles looked up, {} wrong; {} stale handles tried, {} resolved; \
         {} of {} values dropped exactly once.</p>\n",
        figures::count(proof.operations),
        figures::count(proof.refused),
        figures::count(proof.live_checked),
        figures::count(proof.live_wrong),
        figures::count(proof.stale_checked),
        figures::count(proof.stale_resolved),
        figures::count(proof.drops),
        figures::count(proof.drops_expected)
    )
}

fn cards(trace: &Trace) -> String {
    if trace.classes.is_empty() {
        return String::new();
    }
    let shown = trace.classes.len().min(CARDS_MAX);
    let heading = if shown == trace.classes.len() {
        "Each class over time".to_owned()
    } else {
        format!(
            "The first {shown} of {} classes over time",
            figures::count(trace.classes.len() as u64)
        )
    };
    let mut cards = format!(
        "<div class=\"cards-head\"><h3>{heading}</h3><div class=\"tools\" hidden>\
         <input type=\"search\" placeholder=\"Find a class\" aria-label=\"Find a class\">\
         <button type=\"button\" data-do=\"open\">Unfold all</button>\
         <button type=\"button\" data-do=\"close\">Fold all</button></div></div>\n\
         <div class=\"cards\">"
    );
    for (position, class) in trace.classes[..shown].iter().enumerate() {
        cards += &class_card::card(class, trace, position < CARDS_OPEN);
    }
    cards + "</div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Class;

    #[test]
    fn sixty_classes_are_plotted_and_the_rest_is_named() {
        let classes = (0..75)
            .map(|number| Class { name: format!("class-{number}-"), ..Class::default() })
            .collect();
        let html = section(&Trace { classes, ..Trace::default() }, 0);
        assert_eq!(html.matches("<details").count(), CARDS_MAX);
        assert!(html.contains("The first 60 of 75 classes"));
        assert_eq!(html.matches("class-59-").count(), 2);
        assert_eq!(html.matches("class-74-").count(), 1);
    }

    #[test]
    fn a_broken_proof_says_so() {
        let broken = Proof { refused: 3, ..Proof::default() };
        let html = section(&Trace { proof: Some(broken), ..Trace::default() }, 0);
        assert!(html.contains("✗ Not proved.") && !html.contains("✓"), "{html}");
    }
}
