//! The set-up of two editors, as the docs show it, with the editor or its language server at work.

mod common;

use std::path::Path;
use std::process::Command;

use common::language_server::{ARGUMENTS, LanguageServer};
use common::{HERE, Workbench, page_of_the_docs, text};
use serde_json::Value;

/// What the docs show between these fences.
fn shown(language: &str) -> String {
    let page = page_of_the_docs();
    let (_, rest) = page.split_once(&format!("```{language}\n")).expect(language);
    rest.split_once("```").expect("an end").0.to_owned()
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn vs_code_starts_clangd_with_arguments_that_it_knows() {
    let bench = Workbench::new("vs-code");
    bench.build();
    let settings: Value = serde_json::from_str(&shown("json")).expect("JSON");
    let arguments: Vec<String> =
        serde_json::from_value(settings["clangd.arguments"].clone()).expect("arguments");
    let arguments: Vec<_> = arguments.iter().map(String::as_str).chain(ARGUMENTS).collect();
    let mut server = LanguageServer::start_with(&bench.path("../elsewhere/vs-code"), &arguments);
    let sprites = bench.path("examples/checks/sprites.cpp");
    assert_eq!(server.open(&sprites), [""; 0]);
    assert_eq!(server.definition(&sprites, "read_b|aked(\"sprites"), [("bytes.cpp".into(), 4)]);
}

/// Opens the file that the command line names, waits for the server, and says where what stands at
/// `read_baked` is defined.
const ASK_EMACS: &str = r#"
(require 'package)
(package-initialize)
(load-file "init.el")
(setq eglot-sync-connect 120 eglot-connect-timeout 120)
(find-file (pop command-line-args-left))
(run-hooks 'post-command-hook)
(let ((deadline (+ (float-time) 120)))
  (while (and (not (eglot-current-server)) (< (float-time) deadline))
    (accept-process-output nil 0.2)))
(search-forward "read_baked")
(backward-char 3)
(dolist (found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
  (let ((place (xref-item-location found)))
    (message "defined: %s:%s" (file-name-nondirectory (xref-location-group place)) (xref-location-line place))))
"#;

#[test]
#[cfg_attr(
    not(all(ninja, clangd, eglot)),
    ignore = "not run: needs ninja, clangd and Emacs with eglot (apt-get install ninja-build clangd emacs-nox elpa-eglot)"
)]
fn emacs_finds_definitions_in_subs() {
    let bench = Workbench::new("emacs");
    bench.build();
    bench.write("init.el", &shown("elisp"));
    bench.write("ask.el", ASK_EMACS);
    let home = bench.path("../elsewhere/emacs");
    std::fs::create_dir_all(&home).expect("a directory");
    let mut emacs = Command::new("emacs");
    emacs
        .args(["--batch", "-l", "ask.el", "examples/checks/sprites.cpp"])
        .current_dir(&bench.root)
        .env("HOME", &home);
    let ran = emacs.output().expect("emacs runs");
    assert!(text(&ran.stderr).contains("defined: bytes.cpp:4\n"), "{}", text(&ran.stderr));
}

#[test]
fn the_docs_show_the_projects_own_clangd_file() {
    let own = std::fs::read_to_string(Path::new(HERE).join("../../.clangd")).expect("the file");
    assert!(own.ends_with(&shown("yaml")));
}
