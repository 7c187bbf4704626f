//! Live traces, as `millpond::recorder` writes them, in `millpond plan`.

use crate::common::{Directory, done, millpond, refused};
use millpond::recorder::HEADER;
use millpond_testkit::live_trace;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// Text in one line, wherever it was wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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

/// Its classes are pools already: the question is how large they have to be, however little they save beside boxes.
#[test]
fn every_recorded_pool_is_planned_and_a_full_one_is_named() {
    let directory = Directory::new();
    let mut text = format!("{HEADER}\n");
    for id in 0..3 {
        text += &format!("0,alloc,{id},ent\n");
    }
    for id in 3..300 {
        text += &format!("{id},alloc,{id},orc\n{id},free,{id},orc\n");
    }
    text += "300,stats,0,ent,3,3,3,0,3,0,2,0,0,1\n300,stats,1,orc,9,0,1,0,297,297,0,0,0,1\n301,end,597,recorder\n";
    directory.file("a.trace", text);
    let plan = |more: &[&str]| {
        done(&millpond(&directory).args(["plan", "a.trace"]).args(more).output().unwrap())
    };
    let text = plan(&["--no-report", "--budget", "b.toml"]);
    for name in ["ent", "orc"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
    }
    let words = unwrapped(&text);
    assert!(words.contains("ent was full and refused 2 more objects."), "{text}");
    assert!(
        words.contains("But ent was full while the program was recorded, and may need more."),
        "{text}"
    );
    assert!(!words.contains("untouched"), "a pool of 64 slots may as well be large: {text}");
    let budget = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    assert!(budget.contains("ent") && budget.contains("orc"), "{budget}");
}

#[test]
fn of_many_full_pools_few_are_named() {
    let directory = Directory::new();
    let mut text = format!("{HEADER}\n");
    for pool in 0..5 {
        text += &format!("0,alloc,{pool},p{pool}\n0,stats,{pool},p{pool},1,1,1,0,1,0,4,0,0,1\n");
    }
    directory.file("a.trace", text + "1,end,5,recorder\n");
    let text =
        done(&millpond(&directory).args(["plan", "--no-report", "a.trace"]).output().unwrap());
    assert!(
        unwrapped(&text).contains("p0, p1, p2 and 2 more were full and refused 20 more objects."),
        "{text}"
    );
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
