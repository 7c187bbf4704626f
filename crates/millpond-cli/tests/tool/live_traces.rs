//! Live traces, as `millpond::recorder` writes them, in `millpond plan`.

use crate::common::{Directory, done, millpond, refused};
use millpond::recorder::HEADER;
use millpond_testkit::live_trace;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn plan_reads_a_live_trace() {
    let directory = Directory::new();
    live_trace(&directory);
    let plan =
        json(&done(&millpond(&directory).args(["plan", "--json", "game.trace"]).output().unwrap()));
    let plan = &plan["traces"][0];
    assert_eq!((&plan["lifetimes"], &plan["peak_live"]), (&20.into(), &8.into()));
    assert_eq!((&plan["missing_events"], &plan["ticks"]), (&0.into(), &21.into()));
    assert_eq!(plan["refused_while_recorded"], 1);
    assert_eq!(plan["classes"][0]["class"], "imps");
}

#[test]
fn plan_says_what_is_missing() {
    let directory = Directory::new();
    let text = format!(
        "{HEADER}\n0,alloc,0,a\n0,stats,0,a,9,1,1,0,1,0,0,0,5,1\n0,stats,1,b,9,1,1,0,1,0,0,0,2,1\n\
         1,stats,0,a,9,1,1,0,1,0,0,0,8,2\n1,end,1,recorder\n"
    );
    let path = directory.file("slow.trace", text);
    let text =
        done(&millpond(&directory).args(["plan", "--no-report"]).arg(&path).output().unwrap());
    assert!(text.contains("\n10 events are missing"), "{text}");
}

/// Events may name their slots; what is no slot is refused.
#[test]
fn slots_are_read_or_refused() {
    let directory = Directory::new();
    for (slot, is_good) in [("", true), (",", true), (",7", true), (",4294967295", true)]
        .into_iter()
        .chain([(",-1", false), (",4294967296", false), (",x", false)])
    {
        let text = format!("{HEADER}\n0,alloc,0,a{slot}\n0,free,0,a{slot}\n1,end,2,recorder\n");
        directory.file("slots.trace", text);
        let output = millpond(&directory).args(["plan", "--json", "slots.trace"]).output().unwrap();
        match is_good {
            true => drop(done(&output)),
            false => assert!(refused(&output).contains("line 2 (byte "), "{slot}"),
        }
    }
}
