//! The map of a pool's slots: one square per slot, or per few slots if there are many.

use egui::{Color32, Mesh, Pos2, Rect, Sense, Shape, Ui, Vec2, vec2};

use crate::ages::Slot;
use crate::colours::{self, AGES, DEAD, FRESHLY_DEAD, GENERATIONS, Scale};
use crate::words::{caption, grouped, ordinal, seconds};

/// The maximum number of squares.
const CELLS_MAX: usize = 4096;

/// For this many seconds, the map shows that a slot was freed.
const FRESHLY_DEAD_SECONDS: f32 = 0.5;

/// What the squares show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColouredBy {
    /// The age of each object.
    #[default]
    Age,
    /// The number of lifetimes that each slot has had.
    Generation,
}

/// All slots, and the ranges of their colours.
pub(crate) struct Map<'a> {
    pub(crate) slots: &'a [Slot],
    pub(crate) coloured_by: ColouredBy,
    pub(crate) now: f32,
    /// The age of the oldest live object, in seconds.
    pub(crate) oldest: f32,
    /// The lifetime of a generation, counted from 1.
    pub(crate) lifetime: &'a dyn Fn(u32) -> u32,
    /// The lifetime of the busiest slot.
    pub(crate) most: u32,
}

impl Map<'_> {
    /// Draws the map in the available width, with a tooltip for the slots under the pointer.
    pub(crate) fn show(&self, ui: &mut Ui) {
        let slots = self.slots;
        if slots.is_empty() {
            return;
        }
        let slots_per_cell = slots.len().div_ceil(CELLS_MAX);
        let cells = slots.len().div_ceil(slots_per_cell);
        let width = ui.available_width().max(32.0);
        let side = (width * 300.0 / cells as f32).sqrt().clamp(4.0, 12.0).floor();
        let columns = ((width / side) as usize).clamp(1, cells);
        let rows = cells.div_ceil(columns);
        let size = Vec2::new(columns as f32 * side, rows as f32 * side);
        let (place, response) = ui.allocate_exact_size(size, Sense::hover());
        if !ui.is_rect_visible(place) {
            return;
        }
        let mut mesh = Mesh::default();
        for (cell, slots) in slots.chunks(slots_per_cell).enumerate() {
            let corner =
                place.min + Vec2::new((cell % columns) as f32, (cell / columns) as f32) * side;
            let square = Rect::from_min_size(corner, Vec2::splat(side - 1.0));
            mesh.add_colored_rect(square, self.colour(slots));
        }
        ui.painter().add(Shape::mesh(mesh));
        let cell = response.hover_pos().and_then(|at| cell_at(at, place, side, columns));
        let begin = cell.map(|cell| cell * slots_per_cell).filter(|&begin| begin < slots.len());
        if let Some(begin) = begin {
            let end = (begin + slots_per_cell).min(slots.len());
            response.on_hover_text(self.words(begin, end));
        }
    }

    /// Draws the legend of the colours.
    pub(crate) fn legend(&self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            match self.coloured_by {
                ColouredBy::Age => {
                    scale(ui, &AGES, "new", &seconds(self.oldest));
                    ui.add_space(8.0);
                    square(ui, FRESHLY_DEAD, "died just now");
                }
                ColouredBy::Generation => {
                    scale(ui, &GENERATIONS, "1st lifetime", &ordinal(self.most));
                    ui.add_space(8.0);
                    square(ui, darkened(GENERATIONS[2]), "dead");
                }
            }
            ui.add_space(8.0);
            square(
                ui,
                DEAD,
                if self.coloured_by == ColouredBy::Age { "dead" } else { "not used yet" },
            );
        });
    }

    fn colour(&self, slots: &[Slot]) -> Color32 {
        match self.coloured_by {
            ColouredBy::Age => self.colour_by_age(slots),
            ColouredBy::Generation => self.colour_by_generation(slots),
        }
    }

    /// The colour of a few slots: by the age of the newest live one, and paler the fewer are live.
    fn colour_by_age(&self, slots: &[Slot]) -> Color32 {
        let live = slots.iter().filter(|slot| slot.is_live);
        let newest = live.clone().filter_map(|slot| slot.since).fold(f32::NEG_INFINITY, f32::max);
        let share = live.count() as f32 / slots.len() as f32;
        if share > 0.0 {
            let age = colours::place(self.now - newest, self.oldest.max(1.0));
            return DEAD.lerp_to_gamma(colours::at(&AGES, age), 0.25 + 0.75 * share);
        }
        let died = slots.iter().filter_map(|slot| slot.since).fold(f32::NEG_INFINITY, f32::max);
        let fade = ((self.now - died) / FRESHLY_DEAD_SECONDS).clamp(0.0, 1.0);
        FRESHLY_DEAD.lerp_to_gamma(DEAD, fade)
    }

    /// The colour of a few slots: by the latest lifetime of any, and darker if all are dead.
    fn colour_by_generation(&self, slots: &[Slot]) -> Color32 {
        let used = slots.iter().filter(|slot| slot.generation > 0);
        let Some(latest) = used.map(|slot| (self.lifetime)(slot.generation)).max() else {
            return DEAD;
        };
        let share = colours::place(latest as f32 - 1.0, self.most as f32 - 1.0);
        let colour = colours::at(&GENERATIONS, share);
        if slots.iter().any(|slot| slot.is_live) { colour } else { darkened(colour) }
    }

    /// The tooltip of these slots.
    fn words(&self, begin: usize, end: usize) -> String {
        let age = |slot: &Slot| slot.since.map(|since| seconds(self.now - since));
        match &self.slots[begin..end] {
            [slot] => {
                let lifetime = grouped((self.lifetime)(slot.generation).into());
                match age(slot) {
                    Some(age) if slot.is_live => format!(
                        "{begin}v{}, live for {age}, lifetime {lifetime} of its slot",
                        slot.generation
                    ),
                    Some(age) => format!("slot {begin}, dead for {age}, had {lifetime} lifetimes"),
                    None => format!("slot {begin}, not used yet"),
                }
            }
            slots => {
                let live = slots.iter().filter(|slot| slot.is_live).count();
                format!("slots {begin} to {}: {live} live", end - 1)
            }
        }
    }
}

