//! The demo in its short form, on PostgreSQL where it is installed, and on SQLite: no order is lost, and the
//! live trace is one that others read.

use std::path::Path;
use std::process::Command;

use millpond_lend::replay::read;

#[test]
fn no_order_is_lost_and_the_trace_is_whole() {
    no_order_is_lost("orders", &[]);
}

#[test]
fn no_order_is_lost_on_sqlite() {
    let said = no_order_is_lost("orders-sqlite", &["--sqlite"]);
    assert!(said.contains("SQLite"), "{said}");
}

fn no_order_is_lost(folder: &str, options: &[&str]) -> String {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let _ = std::fs::remove_dir_all(&output);
    let mut demo = Command::new(env!("CARGO_BIN_EXE_millpond-orders-demo"));
    demo.args(options).args(["--short", "--output"]).arg(&output);
    let ran = demo.output().expect("the demo starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("1200 orders: "), "{said}");
    let trace = std::fs::read(output.join("orders.trace")).expect("the trace");
    let pools = read(trace.as_slice()).expect("a good trace");
    assert_eq!(pools.len(), 1);
    // All but the orders of clients who hung up before they were in the line, and the last look.
    assert!(pools[0].rows.len() > 1_000, "{}", pools[0].rows.len());
    let picture = std::fs::read(output.join("orders.png")).expect("the picture");
    assert!(picture.starts_with(b"\x89PNG"), "a picture");
    said.into_owned()
}
