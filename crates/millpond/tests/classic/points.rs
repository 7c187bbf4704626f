//! Each remark of the four published designs has a test that quotes it, and the table of them in `docs/classic.md` is true.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_test_that_the_table_names_is_there_and_quotes_its_remark() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = read(&root.join("docs/classic.md"));
    let mut named = HashSet::new();
    for row in table.lines().filter(|line| line.starts_with("| ") && line.contains("::")) {
        for name in row.split('`').filter(|part| part.contains(".rs::")) {
            let (file, test) = name.split_once("::").unwrap();
            let folder = if file.contains("tests/") { "" } else { "crates/millpond/tests" };
            let source = read(&root.join(folder).join(file));
            let before = source.split(&format!("\nfn {test}() {{\n")).collect::<Vec<_>>();
            let (attributes, comment): (Vec<_>, Vec<_>) = before[0]
                .lines()
                .rev()
                .take_while(|line| line.starts_with("///") || line.starts_with("#["))
                .partition(|line| line.starts_with("#["));
            assert!(
                before.len() == 2 && attributes.contains(&"#[test]"),
                "{file} has no test {test}"
            );
            assert!(comment.concat().contains('"'), "{file}: {test} quotes no remark");
            named.insert(name.to_owned());
        }
    }
    assert!(named.len() > 60, "{} rows were read", named.len());
}