fn darkened(colour: Color32) -> Color32 {
    DEAD.lerp_to_gamma(colour, 0.35)
}

/// Draws a strip of colours between the labels of its ends.
fn scale(ui: &mut Ui, scale: &Scale, first: &str, last: &str) {
    ui.label(caption(first));
    let (place, _) = ui.allocate_exact_size(vec2(64.0, 8.0), Sense::hover());
    let mut mesh = Mesh::default();
    let steps = 32;
    for step in 0..steps {
        let left = place.min + vec2(place.width() * step as f32 / steps as f32, 0.0);
        let size = vec2(place.width() / steps as f32, place.height());
        let colour = colours::at(scale, step as f32 / (steps - 1) as f32);
        mesh.add_colored_rect(Rect::from_min_size(left, size), colour);
    }
    ui.painter().add(Shape::mesh(mesh));
    ui.label(caption(last));
}

fn square(ui: &mut Ui, colour: Color32, words: &str) {
    let (place, _) = ui.allocate_exact_size(Vec2::splat(8.0), Sense::hover());
    ui.painter().rect_filled(place, 0.0, colour);
    ui.label(caption(words));
}

fn cell_at(at: Pos2, place: Rect, side: f32, columns: usize) -> Option<usize> {
    let (column, row) = ((at.x - place.min.x) / side, (at.y - place.min.y) / side);
    (column >= 0.0 && row >= 0.0 && column < columns as f32)
        .then(|| row as usize * columns + column as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(slots: &[Slot], coloured_by: ColouredBy, now: f32) -> Map<'_> {
        Map { slots, coloured_by, now, oldest: 9.0, lifetime: &|generation| generation, most: 8 }
    }

    fn live(generation: u32, since: f32) -> Slot {
        Slot { generation, is_live: true, since: Some(since) }
    }

    #[test]
    fn ages_tell_new_from_old_and_live_from_dead() {
        let colour = |slots: &[Slot], now| map(slots, ColouredBy::Age, now).colour(slots);
        assert_eq!(colour(&[live(3, 5.0)], 5.0), AGES[0]);
        assert_eq!(colour(&[live(3, 5.0)], 14.0), AGES[3]);
        assert_eq!(colour(&[Slot::NEVER_USED], 5.0), DEAD);
        let dead = Slot { is_live: false, ..live(3, 5.0) };
        assert_eq!(colour(&[dead], 5.0), FRESHLY_DEAD);
        // One of four: neither dead nor as bright as four.
        let pale = colour(&[live(3, 5.0), dead, Slot::NEVER_USED, dead], 5.0);
        assert!(pale != DEAD && pale != AGES[0]);
    }

    #[test]
    fn generations_tell_the_first_lifetime_from_the_latest() {
        let colour = |slots: &[Slot]| map(slots, ColouredBy::Generation, 5.0).colour(slots);
        assert_eq!(colour(&[live(1, 5.0)]), GENERATIONS[0]);
        assert_eq!(colour(&[live(8, 5.0)]), GENERATIONS[3]);
        let dead = Slot { is_live: false, ..live(8, 5.0) };
        assert_eq!(colour(&[dead]), darkened(GENERATIONS[3]));
        assert_eq!(colour(&[Slot::NEVER_USED]), DEAD);
    }

    #[test]
    fn words_say_what_is_there() {
        let dead = Slot { is_live: false, ..live(2, 3.0) };
        let slots = [live(3, 1.0), dead, Slot::NEVER_USED];
        let map = map(&slots, ColouredBy::Age, 3.5);
        assert_eq!(map.words(0, 1), "0v3, live for 2.5 s, lifetime 3 of its slot");
        assert_eq!(map.words(1, 2), "slot 1, dead for 0.5 s, had 2 lifetimes");
        assert_eq!(map.words(2, 3), "slot 2, not used yet");
        assert_eq!(map.words(0, 3), "slots 0 to 2: 1 live");
    }
}
