//! The map of a pool's slots: one square for each, or for a few if there are many.

use egui::{Color32, Mesh, Pos2, Rect, Sense, Shape, Ui, Vec2};

use crate::ages::{Ages, Slot};

/// At most so many squares are drawn.
const CELLS_MAX: usize = 4096;

/// After so many seconds an object is old.
const OLD_SECONDS: f32 = 10.0;

/// For so many seconds it is seen that a slot was freed.
const FRESHLY_DEAD_SECONDS: f32 = 0.5;

const DEAD: Color32 = Color32::from_rgb(38, 40, 46);
const FRESHLY_DEAD: Color32 = Color32::from_rgb(120, 40, 40);

/// From new to old.
const AGES: [Color32; 4] = [
    Color32::from_rgb(255, 244, 140),
    Color32::from_rgb(94, 201, 98),
    Color32::from_rgb(33, 145, 140),
    Color32::from_rgb(68, 80, 160),
];

/// Draws the map as wide as there is room, and says what is under the pointer.
pub(crate) fn map(ui: &mut Ui, ages: &Ages, now: f32) {
    let slots = ages.slots();
    if slots.is_empty() {
        return;
    }
    let slots_per_cell = slots.len().div_ceil(CELLS_MAX);
    let cells = slots.len().div_ceil(slots_per_cell);
    let width = ui.available_width().max(32.0);
    let side = (width * 128.0 / cells as f32).sqrt().clamp(4.0, 12.0);
    let columns = ((width / side) as usize).clamp(1, cells);
    let rows = cells.div_ceil(columns);
    let size = Vec2::new(columns as f32 * side, rows as f32 * side);
    let (place, response) = ui.allocate_exact_size(size, Sense::hover());
    if !ui.is_rect_visible(place) {
        return;
    }
    let mut mesh = Mesh::default();
    for (cell, slots) in slots.chunks(slots_per_cell).enumerate() {
        let corner = place.min + Vec2::new((cell % columns) as f32, (cell / columns) as f32) * side;
        let square = Rect::from_min_size(corner, Vec2::splat(side - 1.0));
        mesh.add_colored_rect(square, colour(slots, now));
    }
    ui.painter().add(Shape::mesh(mesh));
    let cell = response.hover_pos().and_then(|at| cell_at(at, place, side, columns));
    if let Some(begin) = cell.map(|cell| cell * slots_per_cell).filter(|&begin| begin < slots.len())
    {
        let end = (begin + slots_per_cell).min(slots.len());
        response.on_hover_text(words(&slots[begin..end], begin, now));
    }
}

fn cell_at(at: Pos2, place: Rect, side: f32, columns: usize) -> Option<usize> {
    let (column, row) = ((at.x - place.min.x) / side, (at.y - place.min.y) / side);
    (column >= 0.0 && row >= 0.0 && column < columns as f32)
        .then(|| row as usize * columns + column as usize)
}

/// The colour of a few slots: by the age of the newest live one, and the paler the fewer are live.
fn colour(slots: &[Slot], now: f32) -> Color32 {
    let live = slots.iter().filter(|slot| slot.is_live());
    let newest = live.clone().filter_map(|slot| slot.since).fold(f32::NEG_INFINITY, f32::max);
    let share = live.count() as f32 / slots.len() as f32;
    if share > 0.0 {
        let age = (now - newest).clamp(0.0, OLD_SECONDS) / OLD_SECONDS;
        // Square root: most happens while objects are young.
        let at = age.sqrt() * (AGES.len() - 1) as f32;
        let below = (at as usize).min(AGES.len() - 2);
        let colour = AGES[below].lerp_to_gamma(AGES[below + 1], at - below as f32);
        return DEAD.lerp_to_gamma(colour, 0.25 + 0.75 * share);
    }
    let died = slots.iter().filter_map(|slot| slot.since).fold(f32::NEG_INFINITY, f32::max);
    let fade = ((now - died) / FRESHLY_DEAD_SECONDS).clamp(0.0, 1.0);
    FRESHLY_DEAD.lerp_to_gamma(DEAD, fade)
}

/// What is said of the slots from this one on.
fn words(slots: &[Slot], begin: usize, now: f32) -> String {
    let age = |slot: &Slot| slot.since.map(|since| format!("{:.1} s", now - since));
    match slots {
        [slot] if slot.is_live() => {
            format!("{begin}v{}, for {}", slot.generation, age(slot).unwrap_or_default())
        }
        [slot] => match age(slot) {
            Some(age) => format!("slot {begin}, dead for {age}"),
            None => format!("slot {begin}, never used"),
        },
        slots => {
            let live = slots.iter().filter(|slot| slot.is_live()).count();
            format!("slots {begin} to {}: {live} live", begin + slots.len() - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: Slot = Slot { generation: 0, since: None, lifetimes: 0 };

    fn live(since: f32) -> Slot {
        Slot { generation: 3, since: Some(since), lifetimes: 1 }
    }

    #[test]
    fn colours_tell_new_from_old_and_live_from_dead() {
        assert_eq!(colour(&[live(5.0)], 5.0), AGES[0]);
        assert_eq!(colour(&[live(5.0)], 500.0), AGES[3]);
        assert_eq!(colour(&[NEVER], 5.0), DEAD);
        assert_eq!(
            colour(&[Slot { generation: 0, since: Some(5.0), lifetimes: 1 }], 5.0),
            FRESHLY_DEAD
        );
        // One of four: neither dead nor as bright as four.
        let pale = colour(&[live(5.0), NEVER, NEVER, NEVER], 5.0);
        assert!(pale != DEAD && pale != AGES[0]);
    }

    #[test]
    fn words_say_what_is_there() {
        assert_eq!(words(&[live(1.0)], 7, 3.5), "7v3, for 2.5 s");
        assert_eq!(words(&[NEVER], 7, 3.5), "slot 7, never used");
        assert_eq!(words(&[NEVER, live(0.0)], 8, 3.5), "slots 8 to 9: 1 live");
        let dead = Slot { generation: 0, since: Some(3.0), lifetimes: 1 };
        assert_eq!(words(&[dead], 0, 3.5), "slot 0, dead for 0.5 s");
    }
}
