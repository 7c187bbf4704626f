//! Colour, where it is wanted.

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

/// What the command line says; said once, before anything is printed.
static WHEN: OnceLock<When> = OnceLock::new();

/// Says when there is colour.
pub(crate) fn set_when(when: When) {
    // A second word changes nothing: the command line is read once.
    let _ = WHEN.set(when);
}

/// Puts colour around text, or leaves it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Colour as the user has said; without a word, if standard output is a terminal and `NO_COLOR` is
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

    /// What is to be seen first.
    pub(crate) fn strong(self, text: &str) -> String {
        self.wrapped("1", text)
    }

    /// What is only there to be looked up.
    pub(crate) fn faint(self, text: &str) -> String {
        self.wrapped("2", text)
    }

    /// Lines that are to be seen first.
    pub(crate) fn strong_lines(self, lines: &str) -> String {
        self.each_line("1", lines)
    }

    /// Lines that are only there to be looked up.
    pub(crate) fn faint_lines(self, lines: &str) -> String {
        self.each_line("2", lines)
    }

    /// What has been shown to hold.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrapped("32", text)
    }

    /// What does not hold.
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
