//! The window as a picture, drawn without a screen, and a picture of two pools.

use eframe::egui::{CentralPanel, Context, Frame, Pos2, RawInput, Rect, Ui, Vec2};
use millpond_egui::Inspector;
use millpond_pixels::{Picture, Renderer};

use crate::Demo;
use crate::reuse::Twins;

/// How large the window is at first, in points.
pub const SIZE: [usize; 2] = [1080, 700];

/// What the window shows after some seconds. The same on every machine.
#[must_use]
pub fn picture(mut demo: Demo, seconds: u32) -> Picture {
    play(SIZE, seconds * 60, |ui| demo.ui(ui))
}

/// Two pools with the same load, coloured by generation: in one the slot freed last comes next, in the other
/// the slot freed first.
#[must_use]
pub fn reuse_picture() -> Picture {
    let mut twins = Twins::new();
    let mut inspectors = [(); 2].map(|()| Inspector::new().by_generation());
    play([900, 500], 30 * 60, |ui| {
        twins.tick();
        let frame = Frame::central_panel(ui.style()).inner_margin(12.0);
        CentralPanel::default().frame(frame).show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 24.0;
            ui.columns_const(|[left, right]| {
                let [lifo, fifo] = &mut inspectors;
                for ui in [&mut *left, &mut *right] {
                    ui.spacing_mut().item_spacing.x = 8.0;
                }
                lifo.show(left, &twins.lifo);
                fifo.show(right, &twins.fifo);
            });
        });
    })
}

/// Shows so many frames, a sixtieth of a second apart, and the one after them as a picture.
fn play(size: [usize; 2], frames: u32, mut show: impl FnMut(&mut Ui)) -> Picture {
    let context = Context::default();
    let mut renderer = Renderer::default();
    let mut frame = |number: u32| {
        let points = Vec2::from(size.map(|side| side as f32));
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, points)),
            time: Some(f64::from(number) / 60.0),
            ..RawInput::default()
        };
        let mut output = context.run_ui(input, &mut show);
        renderer.take(&mut output.textures_delta);
        output
    };
    (0..frames).for_each(|number| drop(frame(number)));
    let last = frame(frames);
    renderer.draw(&context, &last, size)
}
