//! `millpond plan --measure`: what it says, not how fast the machine is.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::{Directory, TRACES, done, millpond, plan_json, refused};
use serde_json::Value;

/// A table of allocations: crowds of 48 and 56 bytes in turn, and now and then a block of each of the other
/// sizes.
fn crowds(others: &[u64]) -> String {
    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..60 {
        for (size, function) in [(48, "fields"), (56, "table")] {
            for at in 1..=40 {
                let _ = writeln!(text, "{ms},alloc,{at:x},{size},{function};main");
            }
            for at in 1..=40 {
                let _ = writeln!(text, "{ms},free,{at:x}");
            }
        }
        for size in others {
            let _ = writeln!(text, "{ms},alloc,ff,{size},other;main\n{ms},free,ff");
        }
    }
    text
}

fn measured(directory: &Directory, trace: &Path) -> Value {
    let arguments = ["plan", "--json", "--measure"];
    let output = millpond(directory).args(arguments).arg(trace).output().unwrap();
    serde_json::from_str::<Value>(&done(&output)).unwrap()["traces"][0].take()
}

/// The time that a proposal saves: its calls, and whether its ends are in order.
fn time_saved(proposal: &Value) -> Option<(u64, bool)> {
    let saved = proposal.get("time_saved").filter(|saved| saved["is_measured"] == true)?;
    let [least, most] = ["low_ms", "high_ms"].map(|key| saved[key].as_f64().unwrap());
    Some((saved["calls"].as_u64().unwrap(), least <= most && least.is_finite() && most.is_finite()))
}

/// All that a plan says: what is proposed, or the best if nothing is; and after a trial, what it left out and did not try.
fn all(plan: &Value) -> Vec<&Value> {
    let best = Some(&plan["best_of_none"]).filter(|best| !best.is_null());
    let lists = ["pool_first", "left_out", "untried"].map(|list| plan[list].as_array().unwrap());
    lists.into_iter().flatten().chain(best).collect()
}

#[test]
fn all_proposals_are_measured() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[]));
    let plan = measured(&directory, &trace);
    assert!(!all(&plan).is_empty(), "{plan}");
    for proposal in all(&plan) {
        let calls = proposal["calls"].as_u64().unwrap();
        assert_eq!(time_saved(proposal), Some((calls, true)));
        assert!(proposal["why"].as_str().unwrap().contains("was measured to save"));
    }
    // Nothing is measured unasked, and the two sizes that share a bin are one proposal.
    let unmeasured = plan_json(&directory, &trace)["traces"][0].take();
    assert!(all(&unmeasured).iter().all(|proposal| time_saved(proposal).is_none()));
    let pool = all(&unmeasured).into_iter().find(|of| of["kind"] == "shared-pool").unwrap();
    assert_eq!((&pool["class"], &pool["calls"]), (&"48-56".into(), &4800.into()));
}

#[test]
fn people_see_it_in_the_text_and_in_the_report() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[]));
    let output = millpond(&directory).args(["plan", "--measure"]).arg(&trace).output().unwrap();
    let text = done(&output);
    let words: Vec<&str> = text.split_whitespace().collect();
    // This build is not optimised, so a trial may be sure of nothing.
    let is_said = ["was measured to save", "Left out after a trial:"];
    let words = words.join(" ");
    assert!(is_said.iter().any(|said| words.contains(said)), "{text}");
    let is_price = |line: &str| line.starts_with("at-hand=");
    let fits = |line: &str| line.chars().count() <= 80 || is_price(line);
    assert!(text.lines().all(fits), "{text}");
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    let is_said = ["measured to save", "Nothing that was tried here saves time for certain"];
    assert!(is_said.iter().any(|said| report.contains(said)));
}

#[test]
fn blocks_that_are_too_large_to_replay_are_not_measured() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[0, 1 << 20, u64::MAX]));
    let plan = measured(&directory, &trace);
    assert!(all(&plan).iter().any(|proposal| time_saved(proposal).is_some()));

    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..20 {
        (1..=20).for_each(|at| writeln!(text, "{ms},alloc,{at:x},{},f;main", 1_u64 << 60).unwrap());
        (1..=20).for_each(|at| writeln!(text, "{ms},free,{at:x}").unwrap());
    }
    let plan = measured(&directory, &directory.file("b.csv", text));
    let first = all(&plan)[0];
    assert_eq!((&first["calls"], time_saved(first)), (&400.into(), None));
}

#[test]
fn lifetime_traces_and_size_classes_are_measured() {
    let directory = Directory::new();
    let game = Path::new(TRACES).join("freedoom2-map15-solo.csv.gz");
    let plan = measured(&directory, &game);
    let first = all(&plan)[0];
    assert_eq!(time_saved(first), Some((first["calls"].as_u64().unwrap(), true)));

    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..20 {
        (1..=240).for_each(|n| {
            writeln!(text, "{ms},alloc,{n:x},{},text;parse", 16 + n % 60).unwrap();
        });
        (1..=240).for_each(|n| writeln!(text, "{ms},free,{n:x}").unwrap());
    }
    let plan = measured(&directory, &directory.file("a.csv", text));
    for proposal in all(&plan) {
        assert_eq!(time_saved(proposal), Some((4800, true)), "{proposal}");
    }
}

#[test]
fn loans_are_not_measured() {
    let directory = Directory::new();
    let arguments = ["plan", "--measure", "--wait-p99-ms", "5", "a.trace"];
    let said = refused(&millpond(&directory).args(arguments).output().unwrap());
    assert!(said.contains("--measure") && said.contains("--wait-p99-ms"), "{said}");
}

#[test]
fn counts_without_times_are_not_measured() {
    let directory = Directory::new();
    let counts: String = crowds(&[])
        .lines()
        .enumerate()
        .map(|(at, line)| match line.split_once(',') {
            Some((_, rest)) if at > 0 => format!("0,{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let trace = directory.file("b.csv", counts);
    let output = millpond(&directory).args(["plan", "--measure"]).arg(trace).output().unwrap();
    let said = refused(&output);
    assert!(said.contains("b.csv: has counts but no times"), "{said}");
}
