//! Colours in the output.

use std::io::IsTerminal;
use std::sync::OnceLock;

/// When there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// If standard output is a terminal and `NO_COLOR` is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The choice of the command line; set once, before anything is printed.
static WHEN: OnceLock<When> = OnceLock::new();

/// Sets when there is colour.
pub(crate) fn set_when(when: When) {
    // A second call changes nothing: the command line is read once.
    let _ = WHEN.set(when);
}

/// Puts colour around text, or leaves it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Colour as the user has chosen; by default, if standard output is a terminal and `NO_COLOR` is
    /// not set.
    pub(crate) fn for_stdout() -> Self {
        let on = match WHEN.get() {
            Some(When::Always) => true,
            Some(When::Never) => false,
            Some(When::Auto) | None => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                std::io::stdout().is_terminal() && !unwanted
            }
        };
        Self { on }
    }

    /// Whether there is colour.
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// No colour.
    #[cfg(test)]
    pub(crate) fn off() -> Self {
        Self { on: false }
    }

    /// Emphasised text.
    pub(crate) fn strong(self, text: &str) -> String {
        self.wrapped("1", text)
    }

    /// Dimmed text.
    pub(crate) fn faint(self, text: &str) -> String {
        self.wrapped("2", text)
    }

    /// Emphasised lines.
    pub(crate) fn strong_lines(self, lines: &str) -> String {
        self.each_line("1", lines)
    }

    /// Dimmed lines.
    pub(crate) fn faint_lines(self, lines: &str) -> String {
        self.each_line("2", lines)
    }

    /// A check that succeeded.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrapped("32", text)
    }

    /// A check that failed.
    pub(crate) fn bad(self, text: &str) -> String {
        self.wrapped("1;31", text)
    }

    fn each_line(self, code: &str, lines: &str) -> String {
        lines.lines().map(|line| self.wrapped(code, line) + "\n").collect()
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
