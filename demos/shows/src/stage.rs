use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use millpond_lend::with_causes;

#[derive(Debug, Parser)]
#[group(skip)]
struct Options<O: Args> {
    /// Where to write the pictures and sounds [default: target/demos/<name of the demo>]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Show less of it, in a moment: for tests
    #[arg(long)]
    short: bool,

    #[command(flatten)]
    own: O,
}

#[derive(Debug, Args)]
struct NoOptions {}

/// Where a demo plays.
#[derive(Debug)]
pub struct Stage {
    output: PathBuf,
    /// Whether only a short form of it is asked for.
    pub is_short: bool,
}

/// Why a demo ends early.
#[derive(Debug)]
pub enum Failure {
    /// What the demo shows is not true.
    Untrue(String),
    /// Something that it needs could not be done.
    Impossible(String),
}

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Impossible(with_causes(&error).to_string())
    }
}

/// Ends the demo unless what it shows is true.
///
/// # Errors
///
/// If it is not: [`Failure::Untrue`].
pub fn check(is_true: bool, claim: impl fmt::Display) -> Result<(), Failure> {
    if is_true { Ok(()) } else { Err(Failure::Untrue(claim.to_string())) }
}

/// Plays a demo: exit code 0 if all went well, 1 if what it shows is not true, 2 if it could not be shown.
pub fn play(name: &str, demo: impl FnOnce(&Stage) -> Result<(), Failure>) -> ExitCode {
    play_with(name, |stage, _: NoOptions| demo(stage))
}

/// Plays a demo that has options of its own: [`play`].
pub fn play_with<O: Args>(
    name: &str,
    demo: impl FnOnce(&Stage, O) -> Result<(), Failure>,
) -> ExitCode {
    let Options { output, short, own } = Options::<O>::parse();
    let output = output.unwrap_or_else(|| Path::new("target/demos").join(name));
    match Stage::build(output, short).and_then(|stage| demo(&stage, own)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Untrue(claim)) => {
            eprintln!("{name}: not true: {claim}");
            ExitCode::from(1)
        }
        Err(Failure::Impossible(error)) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
    }
}

impl Stage {
    fn build(output: PathBuf, is_short: bool) -> Result<Self, Failure> {
        std::fs::create_dir_all(&output)
            .map_err(|error| Failure::Impossible(format!("{}: {error}", output.display())))?;
        Ok(Self { output, is_short })
    }

    /// Where a file of this name is written.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.output.join(name)
    }

    /// Writes a file of this name with what `write` puts into it, and says where it is.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the error says which file.
    pub fn write<E: fmt::Display>(
        &self,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let path = self.path(name);
        write(&path)
            .map_err(|error| Failure::Impossible(format!("{}: {error}", path.display())))?;
        crate::say!("wrote {}", path.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Unsent(std::io::Error);

    impl fmt::Display for Unsent {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the order was not sent")
        }
    }

    impl Error for Unsent {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn an_error_is_told_with_its_causes() {
        let failure = Failure::from(Unsent(std::io::Error::other("connection reset")));
        assert!(
            matches!(&failure, Failure::Impossible(text) if text == "the order was not sent: connection reset"),
            "{failure:?}"
        );
    }
}
