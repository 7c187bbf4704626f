//! Budgets: what is looked up, and what is wrong with each entry.

use millpond_overflow::Overflow;
use millpond_overflow::budget::{Budget, BudgetError, BudgetErrorKind, Entry};

fn said<V: std::fmt::Debug>(result: Result<V, BudgetError>) -> String {
    result.unwrap_err().to_string()
}

fn small() -> Budget {
    let mut budget = Budget::new();
    budget.insert("e1m1", "bullets", Entry::new(512)).unwrap();
    budget.insert("e1m1", "decals", Entry::new(8).on_full(Overflow::EvictOldest)).unwrap();
    budget.insert("e1m2", "bullets", Entry::new(2048)).unwrap();
    budget
}

/// "Pool sizes may differ per scenario (per level)."
#[test]
fn each_scenario_has_capacities_of_its_own() {
    let budget = small();
    assert_eq!(budget.scenario_names().collect::<Vec<_>>(), ["e1m1", "e1m2"]);
    for (scenario, slots) in [("e1m1", 512), ("e1m2", 2048)] {
        let level = budget.scenario(scenario).unwrap();
        assert_eq!((level.name(), level.capacity("bullets").unwrap()), (scenario, slots));
        let pool = level.pool::<u8>("bullets").unwrap();
        assert_eq!((pool.capacity(), pool.name()), (slots, Some("bullets")));
    }
    let entries: Vec<_> = budget.scenario("e1m1").unwrap().entries().collect();
    assert_eq!(entries[0], ("bullets", Entry::new(512)));
    assert_eq!((entries[1].0, entries[1].1.policy()), ("decals", Overflow::EvictOldest));
    assert_eq!(Entry::new(3).spill(4).spill_capacity(), 4);
}

#[test]
fn what_is_missing_is_named_with_what_there_is() {
    let budget = small();
    assert_eq!(
        said(budget.scenario("e9m9")),
        "scenario \"e9m9\": is missing, expected one of e1m1, e1m2"
    );
    let level = budget.scenario("e1m2").unwrap();
    for error in [
        said(level.capacity("decals")),
        said(level.pool::<u8>("decals")),
        said(level.builder::<u8>("decals")),
        said(level.policy_pool::<u8>("decals")),
    ] {
        let expected = "scenario \"e1m2\", pool \"decals\": is missing, expected one of bullets";
        assert_eq!(error, expected);
    }
    assert_eq!(said(Budget::new().scenario("x")), "scenario \"x\": is missing");
    // Harmless, and not endless.
    let long = "x".repeat(5000) + "\n";
    let error = budget.scenario(&long).unwrap_err();
    assert!(error.to_string().len() < 200 && error.scenario() == Some(&long));
    assert!(!said(budget.scenario("a\nb\x1b[31m")).contains(['\n', '\x1b']));
}

#[test]
fn entries_that_cannot_be() {
    let mut budget = small();
    let entry = Entry::new;
    let too_many = "16777217 slots are more than its limit of 16777216";
    let no_spill =
        "`on_full = \"spill\"` and `spill` (slots) need each other: expected both or neither";
    let no_max = "`on_full = \"grow\"` and `max` (slots) need each other: expected both or neither";
    for (pool, entry, says) in [
        ("sparks", entry(0), "0 slots, expected at least 1"),
        ("bullets", entry(1), "is given twice"),
        ("sparks", entry((1 << 24) + 1), too_many),
        ("sparks", entry(1).on_full(Overflow::Spill), no_spill),
        ("sparks", entry(1).spill(0), no_spill),
        ("sparks", entry(1).spill(5).on_full(Overflow::Refuse), no_spill),
        ("sparks", entry(1).on_full(Overflow::Grow), no_max),
        ("sparks", entry(1).grow(5).on_full(Overflow::Refuse), no_max),
        ("sparks", entry(1).grow(5).spill(5), no_max),
        ("sparks", entry(1).spill(5).grow(5), no_spill),
        ("sparks", entry(8).grow(7), "may have 7 slots, less than its capacity of 8"),
        ("sparks", entry(8).grow((1 << 24) + 1), too_many),
    ] {
        let expected = format!("scenario \"e1m1\", pool \"{pool}\": {says}");
        assert_eq!(said(budget.insert("e1m1", pool, entry)), expected);
    }
    let error = budget.insert("e1m1", "sparks", Entry::new(usize::MAX).spill(2)).unwrap_err();
    assert!(matches!(error.kind(), BudgetErrorKind::AboveLimit { slots: usize::MAX, .. }));
    assert_eq!((error.pool(), error.line()), (Some("sparks"), None));
    // Nothing of all that has changed anything.
    assert_eq!(budget, small());
    assert_eq!(Entry::new(8).grow(20).capacity(), 8);
}

