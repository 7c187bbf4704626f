//! The tables of the pages, by the names that stand there.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use crate::numbers::{short, thousands};
use crate::records::{Bench, Records};

/// How the names of the works begin that are the frames of a recorded game.
const FRAMES: &str = "frames freedoom2-";

/// The recorded game whose frames are the first figures of the pages.
const GAME: &str = "frames freedoom2-map01-8bots";

/// The table of this name, or none if there is none; an error if a record lacks what it needs.
pub(crate) fn table(records: &Records, name: &str) -> Option<Result<String, String>> {
    Some(match name {
        "costs" => costs(&records.shipped),
        "peers" => peers(&records.shipped),
        "losses" => losses(&records.shipped),
        "snapshots" => snapshots(&records.shipped),
        "instructions" => instructions(records),
        "worst" => worst(records),
        "lives" => lives(records),
        _ => return None,
    })
}

/// A removal and an insertion, the pool opaque between them.
const PAIR: &str = "churn, opaque";

/// What a page calls a store, and what the records call it.
type Store = (&'static str, &'static str);

const STORES: &[Store] = &[
    ("`Pool`", "Pool"),
    ("`PackedPool` (values move)", "PackedPool"),
    ("`VecPool` (values move as it grows)", "VecPool"),
    ("gen_map", "gen_map"),
    ("bitarena", "bitarena"),
    ("slotmap", "slotmap"),
    ("slotmap, dense (values move)", "slotmap, dense"),
    ("thunderdome", "thunderdome"),
    ("thunderation", "thunderation"),
    ("deferred-map", "deferred-map"),
    ("generational-arena", "generational-arena"),
    ("slab (accepts stale keys)", "slab"),
];

/// The figure of a store, if the records have it.
type Figure<'a> = dyn Fn(&str) -> Option<f64> + 'a;

/// With decimals and a unit.
type Written = fn(f64) -> String;

/// A column: its heading, and the figures.
struct Column<'a> {
    heading: &'a str,
    figure: Box<Figure<'a>>,
    written: Written,
}

fn ns(ns: f64) -> String {
    format!("{ns:.2} ns")
}

fn us(ns: f64) -> String {
    let us = ns / 1e3;
    let text = if us < 1.0 {
        format!("{us:.2}")
    } else if us < 10.0 {
        format!("{us:.1}")
    } else {
        thousands(us)
    };
    format!("{text} µs")
}

fn ms(ns: f64) -> String {
    format!("{:.2} ms", ns / 1e6)
}

fn columns_of(bench: &Bench) -> Vec<Column<'_>> {
    let work = |name: &str| format!("{GAME}, {name}");
    let (by_for, by_for_each, births) = (work("for"), work("for_each"), work("births and deaths"));
    let (shared, lookups) = (work("shared"), work("lookups"));
    let sparse = ["sparse, for", "sparse, for_each"];
    vec![
        Column {
            heading: "whole frame",
            figure: Box::new(move |who| bench.ns_of_fastest(&[&by_for, &by_for_each], None, who)),
            written: ns,
        },
        Column {
            heading: "shared loop",
            figure: Box::new(move |who| bench.ns(&shared, None, who)),
            written: ns,
        },
        Column {
            heading: "with lookups",
            figure: Box::new(move |who| bench.ns(&lookups, None, who)),
            written: ns,
        },
        Column {
            heading: "insert or remove in it",
            figure: Box::new(move |who| bench.ns(&births, None, who)),
            written: ns,
        },
        Column {
            heading: "pair, 1,000 slots",
            figure: Box::new(|who| bench.ns(PAIR, Some(1_000), who)),
            written: ns,
        },
        Column {
            heading: "clone",
            figure: Box::new(|who| bench.ns("clone", Some(10_000), who)),
            written: ns,
        },
        Column {
            heading: "sparse walk, 100,000 slots",
            figure: Box::new(move |who| bench.ns_of_fastest(&sparse, Some(100_000), who)),
            written: us,
        },
        Column {
            heading: "longest insertion",
            figure: Box::new(|who| bench.ns("growth", Some(1_000_000), who)),
            written: ms,
        },
    ]
}

