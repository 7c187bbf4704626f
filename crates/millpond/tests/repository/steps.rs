//! Each method that changes a pool is a step of the common model, or has a reason why not: else a new one would be tried
//! with no other before or after it. (Which methods there are, `ci/surface` finds.)

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The pools of the model, and the adapters that have them: files of `tests/subject`.
const POOLS: [(&str, &[&str]); 14] = [
    ("Pool", &["pool", "allocator"]),
    ("VecPool", &["pool", "vec_pool"]),
    ("StaticPool", &["pool", "static_pool"]),
    ("PackedPool", &["pool", "packed"]),
    ("PackedVecPool", &["pool", "packed"]),
    ("Recycler", &["recycler"]),
    ("SyncPool", &["shared"]),
    ("SideTable", &["side_table"]),
    ("PolicyPool", &["policy"]),
    ("Spill", &["policy"]),
    ("RosterPool", &["classic"]),
    ("BytemapPool", &["classic"]),
    ("PoolAllocator", &["boxes"]),
    ("SizeClasses", &["boxes"]),
];

/// Pools that a shared reference changes, too.
const SHARED: [&str; 3] = ["SyncPool", "PoolAllocator", "SizeClasses"];

/// Adapters that several have parts of.
const COMMON: [&str; 3] = ["past", "interface", "mod"];

fn text_of(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).unwrap()
}

/// The changing methods of each pool, as they are recorded.
fn changing() -> BTreeMap<String, BTreeSet<String>> {
    let mut changing = BTreeMap::<_, BTreeSet<_>>::new();
    for line in text_of("ci/surface/recorded.txt").lines() {
        let [item, method, receiver] = line.split("  ").collect::<Vec<_>>()[..] else { continue };
        let pool = item.rsplit('.').next().unwrap();
        let is_changing = receiver == "&mut self" || receiver == "&self" && SHARED.contains(&pool);
        if is_changing && POOLS.iter().any(|(name, _)| *name == pool) {
            changing.entry(pool.to_string()).or_default().insert(method.to_string());
        }
    }
    changing
}

/// Whether the text calls a method of this name, itself or by a macro that it names it to.
fn calls(text: &str, method: &str) -> bool {
    text.match_indices(method).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + method.len()..]);
        [".", "::", ", "].iter().any(|start| before.ends_with(start))
            && ["(", "::<", ",", ")"].iter().any(|end| after.starts_with(end))
    })
}

#[test]
fn every_changing_method_is_a_step_or_has_a_reason() {
    let changing = changing();
    let mut without: BTreeSet<(String, String)> = BTreeSet::new();
    for (pool, adapters) in POOLS {
        let methods = changing.get(pool).unwrap_or_else(|| panic!("{pool} is not recorded"));
        let files = adapters.iter().chain(&COMMON);
        let text: String = files
            .map(|file| text_of(&format!("crates/millpond/tests/subject/{file}.rs")))
            .collect();
        let missing = methods.iter().filter(|method| !calls(&text, method));
        without.extend(missing.map(|method| (pool.to_string(), method.clone())));
    }
    let mut explained = BTreeSet::new();
    let reasons = text_of("ci/surface/steps.txt");
    for line in reasons.lines().filter(|line| !line.starts_with('#')) {
        let (names, reason) = line.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}"));
        assert!(!reason.is_empty(), "{line}");
        let is_pool = |name: &&str| POOLS.iter().any(|(pool, _)| pool == name);
        let (pools, methods): (Vec<_>, Vec<_>) = names.split(' ').partition(is_pool);
        for pool in pools {
            let changing = methods.iter().filter(|method| changing[pool].contains(**method));
            explained.extend(changing.map(|method| (pool.to_string(), method.to_string())));
        }
        for method in methods {
            assert!(changing.values().any(|all| all.contains(method)), "{method} of {line}");
        }
    }
    let no_step: Vec<_> = without.difference(&explained).collect();
    assert!(no_step.is_empty(), "neither a step nor in ci/surface/steps.txt: {no_step:?}");
    let steps: Vec<_> = explained.difference(&without).collect();
    assert!(steps.is_empty(), "a step, and yet in ci/surface/steps.txt: {steps:?}");
}

#[test]
fn a_call_is_told_from_a_name() {
    for text in
        ["pool.reserve(1)", "Pool::reserve(1)", "like!(capacity, reserve);", "x.reserve::<u8>()"]
    {
        assert!(calls(text, "reserve"), "{text}");
    }
    for text in ["fn reserve(&mut self)", "pool.reserve_more(1)", "try_reserve(1)"] {
        assert!(!calls(text, "reserve"), "{text}");
    }
}