#[test]
fn limits_hold_before_and_after() {
    let mut budget = small();
    assert_eq!(
        said(budget.limit("bullets", 2000)),
        "scenario \"e1m2\", pool \"bullets\": 2048 slots are more than its limit of 2000"
    );
    assert_eq!(
        said(budget.limit("bullets", 0)),
        "limit of pool \"bullets\": 0 slots, expected at least 1"
    );
    assert_eq!(budget, small());
    budget.limit("bullets", 2048).unwrap();
    assert!(said(budget.insert("e1m3", "bullets", Entry::new(2049))).contains("limit of 2048"));
    assert!(said(budget.insert("e1m3", "bullets", Entry::new(2000).spill(49))).contains("2049"));
    assert!(said(budget.insert("e1m3", "bullets", Entry::new(9).grow(2049))).contains("2049"));
    // A program may have more than what is said of pools in general.
    budget.limit("voxels", 1 << 30).unwrap();
    budget.insert("e1m3", "voxels", Entry::new(1 << 29)).unwrap();
}

#[test]
fn a_policy_is_not_ignored() {
    let budget = small();
    let level = budget.scenario("e1m1").unwrap();
    assert_eq!(
        said(level.pool::<u8>("decals")),
        "scenario \"e1m1\", pool \"decals\": the budget says evict-oldest and the program builds a \
         pool that refuses: build it with `policy_pool`"
    );
    let mut decals = level.policy_pool::<u8>("decals").unwrap();
    for n in 0..9 {
        decals.insert_by(n, |_, key| *key).unwrap();
    }
    assert_eq!((decals.len(), decals.iter().any(|(_, n)| *n == 0)), (8, false));
}

#[test]
fn a_pool_grows_as_the_budget_says() {
    let mut budget = Budget::new();
    budget.insert("e1m1", "trees", Entry::new(64).grow(200)).unwrap();
    budget.insert("e1m1", "fixed", Entry::new(64).grow(64)).unwrap();
    let level = budget.scenario("e1m1").unwrap();
    assert_eq!(level.entry("trees").unwrap().capacity_max(), 200);
    assert!(said(level.pool::<u8>("trees")).contains("the budget says grow"));
    for (name, slots) in [("trees", 200), ("fixed", 64)] {
        let mut pool = level.policy_pool::<usize>(name).unwrap();
        assert_eq!((pool.policy(), pool.name()), (Overflow::Grow, Some(name)));
        assert!(pool.capacity() < 64 + 16 && pool.capacity_max() == slots);
        (0..slots).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
        let full = pool.insert_by(0, |_, _| 0).unwrap_err();
        assert_eq!((full.name(), full.capacity(), full.peak()), (Some(name), slots, slots));
    }
}

/// The slots that are planned to be used, and those that there are.
#[test]
fn an_untouched_pool_has_two_figures() {
    let mut budget = Budget::new();
    budget.limit("chunks", 100_000).unwrap();
    let too_many = said(budget.insert("e1m1", "chunks", Entry::new(64).untouched(100_001)));
    assert!(too_many.ends_with("100001 slots are more than its limit of 100000"), "{too_many}");
    budget.insert("e1m1", "chunks", Entry::new(64).untouched(100_000)).unwrap();
    assert!(said(budget.limit("chunks", 99_999)).contains("100000 slots are more"));
    let level = budget.scenario("e1m1").unwrap();
    let entry = level.entry("chunks").unwrap();
    assert!(entry.is_untouched() && !Entry::new(64).is_untouched());
    assert_eq!(
        (entry.capacity(), entry.capacity_max(), level.capacity("chunks").unwrap()),
        (64, 100_000, 64)
    );
    let mut chunks = level.pool::<u64>("chunks").unwrap();
    assert_eq!((chunks.capacity(), chunks.slots_used()), (100_000, 0));
    let handles: Vec<_> = (0..65).map(|value| chunks.insert(value).unwrap()).collect();
    handles.into_iter().for_each(|handle| assert!(chunks.remove(handle).is_some()));
    assert_eq!((chunks.slots_used(), chunks.stats().peak, chunks.len()), (65, 65, 0));
    let pool = level.policy_pool::<u64>("chunks").unwrap();
    assert_eq!(
        (pool.capacity(), pool.capacity_max(), pool.policy()),
        (100_000, 100_000, Overflow::Refuse)
    );
    let error = budget.insert("e1m2", "chunks", Entry::new(9).untouched(20).spill(3)).unwrap_err();
    assert_eq!(*error.kind(), BudgetErrorKind::UntouchedWithPolicy(Overflow::Spill));
}

