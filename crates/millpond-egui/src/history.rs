//! How a pool was at the last looks.

use std::collections::VecDeque;

use egui::{Color32, Sense, Shape, Stroke, Ui, Vec2, pos2};
use millpond::Stats;

/// So many looks are kept: four seconds at 60 a second.
const LOOKS_MAX: usize = 240;

const HEIGHT: f32 = 48.0;
const LIVE: Color32 = Color32::from_rgb(94, 201, 98);
const PEAK: Color32 = Color32::from_rgb(200, 160, 60);

#[derive(Clone, Copy, Debug)]
struct Look {
    at: f32,
    live: usize,
    inserted: u64,
    removed: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    looks: VecDeque<Look>,
}

impl History {
    pub(crate) fn look(&mut self, stats: &Stats, at: f32) {
        if self.looks.len() == LOOKS_MAX {
            self.looks.pop_front();
        }
        let Stats { live, inserted, removed, .. } = *stats;
        self.looks.push_back(Look { at, live, inserted, removed });
    }

    /// Births and deaths per second over the looks that are kept.
    pub(crate) fn rates(&self) -> Option<(f32, f32)> {
        let (first, last) = (self.looks.front()?, self.looks.back()?);
        let seconds = last.at - first.at;
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f32 / seconds;
        (seconds > 0.0)
            .then(|| (rate(last.inserted, first.inserted), rate(last.removed, first.removed)))
    }

    /// Draws how many were live, with a line at the peak, from nothing to the capacity.
    pub(crate) fn plot(&self, ui: &mut Ui, stats: &Stats) {
        let size = Vec2::new(ui.available_width().max(32.0), HEIGHT);
        let (place, _) = ui.allocate_exact_size(size, Sense::hover());
        let painter = ui.painter_at(place);
        painter.rect_filled(place, 2.0, Color32::from_rgb(24, 25, 29));
        let height = |slots: usize| {
            let share = slots as f32 / stats.capacity.max(1) as f32;
            place.max.y - 1.0 - share.min(1.0) * (HEIGHT - 2.0)
        };
        let peak = height(stats.peak);
        painter.hline(place.x_range(), peak, Stroke::new(1.0, PEAK));
        let step = size.x / (LOOKS_MAX - 1) as f32;
        let right = |looks_ago: usize| place.max.x - looks_ago as f32 * step;
        let line = (self.looks.iter().rev().enumerate())
            .map(|(ago, look)| pos2(right(ago), height(look.live)))
            .collect();
        painter.add(Shape::line(line, Stroke::new(1.5, LIVE)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_per_second_and_memory_is_bounded() {
        let mut history = History::default();
        assert_eq!(history.rates(), None);
        for look in 0..1000_u64 {
            let stats = Stats { inserted: look * 5, removed: look, ..Stats::default() };
            history.look(&stats, look as f32 * 0.5);
        }
        assert_eq!(history.looks.len(), LOOKS_MAX);
        assert_eq!(history.rates(), Some((10.0, 2.0)));
    }
}
