//! One class in full: its three plots and the figures that are too many for the table.

use std::fmt::Write as _;

use super::{
    figures, histogram_plot, html, live_plot,
    model::{Class, Format, GenerationLife, Proof, Smaller, Trace},
    slot_map_plot,
};

/// Rows of the table of smaller pools.
const SMALLER_MAX: usize = 12;

/// The card of `class`, unfolded if `open`.
pub(super) fn card(class: &Class, trace: &Trace, open: bool) -> String {
    let open = if open { " open" } else { "" };
    let summary = summary(class, trace);
    let unit = trace.time_unit;
    let plots = [
        live_plot::plot(&class.live_over_time, Some(class.capacity), unit),
        histogram_plot::plot(&class.lifetime_histogram, unit),
        class.slots.as_ref().map(|map| slot_map_plot::plot(map, unit)).unwrap_or_default(),
    ]
    .concat();
    let more = [
        smaller(&class.smaller),
        generations(&class.handle, &class.generations),
        class.proof.as_ref().map(proof).unwrap_or_default(),
    ]
    .concat();
    format!(
        "<details class=\"card\"{open}><summary>{summary}</summary>\
         <div class=\"plots\">{plots}</div><div class=\"more\">{more}</div></details>\n"
    )
}

fn summary(class: &Class, trace: &Trace) -> String {
    let name = match trace.format {
        Format::Lifetimes => html::name(&class.name),
        Format::Heaptrack => format!("{} bytes", html::size(&class.name)),
    };
    let left = match class.left_live {
        0 => String::new(),
        left => format!(", {} left at the end", figures::count(left)),
    };
    format!(
        "<b>{name}</b> <span class=\"cap-tag\">capacity {}</span> <span class=\"none\">{}, \
         peak {}{left}</span>",
        figures::count(class.capacity),
        figures::plural(class.lifetimes, "lifetime"),
        figures::count(class.peak_live)
    )
}

fn smaller(smaller: &[Smaller]) -> String {
    if smaller.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for pool in smaller.iter().take(SMALLER_MAX) {
        let _ = write!(
            rows,
            "<tr><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
            figures::count(pool.capacity),
            figures::count(pool.refused),
            figures::count(pool.evicted)
        );
    }
    format!(
        "<table><caption>A smaller pool would have</caption><thead><tr><th class=\"num\">at capacity</th>\
         <th class=\"num\">refused</th><th class=\"num\">or evicted</th></tr></thead>\
         <tbody>{rows}</tbody></table>"
    )
}

fn generations(handle: &str, lives: &[GenerationLife]) -> String {
    if lives.is_empty() {
        return String::new();
    }
    let shown = |seconds: Option<f64>| seconds.map_or("for ever".to_owned(), figures::seconds);
    let mut rows = String::new();
    for life in lives {
        let _ = write!(
            rows,
            "<tr><td class=\"num\">{} bits</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
            life.bits,
            shown(life.lifo_seconds),
            shown(life.fifo_seconds)
        );
    }
    if !handle.is_empty() {
        let handle = html::cut(handle, 60);
        let _ = write!(rows, "<tr><th colspan=\"3\">so <code>{handle}</code> will do</th></tr>");
    }
    format!(
        "<table><caption>The busiest slot’s generations last</caption><thead><tr>\
         <th class=\"num\">generation</th><th class=\"num\">newest first</th>\
         <th class=\"num\">oldest first</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn proof(proof: &Proof) -> String {
    format!(
        "<table><caption>Replayed through real pools</caption><tbody>\
         <tr><th>operations</th><td class=\"num\">{}</td></tr><tr><th>refused</th><td class=\"num\">{}</td></tr>\
         <tr><th>live handles wrong</th><td class=\"num\">{} of {}</td></tr>\
         <tr><th>stale handles resolved</th><td class=\"num\">{} of {}</td></tr>\
         <tr><th>values dropped</th><td class=\"num\">{} of {}</td></tr></tbody></table>",
        figures::count(proof.operations),
        figures::count(proof.refused),
        figures::count(proof.live_wrong),
        figures::count(proof.live_checked),
        figures::count(proof.stale_resolved),
        figures::count(proof.stale_checked),
        figures::count(proof.drops),
        figures::count(proof.drops_expected)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_that_is_never_reused_lasts_for_ever() {
        let class = Class {
            handle: "Handle32<T, 12>".to_owned(),
            generations: vec![GenerationLife {
                bits: 12,
                lifo_seconds: Some(7200.0),
                fifo_seconds: None,
            }],
            ..Class::default()
        };
        let html = card(&class, &Trace::default(), true);
        assert!(
            html.contains("12 bits</td><td class=\"num\">2.0 h</td><td class=\"num\">for ever"),
            "{html}"
        );
        assert!(html.contains("Handle32&lt;T, 12&gt;"), "{html}");
    }

    #[test]
    fn a_class_without_any_data_is_still_a_whole_card() {
        let html = card(&Class::default(), &Trace::default(), false);
        assert!(
            html.starts_with("<details class=\"card\"><summary>") && html.ends_with("</details>\n")
        );
    }
}
