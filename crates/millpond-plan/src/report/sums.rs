//! The report of sums by place.

use horrorshow::{Template, owned_html};

use super::{contents, page, texts};
use crate::output::figures::number_of;

/// The content of a report.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title.
    pub title: String,
    /// The tool and its version.
    pub generated_by: String,
    /// One for each file.
    pub sections: Vec<Section<'a>>,
}

/// One file.
#[derive(Debug)]
pub struct Section<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The answer in one sentence.
    pub meaning: String,
    /// What the file is and lacks, one sentence each.
    pub notes: Vec<String>,
    /// What the signs of the table mean.
    pub legend: String,
    /// The places.
    pub rows: Vec<Row>,
}

/// One place.
#[derive(Debug)]
pub struct Row {
    /// The function and its callers.
    pub place: String,
    /// The figures, in the order of the headings.
    pub figures: [String; 7],
}

/// The most places of a table: a page is for people.
const ROWS_MAX: usize = 2000;

/// The whole file.
pub fn render(report: &Page<'_>) -> String {
    let names: Vec<&str> = report.sections.iter().map(|section| section.name).collect();
    let intro = owned_html! {
        p : "What each place of the program requested, from a recording that adds up and keeps no single block.";
        : "\n";
        : contents(&names);
    };
    let sections = owned_html! {
        @ for (position, of) in report.sections.iter().enumerate() { : section(of, position); }
    };
    page(&report.title, &report.generated_by, intro, sections)
}

fn section(of: &Section<'_>, position: usize) -> impl Template {
    const HEADINGS: [&str; 7] =
        ["size", "created", "at once", "on average", "left at the end", "reserve", "memory"];
    let left_out = of.rows.len().saturating_sub(ROWS_MAX);
    owned_html! {
        section(id=format_args!("trace-{position}")) {
            h2 : texts::name(of.name);
            div(class="meaning") { p : texts::cut(&of.meaning, 500); }
            @ for note in &of.notes { p : texts::cut(note, 1000); }
            : "\n";
            div(class="scroll") {
                table(class="classes") {
                    thead { tr { th(class="key") : "place"; @ for heading in HEADINGS { th(class="num") : heading; } } }
                    tbody {
                        @ for row in of.rows.iter().take(ROWS_MAX) {
                            tr {
                                th(class="key") : texts::name(&row.place);
                                @ for (figure, heading) in row.figures.iter().zip(HEADINGS) {
                                    td(class="num", data-h=heading) : figure;
                                }
                            }
                        }
                    }
                }
            }
            : "\n";
            @ if left_out > 0 {
                p : format!("{} are left out (--csv has all).", number_of(left_out as u64, "more place"));
            }
            p(class="none") : &of.legend;
        }
        : "\n";
    }
}
