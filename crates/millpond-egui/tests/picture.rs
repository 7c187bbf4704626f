//! The panel, drawn without a screen. The pictures are in `target/tmp`, to be looked at.

use egui::{Color32, Context, FullOutput, RawInput, Rect, Vec2};
use millpond::{PackedPool, Pool};
use millpond_egui::{Inspect, Inspector};
use millpond_pixels::{Picture, Renderer};

const SIZE: [usize; 2] = [420, 520];
const NEW: Color32 = Color32::from_rgb(255, 244, 140);
const DEAD: Color32 = Color32::from_rgb(38, 40, 46);
const FULL: Color32 = Color32::from_rgb(176, 58, 42);

/// How many pixels of a colour the legend has at most.
const LEGEND: usize = 64;

/// A panel that is shown frame by frame.
struct Screen {
    context: Context,
    renderer: Renderer,
    inspector: Inspector,
    time: f64,
}

impl Screen {
    fn new() -> Self {
        let (context, renderer) = (Context::default(), Renderer::default());
        Self { context, renderer, inspector: Inspector::new(), time: 0.0 }
    }

    fn frame(&mut self, pool: &dyn Inspect, seconds: f64) -> Picture {
        let output = self.skip(pool, seconds);
        self.renderer.draw(&self.context, &output, SIZE)
    }

    /// A frame that nobody looks at.
    fn skip(&mut self, pool: &dyn Inspect, seconds: f64) -> FullOutput {
        self.time += seconds;
        let size = Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, size)),
            time: Some(self.time),
            ..RawInput::default()
        };
        let inspector = &mut self.inspector;
        let mut output = self.context.run_ui(input, |ui| {
            egui::CentralPanel::default().show(ui, |ui| inspector.show(ui, pool));
        });
        self.renderer.take(&mut output.textures_delta);
        output
    }
}

fn save(picture: &Picture, name: &str) {
    picture.save(&std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).unwrap();
}

#[test]
fn slots_are_coloured_by_age_and_the_dead_are_dark() {
    let mut screen = Screen::new();
    let mut pool = Pool::builder().capacity(400).name("sparks").build();
    screen.frame(&pool, 0.0);
    let empty = screen.frame(&pool, 0.1);
    let dead_area = empty.count(|colour| colour == DEAD);
    assert!(dead_area > 5000, "the map of 400 dead slots: {dead_area}");
    assert!(empty.count(|colour| colour == NEW) <= LEGEND);

    let handles: Vec<_> = (0..200).map(|n| pool.insert(n).unwrap()).collect();
    let half = screen.frame(&pool, 0.1);
    let new_area = half.count(|colour| colour == NEW);
    let all = new_area + half.count(|colour| colour == DEAD);
    assert!(all.abs_diff(dead_area) <= LEGEND, "no slot is lost: {all} of {dead_area}");
    assert!(new_area.abs_diff(dead_area / 2) < dead_area / 50, "{new_area} of {dead_area}");

    // Later they are no longer new, and where some were removed it is dark again.
    for &handle in &handles[..100] {
        pool.remove(handle);
    }
    screen.frame(&pool, 5.0);
    let later = screen.frame(&pool, 1.0);
    assert!(later.count(|colour| colour == NEW) <= LEGEND);
    assert!(later.count(|colour| colour == DEAD).abs_diff(dead_area * 3 / 4) < dead_area / 50);
}

#[test]
fn a_busy_pool_over_some_seconds() {
    let mut screen = Screen::new();
    let mut pool = Pool::builder().capacity(700).name("fireworks").build();
    let mut random = 1_u64;
    for frame in 0..300_u32 {
        for _ in 0..(frame % 60) / 5 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let _ = pool.insert(frame + 30 + (random >> 33) as u32 % 200);
        }
        pool.retain(|_, ends| *ends > frame);
        screen.skip(&pool, 1.0 / 60.0);
    }
    let picture = screen.frame(&pool, 1.0 / 60.0);
    save(&picture, "fireworks.png");
    let distinct: std::collections::HashSet<_> = picture.pixels().iter().collect();
    assert!(distinct.len() > 100, "text, a curve and many ages: {}", distinct.len());
}

#[test]
fn pools_of_any_size_and_kind_fit() {
    for capacity in [0, 1, 4096, 4097, 100_000] {
        let pool = Pool::<u8>::new(capacity);
        let mut screen = Screen::new();
        screen.skip(&pool, 0.0);
        let picture = screen.frame(&pool, 0.1);
        let has_map = picture.count(|colour| colour == DEAD) > LEGEND;
        assert_eq!(has_map, capacity > 0, "{capacity}");
    }
    let mut packed = PackedPool::new(10);
    packed.insert('a').unwrap();
    let mut screen = Screen::new();
    screen.frame(&packed, 0.0);
    assert!(screen.frame(&packed, 0.0).count(|colour| colour == NEW) > LEGEND);
}

#[test]
fn a_full_pool_is_shown_as_one() {
    let mut screen = Screen::new();
    let mut pool = Pool::builder().capacity(60).name("voices").build();
    for n in 0..70 {
        let _ = pool.insert(n);
    }
    screen.frame(&pool, 0.0);
    let picture = screen.frame(&pool, 0.1);
    save(&picture, "full.png");
    assert!(picture.count(|colour| colour == FULL) > 1000, "the bar");
}
