//! What the makers for PostgreSQL have in common, whichever crate they connect by.

use std::collections::HashMap;

/// Whether an SQLSTATE means that a further attempt is pointless: class 28 (the password, the role), 3D000 (no such
/// database), class 42 (no permission to connect, no such setting), 22023 (no such value of a setting), 0A000 (what the
/// server does not support).
fn is_final(sqlstate: &str) -> bool {
    sqlstate.starts_with("28")
        || sqlstate.starts_with("42")
        || ["3D000", "22023", "0A000"].contains(&sqlstate)
}

/// Whether an opening failed for good: by the server's answer, or before it was asked, by a configuration without a host
/// or a password. The client says the latter only in words.
pub(super) fn fails_for_good(sqlstate: Option<&str>, words: impl std::fmt::Display) -> bool {
    match sqlstate {
        Some(sqlstate) => is_final(sqlstate),
        None => {
            let words = words.to_string();
            words.starts_with("invalid configuration") || words.starts_with("authentication error")
        }
    }
}

/// Fails in a session that is read-only, and says so.
const MUST_BE_WRITABLE: &str = "select (case when pg_catalog.current_setting('transaction_read_only') \
     operator(pg_catalog.=) 'on' then 'the session is read-only' else '0' end)::pg_catalog.int4";

/// What `discard all` does, except that prepared statements stay: the clients keep their own ones and would fail without.
const RESET: &str = "close all; set session authorization default; reset all; unlisten *; \
     select pg_catalog.pg_advisory_unlock_all(); discard temp; discard sequences; \
     select pg_catalog.pg_backend_pid()";

/// Tells the number of the session's process.
pub(super) const SESSION: &str = "select pg_catalog.pg_backend_pid()";

/// Fails with an SQLSTATE that is [final](is_final), and says what a reset session needs.
pub(super) const NO_SESSION_TO_RESET: &str = "do $$ begin raise exception using errcode = '0A000', message = \
     'a pooler between the program and the server gives each transaction another session, so none can be reset: use set \
     local in transactions in place of resets_session(), or the pooler''s session mode'; end $$";

/// What a maker asks of a session before it is lent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) ends_transactions: bool,
    pub(super) resets_session: bool,
    pub(super) is_writable: bool,
}

impl Terms {
    pub(super) fn new() -> Self {
        Self { ends_transactions: true, resets_session: false, is_writable: false }
    }

    /// Whether a session without an open transaction must be checked after each loan.
    pub(super) fn needs_check(self) -> bool {
        self.resets_session || self.is_writable
    }

    /// The query that shows that a session without more terms is alive.
    pub(super) fn alive(self) -> Option<&'static str> {
        (!self.needs_check()).then_some("")
    }

    pub(super) fn reset(self) -> Option<&'static str> {
        self.resets_session.then_some(RESET)
    }

    pub(super) fn writable(self) -> Option<&'static str> {
        self.is_writable.then_some(MUST_BE_WRITABLE)
    }
}

/// Whether a single statement may leave a transaction open: whether it is none of those that read and change tables.
pub(super) fn may_begin(statement: &str) -> bool {
    let word = statement.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next();
    let harmless = ["select", "insert", "update", "delete", "merge", "with", "values", "table"];
    !word.is_some_and(|word| harmless.iter().any(|other| word.eq_ignore_ascii_case(other)))
}

/// How many prepared statements a connection keeps. Each costs memory on the server, too.
const STATEMENTS_MAX: usize = 256;

/// The prepared statements of a connection, by their text. If there are too many, the one that was used longest ago goes.
#[derive(Debug)]
pub(super) struct Statements<S> {
    kept: HashMap<Box<str>, Kept<S>>,
    /// How often one was used.
    uses: u64,
}

#[derive(Debug)]
struct Kept<S> {
    statement: S,
    /// When it was last used.
    used: u64,
}

impl<S: Clone> Statements<S> {
    pub(super) fn new() -> Self {
        Self { kept: HashMap::new(), uses: 0 }
    }

    pub(super) fn get(&mut self, text: &str) -> Option<S> {
        let kept = self.kept.get_mut(text)?;
        self.uses += 1;
        kept.used = self.uses;
        Some(kept.statement.clone())
    }

    pub(super) fn keep(&mut self, text: &str, statement: S) {
        if self.kept.len() >= STATEMENTS_MAX && !self.kept.contains_key(text) {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used);
            let oldest = oldest.map(|(text, _)| text.clone());
            oldest.and_then(|text| self.kept.remove(&text));
        }
        self.uses += 1;
        self.kept.insert(text.into(), Kept { statement, used: self.uses });
    }

    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }
}

