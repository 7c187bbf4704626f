//! The report of what is different between two recordings.

use horrorshow::{Template, owned_html};

use super::{page, texts};
use crate::output::diff::Compared;

/// The whole file.
#[must_use]
pub fn render(compared: &Compared) -> String {
    let [before, after] = &compared.names;
    let sentence = compared.sentence();
    let intro = owned_html! { p : &sentence; };
    let sections = compared.sections();
    let body = owned_html! {
        @ for (heading, rows) in &sections {
            section { h2 : *heading; : table(rows); }
            : "\n";
        }
    };
    let title = format!("{before} and {after}");
    page(&title, &format!("millpond {}", env!("CARGO_PKG_VERSION")), intro, body)
}

fn table(rows: &[(String, String)]) -> impl Template {
    owned_html! {
        div(class="scroll") {
            table {
                thead { tr { th(scope="col") : "what"; th(scope="col") : "before → after"; } }
                tbody {
                    @ for (name, words) in rows {
                        tr { th(scope="row") : texts::name(name); td : texts::cut(words, 500); }
                        : "\n";
                    }
                }
            }
        }
    }
}
