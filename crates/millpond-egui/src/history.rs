//! The recent history of a pool.

use std::collections::VecDeque;

use egui::{Align2, FontId, Sense, Shape, Stroke, Ui, Vec2, pos2, vec2};
use millpond::Stats;

use crate::colours::{GROUND, LIVE, PEAK};
use crate::words::{caption, grouped, seconds};

/// The number of samples kept: four seconds at 60 per second.
const LOOKS_MAX: usize = 240;

/// How high the plots of the panel are.
pub(crate) const HEIGHT: f32 = 56.0;

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

    /// The time from the first to the last sample kept.
    fn seconds(&self) -> f32 {
        match (self.looks.front(), self.looks.back()) {
            (Some(first), Some(last)) => last.at - first.at,
            _ => 0.0,
        }
    }

    /// Births and deaths per second over the samples kept.
    pub(crate) fn rates(&self) -> Option<(f32, f32)> {
        let (first, last) = (self.looks.front()?, self.looks.back()?);
        let seconds = self.seconds();
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f32 / seconds;
        (seconds > 0.0)
            .then(|| (rate(last.inserted, first.inserted), rate(last.removed, first.removed)))
    }

    /// Plots the number of live slots, from 0 to the capacity, with a line at the peak.
    pub(crate) fn plot(&self, ui: &mut Ui, stats: &Stats) {
        ui.label(caption(format!("live slots, the last {}", seconds(self.seconds()))));
        let size = Vec2::new(ui.available_width().max(32.0), HEIGHT);
        let (place, _) = ui.allocate_exact_size(size, Sense::hover());
        let painter = ui.painter_at(place);
        painter.rect_filled(place, 2.0, GROUND);
        let height = |slots: usize| {
            let share = slots as f32 / stats.capacity.max(1) as f32;
            place.max.y - 1.0 - share.min(1.0) * (HEIGHT - 2.0)
        };
        let step = size.x / (LOOKS_MAX - 1) as f32;
        let right = |looks_ago: usize| place.max.x - looks_ago as f32 * step;
        let line = (self.looks.iter().rev().enumerate())
            .map(|(ago, look)| pos2(right(ago), height(look.live)))
            .collect();
        painter.add(Shape::line(line, Stroke::new(1.5, LIVE)));
        let peak = height(stats.peak);
        painter.hline(place.x_range(), peak, Stroke::new(1.0, PEAK));
        // Below the line, or above it where there is no room.
        let (corner, anchor) = match peak < place.center().y {
            true => (vec2(4.0, 2.0), Align2::LEFT_TOP),
            false => (vec2(4.0, -2.0), Align2::LEFT_BOTTOM),
        };
        let text = format!("peak {}", grouped(stats.peak as u64));
        let at = pos2(place.min.x, peak) + corner;
        let behind = painter.layout_no_wrap(text, FontId::proportional(11.0), PEAK);
        let words = anchor.anchor_size(at, behind.size());
        painter.rect_filled(words.expand2(vec2(2.0, 0.0)), 2.0, GROUND.gamma_multiply(0.8));
        painter.galley(words.min, behind, PEAK);
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
            let mut stats = Stats::default();
            (stats.inserted, stats.removed) = (look * 5, look);
            history.look(&stats, look as f32 * 0.5);
        }
        assert_eq!(history.looks.len(), LOOKS_MAX);
        assert_eq!(history.rates(), Some((10.0, 2.0)));
    }
}
