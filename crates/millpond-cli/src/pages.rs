//! Completion scripts and manual pages: files of this package, which `tools/pages` writes from the argument parsers of
//! all commands, so that neither their generators nor the other commands are needed to build the tool.

use millpond_plan::error::{Failure, shown};

/// The shells with completion scripts.
#[expect(clippy::enum_variant_names, reason = "PowerShell is called so")]
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Shell {
    /// Bash.
    Bash,
    /// Elvish.
    Elvish,
    /// Fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
    /// Zsh.
    Zsh,
}

/// The manual pages by the command's name; that of the tool itself has none.
const MANUAL: [(Option<&str>, &str); 14] = [
    (None, include_str!("../pages/millpond.1")),
    (Some("plan"), include_str!("../pages/millpond-plan.1")),
    (Some("record"), include_str!("../pages/millpond-record.1")),
    (Some("check"), include_str!("../pages/millpond-check.1")),
    (Some("diff"), include_str!("../pages/millpond-diff.1")),
    (Some("export"), include_str!("../pages/millpond-export.1")),
    (Some("merge"), include_str!("../pages/millpond-merge.1")),
    (Some("replay"), include_str!("../pages/millpond-replay.1")),
    (Some("odds"), include_str!("../pages/millpond-odds.1")),
    (Some("soak"), include_str!("../pages/millpond-soak.1")),
    (Some("watch"), include_str!("../pages/millpond-watch.1")),
    (Some("generate"), include_str!("../pages/millpond-generate.1")),
    (Some("completions"), include_str!("../pages/millpond-completions.1")),
    (Some("man"), include_str!("../pages/millpond-man.1")),
];

/// Prints the completion script for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    millpond_terminal::print(match shell {
        Shell::Bash => include_str!("../pages/millpond.bash"),
        Shell::Elvish => include_str!("../pages/millpond.elv"),
        Shell::Fish => include_str!("../pages/millpond.fish"),
        Shell::PowerShell => include_str!("../pages/_millpond.ps1"),
        Shell::Zsh => include_str!("../pages/_millpond"),
    })
}

/// Prints the manual page of the tool, or of one of its commands.
pub(crate) fn man(command: Option<&str>) -> Result<(), Failure> {
    let page = MANUAL.iter().find(|(name, _)| *name == command);
    let (_, text) = page.ok_or_else(|| {
        let name = shown(command.unwrap_or_default().as_bytes());
        Failure::Arguments(format!("there is no command `{name}` (see --help)"))
    })?;
    millpond_terminal::print(text)
}
