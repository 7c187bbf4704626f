//! Colour, where it is wanted.

use std::io::IsTerminal;

/// Puts colour around text, or leaves it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Colour if standard output is a terminal and `NO_COLOR` is not set.
    pub(crate) fn for_stdout() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { on: std::io::stdout().is_terminal() && !unwanted }
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

    /// What has been shown to hold.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrapped("32", text)
    }

    /// What does not hold.
    pub(crate) fn bad(self, text: &str) -> String {
        self.wrapped("1;31", text)
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