#[test]
fn a_pool_that_there_is_no_memory_for_is_named() {
    let mut budget = Budget::new();
    budget.limit("huge", usize::MAX).unwrap();
    let capacity = 1 << (usize::BITS - 24);
    budget.insert("a", "huge", Entry::new(capacity)).unwrap();
    let level = budget.scenario("a").unwrap();
    let error = level.pool::<[u8; 64]>("huge").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("scenario \"a\", pool \"huge\": a capacity of {capacity}"))
    );
    assert!(matches!(error.kind(), BudgetErrorKind::Build(_)));
    assert!(level.policy_pool::<u8>("huge").is_err());
}

#[cfg(feature = "toml")]
mod toml {
    use super::*;

    #[test]
    fn a_budget_is_read() {
        let budget = Budget::from_toml(
            "[limits]\nbullets = 4_096\nvoxels = 16777216\n\n[scenario.e1m1]\nbullets = 0x200 # a comment\n\
             decals = { capacity = 64, on_full = \"evict-oldest\" }\n\
             orders = { capacity = 64, on_full = \"spill\", spill = 16 }\n\
             shouts = { capacity = 1, spill = 1 }\n\
             trees = { capacity = 64, on_full = \"grow\", max = 256 }\n\
             weeds = { max = 2, capacity = 2 }\n\
             chunks = { capacity = 64, untouched = 100_000 }\n\
             [scenario.\"a b.c\"]\n'Imp, red' = 3\n[scenario.empty]\n",
        )
        .unwrap();
        assert_eq!(budget.scenario_names().collect::<Vec<_>>(), ["a b.c", "e1m1", "empty"]);
        let level = budget.scenario("e1m1").unwrap();
        assert_eq!(level.entry("bullets").unwrap(), Entry::new(512));
        assert_eq!(level.entry("decals").unwrap(), Entry::new(64).on_full(Overflow::EvictOldest));
        assert_eq!(level.entry("orders").unwrap(), Entry::new(64).spill(16));
        assert_eq!(level.entry("shouts").unwrap(), Entry::new(1).spill(1));
        assert_eq!(level.entry("trees").unwrap(), Entry::new(64).grow(256));
        assert_eq!(level.entry("weeds").unwrap(), Entry::new(2).grow(2));
        assert_eq!(level.entry("chunks").unwrap(), Entry::new(64).untouched(100_000));
        assert_eq!(level.policy_pool::<u8>("trees").unwrap().capacity_max(), 256);
        assert_eq!(budget.scenario("a b.c").unwrap().capacity("Imp, red").unwrap(), 3);
        assert_eq!(budget.scenario("empty").unwrap().entries().len(), 0);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let of_an_entry = [
            ("0", "line 2: scenario \"x\", pool \"a\": 0 slots"),
            ("-1", "line 2: scenario \"x\", pool \"a\": expected a number of slots"),
            ("99999999999999999999999", "pool \"a\": expected a number of slots"),
            ("16777217", "16777217 slots are more than its limit of 16777216"),
            ("1.5", "pool \"a\": a fraction, expected a number of slots"),
            ("\"many\"", "pool \"a\": text, expected a number of slots"),
            ("true", "pool \"a\": true or false, expected"),
            ("1979-05-27", "pool \"a\": a date, expected"),
            ("{}", "pool \"a\": `capacity` is missing"),
            ("{ max = 9 }", "`capacity` is missing"),
            ("{ capacity = 0 }", "pool \"a\": 0 slots"),
            (
                "{ capactiy = 5 }",
                "unknown key \"capactiy\", expected capacity, on_full, spill, max, untouched",
            ),
            ("{ capacity = 5, on_full = 1 }", "`on_full` is a whole number"),
            (
                "{ capacity = 5, on_full = \"explode\" }",
                "`on_full` is \"explode\": unknown overflow policy, expected one of refuse, evict-least",
            ),
            ("{ capacity = 5, on_full = \"spill\" }", "need each other"),
            (
                "{ capacity = 5, on_full = \"refuse\", spill = 1 }",
                "`on_full = \"spill\"` and `spill` (slots) need each other",
            ),
            (
                "{ capacity = 5, on_full = \"grow\" }",
                "line 2: scenario \"x\", pool \"a\": `on_full = \"grow\"` and `max` (slots) need each other",
            ),
            ("{ capacity = 5, on_full = \"refuse\", max = 9 }", "`max` (slots) need each other"),
            ("{ capacity = 5, spill = 3, max = 9 }", "need each other"),
            (
                "{ capacity = 5, on_full = \"grow\", max = 4 }",
                "line 2: scenario \"x\", pool \"a\": may have 4 slots, less than its capacity of 5",
            ),
            ("{ capacity = 5, max = 0 }", "may have 0 slots, less than its capacity of 5"),
            ("{ capacity = 5, max = 18446744073709551615 }", "18446744073709551615 slots are more"),
            ("{ capacity = 5, max = -1 }", "expected a number of slots"),
            (
                "{ capacity = 5, untouched = 4 }",
                "line 2: scenario \"x\", pool \"a\": may have 4 slots, less than its capacity of 5",
            ),
            ("{ capacity = 5, untouched = 16777217 }", "16777217 slots are more than its limit"),
            (
                "{ capacity = 5, untouched = 9, on_full = \"evict-oldest\" }",
                "`untouched` (slots) is for a pool that refuses, and `on_full` says evict-oldest",
            ),
            ("{ capacity = 5, untouched = 9, spill = 2 }", "and `on_full` says spill"),
            ("{ capacity = 5, untouched = 9, max = 20 }", "and `on_full` says grow"),
            ("{ capacity = 5, max = \"all\" }", "text, expected a number of slots"),
            ("1\na = 2", "line 3: "),
            ("1\n[scenario.x]\nb = 2", "line 3: "),
            ("", "line 2: "),
            ("\u{0}", "line 2: "),
        ];
        let of_a_limit = [
            ("0", "line 2: limit of pool \"a\": 0 slots"),
            ("16777217", "line 2: limit of pool \"a\": 16777217 slots are more"),
            ("{}", "line 2: limit of pool \"a\": a table, expected a number"),
            (
                "5\n[scenario.x]\na = 6",
                "line 4: scenario \"x\", pool \"a\": 6 slots are more than its limit of 5",
            ),
            (
                "8\n[scenario.x]\na = { capacity = 5, on_full = \"grow\", max = 9 }",
                "line 4: scenario \"x\", pool \"a\": 9 slots are more than its limit of 8",
            ),
        ];
        let of_tables = [
            ("", "there is no table `scenario`"),
            ("[limits]\na = 1", "there is no table `scenario`"),
            ("scenario = 5", "line 1: a whole number, expected a table"),
            ("[scenario]\ne1m1 = 5", "line 2: scenario \"e1m1\": a whole number, expected a table"),
            ("[scenari.e1m1]\na = 1", "line 1: unknown key \"scenari\", expected limits, scenario"),
            ("limits = []\n[scenario.x]", "line 1: a list, expected a table"),
        ];
        let entries = of_an_entry.map(|(entry, says)| (format!("[scenario.x]\na = {entry}"), says));
        let limits = of_a_limit.map(|(limit, says)| {
            let end = if limit.contains("scenario") { "" } else { "\n[scenario.x]" };
            (format!("[limits]\na = {limit}{end}"), says)
        });
        let tables = of_tables.map(|(text, says)| (text.to_owned(), says));
        for (text, says) in entries.into_iter().chain(limits).chain(tables) {
            let error = Budget::from_toml(&text).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(says) && said.lines().count() == 1, "{text:?}: {said}");
            assert!(error.line().is_none_or(|line| said.starts_with(&format!("line {line}: "))));
            assert_eq!(error.line().is_some(), said.starts_with("line "));
        }
    }

    #[test]
    fn hostile_text_does_no_harm() {
        let deep = |open: &str| format!("a = {}", open.repeat(100_000));
        for text in [deep("["), deep("{a="), format!("{}=1", "a.".repeat(100_000) + "a")] {
            let error = said(Budget::from_toml(&text));
            assert!(error.len() < 500, "{}", error.len());
        }
        let long = format!("[scenario.x]\n{} = 0", "a".repeat(100_000));
        assert!(said(Budget::from_toml(&long)).len() < 300);
        let escaped = "[scenario.x]\n\"a\\n\\u001b[31m\" = 0";
        assert!(!said(Budget::from_toml(escaped)).contains(['\n', '\x1b']));
        // Whatever is cut off or changed, it is read or refused.
        let good = "[limits]\na = 9\n[scenario.x]\na = { capacity = 5, spill = 1 }\n\
                    b = { capacity = 5, on_full = \"grow\", max = 7 }\n";
        for at in 0..good.len() {
            let _ = Budget::from_toml(&good[..at]);
            for byte in [b'"', b'[', b'=', b'\n', 0x7f] {
                let mut text = good.as_bytes().to_vec();
                text[at] = byte;
                let _ = Budget::from_toml(std::str::from_utf8(&text).unwrap());
            }
        }
    }
}
