//! Clock, widths and words of `millpond plan` and `--help`.

use std::path::Path;

use crate::common::{
    Directory, TRACES, demonstration, done, millpond, plan_json, refused, start_of_openttd,
};
use serde_json::Value;

/// A class that is born and dies 200 times, once a tick.
fn sparks(header: &str, row: impl Fn(u32, &str) -> String) -> String {
    let mut text = format!("{header}\n");
    for tick in 0..200 {
        text += &row(tick, "alloc");
        text += &row(tick, "free");
    }
    text
}

fn without_clock() -> String {
    sparks("tick,event,id,class", |tick, event| format!("{tick},{event},{tick},Spark\n"))
}

#[track_caller]
fn fits_a_terminal(text: &str) {
    for line in text.lines() {
        let columns = line.chars().count();
        // A command or a path that is to be copied stands on a line of its own.
        let copied = line.starts_with("at-hand=")
            || line.trim_start().starts_with("millpond plan ")
            || Path::new(line).is_file();
        assert!(columns <= 80 || copied, "{columns}: {line}");
    }
}

#[test]
fn a_trace_without_a_clock_has_no_times_and_no_handles() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", without_clock());
    let json = plan_json(&directory, &trace);
    let plan = &json["traces"][0];
    for value in [&plan["ticks_per_second"], &plan["classes"][0]["handle"]] {
        assert!(value.is_null(), "{plan}");
    }
    assert!(plan["classes"][0]["generations"][0]["lifo_seconds"].is_null());
    let text = done(&millpond(&directory).args(["plan", "--all", "a.csv"]).output().unwrap());
    assert!(text.contains("200 ticks (no clock"), "{text}");
    assert!(text.contains("The trace has no clock") && !text.contains("Handle"), "{text}");
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(
        !report.contains("generations of the busiest slot last") && !report.contains("Handle32"),
        "no clock"
    );
}

#[test]
fn a_class_that_is_none_is_told_with_the_nearest_names() {
    let directory = Directory::new();
    let spark = "0,alloc,0,Spark\n1,free,0,Spark\n";
    directory.file("a.csv", format!("tick,event,id,class\n{spark}"));
    directory.file(
        "b.csv",
        format!("tick,event,id,class\n{spark}0,alloc,1,SparkBurst\n")
            .replace("1,free,0,Spark\n", ""),
    );
    let names = "n a\tnew<Bullet>\t\nn b\tgame::shoot\t\n";
    directory.file("c.heap", format!("millpond heap 1\nt 1 a b\n+ 1 30 1\n+ 2 40 0\n{names}e 0\n"));
    let plan = |class: &str, traces: &[&str]| {
        let plan = ["plan", "--no-report", "--class", class];
        millpond(&directory).args(plan).args(traces).output().unwrap()
    };
    let told = |class: &str, traces: &[&str]| refused(&plan(class, traces));
    assert_eq!(
        told("Sparks*", &["a.csv", "b.csv"]),
        "--class: `Sparks*` fits no class; the nearest are Spark and SparkBurst"
    );
    // It is enough if it fits a class of one of them.
    let text = done(&plan("SparkB*", &["a.csv", "b.csv"]));
    assert!(text.contains("SparkBurst"), "{text}");
    assert!(told("50", &["c.heap"]).ends_with("fits no class; the nearest are 48 and 64"));
    assert!(
        told("*bullet", &["c.heap"])
            .ends_with("sizes in bytes here; a function of that name requests 48")
    );
    for output in ["--json", "--csv"] {
        let output = millpond(&directory).args(["plan", output, "--class", "x", "a.csv"]).output();
        assert!(refused(&output.unwrap()).contains("`x` fits no class"));
    }
}

