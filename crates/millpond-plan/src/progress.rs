//! How far a reading is, for whoever shows it: a terminal, a page, or nobody.

/// Shows one reading of an input, until it is dropped.
pub trait Progress {
    /// Reports how much has been read; called for every block, so it should be cheap.
    fn update(&mut self, bytes_read: u64, events: u64);
}

/// Begins to show a reading: what it does, such as `reading game.csv`, and the stored bytes that it will read.
pub type Show = fn(&str, u64) -> Box<dyn Progress>;

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _: u64, _: u64) {}
}
