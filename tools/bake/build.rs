//! Looks for the programs that tests need: a test whose program is not installed is ignored, with the reason.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    for program in ["ninja", "clang", "clangd", "clang-tidy", "nvim"] {
        let cfg = program.replace('-', "_");
        println!("cargo::rustc-check-cfg=cfg({cfg})");
        let paths = env::var_os("PATH").unwrap_or_default();
        let candidates: Vec<_> = env::split_paths(&paths).map(|path| path.join(program)).collect();
        match candidates.iter().find(|path| path.is_file()) {
            Some(_) => println!("cargo::rustc-cfg={cfg}"),
            // Looked for anew each time, until it is there.
            None => println!("cargo::rerun-if-changed=/usr/bin/{program}"),
        }
    }
}