#[test]
fn who_requests_most_of_a_size_stands_below_it() {
    let directory = Directory::new();
    let long = "game::".repeat(20);
    let mut text = "millpond heap 1\nt 1 a c\nt 2 b c\nt 3 d\n".to_owned();
    for n in 0..9 {
        text += &format!("+ {n} 30 {}\n+ 1{n} 40 2\n+ 2{n} 50 3\n+ 3{n} 60 0\n", 1 + n % 5 / 4);
    }
    text += &format!("n a\tnew<Bullet>\t\nn b\t{long}Trail::grow\t\nn c\tshoot\t\n");
    text += &format!("n d\t<{} as game::Draw>::draw\t\ne 0\n", "x".repeat(200));
    directory.file("a.heap", text);
    let plan = ["plan", "--all", "a.heap"];
    let text = done(&millpond(&directory).args(plan).output().unwrap());
    fits_a_terminal(&text);
    let below = |size: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.find(|line| line.starts_with(size));
        lines.next().unwrap().to_owned()
    };
    assert_eq!(below("48 "), "8 by new<Bullet> in shoot");
    assert!(
        below("64 ").starts_with("all by game::game::") && below("64 ").ends_with("::Trail::grow")
    );
    assert!(below("80 ").starts_with("all by <xxx") && below("80 ").ends_with("::draw"), "{text}");
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(report.contains(">requested most by</th>"), "{report}");
    assert!(report.contains("title=\"8 objects\">new&lt;Bullet&gt; in shoot</td>"), "{report}");
    // A recording without call stacks has no such lines.
    let nobody = "millpond heap 1\n+ 1 30 0\ne 0\n";
    directory.file("a.heap", nobody);
    let text = done(&millpond(&directory).args(plan).output().unwrap());
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(!text.contains("all by ") && !report.contains("requested most by"), "{text}");
}

#[test]
fn the_users_tick_rate_is_a_clock() {
    let directory = Directory::new();
    directory.file("a.csv", without_clock());
    let arguments = ["plan", "--json", "--tick-rate", "50", "a.csv"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["traces"][0]["ticks_per_second"], 50.0);
    assert!(json["traces"][0]["classes"][0]["handle"].is_string());
}

#[test]
fn a_column_ms_is_a_clock() {
    let directory = Directory::new();
    let header = "tick,event,id,class,size,ms";
    let row = |tick: u32, event: &str| format!("{tick},{event},{tick},Spark,8,{}\n", tick * 20);
    let trace = directory.file("a.csv", sparks(header, row));
    assert_eq!(plan_json(&directory, &trace)["traces"][0]["ticks_per_second"], 50.0);
    let text = done(&millpond(&directory).args(["plan", "--no-report", "a.csv"]).output().unwrap());
    assert!(text.contains("at 50 per second (from its column ms), 4.0 s"), "{text}");
    let backwards = |tick: u32, event: &str| format!("{tick},{event},{tick},S,8,{}\n", 999 - tick);
    directory.file("b.csv", sparks(header, backwards));
    let line = refused(&millpond(&directory).args(["plan", "b.csv"]).output().unwrap());
    assert!(line.contains("998 ms come after 999 ms"), "{line}");
}

#[test]
fn a_live_trace_is_planned_by_its_own_clock() {
    let directory = Directory::new();
    let mut text = format!("{}\n", millpond::recorder::HEADER);
    for tick in 0..200 {
        text += &format!("{tick},alloc,{tick},Spark\n{tick},free,{tick},Spark\n");
        if tick % 60 == 0 {
            let (n, ms) = (tick + 1, tick * 1000 / 60);
            text += &format!("{tick},stats,0,Spark,8,0,1,0,{n},{n},0,0,0,{ms}\n");
        }
    }
    let trace = directory.file("a.trace", text + "200,end,0,recorder\n");
    assert_eq!(plan_json(&directory, &trace)["traces"][0]["ticks_per_second"], 60.0);
}

