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
    let saved = proposal.get("time_saved")?;
    let [least, most] = ["least_ms", "most_ms"].map(|key| saved[key].as_f64().unwrap());
    Some((saved["calls"].as_u64().unwrap(), least <= most && least.is_finite() && most.is_finite()))
}

#[test]
fn a_proposal_is_measured_together_with_its_company() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[]));
    let plan = measured(&directory, &trace);
    let first = plan["pool_first"].as_array().unwrap();
    assert_eq!(first.len(), 2, "{first:?}");
    for proposal in first {
        assert_eq!(proposal["calls"], 2400);
        assert_eq!(proposal["together_with"].as_array().unwrap().len(), 1);
        assert_eq!(time_saved(proposal), Some((4800, true)));
        assert!(proposal["why"].as_str().unwrap().contains("; measured here: saves "));
    }
    assert_eq!(first[0]["time_saved"], first[1]["time_saved"], "both are one measurement");
    // Nothing else of the plan depends on it but the order, and nothing is measured unasked.
    let mut unmeasured = plan_json(&directory, &trace)["traces"][0].take();
    assert!(unmeasured["pool_first"].as_array().unwrap().iter().all(|p| time_saved(p).is_none()));
    let mut plan = plan;
    for trace in [&mut plan, &mut unmeasured] {
        let proposals = trace["pool_first"].as_array_mut().unwrap();
        for proposal in &mut *proposals {
            proposal["time_saved"] = Value::Null;
            proposal["why"] = Value::Null;
        }
        proposals.sort_by_key(|proposal| proposal["class"].to_string());
    }
    assert_eq!(plan, unmeasured);
}

#[test]
fn people_see_it_in_the_text_and_in_the_report() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[]));
    let output = millpond(&directory).args(["plan", "--measure"]).arg(&trace).output().unwrap();
    let text = done(&output);
    assert!(text.contains("    measured here: saves "), "{text}");
    assert!(text.contains("Visits to objects are not\nincluded"), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("for each of 4,800 calls"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(report.contains("measured here: saves "));
}

#[test]
fn what_the_allocator_has_at_hand_is_measured_too() {
    let directory = Directory::new();
    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..2000 {
        let _ = writeln!(text, "{ms},alloc,1,96,names;main\n{ms},free,1");
    }
    let plan = measured(&directory, &directory.file("a.csv", text));
    // Whether it is proposed depends on the machine.
    let [proposed, at_hand] = ["pool_first", "served_at_hand"].map(|key| plan[key][0].clone());
    let found = if proposed.is_null() { at_hand } else { proposed };
    let is_proposed = found["time_saved"]["least_ms"].as_f64().unwrap() > 0.0;
    assert_eq!(time_saved(&found), Some((2000, true)));
    assert_eq!(!plan["pool_first"][0].is_null(), is_proposed);
    assert_eq!(plan["classes"][0]["worth_a_pool"], is_proposed);
}

#[test]
fn blocks_that_are_too_large_to_replay_are_not_measured() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", crowds(&[0, 1 << 20, u64::MAX]));
    let plan = measured(&directory, &trace);
    assert_eq!(time_saved(&plan["pool_first"][0]), Some((4800, true)));

    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..20 {
        (1..=20).for_each(|at| writeln!(text, "{ms},alloc,{at:x},{},f;main", 1_u64 << 60).unwrap());
        (1..=20).for_each(|at| writeln!(text, "{ms},free,{at:x}").unwrap());
    }
    let plan = measured(&directory, &directory.file("b.csv", text));
    let first = &plan["pool_first"][0];
    assert_eq!((&first["calls"], time_saved(first)), (&400.into(), None));
}

#[test]
fn lifetime_traces_and_size_classes_are_measured() {
    let directory = Directory::new();
    let game = Path::new(TRACES).join("freedoom2-map15-solo.csv.gz");
    let plan = measured(&directory, &game);
    let first = &plan["pool_first"][0];
    assert_eq!(time_saved(first), Some((first["calls"].as_u64().unwrap(), true)));

    let mut text = "ms,event,address,size,stack\n".to_owned();
    for ms in 0..20 {
        (1..=240).for_each(|n| {
            writeln!(text, "{ms},alloc,{n:x},{},text;parse", 16 + n % 60).unwrap();
        });
        (1..=240).for_each(|n| writeln!(text, "{ms},free,{n:x}").unwrap());
    }
    let plan = measured(&directory, &directory.file("a.csv", text));
    let first = &plan["pool_first"][0];
    assert_eq!(first["means"], "size-classes");
    assert_eq!(time_saved(first), Some((4800, true)));
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
    let trace = directory.file("a.csv", crowds(&[]));
    let counts: String = crowds(&[])
        .lines()
        .enumerate()
        .map(|(at, line)| match line.split_once(',') {
            Some((_, rest)) if at > 0 => format!("0,{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert!(time_saved(&measured(&directory, &trace)["pool_first"][0]).is_some());
    let trace = directory.file("b.csv", counts);
    let output = millpond(&directory).args(["plan", "--measure"]).arg(trace).output().unwrap();
    let said = refused(&output);
    assert!(said.contains("b.csv: has counts but no times"), "{said}");
}
