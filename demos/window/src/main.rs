//! Fireworks in a window, with their pool beside them: sliders for its capacity, its overflow policy and how
//! much is fired.
//!
//! ```sh
//! cargo run --release --manifest-path demos/window/Cargo.toml
//! ```
//!
//! Without a display it says so and ends. `-- --frames 100` ends after so many frames.

mod world;

use std::process::ExitCode;

use eframe::egui::{
    self, CentralPanel, Color32, ComboBox, Context, Sense, SidePanel, Slider, Vec2, ViewportBuilder,
};
use millpond_egui::Inspector;
use world::{OnFull, World};

/// Ticks per second, however often the window is drawn.
const TICK_SECONDS: f32 = 1.0 / 60.0;

struct Demo {
    world: World,
    inspector: Inspector,
    capacity: usize,
    seconds_left_over: f32,
    frames_left: Option<u64>,
}

impl eframe::App for Demo {
    fn update(&mut self, context: &Context, _: &mut eframe::Frame) {
        let seconds = context.input(|input| input.stable_dt).min(0.1) + self.seconds_left_over;
        let ticks = (seconds / TICK_SECONDS) as u32;
        self.seconds_left_over = seconds - ticks as f32 * TICK_SECONDS;
        (0..ticks).for_each(|_| self.world.tick());

        SidePanel::right("pool").default_width(420.0).show(context, |ui| {
            ui.add(Slider::new(&mut self.world.sparks_per_second, 0..=20_000).text("sparks/s"));
            let capacity = Slider::new(&mut self.capacity, 1..=20_000).logarithmic(true);
            let capacity = ui.add(capacity.text("capacity (a new pool)"));
            if capacity.drag_stopped() || (capacity.changed() && !capacity.dragged()) {
                self.world.resize(self.capacity);
                self.inspector = Inspector::new();
            }
            ComboBox::from_label("when it is full")
                .selected_text(self.world.on_full.words())
                .show_ui(ui, |ui| {
                    for policy in OnFull::ALL {
                        ui.selectable_value(&mut self.world.on_full, policy, policy.words());
                    }
                });
            ui.separator();
            self.inspector.show(ui, self.world.sparks());
        });
        CentralPanel::default().show(context, |ui| draw(ui, &self.world));
        context.request_repaint();
        if let Some(frames) = &mut self.frames_left {
            *frames = frames.saturating_sub(1);
            if *frames == 0 {
                context.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
    }
}

fn draw(ui: &mut egui::Ui, world: &World) {
    let (place, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 0.0, Color32::from_rgb(8, 8, 14));
    let mut mesh = egui::Mesh::default();
    for spark in world.sparks().values() {
        let at = place.min + Vec2::new(spark.position[0], spark.position[1]) * place.size();
        let [r, g, b] = spark.colour.map(|part| (part * spark.brightness() * 255.0) as u8);
        mesh.add_colored_rect(
            egui::Rect::from_center_size(at, Vec2::splat(3.0)),
            Color32::from_rgb(r, g, b),
        );
    }
    painter.add(egui::Shape::mesh(mesh));
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let frames_left = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--frames", count] if count.parse::<u64>().is_ok_and(|count| count > 0) => {
            count.parse().ok()
        }
        _ => {
            eprintln!("millpond-window: expected nothing, or --frames and a number from 1 on");
            return ExitCode::from(2);
        }
    };
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if cfg!(all(unix, not(target_os = "macos"))) && !has_display {
        eprintln!(
            "millpond-window: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); `millpond \
             watch` shows pools in a terminal"
        );
        return ExitCode::from(2);
    }
    let capacity = 4000;
    let demo = Demo {
        world: World::new(capacity),
        inspector: Inspector::new(),
        capacity,
        seconds_left_over: 0.0,
        frames_left,
    };
    let viewport =
        ViewportBuilder::default().with_inner_size([1200.0, 800.0]).with_title("millpond");
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    match eframe::run_native("millpond-window", options, Box::new(|_| Ok(Box::new(demo)))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reason comes last, after places in the code of others.
            let error = error.to_string();
            let reason = error.lines().next().and_then(|line| line.rsplit(": ").next());
            eprintln!("millpond-window: no window could be opened: {}", reason.unwrap_or_default());
            ExitCode::from(2)
        }
    }
}
