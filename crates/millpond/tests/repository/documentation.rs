//! The documentation is whole: links lead to files and headings that are there, on a forge and in the book
//! that mdBook makes of `docs`, the tests that its tables name or run are there, and the code of every page of the
//! guide is compiled; and the README and the front page of the reference are what a newcomer can read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The page and the folder of `docs` that are not in the book: for those who work on the library.
const OUTSIDE: [&str; 2] = ["docs/notebook.md", "docs/archive"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files below a directory whose names end so, as paths from there, but those that builds and tools have made.
fn files(directory: &Path, ending: &str) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(below) = directories.pop() {
        for entry in fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != "corpus" && !name.starts_with('.') {
                directories.push(path);
            } else if name.ends_with(ending) {
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
    file.starts_with("docs") && !OUTSIDE.iter().any(|outside| file.starts_with(outside))
}

/// What is wrong with the links of a file.
fn faults(repository: &Path, file: &Path) -> Vec<String> {
    let text = fs::read_to_string(repository.join(file)).unwrap();
    let mut faults = Vec::new();
    for link in links(&text) {
        // rustdoc checks those to methods.
        if link.contains("://") || link.starts_with("mailto:") || link.starts_with("Self::") {
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
    let files = files(&repository, ".md");
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
    let pages = files(&docs, ".md").into_iter().map(|page| Path::new("docs").join(page));
    let pages = pages.filter(|page| is_in_book(page) && !page.ends_with("SUMMARY.md"));
    assert_eq!(in_book, pages.collect());
}

#[test]
fn the_code_of_every_page_of_the_guide_is_compiled() {
    // A page is compiled with the crate that it is about.
    let library: String =
        ["src/pages.rs", "../millpond-lend/src/lib.rs", "../bevy_millpond/src/lib.rs"]
            .map(|path| {
                fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
            })
            .concat();
    for page in files(&repository().join("docs/guide"), ".md") {
        let include = format!("include_str!(\"../../../docs/guide/{}\")", page.display());
        assert!(
            library.contains(&include),
            "{include} is not among the pages that a crate compiles"
        );
    }
}

/// The README is what a newcomer reads in the first minute.
#[test]
fn the_readme_is_short_and_its_code_comes_first() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let words = readme.split_whitespace().count();
    assert!(words <= 700, "{words} words, expected at most 700");
    let code = readme.lines().position(|line| line == "```rust").unwrap();
    assert!(code < 12, "the first code is in line {}", code + 1);
    let mut rows = 0;
    for line in readme.lines() {
        rows = if line.starts_with('|') { rows + 1 } else { 0 };
        // A heading and a rule come before the rows.
        assert!(rows <= 9, "a table with more than seven rows: {line}");
    }
}

/// Without its features, the reference lacks parts and shows names in brackets in place of links.
#[test]
fn the_reference_is_built_with_all_features() {
    let repository = repository();
    for file in files(&repository, ".md") {
        let text = fs::read_to_string(repository.join(&file)).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (at, _) in text.match_indices("`cargo doc") {
            let command = text[at + 1..].split('`').next().unwrap();
            let is_whole = command.contains("--all-features") || !command.contains("-p millpond");
            assert!(is_whole, "{}: {command}", file.display());
        }
    }
}

/// What stands at the root of the library is documented there, not listed as a re-export of a public module.
#[test]
fn the_front_page_of_the_reference_has_no_reexports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let root = fs::read_to_string(root).unwrap();
    let public: Vec<&str> = (root.lines().filter_map(|line| line.strip_prefix("pub mod ")))
        .map(|name| name.trim_end_matches([';', ' ', '{']))
        .collect();
    assert!(public.contains(&"handle"), "{public:?}");
    let (_, exports) = root.split_once("pub mod __private").unwrap();
    for export in exports.split("pub use ").skip(1) {
        let paths = export.split(';').next().unwrap();
        let is_of = |name: &&&str| {
            paths.split(['{', ',', ' ', '\n']).any(|path| path.starts_with(&format!("{name}::")))
        };
        let Some(module) = public.iter().find(is_of) else { continue };
        let (before, _) = exports.split_once(paths).unwrap();
        let above = before.lines().rev().skip(1).take_while(|line| line.starts_with("#["));
        assert!(above.into_iter().any(|line| line == "#[doc(inline)]"), "{module}: {paths}");
    }
}

/// What stands between backticks in the columns of tables that are headed so, or whose heading begins so.
fn named_in_tables<'a>(page: &'a str, head: &str) -> Vec<&'a str> {
    let mut is_headed_so = Vec::new();
    let mut names = Vec::new();
    for line in page.lines() {
        let cells = line.split('|').map(str::trim);
        if !line.starts_with('|') {
            is_headed_so.clear();
        } else if is_headed_so.is_empty() {
            is_headed_so = cells.map(|heading| heading.starts_with(head)).collect();
        } else {
            let cells = cells.zip(&is_headed_so).filter(|(_, is_headed_so)| **is_headed_so);
            names.extend(cells.flat_map(|(cell, _)| cell.split('`').skip(1).step_by(2)));
        }
    }
    names
}

