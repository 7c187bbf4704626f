//! PostgreSQL for threads, with the crate postgres.

use ::postgres::config::Config;
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::{Client, Error, NoTls, SimpleQueryMessage, Socket};

use super::postgres_common::{IS_BETWEEN_TRANSACTIONS, is_final, postgres_maker};
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
        if !self.ends_transactions {
            return client.simple_query("").map(drop);
        }
        if is_between_transactions(client.simple_query(IS_BETWEEN_TRANSACTIONS))? {
            return Ok(());
        }
        client.simple_query("rollback").map(drop)
    }

    fn is_broken(&self, client: &mut Client) -> bool {
        client.is_closed()
    }

    fn needs_check(&self, _: &mut Client) -> bool {
        self.ends_transactions
    }

    fn is_final(&self, error: &Error) -> bool {
        error.code().is_some_and(|code| is_final(code.code()))
    }
}
