//! A fireworks display whose pools are recorded while it runs.
//!
//! ```sh
//! cargo run --release -p millpond --example recorded -- 30 game.trace     # 30 seconds
//! cargo run --release -p millpond-watch -- game.trace            # on another terminal
//! cargo run --release -- plan game.trace                                  # afterwards
//! ```

use std::process::ExitCode;
use std::time::{Duration, Instant};

use millpond::recorder::Recorder;
use millpond::{Pool, StaticPool, Stats, VecPool};

struct Rocket {
    ticks_left: u32,
}

struct Spark {
    ticks_left: u32,
}

struct Smoke {
    ticks_left: u32,
}

const TICK: Duration = Duration::from_micros(16_667);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.first().map_or(Some(10), |text| text.parse::<u32>().ok());
    let (Some(seconds @ 1..=86_400), true) = (seconds, arguments.len() <= 2) else {
        eprintln!("recorded: expected [SECONDS (1 to 86400) [FILE]]");
        return ExitCode::from(2);
    };
    let path = arguments.get(1).map_or("game.trace", String::as_str);
    match run(seconds * 60, path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recorded: {path}: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(ticks: u32, path: &str) -> std::io::Result<()> {
    let recorder = Recorder::create(path)?;
    let mut rockets = StaticPool::<Rocket, 16>::named("rockets");
    let mut sparks = Pool::<Spark>::builder().capacity(2000).name("sparks").build();
    let mut smoke = VecPool::<Smoke>::builder().capacity_max(4096).name("smoke").build();
    rockets.record(&recorder);
    sparks.record(&recorder);
    smoke.record(&recorder);

    let start = Instant::now();
    let mut random = 1_u64;
    let mut below = |limit: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as u32 % limit
    };
    for tick in 1..=ticks {
        // A finale every ten seconds asks for more than there is room for, and is refused.
        let rockets_now = if tick % 600 > 540 { 1 } else { u32::from(below(20) == 0) };
        for _ in 0..rockets_now {
            let _ = rockets.insert(Rocket { ticks_left: 40 + below(20) });
        }
        rockets.retain(|_, rocket| {
            rocket.ticks_left -= 1;
            if rocket.ticks_left == 0 {
                for _ in 0..150 + below(100) {
                    let _ = sparks.insert(Spark { ticks_left: 20 + below(60) });
                }
            }
            rocket.ticks_left > 0
        });
        sparks.retain(|_, spark| {
            spark.ticks_left -= 1;
            if spark.ticks_left == 0 {
                let _ = smoke.insert(Smoke { ticks_left: 10 + below(50) });
            }
            spark.ticks_left > 0
        });
        smoke.retain(|_, smoke| {
            smoke.ticks_left -= 1;
            smoke.ticks_left > 0
        });
        recorder.tick();
        std::thread::sleep((start + TICK * tick).saturating_duration_since(Instant::now()));
    }
    let Stats { peak, refused, .. } = sparks.stats();
    drop((rockets, sparks, smoke));
    let summary = recorder.finish()?;
    println!(
        "{path}: {} events in {ticks} ticks, {} dropped; at most {peak} sparks at once, {refused} refused",
        summary.events, summary.dropped
    );
    Ok(())
}
