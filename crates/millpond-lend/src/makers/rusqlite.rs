//! SQLite, with the crate rusqlite and its bundled SQLite.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ::rusqlite::{Connection, Error, ErrorCode};

use crate::blocking::BlockingMaker;

type SetUp = Box<dyn Fn(&mut Connection) -> Result<(), Error> + Send + Sync>;

/// Opens connections to a database file.
///
/// A connection that is returned in the middle of a transaction is closed, and SQLite rolls back.
///
/// This is a maker of blocking calls, for a [`BlockingLender`](crate::BlockingLender). An
/// asynchronous program uses `Lender::builder(Threaded::new(Sqlite::new(path)))`; see
/// [`Threaded`](crate::Threaded).
///
/// ```
/// use millpond_lend::BlockingLender;
/// use millpond_lend::makers::rusqlite::Sqlite;
///
/// let file = std::env::temp_dir().join(format!("millpond-lend-doc-{}.db", std::process::id()));
/// let maker = Sqlite::new(&file).set_up(|connection| {
///     connection.execute_batch("create table if not exists orders (dish text)")
/// });
/// let lender = BlockingLender::builder(maker).capacity(2).build()?;
///
/// let connection = lender.acquire()?;
/// connection.execute("insert into orders values (?1)", ["soup"])?;
/// let count: u64 = connection.query_row("select count(*) from orders", [], |row| row.get(0))?;
/// assert_eq!(count, 1);
/// # drop((connection, lender));
/// # std::fs::remove_file(file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sqlite {
    path: PathBuf,
    busy_timeout: Duration,
    set_up: Option<SetUp>,
}

impl Sqlite {
    /// Creates a maker of connections to the file at `path`, which is created if it does not exist.
    /// They wait up to five seconds for each other's locks.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), busy_timeout: Duration::from_secs(5), set_up: None }
    }

    /// Sets how long a connection waits for another's lock.
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Calls a function with each new connection, for example to set pragmas or create tables. A
    /// statement that is wrong is told to all waiting callers at once, as
    /// [`Opening`](crate::AcquireError::Opening); locks and a full disk may pass, so openings are
    /// then tried again until the callers' time is over.
    #[must_use]
    pub fn set_up(
        mut self,
        set_up: impl Fn(&mut Connection) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self {
        self.set_up = Some(Box::new(set_up));
        self
    }
}

/// Reads the file, which SQLite does only when it is used, so that a file that is no database is not lent. A file that
/// is locked may be one.
fn read_header(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(Duration::ZERO)?;
    match connection.query_row("pragma schema_version", [], |_| Ok(())) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        read => read,
    }
}

/// Whether an error may be gone at the next attempt, although nobody changes the program or the file.
fn may_pass(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::OperationInterrupted
            | ErrorCode::OperationAborted
            | ErrorCode::SystemIoFailure
            | ErrorCode::DiskFull
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::SchemaChanged
    )
}

impl BlockingMaker for Sqlite {
    type Object = Connection;
    type Error = Error;

    fn open(&self) -> Result<Connection, Error> {
        let mut connection = Connection::open(&self.path)?;
        read_header(&connection)?;
        connection.busy_timeout(self.busy_timeout)?;
        if let Some(set_up) = &self.set_up {
            set_up(&mut connection)?;
        }
        Ok(connection)
    }

    fn check(&self, connection: &mut Connection) -> Result<(), Error> {
        connection.query_row("select 1", [], |_| Ok(()))
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_autocommit()
    }

    fn is_final(&self, error: &Error) -> bool {
        !error.sqlite_error_code().is_some_and(may_pass)
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}
