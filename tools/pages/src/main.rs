//! Writes the completion scripts and manual pages of all commands to `crates/millpond-cli/pages`, from the argument
//! parsers: `cargo run -p millpond-pages`. A test compares them with the files.

mod examples;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::Shell;

fn main() -> std::io::Result<()> {
    let directory = directory();
    for (name, text) in pages()? {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(())
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/millpond-cli/pages")
}

/// The tool with the commands that are programs of their own.
fn tool() -> Command {
    millpond_cli::Arguments::command()
        .subcommand(millpond_watch::WatchArguments::command().name("watch"))
        .subcommand(millpond_soak::SoakArguments::command().name("soak"))
}

/// The tool as its user sees it: the commands that are hidden are for the tool itself, and the scripts have all that they are
/// given.
fn shown(tool: &Command) -> Command {
    let commands = tool.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new("millpond")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(tool.get_arguments().cloned())
        .subcommands(commands.cloned())
}

/// The texts of all pages by the names of their files.
fn pages() -> std::io::Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    for (shell, name) in [
        (Shell::Bash, "millpond.bash"),
        (Shell::Elvish, "millpond.elv"),
        (Shell::Fish, "millpond.fish"),
        (Shell::PowerShell, "_millpond.ps1"),
        (Shell::Zsh, "_millpond"),
    ] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut shown(&tool()), "millpond", &mut script);
        pages.insert(name.to_owned(), text(script));
    }
    let mut built = tool();
    // Commands know their full names only after the whole parser is built.
    built.build();
    pages.insert("millpond.1".to_owned(), manual(built.clone())?);
    for command in built.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages.insert(format!("millpond-{}.1", command.get_name()), manual(command.clone())?);
    }
    Ok(pages)
}

fn manual(command: Command) -> std::io::Result<String> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    let page = text(page);
    let Some((before, extra)) = page.split_once(".SH EXTRA\n") else { return Ok(page) };
    // No line of the text begins with a point.
    let rest = extra.find(".SH ").map_or("", |at| &extra[at..]);
    Ok([before, &examples::sections(&after), rest].concat())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("all help is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap breaks longer lines, and what is broken off begins in the first column.
    #[test]
    fn no_line_of_examples_is_broken_and_their_columns_agree() {
        let mut built = tool();
        built.build();
        let commands = std::iter::once(&built).chain(built.get_subcommands());
        let mut entries = 0;
        for command in commands {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let name = command.get_name();
            for section in text.split("\n\n") {
                let mut columns = Vec::new();
                for line in section.lines() {
                    assert!(line.chars().count() <= 80, "{name}: {line}");
                    let content = line.trim_start();
                    let indent = line.len() - content.len();
                    match content.split_once("  ") {
                        _ if indent > 2 => columns.push(indent),
                        Some((of, said)) => {
                            columns
                                .push(indent + of.len() + 2 + said.len() - said.trim_start().len());
                        }
                        None => {}
                    }
                }
                entries += columns.len();
                assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "{name}: {section}");
            }
        }
        assert!(entries > 10, "{entries}");
    }

    #[test]
    fn no_script_completes_a_hidden_command() {
        let tool = tool();
        let hidden: Vec<_> =
            tool.get_subcommands().filter(|command| command.is_hide_set()).collect();
        assert!(!hidden.is_empty());
        let pages = pages().expect("memory");
        for (file, script) in pages.iter().filter(|(file, _)| !file.ends_with(".1")) {
            // Bash has the words alone, and a function for each command, and the others have what a command does.
            let words = script.lines().filter_map(|line| line.trim().strip_prefix("opts="));
            let words: Vec<_> = words.flat_map(|line| line.split([' ', '"'])).collect();
            for command in &hidden {
                let (name, about) = (command.get_name(), command.get_about().expect("words"));
                assert!(!words.contains(&name), "{file}: {name}");
                assert!(!script.contains(&format!("subcmd__{name}")), "{file}: {name}");
                assert!(!script.contains(&about.to_string()), "{file}: {name}");
            }
        }
    }

    #[test]
    fn the_pages_are_those_of_the_commands() {
        let pages = pages().expect("memory");
        for (name, text) in &pages {
            let kept = std::fs::read_to_string(directory().join(name)).expect(name);
            assert!(kept == *text, "{name} is not current: cargo run -p millpond-pages");
        }
        let files = std::fs::read_dir(directory()).expect("a directory");
        let files = files.map(|file| file.expect("a file").file_name().into_string());
        let files: Vec<String> = files.map(|name| name.expect("UTF-8")).collect();
        assert!(files.iter().all(|file| pages.contains_key(file)), "{files:?}");
    }
}
