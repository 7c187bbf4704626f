//! Adapter for managers of bb8: `Lender::builder(Bb8(manager))`.

use std::error::Error;

use ::bb8::ManageConnection;

use crate::maker::Maker;

/// Opens connections with a manager of bb8.
#[derive(Debug, Clone)]
pub struct Bb8<M>(pub M);

impl<M> Maker for Bb8<M>
where
    M: ManageConnection,
    M::Error: Error + Send + Sync + 'static,
{
    type Object = M::Connection;
    type Error = M::Error;

    async fn open(&self) -> Result<M::Connection, M::Error> {
        self.0.connect().await
    }

    async fn check(&self, connection: &mut M::Connection) -> Result<(), M::Error> {
        self.0.is_valid(connection).await
    }

    fn is_broken(&self, connection: &mut M::Connection) -> bool {
        self.0.has_broken(connection)
    }
}
