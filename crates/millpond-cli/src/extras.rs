//! Shell completions and the manual page, both made from the argument parser.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::error::{Failure, shown};

/// Prints the completion script for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "millpond", &mut script);
    crate::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the tool, or of one of its commands.
pub(crate) fn man(command: Option<&str>) -> Result<(), Failure> {
    let mut tool = Arguments::command();
    // Commands know their full names only after the whole parser is built.
    tool.build();
    let tool = match command {
        None => tool,
        Some(name) => tool.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::Arguments(format!(
                "there is no command `{}` (see --help)",
                shown(name.as_bytes())
            ))
        })?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(tool).render(&mut page).map_err(|e| Failure::from_stdout(&e))?;
    crate::print(&String::from_utf8_lossy(&page))
}
