//! One class in full: its three plots, and the figures that do not fit into the table.

use horrorshow::{Raw, Template, owned_html};

use super::{
    figures, histogram_plot, live_plot,
    model::{Between, Class, Format, GenerationLife, Proof, Smaller, Trace},
    slot_map_plot, texts,
};
use crate::output::between::in_table;

/// What a plot assumes whose recording does not say who died.
const IF_NEWEST_FIRST: &str = " if the newest dies first";
const IF_OLDEST_FIRST: &str = " if the oldest dies first";

/// The maximum number of rows in the table of smaller pools.
const SMALLER_MAX: usize = 12;

/// The card of `class`, open if `open`.
pub(super) fn card(class: &Class, trace: &Trace, open: bool) -> impl Template {
    let unit = trace.time_unit;
    let is_assumed = !class.lifetimes_oldest_first.is_empty();
    let assumes = if is_assumed { IF_NEWEST_FIRST } else { "" };
    owned_html! {
        details(class="card", open?=open) {
            summary : summary(class, trace);
            div(class="plots") {
                @ if let Some(series) = &class.live_over_time {
                    : Raw(live_plot::plot(series, Some(class.capacity), unit));
                }
                @ if !class.lifetime_histogram.is_empty() {
                    : Raw(histogram_plot::plot(&class.lifetime_histogram, unit, assumes));
                }
                @ if is_assumed {
                    : Raw(histogram_plot::plot(&class.lifetimes_oldest_first, unit, IF_OLDEST_FIRST));
                }
                @ if let Some(map) = &class.slots { : Raw(slot_map_plot::plot(map, unit, assumes)); }
            }
            div(class="more") {
                : smaller(&class.smaller);
                : generations(&class.handle, &class.generations);
                @ if let Some(one) = &class.proof { : proof(one); }
            }
        }
        : "\n";
    }
}

fn summary(class: &Class, trace: &Trace) -> impl Template {
    owned_html! {
        b {
            @ match trace.format {
                Format::Lifetimes => { : texts::name(&class.name); }
                Format::Heap => {
                    : texts::size(&class.name); : " "; : figures::byte_unit(&class.name);
                }
            }
        }
        : " ";
        span(class="cap-tag") { : figures::number_of(class.capacity, "slot"); }
        : " ";
        span(class="none") {
            : figures::number_of(class.lifetimes, "object");
            : ", at most "; : figures::count(class.peak_live); : " at once";
            @ if class.left_live > 0 {
                : ", "; : figures::count(class.left_live); : " left at the end";
            }
        }
    }
}

fn smaller(smaller: &[Smaller]) -> impl Template {
    owned_html! {
        @ if !smaller.is_empty() {
            table {
                caption : "With fewer slots";
                thead {
                    tr {
                        th(class="num") : "slots";
                        th(class="num") : "refused";
                        th(class="num") : "or evicted";
                    }
                }
                tbody {
                    @ for pool in smaller.iter().take(SMALLER_MAX) {
                        tr {
                            td(class="num") : figures::count(pool.capacity);
                            td(class="num") : in_table(pool.refused);
                            td(class="num") : in_table(pool.evicted);
                        }
                    }
                }
            }
        }
    }
}

fn generations(handle: &str, lives: &[GenerationLife]) -> impl Template {
    let one = |seconds: Option<f64>| seconds.map_or("forever".to_owned(), figures::seconds);
    let shown = move |seconds: Between<Option<f64>>| match seconds.map(one) {
        Between { least, most } if least != most => format!("{least}–{most}"),
        Between { most, .. } => most,
    };
    owned_html! {
        @ if !lives.is_empty() {
            table {
                caption : "How long until the most reused slot runs out of generations";
                thead {
                    tr {
                        th(class="num") : "bits for the generation";
                        th(class="num") : "newest first";
                        th(class="num") : "oldest first";
                    }
                }
                tbody {
                    @ for life in lives {
                        tr {
                            td(class="num") { : life.bits; : " bits"; }
                            td(class="num") : shown(life.lifo_seconds);
                            td(class="num") : shown(life.fifo_seconds);
                        }
                    }
                    @ if !handle.is_empty() {
                        tr {
                            th(colspan="3") {
                                : "so "; code : texts::cut(handle, 60); : " is enough";
                            }
                        }
                    }
                }
            }
        }
    }
}

fn proof(proof: &Proof) -> impl Template {
    let of = |part, all| format!("{} of {}", figures::count(part), figures::count(all));
    let rows = [
        ("operations", figures::count(proof.operations)),
        ("refused", figures::count(proof.refused)),
        ("live handles wrong", of(proof.live_wrong, proof.live_checked)),
        ("stale handles resolved", of(proof.stale_resolved, proof.stale_checked)),
        ("values dropped", of(proof.drops, proof.drops_expected)),
    ];
    owned_html! {
        table {
            caption : "Checked on real pools";
            tbody { @ for (what, figure) in rows { tr { th : what; td(class="num") : figure; } } }
        }
    }
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
                lifo_seconds: Between::known(Some(7200.0)),
                fifo_seconds: Between::known(None),
            }],
            ..Class::default()
        };
        let html = card(&class, &Trace::default(), true).into_string().unwrap();
        assert!(
            html.contains("12 bits</td><td class=\"num\">2.0 h</td><td class=\"num\">forever"),
            "{html}"
        );
        assert!(html.contains("Handle32&lt;T, 12&gt;"), "{html}");
    }

    #[test]
    fn a_class_without_any_data_is_still_a_whole_card() {
        let html = card(&Class::default(), &Trace::default(), false).into_string().unwrap();
        assert!(
            html.starts_with("<details class=\"card\"><summary>") && html.ends_with("</details>\n")
        );
    }
}
