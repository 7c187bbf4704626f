//! Fireworks in a window, with their pool beside them: sliders for its capacity, its overflow policy and how
//! much is fired.
//!
//! ```sh
//! cargo run --release --manifest-path demos/window/Cargo.toml
//! ```
//!
//! Without a display it says so and ends. `-- --frames 100` ends after so many frames; `-- --picture PATH`
//! opens no window, but writes a picture of it, and `-- --reuse-picture PATH` one of two pools that differ in
//! the slot that they use next.

use std::path::Path;
use std::process::ExitCode;

use eframe::egui::{Ui, ViewportBuilder, ViewportCommand};
use millpond_pixels::Picture;
use millpond_window::{Demo, SIZE, picture, reuse_picture};

/// The picture is of this moment of the show.
const PICTURE_AFTER_SECONDS: u32 = 9;

struct Window {
    demo: Demo,
    frames_left: Option<u64>,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        self.demo.ui(ui);
        ui.ctx().request_repaint();
        if let Some(frames) = &mut self.frames_left {
            *frames = frames.saturating_sub(1);
            if *frames == 0 {
                ui.ctx().send_viewport_cmd(ViewportCommand::Close);
            }
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let frames_left = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--picture", path] => {
            return save(&picture(Demo::default(), PICTURE_AFTER_SECONDS), Path::new(path));
        }
        ["--reuse-picture", path] => return save(&reuse_picture(), Path::new(path)),
        ["--frames", count] if count.parse::<u64>().is_ok_and(|count| count > 0) => {
            count.parse().ok()
        }
        _ => {
            return unusable(
                "expected nothing, --frames and a number from 1 on, or --picture or --reuse-picture and a path",
            );
        }
    };
    // The toolkit is built for X11 alone, which Wayland's desktops have as well.
    let has_display = std::env::var_os("DISPLAY").is_some_and(|display| !display.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && !has_display {
        return unusable(
            "there is no display (DISPLAY is not set); `millpond watch` shows pools in a terminal, and \
             --picture PATH writes a picture of the window",
        );
    }
    let size = SIZE.map(|side| side as f32);
    let viewport = ViewportBuilder::default().with_inner_size(size).with_title("millpond");
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let window = Window { demo: Demo::default(), frames_left };
    match eframe::run_native("millpond-window", options, Box::new(|_| Ok(Box::new(window)))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reason comes last, after places in the code of others.
            let error = error.to_string();
            let reason = error.lines().next().and_then(|line| line.rsplit(": ").next());
            unusable(&format!("no window could be opened: {}", reason.unwrap_or_default()))
        }
    }
}

fn save(picture: &Picture, path: &Path) -> ExitCode {
    match picture.save(path) {
        Ok(()) => {
            println!("wrote {}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => unusable(&format!("{}: {error}", path.display())),
    }
}

/// One line of what is wrong.
fn unusable(words: &str) -> ExitCode {
    eprintln!("millpond-window: {words}");
    ExitCode::from(2)
}
