//! The tables of what a program pays beside its frames: its build, and the memory of its pools and of its heap.

use std::fmt::Write;

use crate::numbers::thousands;
use crate::records::{Records, Rows};

/// What a page calls a row, and what the record calls it.
type Titles = &'static [(&'static str, &'static str)];

/// The table of this name, or none if there is none; an error if the record lacks a row.
pub(crate) fn table(records: &Records, name: &str) -> Option<Result<String, String>> {
    Some(match name {
        "build" => build(&records.build),
        "programs with pools" => programs(&records.pools),
        "untouched" => untouched(&records.untouched),
        "heap replay" => heap_replay(records),
        _ => return None,
    })
}

/// The numbers of a row, as many as the table has.
fn row<const N: usize>(rows: &Rows, name: &str) -> Result<[f64; N], String> {
    let (_, numbers) =
        rows.iter().find(|(of, _)| of == name).ok_or_else(|| format!("no row '{name}'"))?;
    numbers[..].try_into().map_err(|_| format!("'{name}' has not {N} numbers"))
}

/// A row below the head for each title: the title, and what `cells` makes of its numbers.
fn filled<const N: usize>(
    head: &str,
    titles: Titles,
    rows: &Rows,
    cells: impl Fn([f64; N]) -> String,
) -> Result<String, String> {
    let mut text = head.to_owned();
    for (title, name) in titles {
        _ = writeln!(text, "| {title} | {} |", cells(row(rows, name)?));
    }
    Ok(text)
}

/// How many times a peer's.
fn times(of: f64, peer: f64) -> String {
    format!("{:.1} ×", of / peer)
}

fn build(rows: &Rows) -> Result<String, String> {
    const TITLES: Titles = &[
        ("millpond", "default"),
        ("all of its parts: `features = [\"full\"]`", "full"),
        ("the core alone: `default-features = false, features = [\"alloc\"]`", "core"),
        ("`StaticPool` alone: `default-features = false`", "handles"),
        ("gen_map", "gen_map"),
        ("slotmap", "slotmap"),
        ("bitarena", "bitarena"),
        ("slab", "slab"),
        ("thunderdome", "thunderdome"),
        ("generational-arena", "generational-arena"),
    ];
    let [peer] = row(rows, "slotmap")?;
    let head = "| crate | seconds | beside slotmap |\n| --- | ---: | ---: |\n";
    filled(head, TITLES, rows, |[seconds]| format!("{seconds:.1} | {}", times(seconds, peer)))
}

fn programs(rows: &Rows) -> Result<String, String> {
    const TITLES: Titles = &[
        ("`Pool`", "Pool"),
        ("`VecPool`", "VecPool"),
        ("`PackedPool`", "PackedPool"),
        ("slotmap's `SlotMap`", "SlotMap"),
    ];
    let peer: [f64; 4] = row(rows, "SlotMap")?;
    let head = "| | debug build | | release build | | stripped | | functions for each type |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    filled(head, TITLES, rows, |[debug, release, kib, functions]| {
        let [debug_times, release_times, kib_times] =
            [(debug, 0), (release, 1), (kib, 2)].map(|(of, at)| times(of, peer[at]));
        format!(
            "{debug:.1} s | {debug_times} | {release:.1} s | {release_times} \
             | {kib:.0} KiB | {kib_times} | {functions}"
        )
    })
}

fn untouched(rows: &Rows) -> Result<String, String> {
    const TITLES: Titles = &[
        ("`Pool` of 16,777,216, untouched", "Pool of 16777216 untouched"),
        ("`Pool` of 1,000,000", "Pool of 1000000"),
        ("`VecPool`", "VecPool"),
        ("slotmap", "slotmap"),
    ];
    let head = "| | longest insertion | all of them | memory when empty | when filled |\n\
        | --- | ---: | ---: | ---: | ---: |\n";
    filled(head, TITLES, rows, |[longest, all, empty, filled]| {
        format!("{longest:.3} ms | {all:.0} ms | {empty:.0} MiB | {filled:.0} MiB")
    })
}

/// The heap of a recorded game, replayed.
fn heap_replay(records: &Records) -> Result<String, String> {
    const TITLES: Titles = &[
        ("`SizeClasses`, classes up to 512 bytes, growing", "SizeClasses, up to 512 bytes"),
        ("`SizeClasses`, classes up to 1024 bytes, growing", "SizeClasses, up to 1024 bytes"),
        ("`SizeClasses`, the classes that `plan` derives, all reserved", "SizeClasses, as planned"),
        ("glibc", "glibc"),
        ("bumpalo (gives nothing back before the end)", "bumpalo"),
    ];
    let mut text = String::from("| | ns per allocation or free | peak |\n| --- | ---: | ---: |\n");
    for (title, who) in TITLES {
        let ns = records.shipped.by_slots("heap replay", 0, who);
        let (_, ns) = ns.first().ok_or_else(|| format!("no heap replay of '{who}'"))?;
        let peak = records.shipped.peak(who).ok_or_else(|| format!("no peak of '{who}'"))?;
        _ = writeln!(text, "| {title} | {ns:.1} | {} KiB |", thousands(peak / 1024.0));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_written_beside_the_same_one_with_slotmaps() {
        let rows = |pool: &str, numbers: &[f64]| (pool.to_owned(), numbers.to_vec());
        let mut all: Rows =
            ["Pool", "VecPool", "SlotMap"].map(|pool| rows(pool, &[1.0, 2.0, 400.0, 32.0])).into();
        assert_eq!(programs(&all).unwrap_err(), "no row 'PackedPool'");
        all.push(rows("PackedPool", &[2.5, 3.0, 500.0, 48.0]));
        let text = programs(&all).unwrap();
        assert!(
            text.contains(
                "| `PackedPool` | 2.5 s | 2.5 × | 3.0 s | 1.5 × | 500 KiB | 1.2 × | 48 |"
            ),
            "{text}"
        );
        all[0].1.pop();
        assert_eq!(programs(&all).unwrap_err(), "'Pool' has not 4 numbers");
    }
}
