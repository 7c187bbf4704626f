//! What to pool first, and which functions allocate it.

use horrorshow::{Template, owned_html};

use super::{
    figures,
    model::{Format, Saving, Trace},
    texts,
};

/// The maximum number of proposals.
const PROPOSALS_MAX: usize = 20;
/// The maximum number of characters of a proposal's sentence.
const WHY_CHARS_MAX: usize = 400;
/// The maximum number of characters of a function's name; C++ spells out every template argument.
const FUNCTION_CHARS_MAX: usize = 160;
/// The maximum number of functions named for each proposal.
const CALLERS_MAX: usize = 4;

/// The ranking; nothing if it is empty.
pub(super) fn section(trace: &Trace) -> impl Template {
    let ranked = &trace.savings[..trace.savings.len().min(PROPOSALS_MAX)];
    let (calls, below) = match trace.format {
        Format::Lifetimes => ("allocations", ""),
        Format::Heap => (
            "calls to the allocator",
            " Below each are the functions that allocate most, with their callers.",
        ),
    };
    owned_html! {
        @ if !ranked.is_empty() {
            h3 : "What to pool first";
            @ if let Some(text) = &trace.little_time { p : texts::cut(text, WHY_CHARS_MAX); }
            p {
                : "Ranked by the time that each saves in all of the recording; a simpler change that saves nearly as \
                   much comes first. The bar is its share of the "; : calls; : "."; : below;
            }
            : "\n";
            ol(class="savings") { @ for saving in ranked { : item(saving); } }
            : "\n";
        }
    }
}

fn item(saving: &Saving) -> impl Template {
    let width = if saving.share.is_finite() { saving.share.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    owned_html! {
        li {
            div(class="rank") {
                b : texts::name(&saving.class);
                em : &saving.time;
            }
            p : texts::cut(&saving.why, WHY_CHARS_MAX);
            @ if let Some(next) = &saving.next { p { code : texts::cut(next, usize::MAX); } }
            div(class="meter") { i(style=format_args!("width:{width:.1}%")); }
            ul : callers(saving);
        }
        : "\n";
    }
}

/// The functions, each with its share of the calls.
fn callers(saving: &Saving) -> impl Template {
    let share = |allocations: u64| allocations as f64 / saving.calls.max(1) as f64;
    owned_html! {
        @ for caller in saving.callers.iter().take(CALLERS_MAX) {
            li {
                code : texts::name_up_to(&caller.function, FUNCTION_CHARS_MAX);
                : " ";
                span(class="none") {
                    : figures::count(caller.allocations);
                    : " ("; : figures::percent(share(caller.allocations)); : ")";
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Caller;

    #[test]
    fn a_trace_without_a_ranking_has_no_section() {
        assert_eq!(section(&Trace::default()).into_string().unwrap(), "");
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
        let html = section(&Trace { savings: vec![saving; 50], ..Trace::default() })
            .into_string()
            .unwrap();
        assert!(html.contains("std::vector&lt;T&gt;::push_back(T&amp;&amp;)"), "{html}");
        assert_eq!(html.matches("<code>").count(), PROPOSALS_MAX * CALLERS_MAX);
        assert!(html.contains("5 (50 %)"), "{html}");
    }

    #[test]
    fn a_command_to_copy_is_never_cut() {
        let command = format!("millpond plan {}", "long/".repeat(1000));
        let saving = Saving { next: Some(command.clone()), ..Saving::default() };
        let html =
            section(&Trace { savings: vec![saving], ..Trace::default() }).into_string().unwrap();
        assert!(html.contains(&format!("<code>{command}</code>")), "{html}");
    }

    #[test]
    fn shares_of_functions_are_of_all_calls_not_only_of_the_saved() {
        let caller = Caller { function: "f".to_owned(), allocations: 100 };
        let saving =
            Saving { calls: 200, calls_saved: 50, callers: vec![caller], ..Saving::default() };
        let html =
            section(&Trace { savings: vec![saving], ..Trace::default() }).into_string().unwrap();
        assert!(html.contains("100 (50 %)"), "{html}");
    }

    #[test]
    fn a_bar_fills_its_share() {
        let saving = |share| Saving { share, ..Saving::default() };
        let savings = vec![saving(0.7), saving(0.1)];
        let html = section(&Trace { savings, ..Trace::default() }).into_string().unwrap();
        assert!(html.contains("width:70.0%") && html.contains("width:10.0%"), "{html}");
    }

    #[test]
    fn shares_that_are_no_number_draw_an_empty_meter() {
        let saving = Saving { share: f64::NAN, ..Saving::default() };
        let html =
            section(&Trace { savings: vec![saving], ..Trace::default() }).into_string().unwrap();
        assert!(html.contains("width:0.0%"), "{html}");
    }
}
