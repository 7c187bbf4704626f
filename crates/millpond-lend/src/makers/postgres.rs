//! PostgreSQL for threads, by the crate postgres.

use std::fmt;

use ::postgres::config::Config;
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::{Client, Error, NoTls, Socket};

use crate::blocking::BlockingMaker;

/// Opens connections to a PostgreSQL server, for a [`BlockingLender`](crate::BlockingLender).
pub struct Postgres<T = NoTls> {
    config: Config,
    tls: T,
}

impl Postgres<NoTls> {
    /// Connections without TLS.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config, tls: NoTls }
    }
}

impl<T> Postgres<T> {
    /// Connections with this TLS.
    pub fn with_tls(config: Config, tls: T) -> Self {
        Self { config, tls }
    }
}

impl<T> BlockingMaker for Postgres<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::TlsConnect: Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    type Object = Client;
    type Error = Error;

    fn open(&self) -> Result<Client, Error> {
        self.config.connect(self.tls.clone())
    }

    fn check(&self, client: &mut Client) -> Result<(), Error> {
        client.simple_query("").map(drop)
    }

    fn is_broken(&self, client: &mut Client) -> bool {
        client.is_closed()
    }

    fn is_final(&self, error: &Error) -> bool {
        error.code().is_some_and(|code| is_final(code.code()))
    }
}

impl<T> fmt::Debug for Postgres<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

/// Whether an SQLSTATE means that a further attempt is pointless: class 28 (the password, the role),
/// 3D000 (no such database).
pub(crate) fn is_final(sqlstate: &str) -> bool {
    sqlstate.starts_with("28") || sqlstate == "3D000"
}
