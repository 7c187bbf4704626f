//! PostgreSQL on tokio, with the crate tokio-postgres.

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Waker};

use ::tokio_postgres::config::TargetSessionAttrs;
use ::tokio_postgres::error::{DbError, Severity};
use ::tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use ::tokio_postgres::types::ToSql;
use ::tokio_postgres::{
    Client, Config, Error, NoTls, Row, SimpleQueryMessage, Socket, Statement, ToStatement,
    Transaction,
};
use tokio::task::JoinHandle;

use super::postgres_common::{
    NO_SESSION_TO_RESET, SESSION, Statements, Terms, fails_for_good, postgres_maker,
    postgres_queries,
};
use crate::maker::Maker;

/// The future of a function that sets up a connection.
type SettingUp<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

type SetUp = Box<dyn for<'a> Fn(&'a Connection) -> SettingUp<'a> + Send + Sync>;

postgres_maker! {
    /// Opens connections to a PostgreSQL server. The keeper must run on tokio.
    Config, TargetSessionAttrs,
    "the client sends `begin` and `rollback` when the loan ends. Nobody waits for their answers, \
     because the server answers the next caller's queries after them. Each counts as a transaction \
     that was rolled back in `pg_stat_database`."
}

postgres_queries! { Statement, ToStatement, [async], [.await], [] }

impl<T> Postgres<T> {
    /// Calls a function with each new connection, for example for the settings of its session, and to
    /// prepare the statements that callers use, so that the first of them finds them prepared.
    ///
    /// A statement that is wrong is told to all waiting callers at once, as
    /// [`Opening`](crate::AcquireError::Opening), if its SQLSTATE says that a further attempt would
    /// fail as well.
    ///
    /// ```no_run
    /// use millpond_lend::makers::tokio_postgres::Postgres;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let maker = Postgres::new("host=db user=cook dbname=orders".parse()?).set_up(|connection| {
    ///     Box::pin(async move {
    ///         connection.batch_execute("set statement_timeout = '5s'").await?;
    ///         connection.prepare_cached("select dish from orders where number = $1").await?;
    ///         Ok(())
    ///     })
    /// });
    /// # drop(maker);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn set_up(
        mut self,
        set_up: impl for<'a> Fn(&'a Connection) -> SettingUp<'a> + Send + Sync + 'static,
    ) -> Self {
        self.set_up = Some(Box::new(set_up));
        self
    }

    async fn run_set_up(&self, connection: &mut Connection) -> Result<(), Error> {
        if let Some(set_up) = &self.set_up {
            set_up(connection).await?;
            self.end_what_may_be_open(connection);
        }
        Ok(())
    }

    fn end_what_may_be_open(&self, connection: &mut Connection) {
        let may_be_open = std::mem::take(connection.may_be_in_transaction.get_mut());
        if may_be_open && self.terms.ends_transactions {
            connection.end_transaction();
        }
    }
}

/// A connection: the client, its prepared statements, and the task that reads from the server.
/// Dropping it ends both at once, even if the server no longer answers.
///
/// If a caller does not wait for the answer to one of its own methods, as after a timeout or if its task
/// is cancelled, the connection is closed when the loan ends, and the server is asked to stop the query.
/// With the client's other methods and within its `Transaction`, use
/// [`Loan::exchange`](crate::Loan::exchange).
pub struct Connection {
    client: Client,
    statements: Mutex<Statements<Statement>>,
    /// The number of the session's process, if sessions are reset.
    session: Option<String>,
    /// Whether the current caller may have left a transaction open.
    may_be_in_transaction: AtomicBool,
    /// Whether a caller has met the connection's end.
    has_failed: AtomicBool,
    /// How many queries were sent whose answers nobody has received.
    unanswered: AtomicUsize,
    task: JoinHandle<()>,
}

impl Connection {
    /// Returns a prepared statement of this text, which is prepared only once for each connection.
    /// A query with it takes one round trip; one with a text waits for another one, to prepare it, and closes the
    /// statement afterwards.
    ///
    /// A connection keeps 256 statements, and then forgets the one that was used longest ago.
    ///
    /// ```no_run
    /// use millpond_lend::Lender;
    /// use millpond_lend::makers::tokio_postgres::Postgres;
    ///
    /// # async fn of(lender: Lender<Postgres>) -> Result<(), Box<dyn std::error::Error>> {
    /// let connection = lender.acquire().await?;
    /// let dish = connection.prepare_cached("select dish from orders where number = $1").await?;
    /// let row = connection.query_one(&dish, &[&7]).await?;
    /// # drop(row);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the statement cannot be prepared.
    pub async fn prepare_cached(&self, query: &str) -> Result<Statement, Error> {
        let kept = self.statements().get(query);
        if let Some(statement) = kept {
            return Ok(statement);
        }
        let statement = self.answered(self.client.prepare(query)).await?;
        self.statements().keep(query, statement.clone());
        Ok(statement)
    }

