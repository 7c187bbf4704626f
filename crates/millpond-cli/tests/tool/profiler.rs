//! What a recording from Tracy's client has of the profiler itself is left out, and counted.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Directory, done, millpond, refused};

/// Forty bullets of 64 bytes in `shoot`, within a span; for each a text of 24 bytes in `tracing_subscriber`, as debug information
/// names it, one of 64 as symbols do, and at the end one of the program that is resized from such a text.
fn recording(recorder: &str) -> String {
    let mut text =
        format!("millpond heap 1{recorder}\nx game\nt 1 a1 b1 c1\nt 2 a2 d1 c1\nt 3 a2 d2 c1\n");
    for n in 0..40 {
        let _ = writeln!(text, "c {n:x}\n+ 1 40 1\n+ 2 18 2\n+ 3 40 3\n- 2\n- 1\n- 3");
    }
    text += "+ 2 18 2\nr 2 4 30 1\nr 4 5 18 3\n- 5\n- 99\n";
    text += "n a1\tnew<game::Bullet>\t\t\nn a2\talloc::raw_vec::finish_grow\t\t\n";
    text += "n b1\tgame::shoot\t/home/me/game/src/main.rs\t\n";
    text += "n b1\ttracing::span::Span::in_scope\t/r/tracing-0.1.41/src/span.rs\t\n";
    text += "n c1\tmain\t/home/me/game/src/main.rs\t\n";
    text += "n d1\twrite_str\t/r/tracing-subscriber-0.3.20/src/fmt/mod.rs\t\n";
    text += "n d2\ttracing_subscriber::registry::sharded::Registry::new_span\t\t\n";
    text + "e 0\n"
}

/// Size and number of each class, and what was passed over.
fn planned(directory: &Directory, more: &[&str]) -> (Vec<(String, u64)>, Value) {
    let mut command = millpond(directory);
    let output =
        command.args(["plan", "--json", "--prices", "reference", "game.heap"]).args(more).output();
    let json: Value = serde_json::from_str(&done(&output.unwrap())).unwrap();
    let trace = &json["traces"][0];
    let class =
        |of: &Value| (of["class"].as_str().unwrap().to_owned(), of["lifetimes"].as_u64().unwrap());
    let mut classes: Vec<_> = trace["classes"].as_array().unwrap().iter().map(class).collect();
    classes.sort();
    (classes, trace["reading"]["passed_over"].clone())
}

fn of(classes: &[(&str, u64)]) -> Vec<(String, u64)> {
    classes.iter().map(|&(size, number)| (size.to_owned(), number)).collect()
}

#[test]
fn blocks_of_the_profiler_are_left_out_and_counted_unless_they_are_wanted() {
    let directory = Directory::new();
    directory.file("game.heap", recording(" tracy"));
    let (classes, passed_over) = planned(&directory, &[]);
    assert_eq!(classes, of(&[("48", 1), ("64", 40)]));
    assert_eq!(
        passed_over,
        serde_json::json!([
            {"reason": "block-of-profiler", "count": 82},
            {"reason": "free-of-unknown-block", "count": 1}
        ])
    );
    let text =
        done(&millpond(&directory).args(["plan", "--no-report", "game.heap"]).output().unwrap());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "82 blocks of tracing's own, for the profiler's spans and the log (--with-profiler plans them)";
    assert!(words.contains(told), "{text}");

    let (classes, passed_over) = planned(&directory, &["--with-profiler"]);
    assert_eq!(classes, of(&[("24", 42), ("48", 1), ("64", 80)]));
    assert_eq!(passed_over[0]["reason"], "free-of-unknown-block");
}

/// Elsewhere `tracing` is a part of the program as any other: only Tracy's recording has spans because it is made.
#[test]
fn other_recorders_have_no_profiler_in_the_program() {
    let directory = Directory::new();
    for recorder in ["", " header"] {
        directory.file("game.heap", recording(recorder));
        let (classes, _) = planned(&directory, &[]);
        assert_eq!(classes, of(&[("24", 42), ("48", 1), ("64", 80)]), "{recorder}");
    }
}

/// A budget that `plan` writes is checked by the same blocks.
#[test]
fn every_command_leaves_them_out() {
    let directory = Directory::new();
    directory.file("game.heap", recording(" tracy"));
    let run = |arguments: &[&str]| done(&millpond(&directory).args(arguments).output().unwrap());
    run(&["plan", "--no-report", "--all", "--budget", "b.toml", "game.heap"]);
    let checked: Value =
        serde_json::from_str(&run(&["check", "--json", "b.toml", "game.heap"])).unwrap();
    let checked = &checked["recordings"][0];
    let pools: Vec<_> = checked["pools"].as_array().unwrap().iter().map(|of| &of["pool"]).collect();
    assert_eq!((pools.len(), &checked["fits"]), (2, &true.into()), "{checked}");
    assert_eq!(checked["without_pool"], serde_json::json!([]), "{checked}");
    assert!(!run(&["export", "--chrome", "game.heap"]).contains("24 bytes"));
    let replayed = run(&["replay", "--rounds", "3", "game.heap"]);
    assert!(replayed.contains(" of 41 "), "{replayed}");
    directory
        .file("quiet.heap", recording(" tracy").replace("d1", "d3").replace("+ 2 18 2\n- 2", ""));
    let diff: Value =
        serde_json::from_str(&run(&["diff", "--json", "game.heap", "game.heap"])).unwrap();
    assert_eq!(diff["differences"], serde_json::json!([]));
}

#[test]
fn a_recording_of_nothing_else_is_told() {
    let directory = Directory::new();
    let text = "millpond heap 1 tracy\nt 1 a1\n+ 1 8 1\nn a1\ttracing_tracy::on_enter\t\t\ne 0\n";
    directory.file("game.heap", text);
    let told = refused(&millpond(&directory).args(["plan", "game.heap"]).output().unwrap());
    assert!(told.contains("no allocation but the profiler's own (--with-profiler"), "{told}");
    done(&millpond(&directory).args(["plan", "--with-profiler", "game.heap"]).output().unwrap());
}
