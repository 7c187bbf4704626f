//! Fireworks over a pond: up to 100,000 sparks at once, in a pool and in a `Box` each, and what happens
//! when a pool is too small for the show.
//!
//! Run it: `cargo run --release -p millpond-demos --bin fireworks`
//!
//! It writes `fireworks.png` (a frame, the pool's slots, and how long frames took), `fireworks-animated.png`
//! (both side by side; open it in a browser) and `fireworks-full.png` (every overflow policy).

mod full;
mod night;
mod show;
mod sparks;

use std::process::ExitCode;
use std::time::Instant;

use millpond::Pool;
use millpond_demos::{
    Animation, Chart, Counting, FAINT, Failure, INK, Line, Picture, RGBColor, Stage, allocations,
    check, play, thousands,
};
use night::{HEIGHT, Night, WIDTH};
use show::Show;
use sparks::{Spark, Sparks};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const POOL: RGBColor = RGBColor(84, 214, 196);
const BOX: RGBColor = RGBColor(255, 141, 92);

/// What is timed in each frame.
const TIMED: &str = "time to move all sparks, drop the burnt and light the new";
/// When the picture that does not move is taken, in seconds; of a short show, in the middle.
const STILL_S: f32 = 8.45;
/// The show is played so often in the same program, and each frame counts as it was in the middle one of
/// them. In the first, the boxes come from a heap that nobody has used yet, one beside the other.
const RUNS: usize = 5;

fn main() -> ExitCode {
    play("fireworks", |stage| {
        let (sparks_max, show_s) = if stage.is_short { (5_000, 5.0) } else { (100_000, 12.0) };
        let times = measure(stage, sparks_max, show_s)?;
        draw(stage, sparks_max, show_s, &times)?;
        full::draw(stage, if stage.is_short { 500 } else { 20_000 })
    })
}

/// How long each frame took to move all sparks, in milliseconds: in a pool, and in boxes.
type Times = [Vec<(f64, f64)>; 2];