/// A maker that keeps a configuration and a TLS connector.
macro_rules! postgres_maker {
    ($(#[$doc:meta])* $config:ty, $attributes:ident, $cost:expr) => {
        $(#[$doc])*
        pub struct Postgres<T = NoTls> {
            config: $config,
            tls: T,
            terms: Terms,
            set_up: Option<SetUp>,
            /// Whether a session was found to be another one than before.
            has_met_pooler: AtomicBool,
        }

        impl Postgres<NoTls> {
            /// Creates a maker of connections without TLS.
            #[must_use]
            pub fn new(config: $config) -> Self {
                Self::with_tls(config, NoTls)
            }
        }

        impl<T> Postgres<T> {
            /// Creates a maker of connections with TLS.
            pub fn with_tls(config: $config, tls: T) -> Self {
                let has_met_pooler = AtomicBool::new(false);
                Self { config, tls, terms: Terms::new(), set_up: None, has_met_pooler }
            }

            /// Lends a connection again in the middle of a transaction that its caller began with its
            /// own `begin` statement and did not end.
            ///
            /// By default, such a transaction is rolled back. The client does not know about it, but the
            /// [`Connection`] knows whether there may be one: if it was used by other methods than its
            /// own, such as the client's `batch_execute` and `simple_query`, or ran another statement than
            /// `select`, `insert`, `update`, `delete`, `merge`, `with`, `values` and `table`. Only such a loan has
            #[doc = concat!("a cost: ", $cost)]
            /// A dropped `Transaction` of the client is rolled back in any case. (One that was leaked, by
            /// [`std::mem::forget`], is not.)
            #[must_use]
            pub fn keeps_transactions(mut self) -> Self {
                self.terms.ends_transactions = false;
                self
            }

            /// Resets what a caller has changed in its session before the connection is lent again:
            /// settings (`set`), the role, temporary tables, cursors, advisory locks, channels
            /// (`listen`) and the values of sequences. This is `discard all`, except that prepared
            /// statements stay. Settings go back to those of the configuration, of the role and of
            /// the database; then what was given to [`set_up`](Self::set_up) runs again.
            ///
            /// Transactions are ended, too. The keeper does all this after every loan, in the
            /// background, during which others wait for the connection: one round trip, and those of
            /// `set_up`.
            ///
            /// A pooler that gives each transaction another session makes this impossible. If the
            /// session is found to have changed, its connection is closed, and openings fail with an
            /// error that says so.
            ///
            #[must_use]
            pub fn resets_session(mut self) -> Self {
                self.terms.resets_session = true;
                self.terms.ends_transactions = true;
                self
            }

            /// Lends no session that is read-only, in which writing fails with SQLSTATE 25006, as
            /// after a failover that has made another server the primary one.
            ///
            /// Only servers that accept writes are connected to; of several hosts in the
            /// configuration, the first one. After every loan, the keeper asks whether the session
            /// still accepts writes, a round trip in the background, and closes it if not. All older
            /// sessions are then asked before they are lent again. So each connection causes at most
            /// one caller to fail.
            #[must_use]
            pub fn writable(mut self) -> Self {
                self.config.target_session_attrs($attributes::ReadWrite);
                self.terms.is_writable = true;
                self
            }
        }

        /// The value of the last row.
        fn last_value(messages: &[SimpleQueryMessage]) -> Option<&str> {
            messages.iter().rev().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            })
        }

        impl<T> std::fmt::Debug for Postgres<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Postgres").finish_non_exhaustive()
            }
        }
    };
}

