//! `report.html`: one self-contained file with tables and plots.
//!
//! It needs no network, no font but the system's, and no JavaScript: a small script adds sorting, a search field and
//! values under the pointer, but all that it shows is also in the page. The size of the file is limited by the number
//! of traces, not by their lengths.
//!
//! The HTML is written with horrorshow, whose templates escape all texts and values of attributes. maud's do, too, but
//! its procedural macro brings a second version of syn along, and both take 6 s to build; askama's templates are files
//! in a language of their own; `build_html` escapes no text by itself, and `html-builder` no attribute.

mod class_card;
mod class_table;
pub mod diff;
mod figures;
mod histogram_plot;
mod live_plot;
pub mod loans;
pub mod model;
mod plot;
mod savings;
mod slot_map_plot;
mod steps;
pub mod sums;
mod texts;
mod trace_section;
mod wait_plot;

use horrorshow::{Raw, Template, helper::doctype, owned_html};

use model::Report;

/// The first line of every report, by which the tool recognises a file that it may overwrite.
pub const MARKER: &str = "<!-- millpond report v1 -->";

/// Whether a file that begins with `start` is a report that this tool wrote.
#[must_use]
pub fn is_report(start: &[u8]) -> bool {
    start.strip_prefix(MARKER.as_bytes()).is_some_and(|rest| rest.starts_with(b"\n"))
}

/// The whole file.
#[must_use]
pub fn render(report: &Report) -> String {
    let names: Vec<&str> = report.traces.iter().map(|trace| trace.name.as_str()).collect();
    let intro = owned_html! { p : texts::cut(&report.rule, 500); : contents(&names); };
    let sections = owned_html! {
        @ for (position, trace) in report.traces.iter().enumerate() {
            : trace_section::section(trace, position);
        }
    };
    page(&report.title, &report.generated_by, intro, sections)
}

/// Forbids the browser to fetch anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page of every report.
fn page(title: &str, generated_by: &str, intro: impl Template, sections: impl Template) -> String {
    let title = texts::cut(title, 200);
    let page = owned_html! {
        : Raw(MARKER); : "\n"; : doctype::HTML; : "\n";
        html(lang="en") {
            head {
                meta(charset="utf-8");
                meta(name="viewport", content="width=device-width, initial-scale=1");
                meta(name="color-scheme", content="light dark");
                meta(http-equiv="Content-Security-Policy", content=POLICY);
                title : title;
                style { : "\n"; : Raw(include_str!("page.css")); }
            }
            : "\n";
            body {
                header {
                    p(class="brand") { : logo(); : texts::cut(generated_by, 100); }
                    h1 : title;
                    : intro;
                }
                : "\n";
                main : sections;
                : "\n";
                div(id="tip", role="status", hidden);
                script { : "\n"; : Raw(include_str!("page.js")); }
            }
        }
        : "\n";
    };
    page.into_string().expect("no part of a page fails")
}

/// Three lines of calm water.
fn logo() -> impl Template {
    owned_html! {
        svg(class="logo", viewBox="0 0 32 20", aria-hidden="true") {
            path(d="M2 5q5-4 10 0t10 0 8-1M2 11h28M6 17h20");
        }
    }
}

/// Links to the sections, if there are several.
fn contents(names: &[&str]) -> impl Template {
    owned_html! {
        @ if names.len() > 1 {
            nav {
                @ for (position, name) in names.iter().enumerate() {
                    a(href=format_args!("#trace-{position}")) : texts::name(name);
                }
            }
            : "\n";
        }
    }
}

#[cfg(test)]
mod tests;
