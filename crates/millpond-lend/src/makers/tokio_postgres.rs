//! PostgreSQL on tokio, with the crate tokio-postgres.

use std::fmt;
use std::ops::{Deref, DerefMut};

use ::tokio_postgres::config::TargetSessionAttrs;
use ::tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use ::tokio_postgres::{Client, Config, Error, NoTls, SimpleQueryMessage, Socket};
use tokio::task::JoinHandle;

use super::postgres_common::{IS_BETWEEN_TRANSACTIONS, Terms, fails_for_good, postgres_maker};
use crate::maker::Maker;

postgres_maker! {
    /// Opens connections to a PostgreSQL server. The keeper must run on tokio.
    Config, TargetSessionAttrs
}

/// A connection: the client, and the task that reads from the server. Dropping it ends both at
/// once, even if the server no longer answers.
pub struct Connection {
    client: Client,
    task: JoinHandle<()>,
}

impl Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
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
        Ok(Connection { client, task })
    }

    async fn check(&self, connection: &mut Connection) -> Result<(), Error> {
        let client = &connection.client;
        if self.terms.ends_transactions
            && !is_between_transactions(client.simple_query(IS_BETWEEN_TRANSACTIONS).await)?
        {
            client.simple_query("rollback").await?;
        }
        for query in self.terms.queries() {
            client.simple_query(query).await?;
        }
        Ok(())
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        connection.client.is_closed()
    }

    fn needs_check(&self, _: &mut Connection) -> bool {
        self.terms.needs_check()
    }

    fn is_final(&self, error: &Error) -> bool {
        fails_for_good(error.code().map(|code| code.code()), error)
    }
}
