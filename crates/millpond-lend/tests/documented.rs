//! The tests that the page `docs/loans.md` names are there, and the guide's program does what the guide says.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_page_names_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("docs/loans.md")).expect("the page");
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
        assert!(row.contains("::") || row.contains("tests/tool/loans.rs"), "no test: {row}");
    }
}

/// The example is what a reader copies; `databases` tests the messages.
#[test]
fn the_guides_program_for_postgresql_is_the_example() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("docs/connections.md")).expect("the page");
    let program = fs::read_to_string(here.join("examples/first_postgres.rs")).expect("the program");
    let code = program.split_once("\n\n").map(|(_, code)| code).expect("a comment, then code");
    assert!(page.contains(&format!("```rust,no_run\n{code}```")), "the example is another program");
}

#[cfg(feature = "rusqlite")]
#[path = "../examples/first_lender.rs"]
mod first_lender;

/// As a reader copies it, into a folder of its own.
#[cfg(feature = "rusqlite")]
#[test]
fn the_guides_program_leaves_a_trace() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("docs/connections.md")).expect("the page");
    let program = fs::read_to_string(here.join("examples/first_lender.rs")).expect("the program");
    let code = page.split_once("```rust,no_run\n").and_then(|(_, rest)| rest.split_once("```"));
    let (code, _) = code.expect("the page has a program");
    // The test runs it, too.
    let code = code.replacen("fn main", "pub(crate) fn main", 1);
    assert!(program.ends_with(&format!("\n\n{code}")), "the example is another program");

    let folder = std::env::temp_dir().join(format!("first-lender-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder");
    std::env::set_current_dir(&folder).expect("the folder");
    first_lender::main().expect("it runs");
    let trace = fs::read_to_string("orders.trace").expect("a trace");
    assert_eq!(trace.lines().count(), 802, "a head, 800 orders, and the last look");
    assert!(trace.lines().skip(1).all(|row| row.ends_with(",orders")), "{trace}");
    fs::remove_dir_all(folder).expect("the folder");
}
