//! The tests that the page `docs/loans.md` names are there.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_page_names_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("../../docs/loans.md")).expect("the page");
    let mut named = 0;
    for code in page.split('`').skip(1).step_by(2) {
        let Some((file, test)) = code.split_once("::") else { continue };
        let program = fs::read_to_string(here.join(format!("tests/{file}.rs")));
        let program = program.unwrap_or_else(|error| panic!("{code}: {error}"));
        assert!(program.contains(&format!("#[test]\nfn {test}()")), "there is no {code}");
        named += 1;
    }
    assert!(named > 30, "{named} are named");
    let rows = |heading: &str| {
        let part = page.split("\n## ").find(|part| part.starts_with(heading)).expect("a part");
        part.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
    };
    for row in ["Feature by feature", "Defects of others"]
        .into_iter()
        .flat_map(|part| -> Vec<String> { rows(part) })
    {
        assert!(row.contains("::") || row.contains("tests/loans.rs"), "no test: {row}");
    }
}