/// A table with a row for each store; the best of each column is bold.
fn by_store(stores: &[Store], columns: &[Column<'_>]) -> Result<String, String> {
    let mut text = String::from("|");
    columns.iter().for_each(|column| _ = write!(text, " | {}", column.heading));
    text += " |\n| ---";
    columns.iter().for_each(|_| text += " | ---:");
    text += " |\n";
    let best: Vec<f64> = columns
        .iter()
        .map(|column| {
            stores.iter().filter_map(|(_, who)| (column.figure)(who)).fold(f64::INFINITY, f64::min)
        })
        .collect();
    for (title, who) in stores {
        _ = write!(text, "| {title}");
        let mut figures = 0;
        for (column, &best) in columns.iter().zip(&best) {
            text += " | ";
            match (column.figure)(who) {
                Some(figure) if figure == best => {
                    _ = write!(text, "**{}**", (column.written)(figure))
                }
                Some(figure) => text += &(column.written)(figure),
                None => {
                    text += "–";
                    continue;
                }
            }
            figures += 1;
        }
        text += " |\n";
        if figures == 0 {
            return Err(format!("no record of '{who}'"));
        }
    }
    Ok(text)
}

/// The README's: works in the rows, and what follows from them.
fn costs(bench: &Bench) -> Result<String, String> {
    let pools = ["Pool", "VecPool", "PackedPool"];
    let columns = columns_of(bench);
    let rows: [(&str, usize, Option<usize>, &str); 6] = [
        ("a game frame, per object", 0, None, "for"),
        ("its shared loops", 1, None, "shared"),
        ("its insertions and removals", 3, None, "births and deaths"),
        ("both, 1,000 slots", 4, Some(1_000), PAIR),
        ("a clone, per object", 5, Some(10_000), "clone"),
        ("a loop over 100 in 100,000 slots", 6, Some(100_000), "sparse, for"),
    ];
    let mut text = String::from("| ns | ") + &pools.join(" | ");
    text += " | [best peer](docs/benchmark.md#beside-the-best-peer) |\n| ---";
    (0..=pools.len()).for_each(|_| text += " | ---:");
    text += " |\n";
    for (title, column, slots, work) in rows {
        _ = write!(text, "| {title}");
        for who in pools {
            let figure =
                (columns[column].figure)(who).ok_or_else(|| format!("no '{title}' of '{who}'"))?;
            _ = write!(text, " | {}", short(figure));
        }
        let of_game = format!("{GAME}, {work}");
        let work = if slots.is_none() { of_game.as_str() } else { work };
        let mut beside = bench.beside(work, slots, "Pool")?;
        if work.ends_with(", for") {
            let by_for_each = bench.beside(&format!("{work}_each"), slots, "Pool")?;
            beside = if by_for_each.peer_ns < beside.peer_ns { by_for_each } else { beside };
        }
        _ = writeln!(text, " | {} |", short(beside.peer_ns));
    }
    _ = write!(
        text,
        "\nMedians, objects of 64 bytes, as games are shipped, {}.\n\n{}\n",
        bench.processor.split(" (").next().unwrap_or_default(),
        instead(bench)?
    );
    Ok(text)
}

/// How much more than a peer's time is worth another store: less is noise.
const WORTH: f64 = 1.1;

/// What a program uses instead of a pool, as far as the record says it.
fn instead(bench: &Bench) -> Result<String, String> {
    let ratio = |work: &str, slots| bench.beside(work, slots, "Pool").map(|row| row.ratio);
    let game = |part: &str| ratio(&format!("{GAME}, {part}"), None);
    let works = [
        ("loops", game("for")?.min(game("for_each")?)),
        ("shared loops", game("shared")?),
        ("insertions", game("births and deaths")?.max(ratio(PAIR, Some(1_000))?)),
        ("clones", ratio("clone", Some(10_000))?),
    ];
    let slower: Vec<&str> =
        works.iter().filter(|(_, ratio)| *ratio > WORTH).map(|(work, _)| *work).collect();
    let slower = match slower.as_slice() {
        [] => String::new(),
        [one] => format!(", the best peer if {one} take your time"),
        [many @ .., last] => {
            format!(", the best peer if {} or {last} take your time", many.join(", "))
        }
    };
    Ok(format!(
        "Use a `Vec` if nothing refers to its elements, an ECS if you query by component{slower}.\n\
         [Where millpond loses](docs/peers.md#where-millpond-loses)."
    ))
}

fn peers(bench: &Bench) -> Result<String, String> {
    let mut columns = columns_of(bench);
    columns.push(Column {
        heading: "bytes per slot beyond the object",
        figure: Box::new(|who| bench.bytes_beyond(who)),
        written: |bytes| format!("{bytes:.1}"),
    });
    by_store(STORES, &columns)
}

/// What the pages call a work of the records, as the benchmark's page does.
fn title(work: &str) -> String {
    let (of, part) = work.split_once(", ").unwrap_or((work, ""));
    let form = || format!("`{part}`");
    match (of, part) {
        ("frames", "births and deaths") => part.to_owned(),
        ("frames", "shared") => "shared loop".to_owned(),
        ("frames", "lookups") => "shared loop with lookups".to_owned(),
        ("frames", _) => format!("frames by {}", form()),
        ("sparse", _) => format!("{}, 100 live", form()),
        ("churn", "opaque") => "removal and insertion".to_owned(),
        ("churn", _) => "removal and insertion, folded".to_owned(),
        ("get", _) => "lookup".to_owned(),
        ("create", _) => "creation".to_owned(),
        ("clear+refill", _) => "`clear` and refill".to_owned(),
        ("retain", _) => "`retain`".to_owned(),
        ("quadtree", _) => "quadtree rebuilt in each frame".to_owned(),
        ("replay", _) => "replay of a game".to_owned(),
        ("replay openttd-600ticks", _) => "replay of OpenTTD's heap".to_owned(),
        ("growth", _) => "longest insertion".to_owned(),
        _ => match of.strip_prefix("iterate ").and_then(|live| live.strip_suffix('%')) {
            Some(percent) => format!("{}, {percent} % live", form()),
            None => work.to_owned(),
        },
    }
}

/// Every work with objects of 64 bytes at which a pool takes longer than the best peer in one of its cells, and memory of
/// which it takes more: of all cells the least and the most, and the peers that are ahead.
fn losses(bench: &Bench) -> Result<String, String> {
    let shown = |ratio: f64| if ratio < 100.0 { format!("{ratio:.2}") } else { thousands(ratio) };
    let loses = |ratio: f64| (100.0 * ratio).round() > 100.0;
    let between = |ratios: &[f64]| {
        let (least, most) = ratios
            .iter()
            .fold((f64::MAX, 0.0_f64), |(least, most), &ratio| (least.min(ratio), most.max(ratio)));
        match (shown(least), shown(most)) {
            _ if ratios.is_empty() => "–".to_owned(),
            (least, most) if least == most => most,
            (least, most) => format!("{least} to {most}"),
        }
    };
    // In the order in which the works appear.
    let mut works: Vec<String> = Vec::new();
    let mut ratios: HashMap<(String, bool), Vec<f64>> = HashMap::new();
    let mut ahead: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for row in bench.beside.iter().filter(|row| row.bytes == 64) {
        let work = match (row.work.starts_with("frames "), row.work.rsplit_once(", ")) {
            (true, Some((_, part))) => format!("frames, {part}"),
            _ => row.work.split(" freedoom2").next().unwrap_or(&row.work).to_owned(),
        };
        if !works.contains(&work) {
            works.push(work.clone());
        }
        if loses(row.ratio) {
            ahead.entry(work.clone()).or_default().insert(&row.peer);
        }
        ratios.entry((work, row.contender == "VecPool")).or_default().push(row.ratio);
    }
    let mut text = String::from("| | `Pool` | `VecPool` | ahead |\n| --- | ---: | ---: | --- |\n");
    let head = text.len();
    for work in works {
        let Some(peers) = ahead.remove(&work) else { continue };
        let peers = peers.into_iter().collect::<Vec<_>>().join(", ");
        let [pool, vec_pool] = [false, true]
            .map(|vec| between(ratios.get(&(work.clone(), vec)).map_or(&[], Vec::as_slice)));
        _ = writeln!(text, "| {} | {pool} | {vec_pool} | {peers} |", title(&work));
    }
    let small = bench.small_store("slotmap")?;
    let ratio = |pool| bench.small_store(pool).map(|bytes| bytes / small);
    let (pool, vec_pool) = (ratio("Pool")?, ratio("VecPool")?);
    if loses(pool) || loses(vec_pool) {
        let (pool, vec_pool) = (shown(pool), shown(vec_pool));
        _ = writeln!(text, "| memory of a pool of one object | {pool} | {vec_pool} | slotmap |");
    }
    if text.len() == head {
        return Ok("In no cell of the record.\n".to_owned());
    }
    Ok(text)
}

fn snapshots(bench: &Bench) -> Result<String, String> {
    const ROWS: &[Store] = &[
        ("`Pool`, `save_into`", "Pool, save_into"),
        ("`Pool`, `restore`", "Pool, restore"),
        ("slotmap, `clone_from`", "slotmap, clone_from"),
        ("slotmap, `clone`", "slotmap, clone"),
        ("`Pool`, serde to postcard", "Pool, serde to postcard"),
    ];
    let mut text = String::from(
        "| | 1,000 slots | of a `memcpy` | 1,000,000 slots | of a `memcpy` |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (title, who) in ROWS {
        _ = write!(text, "| {title}");
        for slots in [1_000, 1_000_000] {
            let of = |who: &str| {
                let figure = bench.ns("snapshot 100%", Some(slots), who);
                figure.ok_or_else(|| format!("no snapshot of {slots} slots by '{who}'"))
            };
            let (figure, limit) = (of(who)?, of("limit: memcpy of the same bytes")?);
            _ = write!(text, " | {figure:.2} ns | {:.1} ×", figure / limit);
        }
        text += " |\n";
    }
    Ok(text)
}

/// The games of the record, in the order of the pages.
pub(crate) fn games() -> [String; 2] {
    ["map01-8bots", "map15-solo"].map(|game| format!("{FRAMES}{game}"))
}

/// Instructions of one removal and one insertion, now and in the first two designs, which nobody can count again.
fn instructions(records: &Records) -> Result<String, String> {
    const ROWS: &[(&str, &str)] = &[
        ("`Lifo`", "remove_insert_lifo"),
        ("`Fifo`", "remove_insert_fifo"),
        ("`Roster`", "remove_insert_roster"),
        ("`LowestFirst` (keeps its bitmap)", "remove_insert_lowest_first"),
        ("`remove` alone, `Lifo`", "remove"),
        ("`insert_or_evict` into a full pool of 100", "insert_or_evict_of_100"),
        ("`for_each`, 10 objects, all live", "for_each_full"),
        ("`join` of a pool and two tables, 10 objects, all live", "join_full"),
    ];
    let mut text = String::from("| | instructions |\n| --- | ---: |\n");
    for (title, gate) in ROWS {
        _ = writeln!(text, "| {title} | {} |", thousands(records.gate(gate)?.round()));
    }
    Ok(text)
}

fn worst(records: &Records) -> Result<String, String> {
    let mut text = String::from(
        "| | insert | get | remove | insert at a given handle |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (title, order) in [
        ("`Lifo`", "lifo"),
        ("`Fifo`", "fifo"),
        ("`Roster`", "roster"),
        ("`LowestFirst`", "lowest_first"),
    ] {
        _ = write!(text, "| {title}");
        for operation in ["insert", "get", "remove", "claim"] {
            _ = write!(text, " | {}", thousands(records.worst(order, operation)?));
        }
        text += " |\n";
    }
    Ok(text)
}

/// Lives of entities in Bevy.
fn lives(records: &Records) -> Result<String, String> {
    let ways = [
        ("population", "population"),
        ("by others", "by_others"),
        ("batch", "batch"),
        ("ids", "batch_ids"),
        ("at once", "at_once"),
        ("fixed", "fixed"),
        ("pool", "pool"),
        ("asleep", "asleep"),
    ];
    let titles = ways.map(|(title, _)| title).join(" | ");
    let mut text =
        format!("| of 16 bytes each | Bevy | {titles} |\n| ---{} |\n", " | ---:".repeat(9));
    for (title, row) in [
        ("1 component", "1"),
        ("5 components", "5"),
        ("15 components", "15"),
        ("5, and 2 children", "children"),
        ("5, and 20 nodes of 9", "nodes"),
        ("5, and 20 nodes **from a scene**", "scene"),
    ] {
        let (plain, _) = records
            .life(row, "plain")
            .ok_or_else(|| format!("no '{row} plain' in ci/gates/bevy.txt"))?;
        _ = write!(text, "| {title} | {}", thousands(plain));
        for (_, way) in ways {
            text += &match records.life(row, way) {
                Some((_, part)) if part < 1.0 => format!(" | **{part:.2}**"),
                Some((_, part)) => format!(" | {part:.2}"),
                None => " | –".to_owned(),
            };
        }
        text += " |\n";
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Beside;

    /// A record in which a pool takes so many times a peer's time at all works.
    fn bench(ratio: f64) -> Bench {
        let mut bench = Bench::default();
        let row = |work: &str, slots, contender: &str| Beside {
            work: work.into(),
            bytes: 64,
            slots,
            contender: contender.into(),
            peer: "peer".into(),
            peer_ns: 2.0,
            ratio,
        };
        let works = ["for", "for_each", "shared", "births and deaths"];
        for pool in ["Pool, Lifo", "VecPool"] {
            bench.beside.extend(works.map(|part| row(&format!("{GAME}, {part}"), 500, pool)));
            bench.beside.extend([row(PAIR, 1_000, pool), row("clone", 10_000, pool)]);
        }
        bench.weigh(&[("Pool, Lifo", 100.0 * ratio), ("VecPool", 90.0), ("slotmap", 100.0)]);
        bench
    }

    #[test]
    fn where_a_pool_loses_follows_from_the_record() {
        let text = losses(&bench(1.004)).unwrap();
        assert_eq!(text, "In no cell of the record.\n");
        let text = losses(&bench(1.5)).unwrap();
        assert!(text.contains("| shared loop | 1.50 | 1.50 | peer |"), "{text}");
        assert!(text.contains("| removal and insertion | 1.50 | 1.50 | peer |"), "{text}");
        assert!(text.contains("| memory of a pool of one object | 1.50 | 0.90 | slotmap |"));
        assert_eq!(text.lines().count(), 2 + 6 + 1, "{text}");
        // One cell of several, and in it only one of the two.
        let mut one = bench(0.9);
        let mut lost = one.beside.iter().find(|row| row.work == "clone").unwrap().clone();
        (lost.ratio, lost.slots, lost.peer) = (1.2, 100, "other".into());
        one.beside.push(lost);
        let text = losses(&one).unwrap();
        assert!(text.ends_with("| clone | 0.90 to 1.20 | 0.90 | other |\n"), "{text}");
        assert_eq!(text.lines().count(), 2 + 1, "{text}");
    }

    #[test]
    fn another_store_is_named_for_what_it_does_better_by_more_than_noise() {
        let text = instead(&bench(1.05)).unwrap();
        assert!(text.contains("by component.\n"), "{text}");
        let mut lost = bench(1.05);
        lost.beside.iter_mut().filter(|row| row.work == "clone").for_each(|row| row.ratio = 1.2);
        let text = instead(&lost).unwrap();
        assert!(text.contains("by component, the best peer if clones take your time.\n"), "{text}");
        let text = instead(&bench(1.2)).unwrap();
        assert!(text.contains(" if loops, shared loops, insertions or clones take"), "{text}");
        lost.beside.clear();
        assert!(instead(&lost).unwrap_err().contains("no 'frames "));
    }

    #[test]
    fn numbers_are_written_as_the_pages_have_them() {
        assert_eq!(
            [thousands(7.0), thousands(1234.4), thousands(1_234_567.0)],
            ["7", "1,234", "1,234,567"]
        );
        assert_eq!([us(540.0), us(2_600.0), us(1_600_000.0)], ["0.54 µs", "2.6 µs", "1,600 µs"]);
        assert_eq!((ns(0.714), ms(30_000.0)), ("0.71 ns".to_owned(), "0.03 ms".to_owned()));
    }
}
