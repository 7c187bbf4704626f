//! For heaptrack files: which sizes to pool first, and which functions ask for them.

use std::fmt::Write as _;

use super::{
    figures, html,
    model::{Saving, TimeUnit, Trace},
};

/// Sizes in the ranking.
const SIZES_MAX: usize = 20;
/// How much is shown of a function's name, where C++ spells out every template argument.
const FUNCTION_CHARS_MAX: usize = 160;
/// Functions named for each size.
const CALLERS_MAX: usize = 4;

/// The ranking, or nothing for a trace without one.
pub(super) fn section(trace: &Trace) -> String {
    if trace.savings.is_empty() {
        return String::new();
    }
    let ranked = &trace.savings[..trace.savings.len().min(SIZES_MAX)];
    let largest = ranked.iter().map(|saving| saving.share).fold(0.0, f64::max);
    let items: String =
        ranked.iter().map(|saving| item(saving, largest, trace.time_unit)).collect();
    let rest = match trace.savings.len() - ranked.len() {
        0 => String::new(),
        rest => {
            format!("<p class=\"none\">And {} further sizes.</p>\n", figures::count(rest as u64))
        }
    };
    format!(
        "<h3>What to pool first</h3>\n<p>Sizes ranked by what a pool would save: allocations times size, \
         short lifetimes first. Below each are the functions that ask for it most.</p>\n\
         <ol class=\"savings\">{items}</ol>\n{rest}"
    )
}

fn item(saving: &Saving, largest: f64, unit: TimeUnit) -> String {
    let width = match saving.share / largest {
        share if share.is_finite() => share.clamp(0.0, 1.0) * 100.0,
        _ => 0.0,
    };
    format!(
        "<li><div class=\"rank\"><b>{} bytes</b><em>{}</em></div>\
         <p>{}, {} in all{}</p>\
         <div class=\"meter\"><i style=\"width:{width:.1}%\"></i></div><ul>{}</ul></li>\n",
        html::size(&saving.class),
        figures::percent(saving.share),
        figures::plural(saving.allocations, "allocation"),
        figures::bytes(saving.bytes),
        half_gone(saving.lifetime_median, unit),
        callers(saving)
    )
}

fn half_gone(median: Option<u64>, unit: TimeUnit) -> String {
    match median {
        None => ", none of them freed".to_owned(),
        Some(0) => format!(", half of them gone within the same {}", figures::unit_name(unit)),
        Some(median) => format!(", half of them gone within {}", figures::duration(median, unit)),
    }
}

fn callers(saving: &Saving) -> String {
    let mut items = String::new();
    for caller in saving.callers.iter().take(CALLERS_MAX) {
        let share = caller.allocations as f64 / saving.allocations.max(1) as f64;
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
            allocations: 10,
            share: 0.25,
            callers: vec![caller; 100],
            ..Saving::default()
        };
        let html = section(&Trace { savings: vec![saving; 50], ..Trace::default() });
        assert!(html.contains("std::vector&lt;T&gt;::push_back(T&amp;&amp;)"), "{html}");
        assert_eq!(html.matches("<code>").count(), SIZES_MAX * CALLERS_MAX);
        assert!(html.contains("5 (50 %)") && html.contains("30 further sizes"), "{html}");
    }

    #[test]
    fn shares_that_are_no_number_draw_an_empty_meter() {
        let saving = Saving { share: f64::NAN, ..Saving::default() };
        let html = section(&Trace { savings: vec![saving], ..Trace::default() });
        assert!(html.contains("width:0.0%"), "{html}");
    }
}
