//! `millpond plan --summary` and `millpond merge`: many sessions, one plan.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::common::{
    Directory, Random, TRACES, done, gzip, millpond, millpond_reading, plan_json, refused,
    start_of_openttd,
};
use millpond_overflow::Budget;
use serde_json::Value;

const HEADER: &str = "session,format,ticks,ticks_per_second,level,class,births,peak_live,p99_live,left_live,\
                      bytes_max,births_worst,worth_a_pool,life_median,life_p95,lives,ages\n";

/// One class of one session: its births and its peak.
pub(crate) type Needs = BTreeMap<&'static str, (u64, u32)>;

#[derive(Debug, Clone)]
pub(crate) struct Session {
    name: String,
    level: &'static str,
    pub(crate) needs: Needs,
}

impl Session {
    /// Its lines: each object lives for 7 ticks but for one, which is left alive at the age of 40.
    fn lines(&self) -> String {
        let line = |(class, (births, peak)): (&&str, &(u64, u32))| {
            format!(
                "{},lifetimes,350,35,{},{class},{births},{peak},{peak},1,16,1,true,7,7,7:{},40:1\n",
                self.name,
                self.level,
                births - 1
            )
        };
        self.needs.iter().map(line).collect()
    }

    fn peak(&self, class: &str) -> u32 {
        self.needs.get(class).map_or(0, |&(_, peak)| peak)
    }
}

const CLASSES: [&str; 4] = ["Imp", "Puff", "Rocket", "Seldom"];

/// Sessions whose peaks are spread widely, with many ties and with classes that are seldom there.
pub(crate) fn sessions(count: u64) -> Vec<Session> {
    let mut random = Random(11);
    let mut session = |number| {
        let mut needs = Needs::new();
        for (place, class) in CLASSES.into_iter().enumerate() {
            if place == 0 || random.below([1, 1, 2, 40][place]) == 0 {
                let wide = [30, 400, 8, 3][place];
                let peak = 1 + random.below(wide) * random.below(wide) / wide;
                needs.insert(class, (peak + random.below(900), peak as u32));
            }
        }
        let level = ["harbour", "forest"][random.below(2) as usize];
        Session { name: format!("s{number}"), level, needs }
    };
    (0..count).map(&mut session).collect()
}

pub(crate) fn summary(sessions: &[Session]) -> String {
    let lines: String = sessions.iter().map(Session::lines).collect();
    format!("{HEADER}{lines}")
}

#[track_caller]
fn merge_json(directory: &Directory, arguments: &[&str]) -> Value {
    let output = millpond(directory).args(["merge", "--json"]).args(arguments).output().unwrap();
    serde_json::from_str(&done(&output)).unwrap()
}

/// How rare the needs of each session are by the definition, and what the pools would be smaller by without
/// it: those that are given up first come first.
fn ranks(sessions: &[Session]) -> Vec<(usize, std::cmp::Reverse<u32>)> {
    let rank = |session: &Session| {
        let mut rank = (usize::MAX, 0);
        for class in CLASSES {
            let peak = session.peak(class);
            let others = || sessions.iter().map(|other| other.peak(class));
            let at_least = others().filter(|&other| other >= peak).count();
            let saved = peak - others().filter(|&other| other < peak).max().unwrap_or(0).min(peak);
            match at_least.cmp(&rank.0) {
                _ if peak < 2 => {}
                std::cmp::Ordering::Less => rank = (at_least, saved * 16),
                std::cmp::Ordering::Equal => rank.1 += saved * 16,
                std::cmp::Ordering::Greater => {}
            }
        }
        (rank.0, std::cmp::Reverse(rank.1))
    };
    sessions.iter().map(rank).collect()
}

/// The least and the greatest capacity of each class by the definition: they differ if sessions of the same
/// rank are given up in part.
fn expected(sessions: &[Session], given_up: usize) -> BTreeMap<&'static str, (u32, u32)> {
    let ranks = ranks(sessions);
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    let last = given_up.checked_sub(1).map(|place| sorted[place]);
    let peak =
        |class: &str, is_served: &dyn Fn(Option<(usize, std::cmp::Reverse<u32>)>) -> bool| {
            let served = sessions.iter().zip(&ranks).filter(|(_, rank)| is_served(Some(**rank)));
            served.map(|(session, _)| session.peak(class)).max().unwrap_or(0).max(1)
        };
    let bounds = |class| (peak(class, &|rank| rank > last), peak(class, &|rank| rank >= last));
    CLASSES.into_iter().map(|class| (class, bounds(class))).collect()
}

