//! The single figures that stand in sentences, by their names: a record, and for most what is taken of it.

use crate::records::{Bench, Records};
use crate::tables::games;

/// The figure of this name.
pub(crate) fn single(records: &Records, name: &str) -> Result<String, String> {
    let words: Vec<&str> = name.split(' ').collect();
    let figure = match words[..] {
        ["gate", gate] => format!("{:.0}", records.gate(gate)?),
        ["worst", order, operation] => format!("{:.0}", records.worst(order, operation)?),
        ["functions", pool] => records.functions(pool)?.to_string(),
        ["bytes", ..] => {
            let pool = &name["bytes ".len()..];
            let bytes = records
                .shipped
                .bytes_beyond(pool)
                .ok_or_else(|| format!("no bytes of '{pool}'"))?;
            format!("{bytes:.1}")
        }
        // How many times as fast as a peer the walk over 100 of so many slots is.
        ["sparse", slots, peer] => {
            let slots = slots.parse().map_err(|_| format!("'{slots}' is no number of slots"))?;
            let of = |who: &str| {
                let figure = records.shipped.ns_of_fastest(
                    &["sparse, for", "sparse, for_each"],
                    Some(slots),
                    who,
                );
                figure.ok_or_else(|| format!("no sparse walk of '{who}'"))
            };
            format!("{:.0}", of(peer)? / of("Pool")?)
        }
        // How many times the best peer's time a pool takes in frames: of both games.
        ["frames", ..] => {
            let part = &name["frames ".len()..];
            both(|game| {
                Ok(records.shipped.beside(&format!("{game}, {part}"), None, "Pool")?.ratio)
            })?
        }
        // The same of a work and a number of slots.
        ["ratio", slots, ..] => {
            let work = &name["ratio ".len() + slots.len() + 1..];
            let slots = slots.parse().map_err(|_| format!("'{slots}' is no number of slots"))?;
            format!("{:.2}", records.shipped.beside(work, Some(slots), "Pool")?.ratio)
        }
        // How many times the time of `for` the other loop takes in frames: of both games.
        ["for_each"] => both(|game| {
            let ns = |part: &str| {
                let work = format!("{game}, {part}");
                let ns = records.shipped.ns(&work, None, "Pool");
                ns.ok_or_else(|| format!("no '{work}' of 'Pool'"))
            };
            Ok(ns("for_each")? / ns("for")?)
        })?,
        // A quadtree that is rebuilt in each frame: nanoseconds per actor.
        ["quadtree", ..] => {
            let who = &name["quadtree ".len()..];
            let ns = records.shipped.by_slots("quadtree", 64, who).first().map(|(_, ns)| *ns);
            format!("{:.1}", ns.ok_or_else(|| format!("no quadtree of '{who}'"))?)
        }
        ["particles", pool] => particles(&records.shipped, pool)?,
        _ => return Err(format!("no figure '{name}'")),
    };
    Ok(figure)
}

/// A ratio of both games.
fn both(ratio: impl Fn(&str) -> Result<f64, String>) -> Result<String, String> {
    let [one, other] = games();
    Ok(format!("{:.2} and {:.2}", ratio(&one)?, ratio(&other)?))
}

/// How many times the time of a `Vec` with `swap_remove` a pool takes for frames of particles: the least and the most.
fn particles(bench: &Bench, pool: &str) -> Result<String, String> {
    let of = |who| bench.by_slots("particles", 16, who);
    let (own, vec) = (of(pool), of("Vec, swap_remove"));
    let ratios = own.iter().filter_map(|(slots, own)| {
        let (_, vec) = vec.iter().find(|(other, _)| other == slots)?;
        Some(own / vec)
    });
    let least = ratios.clone().fold(f64::INFINITY, f64::min);
    let most = ratios.fold(0.0, f64::max);
    if most == 0.0 {
        return Err(format!("no particles of '{pool}'"));
    }
    Ok(format!("{least:.1} to {most:.1}"))
}
