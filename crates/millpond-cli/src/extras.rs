//! Shell completions and the manual page, both made from the argument parser.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::error::Failure;

/// Prints the completion script for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "millpond", &mut script);
    crate::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page.
pub(crate) fn man() -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command())
        .render(&mut page)
        .map_err(|e| Failure::from_stdout(&e))?;
    crate::print(&String::from_utf8_lossy(&page))
}
