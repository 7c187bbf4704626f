//! The pools that are names of `SlotPool` list all of their methods by what they do: the page of an alias has those of
//! its struct only with JavaScript. (Which methods there are, `ci/surface` finds.)

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ALIASES: [(&str, &str); 3] =
    [("Pool", "pool"), ("VecPool", "vec_pool"), ("StaticPool", "static_pool")];

/// The rows that the aliases share.
const SHARED: &str = "crates/millpond/src/pools/slot_pool/methods.md";

fn text_of(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).unwrap()
}

/// The methods that rows of a table name, each with a link to itself.
fn listed(rows: &str) -> Vec<String> {
    let links = rows.split("[`").skip(1).filter_map(|link| link.split_once("`](Self::"));
    let linked = links.map(|(name, rest)| {
        assert_eq!(
            rest.split(')').next(),
            Some(name),
            "the link of {name} leads to another method"
        );
        name.to_string()
    });
    linked.collect()
}

#[test]
fn the_page_of_each_alias_lists_its_methods_once() {
    let recorded = text_of("ci/surface/recorded.txt");
    for (alias, module) in ALIASES {
        let source = text_of(&format!("crates/millpond/src/pools/{module}/mod.rs"));
        let (_, section) = source.split_once("/// # Methods\n").expect("a section of methods");
        let (rows, _) = section.split_once(&format!("pub type {alias}<")).expect("the alias");
        assert!(rows.contains(r#"#[doc = include_str!("../slot_pool/methods.md")]"#), "{alias}");
        let names = [listed(rows), listed(&text_of(SHARED))].concat();
        let listed: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(listed.len(), names.len(), "{alias} lists a method twice: {names:?}");
        let of_alias = format!("type.{alias}  ");
        let methods: BTreeSet<&str> = (recorded.lines())
            .filter_map(|line| line.strip_prefix(&of_alias)?.split("  ").next())
            .collect();
        assert!(methods.len() > 50, "{alias} is recorded with {} methods", methods.len());
        let missing: Vec<_> = methods.difference(&listed).collect();
        assert!(missing.is_empty(), "not in the list of {alias}: {missing:?}");
        let gone: Vec<_> = listed.difference(&methods).collect();
        assert!(gone.is_empty(), "in the list of {alias}, which lacks them: {gone:?}");
    }
}
