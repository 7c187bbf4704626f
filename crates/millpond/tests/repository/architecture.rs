//! ARCHITECTURE.md has all crates, with the arrows of their manifests, and few words of our own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The crates of a picture, and its arrows.
fn drawn(page: &str) -> (BTreeSet<String>, BTreeSet<(String, String)>) {
    let picture = page.split("```mermaid\ngraph TD\n").nth(1).unwrap();
    let picture = picture.split("```").next().unwrap();
    let (mut crates, mut arrows) = (BTreeSet::new(), BTreeSet::new());
    for line in picture.lines() {
        let mut ends = line.split("-->").map(|end| end.trim().to_owned());
        let from = ends.next().unwrap();
        crates.insert(from.clone());
        for to in ends {
            crates.insert(to.clone());
            arrows.insert((from.clone(), to));
        }
    }
    (crates, arrows)
}

/// What a manifest says that a crate needs of this repository, without its tests.
fn needed(manifest: &str) -> Vec<String> {
    let mut is_of_dependencies = false;
    let mut needed = Vec::new();
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_of_dependencies = section.rsplit('.').next() == Some("dependencies");
        } else if is_of_dependencies && line.contains("path = ") {
            needed.push(line.split(' ').next().unwrap().to_owned());
        }
    }
    needed
}

#[test]
fn the_picture_has_all_crates_and_what_each_needs() {
    let (mut crates, mut arrows) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        arrows.extend(needed(&manifest).into_iter().map(|to| (name.clone(), to)));
        crates.insert(name);
    }
    assert!(crates.len() > 10, "{crates:?}");
    assert_eq!(drawn(&page()), (crates, arrows));
}

#[test]
fn arrows_and_dependencies_are_found() {
    let page = "```mermaid\ngraph TD\n    a\n    b --> a\n```\n";
    let (crates, arrows) = drawn(page);
    assert_eq!(crates.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(arrows.into_iter().collect::<Vec<_>>(), [("b".to_owned(), "a".to_owned())]);
    let manifest = "[dependencies]\na = { path = \"../a\" }\nserde = \"1\"\n\
                    [dev-dependencies]\nc = { path = \"../c\" }\n\
                    [target.'cfg(unix)'.dependencies]\nd = { path = \"../d\" }\n";
    assert_eq!(needed(manifest), ["a", "d"]);
}

/// A folder in the table of what to change is there.
#[test]
fn the_table_leads_to_folders_that_are_there() {
    let page = page();
    let table = page.split("| to change | go to |").nth(1).unwrap().split("\n\n").next().unwrap();
    let folders: Vec<_> = table
        .split('`')
        .filter(|part| {
            ["crates/", "tools/"].iter().any(|place| part.starts_with(place)) || *part == "ci"
        })
        .collect();
    assert!(folders.len() > 15, "{folders:?}");
    for folder in folders {
        assert!(root().join(folder).is_dir(), "{folder}");
    }
}

#[test]
fn the_words_of_our_own_are_ten_with_an_example_each() {
    let page = page();
    let table =
        page.split("| word | meaning | example |").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows: Vec<Vec<_>> = (table.lines().skip(2))
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!((5..=10).contains(&rows.len()), "{} words", rows.len());
    for row in rows {
        assert!(row.len() == 3 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}
