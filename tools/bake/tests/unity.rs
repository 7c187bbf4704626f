//! Sources that include each other, in clangd: what an editor shows in them.

#![cfg_attr(not(clangd), allow(unused, reason = "not run"))]

mod common;

use std::path::PathBuf;

use common::Workbench;
use common::language_server::LanguageServer;

const SUBS: [&str; 5] = ["bytes.cpp", "levels.cpp", "palettes.cpp", "report.cpp", "sprites.cpp"];

fn session(bench: &Workbench) -> LanguageServer {
    LanguageServer::start(&bench.path("elsewhere"), &bench.root)
}

fn checks(bench: &Workbench, file: &str) -> PathBuf {
    bench.path("examples/checks").join(file)
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn no_diagnostics_in_root_subs_and_header() {
    let bench = Workbench::new("quiet");
    bench.build();
    let mut server = session(&bench);
    for file in ["root.cpp", "root.unity.h"].iter().chain(&SUBS) {
        assert_eq!(server.open(&checks(&bench, file)), [""; 0], "{file}");
    }
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn definition_references_and_completion_work_in_subs() {
    let bench = Workbench::new("navigate");
    bench.build();
    let mut server = session(&bench);
    let levels = checks(&bench, "levels.cpp");
    let sprites = checks(&bench, "sprites.cpp");
    server.open(&sprites);
    server.open(&levels);
    server.wait_for_index();
    println!("{:?}", server.definition(&sprites, "read_b|aked"));
    println!("{:?}", server.definition(&levels, "che|ck(fire"));
    println!("{:?}", server.definition(&levels, "storm_sp|arks"));
    println!("{:?}", server.references(&sprites, "read_b|aked"));
    println!("{:?}", server.completion(&sprites, "u16|_at"));
    panic!("{}", server.log());
}
