//! Made-up traces of any length, to measure with.

use std::io::{BufWriter, Write};

use crate::args::GenerateArguments;
use crate::generate_game::{self, TICKS_PER_SECOND};
use millpond_plan::error::Failure;
use millpond_plan::random::SplitMix64;

/// The number of events in one tick, or one millisecond.
const EVENTS_PER_TICK: u64 = 100;

/// The number of classes, or sizes.
const CLASSES: usize = 40;

/// The number of call stacks that request each size.
const STACKS_PER_SIZE: usize = 25;

/// Writes a made-up trace to standard output.
pub(crate) fn run(arguments: &GenerateArguments) -> Result<(), Failure> {
    if arguments.events / EVENTS_PER_TICK > u64::from(u32::MAX) {
        return Err(Failure::Arguments(
            "--events: needs more ticks than a trace can have".to_owned(),
        ));
    }
    let out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let written = if arguments.game {
        let seconds = (arguments.days * 86_400.0) as u64;
        generate_game::write(out, seconds * TICKS_PER_SECOND)
    } else if arguments.heaptrack {
        heaptrack(out, arguments)
    } else {
        lifetimes(out, arguments)
    };
    written.map_err(|e| Failure::from_stdout(&e))
}

fn lifetimes(mut out: impl Write, arguments: &GenerateArguments) -> std::io::Result<()> {
    let mut random = SplitMix64::new(1);
    let mut live: Vec<(u64, usize)> = Vec::new();
    let mut born = 0_u64;
    writeln!(out, "tick,event,id,class")?;
    for event in 0..arguments.events {
        let tick = event / EVENTS_PER_TICK;
        if is_birth(&mut random, live.len(), arguments.live) {
            let class = random.below(CLASSES);
            live.push((born, class));
            writeln!(out, "{tick},alloc,{born},Class{class}")?;
            born += 1;
        } else {
            let (id, class) = live.swap_remove(random.below(live.len()));
            writeln!(out, "{tick},free,{id},Class{class}")?;
        }
    }
    out.flush()
}

fn heaptrack(mut out: impl Write, arguments: &GenerateArguments) -> std::io::Result<()> {
    let mut random = SplitMix64::new(1);
    let mut live: Vec<usize> = Vec::new();
    writeln!(out, "v 10400 3\nX generated\nI 1000 40000\ns 9 generated")?;
    let kinds = CLASSES * STACKS_PER_SIZE;
    for kind in 0..kinds {
        let function = format!("function{kind}()");
        writeln!(out, "s {:x} {function}", function.len())?;
        writeln!(out, "i {:x} 1 {:x} 0 0", 0x1000 + kind, kind + 2)?;
        writeln!(out, "t {:x} 0", kind + 1)?;
        writeln!(out, "a {:x} {:x}", (kind % CLASSES + 1) * 16, kind + 1)?;
    }
    for event in 0..arguments.events {
        if event % EVENTS_PER_TICK == 0 {
            writeln!(out, "c {:x}", event / EVENTS_PER_TICK)?;
        }
        if is_birth(&mut random, live.len(), arguments.live) {
            let kind = random.below(kinds);
            live.push(kind);
            writeln!(out, "+ {kind:x}")?;
        } else {
            let kind = live.swap_remove(random.below(live.len()));
            writeln!(out, "- {kind:x}")?;
        }
    }
    out.flush()
}

/// Births until the wanted number is alive, then as many births as deaths.
fn is_birth(random: &mut SplitMix64, live: usize, wanted: u32) -> bool {
    match live {
        0 => true,
        _ if live < wanted as usize => random.below(4) != 0,
        _ => random.below(2) == 0,
    }
}
