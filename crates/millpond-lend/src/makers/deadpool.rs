//! Adapter for managers of deadpool: `Lender::builder(Deadpool(manager))`.

use std::error::Error;
use std::fmt;

use ::deadpool::managed::{Manager, Metrics, RecycleError};

use crate::maker::Maker;

/// Opens objects with a manager of deadpool, and checks them with its `recycle`.
#[derive(Debug, Clone)]
pub struct Deadpool<M>(pub M);

/// Why a manager of deadpool has failed.
#[derive(Debug)]
pub enum DeadpoolError<E> {
    /// The manager's own error.
    Manager(E),
    /// Why an object cannot be recycled, in words.
    Recycle(String),
}

impl<E: fmt::Display> fmt::Display for DeadpoolError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manager(error) => error.fmt(f),
            Self::Recycle(why) => f.write_str(why),
        }
    }
}

impl<E: Error + 'static> Error for DeadpoolError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Manager(error) => error.source(),
            Self::Recycle(_) => None,
        }
    }
}

impl<M> Maker for Deadpool<M>
where
    M: Manager + 'static,
    M::Type: Send,
    M::Error: Error + Send + Sync + 'static,
{
    type Object = M::Type;
    type Error = DeadpoolError<M::Error>;

    async fn open(&self) -> Result<M::Type, Self::Error> {
        self.0.create().await.map_err(DeadpoolError::Manager)
    }

    async fn check(&self, object: &mut M::Type) -> Result<(), Self::Error> {
        match self.0.recycle(object, &Metrics::default()).await {
            Ok(()) => Ok(()),
            Err(RecycleError::Backend(error)) => Err(DeadpoolError::Manager(error)),
            Err(RecycleError::Message(why)) => Err(DeadpoolError::Recycle(why.to_string())),
        }
    }
}
