//! One trace: its meaning, its figures, the proof, and its classes.

use horrorshow::{Raw, Template, owned_html};

use super::{
    class_card, class_table, figures, live_plot,
    model::{Fact, Proof, Trace},
    savings, texts,
};

/// The maximum number of classes with plots; the table lists the others.
const CARDS_MAX: usize = 60;
/// The number of cards that are open at first.
const CARDS_OPEN: usize = 4;
/// The maximum number of summary figures.
const FACTS_MAX: usize = 16;

/// The section of the trace at `position` in the report.
pub(super) fn section(trace: &Trace, position: usize) -> impl Template {
    owned_html! {
        section(id=format_args!("trace-{position}")) {
            h2 : texts::name(&trace.name);
            @ for what in &trace.missing { p(class="meaning") : texts::cut(what, 1000); }
            p(class="meaning") : texts::cut(&trace.meaning, 1000);
            : "\n";
            : facts(&trace.facts);
            @ if let Some(series) = &trace.live_over_time {
                div(class="overview") : Raw(live_plot::plot(series, None, trace.time_unit));
            }
            h3 : "How many slots to reserve";
            : "\n";
            : class_table::table(trace);
            : savings::section(trace);
            @ if let Some(all) = &trace.proof { : proof(all); }
            : cards(trace);
        }
        : "\n";
    }
}

fn facts(facts: &[Fact]) -> impl Template {
    owned_html! {
        dl(class="facts") {
            @ for fact in facts.iter().take(FACTS_MAX) {
                div { dt : texts::cut(&fact.label, 60); dd : texts::cut(&fact.value, 60); }
            }
        }
        : "\n";
    }
}

/// The result of the replay, over all classes.
fn proof(proof: &Proof) -> impl Template {
    let (class, verdict, what) = if proof.holds() {
        let what = format!(
            " What was read was replayed on real pools of these sizes, in the reuse orders Lifo and Fifo: all {} \
             operations of the replay fit, all {} live handles found their object, all {} stale handles were rejected, and \
             every value was dropped exactly once.",
            figures::count(proof.operations),
            figures::count(proof.live_checked),
            figures::count(proof.stale_checked),
        );
        ("good", "✓ Checked.", what)
    } else {
        let what = format!(
            " The recording was replayed on real pools of these sizes, in the reuse orders Lifo and Fifo: {} of {} \
             operations were refused, {} of {} live handles found another object, {} of {} stale handles were \
             accepted, and {} of {} values were dropped.",
            figures::count(proof.refused),
            figures::count(proof.operations),
            figures::count(proof.live_wrong),
            figures::count(proof.live_checked),
            figures::count(proof.stale_resolved),
            figures::count(proof.stale_checked),
            figures::count(proof.drops),
            figures::count(proof.drops_expected)
        );
        ("bad", "✗ Check failed.", what)
    };
    owned_html! {
        p(class=format_args!("proof {class}")) { b : verdict; : what; }
        : "\n";
    }
}

fn cards(trace: &Trace) -> impl Template {
    let shown = &trace.classes[..trace.classes.len().min(CARDS_MAX)];
    let are_drawn = shown.iter().any(|class| class.live_over_time.is_some());
    let over_time = if are_drawn { " over time" } else { "" };
    let heading = if shown.len() == trace.classes.len() {
        format!("Each class{over_time}")
    } else {
        let all = figures::count(trace.classes.len() as u64);
        format!("The first {} of {all} classes{over_time}", shown.len())
    };
    owned_html! {
        @ if !shown.is_empty() {
            div(class="cards-head") {
                h3 : heading;
                div(class="tools", hidden) {
                    input(type="search", placeholder="Find a class", aria-label="Find a class");
                    button(type="button", data-do="open") : "Expand all";
                    button(type="button", data-do="close") : "Collapse all";
                }
            }
            : "\n";
            div(class="cards") {
                @ for (position, class) in shown.iter().enumerate() {
                    : class_card::card(class, trace, position < CARDS_OPEN);
                }
            }
            : "\n";
        }
    }
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
        let html = section(&Trace { classes, ..Trace::default() }, 0).into_string().unwrap();
        assert_eq!(html.matches("<details").count(), CARDS_MAX);
        assert!(html.contains("The first 60 of 75 classes"));
        assert_eq!(html.matches("class-59-").count(), 2);
        assert_eq!(html.matches("class-74-").count(), 1);
    }

    #[test]
    fn a_broken_proof_says_so() {
        let broken = Proof { refused: 3, ..Proof::default() };
        let html =
            section(&Trace { proof: Some(broken), ..Trace::default() }, 0).into_string().unwrap();
        assert!(html.contains("✗ Check failed.") && !html.contains("✓"), "{html}");
    }
}