/// The capacities of a group's plan.
fn capacities(group: &Value) -> BTreeMap<&'static str, u32> {
    let classes = group["classes"].as_array().unwrap();
    let capacity = |name: &'static str| {
        let class = classes.iter().find(|class| class["class"] == name).unwrap();
        (name, class["capacity"].as_u64().unwrap() as u32)
    };
    CLASSES.into_iter().map(capacity).collect()
}

fn is_refused(session: &Session, capacities: &BTreeMap<&'static str, u32>) -> bool {
    capacities.iter().any(|(class, n)| session.peak(class) > *n)
}

#[test]
fn the_rarest_sessions_are_given_up_and_no_others() {
    let directory = Directory::new();
    let sessions = sessions(120);
    directory.file("all.csv", summary(&sessions));
    let mut exact = 0;
    for (quantile, given_up) in
        [("100", 0), ("99.9", 0), ("99", 1), ("95", 6), ("90", 12), ("50", 60)]
    {
        let json = merge_json(&directory, &["--quantile", quantile, "all.csv"]);
        let group = &json["groups"][0];
        let capacities = capacities(group);
        for (class, (least, greatest)) in expected(&sessions, given_up) {
            assert!((least..=greatest).contains(&capacities[class]), "{quantile} {class}");
            exact += u32::from(least == greatest);
        }
        let refused = sessions.iter().filter(|session| is_refused(session, &capacities)).count();
        assert_eq!(group["refused"], refused, "{quantile}");
        assert!(refused <= given_up, "{quantile}");
        assert!(refused * 10 >= given_up * 8, "{quantile}: {refused} of {given_up}");
        assert_eq!((&group["sessions"], &group["seconds"]), (&120.into(), &1200.into()));
    }
    assert!(exact >= 18, "{exact}");
}

#[test]
fn a_class_is_counted_over_all_sessions() {
    let directory = Directory::new();
    let sessions = sessions(120);
    directory.file("all.csv", summary(&sessions));
    let json = merge_json(&directory, &["--quantile", "90", "all.csv"]);
    for class in json["groups"][0]["classes"].as_array().unwrap() {
        let name = class["class"].as_str().unwrap();
        let mut peaks: Vec<u32> = sessions.iter().map(|session| session.peak(name)).collect();
        peaks.sort_unstable();
        let needs = || sessions.iter().filter_map(|session| session.needs.get(name));
        let births: u64 = needs().map(|(births, _)| births).sum();
        let saved: u64 = needs().map(|&(births, peak)| births - u64::from(peak)).sum();
        let capacity = class["capacity"].as_u64().unwrap();
        let refused_in = peaks.iter().filter(|&&peak| u64::from(peak) > capacity).count();
        assert_eq!(class["refused_in"], refused_in, "{name}");
        assert_eq!((&class["lifetimes"], &class["calls_saved"]), (&births.into(), &saved.into()));
        assert_eq!(
            (&class["peak_median"], &class["peak_max"]),
            (&peaks[59].into(), &peaks[119].into())
        );
        assert_eq!(
            (&class["sessions"], &class["worth_in"]),
            (&needs().count().into(), &needs().count().into())
        );
        assert_eq!(class["needs_most"][0]["peak_live"], peaks[119]);
        assert_eq!(class["lifetime_ticks"]["median"]["ticks"], 7);
        assert_eq!(class["bytes_at_capacity"], capacity * 16);
    }
}

