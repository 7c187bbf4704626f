//! Columns of text.
//!
//! By hand, as comfy-table and tabled fit a table by wrapping cells into several lines or by cutting their
//! ends. Here a line stays a line: names are cut in the middle, where they differ least, unless a table asks for
//! whole names, and columns are dropped: those that the table says, in its order, then from the last one on.

use super::foreign::for_terminal;
use super::paint::Paint;
use super::wrap::{COLUMNS, columns, fitted};
use crate::error::shown;
use crate::trace::NO_NAME;

/// The separator of two columns.
const GAP: &str = "  ";

/// What a line below a row begins with.
const BELOW: &str = "      ";

/// The widest that a name gets, in columns.
const NAME_COLUMNS_MAX: usize = 44;

/// The narrowest that the first column of a table gets for the others' sake.
const FIRST_COLUMNS_MIN: usize = 12;

/// A table: the first column to the left, all others to the right unless they are prose.
#[derive(Debug)]
pub struct Table {
    columns_max: usize,
    first_columns_min: usize,
    /// The headings of the columns that are dropped before all others, in this order.
    give_way: &'static [&'static str],
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// The line below each row that has one, by its number.
    below: Vec<(usize, String)>,
}

#[derive(Debug)]
struct Column {
    heading: &'static str,
    to_the_left: bool,
}

impl Table {
    /// A table with these columns; a heading that begins with `<` is aligned to the left.
    pub fn new(headings: &[&'static str]) -> Self {
        let columns = headings
            .iter()
            .map(|heading| Column {
                heading: heading.trim_start_matches('<'),
                to_the_left: heading.starts_with('<'),
            })
            .collect();
        Self {
            columns_max: COLUMNS,
            first_columns_min: FIRST_COLUMNS_MIN,
            give_way: &[],
            columns,
            rows: Vec::new(),
            below: Vec::new(),
        }
    }

    /// The same table, at most `columns_max` columns wide instead of 80.
    pub fn of_width(self, columns_max: usize) -> Self {
        Self { columns_max, ..self }
    }

    /// The same table, which drops columns before it cuts a name: first those with these headings, in this order.
    pub fn with_whole_names(self, give_way: &'static [&'static str]) -> Self {
        Self { first_columns_min: usize::MAX, give_way, ..self }
    }

    /// Adds a row: one cell per column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a line below the last row, from its second column on: `line` gets the number of columns that there are.
    pub fn below(&mut self, line: impl FnOnce(usize) -> String) {
        if let Some(row) = self.rows.len().checked_sub(1) {
            self.below.push((row, line(self.columns_max - BELOW.len())));
        }
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as lines of text, each with its end.
    pub fn render(&self, paint: Paint) -> String {
        let widths = self.widths();
        let headings: Vec<&str> = self.columns.iter().map(|c| c.heading).collect();
        let mut out = paint.faint(&self.line(&headings, &widths));
        out.push('\n');
        let mut below = self.below.iter().peekable();
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            out.push_str(&self.line(&cells, &widths));
            out.push('\n');
            while let Some((_, line)) = below.next_if(|(row, _)| *row == number) {
                out.push_str(&paint.faint(&format!("{BELOW}{line}")));
                out.push('\n');
            }
        }
        out
    }

