//! One reading of all summaries.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use super::partial::Partial;
use crate::error::{Failure, Fault};
use crate::input::Source;
use crate::summary::{Row, Rows};

/// The summaries to merge, or what earlier merges have written of parts of them. A file is open only while it is being read: there may be more files than a
/// program may have open.
#[derive(Debug)]
pub struct Inputs {
    inputs: Vec<Input>,
    open: Open,
}

/// Opens a summary by its path, such as [`Source::from_path`].
pub type Open = fn(&Path) -> Result<Source, Fault>;

#[derive(Debug)]
struct Input {
    path: PathBuf,
    name: String,
    /// An input that cannot be opened again by its path.
    kept: Option<Source>,
}

/// Visits all lines of all summaries, session by session.
pub(super) trait Visit {
    /// A class of a session.
    fn row(&mut self, row: &Row<'_>, path: &str) -> Result<(), Fault>;
    /// Ends the session whose lines were just visited.
    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault>;
    /// What an earlier merge has written of a part of the sessions. Returns what tells these from others.
    fn partial(&mut self, partial: Partial) -> Result<u64, Fault>;
}

/// A session whose lines have all been visited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended<'s> {
    pub(super) name: &'s str,
    pub(super) path: &'s str,
    /// A hash of all its lines.
    pub(super) hash: u64,
}

impl Inputs {
    /// The summaries at these paths.
    #[must_use]
    #[inline]
    pub fn new(paths: &[PathBuf], open: Open) -> Self {
        let input = |path: &PathBuf| Input {
            path: path.clone(),
            name: path.to_string_lossy().into_owned(),
            kept: None,
        };
        Self { inputs: paths.iter().map(input).collect(), open }
    }

    /// One summary that is part of the program.
    #[must_use]
    #[inline]
    pub fn from_memory(name: &str, bytes: &'static [u8]) -> Self {
        let kept = Some(Source::from_memory(bytes));
        let input = Input { path: PathBuf::new(), name: name.to_owned(), kept };
        Self { inputs: vec![input], open: Source::from_path }
    }

    /// Shows all lines to a visitor; returns what tells these sessions from others.
    pub(super) fn visit(&mut self, visitor: &mut impl Visit) -> Result<u64, Failure> {
        let mut seen = 0_u64;
        for input in &mut self.inputs {
            let in_one =
                input.visit(visitor, self.open).map_err(|fault| fault.of_input(&input.name))?;
            seen = seen.wrapping_add(in_one);
        }
        Ok(seen)
    }
}

impl Input {
    fn visit(&mut self, visitor: &mut impl Visit, open: Open) -> Result<u64, Fault> {
        let source = match self.kept.take() {
            Some(kept) => kept,
            None => open(&self.path)?,
        };
        let mut text = source.open()?;
        // No summary begins like this: its first line is a header.
        if text.first_byte()? == Some(b'{') {
            let seen = visitor.partial(Partial::read(&mut text)?);
            drop(text);
            self.keep(source);
            return seen;
        }
        let mut rows = Rows::new(text);
        let mut seen = 0_u64;
        let mut session: Option<(String, DefaultHasher)> = None;
        let mut end = |session: Option<(String, DefaultHasher)>, visitor: &mut _| {
            let Some((name, hasher)) = session else { return Ok(()) };
            let hash = hasher.finish();
            seen = seen.wrapping_add(hash);
            Visit::end_session(visitor, &Ended { name: &name, path: &self.name, hash })
        };
        while let Some(row) = rows.advance()? {
            if row.begins_session {
                end(session.take(), visitor)?;
            }
            let (_, hasher) =
                session.get_or_insert_with(|| (row.session.to_owned(), DefaultHasher::new()));
            hasher.write_u64(row.hash);
            visitor.row(&row, &self.name)?;
        }
        end(session.take(), visitor)?;
        drop(rows);
        self.keep(source);
        Ok(seen)
    }

    /// Keeps what cannot be opened again.
    #[inline]
    fn keep(&mut self, source: Source) {
        if !source.is_file() {
            self.kept = Some(source);
        }
    }
}
