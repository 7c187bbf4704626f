//! The guide is whole: every page is in its table of contents and among the compiled ones, and every link
//! to a file leads to one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

/// The pages that are there, as file names.
fn pages() -> BTreeSet<String> {
    let names = fs::read_dir(guide()).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect()
}

/// What the links of a Markdown text lead to.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = fs::read_to_string(guide().join("SUMMARY.md")).unwrap();
    assert_eq!(links(&summary).map(str::to_owned).collect::<BTreeSet<_>>(), pages());
}

#[test]
fn the_code_of_every_page_is_compiled() {
    let library = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    for page in pages() {
        let include = format!("include_str!(\"../../../docs/guide/{page}\")");
        assert!(library.contains(&include), "{page} is not in the guide's module of lib.rs");
    }
}

#[test]
fn every_link_to_a_file_leads_to_one() {
    for page in pages() {
        let text = fs::read_to_string(guide().join(&page)).unwrap();
        for link in links(&text).filter(|link| !link.starts_with("http")) {
            assert!(guide().join(link).exists(), "{page}: {link}");
        }
    }
}