    /// The width of each column; 0 for those that are dropped for lack of room.
    pub fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> =
            (0..self.columns.len()).map(|column| self.width(column)).collect();
        self.fit(&mut widths);
        widths
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| columns(cell)).max().unwrap_or(0);
        widest.max(columns(self.columns[column].heading))
    }

    /// Narrows the first column, then drops others, until the lines fit a terminal.
    fn fit(&self, widths: &mut [usize]) {
        let taken = |widths: &[usize]| -> usize {
            let used = widths.iter().filter(|width| **width > 0);
            used.map(|width| width + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
        };
        let over = taken(widths).saturating_sub(self.columns_max);
        if let Some(first) = widths.first_mut() {
            *first = first.saturating_sub(over).max(self.first_columns_min.min(*first));
        }
        let place = |heading: &&str| self.columns.iter().position(|c| c.heading == *heading);
        let decided = self.give_way.iter().filter_map(place);
        for column in decided.chain((1..widths.len()).rev()) {
            if taken(widths) <= self.columns_max {
                break;
            }
            widths[column] = 0;
        }
    }

    fn line(&self, cells: &[&str], widths: &[usize]) -> String {
        let mut line = String::new();
        let mut is_first = true;
        for ((cell, &width), column) in cells.iter().zip(widths).zip(&self.columns) {
            if width == 0 {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                line.push_str(GAP);
            }
            let cell = fitted(cell, width);
            let gap = " ".repeat(width.saturating_sub(columns(&cell)));
            let (before, after) =
                if column.to_the_left { ("", gap.as_str()) } else { (gap.as_str(), "") };
            line.push_str(before);
            line.push_str(&cell);
            line.push_str(after);
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// A name from a trace as a cell: without control characters, and cut in the middle if it is long.
pub fn name_cell(name: &str) -> String {
    fitted(&shown(name.as_bytes()), NAME_COLUMNS_MAX)
}

/// A C++ function's name without its parameters and with only the first template argument: the
/// rest says little and is long.
pub fn short_function(function: &str) -> String {
    let mut short = String::new();
    let mut depth = 0_usize;
    let mut left_out = false;
    for c in function.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth == 1 => {
                depth = 0;
                left_out = false;
            }
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 1 && !left_out => {
                short.push_str(", …");
                left_out = true;
            }
            '(' if depth == 0 && !short.is_empty() => break,
            _ => {}
        }
        if !left_out {
            short.push(c);
        }
    }
    short
}

/// A function in at most this many columns: without what [`short_function`] leaves out, then without the modules that it is in,
/// the outermost first, and then without its middle.
pub fn function_up_to(function: &str, columns_max: usize) -> String {
    if let Some((NO_NAME, caller)) = function.split_once(" < ") {
        let of_caller = format!("{NO_NAME} < ");
        let room = columns_max.saturating_sub(columns(&of_caller));
        return fitted(&(of_caller + &function_up_to(caller, room)), columns_max);
    }
    let whole = for_terminal(&short_function(function)).into_owned();
    let mut name = whole.as_str();
    // In `<T as Trait>::method` and `new<T> in caller`, what comes before `::` may be the type.
    while columns(name) > columns_max
        && let Some((module, rest)) = name.split_once("::")
        && module.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        name = rest;
    }
    fitted(name, columns_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["<class", "lifetimes"]);
        table.row(vec!["Blood".to_owned(), "2,045".to_owned()]);
        table.row(vec!["BulletPuff".to_owned(), "10".to_owned()]);
        let expected = "class       lifetimes\nBlood           2,045\nBulletPuff         10\n";
        assert_eq!(table.render(Paint::new(false)), expected);
    }

    #[test]
    fn a_column_of_nothing_takes_no_room() {
        let mut table = Table::new(&["<a", "", "b"]);
        table.row(vec!["1".to_owned(), String::new(), "2".to_owned()]);
        assert_eq!(table.render(Paint::new(false)), "a  b\n1  2\n");
    }

    #[test]
    fn a_table_fits_a_terminal() {
        let mut table = Table::new(&["<class", "a", "b"]);
        table.row(vec!["x".repeat(44), "1".repeat(20), "2".repeat(20)]);
        let text = table.render(Paint::new(false));
        assert!(text.lines().all(|line| columns(line) <= COLUMNS), "{text}");
        assert!(text.contains(&"2".repeat(20)), "the first column gives way: {text}");
        table.row(vec![String::new(), "3".repeat(60), String::new()]);
        let text = table.render(Paint::new(false));
        assert!(text.lines().all(|line| columns(line) <= COLUMNS), "{text}");
    }

    #[test]
    fn names_stay_whole_and_the_columns_that_give_way_are_decided() {
        let headings = |a: usize| {
            let mut table =
                Table::new(&["<name", "a", "b", "c", "d"]).with_whole_names(&["b", "c"]);
            let cell = |digit: &str, columns: usize| digit.repeat(columns);
            table.row(vec!["x".repeat(30), cell("1", a), cell("2", 9), cell("3", 9), cell("4", 9)]);
            let text = table.render(Paint::new(false));
            assert!(text.lines().all(|line| columns(line) <= COLUMNS), "{text}");
            assert!(text.lines().nth(1).unwrap().starts_with(&"x".repeat(30)), "{text}");
            text.lines().next().unwrap().split_whitespace().collect::<String>()
        };
        // Name and gaps leave 42 columns for four figures.
        assert_eq!(headings(15), "nameabcd");
        assert_eq!(headings(16), "nameacd");
        assert_eq!(headings(26), "nameacd");
        assert_eq!(headings(27), "namead");
        assert_eq!(headings(38), "namea");
        assert_eq!(headings(49), "name");
    }

    #[test]
    fn functions_without_their_parameters() {
        assert_eq!(short_function("A::b(int)"), "A::b");
        assert_eq!(short_function("(no symbols) x"), "(no symbols) x");
        assert_eq!(short_function("main"), "main");
        let long = "Pool<Packet, unsigned, 7ul, (Kind)1, true>::GetNew(unsigned)";
        assert_eq!(short_function(long), "Pool<Packet, …>::GetNew");
        assert_eq!(short_function("A::operator>(A const&)"), "A::operator>");
    }

    #[test]
    fn a_line_below_a_row_is_as_long_as_a_terminal() {
        let mut table = Table::new(&["<class", "lives"]).of_width(20);
        table.below(|_| panic!("there is no row"));
        table.row(vec!["Imp".to_owned(), "2".to_owned()]);
        table.below(|columns| "x".repeat(columns));
        table.row(vec!["Puff".to_owned(), "1".to_owned()]);
        let expected = "class  lives\nImp        2\n      xxxxxxxxxxxxxx\nPuff       1\n";
        assert_eq!(table.render(Paint::new(false)), expected);
    }

    #[test]
    fn functions_lose_their_modules_before_their_names() {
        let name = "bevy_ecs::world::command_queue::RawCommandQueue::push<(A, B)>";
        assert_eq!(
            function_up_to(name, 60),
            "bevy_ecs::world::command_queue::RawCommandQueue::push<(A, …>"
        );
        assert_eq!(function_up_to(name, 40), "RawCommandQueue::push<(A, …>");
        assert_eq!(function_up_to(name, 20), "push<(A, …>");
        assert_eq!(function_up_to(name, 8), "push… …>");
        let of_type = "<game::very::long::Path as core::clone::Clone>::clone";
        assert_eq!(function_up_to(of_type, 21), "<game::ver…ne>::clone");
        assert_eq!(function_up_to("new<[u8; 200]> in shoot", 30), "new<[u8; 200]> in shoot");
        assert_eq!(function_up_to("(no name) < Sort(int)", 30), "(no name) < Sort");
        assert_eq!(function_up_to("a\x1b[31m", 30), "a\\u{1b}[31m");
        for columns_max in 1..70 {
            for name in [name, of_type, "(no name) < A::b()", "弾丸プール::弾丸", ""] {
                assert!(columns(&function_up_to(name, columns_max)) <= columns_max);
            }
        }
    }

    #[test]
    fn names_are_made_harmless_and_short() {
        assert_eq!(name_cell("a\x1b[31m"), "a\\u{1b}[31m");
        assert_eq!(columns(&name_cell(&"x".repeat(300))), NAME_COLUMNS_MAX);
    }
}
