//! `report.html`: one self-contained file with tables and plots.
//!
//! It needs no network, no font but the system's, and no JavaScript: a small script adds sorting, a search field and
//! values under the pointer, but all that it shows is also in the page. The size of the file is limited by the number
//! of traces, not by their lengths.
//!
//! The HTML is written with maud. askama escapes by itself and is checked at compile time, too, but its templates are
//! files in a language of their own.

mod class_card;
mod class_table;
mod figures;
mod histogram_plot;
mod live_plot;
pub mod loans;
pub mod model;
mod plot;
mod savings;
mod slot_map_plot;
mod steps;
mod texts;
mod trace_section;
mod wait_plot;

use maud::{DOCTYPE, Markup, PreEscaped, html};

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
    let intro = html! { p { (texts::cut(&report.rule, 500)) } (contents(&names)) };
    let sections = html! {
        @for (position, trace) in report.traces.iter().enumerate() {
            (trace_section::section(trace, position))
        }
    };
    page(&report.title, &report.generated_by, &intro, &sections)
}

/// Forbids the browser to fetch anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page of every report.
fn page(title: &str, generated_by: &str, intro: &Markup, sections: &Markup) -> String {
    let title = texts::cut(title, 200);
    let page = html! {
        (PreEscaped(MARKER)) "\n" (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { "\n" (PreEscaped(include_str!("page.css"))) }
            }
            "\n"
            body {
                header {
                    p.brand { (logo()) (texts::cut(generated_by, 100)) }
                    h1 { (title) }
                    (intro)
                }
                "\n"
                main { (sections) }
                "\n"
                div #tip role="status" hidden {}
                script { "\n" (PreEscaped(include_str!("page.js"))) }
            }
        }
        "\n"
    };
    page.into_string()
}

/// Three lines of calm water.
fn logo() -> Markup {
    html! {
        svg.logo viewBox="0 0 32 20" aria-hidden="true" {
            path d="M2 5q5-4 10 0t10 0 8-1M2 11h28M6 17h20" {}
        }
    }
}

/// Links to the sections, if there are several.
fn contents(names: &[&str]) -> Markup {
    html! {
        @if names.len() > 1 {
            nav {
                @for (position, name) in names.iter().enumerate() {
                    a href={ "#trace-" (position) } { (texts::name(name)) }
                }
            }
            "\n"
        }
    }
}

#[cfg(test)]
mod tests;
