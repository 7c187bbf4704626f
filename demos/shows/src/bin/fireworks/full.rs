//! The show in pools that are too small for it, one under each overflow policy.

use millpond::{Pool, Stats};
use millpond_demos::{
    Chart, FAINT, Failure, INK, Line, Picture, RGBColor, Stage, check, thousands,
};
use millpond_overflow::{Overflow, PolicyPool};

use crate::night::{HEIGHT, Night, WIDTH};
use crate::show::Show;
use crate::sparks::Sparks;

const SHOW_S: f32 = 9.0;
/// When the pictures are taken: in the finale.
const STILL_FRAME: usize = 330;

/// What became of the show in one of the pools.
struct Played {
    name: &'static str,
    color: RGBColor,
    scene: Vec<[u8; 3]>,
    live: Vec<(f64, f64)>,
    stats: Stats,
    captions: [String; 2],
}

/// Plays a show of so many sparks at once in pools that have slots for half of them.
pub(crate) fn draw(stage: &Stage, sparks_max: usize) -> Result<(), Failure> {
    let capacity = sparks_max / 2;
    let all: Vec<Played> =
        Overflow::ALL.iter().map(|&policy| with_policy(policy, capacity, sparks_max)).collect();
    let asked = all[0].stats.inserted + all[0].stats.refused;
    for Played { name, stats, .. } in &all {
        millpond_demos::say!(
            "{name}: {} lit, {} refused, {} evicted",
            stats.inserted,
            stats.refused,
            stats.evicted
        );
        check(stats.inserted + stats.refused == asked, "every spark was lit or refused")?;
        check(stats.inserted == stats.removed, "what is lit goes out")?;
        check((stats.refused > 0) == (*name == "refuse"), "only who refuses refuses")?;
        check((stats.evicted > 0) == name.starts_with("evict"), "only who evicts evicts")?;
        let is_larger = matches!(*name, "spill" | "grow");
        check((stats.peak > capacity) == is_larger, "the others never had more than their slots")?;
    }
    let [.., spill, grow] = &all[..] else { unreachable!("there are five policies") };
    check(spill.live == grow.live, "a second pool and growth lose nothing, so they burn alike")?;
    poster(&all, capacity, sparks_max).save(stage, "fireworks-full.png")
}

fn with_policy(policy: Overflow, capacity: usize, sparks_max: usize) -> Played {
    let more = match policy {
        Overflow::Spill | Overflow::Grow => sparks_max - capacity,
        _ => 0,
    };
    let mut pool = PolicyPool::new(policy, Pool::builder().capacity(capacity), more);
    let slots = pool.capacity();
    let (scene, live) = play(&mut pool, sparks_max);
    let stats = pool.stats();
    let [refused, evicted] = [stats.refused, stats.evicted].map(|count| thousands(count as usize));
    let spilled = thousands(pool.second().stats().inserted as usize);
    let (color, captions) = match policy {
        Overflow::EvictLeast => {
            (RGBColor(255, 205, 90), [format!("{evicted} had to go,"), "the dimmest first".into()])
        }
        Overflow::EvictOldest => {
            (RGBColor(190, 140, 255), [format!("{evicted} had to go,"), "the oldest first".into()])
        }
        Overflow::Spill => {
            (RGBColor(90, 180, 255), [format!("{spilled} found room"), "in the second pool".into()])
        }
        Overflow::Grow => {
            let taken = thousands(pool.capacity() - slots);
            (RGBColor(110, 230, 140), [format!("{taken} slots more"), "were taken".into()])
        }
        _ => (RGBColor(255, 110, 110), [format!("{refused} sparks"), "were never lit".into()]),
    };
    Played { name: policy.name(), color, scene, live, stats, captions }
}

/// A picture of the finale, and how many sparks burnt when.
fn play(sparks: &mut impl Sparks, sparks_max: usize) -> (Vec<[u8; 3]>, Vec<(f64, f64)>) {
    let mut show = Show::new(sparks_max, SHOW_S);
    let (mut scene, mut live) = (Vec::new(), Vec::new());
    while let Some(births) = show.next_frame() {
        sparks.step();
        births.iter().for_each(|spark| sparks.light(*spark));
        if live.len() == STILL_FRAME {
            scene = Night::new().expose(sparks).to_vec();
        }
        live.push((live.len() as f64 / 60.0, sparks.count() as f64));
    }
    (scene, live)
}

fn poster(all: &[Played], capacity: usize, sparks_max: usize) -> Picture {
    const GAP: usize = 10;
    let size = [WIDTH / 2, HEIGHT];
    let width = GAP + all.len() * (size[0] + GAP);
    let mut picture = Picture::new(width, HEIGHT + 340);
    let title = format!(
        "The same show, of up to {} sparks, in pools with {} slots, when they are full",
        thousands(sparks_max),
        thousands(capacity),
    );
    picture.text([GAP as f32, 28.0], 19.0, INK, &title);
    for (number, played) in all.iter().enumerate() {
        let x = GAP + number * (size[0] + GAP);
        picture.text([x as f32, 58.0], 18.0, played.color, played.name);
        let middle = played.scene.chunks_exact(WIDTH).flat_map(|row| &row[WIDTH / 4..][..size[0]]);
        picture.pixels([x, 66], size[0], &middle.copied().collect::<Vec<_>>());
        for (line, caption) in played.captions.iter().enumerate() {
            let y = (66 + HEIGHT + 20 + 18 * line) as f32;
            picture.text([x as f32, y], 15.0, if line == 0 { INK } else { FAINT }, caption);
        }
    }
    let chart = Chart {
        title: "sparks that burn",
        x_label: "seconds of the show",
        x: 0.0..f64::from(SHOW_S),
        y_label: "sparks",
        y: 0.0..sparks_max as f64 * 1.05,
        // Growth has the same line as the second pool.
        lines: all[..all.len() - 1]
            .iter()
            .rev()
            .map(|played| Line {
                name: if played.name == "spill" { "spill, and grow" } else { played.name },
                color: played.color,
                points: played.live.clone(),
            })
            .collect(),
    };
    picture.chart([0, HEIGHT + 118], [width, 214], &chart);
    picture
}
