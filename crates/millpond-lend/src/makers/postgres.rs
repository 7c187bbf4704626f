//! PostgreSQL for threads, with the crate postgres.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ::postgres::config::{Config, TargetSessionAttrs};
use ::postgres::error::{DbError, Severity};
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::types::ToSql;
use ::postgres::{
    Client, Error, NoTls, Row, SimpleQueryMessage, Socket, Statement, ToStatement, Transaction,
};

use super::postgres_common::{
    NO_SESSION_TO_RESET, SESSION, Statements, Terms, fails_for_good, postgres_maker,
    postgres_queries,
};
use crate::blocking::BlockingMaker;

/// Asks whether the session is between two transactions: outside one, a query has its own, which begins with the query.
const IS_BETWEEN_TRANSACTIONS: &str =
    "select pg_catalog.now() operator(pg_catalog.=) pg_catalog.statement_timestamp()";

/// The SQLSTATE of every query in a transaction that has failed but not ended.
const IN_FAILED_TRANSACTION: &str = "25P02";

type SetUp = Box<dyn Fn(&mut Connection) -> Result<(), Error> + Send + Sync>;

postgres_maker! {
    /// Opens connections to a PostgreSQL server, for a [`BlockingLender`](crate::BlockingLender).
    Config, TargetSessionAttrs,
    "the keeper asks the server after the loan, a round trip in the background, during which others \
     wait for the connection."
}

postgres_queries! { Statement, ToStatement, [], [], [mut] }

impl<T> Postgres<T> {
    /// Calls a function with each new connection, for example for the settings of its session, and to
    /// prepare the statements that callers use, so that the first of them finds them prepared.
    ///
    /// A statement that is wrong is told to all waiting callers at once, as
    /// [`Opening`](crate::AcquireError::Opening), if its SQLSTATE says that a further attempt would
    /// fail as well.
    ///
    /// ```no_run
    /// use millpond_lend::makers::postgres::Postgres;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let maker = Postgres::new("host=db user=cook dbname=orders".parse()?).set_up(|connection| {
    ///     connection.batch_execute("set statement_timeout = '5s'")?;
    ///     connection.prepare_cached("select dish from orders where number = $1").map(drop)
    /// });
    /// # drop(maker);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn set_up(
        mut self,
        set_up: impl Fn(&mut Connection) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self {
        self.set_up = Some(Box::new(set_up));
        self
    }

    fn run_set_up(&self, connection: &mut Connection) -> Result<(), Error> {
        if let Some(set_up) = &self.set_up {
            set_up(connection)?;
            if connection.may_be_in_transaction && self.terms.ends_transactions {
                connection.end_transaction()?;
            }
        }
        Ok(())
    }
}

/// A connection: the client, and its prepared statements.
pub struct Connection {
    client: Client,
    statements: Statements<Statement>,
    /// The number of the session's process, if sessions are reset.
    session: Option<String>,
    /// Whether the current caller may have left a transaction open.
    may_be_in_transaction: bool,
    /// Whether a caller has met the connection's end.
    has_failed: bool,
}

impl Connection {
    /// Returns a prepared statement of this text, which is prepared only once for each connection.
    /// A query with it takes one round trip; one with a text waits for another one, to prepare it, and closes the
    /// statement afterwards.
    ///
    /// A connection keeps 256 statements, and then forgets the one that was used longest ago.
    ///
    /// ```no_run
    /// use millpond_lend::BlockingLender;
    /// use millpond_lend::makers::postgres::Postgres;
    ///
    /// # fn of(lender: BlockingLender<Postgres>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut connection = lender.acquire()?;
    /// let dish = connection.prepare_cached("select dish from orders where number = $1")?;
    /// let row = connection.query_one(&dish, &[&7])?;
    /// # drop(row);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the statement cannot be prepared.
    pub fn prepare_cached(&mut self, query: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(query) {
            return Ok(statement);
        }
        let call = self.client.prepare(query);
        let statement = self.answered(call)?;
        self.statements.keep(query, statement.clone());
        Ok(statement)
    }

    fn note_begin(&mut self, may_begin: bool) {
        self.may_be_in_transaction |= may_begin;
    }

    fn answered<R>(&mut self, result: Result<R, Error>) -> Result<R, Error> {
        self.has_failed |= result.as_ref().is_err_and(ends_connection);
        result
    }

    /// Ends the transaction that is open, if one is.
    fn end_transaction(&mut self) -> Result<(), Error> {
        let answer = self.client.simple_query(IS_BETWEEN_TRANSACTIONS);
        if !is_between_transactions(answer)? {
            self.client.simple_query("rollback")?;
        }
        self.may_be_in_transaction = false;
        Ok(())
    }

    /// Forgets the statements that [`prepare_cached`](Self::prepare_cached) has kept: after
    /// `deallocate all` or `discard all`, and if a table has changed so that the server refuses them.
    pub fn forget_prepared(&mut self) {
        self.statements.clear();
    }
}

impl Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Connection {
    /// What happens to the client from here on is unknown. (Without `mut`, nothing can be sent.)
    fn deref_mut(&mut self) -> &mut Client {
        self.may_be_in_transaction = true;
        &mut self.client
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_closed", &self.client.is_closed()).finish()
    }
}

impl<T> BlockingMaker for Postgres<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::TlsConnect: Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    type Object = Connection;
    type Error = Error;

    fn open(&self) -> Result<Connection, Error> {
        let client = self.config.connect(self.tls.clone())?;
        let mut connection = Connection {
            client,
            statements: Statements::new(),
            session: None,
            may_be_in_transaction: false,
            has_failed: false,
        };
        if self.terms.resets_session {
            if self.has_met_pooler.load(Relaxed) {
                connection.client.simple_query(NO_SESSION_TO_RESET)?;
            }
            let session = connection.client.simple_query(SESSION)?;
            connection.session = last_value(&session).map(str::to_owned);
        }
        self.run_set_up(&mut connection)?;
        Ok(connection)
    }

    fn check(&self, connection: &mut Connection) -> Result<(), Error> {
        let terms = self.terms;
        let was_asked = connection.may_be_in_transaction && terms.ends_transactions;
        if was_asked {
            connection.end_transaction()?;
        }
        if let Some(reset) = terms.reset() {
            let answer = connection.client.simple_query(reset)?;
            if last_value(&answer) != connection.session.as_deref() {
                self.has_met_pooler.store(true, Relaxed);
                connection.client.simple_query(NO_SESSION_TO_RESET)?;
            }
            self.run_set_up(connection)?;
        }
        terms
            .writable()
            .into_iter()
            .chain(terms.alive().filter(|_| !was_asked))
            .try_for_each(|query| connection.client.simple_query(query).map(drop))
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        connection.client.is_closed() || connection.has_failed
    }

    fn needs_check(&self, connection: &mut Connection) -> bool {
        let may_be_open = connection.may_be_in_transaction && self.terms.ends_transactions;
        may_be_open || self.terms.needs_check()
    }

    fn is_final(&self, error: &Error) -> bool {
        fails_for_good(error.code().map(|code| code.code()), error)
    }
}

/// The answer to [`IS_BETWEEN_TRANSACTIONS`]; an error if there is none.
fn is_between_transactions(answer: Result<Vec<SimpleQueryMessage>, Error>) -> Result<bool, Error> {
    let says_so = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
        _ => false,
    };
    match answer {
        Ok(messages) => Ok(messages.iter().any(says_so)),
        Err(error) => {
            let state = error.code().map(|state| state.code());
            if state == Some(IN_FAILED_TRANSACTION) { Ok(false) } else { Err(error) }
        }
    }
}
