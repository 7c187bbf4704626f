//! When, where and with which versions a run was made.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The versions that this program was built with.
const LOCK: &str = include_str!("../../../Cargo.lock");

const CRATES: [&str; 18] = [
    "millpond",
    "slotmap",
    "slotmap-careful",
    "thunderdome",
    "thunderation",
    "bitarena",
    "deferred-map",
    "generational-arena",
    "gen_map",
    "fyrox-core",
    "slab",
    "stable-vec",
    "typed-arena",
    "bumpalo",
    "mimalloc",
    "libmimalloc-sys",
    "tikv-jemallocator",
    "tikv-jemalloc-sys",
];

/// The date of today, as in 2026-11-21 (UTC).
pub(crate) fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    civil_date((seconds / 86_400) as i64)
}

/// Days since 1970 as a date: years are counted from 1 March of year 0, so that leap days come last.
fn civil_date(days: i64) -> String {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The commit that is checked out, and whether it is changed beside what runs record, as far as git tells.
pub(crate) fn commit() -> String {
    let git = |args: &[&str]| {
        let here = ["-C", env!("CARGO_MANIFEST_DIR")];
        Command::new("git").args(here).args(args).output().ok()
    };
    let Some(head) = git(&["rev-parse", "--short=10", "HEAD"]).filter(|o| o.status.success())
    else {
        return "unknown".into();
    };
    let recorded = [":(top)", ":(top,exclude)docs/benchmark", ":(top,exclude)docs/benchmark.md"];
    let changed = git(&[&["diff", "--quiet", "HEAD", "--"], &recorded[..]].concat());
    let mark = if changed.is_some_and(|o| o.status.success()) { "" } else { "-dirty" };
    format!("{}{mark}", String::from_utf8_lossy(&head.stdout).trim())
}

/// The compiler, and every contender's version.
pub(crate) fn versions() -> String {
    let crates =
        CRATES.iter().filter_map(|name| version(name).map(|version| format!("{name} {version}")));
    let compilers = std::iter::once(env!("BENCH_RUSTC")).chain(option_env!("BENCH_CXX"));
    let compilers = compilers.map(str::to_owned);
    compilers.chain(crates).collect::<Vec<_>>().join(", ")
}

fn version(name: &str) -> Option<&'static str> {
    let (_, rest) = LOCK.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_date_knows_leap_years() {
        assert_eq!(civil_date(0), "1970-01-01");
        assert_eq!(civil_date(11_016), "2000-02-29");
        assert_eq!(civil_date(20_778), "2026-11-21");
    }

    #[test]
    fn versions_come_from_the_lock_file() {
        assert_eq!(version("slotmap").map(|version| version.starts_with("1.")), Some(true));
        assert_eq!(version("no such crate"), None);
    }
}
