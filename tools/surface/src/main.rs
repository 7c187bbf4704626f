//! `ci/surface/check`: the public surface of the library and of the crates beside it, item by item and method by
//! method, beside what `recorded.txt` says; and the methods of `Pool` that another pool lacks (of `Recycler` that
//! `SyncRecycler` lacks) beside `gaps.txt`, which has the reason for each.
//!
//! It reads the JSON that rustdoc writes. Rustdoc's JSON is not stable: `RUSTC_BOOTSTRAP` makes the installed rustdoc write
//! it, and only a few of its fields are read here, by their names. (A library with its types is for one version of the
//! compiler alone, and none tells which methods the type of an alias has.)

mod items;
mod types;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use serde_json::Value;

use crate::items::{Crate, Items, Method, Values};

/// The library, and the crates beside it, whose items are listed behind the crate's name.
const CRATES: [&str; 4] = ["millpond", "millpond-classic", "millpond-memory", "millpond-overflow"];

/// The pools that are compared with their model.
const COMPARED: [(&str, &str); 8] = [
    ("PackedPool", "Pool"),
    ("VecPool", "Pool"),
    ("PackedVecPool", "Pool"),
    ("StaticPool", "Pool"),
    ("Recycler", "Pool"),
    ("HandleAllocator", "Pool"),
    ("SyncPool", "Pool"),
    ("SyncRecycler", "Recycler"),
];

fn main() -> ExitCode {
    let args: Vec<_> = env::args_os().skip(1).collect();
    let done = match &args[..] {
        [directory] => check(Path::new(directory)),
        [directory, word] if word == "record" => record(Path::new(directory)),
        _ => Err("usage: millpond-surface DIRECTORY [record]".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("surface: {error}");
            ExitCode::from(2)
        }
    }
}

fn record(directory: &Path) -> Result<bool, String> {
    let path = directory.join("recorded.txt");
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, lines(&items()?).join("\n") + "\n")
        .and_then(|()| fs::rename(&unfinished, &path))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(true)
}

fn check(directory: &Path) -> Result<bool, String> {
    let read = |name: &str| {
        let path = directory.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let items = items()?;
    let now = lines(&items);
    let recorded = read("recorded.txt")?;
    let same_surface = same(
        &now.iter().cloned().collect(),
        &recorded.lines().map(str::to_owned).collect(),
        "the public surface is not the recorded one (< now, > recorded):",
    );
    if !same_surface {
        say("if the change is meant: ci/surface/check record, and a line in CHANGELOG.md");
    }
    let same_gaps = same(
        &lacking(&items)?,
        &listed(&read("gaps.txt")?, &items)?,
        "pools lack methods of their model without a reason (<), or no longer lack what gaps.txt says (>):",
    );
    if same_surface && same_gaps {
        say(&format!("{} items and methods, as recorded", now.len()));
    }
    Ok(same_surface && same_gaps)
}

/// Prints what only one of the two has.
fn same(left: &BTreeSet<String>, right: &BTreeSet<String>, message: &str) -> bool {
    if left == right {
        return true;
    }
    say(message);
    left.difference(right).for_each(|line| say(&format!("< {line}")));
    right.difference(left).for_each(|line| say(&format!("> {line}")));
    false
}

/// Prints a line, of hundreds; who closes the pipe, such as `head`, has read enough.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A line for each item, one for each of its methods, with how the method takes its object.
fn lines(items: &Items) -> Vec<String> {
    let mut lines = Vec::new();
    for (item, methods) in items {
        lines.push(item.clone());
        lines.extend(
            methods.iter().map(|method| format!("{item}  {}  {}", method.name, method.receiver)),
        );
    }
    lines
}

/// The methods that each pool lacks.
fn lacking(items: &Items) -> Result<BTreeSet<String>, String> {
    let mut lacking = BTreeSet::new();
    for (pool, _) in COMPARED {
        lacking.extend(lacked(pool, items)?.map(|method| format!("{pool}  {}", method.name)));
    }
    Ok(lacking)
}

/// The methods of its model that a pool lacks.
fn lacked<'a>(
    pool: &str,
    items: &'a Items,
) -> Result<impl Iterator<Item = &'a Method> + use<'a>, String> {
    let methods = |name: &str| {
        let mut found = items.iter().filter(|(item, _)| item.ends_with(&format!(".{name}")));
        found.next().map(|(_, methods)| methods).ok_or(format!("the library has no {name}"))
    };
    let (_, model) = (COMPARED.iter().find(|(compared, _)| *compared == pool))
        .ok_or_else(|| format!("{pool} is compared with no other pool"))?;
    let own: BTreeSet<&str> = methods(pool)?.iter().map(|method| &*method.name).collect();
    Ok(methods(model)?.iter().filter(move |method| !own.contains(&*method.name)))
}

