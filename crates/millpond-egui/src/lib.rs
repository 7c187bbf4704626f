//! A panel for a game's own [egui] overlay that shows how its [millpond] pools stand: a map of the slots
//! coloured by age, how full the pool is and was, what it refused and evicted, and its generations.
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
//! # let _ = context.run(egui::RawInput::default(), |context| {
//! egui::Window::new("pools").show(context, |ui| {
//!     inspector.show(ui, &sparks); // in each frame
//! });
//! # });
//! # sparks.insert([0.0; 4]).unwrap();
//! ```
//!
//! It needs egui and nothing else: no window, no renderer. While it is shown it looks at every slot once
//! per frame, O(capacity), and keeps 16 bytes for each; while it is not, it costs nothing. Ages are counted
//! from the first look that saw the object.

mod ages;
mod history;
mod inspect;
mod map;

pub use inspect::Inspect;

/// The code of the crate's front page, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;

use egui::{Color32, Grid, ProgressBar, RichText, Ui};
use millpond::Stats;

use ages::Ages;
use history::History;

const WARNING: Color32 = Color32::from_rgb(230, 90, 70);

/// From this share on a pool is nearly full.
const NEARLY_FULL: f32 = 0.9;

/// Shows one pool, and remembers what it has seen of it. Have one for each pool.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    ages: Ages,
    history: History,
}

impl Inspector {
    /// An inspector that has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the pool and draws what there is to see.
    pub fn show(&mut self, ui: &mut Ui, pool: &dyn Inspect) {
        let now = ui.input(|input| input.time) as f32;
        let stats = pool.stats();
        self.ages.look(pool, stats.capacity, now);
        self.history.look(&stats, now);

        let name = pool.name().unwrap_or("pool without a name");
        ui.label(RichText::new(name).strong());
        let share = stats.live as f32 / stats.capacity.max(1) as f32;
        let mut bar = ProgressBar::new(share)
            .text(format!("{} of {} slots live", stats.live, stats.capacity));
        if share >= NEARLY_FULL {
            bar = bar.fill(WARNING);
        }
        ui.add(bar);
        self.history.plot(ui, &stats);
        self.figures(ui, name, &stats);
        map::map(ui, &self.ages, now);
    }

    fn figures(&self, ui: &mut Ui, name: &str, stats: &Stats) {
        let (born, died) = self.history.rates().unwrap_or_default();
        let warn = |number: String, is_bad: bool| {
            let text = RichText::new(number).monospace();
            if is_bad { text.color(WARNING) } else { text }
        };
        let plain = |number: String| warn(number, false);
        Grid::new(("millpond", name)).num_columns(4).spacing([12.0, 2.0]).show(ui, |ui| {
            ui.label("peak");
            ui.label(plain(stats.peak.to_string()));
            ui.label("retired");
            ui.label(warn(stats.retired.to_string(), stats.retired > 0));
            ui.end_row();
            ui.label("refused");
            ui.label(warn(stats.refused.to_string(), stats.refused > 0));
            ui.label("evicted");
            ui.label(plain(stats.evicted.to_string()));
            ui.end_row();
            ui.label("born");
            ui.label(plain(format!("{} ({born:.0}/s)", stats.inserted)));
            ui.label("died");
            ui.label(plain(format!("{} ({died:.0}/s)", stats.removed)));
            ui.end_row();
            if let Some((slot, lifetimes)) = self.ages.busiest() {
                ui.label("busiest");
                ui.label(plain(format!("slot {slot}")));
                ui.label("lifetimes");
                ui.label(plain(format!("{lifetimes} seen")));
                ui.end_row();
            }
        });
    }
}
