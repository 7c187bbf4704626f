//! What `plan` says, its report, `--json`, `--csv`, `--measure`, `merge` and `replay` say, too: of all bundled recordings.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{Directory, TRACES, done, millpond};
use serde_json::Value;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a report, without what marks it up.
fn of_page(html: &str) -> String {
    let tags = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = tags.collect::<String>();
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    one_line(&entities.iter().fold(text, |text, (from, to)| text.replace(from, to)))
}

fn say_the_same(name: &str) {
    let directory = Directory::new();
    let trace = Path::new(TRACES).join(name);
    let run = |command: &str, options: &[&str]| {
        let mut millpond = millpond(&directory);
        done(&millpond.arg(command).args(options).arg(&trace).output().unwrap())
    };
    let plan = |options: &[&str]| run("plan", &[&["--prices", "reference"], options].concat());
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();

    let told = json(&plan(&["--json"]))["traces"][0].take();
    let first = told["pool_first"].as_array().unwrap();
    assert!(!first.is_empty() && told["best_of_none"].is_null(), "{name}");

    // The text and the report have the same proposals in the same order.
    let said = one_line(&plan(&["--report", "r.html", "--summary", "s.csv", "--all"]));
    let page = of_page(&std::fs::read_to_string(directory.path().join("r.html")).unwrap());
    for (number, proposal) in (1..).zip(first) {
        let why = proposal["why"].as_str().unwrap().split("; next: ").next().unwrap();
        assert!(said.contains(&format!(": {why}")), "{name}: {why}");
        assert!(page.contains(why), "{name}: {why}");
        let head = format!(" {number}. ");
        let place = said.find(&head).unwrap_or_else(|| panic!("{name}: no {head}"));
        assert!(said[place..].find(why) < Some(200), "{name}: {number} is not {why}");
    }

    // The table has the numbers of the proposals.
    let table = plan(&["--csv"]);
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = lines.next().unwrap();
    let column = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let mut pooled = BTreeSet::new();
    for line in lines {
        let (class, number) = (line[column("class")], line[column("proposal")]);
        let of_class = first.iter().find(|of| {
            let is_pool = of["kind"] == "pool" || of["kind"] == "shared-pool";
            is_pool && of["classes"].as_array().unwrap().contains(&class.into())
        });
        let expected = of_class.map_or_else(String::new, |of| of["number"].to_string());
        assert_eq!(number, expected, "{name}: {class}");
        assert_eq!(line[column("worth_a_pool")] == "true", of_class.is_some(), "{name}: {class}");
        if of_class.is_some() {
            pooled.insert(class.to_owned());
        }
    }

    // One session merged is that session.
    let merged = done(&millpond(&directory).args(["merge", "--json", "s.csv"]).output().unwrap());
    let classes = json(&merged)["groups"][0]["classes"].take();
    let names =
        classes.as_array().unwrap().iter().map(|of| of["class"].as_str().unwrap().to_owned());
    assert_eq!(names.collect::<BTreeSet<_>>(), pooled, "{name}");

    // A replay measures the same proposals, and knows the same objects.
    let measured = json(&plan(&["--json", "--measure"]))["traces"][0].take();
    let of_none = Some(&measured["best_of_none"]).filter(|best| !best.is_null());
    let is_told = |of: &Value| {
        first.iter().any(|told| ["kind", "class", "calls"].iter().all(|key| told[*key] == of[*key]))
    };
    assert!(
        measured["pool_first"].as_array().unwrap().iter().chain(of_none).all(is_told),
        "{name}"
    );
    let replayed = json(&run("replay", &["--json", "--rounds", "3", "--events", "100000000"]));
    let replayed = &replayed["traces"][0];
    assert_eq!(replayed["lifetimes_replayed"], told["lifetimes"], "{name}");

    // What it saves is of the same calls and of the same time, and worth it by the same measure.
    let saved = &replayed["time_saved"];
    assert_eq!((&saved["calls"], &saved["is_measured"]), (&told["lifetimes"], &true.into()));
    let ms_of = |saved: &Value| {
        Some((saved["high_ms"].as_f64()? / saved["high_share_of_time"].as_f64()?).round())
    };
    assert_eq!(ms_of(saved), ms_of(&first[0]["time_saved"]), "{name}");
    let is_worth = !replayed["recommended"].is_null();
    // What is certain decides; the number that is written is a rounded one.
    let certain = saved["low_ms"].as_f64().unwrap();
    let near = [0.99, 1.01].map(|of| millpond_plan::plan::is_worth(of * certain, ms_of(saved)));
    assert!(near.contains(&is_worth), "{name}: {certain}");
    let named = if is_worth { "recommended" } else { "best_of_none" };
    let sentence = replayed["recommendation"].as_str().unwrap();
    assert!(sentence.contains(replayed[named].as_str().unwrap()), "{name}: {sentence}");
    let begins = if is_worth { "Use " } else { "Nothing is worth pooling for time: " };
    assert!(sentence.starts_with(begins), "{name}: {sentence}");
}

#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn a_game_of_freedoom_with_bots() {
    say_the_same("freedoom2-map01-8bots.csv.gz");
}

#[test]
fn a_game_of_freedoom_alone() {
    say_the_same("freedoom2-map15-solo.csv.gz");
}

#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn a_game_of_openttd() {
    say_the_same("openttd-600ticks.heaptrack.zst");
}
