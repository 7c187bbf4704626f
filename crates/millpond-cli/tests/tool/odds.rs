//! `millpond odds` from the command line.

use crate::common::{Directory, done, millpond, refused};

/// "Handle uniqueness: the odds that a handle is not unique after many reuses is 1 / (free_slots × 128 + busy_slots)", with
/// the worst and the best case; "reproduce both by simulation".
#[test]
fn the_table_has_the_published_cases_of_the_byte_map_pool() {
    let directory = Directory::new();
    let output =
        millpond(&directory).args(["odds", "--slots", "20", "--rounds", "5000"]).output().unwrap();
    let text = done(&output);
    let row = text.lines().find(|line| line.starts_with("byte-map pool")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    // 128 lifetimes; 1 / (128 + (n − 1)) at worst, 1 / (n × 128) at best.
    assert_eq!((cells[2], cells[3], cells[5]), ("128", "147", "2,560"), "{row}");
    assert!(text.contains("Every simulation is within 5 standard deviations"), "{text}");
    assert!(directory.names().is_empty(), "odds writes no file");
}

#[test]
fn json_is_one_object_and_another_for_another_seed() {
    let directory = Directory::new();
    let odds = |seed: &str| {
        let arguments = ["odds", "--json", "--slots", "20", "--rounds", "500", "--seed", seed];
        done(&millpond(&directory).args(arguments).output().unwrap())
    };
    let first = odds("7");
    let value: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(value["agree"], true);
    assert_eq!(value["layouts"][0]["wrap"][0]["handles_in_play"], 147);
    assert_ne!(odds("8"), first);
}

/// "1 / (free_slots × 128 + busy_slots)" for any mix.
#[test]
fn any_mix_of_free_and_busy_slots_has_its_column() {
    let directory = Directory::new();
    let mix = ["odds", "--free", "7", "--busy", "13", "--rounds", "20000"];
    let text = done(&millpond(&directory).args(mix).output().unwrap());
    assert!(text.contains("mix: 7 free and 13 live slots"), "{text}");
    let row = text.lines().find(|line| line.starts_with("byte-map pool")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((cells[2], cells[3]), ("128", "909"), "{row}"); // 7 × 128 + 13
    let json = done(&millpond(&directory).args(mix).arg("--json").output().unwrap());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let case = &value["layouts"][0]["wrap"][3];
    assert_eq!((&case["case"], &case["handles_in_play"]), (&"mix".into(), &909.into()));
    assert_eq!(case["simulated"]["handles_met"], 909);
    for (wrong, with) in [
        (["--free", "7"].as_slice(), "--busy"),
        (&["--busy", "7"], "--free"),
        (&["--free", "0", "--busy", "7"], "--free"),
        (&["--free", "7", "--busy", "1", "--slots", "8"], "--slots"),
        (&["--free", "65536", "--busy", "1"], "65537 slots"),
    ] {
        let line = refused(&millpond(&directory).arg("odds").args(wrong).output().unwrap());
        assert!(line.contains(with), "{line}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let directory = Directory::new();
    for (option, value) in
        [("--slots", "0"), ("--slots", "65537"), ("--rounds", "0"), ("--seed", "x")]
    {
        let line = refused(&millpond(&directory).args(["odds", option, value]).output().unwrap());
        assert!(line.contains(option) && line.contains(value), "{line}");
    }
}