/// What a connection does by its own methods, which tell it whether a transaction may be open, `async` or not.
macro_rules! postgres_queries {
    ($statement:ident, $to_statement:ident, [$($asynchronous:tt)*], [$($wait:tt)*], [$($mutable:tt)*]) => {
        /// What can be run on a connection: a text with one statement, or a prepared statement.
        pub trait Query: $to_statement + sealed::Sealed {}

        mod sealed {
            pub trait Sealed {
                /// Whether it may leave a transaction open.
                fn may_begin(&self) -> bool;
            }
        }

        impl Query for str {}
        impl Query for String {}
        impl Query for $statement {}

        impl sealed::Sealed for str {
            fn may_begin(&self) -> bool {
                super::postgres_common::may_begin(self)
            }
        }

        impl sealed::Sealed for String {
            fn may_begin(&self) -> bool {
                super::postgres_common::may_begin(self)
            }
        }

        impl sealed::Sealed for $statement {
            /// A `begin` has neither parameters nor columns.
            fn may_begin(&self) -> bool {
                self.params().is_empty() && self.columns().is_empty()
            }
        }

        /// These are the client's own methods. A loan that uses no others, but for
        /// [`prepare_cached`](Self::prepare_cached), is known to leave no transaction open, so nothing is sent to the server
        /// when it ends.
        impl Connection {
            /// Runs a statement, and returns its rows; see [`Client::query`].
            ///
            /// # Errors
            ///
            /// Those of the client.
            pub $($asynchronous)* fn query<Q: ?Sized + Query>(
                &$($mutable)* self,
                query: &Q,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Vec<Row>, Error> {
                self.note_begin(query.may_begin());
                let call = self.client.query(query, params);
                self.answered(call)$($wait)*
            }

            /// Runs a statement that returns one row; see [`Client::query_one`].
            ///
            /// # Errors
            ///
            /// Those of the client.
            pub $($asynchronous)* fn query_one<Q: ?Sized + Query>(
                &$($mutable)* self,
                query: &Q,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Row, Error> {
                self.note_begin(query.may_begin());
                let call = self.client.query_one(query, params);
                self.answered(call)$($wait)*
            }

            /// Runs a statement that returns one row or none; see [`Client::query_opt`].
            ///
            /// # Errors
            ///
            /// Those of the client.
            pub $($asynchronous)* fn query_opt<Q: ?Sized + Query>(
                &$($mutable)* self,
                query: &Q,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<Option<Row>, Error> {
                self.note_begin(query.may_begin());
                let call = self.client.query_opt(query, params);
                self.answered(call)$($wait)*
            }

            /// Runs a statement, and returns how many rows it has changed; see [`Client::execute`].
            ///
            /// # Errors
            ///
            /// Those of the client.
            pub $($asynchronous)* fn execute<Q: ?Sized + Query>(
                &$($mutable)* self,
                query: &Q,
                params: &[&(dyn ToSql + Sync)],
            ) -> Result<u64, Error> {
                self.note_begin(query.may_begin());
                let call = self.client.execute(query, params);
                self.answered(call)$($wait)*
            }

            /// Begins a transaction that is rolled back if it is dropped; see [`Client::transaction`].
            ///
            /// # Errors
            ///
            /// Those of the client.
            pub $($asynchronous)* fn transaction(&mut self) -> Result<Transaction<'_>, Error> {
                self.client.transaction()$($wait)*
            }
        }

        /// Whether the connection has ended with this error. The client says so only a moment later.
        fn ends_connection(error: &Error) -> bool {
            let is_fatal = |error: &DbError| {
                matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
            };
            let is_of_network = || {
                let source = std::error::Error::source(error);
                error.is_closed() || source.is_some_and(|source| source.is::<std::io::Error>())
            };
            error.as_db_error().map_or_else(is_of_network, is_fatal)
        }
    };
}

pub(super) use {postgres_maker, postgres_queries};

#[cfg(test)]
mod tests {
    use super::{STATEMENTS_MAX, Statements, is_final, may_begin};

    #[test]
    fn of_too_many_statements_the_one_that_was_used_longest_ago_goes() {
        let mut statements = Statements::new();
        for number in 0..STATEMENTS_MAX {
            statements.keep(&format!("select {number}"), number);
        }
        assert_eq!(statements.get("select 0"), Some(0));
        statements.keep("select 'one more'", 1_000);
        assert_eq!(statements.get("select 0"), Some(0));
        assert_eq!(statements.get("select 1"), None);
        assert_eq!(statements.get("select 2"), Some(2));
        statements.keep("select 2", 7);
        assert_eq!((statements.get("select 2"), statements.get("select 3")), (Some(7), Some(3)));
        statements.clear();
        assert_eq!(statements.get("select 2"), None);
    }

    #[test]
    fn only_statements_that_cannot_begin_a_transaction_are_trusted() {
        for harmless in
            ["select 1", " SELECT(1)", "with dish as (select 1) table dish", "Insert into x"]
        {
            assert!(!may_begin(harmless), "{harmless}");
        }
        for other in
            ["begin", "START TRANSACTION", "commit and chain", "/* select */ begin", "", "selected"]
        {
            assert!(may_begin(other), "{other}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_client_is_final_and_a_server_that_starts_is_not() {
        for sqlstate in ["28P01", "28000", "3D000", "42501", "42704", "22023"] {
            assert!(is_final(sqlstate), "{sqlstate}");
        }
        for sqlstate in ["57P03", "53300", "08006", "57P01"] {
            assert!(!is_final(sqlstate), "{sqlstate}");
        }
    }
}
