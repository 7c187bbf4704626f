//! Lists the traces that become a part of the program: those of the repository, and none where the published package
//! is built.

use std::path::Path;
use std::{env, fs};

const TRACES: [&str; 3] = [
    "freedoom2-map01-8bots.csv.gz",
    "freedoom2-map15-solo.csv.gz",
    "openttd-600ticks.heaptrack.zst",
];

fn main() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut list = "&[".to_owned();
    for name in TRACES {
        if let Ok(path) = directory.join(name).canonicalize() {
            list += &format!("(\"traces/{name}\", include_bytes!({path:?})), ");
        }
    }
    list += "]";
    println!("cargo::rerun-if-changed={}", directory.display());
    let file = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("bundled.rs");
    fs::write(file, list).expect("cargo's own directory can be written to");
}
