//! What the makers for PostgreSQL have in common, whichever crate they connect by.

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

/// Asks whether the session is between two transactions: outside one, a query has its own, which begins with the query.
pub(super) const IS_BETWEEN_TRANSACTIONS: &str =
    "select pg_catalog.now() operator(pg_catalog.=) pg_catalog.statement_timestamp()";

/// The SQLSTATE of every query in a transaction that has failed but not ended.
pub(super) const IN_FAILED_TRANSACTION: &str = "25P02";

/// Fails in a session that is read-only, and says so.
const MUST_BE_WRITABLE: &str = "select (case when pg_catalog.current_setting('transaction_read_only') \
     operator(pg_catalog.=) 'on' then 'the session is read-only' else '0' end)::pg_catalog.int4";

/// What `discard all` does, except that prepared statements stay: the clients keep their own ones and would fail without.
const RESET: &str = "close all; set session authorization default; reset all; unlisten *; \
     select pg_catalog.pg_advisory_unlock_all(); discard temp; discard sequences";

/// What a maker asks of a session before it is lent again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms {
    pub(super) ends_transactions: bool,
    pub(super) resets_session: bool,
    pub(super) is_writable: bool,
}

impl Terms {
    /// Whether a session must be checked after each loan.
    pub(super) fn needs_check(self) -> bool {
        self.ends_transactions || self.is_writable
    }

    /// The queries of a check, once no transaction is open; one at least.
    pub(super) fn queries(self) -> impl Iterator<Item = &'static str> {
        let reset = self.resets_session.then_some(RESET);
        let writable = self.is_writable.then_some(MUST_BE_WRITABLE);
        let alive = (!self.needs_check()).then_some("");
        reset.into_iter().chain(writable).chain(alive)
    }
}

/// A maker that keeps a configuration and a TLS connector.
macro_rules! postgres_maker {
    ($(#[$doc:meta])* $config:ty, $attributes:ident) => {
        $(#[$doc])*
        pub struct Postgres<T = NoTls> {
            config: $config,
            tls: T,
            terms: Terms,
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
                Self { config, tls, terms: Terms::default() }
            }

            /// Rolls back a transaction that a caller began with its own `begin` statement and did
            /// not end, before the connection is lent again. The client does not know about such a
            /// transaction, so the keeper asks the server after every loan: a round trip in the
            /// background, during which others wait for the connection.
            ///
            /// Without this, such a connection is lent again as it is, as other pools do. A dropped
            /// `Transaction` of the client is rolled back in any case.
            #[must_use]
            pub fn ends_transactions(mut self) -> Self {
                self.terms.ends_transactions = true;
                self
            }

            /// Resets what a caller has changed in its session before the connection is lent again:
            /// settings (`set`), the role, temporary tables, cursors, advisory locks, channels
            /// (`listen`) and the values of sequences. This is `discard all`, except that prepared
            /// statements stay. Settings go back to those of the configuration, of the role and of
            /// the database.
            ///
            /// Transactions are [ended](Self::ends_transactions), too. The keeper does both after
            /// every loan: two round trips in the background, during which others wait for the
            /// connection.
            #[must_use]
            pub fn resets_session(mut self) -> Self {
                self.terms.resets_session = true;
                self.ends_transactions()
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

        /// The answer to [`IS_BETWEEN_TRANSACTIONS`]; an error if there is none.
        fn is_between_transactions(
            answer: Result<Vec<SimpleQueryMessage>, Error>,
        ) -> Result<bool, Error> {
            let says_so = |message: &SimpleQueryMessage| match message {
                SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
                _ => false,
            };
            match answer {
                Ok(messages) => Ok(messages.iter().any(says_so)),
                Err(error) => {
                    let state = error.code().map(|state| state.code());
                    if state == Some(super::postgres_common::IN_FAILED_TRANSACTION) {
                        Ok(false)
                    } else {
                        Err(error)
                    }
                }
            }
        }

        impl<T> std::fmt::Debug for Postgres<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Postgres").finish_non_exhaustive()
            }
        }
    };
}

pub(super) use postgres_maker;

#[cfg(test)]
mod tests {
    use super::{Terms, is_final};

    #[test]
    fn a_check_asks_the_server_something() {
        for bits in 0..8 {
            let [ends_transactions, resets_session, is_writable] =
                [1, 2, 4].map(|bit| bits & bit > 0);
            let terms = Terms { ends_transactions, resets_session, is_writable };
            let queries: Vec<_> = terms.queries().collect();
            assert!(ends_transactions || !queries.is_empty(), "{terms:?}");
            assert_eq!(queries.contains(&""), !terms.needs_check(), "{terms:?}");
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
