//! The tables of the page.

use std::fs;
use std::path::Path;

use crate::snake;

/// A row of a table: what the peer has, and what it becomes.
#[derive(Debug)]
pub struct Row {
    /// The names of the peer's methods.
    pub methods: Vec<String>,
    /// The names of the methods of millpond that the row calls.
    pub becomes: Vec<String>,
    /// Whether the row says "the same".
    pub is_same: bool,
}

/// The rows of the tables below a heading of `docs/guide/coming-from.md`, up to the next heading.
///
/// # Panics
///
/// If there is no such heading.
#[must_use]
pub fn rows(heading: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/coming-from.md");
    let page = fs::read_to_string(path).expect("the page");
    let mut lines = page.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading);
    assert!(lines.next().is_some(), "the page has no heading {heading}");
    let lines = lines.take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with('|') && !line.starts_with("| ---"));
    rows.skip(1).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<_> = line.split('|').map(str::trim).collect();
    let [_, methods, becomes, ..] = cells[..] else { panic!("a row of {} cells", cells.len()) };
    Row {
        methods: code(methods).map(first_name).collect(),
        becomes: code(becomes).flat_map(called).collect(),
        is_same: becomes.starts_with("the same"),
    }
}

/// What stands between backticks.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The method's name: `get` in `Entry::get(key)`.
fn first_name(code: &str) -> String {
    let path = code.split(['(', '<']).next().unwrap_or_default();
    snake(&path.rsplit([':', '.']).next().unwrap_or_default())
}

/// The names in front of an opening parenthesis.
fn called(code: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let names = code.match_indices('(').map(|(at, _)| {
        let from = code[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        code[from..at].to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
}
