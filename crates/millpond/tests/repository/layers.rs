//! The folders of `src` are layers, as `ARCHITECTURE.md` lists them: a layer uses only those above it there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files beside `lib.rs` that are its parts: public paths for the crates beside this one, a page of text, and pages whose
/// code is compiled.
const FACES: [&str; 3] = ["__parts", "choosing", "pages"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The layers in the order of the table, those that know least first.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(here().join("../../ARCHITECTURE.md")).unwrap();
    let table = text.split("| layer |").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap().to_owned()).collect()
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The code alone: no comments, and no tests of the module's own, which may use all of the crate.
fn code(source: &str) -> String {
    let code = source.split("mod tests {").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The names that follow `crate::`; `{` for a group of imports, which would hide them.
fn used(code: &str) -> BTreeSet<&str> {
    let paths = code.split("crate::").skip(1);
    let end =
        |path: &str| path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    paths.map(|path| &path[..end(path).max(1)]).collect()
}

/// What a file uses that stands at or below its own layer, as messages.
fn faults(file: &str, code: &str, layers: &[String]) -> Vec<String> {
    let own = file.split(['/', '.']).next().unwrap();
    let place = layers.iter().position(|layer| layer == own).unwrap();
    let mut faults = Vec::new();
    for name in used(code) {
        match layers.iter().position(|layer| layer == name) {
            Some(used) if used <= place => {}
            Some(_) => faults.push(format!("{file} uses {name}, which is below {own}")),
            None => faults.push(format!("{file} uses crate::{name}: name the layer instead")),
        }
    }
    faults
}

#[test]
fn the_folders_are_the_layers() {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(here().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "lib" && !FACES.contains(&name.as_str()) {
            assert!(path.is_dir(), "{path:?} is not in a layer");
            found.insert(name);
        }
    }
    assert_eq!(found, layers().into_iter().collect());
    let map = fs::read_to_string(here().join("../../CONTRIBUTING.md")).unwrap();
    let names: Vec<_> = layers().iter().map(|layer| format!("`{layer}`")).collect();
    assert!(map.contains(&names.join(", ")), "the map of CONTRIBUTING.md lists other layers");
}

#[test]
fn a_layer_uses_only_those_above_it() {
    let layers = layers();
    let source = here().join("src");
    let mut all = Vec::new();
    for path in sources(&source) {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let is_face = file == "lib.rs" || FACES.iter().any(|face| file == format!("{face}.rs"));
        if !is_face {
            let text = code(&fs::read_to_string(&path).unwrap());
            let up = text.matches("super::").count();
            assert!(up == 0 || !leaves_its_layer(&file, &text), "{file}: super:: leaves the layer");
            // What a macro names by `$crate` is for users: only exported ones do so. Links lead to public paths.
            all.extend(faults(
                &file,
                &text.replace("$crate::", "$").replace("](crate::", "]("),
                &layers,
            ));
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// Whether a chain of `super::` is longer than the file is deep.
fn leaves_its_layer(file: &str, text: &str) -> bool {
    let depth = file.trim_end_matches("/mod.rs").split('/').count() - 1;
    text.contains(&"super::".repeat(depth + 1))
}

#[test]
fn unsafe_code_is_allowed_by_name_where_an_invariant_stands() {
    for (folder, one) in [
        ("src", "values/mod.rs"),
        ("../millpond-classic/src", "bytemap/slots.rs"),
        ("../millpond-memory/src", "frame_memory.rs"),
    ] {
        is_allowed_where_an_invariant_stands(&here().join(folder), one);
    }
}

/// In these sources. This file of them has unsafe code.
fn is_allowed_where_an_invariant_stands(source: &Path, one: &str) {
    assert!(fs::read_to_string(source.join("lib.rs")).unwrap().contains("#![deny(unsafe_code)]"));
    let mut allowed = BTreeSet::new();
    for path in sources(source) {
        let text = fs::read_to_string(&path).unwrap();
        let directory = if ["lib.rs", "mod.rs"].iter().any(|name| path.ends_with(name)) {
            path.parent().unwrap().to_owned()
        } else {
            path.with_extension("")
        };
        for rest in text.split("#[allow(unsafe_code)]\n").skip(1) {
            if rest.starts_with("#[path = \"../../../tests/") {
                continue; // tests, in their own folder
            }
            let name = rest.split("mod ").nth(1).unwrap().split(';').next().unwrap();
            let file = directory.join(format!("{name}.rs"));
            let file = if file.exists() { file } else { directory.join(name).join("mod.rs") };
            allowed.insert(file.strip_prefix(source).unwrap().to_str().unwrap().to_owned());
        }
    }
    assert!(allowed.contains(one), "{allowed:?}");
    for file in &allowed {
        let text = fs::read_to_string(source.join(file)).unwrap();
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.contains("nvariant"), "{file} does not open with its invariant");
    }
}

#[test]
fn upward_imports_are_found() {
    let layers = ["base", "slots", "pools"].map(str::to_owned);
    let clean = "use crate::base::{Entry, pools::X};\nuse crate::slots::{B, C}; // crate::pools\n";
    assert_eq!(faults("slots/words.rs", &code(clean), &layers), [""; 0]);
    for (file, text) in [
        ("slots/words.rs", "use crate::pools::Pool;"),
        ("base/mod.rs", "fn f(words: &crate::slots::Words) {}"),
        ("pools/pool.rs", "use crate::Pool;"),
        ("pools/pool.rs", "use crate::{base::A, slots::B};"),
    ] {
        assert_eq!(faults(file, &code(text), &layers).len(), 1, "{text}");
    }
    assert!(leaves_its_layer("slots/words.rs", "use super::super::pools::Pool;"));
    assert!(!leaves_its_layer("slots/reuse/lifo.rs", "use super::super::words;"));
}
