//! What to pool first, and which functions ask for it.

use std::fmt::Write as _;

use super::{
    figures, html,
    model::{Format, Saving, Trace},
};

/// Proposals in the ranking.
const PROPOSALS_MAX: usize = 20;
/// How much is shown of what a proposal says.
const WHY_CHARS_MAX: usize = 400;
/// How much is shown of a function's name, where C++ spells out every template argument.
const FUNCTION_CHARS_MAX: usize = 160;
/// Functions named for each proposal.
const CALLERS_MAX: usize = 4;

/// The ranking, or that there is nothing to rank.
pub(super) fn section(trace: &Trace) -> String {
    if trace.savings.is_empty() {
        return String::new();
    }
    let ranked = &trace.savings[..trace.savings.len().min(PROPOSALS_MAX)];
    let largest = ranked.iter().map(|saving| saving.share).fold(0.0, f64::max);
    let items: String = ranked.iter().map(|saving| item(saving, largest, trace.format)).collect();
    let (calls, below) = match trace.format {
        Format::Lifetimes => ("births that would find a slot that is free again", ""),
        Format::Heaptrack => (
            "calls to the allocator that a pool would save",
            " Below each are the functions that ask most, with those that call them.",
        ),
    };
    format!(
        "<h3>What to pool first</h3>\n<p>By {calls}, each with its share of all.{below}</p>\n\
         <ol class=\"savings\">{items}</ol>\n"
    )
}

fn item(saving: &Saving, largest: f64, format: Format) -> String {
    let width = match saving.share / largest {
        share if share.is_finite() => share.clamp(0.0, 1.0) * 100.0,
        _ => 0.0,
    };
    let name = match format {
        Format::Lifetimes => html::name(&saving.class),
        Format::Heaptrack => format!("{} bytes", html::size(&saving.class)),
    };
    format!(
        "<li><div class=\"rank\"><b>{name}</b><em>{}</em></div><p>{}</p>\
         <div class=\"meter\"><i style=\"width:{width:.1}%\"></i></div><ul>{}</ul></li>\n",
        figures::percent(saving.share),
        html::cut(&saving.why, WHY_CHARS_MAX),
        callers(saving)
    )
}

/// The functions, each with its share of the calls.
fn callers(saving: &Saving) -> String {
    let mut items = String::new();
    for caller in saving.callers.iter().take(CALLERS_MAX) {
        let share = caller.allocations as f64 / saving.calls.max(1) as f64;
        let _ = write!(
            items,
            "<li><code>{}</code> <span class=\"none\">{} ({})</span></li>",
            html::name_up_to(&caller.function, FUNCTION_CHARS_MAX),
            figures::count(caller.allocations),
            figures::percent(share)
        );
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Caller;

    #[test]
    fn a_trace_without_a_ranking_has_no_section() {
        assert_eq!(section(&Trace::default()), "");
    }

    #[test]
    fn function_names_are_escaped_and_lists_are_bounded() {
        let caller =
            Caller { function: "std::vector<T>::push_back(T&&)".to_owned(), allocations: 5 };
        let saving = Saving {
            class: "24".to_owned(),
            calls: 10,
            share: 0.25,
            callers: vec![caller; 100],
            ..Saving::default()
        };
        let html = section(&Trace { savings: vec![saving; 50], ..Trace::default() });
        assert!(html.contains("std::vector&lt;T&gt;::push_back(T&amp;&amp;)"), "{html}");
        assert_eq!(html.matches("<code>").count(), PROPOSALS_MAX * CALLERS_MAX);
        assert!(html.contains("5 (50 %)"), "{html}");
    }

    #[test]
    fn shares_of_functions_are_of_all_calls_not_only_of_the_saved() {
        let caller = Caller { function: "f".to_owned(), allocations: 100 };
        let saving =
            Saving { calls: 200, calls_saved: 50, callers: vec![caller], ..Saving::default() };
        let html = section(&Trace { savings: vec![saving], ..Trace::default() });
        assert!(html.contains("100 (50 %)"), "{html}");
    }

    #[test]
    fn shares_that_are_no_number_draw_an_empty_meter() {
        let saving = Saving { share: f64::NAN, ..Saving::default() };
        let html = section(&Trace { savings: vec![saving], ..Trace::default() });
        assert!(html.contains("width:0.0%"), "{html}");
    }
}
