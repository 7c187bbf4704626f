//! The tables of the pages, by the names that stand there.

use std::fmt::Write;

use crate::records::{Bench, Records};

/// The recorded game whose frames are the first figures of the pages.
const GAME: &str = "frames freedoom2-map01-8bots";

/// The table of this name, or none if there is none; an error if a record lacks what it needs.
pub(crate) fn table(records: &Records, name: &str) -> Option<Result<String, String>> {
    Some(match name {
        "costs" => costs(&records.shipped),
        "peers" => peers(&records.shipped),
        "sparse" => sparse(&records.shipped),
        "growth" => growth(&records.shipped),
        "snapshots" => snapshots(&records.shipped),
        "instructions" => instructions(records),
        "worst" => worst(records),
        _ => return None,
    })
}

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

fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn columns_of(bench: &Bench) -> Vec<Column<'_>> {
    let work = |name: &str| format!("{GAME}, {name}");
    let (by_for, by_for_each, shared, births) =
        (work("for"), work("for_each"), work("lookups"), work("births and deaths"));
    let sparse = |slots| {
        move |who: &str| bench.ns_of_fastest(&["sparse, for", "sparse, for_each"], Some(slots), who)
    };
    vec![
        Column {
            heading: "whole frame",
            figure: Box::new(move |who| bench.ns_of_fastest(&[&by_for, &by_for_each], None, who)),
            written: ns,
        },
        Column {
            heading: "shared loop with lookups",
            figure: Box::new(move |who| bench.ns(&shared, None, who)),
            written: ns,
        },
        Column {
            heading: "insert or remove in it",
            figure: Box::new(move |who| bench.ns(&births, None, who)),
            written: ns,
        },
        Column {
            heading: "sparse walk, 100,000 slots",
            figure: Box::new(sparse(100_000)),
            written: us,
        },
        Column { heading: "1,000,000 slots", figure: Box::new(sparse(1_000_000)), written: us },
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

/// The README's: works in the rows.
fn costs(bench: &Bench) -> Result<String, String> {
    let stores = ["Pool", "PackedPool", "VecPool", "slotmap"];
    let columns = columns_of(bench);
    let rows: [(&str, usize, Written); 5] = [
        ("a game frame, per object, ns", 0, |ns| format!("{ns:.2}")),
        ("by a shared loop with lookups, ns", 1, |ns| format!("{ns:.2}")),
        ("an insertion or removal in it, ns", 2, |ns| format!("{ns:.2}")),
        ("a loop over 100 objects in 100,000 slots, µs", 3, |ns| {
            us(ns).trim_end_matches(" µs").to_owned()
        }),
        ("the slowest of 1,000,000 insertions, ms", 5, |ns| {
            ms(ns).trim_end_matches(" ms").to_owned()
        }),
    ];
    let mut text = String::from("| objects of 64 bytes | ") + &stores.join(" | ") + " |\n| ---";
    stores.iter().for_each(|_| text += " | ---:");
    text += " |\n";
    for (title, column, written) in rows {
        _ = write!(text, "| {title}");
        for who in stores {
            let figure =
                (columns[column].figure)(who).ok_or_else(|| format!("no '{title}' of '{who}'"))?;
            _ = write!(text, " | {}", written(figure));
        }
        text += " |\n";
    }
    _ = write!(
        text,
        "\nMedians, as games are shipped, {}.\n",
        bench.processor.split(" (").next().unwrap_or_default()
    );
    Ok(text)
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

fn sparse(bench: &Bench) -> Result<String, String> {
    let mut stores = STORES.to_vec();
    stores.extend([
        ("`StaticPool`", "StaticPool"),
        ("`Recycler`, all slots", "Recycler"),
        ("`Vec` of `Option`", "Vec of Option"),
    ]);
    let columns = columns_of(bench).into_iter().skip(3).take(2).collect::<Vec<_>>();
    by_store(&stores, &columns)
}

fn growth(bench: &Bench) -> Result<String, String> {
    let mut stores = STORES.to_vec();
    stores.extend([
        ("`PackedVecPool`", "PackedVecPool"),
        ("slotmap-careful", "slotmap-careful"),
        ("`Vec` of `Option`", "Vec of Option"),
    ]);
    let columns = columns_of(bench).into_iter().skip(5).collect::<Vec<_>>();
    by_store(&stores, &columns)
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

/// Instructions of one removal and one insertion, now and in the first two designs, which nobody can count again.
fn instructions(records: &Records) -> Result<String, String> {
    const ROWS: &[(&str, u32, u32, &str)] = &[
        ("`Lifo`", 124, 90, "remove_insert_lifo"),
        ("`Fifo`", 118, 102, "remove_insert_fifo"),
        ("`Roster`", 121, 106, "remove_insert_roster"),
        ("`LowestFirst` (keeps its bitmap)", 264, 272, "remove_insert_lowest_first"),
        ("`remove` alone, `Lifo`", 80, 51, "remove"),
        ("`insert_or_evict` into a full pool of 100", 4_311, 2_584, "insert_or_evict_of_100"),
        ("`for_each`, 10 objects, all live", 74, 39, "for_each_full"),
        ("`join` of a pool and two tables, 10 objects, all live", 985, 126, "join_full"),
    ];
    let mut text = String::from(
        "| | first version: a bit of the bitmap marks a live slot | second: the word's top bit marks a dead one | now |\n\
         | --- | ---: | ---: | ---: |\n",
    );
    for (title, first, second, gate) in ROWS {
        let now = thousands(records.gate(gate)?.round());
        _ = writeln!(
            text,
            "| {title} | {} | {} | {now} |",
            thousands(f64::from(*first)),
            thousands(f64::from(*second))
        );
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

#[cfg(test)]
mod tests {
    use super::*;

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
