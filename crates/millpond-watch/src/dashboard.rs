//! The list on a terminal: scrolled and sorted by keys, with the selected pool below it.
//!
//! Drawn with ratatui. cursive has neither gauges nor sparklines and takes over the program's loop; iocraft needs an
//! asynchronous runtime's style of components for a screen that is a function of one value. ratatui draws into a
//! buffer, so tests compare screens without a terminal.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{
    Block, Borders, Gauge, Paragraph, Row as TableRow, Sparkline, Table, TableState,
};

use super::list::{List, Sort};
use super::screen::{Heading, State};
use super::slot_map::{AGES, SlotMap};
use super::slots::Slots;
use super::terminal::Wish;
use millpond_plan::error::shown;
use millpond_plan::output::figures::count;
use millpond_plan::output::paint::Paint;
use millpond_plan::output::wrap::fitted;

/// The minimum number of rows of a window that also shows the selected pool.
const ROWS_FOR_DETAIL: u16 = 18;

/// The minimum number of rows for the list, with its headings.
const LIST_ROWS_MIN: u16 = 5;

/// The rows of the frame's title, the gauge and the curve.
const GAUGE_ROWS: u16 = 1;
const CURVE_ROWS: u16 = 2;

/// The selected pool or lender.
pub(super) struct Detail<'a> {
    pub(super) title: String,
    pub(super) used: u64,
    pub(super) capacity: u64,
    pub(super) label: String,
    pub(super) curve_title: &'static str,
    pub(super) curve: Vec<u64>,
    /// The live slots and the tick, if the trace says which slots are live.
    pub(super) map: Option<(&'a Slots, u32)>,
}

/// What the user has selected, and how it is drawn.
pub(super) struct Dashboard {
    /// `None` is the order of the recording.
    sort: Option<Sort>,
    /// The name of the selected row; its number changes when rows are sorted and when pools come and go.
    selected: Option<String>,
    table: TableState,
    /// The columns and the names of the rows that were drawn last, to which keys refer.
    columns: Vec<usize>,
    names: Vec<String>,
    has_colour: bool,
}

impl Dashboard {
    pub(super) fn new(paint: Paint) -> Self {
        Self {
            sort: None,
            selected: None,
            table: TableState::new(),
            columns: Vec::new(),
            names: Vec::new(),
            has_colour: paint.is_on(),
        }
    }

    /// Changes the selection or the order.
    pub(super) fn follow(&mut self, wish: Wish) {
        let last = self.names.len().saturating_sub(1);
        let row = self.table.selected().unwrap_or(0);
        match wish {
            Wish::Move(rows) => self.select(row.saturating_add_signed(rows).min(last)),
            Wish::First => self.select(0),
            Wish::Last => self.select(last),
            Wish::SortByNext => self.sort_by_neighbour(1),
            Wish::SortByPrevious => self.sort_by_neighbour(self.columns.len().saturating_sub(1)),
            Wish::Reverse => {
                let sort = self.sort.get_or_insert(Sort { column: 0, is_descending: false });
                sort.is_descending = !sort.is_descending;
            }
            Wish::Quit | Wish::Redraw => {}
        }
    }

    fn select(&mut self, row: usize) {
        self.selected = self.names.get(row).cloned();
        self.table.select(Some(row));
    }

    /// Sorts by the column `step` columns further to the right; the first follows the last. Names ascend, numbers
    /// descend.
    fn sort_by_neighbour(&mut self, step: usize) {
        let columns = &self.columns;
        let Some(&first) = columns.first() else { return };
        let now = self.sort.and_then(|sort| columns.iter().position(|&c| c == sort.column));
        let column = match now {
            Some(now) => columns[(now + step) % columns.len()],
            // The order of the recording comes before the first column.
            None if step == 1 => first,
            None => columns[columns.len() - 1],
        };
        self.sort = Some(Sort { column, is_descending: column > 0 });
    }

