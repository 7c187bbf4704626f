//! Redis for threads, with the crate redis.

use std::fmt;

use ::redis::{Client, Cmd, ConnectionLike, ErrorKind, RedisError, RedisResult, Value};

use crate::blocking::BlockingMaker;

/// Opens connections to a Redis server, for a [`BlockingLender`](crate::BlockingLender).
///
/// A connection whose caller met an error of the network, a timeout among them, is closed: the answer
/// could still come, to the next caller.
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

/// A connection that knows whether its network has failed. It is a [`ConnectionLike`], so use it as one
/// of the crate redis: `redis::cmd("PING").query::<String>(&mut *loan)`.
pub struct Connection {
    connection: ::redis::Connection,
    has_failed: bool,
}

impl Connection {
    /// Returns the crate's own connection, for its timeouts and subscriptions. Errors of commands that
    /// are sent by it are not noticed: discard the loan after an error of the network.
    pub fn get_mut(&mut self) -> &mut ::redis::Connection {
        &mut self.connection
    }

    /// The crate's own connection says that it is open after errors such as a reset.
    fn notice<R>(&mut self, result: RedisResult<R>) -> RedisResult<R> {
        self.has_failed |= result.as_ref().is_err_and(RedisError::is_io_error);
        result
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        let result = self.connection.req_packed_command(command);
        self.notice(result)
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        let result = self.connection.req_packed_commands(commands, offset, count);
        self.notice(result)
    }

    fn req_command(&mut self, command: &Cmd) -> RedisResult<Value> {
        let result = self.connection.req_command(command);
        self.notice(result)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }

    fn supports_pipelining(&self) -> bool {
        self.connection.supports_pipelining()
    }

    fn check_connection(&mut self) -> bool {
        self.connection.check_connection()
    }

    fn is_open(&self) -> bool {
        !self.has_failed && self.connection.is_open()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_open", &self.is_open()).finish()
    }
}

impl BlockingMaker for Redis {
    type Object = Connection;
    type Error = RedisError;

    /// A server that wants a password accepts connections without one, so the first command is sent
    /// here.
    fn open(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection()?;
        let mut connection = Connection { connection, has_failed: false };
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
