//! The single figures that stand in sentences, by their names: a record, and for most what is taken of it.

use crate::records::Records;

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
        _ => return Err(format!("no figure '{name}'")),
    };
    Ok(figure)
}
