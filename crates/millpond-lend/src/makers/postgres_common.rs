//! What the makers for PostgreSQL have in common, whichever crate they connect by.

/// Whether an SQLSTATE means that a further attempt is pointless: class 28 (the password, the role),
/// 3D000 (no such database).
pub(super) fn is_final(sqlstate: &str) -> bool {
    sqlstate.starts_with("28") || sqlstate == "3D000"
}

/// Asks whether the session is between two transactions: outside one, a query has its own, which begins with the query.
pub(super) const IS_BETWEEN_TRANSACTIONS: &str =
    "select pg_catalog.now() operator(pg_catalog.=) pg_catalog.statement_timestamp()";

/// The SQLSTATE of every query in a transaction that has failed but not ended.
pub(super) const IN_FAILED_TRANSACTION: &str = "25P02";

/// A maker that keeps a configuration and a TLS connector.
macro_rules! postgres_maker {
    ($(#[$doc:meta])* $config:ty) => {
        $(#[$doc])*
        pub struct Postgres<T = NoTls> {
            config: $config,
            tls: T,
            ends_transactions: bool,
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
                Self { config, tls, ends_transactions: false }
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
                self.ends_transactions = true;
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
    use super::is_final;

    #[test]
    fn a_wrong_password_is_final_and_a_server_that_starts_is_not() {
        for sqlstate in ["28P01", "28000", "3D000"] {
            assert!(is_final(sqlstate), "{sqlstate}");
        }
        for sqlstate in ["57P03", "53300", "08006", "57P01"] {
            assert!(!is_final(sqlstate), "{sqlstate}");
        }
    }
}
