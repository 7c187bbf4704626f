//! The window as a picture, drawn without a screen.

use eframe::egui::{Context, Pos2, RawInput, Rect, Vec2};
use millpond_pixels::{Picture, Renderer};

use crate::Demo;

/// How large the window is at first, in points.
pub const SIZE: [usize; 2] = [1080, 700];

/// What the window shows after some seconds. The same on every machine.
#[must_use]
pub fn picture(mut demo: Demo, seconds: u32) -> Picture {
    let context = Context::default();
    let mut renderer = Renderer::default();
    let mut frame = |number: u32| {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                Pos2::ZERO,
                Vec2::from(SIZE.map(|side| side as f32)),
            )),
            time: Some(f64::from(number) / 60.0),
            ..RawInput::default()
        };
        let mut output = context.run_ui(input, |ui| demo.ui(ui));
        renderer.take(&mut output.textures_delta);
        output
    };
    (0..seconds * 60).for_each(|number| drop(frame(number)));
    let last = frame(seconds * 60);
    renderer.draw(&context, &last, SIZE)
}