/// What `gaps.txt` says. A line of it: a pool, methods, a colon, the reason. `T` in place of methods is all those that the
/// pool lacks and whose signatures name the type of the values; `&T` all those that return references to values.
fn listed(gaps: &str, items: &Items) -> Result<BTreeSet<String>, String> {
    let mut listed = BTreeSet::new();
    for (number, line) in (1..).zip(gaps.lines()).filter(|(_, line)| !line.starts_with('#')) {
        let wrong = |what: &str| format!("gaps.txt:{number}: {what} in: {line}");
        let (names, _) = line
            .split_once(':')
            .filter(|(_, reason)| !reason.trim().is_empty())
            .ok_or_else(|| wrong("no reason"))?;
        let mut names = names.split_whitespace();
        let pool = names.next().ok_or_else(|| wrong("no pool"))?;
        for name in names {
            let is_meant: &dyn Fn(&Method) -> bool = match name {
                "T" => &|method| method.values != Values::Unnamed,
                "&T" => &|method| method.values == Values::Lent,
                _ => &|method| method.name == name,
            };
            let before = listed.len();
            let meant = lacked(pool, items)?.filter(|method| is_meant(method));
            listed.extend(meant.map(|method| format!("{pool}  {}", method.name)));
            if listed.len() == before {
                return Err(wrong(&format!("{pool} has {name}, or a line before says it,")));
            }
        }
    }
    Ok(listed)
}

/// The items of all crates, documented anew.
fn items() -> Result<Items, String> {
    let metadata = metadata()?;
    let mut items = Items::new();
    for name in CRATES {
        let module =
            if name == "millpond" { String::new() } else { format!("{}/", name.replace('-', "_")) };
        let own = items_of(name, &metadata)?;
        items.extend(own.into_iter().map(|(item, methods)| (format!("{module}{item}"), methods)));
    }
    Ok(items)
}

fn items_of(name: &str, metadata: &Value) -> Result<Items, String> {
    let target = metadata["target_directory"].as_str();
    let target = target.ok_or("cargo metadata names no target directory")?;
    let mut rustdoc = cargo();
    rustdoc.args(["rustdoc", "--quiet", "--package", name, "--lib"]);
    rustdoc.args(["--features", &features(name, metadata)?, "--"]);
    rustdoc.args(["-Z", "unstable-options", "--output-format", "json"]);
    // An alias may name what is private or hidden, whose docs may link to what is not there.
    rustdoc.args(["--document-private-items", "--document-hidden-items", "--cap-lints", "allow"]);
    // Not `1`, which would allow every crate that is compiled for it unstable features, too.
    let library = name.replace('-', "_");
    rustdoc.env("RUSTC_BOOTSTRAP", &library);
    if !rustdoc.status().map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("rustdoc failed".into());
    }
    let path = Path::new(target).join(format!("doc/{library}.json"));
    let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let json =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Crate::new(&json)?.items())
}

fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The crate's features, but for the one that adds only traits of Bevy, for which a part of Bevy is built.
fn features(name: &str, metadata: &Value) -> Result<String, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let features = packages.filter(|package| package["name"] == name);
    let features = features.filter_map(|package| package["features"].as_object()).next();
    let features = features.ok_or("cargo metadata does not list the crate's features")?;
    let names: Vec<&str> =
        features.keys().map(String::as_str).filter(|&name| name != "bevy_reflect").collect();
    Ok(names.join(","))
}

/// What cargo knows of the workspace; the environment and its configuration decide where it builds.
fn metadata() -> Result<Value, String> {
    let metadata = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output();
    let metadata = metadata.map_err(|error| format!("cargo metadata: {error}"))?;
    serde_json::from_slice(&metadata.stdout).map_err(|error| format!("cargo metadata: {error}"))
}