#[test]
fn the_sessions_that_miss_most_are_named() {
    let directory = Directory::new();
    let sessions = sessions(120);
    directory.file("all.csv", summary(&sessions));
    let json = merge_json(&directory, &["--quantile", "90", "all.csv"]);
    let group = &json["groups"][0];
    let capacities = capacities(group);
    let refused = sessions.iter().filter(|session| is_refused(session, &capacities)).count();
    let missing = |session: &Session| -> u32 {
        capacities.iter().map(|(class, n)| session.peak(class).saturating_sub(*n)).sum()
    };
    let mut worst: Vec<(u32, &str)> =
        sessions.iter().map(|session| (missing(session), session.name.as_str())).collect();
    worst.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let neediest = group["neediest"].as_array().unwrap();
    assert_eq!(neediest.len(), refused.min(10));
    for (found, (missing, name)) in neediest.iter().zip(worst) {
        assert_eq!((&found["session"], &found["missing"]), (&name.into(), &missing.into()));
        let session = sessions.iter().find(|session| session.name == name).unwrap();
        assert_eq!(found["peak_live"], session.peak(found["class"].as_str().unwrap()));
        assert_eq!(found["path"], "all.csv");
    }
    // The shares of the table are counted, and the cost falls with the share.
    let levels = group["levels"].as_array().unwrap();
    let numbers = |key: &str| {
        let number = |level: &Value| level[key].as_f64().unwrap();
        levels.iter().map(number).collect::<Vec<f64>>()
    };
    assert!(numbers("percent").is_sorted_by(|a, b| a > b) && numbers("percent").contains(&90.0));
    assert!(numbers("refused").is_sorted() && numbers("slots").is_sorted_by(|a, b| a >= b));
    let slots: u32 = capacities.values().sum();
    let level = levels.iter().find(|level| level["percent"] == 90.0).unwrap();
    assert_eq!((&level["slots"], &level["bytes"]), (&slots.into(), &(slots * 16).into()));
}

/// What does not depend on which file a session is in.
pub(crate) fn without_paths(mut json: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("path");
                fields.values_mut().for_each(clear);
            }
            Value::Array(items) => items.iter_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut json);
    json
}

#[test]
fn neither_the_order_of_the_summaries_nor_their_files_are_of_importance() {
    let directory = Directory::new();
    let mut sessions = sessions(60);
    directory.file("all.csv", summary(&sessions));
    let options = ["--quantile", "95", "--headroom", "10", "--by", "level"];
    let json = without_paths(merge_json(&directory, &[&options[..], &["all.csv"]].concat()));
    let mut random = Random(5);
    for round in 0..4 {
        for place in (1..sessions.len()).rev() {
            sessions.swap(place, random.below(place as u64 + 1) as usize);
        }
        let mut names = Vec::new();
        for (number, part) in sessions.chunks(7).enumerate() {
            let name = format!("{round}-{number}.csv");
            let text = summary(part);
            // Some packed, some as another program writes lines, some with a mark before them.
            match number % 4 {
                0 => directory.file(&name, gzip(text.as_bytes())),
                1 => directory.file(&name, text.replace('\n', "\r\n")),
                2 => directory.file(&name, format!("\u{feff}{text}")),
                _ => directory.file(&name, text),
            };
            names.push(name);
        }
        let mut arguments = options.to_vec();
        arguments.extend(names.iter().map(String::as_str));
        assert_eq!(without_paths(merge_json(&directory, &arguments)), json);
        // One behind the other, headers and all, and the columns of one in another order.
        let mut text: String = sessions.chunks(11).map(summary).collect();
        text += "births,extra,level,session,format,ticks,ticks_per_second,class,peak_live,left_live,bytes_max,\
                 worth_a_pool,lives,ages\n";
        let arguments = [&["merge", "--json"], &options[..], &["-"]].concat();
        let output = millpond_reading(&directory, &arguments, text.as_bytes());
        let read: Value = serde_json::from_str(&done(&output)).unwrap();
        assert_eq!(without_paths(read), json);
    }
}

