//! Redis for threads, with the crate redis.

use ::redis::{Client, Connection, ConnectionLike, ErrorKind, RedisError};

use crate::blocking::BlockingMaker;

/// Opens connections to a Redis server, for a [`BlockingLender`](crate::BlockingLender).
#[derive(Debug, Clone)]
pub struct Redis {
    client: Client,
}

impl Redis {
    /// Creates a maker of this client's connections.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

impl BlockingMaker for Redis {
    type Object = Connection;
    type Error = RedisError;

    /// A server that wants a password accepts connections without one, so the first command is sent
    /// here.
    fn open(&self) -> Result<Connection, RedisError> {
        let mut connection = self.client.get_connection()?;
        self.check(&mut connection)?;
        Ok(connection)
    }

    fn check(&self, connection: &mut Connection) -> Result<(), RedisError> {
        ::redis::cmd("PING").query::<String>(connection).map(drop)
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        !connection.is_open()
    }

    fn is_final(&self, error: &RedisError) -> bool {
        error.kind() == ErrorKind::AuthenticationFailed
            || error.code().is_some_and(|code| ["NOAUTH", "WRONGPASS", "NOPERM"].contains(&code))
    }
}
