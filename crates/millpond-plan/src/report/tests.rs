//! The whole file: self-contained, escaped, bounded.

use super::{
    MARKER, is_report,
    model::{
        Between, Bin, Births, Caller, Class, Fact, Format, GenerationLife, Proof, Report, Saving,
        Series, SlotMap, Smaller, TimeUnit, Trace,
    },
    render,
};

/// A report in which every text is `text` and every list is filled.
fn filled(text: &str) -> Report {
    let proof = Proof { operations: 8, drops: 4, drops_expected: 4, ..Proof::default() };
    let series = Series { start: 0, end: 3, points: vec![(0, 1), (1, 4), (2, 2)] };
    let class = Class {
        name: text.to_owned(),
        lifetimes: 4,
        peak_live: 4,
        capacity: 5,
        bytes_at_capacity: Some(320),
        smaller: vec![Smaller {
            capacity: 3,
            refused: Between::known(1),
            evicted: Between::ends(1, 2),
        }],
        handle: text.to_owned(),
        generations: vec![GenerationLife {
            bits: 12,
            lifo_seconds: Between::known(Some(1.0)),
            fifo_seconds: Between::known(None),
        }],
        proof: Some(proof),
        births: Some(Births { mean: 1.0, worst: 2 }),
        caller: Some(Caller { function: text.to_owned(), allocations: 3 }),
        live_over_time: Some(series.clone()),
        lifetime_histogram: vec![Bin { from: 0, to: 1, count: 4 }],
        lifetimes_oldest_first: vec![Bin { from: 0, to: 2, count: 4 }],
        slots: Some(SlotMap {
            start: 0,
            end: 3,
            slots: 5,
            columns: 3,
            rows: 1,
            cells: vec![0, 9, 255],
        }),
        ..Class::default()
    };
    let saving = Saving {
        class: text.to_owned(),
        callers: vec![Caller { function: text.to_owned(), allocations: 2 }],
        ..Saving::default()
    };
    let trace = Trace {
        name: text.to_owned(),
        format: Format::Heap,
        time_unit: TimeUnit::Milliseconds,
        facts: vec![Fact { label: text.to_owned(), value: text.to_owned() }],
        missing: vec![text.to_owned()],
        meaning: text.to_owned(),
        proof: Some(proof),
        live_over_time: Some(series),
        classes: vec![class],
        savings: vec![saving],
        little_time: Some(text.to_owned()),
    };
    Report {
        title: text.to_owned(),
        generated_by: text.to_owned(),
        rule: text.to_owned(),
        traces: vec![Trace { format: Format::Lifetimes, ..trace.clone() }, trace],
    }
}

/// `html` without the tool's own parts.
fn without_own_parts(html: &str) -> String {
    html.replace(include_str!("page.css"), "").replace(include_str!("page.js"), "")
}

#[test]
fn a_report_is_recognised_by_its_first_line() {
    let html = render(&Report::default());
    assert!(html.starts_with(&format!("{MARKER}\n<!DOCTYPE html>\n")));
    assert!(is_report(html.as_bytes()));
    assert!(is_report(format!("{MARKER}\n").as_bytes()));
    for other in ["", "<!-- millpond report v", "<!DOCTYPE html>", " <!-- millpond report v1 -->\n"]
    {
        assert!(!is_report(other.as_bytes()), "{other}");
    }
    assert!(!is_report(format!("{MARKER} as quoted in a diary\n").as_bytes()));
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let html = render(&filled("Imp"));
    for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "<img"] {
        assert!(!html.contains(reference), "{reference}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn hostile_text_stays_text_wherever_it_stands() {
    let hostile =
        "\"><script>alert(1)</script><img src=x onerror='x'>&amp;</style>\0\u{1b}]8;;\u{7}";
    let html = without_own_parts(&render(&filled(hostile)));
    assert_eq!(html.matches("<script").count(), 1, "only its own script");
    assert_eq!(html.matches("</style").count(), 1, "only its own style");
    assert!(!html.contains("<img") && !html.contains("onerror='"));
    assert!(html.contains("&quot;&gt;&lt;script&gt;") && html.contains("&amp;amp;"));
    assert!(!html.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn hostile_text_adds_no_element() {
    let tags = |html: &str| without_own_parts(html).matches('<').count();
    let hostile = "<b>'\"<!-- --><svg onload=x>{}%s";
    assert_eq!(tags(&render(&filled(hostile))), tags(&render(&filled("Imp"))));
}

#[test]
fn every_element_that_opens_closes() {
    let html = without_own_parts(&render(&filled("Imp")));
    for name in [
        "html", "body", "main", "section", "div", "table", "tr", "td", "details", "summary", "svg",
        "figure", "span", "i", "li", "ol", "ul", "p", "b", "dl", "g", "rect", "nav", "a",
    ] {
        let opened =
            html.matches(&format!("<{name} ")).count() + html.matches(&format!("<{name}>")).count();
        assert_eq!(opened, html.matches(&format!("</{name}>")).count(), "{name}");
    }
}

#[test]
fn plots_are_in_the_page_without_the_script() {
    let html = render(&filled("Imp"));
    for shape in ["class=\"cap\"", "class=\"line\"", "class=\"bar\"", "<path class=\"m5\""] {
        assert!(html.contains(shape), "{shape}");
    }
}

#[test]
fn very_long_names_do_not_make_a_very_long_page() {
    let short = render(&filled("Imp")).len();
    let long = render(&filled(&"<".repeat(65_536))).len();
    assert!(long - short < 120_000, "{short} to {long}");
}

#[test]
fn a_trace_of_many_noisy_classes_is_bounded() {
    let noise = |seed: u32, i: u32| (i ^ seed).wrapping_mul(2_654_435_761) >> 8;
    let class = |seed: u32| Class {
        name: format!("class {seed}"),
        live_over_time: Some(Series {
            start: 0,
            end: 5000,
            points: (0..5000).map(|i| (0, u64::from(noise(seed, i)))).collect(),
        }),
        lifetime_histogram: (0..100).map(|i| Bin { from: i, to: i + 1, count: i }).collect(),
        slots: Some(SlotMap {
            start: 0,
            end: 5000,
            slots: 400,
            columns: 400,
            rows: 400,
            cells: (0..160_000).map(|i| noise(seed, i) as u8).collect(),
        }),
        ..Class::default()
    };
    let trace = Trace { classes: (0..100).map(class).collect(), ..Trace::default() };
    let html = render(&Report { traces: vec![trace], ..Report::default() });
    assert!(html.len() < 8 << 20, "{}", html.len());
}

#[test]
fn an_empty_report_is_a_whole_page() {
    let html = render(&Report::default());
    assert!(html.ends_with("</html>\n"));
}
