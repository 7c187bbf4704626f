//! The documentation is whole: links lead to files and headings that are there, on a forge and in the book
//! that mdBook makes of `docs`, and the code of every page of the guide is compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The page of `docs` that is not in the book: for those who work on the library.
const NOTEBOOK: &str = "docs/notebook.md";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Markdown files below a directory, as paths from there, but those that builds and tools have made.
fn markdown_files(directory: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(below) = directories.pop() {
        for entry in fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != "corpus" && !name.starts_with('.') {
                directories.push(path);
            } else if name.ends_with(".md") {
                files.insert(path.strip_prefix(directory).unwrap().to_owned());
            }
        }
    }
    files
}

/// The text without blocks of code.
fn without_blocks(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where the links and pictures of a Markdown text lead, without those in code.
fn links(text: &str) -> Vec<String> {
    let text = without_blocks(text);
    // Every second part is between backticks. A link's words may be code; where it leads to is not.
    let prose: String = text
        .split('`')
        .enumerate()
        .map(|(n, part)| if n % 2 == 0 { part } else { "code" })
        .collect();
    let after = |opening: &'static str, end: char| {
        let rests: Vec<String> = (prose.split(opening).skip(1))
            .map(|rest| rest.chars().take_while(|&c| c != end).collect())
            .collect();
        rests
    };
    let mut links = after("](", ')');
    links.extend(after("src=\"", '"'));
    links.extend(after("href=\"", '"'));
    links
}

/// The names by which one can link to the headings of a text.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = without_blocks(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(plain.pop(), "{} leaves the repository", path.display())
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Whether mdBook copies or renders the file.
fn is_in_book(file: &Path) -> bool {
    file.starts_with("docs") && file != Path::new(NOTEBOOK)
}

/// What is wrong with the links of a file.
fn faults(repository: &Path, file: &Path) -> Vec<String> {
    let text = fs::read_to_string(repository.join(file)).unwrap();
    let mut faults = Vec::new();
    for link in links(&text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let target = match path {
            "" => file.to_owned(),
            path => plain(&file.parent().unwrap().join(path)),
        };
        let fault = if !repository.join(&target).exists() {
            "leads nowhere"
        } else if is_in_book(file) && !is_in_book(&target) {
            "leaves the book"
        } else if !anchor.is_empty()
            && !anchors(&fs::read_to_string(repository.join(&target)).unwrap()).contains(anchor)
        {
            "leads to a heading that is not there"
        } else {
            continue;
        };
        faults.push(format!("{}: {link} {fault}", file.display()));
    }
    faults
}

#[test]
fn every_link_leads_somewhere() {
    let repository = repository();
    let files = markdown_files(&repository);
    assert!(files.contains(Path::new("README.md")) && files.len() > 20, "{files:?}");
    let faults: Vec<_> = files.iter().flat_map(|file| faults(&repository, file)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_page_is_in_the_book() {
    let docs = repository().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let in_book: BTreeSet<_> =
        links(&summary).into_iter().map(|link| Path::new("docs").join(link)).collect();
    let pages = markdown_files(&docs).into_iter().map(|page| Path::new("docs").join(page));
    let pages = pages.filter(|page| is_in_book(page) && !page.ends_with("SUMMARY.md"));
    assert_eq!(in_book, pages.collect());
}

#[test]
fn the_code_of_every_page_of_the_guide_is_compiled() {
    // A page is compiled with the crate that it is about.
    let library: String = ["src/lib.rs", "../millpond-lend/src/lib.rs"]
        .map(|path| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap())
        .concat();
    for page in markdown_files(&repository().join("docs/guide")) {
        let include = format!("include_str!(\"../../../docs/guide/{}\")", page.display());
        assert!(library.contains(&include), "{include} is not in the guide's module of a lib.rs");
    }
}

#[test]
fn links_are_found_and_code_is_not() {
    let text =
        "See [a `b`](one.md#x) and ![p](two.png).\n`[no](three.md)`\n```\n[no](four.md)\n```\n";
    assert_eq!(links(text), ["one.md#x", "two.png"]);
    let text = "# A `b`, c!\n```\n# no\n```\n## D-e (f)\n";
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b-c", "d-e-f"]);
}
