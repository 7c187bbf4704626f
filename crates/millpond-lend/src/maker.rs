//! [`Maker`]: how objects are opened, checked and closed.

use std::error::Error;
use std::future::Future;

/// Opens, checks and closes the objects of a [`Lender`](crate::Lender).
///
/// The keeper calls `open`, `check` and `close`, one at a time per object, each with a deadline after
/// which the future is dropped. If one panics, its object is lost, and the lender goes on.
///
/// ```
/// use std::convert::Infallible;
/// use millpond_lend::Maker;
///
/// struct Buffers;
///
/// impl Maker for Buffers {
///     type Object = Vec<u8>;
///     type Error = Infallible;
///
///     async fn open(&self) -> Result<Vec<u8>, Infallible> {
///         Ok(Vec::with_capacity(1 << 20))
///     }
///     async fn check(&self, _: &mut Vec<u8>) -> Result<(), Infallible> {
///         Ok(())
///     }
/// }
/// ```
pub trait Maker: Send + Sync + 'static {
    /// What is lent.
    type Object: Send;
    /// Why an object could not be opened, or does not work any more.
    type Error: Error + Send + Sync;

    /// Opens an object.
    fn open(&self) -> impl Future<Output = Result<Self::Object, Self::Error>> + Send;

    /// Asks an object whether it still works, with a question that reaches what is behind it.
    fn check(
        &self,
        object: &mut Self::Object,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The same for makers that check elsewhere and have to take the object along: returns it if it
    /// works, and to be closed if it does not. The keeper calls this; it calls [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// If the object does not work, with the object if it is still there.
    fn check_owned(
        &self,
        mut object: Self::Object,
    ) -> impl Future<Output = Result<Self::Object, Option<Self::Object>>> + Send {
        async move {
            match self.check(&mut object).await {
                Ok(()) => Ok(object),
                Err(_) => Err(Some(object)),
            }
        }
    }

    /// Whether an object that comes back must not be lent again: it is closed, or left in the middle of
    /// a transaction. Called on every return, on the caller's thread, so it must not wait.
    fn is_broken(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Whether an object that comes back has to be checked before it is lent again, because only a question to
    /// what is behind it shows what its caller has left there. The keeper checks it in the background, and
    /// others wait for it meanwhile. Called on every return of an object that is not broken, on the caller's
    /// thread, so it must not wait.
    fn needs_check(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Whether opening is pointless after this error, as after a wrong password: all who wait are told
    /// at once, unless objects are in service that they can still get.
    fn is_final(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// Closes an object.
    fn close(&self, object: Self::Object) -> impl Future<Output = ()> + Send {
        drop(object);
        async {}
    }
}
