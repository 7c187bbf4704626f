//! What a reader passes over is counted and said, and times are read in the units that recorders have.

use serde_json::{Value, json};

use crate::common::{Directory, done, millpond, plan_json, refused};

fn planned(text: &str) -> Value {
    let directory = Directory::new();
    plan_json(&directory, &directory.file("a.csv", text))["traces"][0].clone()
}

#[track_caller]
fn is_refused(text: &str, part: &str) {
    let directory = Directory::new();
    let file = directory.file("a.csv", text);
    let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
    assert!(line.contains(part), "{line}");
}

const TABLE: &str =
    "ms,event,address,size,stack\n0,free,99\n1,alloc,10,24,main\n2,free,98\n2,free,97\n4,free,10\n";
const LIFETIMES: &str =
    "tick,event,id,class\n0,free,3,Imp\n1,alloc,10,Imp\n2,free,4,Imp\n4,free,10,Imp\n";
const HEAP: &str = "millpond heap 1\nx game\nc 1\n- 30\n+ 10 8 0\nc 9\n- 10\n- 40\ne 0\n";

#[test]
fn a_recording_that_begins_in_the_middle_is_planned_and_says_so() {
    let blocks = ("free-of-unknown-block", "frees of blocks whose allocations were not recorded");
    let objects = ("free-of-unknown-object", "ends of objects whose beginnings were not recorded");
    for (text, count, (reason, words)) in
        [(TABLE, 3, blocks), (LIFETIMES, 2, objects), (HEAP, 2, blocks)]
    {
        let trace = planned(text);
        assert_eq!(trace["lifetimes"], 1, "{text}");
        let passed_over = &trace["reading"]["passed_over"];
        assert_eq!(*passed_over, json!([{"reason": reason, "count": count}]), "{text}");
        let directory = Directory::new();
        directory.file("a", text);
        let output = millpond(&directory).args(["plan", "a"]).output().unwrap();
        let said = done(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("Passed over: {count} {words}.");
        assert!(said.contains(&expected), "{said}");
        // The check is of what was read.
        assert!(said.contains("by replaying what was read on real pools"), "{said}");
        let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
        assert!(report.contains(&expected), "{expected}");
    }
}

#[test]
fn a_second_end_is_still_a_fault() {
    is_refused(&format!("{TABLE}5,free,10\n"), "line 7 (byte 87): block 10 is freed but not alive");
    is_refused(&format!("{LIFETIMES}5,free,10,Imp\n"), "id 10 is freed but not alive");
}

#[test]
fn a_whole_recording_says_how_much_was_read() {
    let text = "ms,event,address,size,stack\n0,alloc,10,24,\n5,free,10\n9,alloc,10,24,\n";
    let trace = planned(text);
    assert_eq!(trace["reading"], json!({"unit": "line", "read": 3, "passed_over": []}));
    let directory = Directory::new();
    directory.file("a.csv", text);
    let output = millpond(&directory).args(["plan", "--no-report", "a.csv"]).output().unwrap();
    let said = done(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("3 lines read, none passed over."), "{said}");
}

#[test]
fn times_of_a_table_are_in_any_unit() {
    let table = |unit: &str, times: [&str; 4]| {
        let [a, b, c, d] = times;
        format!(
            "{unit},event,address,size,stack\n{a},alloc,10,24,\n{b},alloc,20,24,\n{c},free,10\n{d},free,20\n"
        )
    };
    let plan = |unit, times| {
        let mut trace = planned(&table(unit, times));
        trace["path"] = Value::Null;
        trace
    };
    let expected = plan("ms", ["3", "4", "12", "900"]);
    assert_eq!(expected["ticks"], 898);
    assert_eq!(plan("ms", ["3.0", "4.99", "12.000001", "900.5"]), expected);
    for name in ["us", "µs", "μs"] {
        assert_eq!(plan(name, ["3000", "4999.9", "12001", "900999"]), expected, "{name}");
    }
    assert_eq!(plan("ns", ["3000000", "4999999", "12000000", "900000000"]), expected);
    // Many times within two milliseconds are times, not counts.
    assert_eq!(plan("us", ["1", "2", "3", "4"])["lives"], "known");
    is_refused(&table("ms", ["3", "2.9", "4", "5"]), "2.9 ms come after 3 ms");
    is_refused(&table("µs", ["3", "2", "4", "5"]), "2 µs come after 3 µs");
    is_refused(&table("ms", ["3", "4.x", "5", "6"]), "time `4.x`, expected a number of ms");
    is_refused(&table("ms", ["3", "4294967296", "5", "6"]), "expected milliseconds below 2^32");
    is_refused(&table("s", ["3", "4", "5", "6"]), "found `s,event,address,size,stack`, expected");
}

#[test]
fn the_clock_of_a_lifetime_trace_is_in_any_unit() {
    let rate = |unit: &str, times: [&str; 2]| {
        let text = format!(
            "tick,event,id,class,{unit}\n0,alloc,1,Imp,{}\n60,free,1,Imp,{}\n",
            times[0], times[1]
        );
        planned(&text)["ticks_per_second"].clone()
    };
    assert_eq!(rate("ms", ["100", "1100"]), 60);
    assert_eq!(rate("ms", ["100.25", "1100.25"]), 60);
    assert_eq!(rate("us", ["100000", "1100000"]), 60);
    assert_eq!(rate("ns", ["100000000", "1100000000.5"]), 60);
    is_refused("tick,event,id,class,us\n0,alloc,1,Imp,7\n1,free,1,Imp,6\n", "6 µs come after 7 µs");
}