    /// Forgets the statements that [`prepare_cached`](Self::prepare_cached) has kept: after
    /// `deallocate all` or `discard all`, and if a table has changed so that the server refuses them.
    pub fn forget_prepared(&self) {
        self.statements().clear();
    }

    fn statements(&self) -> std::sync::MutexGuard<'_, Statements<Statement>> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_begin(&self, may_begin: bool) {
        if may_begin {
            self.may_be_in_transaction.store(true, Relaxed);
        }
    }

    /// Waits for the answer to a query. If the caller does not, the query stays unanswered.
    async fn answered<R>(&self, call: impl Future<Output = Result<R, Error>>) -> Result<R, Error> {
        self.unanswered.fetch_add(1, Relaxed);
        let result = call.await;
        self.unanswered.fetch_sub(1, Relaxed);
        if result.as_ref().is_err_and(ends_connection) {
            self.has_failed.store(true, Relaxed);
        }
        result
    }

    /// Ends the transaction that is open, if one is, without waiting: the server answers everything that is sent later after
    /// this. `rollback` outside of a transaction would be a warning in the server's log. `begin` inside of one is a
    /// warning, and an error in one that has failed, so it is sent by itself.
    fn end_transaction(&self) {
        let mut cx = Context::from_waker(Waker::noop());
        for query in ["begin", "rollback"] {
            // The first poll sends it. Its answer is received, and dropped.
            let _ = pin!(self.client.batch_execute(query)).poll(&mut cx);
        }
    }
}

impl Deref for Connection {
    type Target = Client;

    /// What happens to the client from here on is unknown.
    fn deref(&self) -> &Client {
        self.note_begin(true);
        &self.client
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Client {
        self.note_begin(true);
        &mut self.client
    }
}

impl AsRef<Client> for Connection {
    fn as_ref(&self) -> &Client {
        self
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_closed", &self.client.is_closed()).finish()
    }
}

impl<T> Maker for Postgres<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::TlsConnect: Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    type Object = Connection;
    type Error = Error;

    async fn open(&self) -> Result<Connection, Error> {
        let (client, connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            // Its end shows in the client: every query fails.
            let _ = connection.await;
        });
        let statements = Mutex::new(Statements::new());
        let mut connection = Connection {
            client,
            statements,
            session: None,
            may_be_in_transaction: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            unanswered: AtomicUsize::new(0),
            task,
        };
        if self.terms.resets_session {
            if self.has_met_pooler.load(Relaxed) {
                connection.client.simple_query(NO_SESSION_TO_RESET).await?;
            }
            let session = connection.client.simple_query(SESSION).await?;
            connection.session = last_value(&session).map(str::to_owned);
        }
        self.run_set_up(&mut connection).await?;
        Ok(connection)
    }

    async fn check(&self, connection: &mut Connection) -> Result<(), Error> {
        if let Some(reset) = self.terms.reset() {
            let answer = connection.client.simple_query(reset).await?;
            if last_value(&answer) != connection.session.as_deref() {
                self.has_met_pooler.store(true, Relaxed);
                connection.client.simple_query(NO_SESSION_TO_RESET).await?;
            }
            self.run_set_up(connection).await?;
        }
        for query in self.terms.writable().into_iter().chain(self.terms.alive()) {
            connection.client.simple_query(query).await?;
        }
        Ok(())
    }

    /// Ends the transaction as well, so that a check that follows finds none.
    fn is_broken(&self, connection: &mut Connection) -> bool {
        if connection.client.is_closed() || *connection.has_failed.get_mut() {
            return true;
        }
        self.end_what_may_be_open(connection);
        false
    }

    fn is_interrupted(&self, connection: &mut Connection) -> bool {
        *connection.unanswered.get_mut() > 0
    }

    fn needs_check(&self, _: &mut Connection) -> bool {
        self.terms.needs_check()
    }

    fn is_final(&self, error: &Error) -> bool {
        fails_for_good(error.code().map(|code| code.code()), error)
    }

    /// Asks the server to stop a query whose caller has gone; it would run to its end.
    async fn close(&self, mut connection: Connection) {
        if *connection.unanswered.get_mut() > 0 && !connection.client.is_closed() {
            let cancel = connection.client.cancel_token();
            // The connection is closed all the same.
            let _ = cancel.cancel_query(self.tls.clone()).await;
        }
    }
}
