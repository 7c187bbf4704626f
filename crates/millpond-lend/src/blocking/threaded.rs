//! [`BlockingMaker`], and [`Threaded`], which makes a [`Maker`] of one.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::crew::{Crew, Errand};
use crate::maker::Maker;
use crate::quiet::{Quiet, drop_all};

/// Opens, checks and closes objects by blocking calls; otherwise like [`Maker`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `BlockingMaker` for a `BlockingLender`",
    label = "a `BlockingLender` needs a `BlockingMaker`",
    note = "for an asynchronous `Maker`, such as those of tokio-postgres, deadpool and bb8, use a \
            `Lender`"
)]
pub trait BlockingMaker: Send + Sync + 'static {
    /// The type of the objects.
    type Object: Send + 'static;
    /// Why an object could not be opened, or no longer works.
    type Error: Error + Send + Sync + 'static;

    /// Opens an object.
    ///
    /// # Errors
    ///
    /// If the object cannot be opened.
    fn open(&self) -> Result<Self::Object, Self::Error>;

    /// Checks that `object` still works.
    ///
    /// # Errors
    ///
    /// If it does not.
    fn check(&self, object: &mut Self::Object) -> Result<(), Self::Error>;

    /// Returns whether a returned object must not be lent again; see [`Maker::is_broken`].
    fn is_broken(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether a returned object must be checked before it is lent again; see
    /// [`Maker::needs_check`].
    fn needs_check(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether opening is pointless after this error; see [`Maker::is_final`].
    fn is_final(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// Closes an object.
    fn close(&self, object: Self::Object) {
        drop(object);
    }
}

/// Why a [`Threaded`] maker has failed.
#[derive(Debug)]
pub enum ThreadedError<E> {
    /// The maker's own error.
    Maker(E),
    /// The maker panicked, or there is no thread for its call: the system cannot start one, or 256
    /// calls have not returned.
    NoThread,
}

impl<E: fmt::Display> fmt::Display for ThreadedError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Maker(error) => error.fmt(f),
            Self::NoThread => f.write_str("the maker panicked, or there is no thread for it"),
        }
    }
}

impl<E: Error + 'static> Error for ThreadedError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Maker(error) => error.source(),
            Self::NoThread => None,
        }
    }
}

/// Runs a [`BlockingMaker`] on its own threads, so that an asynchronous [`Lender`](crate::Lender)
/// can use it: `Lender::builder(Threaded::new(maker))`. That is how an asynchronous program lends
/// SQLite's connections: openings and checks block no task, and callers wait without blocking.
///
/// What callers do with the object still blocks: run long queries with the runtime's
/// `spawn_blocking`, into which a loan can be moved.
///
#[cfg_attr(feature = "rusqlite", doc = "```")]
#[cfg_attr(not(feature = "rusqlite"), doc = "```ignore")]
/// use millpond_lend::makers::rusqlite::Sqlite;
/// use millpond_lend::{Lender, Threaded, TokioTimer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let maker = Threaded::new(Sqlite::new(":memory:"));
/// let (lender, keeper) = Lender::builder(maker).capacity(1).build();
/// tokio::spawn(keeper.run(TokioTimer));
///
/// let connection = lender.acquire().await?;
/// let sum = tokio::task::spawn_blocking(move || {
///     connection.query_row("select 1 + 1", [], |row| row.get::<_, i64>(0))
/// });
/// assert_eq!(sum.await??, 2);
/// # Ok(())
/// # }
/// ```
///
/// A thread starts when all others are busy, and ends after ten idle seconds. A call that is given
/// up continues in its thread; an object that it opens then is dropped there. There are at most 256
/// threads, so give the maker's own calls a timeout, such as the client's connect timeout.
pub struct Threaded<B: BlockingMaker> {
    maker: Arc<Quiet<B>>,
    crew: Crew,
}

impl<B: BlockingMaker> Threaded<B> {
    /// Wraps `maker`, whose calls then run on threads.
    #[must_use]
    pub fn new(maker: B) -> Self {
        Self { maker: Arc::new(Quiet::new(maker)), crew: Crew::new() }
    }

    /// Returns the maker.
    #[must_use]
    pub fn get_ref(&self) -> &B {
        &self.maker
    }

    fn send<R: Send + 'static>(&self, work: impl FnOnce(&B) -> R + Send + 'static) -> Errand<R> {
        let maker = Arc::clone(&self.maker);
        self.crew.send(move || work(&maker))
    }
}

impl<B: BlockingMaker> Maker for Threaded<B> {
    type Object = B::Object;
    type Error = ThreadedError<B::Error>;

    async fn open(&self) -> Result<B::Object, Self::Error> {
        let opened = self.send(B::open).await;
        opened.ok_or(ThreadedError::NoThread)?.map_err(ThreadedError::Maker)
    }

    /// Blocks; the keeper calls [`check_owned`](Maker::check_owned), which does not.
    async fn check(&self, object: &mut B::Object) -> Result<(), Self::Error> {
        self.maker.check(object).map_err(ThreadedError::Maker)
    }

    async fn check_owned(&self, object: B::Object) -> Result<B::Object, Option<B::Object>> {
        let mut object = Quiet::new(object);
        let checked =
            self.send(move |maker| match maker.check(&mut object).map_err(|e| drop_all([e])) {
                Ok(()) => Ok(object.into_inner()),
                Err(()) => Err(Some(object.into_inner())),
            });
        checked.await.unwrap_or(Err(None))
    }

    fn is_broken(&self, object: &mut B::Object) -> bool {
        self.maker.is_broken(object)
    }

    fn needs_check(&self, object: &mut B::Object) -> bool {
        self.maker.needs_check(object)
    }

    fn is_final(&self, error: &Self::Error) -> bool {
        matches!(error, ThreadedError::Maker(error) if self.maker.is_final(error))
    }

    async fn close(&self, object: B::Object) {
        self.send(move |maker| maker.close(object)).await;
    }
}

impl<B: BlockingMaker> fmt::Debug for Threaded<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threaded").finish_non_exhaustive()
    }
}
