//! A map of a pool's slots: which are live, and for how long.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::Widget;

use super::slots::Slots;

/// From new to old.
pub(super) const AGES: [Color; 4] = [Color::Yellow, Color::Green, Color::Cyan, Color::Blue];

const FREE: &str = "·";
const SOME_LIVE: &str = "▒";
const ALL_LIVE: &str = "█";

/// Draws the slots from left to right and from top to bottom, one or more per cell.
pub(super) struct SlotMap<'s> {
    pub(super) slots: &'s Slots,
    pub(super) capacity: u64,
    /// The tick now.
    pub(super) tick: u32,
    pub(super) has_colour: bool,
}

/// What a cell shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CellOfSlots {
    live: u64,
    /// The age of the newest object.
    age: u32,
}

impl SlotMap<'_> {
    /// The number of slots; a trace may be ahead of its own statistics.
    fn slot_count(&self) -> u64 {
        let highest = self.slots.keys().max().map_or(0, |&slot| u64::from(slot) + 1);
        self.capacity.max(highest)
    }

    /// The number of slots per cell in an area of this size.
    pub(super) fn slots_per_cell(&self, area: Rect) -> u64 {
        self.slot_count().div_ceil(u64::from(area.area()).max(1)).max(1)
    }

    fn cells(&self, per_cell: u64) -> Vec<CellOfSlots> {
        let mut cells = vec![CellOfSlots::default(); self.slot_count().div_ceil(per_cell) as usize];
        for (&slot, &begun) in self.slots {
            let cell = &mut cells[(u64::from(slot) / per_cell) as usize];
            let age = self.tick.saturating_sub(begun);
            cell.age = if cell.live == 0 { age } else { cell.age.min(age) };
            cell.live += 1;
        }
        cells
    }
}

impl Widget for SlotMap<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let per_cell = self.slots_per_cell(area);
        let cells = self.cells(per_cell);
        let oldest = cells.iter().map(|cell| cell.age).max().unwrap_or(0);
        for (number, cell) in cells.iter().enumerate() {
            let (row, column) =
                (number / usize::from(area.width), number % usize::from(area.width));
            let in_cell = per_cell.min(self.slot_count() - number as u64 * per_cell);
            let symbol = match cell.live {
                0 => FREE,
                live if live < in_cell => SOME_LIVE,
                _ => ALL_LIVE,
            };
            let style = match cell.live {
                0 => Style::new().dim(),
                _ if self.has_colour => Style::new().fg(colour(cell.age, oldest)),
                _ => Style::new(),
            };
            // Both are smaller than a side of the area.
            let (x, y) = (area.x + column as u16, area.y + row as u16);
            buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }
}

/// The colour of an age. The scale is logarithmic, because most objects are young.
fn colour(age: u32, oldest: u32) -> Color {
    let bits = |age: u32| u32::BITS - age.leading_zeros();
    AGES[(bits(age) * AGES.len() as u32 / (bits(oldest) + 1)) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(slots: &[(u32, u32)], capacity: u64, width: u16, height: u16) -> Buffer {
        let slots = slots.iter().copied().collect();
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        SlotMap { slots: &slots, capacity, tick: 100, has_colour: true }.render(area, &mut buffer);
        buffer
    }

    fn symbols(buffer: &Buffer) -> String {
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn a_cell_is_a_slot_if_there_is_room() {
        let buffer = drawn(&[(0, 100), (5, 10)], 7, 4, 2);
        assert_eq!(symbols(&buffer), "█····█· ");
        assert_eq!((buffer[(0, 0)].fg, buffer[(1, 1)].fg), (Color::Yellow, Color::Blue));
    }

    #[test]
    fn a_cell_stands_for_several_slots_if_there_is_no_room() {
        // Three slots per cell: 0 to 2, 3 to 5, 6 to 8, and 9.
        let buffer = drawn(&[(3, 100), (6, 1), (7, 1), (8, 1), (9, 1)], 10, 2, 2);
        assert_eq!(symbols(&buffer), "·▒██");
    }

    #[test]
    fn slots_beyond_the_capacity_and_ages_of_the_future_are_drawn() {
        assert_eq!(symbols(&drawn(&[(3, u32::MAX)], 1, 5, 1)), "···█ ");
        assert_eq!(symbols(&drawn(&[(u32::MAX, 0)], u64::MAX, 1, 1)), "▒");
        assert_eq!(symbols(&drawn(&[], 0, 3, 1)), "   ");
        assert_eq!(symbols(&drawn(&[(0, 0)], 1, 0, 0)), "");
    }

    #[test]
    fn colours_go_from_new_to_old() {
        for oldest in [0, 1, 7, u32::MAX] {
            assert_eq!(colour(0, oldest), AGES[0]);
        }
        assert_eq!(colour(u32::MAX, u32::MAX), AGES[3]);
        assert_eq!(colour(1, 1000), AGES[0]);
        assert_eq!(colour(1000, 1000), AGES[3]);
    }
}