fn measure(stage: &Stage, sparks_max: usize, show_s: f32) -> Result<Times, Failure> {
    let mut runs = [Vec::new(), Vec::new()];
    for run in 0..if stage.is_short { 1 } else { RUNS } {
        let mut show = Show::new(sparks_max, show_s);
        let mut pool = Pool::new(sparks_max);
        let mut boxes = Vec::<Box<Spark>>::with_capacity(sparks_max);
        let mut taken = [0, 0];
        runs.iter_mut().for_each(|runs| runs.push(Vec::new()));
        while let Some(births) = show.next_frame() {
            runs[0][run].push(time(&mut pool, births, &mut taken[0]));
            runs[1][run].push(time(&mut boxes, births, &mut taken[1]));
            check(!pool.is_full(), "the pool is large enough for the show")?;
            if run == 0 {
                check(pool.fingerprint() == boxes.fingerprint(), "both hold the same sparks")?;
            }
        }
        let stats = pool.stats();
        check(taken[0] == 0, "the pool takes no memory while the show runs")?;
        check(taken[1] == stats.inserted, "a Box for each spark is an allocation for each")?;
        let full_sky = if stage.is_short { sparks_max / 4 } else { sparks_max * 4 / 5 };
        check(stats.peak > full_sky, format!("a full sky, not {} sparks", stats.peak))?;
        if run == 0 {
            let (pool, boxes) = (taken[0], taken[1]);
            millpond_demos::say!("{} sparks, {} at once at most", stats.inserted, stats.peak);
            millpond_demos::say!("allocations: pool {pool}, boxes {boxes}");
        }
    }
    let times = runs.map(|runs| {
        let frames = 0..runs[0].len();
        let median = |frame: usize| {
            let mut times: Vec<f64> = runs.iter().map(|run: &Vec<f64>| run[frame]).collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        frames.map(|frame| (frame as f64 / 60.0, median(frame))).collect::<Vec<_>>()
    });
    for (name, times) in ["pool", "boxes"].iter().zip(&times) {
        let all: f64 = times.iter().map(|(_, time)| time).sum();
        let longest = times.iter().map(|(_, time)| *time).fold(0.0, f64::max);
        millpond_demos::say!(
            "{name}: {all:.1} ms for the show, {longest:.2} ms for the longest frame"
        );
    }
    Ok(times)
}

/// Milliseconds of one frame; what memory it takes is added to the count.
fn time(sparks: &mut impl Sparks, births: &[Spark], taken: &mut u64) -> f64 {
    let before = allocations();
    let start = Instant::now();
    sparks.step();
    births.iter().for_each(|spark| sparks.light(*spark));
    let elapsed = start.elapsed();
    *taken += allocations() - before;
    elapsed.as_secs_f64() * 1000.0
}

/// Plays the show once more, for the pictures.
fn draw(stage: &Stage, sparks_max: usize, show_s: f32, times: &Times) -> Result<(), Failure> {
    let mut show = Show::new(sparks_max, show_s);
    let mut pool = Pool::new(sparks_max);
    let mut boxes = Vec::<Box<Spark>>::with_capacity(sparks_max);
    let mut animation = Animation::new((2 * WIDTH + 30, HEIGHT + 220), 12);
    let [mut night, mut other_night] = [Night::new(), Night::new()];
    let still_frame = (if stage.is_short { show_s / 2.0 } else { STILL_S } * 60.0) as usize;
    for frame in 1.. {
        let Some(births) = show.next_frame() else { break };
        pool.step();
        boxes.step();
        births.iter().for_each(|spark| pool.light(*spark));
        births.iter().for_each(|spark| boxes.light(*spark));
        if frame == still_frame {
            still(night.expose(&pool), &pool, times).save(stage, "fireworks.png")?;
        }
        if frame % if stage.is_short { 45 } else { 8 } == 0 {
            let scenes = [night.expose(&pool), other_night.expose(&boxes)];
            check(scenes[0] == scenes[1], "pool and boxes look the same")?;
            animation.push(&side_by_side(scenes, pool.len(), times, frame));
        }
    }
    check(pool.is_empty() && boxes.is_empty(), "every spark burns out")?;
    animation.save(stage, "fireworks-animated.png")
}

/// The scene, the slots of its pool, and how long frames took.
fn still(scene: &[[u8; 3]], pool: &Pool<Spark>, times: &Times) -> Picture {
    let mut picture = Picture::new(2 * WIDTH + 30, HEIGHT + 250);
    picture.text(
        [10.0, 26.0],
        17.0,
        INK,
        &format!("{} sparks over a millpond", thousands(pool.len())),
    );
    picture.pixels([10, 36], WIDTH, scene);
    let slots = format!(
        "and the pool that they live in: a pixel for each of its {} slots",
        thousands(pool.capacity())
    );
    picture.text([WIDTH as f32 + 20.0, 26.0], 17.0, INK, &slots);
    picture.pixels([WIDTH + 20, 36], WIDTH, &slot_map(pool));
    legend(&mut picture, (36 + pool.capacity().div_ceil(WIDTH)) as f32);
    let stats = pool.stats();
    let counts = [
        ("sparks lit so far", stats.inserted),
        ("burnt out", stats.removed),
        ("refused because the pool was full", stats.refused),
        ("times memory was taken since the show began", 0),
    ];
    for (line, (what, count)) in counts.into_iter().enumerate() {
        let y = (HEIGHT + 36 - 5 - 17 * (counts.len() - 1 - line)) as f32;
        let x = WIDTH as f32 + 84.0;
        picture.text_right([x, y], 15.0, POOL, &thousands(count as usize));
        picture.text([x + 10.0, y], 15.0, INK, what);
    }
    let y = HEIGHT + 46;
    // In a sky with few sparks the boxes win: the picture says so, and how often.
    let wins = times[0].iter().zip(&times[1]).filter(|(pool, boxes)| pool.1 < boxes.1).count();
    let title = format!("{TIMED}: Pool is faster in {wins} of {} frames", times[0].len());
    picture.chart([0, y], [2 * WIDTH + 30, 200], &chart(times, times[0].len(), &title));
    picture
}

fn side_by_side(scenes: [&[[u8; 3]]; 2], live: usize, times: &Times, frame: usize) -> Picture {
    let mut picture = Picture::new(2 * WIDTH + 30, HEIGHT + 220);
    for (number, (name, color)) in
        [("Pool<Spark>", POOL), ("Vec<Box<Spark>>", BOX)].into_iter().enumerate()
    {
        let x = 10 + number * (WIDTH + 10);
        let milliseconds =
            times[number][..frame].iter().rev().take(8).map(|(_, time)| *time).fold(0.0, f64::max);
        picture.text([x as f32, 24.0], 17.0, color, name);
        let text = format!("{} sparks, {milliseconds:.2} ms a frame", thousands(live));
        picture.text_right([(x + WIDTH) as f32, 24.0], 15.0, FAINT, &text);
        picture.pixels([x, 32], WIDTH, scenes[number]);
    }
    picture.chart([0, HEIGHT + 38], [2 * WIDTH + 30, 180], &chart(times, frame, TIMED));
    picture
}

fn chart<'a>(times: &Times, frames: usize, title: &'a str) -> Chart<'a> {
    let highest = times[1].iter().map(|(_, time)| *time).fold(0.0, f64::max);
    let lines = [("a Box for each", BOX, 1), ("Pool", POOL, 0)];
    Chart {
        title,
        x_label: "seconds of the show",
        x: 0.0..times[0].len() as f64 / 60.0,
        y_label: "ms a frame",
        y: 0.0..highest * 1.05,
        lines: lines
            .map(|(name, color, which)| Line {
                name,
                color,
                points: times[which][..frames].to_vec(),
            })
            .to_vec(),
    }
}

/// What is drawn for a slot that is free.
const FREE: [u8; 3] = [20, 26, 44];

/// A pixel for each slot, in the colour of its spark.
fn slot_map(pool: &Pool<Spark>) -> Vec<[u8; 3]> {
    let color = |spark: &Spark| spark.color().map(|light| 50 + (light.min(1.0) * 205.0) as u8);
    (0..pool.capacity()).map(|index| pool.get_at(index).map_or(FREE, color)).collect()
}

/// What the pixels of the slots mean, in a line below them.
fn legend(picture: &mut Picture, y: f32) {
    let mut x = WIDTH as f32 + 20.0;
    let spark = [RGBColor(255, 176, 70), RGBColor(120, 255, 130), RGBColor(90, 150, 255)];
    let free = [RGBColor(FREE[0], FREE[1], FREE[2])];
    for (colors, what) in [(&spark[..], "live, in the colour of its spark"), (&free, "free")] {
        for color in colors {
            picture.rectangle([x, y + 7.0], [9.0, 9.0], *color);
            x += 9.0;
        }
        if colors.len() == 1 {
            picture.frame([x - 9.0, y + 7.0], [9.0, 9.0], 0.5, FAINT);
        }
        picture.text([x + 7.0, y + 17.0], 13.0, FAINT, what);
        x += 40.0 + 6.2 * what.len() as f32;
    }
}
