//! Looks for the programs that tests need: a test whose program is not installed is ignored, with the reason.

use std::env;
use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    for program in ["ninja", "clang", "clangd", "clang-tidy"] {
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
    println!("cargo::rustc-check-cfg=cfg(eglot)");
    let mut emacs = Command::new("emacs");
    emacs.args(["--batch", "-f", "package-initialize", "--eval", "(require 'eglot)"]);
    let ran = emacs.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => println!("cargo::rustc-cfg=eglot"),
        _ => println!("cargo::rerun-if-changed=/usr/share/emacs/site-lisp/elpa/eglot"),
    }
}
