//! The data of a report's plots: live counts over time, and which slots were live when.

/// The maximum number of stretches of time in a picture.
const COLUMNS_MAX: u64 = 240;

/// The maximum number of stretches of slots in a picture.
const ROWS_MAX: u64 = 64;

/// The time axis of a picture: the whole trace in equal stretches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The first tick.
    pub first_tick: u32,
    /// The number of ticks.
    pub ticks: u64,
    /// The number of stretches.
    pub columns: usize,
}

impl Axis {
    /// The axis of a trace.
    #[must_use]
    pub fn new(first_tick: u32, ticks: u64) -> Self {
        Self { first_tick, ticks: ticks.max(1), columns: ticks.clamp(1, COLUMNS_MAX) as usize }
    }

    /// The column of a tick.
    fn column(&self, tick: u32) -> usize {
        let column = u64::from(tick.saturating_sub(self.first_tick)) * self.columns as u64;
        ((column / self.ticks) as usize).min(self.columns - 1)
    }

    /// The last tick of a column.
    fn last_tick(&self, column: usize) -> u32 {
        let end = ((column as u64 + 1) * self.ticks).div_ceil(self.columns as u64);
        (u64::from(self.first_tick) + end - 1).min(u64::from(u32::MAX)) as u32
    }
}

/// The least and the greatest live count in each stretch of time.
#[derive(Debug, Clone)]
pub(super) struct LiveOverTime {
    /// The last tick of the current column, and the extremes in it so far.
    column_end: u32,
    point: (u32, u32),
    live: u32,
    axis: Axis,
    /// Those of the columns before it.
    points: Vec<(u32, u32)>,
}

impl LiveOverTime {
    pub(super) fn new(axis: Axis) -> Self {
        let column_end = axis.last_tick(0);
        Self { column_end, point: (0, 0), live: 0, axis, points: Vec::new() }
    }

    /// Called when the live count has changed.
    #[inline]
    pub(super) fn change(&mut self, tick: u32, live: u32) {
        if tick > self.column_end {
            self.turn_to(self.axis.column(tick));
        }
        self.live = live;
        self.point = (live.min(self.point.0), live.max(self.point.1));
    }

    /// Begins a later column, after those in which nothing changed.
    fn turn_to(&mut self, column: usize) {
        self.points.push(self.point);
        self.point = (self.live, self.live);
        self.points.resize(column, self.point);
        self.column_end = self.axis.last_tick(column);
    }

    pub(super) fn finish(mut self) -> Vec<(u32, u32)> {
        self.points.push(self.point);
        self.points.resize(self.axis.columns, (self.live, self.live));
        self.points
    }
}

/// The share of time that each stretch of slots was live in each stretch of time.
///
/// A lifetime covers many columns, so only its first and last column are drawn at once. For the columns between them,
/// the cells where it begins and ends are recorded, and summed up at the end of the trace.
#[derive(Debug, Clone)]
pub(super) struct SlotsOverTime {
    axis: Axis,
    slots: u64,
    rows: usize,
    /// The column in which the last lifetime ended, where the next one probably ends, too.
    column: u64,
    cells: Vec<Cell>,
}

/// A stretch of slots in a stretch of time.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The time of lifetimes that partly cover it, in 1/ticks of a column.
    partial: u64,
    /// The number of lifetimes that fully cover the cells from here on, less the number of those that no longer do.
    full: i64,
}

impl SlotsOverTime {
    pub(super) fn new(axis: Axis, slots: u32) -> Self {
        let rows = u64::from(slots).clamp(1, ROWS_MAX) as usize;
        // One more column than is drawn: lifetimes until the end of the trace end there.
        let cells = rows * (axis.columns + 1);
        Self {
            axis,
            slots: u64::from(slots.max(1)),
            rows,
            column: 0,
            cells: vec![Cell::default(); cells],
        }
    }

    /// A slot was live from one tick up to and including another.
    pub(super) fn lifetime(&mut self, slot: u32, from: u32, to: u32) {
        let Axis { first_tick, ticks, columns } = self.axis;
        let row = (u64::from(slot) * self.rows as u64 / self.slots) as usize;
        let begin = u64::from(from.saturating_sub(first_tick)) * columns as u64;
        let end = (u64::from(to.saturating_sub(first_tick)) + 1) * columns as u64;
        let (begin, end) = (begin.min(ticks * columns as u64), end.min(ticks * columns as u64));
        let cell = |column: u64| row * (columns + 1) + column as usize;
        // Dividing takes longer than all else here.
        let column = self.column;
        let column_of = |place: u64| match place.wrapping_sub(column * ticks) < ticks {
            true => column,
            false => place / ticks,
        };
        let (first, last) = (column_of(begin), column_of(end));
        self.column = last;
        if first == last {
            self.cells[cell(first)].partial += end - begin;
            return;
        }
        self.cells[cell(first)].partial += (first + 1) * ticks - begin;
        self.cells[cell(first + 1)].full += 1;
        let last_cell = &mut self.cells[cell(last)];
        last_cell.partial += end - last * ticks;
        last_cell.full -= 1;
    }

