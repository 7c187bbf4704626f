//! PostgreSQL for threads, by the crate postgres.

use ::postgres::config::Config;
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::{Client, Error, NoTls, Socket};

use super::postgres_common::{is_final, postgres_maker};
use crate::blocking::BlockingMaker;

postgres_maker! {
    /// Opens connections to a PostgreSQL server, for a [`BlockingLender`](crate::BlockingLender).
    Config
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
