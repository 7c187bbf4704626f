//! Fireworks over a millpond, and beside them the pool of their sparks: with sliders for its capacity, its
//! overflow policy and how much is fired.

mod picture;
mod reuse;
mod sky;
mod world;

use eframe::egui::{CentralPanel, Frame, Panel, RichText, ScrollArea, Slider, Ui};
use millpond::Stats;
use millpond_egui::Inspector;
use millpond_overflow::Overflow;

pub use picture::{SIZE, picture, reuse_picture};
pub use world::Settings;
use world::World;

/// Ticks per second, however often the window is drawn.
const TICK_SECONDS: f32 = 1.0 / 60.0;

/// The show, its controls and the inspector.
pub struct Demo {
    world: World,
    inspector: Inspector,
    /// As the controls say; the world has them once a slider is let go.
    settings: Settings,
    seconds_left_over: f32,
}

impl Default for Demo {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Demo {
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let world = World::new(settings);
        Self { world, inspector: Inspector::new(), settings, seconds_left_over: 0.0 }
    }

    /// How the pool of the sparks stands.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.world.sparks().stats()
    }

    /// Plays as much of the show as time has passed, and draws all.
    pub fn ui(&mut self, ui: &mut Ui) {
        let seconds = ui.input(|input| input.stable_dt).min(0.1) + self.seconds_left_over;
        let ticks = (seconds / TICK_SECONDS) as u32;
        self.seconds_left_over = seconds - ticks as f32 * TICK_SECONDS;
        (0..ticks).for_each(|_| self.world.tick());

        let frame = Frame::side_top_panel(ui.style()).inner_margin(12.0);
        Panel::right("pool").default_size(440.0).frame(frame).show(ui, |ui| {
            ScrollArea::vertical().show(ui, |ui| {
                self.controls(ui);
                ui.add_space(4.0);
                ui.separator();
                ui.add_space(4.0);
                self.inspector.show(ui, self.world.sparks());
            });
        });
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| sky::draw(ui, &mut self.world));
    }

    fn controls(&mut self, ui: &mut Ui) {
        ui.spacing_mut().slider_width = 150.0;
        let settings = &mut self.settings;
        let spawn = Slider::new(&mut settings.sparks_per_second, 0..=20_000).logarithmic(true);
        ui.add(spawn.text("sparks a second"));
        let mut is_new = slots(ui, &mut settings.capacity, "capacity");
        ui.horizontal_wrapped(|ui| {
            ui.label("full:");
            for &policy in Overflow::ALL {
                is_new |=
                    ui.selectable_value(&mut settings.policy, policy, policy.name()).changed();
            }
        });
        is_new |= match settings.policy {
            Overflow::Spill => slots(ui, &mut settings.more, "slots of the second pool"),
            Overflow::Grow => slots(ui, &mut settings.more, "slots more at most"),
            _ => false,
        };
        ui.label(RichText::new(meaning(settings.policy)).size(11.0));
        self.world.set_sparks_per_second(settings.sparks_per_second);
        if is_new {
            self.world.take_new_pool(*settings);
            self.inspector.forget();
        }
    }
}

/// A slider for a number of slots. Says whether there has to be a new pool: when it is let go, not for
/// each step on the way.
fn slots(ui: &mut Ui, slots: &mut usize, words: &str) -> bool {
    let slider = ui.add(Slider::new(slots, 1..=20_000).logarithmic(true).text(words));
    slider.drag_stopped() || (slider.changed() && !slider.dragged())
}

/// What a policy means for a spark that finds the pool full.
fn meaning(policy: Overflow) -> &'static str {
    match policy {
        Overflow::EvictLeast => "The darkest spark goes out for a new one.",
        Overflow::EvictOldest => "The oldest spark goes out for a new one.",
        Overflow::Spill => {
            "A second pool, taken at the start, has room for more: its slots come last."
        }
        Overflow::Grow => "The pool takes memory for more slots, block by block.",
        _ => "The new spark is not lit.",
    }
}