    pub(super) fn finish(self) -> SlotMap {
        let Axis { ticks, columns, .. } = self.axis;
        let mut cells = Vec::with_capacity(self.rows * columns);
        for row in 0..self.rows {
            let slots = self.slots_of(row) * ticks;
            let mut running = 0_i64;
            for column in 0..columns {
                let cell = row * (columns + 1) + column;
                let Cell { partial, full } = self.cells[cell];
                running += full;
                let live = partial + running.max(0) as u64 * ticks;
                // Rounded up, so that a cell that was live at all shows it.
                cells.push((live * 255).div_ceil(slots).min(255) as u8);
            }
        }
        SlotMap { slots: self.slots, rows: self.rows, columns, cells }
    }

    /// The number of slots of a row.
    fn slots_of(&self, row: usize) -> u64 {
        let begin = |row: usize| (row as u64 * self.slots).div_ceil(self.rows as u64);
        begin(row + 1) - begin(row)
    }
}

/// Which slots were live when: rows of slots, columns of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotMap {
    /// The number of slots in all rows.
    pub slots: u64,
    /// The number of rows, with slot 0 in the first.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Row by row, the live share of each cell: 0 never, 255 all slots all of the time.
    pub cells: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tick_is_in_one_column() {
        for (first, ticks) in [(0, 1), (5, 7), (0, 240), (9, 241), (0, 12_597), (1, 1 << 31)] {
            let axis = Axis::new(first, ticks);
            assert_eq!(axis.column(first), 0);
            assert_eq!(axis.column(first + (ticks - 1) as u32), axis.columns - 1);
            for column in 0..axis.columns {
                let last = axis.last_tick(column);
                assert_eq!(axis.column(last), column);
                if column + 1 < axis.columns {
                    assert_eq!(axis.column(last + 1), column + 1);
                }
            }
        }
        let all = Axis::new(0, 1 << 32);
        assert_eq!(all.last_tick(all.columns - 1), u32::MAX);
    }

    #[test]
    fn the_extremes_of_each_stretch() {
        let mut live = LiveOverTime::new(Axis { first_tick: 10, ticks: 40, columns: 4 });
        live.change(10, 1);
        live.change(19, 5);
        live.change(19, 2);
        live.change(41, 3);
        assert_eq!(live.finish(), [(0, 5), (2, 2), (2, 2), (2, 3)]);
    }

    #[test]
    fn cells_agree_with_slots_painted_tick_by_tick() {
        let axis = Axis { first_tick: 3, ticks: 50, columns: 7 };
        let mut map = SlotsOverTime::new(axis, 2);
        let mut painted = [0_u64; 2 * 7];
        for (slot, from, to) in [(0, 3, 3), (0, 4, 52), (1, 10, 16), (1, 17, 31), (1, 52, 52)] {
            map.lifetime(slot, from, to);
            for tick in from..=to {
                // A tick covers `columns` units of the axis, each column `ticks` of them.
                for unit in u64::from(tick - 3) * 7..u64::from(tick - 2) * 7 {
                    painted[slot as usize * 7 + (unit / 50) as usize] += 1;
                }
            }
        }
        let painted: Vec<u8> = painted.iter().map(|p| (p * 255).div_ceil(50) as u8).collect();
        assert_eq!(map.finish().cells, painted);
    }

    #[test]
    fn rows_share_the_slots() {
        for slots in [1, 2, 63, 64, 65, 100, 1 << 24] {
            let map = SlotsOverTime::new(Axis::new(0, 10), slots);
            let sum: u64 = (0..map.rows).map(|row| map.slots_of(row)).sum();
            assert_eq!(sum, u64::from(slots));
            assert!((0..map.rows).all(|row| map.slots_of(row) > 0));
            // A slot is in the row whose range contains it.
            let mut begin = 0;
            for row in 0..map.rows {
                assert_eq!((begin * map.rows as u64 / map.slots) as usize, row);
                begin += map.slots_of(row);
            }
        }
    }
}
