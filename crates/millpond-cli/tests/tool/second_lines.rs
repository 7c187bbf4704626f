//! A second line about the same event counts once, or is refused, in every format. Those of a server's log are in
//! `server_logs`.

use crate::common::{Directory, done, millpond, plan_json, refused};
use serde_json::Value;

/// How many lifetimes the tool counts, and how many are left.
fn counted(text: &str) -> (u64, u64) {
    let directory = Directory::new();
    let json = plan_json(&directory, &directory.file("game", text));
    let number = |key: &str| json["traces"][0][key].as_u64().unwrap();
    (number("lifetimes"), number("left_live"))
}

#[track_caller]
fn is_refused(text: &str, part: &str) {
    let directory = Directory::new();
    let file = directory.file("game", text);
    let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
    assert!(line.contains(part), "{line}");
}

#[test]
fn an_object_is_born_and_dies_once() {
    let lifetimes = "tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
    assert_eq!(counted(lifetimes), (1, 0));
    is_refused(
        &lifetimes.replace("0,alloc,1,Imp\n", "0,alloc,1,Imp\n0,alloc,1,Imp\n"),
        "id 1 is still alive",
    );
    is_refused(&(lifetimes.to_owned() + "3,free,1,Imp\n"), "not alive");
    let table = "ms,event,address,size,stack\n0,alloc,10,24,f\n3,free,10\n";
    assert_eq!(counted(table), (1, 0));
    is_refused(
        &table.replace("0,alloc,10,24,f\n", "0,alloc,10,24,f\n0,alloc,10,24,f\n"),
        "while it is alive",
    );
    is_refused(&(table.to_owned() + "3,free,10\n"), "not alive");
    let heap = "millpond heap 1\nx game\n+ 10 18 0\n- 10\ne 0\n";
    assert_eq!(counted(heap), (1, 0));
    is_refused(&heap.replace("- 10\n", "+ 10 18 0\n- 10\n"), "while it is alive");
    // Blocks from before the recording are freed, too: a second death is that of an unknown block.
    assert_eq!(counted(&heap.replace("- 10\n", "- 10\n- 10\n")), (1, 0));
    // heaptrack names kinds, not blocks: two lines are two blocks, and a death too many is refused.
    let heaptrack = "v 10400 3\ns 4 main\ni 1 1 1\nt 1 0\na 10 1\n+ 0\n- 0\n";
    assert_eq!(counted(heaptrack), (1, 0));
    is_refused(&(heaptrack.to_owned() + "- 0\n"), "none is alive");
}

/// What is not an event: clocks, resident memory, names, comments, statistics.
#[test]
fn lines_that_are_no_events_count_nothing() {
    let heaptrack = "v 10400 3\nX game\nI 1000 40000\ns 4 main\ni 1 1 1\nt 1 0\na 10 1\na 10 1\nc 1\nR 50\n+ 0\nc 1\nR 50\n\
                     c 2\n- 0\n# strings: 1\n# ips: 1\n";
    assert_eq!(counted(heaptrack), (1, 0));
    let heap = "millpond heap 1\nx game\nc 1\nc 1\nt 1 a1\n+ 10 18 1\n- 10\nn a1\tf\tm.rs\nn a1\tg\tm.rs\ne 0\n";
    assert_eq!(counted(heap), (1, 0));
    let header = String::from_utf8(millpond_plan::trace::live::HEADER.to_vec()).unwrap();
    // Statistics are totals: the same line twice adds nothing.
    let stats = "0,stats,0,Imp,8,1,1,0,1,0,3,0,2,1\n";
    let live =
        format!("{header}\n0,alloc,0,Imp,0\n{stats}{stats}2,free,0,Imp,0\n2,end,0,recorder\n");
    assert_eq!(counted(&live), (1, 0));
    let directory = Directory::new();
    let trace = &plan_json(&directory, &directory.file("game", live))["traces"][0];
    assert_eq!(
        (&trace["refused_while_recorded"], &trace["missing_events"]),
        (&3.into(), &2.into())
    );
}

/// The lender's own statistics are no loans, and each line of a loan is one.
#[test]
fn statistics_of_a_lender_are_no_loans() {
    let header = millpond_lend::LIVE_HEADER;
    let stats = "700,,,orders,8,1,0,1,0,0,0,0,0,0,0,0,0,0,0\n";
    let text = format!("{header}\n{stats}0,0,500,orders\n{stats}{stats}900,900,1200,orders\n");
    let directory = Directory::new();
    let file = directory.file("orders.trace", text);
    let arguments = ["plan", "--json", "--wait-p99-ms", "5"];
    let said = done(&millpond(&directory).args(arguments).arg(file).output().unwrap());
    let json: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["traces"][0]["pools"][0]["asks"], 2);
}

/// The other forms of a server's log have the same second lines. They are named, and nothing in them is counted.
#[test]
fn logs_as_text_and_json_are_refused_whatever_is_asked() {
    let time = "2026-11-28 09:00:00.000 UTC";
    let durations =
        ["duration: 1.003 ms  plan: Result  (rows=1)", "duration: 1.000 ms  statement: select 1"];
    let text = durations.map(|message| format!("{time} [123] LOG:  {message}\n")).concat();
    let json = durations.map(|message| {
        format!(
            "{{\"timestamp\":\"{time}\",\"pid\":123,\"vxid\":\"3/1\",\"message\":\"{message}\"}}\n"
        )
    });
    let json = json.concat();
    for (log, kind) in [(&text, "log as text (stderr)"), (&json, "jsonlog")] {
        is_refused(log, kind);
        let directory = Directory::new();
        let file = directory.file("server.log", log);
        let mut plan = millpond(&directory);
        let line = refused(&plan.args(["plan", "--wait-p99-ms", "5"]).arg(file).output().unwrap());
        assert!(line.contains(kind) && line.contains("log_destination = 'csvlog'"), "{line}");
    }
}
