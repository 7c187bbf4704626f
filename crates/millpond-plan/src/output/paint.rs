//! Colours in text for a terminal.

/// Puts colour around text, or leaves it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colour, or none.
    #[must_use]
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// Whether there is colour.
    pub fn is_on(self) -> bool {
        self.on
    }

    /// Emphasised text.
    pub fn strong(self, text: &str) -> String {
        self.wrapped("1", text)
    }

    /// Dimmed text.
    pub fn faint(self, text: &str) -> String {
        self.wrapped("2", text)
    }

    /// Emphasised lines.
    pub fn strong_lines(self, lines: &str) -> String {
        self.each_line("1", lines)
    }

    /// Dimmed lines.
    pub fn faint_lines(self, lines: &str) -> String {
        self.each_line("2", lines)
    }

    /// A check that succeeded.
    pub fn good(self, text: &str) -> String {
        self.wrapped("32", text)
    }

    /// A check that failed.
    pub fn bad(self, text: &str) -> String {
        self.wrapped("1;31", text)
    }

    fn each_line(self, code: &str, lines: &str) -> String {
        lines.lines().map(|line| self.wrapped(code, line) + "\n").collect()
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
