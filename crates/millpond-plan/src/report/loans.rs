//! The report of a plan for loans: how long callers wait with each capacity.

use horrorshow::{Raw, Template, owned_html};
use millpond_lend::replay::{AtCapacity, LoanPlan};

use super::{contents, page, texts, wait_plot};
use crate::output::figures::{count, milliseconds};

/// The content of a report.
#[derive(Debug)]
pub struct Page<'a> {
    /// The tool and its version.
    pub generated_by: String,
    /// The longest wait that 99 % of the callers may have.
    pub wait_p99_us: u64,
    /// The time that it takes to open an object.
    pub open_us: u64,
    /// The pools of all traces.
    pub pools: Vec<Pool<'a>>,
}

/// One pool of one trace.
#[derive(Debug)]
pub struct Pool<'a> {
    /// The name of its trace.
    pub trace: &'a str,
    /// Its plan.
    pub plan: &'a LoanPlan,
    /// What there is to say about how its trace was read, one sentence each.
    pub notes: Vec<String>,
    /// The meaning of the figures, one sentence each.
    pub verdict: Vec<String>,
    /// Whether the trace contains waits.
    pub has_waits: bool,
}

/// The whole file.
pub fn render(report: &Page<'_>) -> String {
    let title = match report.pools.as_slice() {
        [pool] => format!("Connections for {}", pool.plan.pool),
        pools => format!("Connections for {} pools", pools.len()),
    };
    let names: Vec<&str> = report.pools.iter().map(|pool| pool.plan.pool.as_str()).collect();
    let intro = owned_html! {
        p {
            : "Target: 99 % of the callers wait at most "; : milliseconds(report.wait_p99_us);
            : "; opening one takes "; : milliseconds(report.open_us);
            : ". For each capacity, all recorded loans are replayed with the library's own code and a simulated clock.";
        }
        : "\n";
        : contents(&names);
    };
    let sections = owned_html! {
        @ for (position, pool) in report.pools.iter().enumerate() {
            : section(pool, position, report.wait_p99_us);
        }
    };
    page(&title, &report.generated_by, intro, sections)
}

fn section(pool: &Pool<'_>, position: usize, limit_us: u64) -> impl Template {
    let plan = pool.plan;
    owned_html! {
        section(id=format_args!("trace-{position}")) {
            h2 : texts::name(&plan.pool);
            p : texts::cut(pool.trace, 200);
            @ for note in &pool.notes { p(class="meaning") : texts::cut(note, 1000); }
            div(class="meaning") { @ for line in &pool.verdict { p : texts::cut(line, 500); } }
            : "\n";
            : facts(pool);
            div(class="overview") : Raw(wait_plot::plot(&plan.capacities, limit_us));
            h3 : "Each capacity";
            : "\n";
            : table(plan);
        }
        : "\n";
    }
}

fn facts(pool: &Pool<'_>) -> impl Template {
    let plan = pool.plan;
    let over = milliseconds(plan.asked_over_us);
    let rate = match plan.rate_per_s {
        Some(rate) => format!("{rate:.1} a second over {over}"),
        None => format!("no rate, all within {over}"),
    };
    let busy = format!("{:.2} over {}", plan.busy, milliseconds(plan.over_us));
    let mut facts = vec![
        ("requests", count(plan.asks as u64)),
        ("requested", rate),
        ("held, on average", milliseconds(plan.mean_hold_us as u64)),
        ("busy, on average", busy),
        ("at once, waiting or served", count(plan.peak as u64)),
        ("deviation from Little's law", format!("{:.2} %", plan.deviation() * 100.0)),
    ];
    if pool.has_waits {
        facts.push(("recorded wait, 99 %", milliseconds(plan.recorded.p99_us)));
        facts.push(("callers without a loan", count(plan.unserved as u64)));
    }
    if let Some(times) = plan.holds_grow {
        facts.push(("held longer when most are out", format!("{times:.2} ×")));
    }
    owned_html! {
        dl(class="facts") {
            @ for (label, value) in facts { div { dt : label; dd : value; } }
        }
        : "\n";
    }
}

/// The capacity, and then what each cell of a row tells.
const HEADINGS: [&str; 9] = [
    "capacity",
    "wait 50 %",
    "90 %",
    "99 %",
    "longest",
    "refused",
    "busy",
    "opened as needed: 99 %",
    "opened",
];

fn table(plan: &LoanPlan) -> impl Template {
    owned_html! {
        div(class="scroll") {
            table(class="classes") {
                thead { tr { @ for heading in HEADINGS { th(class="num") : heading; } } }
                tbody { @ for at in &plan.capacities { : row(at, plan.smallest); } }
            }
        }
        : "\n";
    }
}

fn row(at: &AtCapacity, smallest: Option<usize>) -> impl Template {
    let waits = at.in_advance.waits;
    let cells = [
        milliseconds(waits.p50_us),
        milliseconds(waits.p90_us),
        milliseconds(waits.p99_us),
        milliseconds(waits.max_us),
        count(at.in_advance.refused),
        format!("{:.2}", at.in_advance.busy),
        milliseconds(at.as_needed.waits.p99_us),
        count(at.as_needed.opened),
    ];
    let class = if smallest == Some(at.capacity) { "num strong" } else { "num" };
    owned_html! {
        tr {
            th(class=class) : at.capacity;
            @ for (cell, heading) in cells.into_iter().zip(&HEADINGS[1..]) {
                td(class="num", data-h=*heading) : cell;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use millpond_lend::TraceRow;
    use millpond_lend::replay::{PoolTrace, Question, plan};

    use super::*;
    use crate::report::is_report;

    #[test]
    fn names_from_a_trace_are_text_and_the_file_is_a_report() {
        let row = TraceRow { asked_us: 0, got_us: Some(0), ended_us: 2_000 };
        let trace = PoolTrace { pool: "<script>".into(), rows: vec![row; 3] };
        let plan = plan(&trace, &Question::default());
        let pool = Pool {
            trace: "<b>.trace",
            plan: &plan,
            notes: vec!["<u> is cut".into()],
            verdict: vec!["<i> serves".into()],
            has_waits: true,
        };
        let page = Page {
            generated_by: "millpond".into(),
            wait_p99_us: 5_000,
            open_us: 10_000,
            pools: vec![pool],
        };
        let html = render(&page);
        assert!(is_report(html.as_bytes()));
        assert!(html.contains("&lt;script&gt;") && !html.contains("<h2><script>"));
        assert!(html.contains("&lt;b&gt;.trace") && html.contains("&lt;i&gt; serves"));
        assert!(html.contains("&lt;u&gt; is cut"));
        assert_eq!(html.matches("<tr><th").count(), 1 + plan.capacities.len());
    }
}