#[test]
fn a_budget_has_a_scenario_for_each_value() {
    let directory = Directory::new();
    let sessions = sessions(80);
    directory.file("all.csv", summary(&sessions));
    let arguments =
        ["merge", "--by", "level", "--quantile", "100", "--budget", "b.toml", "all.csv"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(text.contains("level forest") && text.contains("level harbour"), "{text}");
    assert!(text.contains("none would have had a refusal"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80 || line.contains("b.toml")),
        "{text}"
    );
    let written = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    let budget = Budget::from_toml(&written).unwrap();
    for level in ["forest", "harbour"] {
        let here = sessions.iter().filter(|session| session.level == level);
        let peak = here.map(|session| session.peak("Puff")).max().unwrap();
        assert_eq!(budget.scenario(level).unwrap().capacity("Puff").unwrap(), peak as usize);
    }
    // An untouched budget is replaced, and without groups there is one scenario.
    let arguments = ["merge", "--budget", "b.toml", "--csv", "all.csv"];
    let csv = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(csv.starts_with("class,sessions,lifetimes,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + CLASSES.len());
    let written = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    assert_eq!(Budget::from_toml(&written).unwrap().scenario_names().collect::<Vec<_>>(), ["all"]);
}

#[test]
fn what_is_worth_a_pool_in_no_session_is_left_out() {
    let directory = Directory::new();
    let text = summary(&sessions(80)).replace(",true,", ",false,");
    directory.file("all.csv", &text);
    let text = done(&millpond(&directory).args(["merge", "all.csv"]).output().unwrap());
    assert!(text.contains("Nothing is worth pooling in any of these sessions."), "{text}");
    let json = merge_json(&directory, &["--all", "all.csv"]);
    assert_eq!(json["groups"][0]["classes"].as_array().unwrap().len(), CLASSES.len());
}

#[test]
fn a_summary_says_what_the_plan_says() {
    let directory = Directory::new();
    let recordings = Directory::new();
    let game: PathBuf = [TRACES, "freedoom2-map15-solo.csv.gz"].iter().collect();
    for (trace, options) in
        [(game, &["--tick-rate", "35"][..]), (start_of_openttd(&recordings), &[])]
    {
        let json = &plan_json(&directory, &trace)["traces"][0];
        let mut command = millpond(&directory);
        command.args(["plan", "--no-report", "--top", "0", "--summary", "s.csv"]);
        command.args(["--tag", "level=map \"01\", north", "--session", "evening 1"]);
        done(&command.args(options).arg(&trace).output().unwrap());
        let mut table = csv::Reader::from_path(directory.path().join("s.csv")).unwrap();
        let lines: Vec<BTreeMap<String, String>> =
            table.deserialize().collect::<Result<_, _>>().unwrap();
        let classes = json["classes"].as_array().unwrap();
        assert_eq!(lines.len(), classes.len());
        for (line, class) in lines.iter().zip(classes) {
            assert_eq!(
                (line["session"].as_str(), line["level"].as_str()),
                ("evening 1", "map \"01\", north")
            );
            for (column, key) in [
                ("births", "lifetimes"),
                ("peak_live", "peak_live"),
                ("p99_live", "p99_live"),
                ("left_live", "left_live"),
                ("worth_a_pool", "worth_a_pool"),
            ] {
                assert_eq!(line[column], class[key].to_string(), "{column}");
            }
            assert_eq!(line["ticks"], json["ticks"].to_string());
        }
        // Of one session, the capacities are its peaks, and the lifetimes are right to 1 in 16.
        let merged = merge_json(&directory, &["--all", "s.csv"]);
        let merged = merged["groups"][0]["classes"].as_array().unwrap();
        assert_eq!(merged.len(), classes.len());
        for class in merged {
            let known = classes.iter().find(|known| known["class"] == class["class"]).unwrap();
            assert_eq!(class["capacity"], known["peak_live"]);
            let median =
                |class: &Value| class["lifetime_ticks"]["median"]["ticks"].as_f64().unwrap();
            let (exact, sketched) = (median(known), median(class));
            assert!((sketched - exact).abs() <= exact / 15.0, "{exact} {sketched}");
        }
        assert!(directory.names().iter().all(|name| name == "s.csv"));
    }
}

/// Whatever recorded it: a summary says so, and is read again.
#[test]
fn summaries_of_each_recorder_are_merged() {
    let directory = Directory::new();
    let heap = |recorder: &str| {
        let mut text = format!("millpond heap 1{recorder}\nx game\nt 1 a\nc 0\n");
        (0..20).for_each(|n| text += &format!("+ {n:x} 30 1\n"));
        text + "n a\tspawn\t\t\ne 0\n"
    };
    let table = (0..20).map(|n| format!("{n},alloc,{n:x},48,spawn\n"));
    for (format, text) in [
        ("millpond-heap", heap("")),
        ("tracy", heap(" tracy")),
        ("millpond-record", heap(" header")),
        ("allocations", "ms,event,address,size,stack\n".to_owned() + &table.collect::<String>()),
    ] {
        directory.file("recording", text);
        let summary = ["plan", "--no-report", "--summary", "s.csv", "recording"];
        done(&millpond(&directory).args(summary).output().unwrap());
        let written = std::fs::read_to_string(directory.path().join("s.csv")).unwrap();
        assert!(written.contains(&format!(",{format},")), "{written}");
        let merged = merge_json(&directory, &["--all", "s.csv"]);
        assert_eq!(merged["groups"][0]["classes"][0]["capacity"], 20, "{format}: {merged}");
    }
}

#[test]
fn few_sessions_say_little() {
    let directory = Directory::new();
    directory.file("all.csv", summary(&sessions(5)));
    let text = done(&millpond(&directory).args(["merge", "all.csv"]).output().unwrap());
    assert!(text.contains("With so few sessions"), "{text}");
    let text = done(
        &millpond(&directory).args(["merge", "--quantile", "80", "all.csv"]).output().unwrap(),
    );
    assert!(!text.contains("too few"), "{text}");
}

/// A summary of sessions of one class: name, ticks per second, and how often the busiest slot was used.
fn busy(sessions: &[(&str, &str, &str)]) -> String {
    let line = |(name, rate, busiest): &(&str, &str, &str)| {
        format!("{name},lifetimes,36000,{rate},Imp,90000,300,0,16,true,7:90000,,{busiest}\n")
    };
    let lines: String = sessions.iter().map(line).collect();
    format!(
        "session,format,ticks,ticks_per_second,class,births,peak_live,left_live,bytes_max,worth_a_pool,\
         lives,ages,busiest_lifo,busiest_fifo\n{lines}"
    )
}

/// What is proposed for the only class.
#[track_caller]
fn proposed(directory: &Directory, options: &[&str], text: &str) -> [Value; 3] {
    directory.file("busy.csv", text);
    let json = merge_json(directory, &[options, &["busy.csv"]].concat());
    let class = &json["groups"][0]["classes"][0];
    ["handle", "reuse", "outlasts_session"].map(|key| class[key].clone())
}

#[test]
fn handles_follow_from_the_session_that_uses_slots_fastest() {
    let directory = Directory::new();
    // 100 times in an hour are 2,400 in a day, so 12 bits are enough. With 2,000 an hour, 16 bits are too
    // few for a day, but not for an hour.
    let slow = ("slow", "10", "100,90");
    let fast = ("fast", "10", "20000,300");
    let faster_clock = ("clock", "2000", "100,1");
    let handle =
        |handle: &str, reuse: &str| -> [Value; 3] { [handle.into(), reuse.into(), true.into()] };
    assert_eq!(proposed(&directory, &[], &busy(&[slow])), handle("Handle32<T>", "Lifo"));
    for sessions in [[slow, fast], [fast, slow]] {
        let text = busy(&sessions);
        assert_eq!(proposed(&directory, &[], &text), handle("Handle32<T, 12>", "Lifo"));
        let briefly = proposed(&directory, &["--session-hours", "0.02"], &text);
        assert_eq!(briefly, handle("Handle32<T>", "Lifo"));
        let long = proposed(&directory, &["--session-hours", "3000"], &text);
        assert_eq!(long, handle("Handle32<T, 12>", "Fifo"));
        let longest = proposed(&directory, &["--session-hours", "999999999"], &text);
        let retires: [Value; 3] = ["Handle<T>".into(), "Fifo".into(), false.into()];
        assert_eq!(longest, retires);
    }
    // As often in a session of 18 seconds is 200 times as fast.
    let fastest = proposed(&directory, &[], &busy(&[slow, faster_clock]));
    assert_eq!(fastest, handle("Handle32<T, 12>", "Lifo"));
}

#[test]
fn no_handles_follow_from_sessions_that_do_not_say_how_fast() {
    let directory = Directory::new();
    let slow = ("slow", "10", "100,90");
    let old = busy(&[slow]).replace(",busiest_lifo,busiest_fifo", "").replace(",100,90", "");
    for (name, text) in [
        ("no clock", busy(&[slow, ("other", "", "100,90")])),
        ("an empty column", busy(&[("other", "10", ","), slow])),
        ("one empty column", busy(&[("other", "10", "100,"), slow])),
        ("no such columns", busy(&[slow]) + &old.replace("slow", "other")),
    ] {
        let nothing = [Value::Null, Value::Null, Value::Null];
        assert_eq!(proposed(&directory, &[], &text), nothing, "{name}");
        let arguments = ["merge", "--all", "busy.csv"];
        let said = done(&millpond(&directory).args(arguments).output().unwrap());
        assert!(said.contains("No handles for all classes"), "{name}: {said}");
        assert!(!said.contains("--session-hours"), "{name}: {said}");
    }
    // What the others say is shown, and nothing of it on demand.
    let text = busy(&[slow]) + "slow,lifetimes,36000,10,Puff,9,3,0,16,true,7:9,,,\n";
    directory.file("busy.csv", text);
    let said = done(&millpond(&directory).args(["merge", "--all", "busy.csv"]).output().unwrap());
    assert!(said.contains("Handle32<T>") && said.contains("No handles for the other"), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Handles must last 24 h (--session-hours)"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let arguments = ["merge", "--all", "--no-handles", "busy.csv"];
    let said = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(!said.to_lowercase().contains("handle"), "{said}");
}

#[test]
fn a_merge_of_one_session_proposes_the_handles_of_its_plan() {
    let directory = Directory::new();
    let mut handles = std::collections::BTreeSet::new();
    let game: PathBuf = [TRACES, "freedoom2-map01-8bots.csv.gz"].iter().collect();
    for (trace, options) in [
        (game.clone(), &["--tick-rate", "35", "--session-hours", "24"][..]),
        (game, &["--tick-rate", "35", "--session-hours", "1"]),
        (start_of_openttd(&directory), &["--session-hours", "24"]),
    ] {
        let mut command = millpond(&directory);
        command.args(["plan", "--json", "--summary", "s.csv"]).args(options).arg(&trace);
        let json: Value = serde_json::from_str(&done(&command.output().unwrap())).unwrap();
        let planned = json["traces"][0]["classes"].as_array().unwrap();
        let hours =
            ["--headroom", "25", "--all", options[options.len() - 2], options[options.len() - 1]];
        let merged = merge_json(&directory, &[&hours[..], &["s.csv"]].concat());
        let merged = merged["groups"][0]["classes"].as_array().unwrap();
        assert_eq!(merged.len(), planned.len());
        for class in merged {
            let known = planned.iter().find(|known| known["class"] == class["class"]).unwrap();
            for key in ["capacity", "handle", "reuse", "outlasts_session"] {
                assert_eq!(class[key], known[key], "{trace:?} {}: {key}", class["class"]);
            }
            handles.insert(class["handle"].to_string());
        }
    }
    assert!(handles.len() > 2, "{handles:?}");
}

/// Two halves of a night that have the same name and miss as many slots, in files one behind the other.
#[test]
fn the_order_of_the_summaries_changes_no_byte() {
    let directory = Directory::new();
    let sessions = sessions(90);
    let mut names: Vec<String> = Vec::new();
    for (number, part) in sessions.chunks(9).enumerate() {
        names.push(format!("{number}.csv"));
        directory.file(&names[number], summary(part));
    }
    let twin = |class: &str| {
        format!("{HEADER}twin,lifetimes,350,35,forest,{class},900,900,9,0,16,1,true,7,7,7:900,\n")
    };
    let outputs = |names: &[String], twins: [&str; 2]| {
        directory.file("twins.csv", twin(twins[0]) + &twin(twins[1]));
        ["", "--json", "--csv"].map(|format| {
            let mut command = millpond(&directory);
            command.args(["merge", "--quantile", "95", "--by", "level", "--budget", "b.toml"]);
            command.args(Some(format).filter(|format| !format.is_empty()));
            let text = done(&command.args(names).arg("twins.csv").output().unwrap());
            (text, std::fs::read(directory.path().join("b.toml")).unwrap())
        })
    };
    let expected = outputs(&names, ["Ghost", "Wraith"]);
    let mut random = Random(8);
    for round in 0..4 {
        for place in (1..names.len()).rev() {
            names.swap(place, random.below(place as u64 + 1) as usize);
        }
        let twins = [["Wraith", "Ghost"], ["Ghost", "Wraith"]][round % 2];
        assert_eq!(outputs(&names, twins), expected, "{names:?}");
    }
}

/// Merges this summary and expects to be refused with a line that has all these parts.
#[track_caller]
fn refuses(content: impl AsRef<[u8]>, parts: &[&str]) {
    let directory = Directory::new();
    directory.file("bad.csv", content);
    let arguments = ["merge", "--budget", "b.toml", "bad.csv"];
    let line = refused(&millpond(&directory).args(arguments).output().unwrap());
    assert!(line.contains("bad.csv: "), "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
    assert_eq!(directory.names(), ["bad.csv"], "nothing may be left behind");
}

#[test]
fn summaries_that_cannot_be_used() {
    let good = "a,lifetimes,350,35,map01,Imp,9,3,3,1,16,1,true,7,7,7:8,40:1\n";
    let other = "b,lifetimes,350,35,map01,Imp,9,3,3,1,16,1,true,7,7,7:8,40:1\n";
    let with = |from: &str, to: &str| format!("{HEADER}{}", good.replacen(from, to, 1));
    refuses("", &["is empty"]);
    refuses("tick,event,id,class\n", &["line 1", "has no column `session`"]);
    refuses(format!("{HEADER}{good}").trim_end(), &["line 2", "cut short"]);
    refuses(format!("{HEADER}\n"), &["line 2", "is empty"]);
    refuses(format!("{HEADER}{good}a,b\n"), &["line 3", "has 2 columns, expected 17"]);
    refuses(with("Imp", "\"Imp"), &["line 2", "a quote does not end"]);
    refuses(with("Imp", ""), &["line 2", "class is empty, expected a name"]);
    refuses(with("Imp", &"x".repeat(1531)), &["class has 1531 bytes"]);
    refuses(with("map01", &"x".repeat(1531)), &["a tag has 1531 bytes"]);
    refuses(with("Imp", &"x".repeat(70_000)), &["line 2", "more than 65536 bytes"]);
    refuses(with("350", "0"), &["ticks is `0`"]);
    refuses(with("35,", "NaN,"), &["ticks_per_second is `NaN`"]);
    refuses(with("lifetimes", "frames"), &["format is `frames`", "lifetimes, heaptrack"]);
    refuses(with(",9,3", ",2,3"), &["peak_live is `3`, expected a number from 1 to 2"]);
    refuses(with(",9,3", ",-9,3"), &["births is `-9`"]);
    refuses(with(",9,3", ",99999999999999999999,3"), &["births"]);
    refuses(with("3,1,16", "3,4,16"), &["left_live is `4`"]);
    refuses(with("3,1,16", "3,1,x"), &["bytes_max is `x`"]);
    refuses(with("true", "yes"), &["worth_a_pool is `yes`"]);
    refuses(with("7:8", "7:9"), &["lives has 9 lifetimes, expected 8"]);
    refuses(with("7:8", "7:18446744073709551615 7:9"), &["lives: the counts exceed"]);
    refuses(with("40:1", "40"), &["ages: expected LENGTH:COUNT"]);
    refuses(format!("{HEADER}{good}{good}"), &["line 3", "class `Imp` occurs twice"]);
    let other_level = good.replace("map01", "map02").replace("Imp", "Demon");
    refuses(format!("{HEADER}{good}{other_level}"), &["line 3", "differs from the line before"]);
    refuses(format!("{HEADER}{good}{other}{good}"), &["line 4", "session `a` occurs again"]);
    refuses(format!("{HEADER}{good}{HEADER}{good}"), &["session `a` is given twice"]);
    let heap = other.replace("lifetimes", "heaptrack");
    refuses(format!("{HEADER}{good}{heap}"), &["line 3", "expected one kind"]);
    refuses(HEADER.replace("level", "class"), &["two columns `class`"]);
    refuses(format!("{}\n", vec!["x"; 71].join(",")), &["more than 70 columns"]);
    refuses([HEADER.as_bytes(), b"\xff,lifetimes\n"].concat(), &["line 2"]);
    for busiest in ["0,1", "1,90001", "1,NaN", "-1,1", "1.5,1", "x,1"] {
        let what = if busiest.starts_with("1,") { "busiest_fifo is" } else { "busiest_lifo is" };
        refuses(busy(&[("a", "10", busiest)]), &["line 2", what, "from 1 to 90000"]);
    }
    refuses(busy(&[("a", "inf", "1,1")]), &["line 2", "ticks_per_second is `inf`"]);
    // Two fields that are no text, though they are when put together.
    let halves = good.replacen("a,", "\u{e9},", 1).into_bytes();
    let halves = [&halves[..1], b",", &halves[1..]].concat();
    refuses(
        [HEADER.replacen("session,", "session,x,", 1).into_bytes(), halves].concat(),
        &["not UTF-8"],
    );
}

#[test]
fn many_classes_are_refused_before_they_take_the_memory() {
    let class = |n| format!("a,lifetimes,1,,map01,C{n},1,1,1,0,,1,true,0,0,0:1,\n");
    let lines: String = (0..=65_536).map(class).collect();
    refuses(
        gzip(format!("{HEADER}{lines}").as_bytes()),
        &["line 65538", "more than 65536 classes"],
    );
}

#[test]
fn arguments_that_cannot_be_used() {
    let directory = Directory::new();
    directory.file("a.csv", "tick,event,id,class\n0,alloc,1,A\n5,free,1,A\n");
    directory.file("s.csv", summary(&sessions(3)));
    directory.file("mine.txt", "dear diary\n");
    for (arguments, part) in [
        (&["merge"][..], "<SUMMARY>"),
        (&["merge", "--quantile", "101", "s.csv"], "expected a number from 0 to 100"),
        (&["merge", "--quantile", "NaN", "s.csv"], "expected a number from 0 to 100"),
        (&["merge", "--by", "planet", "s.csv"], "s.csv: line 2 (byte "),
        (&["merge", "no.csv"], "no.csv: no such file"),
        (&["merge", "."], ".: is a directory"),
        (&["merge", "s.csv", "s.csv"], "session `s0` is given twice"),
        (
            &["merge", "--budget", "mine.txt", "s.csv"],
            "mine.txt: exists and is not an unedited millpond budget",
        ),
        (&["merge", "a.csv"], "a.csv: line 1"),
        (&["plan", "--tag", "level=1", "a.csv"], "--summary"),
        (&["plan", "--summary", "o.csv", "--tag", "births=1", "a.csv"], "births"),
        (
            &["plan", "--summary", "o.csv", "--tag", "x=1", "--tag", "x=2", "a.csv"],
            "`x` is given twice",
        ),
        (&["plan", "--summary", "o.csv", "--session", "x", "a.csv", "s.csv"], "--session"),
        (&["plan", "--summary", "o.csv", "a.csv", "./a.csv"], "two traces are named `a`"),
        (
            &["plan", "--summary", "o.csv", "--budget", "o.csv", "a.csv"],
            "also the file for the budget",
        ),
        (
            &["plan", "--no-report", "--summary", "o.csv", "--budget", "./o.csv", "a.csv"],
            "also the file for the budget",
        ),
        (
            &["plan", "--summary", "mine.txt", "a.csv"],
            "mine.txt: exists and is not a millpond summary",
        ),
        (&["plan", "--summary", "o.csv", "s.csv"], "s.csv: line 1"),
    ] {
        let line = refused(&millpond(&directory).args(arguments).output().unwrap());
        assert!(line.contains(part), "{arguments:?}: {line}");
        assert_eq!(directory.names(), ["a.csv", "mine.txt", "s.csv"], "{arguments:?}");
    }
}
