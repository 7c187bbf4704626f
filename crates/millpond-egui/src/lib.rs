//! A panel for a game's own [egui] overlay that shows the state of its [millpond] pools: how full a
//! pool is and was, its peak, refusals and evictions, how many of its generations are used up, and
//! a map of its slots, coloured by age or by generation.
//!
//! Two lines:
//!
//! ```
//! use millpond::Pool;
//! use millpond_egui::Inspector;
//!
//! let mut sparks = Pool::<[f32; 4]>::builder().capacity(500).name("sparks").build();
//! let mut inspector = Inspector::new(); // once, kept beside the pool
//!
//! # let context = egui::Context::default();
//! # let output = context.run_ui(egui::RawInput::default(), |ui| {
//! inspector.show(ui, &sparks); // in each frame, in whatever part of the overlay
//! # });
//! # output.drop_without_applying_deltas();
//! # sparks.insert([0.0; 4]).unwrap();
//! ```
//!
//! It needs only egui: no window, no renderer. While shown, it inspects every slot once per frame,
//! O(capacity), and stores 16 bytes per slot; while hidden, it costs nothing. Ages count from the
//! first frame in which the object was seen.

mod ages;
mod colours;
mod history;
mod inspect;
mod lifetimes;
mod map;
mod words;

pub use inspect::Inspect;

/// The code of the crate's front page, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;

use egui::{Color32, Grid, ProgressBar, RichText, Ui};
use millpond::Stats;

use ages::Ages;
use colours::{BAR, WARNING, WARNING_BAR};
use history::History;
use lifetimes::Lifetimes;
use map::{ColouredBy, Map};
use words::grouped;

/// From this share on, a pool is nearly full, and a slot's generations are nearly used up.
const NEARLY: f32 = 0.9;

/// In a panel narrower than this, the plots are below each other.
const WIDE: f32 = 320.0;

/// Shows one pool, and stores what it has seen of it. Use one per pool.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    ages: Ages,
    history: History,
    coloured_by: ColouredBy,
}

impl Inspector {
    /// Creates an inspector that has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Colours the map by generation until the user changes it: for an overlay without clicks, and
    /// for screenshots.
    #[must_use]
    pub fn by_generation(mut self) -> Self {
        self.coloured_by = ColouredBy::Generation;
        self
    }

    /// Forgets what it has seen, for example to show another pool. The colouring of the map stays.
    pub fn forget(&mut self) {
        *self = Self { coloured_by: self.coloured_by, ..Self::default() };
    }

    /// Inspects `pool` and draws the panel.
    pub fn show(&mut self, ui: &mut Ui, pool: &dyn Inspect) {
        let now = ui.input(|input| input.time) as f32;
        let stats = pool.stats();
        self.ages.look(pool, now);
        self.history.look(&stats, now);
        let lifetimes = Lifetimes::of(self.ages.slots(), pool);

        let name = pool.name().unwrap_or("pool without a name");
        ui.push_id(("millpond", name), |ui| {
            ui.label(RichText::new(name).strong().size(15.0));
            occupancy(ui, &stats);
            if ui.available_width() >= WIDE {
                ui.columns_const(|[left, right]| {
                    self.history.plot(left, &stats);
                    lifetimes.plot(right);
                });
            } else {
                self.history.plot(ui, &stats);
                lifetimes.plot(ui);
            }
            ui.add_space(2.0);
            self.figures(ui, &stats);
            generations(ui, &lifetimes, pool.lifetimes_max());
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                ui.label("slots");
                ui.selectable_value(&mut self.coloured_by, ColouredBy::Age, "by age");
                let by_generation = ColouredBy::Generation;
                ui.selectable_value(&mut self.coloured_by, by_generation, "by generation");
            });
            let map = Map {
                slots: self.ages.slots(),
                coloured_by: self.coloured_by,
                now,
                oldest: self.ages.oldest(now),
                lifetime: &|generation| pool.lifetime(generation),
                most: lifetimes.most(),
            };
            map.show(ui);
            map.legend(ui);
        });
    }

    fn figures(&self, ui: &mut Ui, stats: &Stats) {
        let (born, died) = self.history.rates().unwrap_or_default();
        let rate = |count, per_second: f32| {
            format!("{}  ({}/s)", grouped(count), grouped(per_second.round() as u64))
        };
        Grid::new("figures").num_columns(4).spacing([14.0, 3.0]).show(ui, |ui| {
            figure(ui, "peak", grouped(stats.peak as u64), false);
            figure(ui, "retired", grouped(stats.retired as u64), stats.retired > 0);
            ui.end_row();
            figure(ui, "refused", grouped(stats.refused), stats.refused > 0);
            figure(ui, "evicted", grouped(stats.evicted), false);
            ui.end_row();
            figure(ui, "born", rate(stats.inserted, born), false);
            figure(ui, "died", rate(stats.removed, died), false);
            ui.end_row();
        });
    }
}

/// Draws how full the pool is.
fn occupancy(ui: &mut Ui, stats: &Stats) {
    let share = stats.live as f32 / stats.capacity.max(1) as f32;
    let (live, capacity) = (grouped(stats.live as u64), grouped(stats.capacity as u64));
    let colour = if share >= NEARLY { WARNING_BAR } else { BAR };
    let words = RichText::new(format!("{live} of {capacity} slots live")).color(Color32::WHITE);
    ui.add(ProgressBar::new(share).corner_radius(3.0).fill(colour).text(words));
}

/// Draws how many of the busiest slot's generations are used up.
fn generations(ui: &mut Ui, lifetimes: &Lifetimes, lifetimes_max: Option<u32>) {
    let Some((slot, most)) = lifetimes.busiest else {
        return;
    };
    let busiest = format!("slot {}: lifetime {}", grouped(slot as u64), grouped(most.into()));
    let (words, is_nearly_used_up) = match lifetimes_max {
        Some(max) => {
            (format!("{busiest} of {}", grouped(max.into())), most as f32 >= max as f32 * NEARLY)
        }
        None => (busiest, false),
    };
    ui.horizontal(|ui| figure(ui, "busiest", words, is_nearly_used_up));
}

fn figure(ui: &mut Ui, name: &str, words: String, is_warning: bool) {
    ui.label(name);
    let words = RichText::new(words).strong();
    ui.label(if is_warning { words.color(WARNING) } else { words });
}
