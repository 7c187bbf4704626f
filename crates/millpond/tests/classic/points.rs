//! Each remark of the four published designs has a test, and the table of them in `docs/classic.md` is true.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_test_that_the_table_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = read(&root.join("docs/classic.md"));
    let mut named = HashSet::new();
    for row in table.lines().filter(|line| line.starts_with("| ") && line.contains("::")) {
        for name in row.split('`').filter(|part| part.contains(".rs::")) {
            let (file, test) = name.split_once("::").unwrap();
            let folder = if file.contains("tests/") { "" } else { "crates/millpond/tests" };
            let source = read(&root.join(folder).join(file));
            let is_there = source.contains(&format!("#[test]\nfn {test}() {{"));
            assert!(is_there, "{file} has no test {test}");
            named.insert(name.to_owned());
        }
    }
    assert!(named.len() > 50, "{} rows were read", named.len());
}
