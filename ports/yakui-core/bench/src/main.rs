//! Frames of a user interface: `yakui-core-bench SCENARIO ROUNDS`.

mod peak;

use yakui_core::geometry::{Rect, Vec2};
use yakui_core::widget::Widget;
use yakui_core::{Response, Yakui};

/// A widget that has others, or none.
#[derive(Debug)]
struct Panel;

impl Widget for Panel {
    type Props<'a> = ();
    type Response = ();

    fn new() -> Self {
        Self
    }

    fn update(&mut self, _: ()) {}
}

/// One frame: so many panels of ten.
fn frame(yakui: &mut Yakui, panels: usize) {
    yakui.start();
    for _ in 0..panels {
        let panel: Response<()> = yakui.dom().begin_widget::<Panel>(());
        for _ in 0..9 {
            yakui.dom().do_widget::<Panel>(());
        }
        yakui.dom().end_widget::<Panel>(panel.id);
    }
    yakui.finish();
    std::hint::black_box(yakui.paint());
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().expect("a scenario");
    let rounds: usize = arguments.next().expect("rounds").parse().expect("a number of rounds");
    let mut yakui = Yakui::new();
    yakui.set_unscaled_viewport(Rect::from_pos_size(Vec2::ZERO, Vec2::new(1920.0, 1080.0)));
    frame(&mut yakui, 200);
    match scenario.as_str() {
        "frame" => (0..rounds).for_each(|_| frame(&mut yakui, 200)),
        "churn" => (0..rounds).for_each(|round| frame(&mut yakui, 100 + round % 2 * 100)),
        other => panic!("no scenario {other}"),
    }
    peak::print();
}
