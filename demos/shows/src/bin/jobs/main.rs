//! The same world on one core and on two: comets and their dust, born and gone on both cores, with the same handles and the
//! same checksum in every frame. Tasks are taken by threads of the program's own, without a library for jobs.
//!
//! Run it: `cargo run --release -p millpond-demos --bin jobs`
//!
//! It writes `jobs.png`: the world, and the time of each frame on one core and on two. What the times are is up to the
//! machine, and to what else it does meanwhile.

mod world;

use std::process::ExitCode;
use std::time::Instant;

use millpond_demos::{
    Chart, Color, FAINT, Failure, INK, Line, Picture, RGBColor, Stage, check, play, thousands,
};
use world::{SIDE, World};

const WIDTH: usize = 1000;
const HEIGHT: usize = 496;
/// Where the world is in the picture, which has as many pixels for it as the world has units.
const WORLD_AT: [f32; 2] = [10.0, 36.0];
/// A point of the chart is the median of so many frames.
const FRAMES_POINT: usize = 15;

const COMET: RGBColor = RGBColor(255, 240, 200);
const DUST: RGBColor = RGBColor(120, 170, 255);
const WELL: RGBColor = RGBColor(255, 120, 90);
const ON_ONE: RGBColor = RGBColor(255, 160, 90);
const ON_TWO: RGBColor = RGBColor(84, 214, 196);

fn main() -> ExitCode {
    play("jobs", demo)
}

fn demo(stage: &Stage) -> Result<(), Failure> {
    let frames = if stage.is_short { 150 } else { 900 };
    let mut worlds = [World::new(), World::new()];
    let mut took = [const { Vec::new() }; 2];
    let mut still = None;
    for frame in 0..frames {
        // In turn, and each time the other one first: what else the machine does meanwhile hits both.
        for turn in 0..2 {
            let which = (frame + turn) % 2;
            let begin = Instant::now();
            worlds[which].step(which + 1);
            took[which].push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let [one, two] = worlds.each_ref().map(|world| world.bodies.checksum());
        check(one == two, format!("one core and two have the same world in frame {frame}"))?;
        if frame == frames * 3 / 4 {
            still = Some(draw_world(&worlds[0]));
        }
    }
    let stats = worlds[0].bodies.stats();
    millpond_demos::say!(
        "{frames} frames: {} bodies born, {} at once at most; every checksum equal",
        stats.inserted,
        stats.peak
    );
    check(stats.inserted > 10_000 && stats.removed > 1000, "bodies are born and die")?;
    let medians = took.each_ref().map(|took| median(took));
    millpond_demos::say!(
        "median of a frame: {:.2} ms on one core, {:.2} ms on two: × {:.2}",
        medians[0],
        medians[1],
        medians[1] / medians[0]
    );
    let Some(mut picture) = still else { return Ok(()) };
    draw_times(&mut picture, &took, medians);
    picture.save(stage, "jobs.png")
}

fn median(took: &[f64]) -> f64 {
    let mut took = took.to_vec();
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}

fn draw_world(world: &World) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT);
    picture.rectangle(WORLD_AT, [SIDE, SIDE], RGBColor(17, 23, 41));
    let place = |at: [f32; 2]| [WORLD_AT[0] + at[0], WORLD_AT[1] + at[1]];
    for body in world.bodies.values() {
        match body.is_comet {
            true => picture.disc(place(body.at), 1.4, COMET.mix(0.9)),
            false => picture.disc(place(body.at), 1.0, DUST.mix(0.45)),
        }
    }
    for well in &world.wells {
        picture.disc(place(well.at), 3.0 + well.mass, WELL.mix(0.18));
        picture.disc(place(well.at), 3.0, WELL);
    }
    let live = thousands(world.bodies.len());
    picture.text([10.0, 26.0], 18.0, INK, &format!("{live} bodies in one pool, updated in lots"));
    legend(&mut picture, 452.0);
    picture.text(
        [10.0, 484.0],
        15.0,
        FAINT,
        "the same handles and checksums on one core and on two",
    );
    picture
}

/// What the discs in the world are, in a line of the picture.
fn legend(picture: &mut Picture, y: f32) {
    let mut x = 16.0;
    for (radius, color, what) in [
        (1.4, COMET.mix(0.9), "comet"),
        (1.0, DUST.mix(0.45), "its dust"),
        (3.0, WELL.mix(1.0), "well, which attracts both"),
    ] {
        picture.disc([x, y], radius, color);
        picture.text([x + 10.0, y + 5.0], 14.0, INK, what);
        x += 38.0 + 7.0 * what.len() as f32;
    }
}

fn draw_times(picture: &mut Picture, took: &[Vec<f64>; 2], medians: [f64; 2]) {
    let points = took.each_ref().map(|took| -> Vec<(f64, f64)> {
        let pieces = took.chunks(FRAMES_POINT).enumerate();
        pieces.map(|(at, piece)| ((at * FRAMES_POINT) as f64, median(piece))).collect()
    });
    let highest = points.iter().flatten().map(|point| point.1).fold(0.0, f64::max);
    let [one, two] = points;
    let names = ["one core", "two cores"];
    let names = [0, 1].map(|at| format!("{}: median {:.2} ms", names[at], medians[at]));
    let chart = Chart {
        title: "Time of a frame",
        x_label: "frame",
        x: 0.0..took[0].len() as f64,
        y_label: "milliseconds",
        y: 0.0..highest * 1.25,
        lines: vec![
            Line { name: &names[0], color: ON_ONE, points: one },
            Line { name: &names[1], color: ON_TWO, points: two },
        ],
    };
    picture.chart([430, 8], [560, 478], &chart);
}