    /// Draws the list, and the selected row's detail if there is room for it.
    pub(super) fn draw<'d>(
        &mut self,
        frame: &mut Frame<'_>,
        heading: &Heading<'_>,
        mut list: List,
        if_empty: &str,
        detail: impl FnOnce(&str) -> Option<Detail<'d>>,
    ) {
        if let Some(sort) = self.sort {
            list.sort(sort);
        }
        self.keep_selection(&list);
        let area = frame.area();
        let detail = self.selected.as_deref().and_then(detail);
        let rows_of_detail = match area.height {
            ROWS_FOR_DETAIL.. if detail.is_some() => {
                let list_rows = (list.rows.len() as u16).saturating_add(1).max(LIST_ROWS_MIN);
                (area.height - 3).saturating_sub(list_rows).max(area.height / 3)
            }
            _ => 0,
        };
        let [top, middle, bottom, foot] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Min(1),
            Constraint::Length(rows_of_detail),
            Constraint::Length(1),
        ])
        .areas(area);
        frame.render_widget(self.heading(heading), top);
        if list.rows.is_empty() {
            frame.render_widget(Paragraph::new(if_empty), middle);
        } else {
            self.draw_list(frame, middle, &list);
        }
        if let Some(detail) = detail.filter(|_| rows_of_detail > 0) {
            self.draw_detail(frame, bottom, &detail);
        }
        frame.render_widget(self.keys(list.rows.len()), foot);
    }

    /// Finds the selected row again; if it is gone, selects the row in its place.
    fn keep_selection(&mut self, list: &List) {
        self.names = list.rows.iter().map(|row| row.name.clone()).collect();
        self.columns = list.columns_shown();
        let known =
            self.selected.as_ref().and_then(|name| self.names.iter().position(|n| n == name));
        let row = known.or(self.table.selected()).unwrap_or(0);
        match self.names.len().checked_sub(1) {
            Some(last) => self.select(row.min(last)),
            None => {
                self.selected = None;
                self.table.select(None);
            }
        }
    }

    fn heading(&self, heading: &Heading<'_>) -> Paragraph<'static> {
        let state = match heading.state {
            State::Recording => self.coloured(Color::Green),
            State::Silent(_) => self.alarm(),
            State::Ended => Style::new(),
        };
        Paragraph::new(Line::from(vec![
            Span::styled(heading.file(), Modifier::BOLD),
            Span::raw(heading.clock()),
            Span::styled(heading.state(), state),
        ]))
    }

    fn draw_list(&mut self, frame: &mut Frame<'_>, area: Rect, list: &List) {
        let widths = list.table().of_width(area.width.into()).widths();
        let shown: Vec<(usize, usize)> =
            self.columns.iter().copied().zip(widths).filter(|(_, width)| *width > 0).collect();
        let aligned = |column: usize, text: String| match list.headings[column].starts_with('<') {
            true => Line::from(text),
            false => Line::from(text).right_aligned(),
        };
        let headings = shown.iter().map(|&(column, _)| {
            let heading = list.headings[column].trim_start_matches('<').to_owned();
            let is_sorted = self.sort.is_some_and(|sort| sort.column == column);
            let style =
                if is_sorted { Modifier::BOLD | Modifier::UNDERLINED } else { Modifier::DIM };
            aligned(column, heading).style(style)
        });
        let rows = list.rows.iter().map(|row| {
            let cells = shown
                .iter()
                .map(|&(column, width)| aligned(column, fitted(&row.text(column), width)));
            let style = if row.is_alarming { self.alarm() } else { Style::new() };
            TableRow::new(cells).style(style)
        });
        let table =
            Table::new(rows, shown.iter().map(|&(_, width)| Constraint::Length(width as u16)))
                .header(TableRow::new(headings))
                .column_spacing(2)
                .row_highlight_style(Modifier::REVERSED);
        frame.render_stateful_widget(table, area, &mut self.table);
    }

    fn draw_detail(&self, frame: &mut Frame<'_>, area: Rect, detail: &Detail<'_>) {
        let title = format!("─ {} ", fitted(&shown(detail.title.as_bytes()), 60));
        let frame_of_detail = Block::new().borders(Borders::TOP).title(title);
        let inside = frame_of_detail.inner(area);
        frame.render_widget(frame_of_detail, area);
        let [gauge, curve, map] = Layout::vertical([
            Constraint::Length(GAUGE_ROWS),
            Constraint::Length(CURVE_ROWS),
            Constraint::Min(0),
        ])
        .areas(inside);
        let share = detail.used.min(detail.capacity) as f64 / detail.capacity.max(1) as f64;
        let label = Span::raw(detail.label.clone());
        let style = self.coloured(Color::Green);
        frame.render_widget(Gauge::default().ratio(share).label(label).gauge_style(style), gauge);
        self.draw_curve(frame, curve, detail);
        if let Some(live) = detail.map {
            self.draw_map(frame, map, live, detail.capacity);
        }
    }

    fn draw_curve(&self, frame: &mut Frame<'_>, area: Rect, detail: &Detail<'_>) {
        let most = detail.curve.iter().copied().max().unwrap_or(0);
        let title = format!("{} lately, at most {} ", detail.curve_title, count(most));
        let [words, curve] = Layout::horizontal([
            Constraint::Length(title.chars().count() as u16),
            Constraint::Min(1),
        ])
        .areas(area);
        frame.render_widget(Paragraph::new(title), words);
        let skipped = detail.curve.len().saturating_sub(curve.width.into());
        let curve_of = Sparkline::default()
            .data(&detail.curve[skipped..])
            .max(most.max(1))
            .style(self.coloured(Color::Cyan));
        frame.render_widget(curve_of, curve);
    }

    fn draw_map(&self, frame: &mut Frame<'_>, area: Rect, live: (&Slots, u32), capacity: u64) {
        let [legend, area] =
            Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
        let (slots, tick) = live;
        let map = SlotMap { slots, capacity, tick, has_colour: self.has_colour };
        let mut words = vec![Span::raw(match map.slots_per_cell(area) {
            1 => "slots: █ live, · free".to_owned(),
            n => format!("{} slots per cell: █ all live, ▒ some, · free", count(n)),
        })];
        if self.has_colour {
            words.push(Span::raw("; new "));
            words.extend(AGES.map(|colour| Span::styled("█", colour)));
            words.push(Span::raw(" old"));
        }
        frame.render_widget(Paragraph::new(Line::from(words)), legend);
        frame.render_widget(map, area);
    }

    fn keys(&self, rows: usize) -> Paragraph<'static> {
        let row = self.table.selected().map_or(0, |row| row + 1);
        let keys = "q quit   ↑ ↓ select   ← → sort   r reverse";
        Paragraph::new(Line::from(format!("{row} of {rows}   {keys}")).style(Modifier::DIM))
    }

    fn coloured(&self, colour: Color) -> Style {
        if self.has_colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn alarm(&self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::list::tests::list;
    use super::*;

    fn numbered(pools: u64) -> Vec<(String, u64, u64)> {
        (0..pools).map(|pool| (format!("pool-{pool:02}"), pool, 0)).collect()
    }

    struct Drawn {
        dashboard: Dashboard,
        terminal: Terminal<TestBackend>,
        slots: Slots,
    }

    impl Drawn {
        fn new(columns: u16, rows: u16) -> Self {
            let terminal = Terminal::new(TestBackend::new(columns, rows)).expect("in memory");
            let dashboard = Dashboard::new(Paint::new(false));
            Self { dashboard, terminal, slots: Slots::from_iter([(0, 9), (5, 1)]) }
        }

        /// The screen after the list is drawn; trailing spaces are cut.
        fn draw(&mut self, pools: &[(&str, u64, u64)]) -> Vec<String> {
            let heading = Heading {
                file: "game.trace",
                tick: Some((9, None)),
                seconds: 2.0,
                state: State::Recording,
            };
            let detail = |name: &str| {
                let pool = pools.iter().find(|pool| pool.0 == name)?;
                Some(Detail {
                    title: name.to_owned(),
                    used: pool.1,
                    capacity: 8,
                    label: format!("{} of 8 slots live", pool.1),
                    curve_title: "live",
                    curve: vec![0, 4, 8],
                    map: Some((&self.slots, 9)),
                })
            };
            let dashboard = &mut self.dashboard;
            self.terminal
                .draw(|frame| dashboard.draw(frame, &heading, list(pools), "no pool", detail))
                .expect("in memory");
            let buffer = self.terminal.backend().buffer();
            let width = usize::from(buffer.area.width);
            let lines = buffer.content().chunks(width).map(|cells| {
                let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
                line.trim_end().to_owned()
            });
            lines.collect()
        }

        /// The position of the reversed row.
        fn selected_line(&self) -> Option<usize> {
            let buffer = self.terminal.backend().buffer();
            let is_reversed = |&y: &u16| buffer[(0, y)].modifier.contains(Modifier::REVERSED);
            (0..buffer.area.height).find(is_reversed).map(usize::from)
        }
    }

    #[test]
    fn the_list_and_the_selected_pool_fill_a_window_of_80_by_24() {
        let mut drawn = Drawn::new(80, 24);
        let lines = drawn.draw(&[("imps", 4, 0), ("sparks", 2, 7)]);
        assert_eq!(lines[0], "game.trace  tick 9  2.0 s  recording");
        assert_eq!(lines[2], "pool    live  refused");
        assert_eq!(lines[3], "imps       4");
        assert_eq!(lines[4], "sparks     2        7");
        let top = lines.iter().position(|line| line.starts_with("─")).expect("the selected pool");
        assert!(lines[top].contains(" imps "), "{lines:?}");
        assert!(lines[top + 1].contains("4 of 8 slots live"), "{lines:?}");
        assert!(lines[top + 2].starts_with("live lately, at most 8"), "{lines:?}");
        assert!(lines[top + 4].contains("slots: █ live, · free"), "{lines:?}");
        assert_eq!(lines[top + 5], "█····█··");
        assert_eq!(lines[23], "1 of 2   q quit   ↑ ↓ select   ← → sort   r reverse");
        assert_eq!(drawn.selected_line(), Some(3));
    }

    #[test]
    fn the_list_scrolls_to_the_selected_pool() {
        let pools = numbered(30);
        let pools: Vec<_> =
            pools.iter().map(|(name, live, n)| (name.as_str(), *live, *n)).collect();
        let mut drawn = Drawn::new(80, 10);
        assert!(drawn.draw(&pools)[3].starts_with("pool-00"));
        drawn.dashboard.follow(Wish::Last);
        let lines = drawn.draw(&pools);
        assert!(lines[8].starts_with("pool-29") && lines[9].starts_with("30 of 30"), "{lines:?}");
        drawn.dashboard.follow(Wish::Move(-3));
        drawn.draw(&pools);
        assert_eq!(drawn.dashboard.selected.as_deref(), Some("pool-26"));
        drawn.dashboard.follow(Wish::Move(100));
        drawn.dashboard.follow(Wish::First);
        drawn.dashboard.follow(Wish::Move(-1));
        assert!(drawn.draw(&pools)[3].starts_with("pool-00"));
        assert_eq!(drawn.selected_line(), Some(3));
    }

    #[test]
    fn the_selection_stays_with_its_pool_when_others_come_go_or_are_sorted() {
        let mut drawn = Drawn::new(80, 10);
        drawn.draw(&[("a", 1, 0), ("b", 2, 0), ("c", 3, 0)]);
        drawn.dashboard.follow(Wish::Move(1));
        // By name, then by live objects, the highest number first.
        drawn.dashboard.follow(Wish::SortByNext);
        drawn.dashboard.follow(Wish::SortByNext);
        let lines = drawn.draw(&[("a", 9, 0), ("b", 2, 0), ("c", 3, 0), ("d", 1, 0)]);
        let names: String = lines[3..7].iter().map(|line| &line[..1]).collect();
        assert_eq!((names.as_str(), drawn.selected_line()), ("acbd", Some(5)));
        drawn.dashboard.follow(Wish::Reverse);
        assert!(drawn.draw(&[("a", 9, 0), ("b", 2, 0)])[3].starts_with('b'));
        // It is gone, so the row in its place is selected, even if that is the last row or none.
        drawn.draw(&[("a", 9, 0)]);
        assert_eq!(drawn.dashboard.selected.as_deref(), Some("a"));
        assert_eq!(drawn.draw(&[])[2], "no pool");
        assert_eq!(drawn.dashboard.selected, None);
        drawn.dashboard.follow(Wish::Move(1));
        drawn.dashboard.follow(Wish::SortByNext);
        drawn.draw(&[("a", 9, 0)]);
        assert_eq!(drawn.dashboard.selected.as_deref(), Some("a"));
    }

    #[test]
    fn sorting_goes_round_through_the_columns_that_are_shown() {
        let mut drawn = Drawn::new(80, 10);
        let pools = [("a", 1, 0), ("b", 2, 0)];
        drawn.draw(&pools);
        let mut columns = Vec::new();
        for wish in [Wish::SortByNext, Wish::SortByNext, Wish::SortByNext, Wish::SortByPrevious] {
            drawn.dashboard.follow(wish);
            columns.extend(drawn.dashboard.sort.map(|sort| (sort.column, sort.is_descending)));
        }
        assert_eq!(columns, [(0, false), (1, true), (0, false), (1, true)], "none is refused");
    }

    #[test]
    fn every_size_of_a_window_is_drawn() {
        for (columns, rows) in [(1, 1), (3, 2), (20, 4), (79, 18), (80, 17), (300, 100), (12, 30)] {
            let lines = Drawn::new(columns, rows).draw(&[("imps", 4, 0), ("sparks", 2, 7)]);
            assert_eq!(lines.len(), usize::from(rows));
        }
    }
}