#[test]
fn the_report_says_which_lifetimes_had_not_ended() {
    let directory = Directory::new();
    let text = "tick,event,id,class\n0,alloc,1,Tree\n500,alloc,2,Imp\n900,free,2,Imp\n";
    directory.file("a.csv", text);
    done(&millpond(&directory).args(["plan", "a.csv"]).output().unwrap());
    let report = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(report.contains(">≥900<"), "{report}");
}

#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn the_first_command_fits_eighty_columns_and_eighty_lines() {
    let directory = Directory::new();
    let deep = directory.path().join("d".repeat(80));
    std::fs::create_dir(&deep).unwrap();
    let text = done(&demonstration(&directory).current_dir(deep).output().unwrap());
    fits_a_terminal(&text);
    assert!(text.lines().count() <= 80, "{} lines: {text}", text.lines().count());
}

/// First how many slots to reserve, then whether pools save time, then how it was checked; the rest on demand.
#[test]
fn a_plan_answers_first_and_fits_a_screen() {
    let directory = Directory::new();
    for (trace, time) in [
        (Path::new(TRACES).join("freedoom2-map01-8bots.csv.gz"), "noticeably faster"),
        (start_of_openttd(&directory), "Begin with "),
    ] {
        let plan = |more: &str| {
            let mut command = millpond(&directory);
            command.args(["plan", "--tick-rate", "35", "--no-report", more]).arg(&trace);
            done(&command.output().unwrap())
        };
        let text = plan("--headroom=25");
        assert!(text.lines().count() <= 30, "{} lines: {text}", text.lines().count());
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}: {text}"));
        let order = ["How many slots to reserve", time, "Checked by replaying"].map(at);
        assert!(order.is_sorted(), "{text}");
        let all = plan("--all");
        for more in
            ["What to pool first", "How long objects live", "How long handles last", "Prices"]
        {
            assert!(all.contains(more) && !text.contains(more), "{more}: {text}");
        }
    }
}

/// What has no room beside a long name is said of the first class.
#[test]
fn a_smaller_pool_has_words() {
    let directory = Directory::new();
    for (name, words) in [
        ("Spark", "fewer slots would"),
        ("A::Very::Long::Name::Of::One::Kind::Of::Spark", "slots would refuse"),
    ] {
        let mut text = "tick,event,id,class,size\n".to_owned();
        for id in 0..40 {
            text += &format!("{id},alloc,{id},{name},64\n");
        }
        for id in 0..40 {
            text += &format!("{},free,{id},{name},\n", 40 + id);
        }
        directory.file("a.csv", text);
        let arguments = ["plan", "--no-report", "a.csv"];
        let text = done(&millpond(&directory).args(arguments).output().unwrap());
        assert!(text.contains(words), "{text}");
        fits_a_terminal(&text);
    }
}

#[test]
fn a_plan_fits_eighty_columns() {
    let directory = Directory::new();
    let trace = start_of_openttd(&directory);
    let arguments = ["plan", "--size-classes", "--no-report", "--top", "600"];
    fits_a_terminal(&done(&millpond(&directory).args(arguments).arg(trace).output().unwrap()));
    let wide = format!("tick,event,id,class\n0,alloc,1,{}\n", "弾".repeat(80));
    directory.file("wide.csv", wide);
    let arguments = ["plan", "--no-report", "wide.csv"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(text.contains("弾弾弾…"), "{text}");
}

#[test]
fn help_fits_eighty_columns() {
    let directory = Directory::new();
    for command in ["", "plan", "merge", "replay", "generate", "odds", "completions", "man"] {
        for flag in ["--help", "-h"] {
            let command = Some(command).filter(|name| !name.is_empty());
            let help = done(&millpond(&directory).args(command).arg(flag).output().unwrap());
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{command:?}: {line}");
            }
        }
    }
}

