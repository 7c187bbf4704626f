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
    let items: String = ranked.iter().map(|saving| item(saving, largest, trace)).collect();
    format!(
        "<h3>What to pool first</h3>\n<p>The sizes for which a pool would save most: allocations times \
         size, short lifetimes first, each with its share of all that pools would save. Below each \
         are the functions that ask for it most.</p>\n<ol class=\"savings\">{items}</ol>\n"
    )
}

fn item(saving: &Saving, largest: f64, trace: &Trace) -> String {
    let width = match saving.share / largest {
        share if share.is_finite() => share.clamp(0.0, 1.0) * 100.0,
        _ => 0.0,
    };
    let class = trace.classes.iter().find(|class| class.name == saving.class);
    let all = class.map_or(saving.allocations, |class| class.lifetimes);
    format!(
        "<li><div class=\"rank\"><b>{} bytes</b><em>{}</em></div>\
         <p>{} of {} saved, {} in all{}</p>\
         <div class=\"meter\"><i style=\"width:{width:.1}%\"></i></div><ul>{}</ul></li>\n",
        html::size(&saving.class),
        figures::percent(saving.share),
        figures::count(saving.allocations),
        figures::plural(all, "allocation"),
        figures::bytes(saving.bytes),
        half_gone(saving.lifetime_median, trace.time_unit),
        callers(saving, all)
    )
}

fn half_gone(median: Option<u64>, unit: TimeUnit) -> String {
    match median {
        None => ", none of them freed".to_owned(),
        // A clock in wall time may stand still for longer than its unit.
        Some(0) if unit == TimeUnit::Milliseconds => {
            ", half of them gone before the clock moves on".to_owned()
        }
        Some(0) => format!(", half of them gone within the same {}", figures::unit_name(unit)),
        Some(median) => format!(", half of them gone within {}", figures::duration(median, unit)),
    }
}

/// The functions, each with its share of `all` allocations of the size.
fn callers(saving: &Saving, all: u64) -> String {
    let mut items = String::new();
    for caller in saving.callers.iter().take(CALLERS_MAX) {
        let share = caller.allocations as f64 / all.max(1) as f64;
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
    use crate::report::model::{Caller, Class};

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
        assert!(html.contains("5 (50 %)"), "{html}");
    }

    #[test]
    fn shares_of_functions_are_of_all_allocations_not_only_of_the_saved() {
        let caller = Caller { function: "f".to_owned(), allocations: 100 };
        let class = Class { name: "24".to_owned(), lifetimes: 200, ..Class::default() };
        let saving = Saving {
            class: "24".to_owned(),
            allocations: 50,
            callers: vec![caller],
            ..Saving::default()
        };
        let html =
            section(&Trace { classes: vec![class], savings: vec![saving], ..Trace::default() });
        assert!(html.contains("50 of 200 allocations saved"), "{html}");
        assert!(html.contains("100 (50 %)"), "{html}");
    }

    #[test]
    fn shares_that_are_no_number_draw_an_empty_meter() {
        let saving = Saving { share: f64::NAN, ..Saving::default() };
        let html = section(&Trace { savings: vec![saving], ..Trace::default() });
        assert!(html.contains("width:0.0%"), "{html}");
    }
}
