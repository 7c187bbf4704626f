//! PostgreSQL for threads, with the crate postgres.

use ::postgres::config::{Config, TargetSessionAttrs};
use ::postgres::tls::{MakeTlsConnect, TlsConnect};
use ::postgres::{Client, Error, NoTls, SimpleQueryMessage, Socket};

use super::postgres_common::{IS_BETWEEN_TRANSACTIONS, Terms, fails_for_good, postgres_maker};
use crate::blocking::BlockingMaker;

postgres_maker! {
    /// Opens connections to a PostgreSQL server, for a [`BlockingLender`](crate::BlockingLender).
    Config, TargetSessionAttrs
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
        if self.terms.ends_transactions
            && !is_between_transactions(client.simple_query(IS_BETWEEN_TRANSACTIONS))?
        {
            client.simple_query("rollback")?;
        }
        self.terms.queries().try_for_each(|query| client.simple_query(query).map(drop))
    }

    fn is_broken(&self, client: &mut Client) -> bool {
        client.is_closed()
    }

    fn needs_check(&self, _: &mut Client) -> bool {
        self.terms.needs_check()
    }

    fn is_final(&self, error: &Error) -> bool {
        fails_for_good(error.code().map(|code| code.code()), error)
    }
}