/// The comment and the attributes above a test of this name; of one that begins so, if the name ends with an ellipsis.
fn above_test<'a>(source: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let head = name.strip_suffix('…').map_or(format!("fn {name}("), |start| format!("fn {start}"));
    let (before, _) = source.split_once(&head)?;
    let is_above = |line: &&str| line.starts_with("///") || line.starts_with("#[");
    Some(before.trim_end().lines().rev().map(str::trim).take_while(is_above).collect())
}

/// All Rust files: their paths from the root of the repository, and what is in them.
fn sources() -> Vec<(String, String)> {
    let repository = repository();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(repository.join(&path)).unwrap();
        (path.to_string_lossy().into_owned(), text)
    };
    files(&repository, ".rs").into_iter().map(read).collect()
}

/// Whether it is a file of tests by this name, or one in a folder of this name.
fn is_of_tests(path: &str, name: &str) -> bool {
    path.split_once("/tests/").is_some_and(|(_, below)| {
        format!("/{}/", below.trim_end_matches(".rs")).contains(&format!("/{name}/"))
    })
}

/// A name is that of a test behind that of its file or program, or that of a file.
#[test]
fn all_tests_that_a_table_names_are_there_and_quote_their_remarks() {
    let sources = sources();
    for (page, quotes) in [("docs/classic.md", true), ("docs/archive/broken-on-purpose.md", false)]
    {
        let page = fs::read_to_string(repository().join(page)).unwrap();
        let is_there = |name: &&str| {
            let name = name.replace("::", "/").replace(' ', "/");
            let (place, test) = name.rsplit_once('/').unwrap_or(("", &name));
            let mut sources = sources.iter().filter(|(path, _)| path.contains(place));
            sources.any(|(path, source)| match above_test(source, test) {
                Some(above) if above.contains(&"#[test]") => {
                    !quotes || above.concat().contains('"')
                }
                _ => !quotes && is_of_tests(path, &name),
            })
        };
        let names = named_in_tables(&page, "test").into_iter().filter(|name| name.contains('_'));
        let missing: Vec<&str> = names.clone().filter(|name| !is_there(name)).collect();
        assert!(missing.is_empty() && names.count() > 60, "{missing:#?}");
    }
}

/// The programs that a table's commands name, and what they choose of these: part of a test's name, or of its file's.
#[test]
fn all_tests_that_a_table_runs_are_there() {
    let sources = sources();
    let page = fs::read_to_string(repository().join("docs/trust.md")).unwrap();
    let mut chosen = 0;
    for command in named_in_tables(&page, "command") {
        let Some((_, arguments)) = command.split_once("cargo test ") else { continue };
        let (mut package, mut of_library) = (String::from("crates/"), false);
        let mut words = arguments.split(' ');
        while let Some(word) = words.next() {
            let mut of_package = sources.iter().filter(|(path, _)| path.starts_with(&package));
            let is_there = match word {
                "-p" => {
                    package = format!("crates/{}/", words.next().unwrap());
                    continue;
                }
                "--test" => {
                    let program = words.next().unwrap();
                    of_package.any(|(path, _)| is_of_tests(path, program))
                }
                option if option.starts_with('-') => {
                    of_library |= option == "--lib";
                    continue;
                }
                filter => {
                    chosen += 1;
                    let filter = filter.rsplit("::").next().unwrap();
                    let is_fn = |line: &str| line.contains("fn ") && line.contains(filter);
                    of_package.any(|(path, source)| {
                        // The models are modules of the library.
                        let is_of_library =
                            path.contains("/src/") || path.contains("/sync_models/");
                        of_library == is_of_library
                            && (path.contains(filter) || source.lines().any(is_fn))
                    })
                }
            };
            assert!(is_there, "`{command}`: there is no `{word}`");
        }
    }
    assert!(chosen > 20, "{chosen}");
}

#[test]
fn links_are_found_and_code_is_not() {
    let text =
        "See [a `b`](one.md#x) and ![p](two.png).\n`[no](three.md)`\n```\n[no](four.md)\n```\n";
    assert_eq!(links(text), ["one.md#x", "two.png"]);
    let text = "# A `b`, c!\n```\n# no\n```\n## D-e (f)\n";
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b-c", "d-e-f"]);
}
