//! The show in pools that are too small for it, one under each overflow policy.

use millpond::overflow::{Overflow, PolicyPool};
use millpond::{Pool, Stats};
use millpond_demos::{
    Chart, FAINT, Failure, INK, Line, Picture, RGBColor, Stage, check, thousands,
};

use crate::night::{HEIGHT, Night, WIDTH};
use crate::show::Show;
use crate::sparks::{Spark, Sparks};

const SHOW_S: f32 = 9.0;
/// When the pictures are taken: at the end of the finale.
const STILL_FRAME: usize = 335;

/// What a pool did with a show.
struct Played {
    name: &'static str,
    color: RGBColor,
    scene: Vec<[u8; 3]>,
    live: Vec<(f64, f64)>,
    stats: Stats,
    captions: [String; 2],
}

/// Plays the show in pools of 3/5 of the slots that it needs.
pub(crate) fn draw(stage: &Stage, sparks_max: usize) -> Result<(), Failure> {
    let capacity = sparks_max * 3 / 5;
    let mut all = Vec::new();
    for &policy in Overflow::ALL {
        let spill = if policy == Overflow::Spill { sparks_max - capacity } else { 0 };
        let mut pool = PolicyPool::new(policy, Pool::new(capacity), Pool::new(spill));
        let mut played = Played::of(&mut pool, policy.name(), sparks_max, |pool| pool.stats());
        let (stats, second) = (played.stats, pool.second().stats());
        let gone = thousands(stats.evicted as usize);
        let most = "at most that many at once";
        (played.color, played.captions) = match policy {
            Overflow::Refuse => {
                let refused = thousands(stats.refused as usize);
                (RGBColor(255, 110, 110), [format!("{refused} sparks were"), "never lit".into()])
            }
            Overflow::EvictLeast => {
                (RGBColor(255, 205, 90), [format!("{gone} sparks went,"), "the dimmest first".into()])
            }
            Overflow::EvictOldest => {
                (RGBColor(190, 140, 255), [format!("{gone} sparks went,"), "the oldest first".into()])
            }
            _ => {
                let spilled = thousands(second.inserted as usize);
                (RGBColor(90, 200, 255), [format!("{spilled} sparks were in"), "the second pool".into()])
            }
        };
        let _ = most;
        all.push(played);
    }
    for played in &all {
        let Stats { inserted, removed, refused, evicted, peak, .. } = played.stats;
        println!("{}: {inserted} lit, {refused} refused, {evicted} evicted", played.name);
        check(inserted == removed, "what is lit goes out")?;
        let is_one_pool = played.name != "spill";
        check(!is_one_pool || peak == capacity, "the pool was full, and not more than that")?;
        let asked = all[0].stats.inserted + all[0].stats.refused;
        check(inserted + refused == asked, "every spark was lit or refused")?;
        let (refuses, evicts) = (played.name == "refuse", played.name.starts_with("evict"));
        check((refused > 0) == refuses, "only who refuses refuses")?;
        check((evicted > 0) == evicts, "only who evicts evicts")?;
    }
    poster(&all, capacity, sparks_max).save(stage, "fireworks-full.png")
}