#[test]
fn a_mistyped_word_is_answered_with_the_right_one() {
    let directory = Directory::new();
    for (arguments, meant) in [
        (&["paln", "a.csv"][..], "'plan'"),
        (&["plan", "--headrom", "3", "a.csv"], "'--headroom'"),
        (&["plan", "--no-handle", "a.csv"], "'--no-handles'"),
    ] {
        let line = refused(&millpond(&directory).args(arguments).output().unwrap());
        assert!(line.contains("similar") && line.contains(meant), "{line}");
    }
}

#[test]
fn classes_are_filtered_by_pattern() {
    let directory = Directory::new();
    let text = "tick,event,id,class\n0,alloc,1,Imp\n0,alloc,2,ImpBall\n0,alloc,3,Tree\n";
    directory.file("a.csv", text);
    let run = |pattern: &str| {
        let arguments = ["plan", "--csv", "--class", pattern, "a.csv"];
        millpond(&directory).args(arguments).output().unwrap()
    };
    let plan = |pattern: &str| done(&run(pattern));
    let names = |text: &str| -> Vec<String> {
        text.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(names(&plan("Imp*")), ["Imp", "ImpBall"]);
    assert_eq!(names(&plan("Imp")), ["Imp"]);
    refused(&run("x"));
}

#[test]
fn csv_has_a_line_for_each_class() {
    let directory = Directory::new();
    directory.file("a.csv", without_clock());
    let arguments = ["plan", "--csv", "--prices", "reference", "a.csv"];
    let output = millpond(&directory).args(arguments).output().unwrap();
    let expected = "trace,class,lifetimes,calls_saved,worth_a_pool,peak_live,p99_live,left_live,capacity,\
                    bytes_at_capacity,median_life,p95_life,births_mean,births_worst,proposal,saved_low_ms,\
                    saved_high_ms,median_life_most,p95_life_most\n\
                    a.csv,Spark,200,199,true,1,1,0,2,,0,0,1,1,1,0.001286,0.002274,0,0\n";
    assert_eq!(done(&output), expected);
    assert_eq!(directory.names(), ["a.csv"]);
    let both = millpond(&directory).args(["plan", "--csv", "--json", "a.csv"]).output().unwrap();
    assert!(refused(&both).contains("--json"));
}

#[test]
fn handles_are_left_out_if_nobody_wants_them() {
    let directory = Directory::new();
    directory.file("a.csv", without_clock());
    let plan = |more: &[&str]| {
        let arguments = ["plan", "--all", "--no-report", "--tick-rate", "50", "a.csv"];
        done(&millpond(&directory).args(arguments).args(more).output().unwrap())
    };
    let said = plan(&[]);
    assert!(said.contains("How long handles last") && said.contains("Handle"), "{said}");
    let said = plan(&["--no-handles"]);
    assert!(!said.contains("How long handles") && !said.contains("Handle"), "{said}");
    assert!(!said.contains("Handles must last"), "{said}");
}

#[test]
fn colour_is_the_users() {
    let directory = Directory::new();
    directory.file("a.csv", without_clock());
    let plan = |when: &[&str]| {
        let mut command = millpond(&directory);
        command.args(["plan", "--no-report", "a.csv"]).args(when);
        done(&command.output().unwrap())
    };
    assert!(!plan(&[]).contains('\x1b'), "a pipe is no terminal");
    assert!(plan(&["--color", "always"]).contains("\x1b[1m"));
    assert!(!plan(&["--color=never"]).contains('\x1b'));
    let arguments = ["plan", "--color", "sometimes", "a.csv"];
    assert!(refused(&millpond(&directory).args(arguments).output().unwrap()).contains("always"));
}

#[test]
fn a_recording_of_nothing_but_its_start_and_end() {
    let directory = Directory::new();
    directory.file("a.heaptrack", "v 10400 3\nX game\nI 1000 40000\nc 0\n");
    let line = refused(&millpond(&directory).args(["plan", "a.heaptrack"]).output().unwrap());
    assert!(line.contains("start and end immediately"), "{line}");
}
