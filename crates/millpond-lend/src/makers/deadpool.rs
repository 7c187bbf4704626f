//! Adapter for managers of deadpool: `Lender::builder(Deadpool(manager))`.

use std::error::Error;
use std::fmt;

use ::deadpool::managed::{Manager, Metrics, RecycleError};

use crate::maker::Maker;

/// Opens objects with a manager of deadpool, and has its `recycle` look at each before it is lent again, as deadpool does.
///
/// `recycle` is called when an object is returned. On a thread of tokio, it begins there: if it asks no server, as the
/// managers' fast methods do, the object is lent again at once. Where it has to wait, and on other threads, the keeper
/// goes on with it while others wait for the object. An object that fails is closed, and all others are checked before they
/// are lent again.
///
/// ```
/// use millpond_lend::deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
/// use millpond_lend::makers::deadpool::Deadpool;
/// use millpond_lend::{Lender, TokioTimer};
///
/// struct Lines;
///
/// impl Manager for Lines {
///     type Type = String;
///     type Error = std::io::Error;
///
///     async fn create(&self) -> std::io::Result<String> {
///         Ok("open".into())
///     }
///     async fn recycle(&self, line: &mut String, _: &Metrics) -> RecycleResult<std::io::Error> {
///         if line == "open" { Ok(()) } else { Err(RecycleError::message("closed")) }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (lender, keeper) = Lender::builder(Deadpool(Lines)).capacity(1).build();
/// tokio::spawn(keeper.run(TokioTimer));
///
/// *lender.acquire().await? = "closed".into();
/// assert_eq!(*lender.acquire().await?, "open"); // another one
/// # Ok(())
/// # }
/// ```
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

    fn needs_check(&self, _: &mut M::Type) -> bool {
        true
    }

    /// A manager may use tokio's timers and sockets.
    fn checks_at_once(&self, _: &mut M::Type) -> bool {
        tokio::runtime::Handle::try_current().is_ok()
    }

    async fn close(&self, mut object: M::Type) {
        self.0.detach(&mut object);
    }
}
