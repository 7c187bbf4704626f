//! `report.html`: one self-contained file with tables and plots that a person wants to look at.
//!
//! It needs no network, no font but the system's, and no JavaScript: a small script adds sorting,
//! a search field and values under the pointer, but whatever it shows is in the page without it.
//! The file's size is bounded by the number of traces, not by their length.

mod class_card;
mod class_table;
mod figures;
mod histogram_plot;
mod html;
mod live_plot;
pub(crate) mod loans;
pub mod model;
mod plot;
mod savings;
mod slot_map_plot;
mod steps;
mod trace_section;
mod wait_plot;

use model::Report;

/// The first line of every report: by it the tool knows a file that it may write over.
pub const MARKER: &str = "<!-- millpond report v1 -->";

/// Whether a file that begins with `start` is a report that this tool wrote.
#[must_use]
pub fn is_report(start: &[u8]) -> bool {
    start.strip_prefix(MARKER.as_bytes()).is_some_and(|rest| rest.starts_with(b"\n"))
}

/// The whole file.
#[must_use]
pub fn render(report: &Report) -> String {
    let names = report.traces.iter().map(|trace| trace.name.as_str());
    let sections = report
        .traces
        .iter()
        .enumerate()
        .map(|(position, trace)| trace_section::section(trace, position))
        .collect();
    let intro = format!("<p>{}</p>\n{}", html::cut(&report.rule, 500), contents(names));
    page(&report.title, &report.generated_by, &intro, sections)
}

/// The frame of every report, around sections that are HTML.
fn page(title: &str, generated_by: &str, intro: &str, sections: Vec<String>) -> String {
    let title = html::cut(title, 200);
    let generated_by = html::cut(generated_by, 100);
    let sections = sections.concat();
    let style = include_str!("page.css");
    let script = include_str!("page.js");
    format!(
        "{MARKER}\n<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header><p class=\"brand\">{LOGO}{generated_by}</p><h1>{title}</h1>\n{intro}</header>\n\
         <main>\n{sections}</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n\
         <script>\n{script}</script>\n</body>\n</html>\n"
    )
}

/// Three calm lines of water.
const LOGO: &str = "<svg class=\"logo\" viewBox=\"0 0 32 20\" aria-hidden=\"true\">\
    <path d=\"M2 5q5-4 10 0t10 0 8-1M2 11h28M6 17h20\"/></svg>";

/// Links to the sections, where there are several.
fn contents<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    if names.len() < 2 {
        return String::new();
    }
    let links: String = names
        .enumerate()
        .map(|(position, name)| format!("<a href=\"#trace-{position}\">{}</a>", html::name(name)))
        .collect();
    format!("<nav>{links}</nav>\n")
}

#[cfg(test)]
mod tests;
