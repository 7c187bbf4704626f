//! The number of lifetimes that the slots have had.

use egui::{Rect, Sense, Ui, Vec2, pos2};

use crate::Inspect;
use crate::ages::Slot;
use crate::colours::{self, GENERATIONS, GROUND};
use crate::history::HEIGHT;
use crate::words::{caption, grouped, ordinal};

/// The maximum number of bars.
const BARS_MAX: u32 = 32;

/// A histogram of slots by their current or last lifetime.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lifetimes {
    /// The number of slots in each bar's lifetimes; the first bar begins at lifetime 1.
    bars: Vec<usize>,
    lifetimes_per_bar: u32,
    /// The slot with the most lifetimes, and their number.
    pub(crate) busiest: Option<(usize, u32)>,
}

impl Lifetimes {
    pub(crate) fn of(slots: &[Slot], pool: &dyn Inspect) -> Self {
        let used = || {
            let used = slots.iter().enumerate().filter(|(_, slot)| slot.generation > 0);
            used.map(|(index, slot)| (index, pool.lifetime(slot.generation).max(1)))
        };
        // The first of them, so that it does not jump about.
        let busiest = used().rev().max_by_key(|&(_, lifetime)| lifetime);
        let most = busiest.map_or(0, |(_, lifetime)| lifetime);
        let lifetimes_per_bar = most.div_ceil(BARS_MAX).max(1);
        let mut bars = vec![0; most.div_ceil(lifetimes_per_bar) as usize];
        for (_, lifetime) in used() {
            bars[((lifetime - 1) / lifetimes_per_bar) as usize] += 1;
        }
        Self { bars, lifetimes_per_bar, busiest }
    }

    /// The lifetime of the busiest slot.
    pub(crate) fn most(&self) -> u32 {
        self.busiest.map_or(0, |(_, lifetime)| lifetime)
    }

    /// Draws the bars.
    pub(crate) fn plot(&self, ui: &mut Ui) {
        ui.label(caption(match self.most() {
            0 => "slots by lifetime".to_owned(),
            most => format!("slots by lifetime, 1st to {}", ordinal(most)),
        }));
        let size = Vec2::new(ui.available_width().max(32.0), HEIGHT);
        let (place, response) = ui.allocate_exact_size(size, Sense::hover());
        let painter = ui.painter_at(place);
        painter.rect_filled(place, 2.0, GROUND);
        let tallest = self.bars.iter().copied().max().unwrap_or(0).max(1) as f32;
        let width = size.x / self.bars.len().max(8) as f32;
        for (bar, &slots) in self.bars.iter().enumerate().filter(|(_, slots)| **slots > 0) {
            let left = place.min.x + bar as f32 * width;
            // At least a pixel: one slot of a million is there as well.
            let height = (slots as f32 / tallest * (HEIGHT - 4.0)).max(1.0);
            let from = pos2(left + 0.5, place.max.y - height);
            let to = pos2((left + width - 1.0).max(left + 1.0), place.max.y);
            let lifetime = self.first_of(bar) as f32 - 1.0;
            let share = colours::place(lifetime, self.most() as f32 - 1.0);
            painter.rect_filled(
                Rect::from_min_max(from, to),
                0.0,
                colours::at(&GENERATIONS, share),
            );
        }
        let bar = response.hover_pos().map(|at| ((at.x - place.min.x) / width).max(0.0) as usize);
        if let Some(words) = bar.and_then(|bar| self.words(bar)) {
            response.on_hover_text(words);
        }
    }

    fn first_of(&self, bar: usize) -> u32 {
        bar as u32 * self.lifetimes_per_bar + 1
    }

    fn words(&self, bar: usize) -> Option<String> {
        let slots = grouped(*self.bars.get(bar)? as u64);
        let (first, last) = (self.first_of(bar), self.first_of(bar + 1) - 1);
        Some(match first == last {
            true => format!("{slots} slots in the {} lifetime", ordinal(first)),
            false => {
                format!("{slots} slots in the {} to {} lifetime", ordinal(first), ordinal(last))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ages::Ages;
    use millpond::Pool;

    #[test]
    fn lifetimes_are_counted_from_1_whatever_the_pool_is_called() {
        for name in ["sparks", "voices"] {
            let mut pool = Pool::builder().capacity(5).name(name).build();
            let handles = [(); 4].map(|()| pool.insert(()).unwrap());
            pool.remove(handles[2]);
            for _ in 0..9 {
                let handle = pool.insert(()).unwrap();
                pool.remove(handle);
            }
            pool.insert(()).unwrap();
            let mut ages = Ages::default();
            ages.look(&pool, 0.0);
            let seen = Lifetimes::of(ages.slots(), &pool);
            assert_eq!(seen.busiest, Some((2, 11)));
            assert_eq!(seen.bars, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
            assert_eq!(seen.words(10).unwrap(), "1 slots in the 11th lifetime");
        }
    }

    #[test]
    fn many_lifetimes_share_bars() {
        let slot = |generation| Slot { generation, is_live: true, since: None };
        let pool = Pool::<u8>::new(3);
        let seen = Lifetimes::of(&[slot(1), Slot::NEVER_USED, slot(1000)], &pool);
        assert_eq!((seen.bars.len(), seen.lifetimes_per_bar, seen.most()), (32, 32, 1000));
        assert_eq!((seen.bars[0], seen.bars[31]), (1, 1));
        let unused = Lifetimes::of(&[Slot::NEVER_USED; 3], &pool);
        assert_eq!((unused.bars.len(), unused.busiest), (0, None));
    }
}
