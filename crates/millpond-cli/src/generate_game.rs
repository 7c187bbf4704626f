//! A made-up game of any length, as a lifetime trace with sizes: the load on a heap over days.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

use millpond_plan::random::SplitMix64;

/// Ticks per second.
pub(crate) const TICKS_PER_SECOND: u64 = 10;

/// The properties of a kind of object.
struct Kind {
    name: &'static str,
    /// From the smallest to the largest.
    bytes: (u64, u64),
    /// The number of objects made in a thousand ticks.
    births: u64,
    /// Their minimum and maximum lifetime in ticks; the lower half is as likely as the upper.
    ticks: (u64, u64),
}

/// Short and long lifetimes side by side, which leave permanent holes.
const KINDS: [Kind; 8] = [
    Kind { name: "Spark", bytes: (48, 48), births: 900, ticks: (3, 20) },
    Kind { name: "Bullet", bytes: (96, 96), births: 400, ticks: (5, 40) },
    Kind { name: "Enemy", bytes: (640, 640), births: 30, ticks: (100, 3_000) },
    Kind { name: "Path", bytes: (64, 4096), births: 150, ticks: (10, 600) },
    Kind { name: "Sound", bytes: (2_048, 65_536), births: 20, ticks: (20, 400) },
    Kind { name: "Text", bytes: (16, 400), births: 60, ticks: (50, 2_000) },
    Kind { name: "Decal", bytes: (160, 160), births: 25, ticks: (3_000, 40_000) },
    Kind { name: "Score", bytes: (24, 120), births: 2, ticks: (200_000, 2_000_000) },
];

/// Writes this many ticks of the game.
pub(crate) fn write(mut out: impl Write, ticks: u64) -> std::io::Result<()> {
    let mut random = SplitMix64::new(1);
    let mut below = |limit: u64| random.next() % limit.max(1);
    let mut deaths: BinaryHeap<Reverse<(u64, u64, usize)>> = BinaryHeap::new();
    let mut born = 0_u64;
    writeln!(out, "tick,event,id,class,size,ms")?;
    for tick in 0..ticks {
        let ms = tick * 1000 / TICKS_PER_SECOND;
        while let Some(&Reverse((at, id, kind))) = deaths.peek() {
            if at > tick {
                break;
            }
            deaths.pop();
            writeln!(out, "{tick},free,{id},{},,{ms}", KINDS[kind].name)?;
        }
        // Fights and quiet phases, of some minutes each.
        let fights = tick / 1_500 % 3 != 0;
        for (number, kind) in KINDS.iter().enumerate() {
            let births = kind.births * if fights { 3 } else { 1 };
            let whole = births / 1000 + u64::from(below(1000) < births % 1000);
            for _ in 0..whole {
                let bytes = kind.bytes.0 + below(kind.bytes.1 - kind.bytes.0 + 1);
                let (low, high) = kind.ticks;
                let lives = match below(2) {
                    0 => low + below((high - low) / 8),
                    _ => low + below(high - low),
                };
                writeln!(out, "{tick},alloc,{born},{},{bytes},{ms}", kind.name)?;
                deaths.push(Reverse((tick + lives.max(1), born, number)));
                born += 1;
            }
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_game_each_time_and_every_kind_is_there() {
        let game = |ticks| {
            let mut text = Vec::new();
            write(&mut text, ticks).unwrap();
            String::from_utf8(text).unwrap()
        };
        let (short, long) = (game(2_000), game(4_000));
        assert!(long.starts_with(&short));
        for kind in &KINDS {
            assert!(long.contains(&format!(",{},", kind.name)), "{}", kind.name);
        }
        let (born, freed) = (long.matches(",alloc,").count(), long.matches(",free,").count());
        assert!(freed > born / 2 && freed < born);
    }
}
