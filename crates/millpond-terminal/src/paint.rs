//! Whether there is colour.

use std::io::IsTerminal;
use std::sync::OnceLock;

use millpond_plan::output::paint::Paint;

/// When to use colour.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Color {
    /// When to use colour.
    // Below the options of the commands.
    #[arg(long = "color", global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto, display_order = 998)]
    pub when: When,
}

/// When there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
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
pub fn set_when(when: When) {
    // A second call changes nothing: the command line is read once.
    let _ = WHEN.set(when);
}

/// Colour as the user has chosen; by default, if standard output is a terminal and `NO_COLOR` is not set.
#[must_use]
pub fn paint() -> Paint {
    Paint::new(match WHEN.get() {
        Some(When::Always) => true,
        Some(When::Never) => false,
        Some(When::Auto) | None => {
            let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            std::io::stdout().is_terminal() && !unwanted
        }
    })
}
