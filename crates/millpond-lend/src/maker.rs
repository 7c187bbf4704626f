//! [`Maker`]: how objects are opened, checked and closed.

use std::error::Error;
use std::future::Future;

use crate::quiet::{Quiet, drop_all};

/// Opens, checks and closes the objects of a [`Lender`](crate::Lender).
///
/// The keeper calls `open`, `check` and `close`, one at a time per object, each with a deadline
/// after which the future is dropped. If one panics, its object is lost, and the lender continues.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Maker` for a `Lender`",
    label = "a `Lender` needs an asynchronous `Maker`",
    note = "for a `BlockingMaker`, such as those for SQLite and Redis, there are two ways: \
            `Lender::builder(Threaded::new(maker))`, which runs its calls on threads, or a \
            `BlockingLender`, whose callers block"
)]
pub trait Maker: Send + Sync + 'static {
    /// The type of the objects.
    type Object: Send;
    /// Why an object could not be opened, or no longer works.
    type Error: Error + Send + Sync + 'static;

    /// Opens an object.
    fn open(&self) -> impl Future<Output = Result<Self::Object, Self::Error>> + Send;

    /// Checks that `object` still works, with a request that reaches the server behind it.
    fn check(
        &self,
        object: &mut Self::Object,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Like [`check`](Self::check), but takes the object, for makers that check it elsewhere, and
    /// returns it. The keeper calls this method, which calls `check` by default.
    ///
    /// # Errors
    ///
    /// If the object does not work; with the object, if it still exists, to be closed.
    fn check_owned(
        &self,
        object: Self::Object,
    ) -> impl Future<Output = Result<Self::Object, Option<Self::Object>>> + Send {
        let mut object = Quiet::new(object);
        async move {
            match self.check(&mut object).await.map_err(|error| drop_all([error])) {
                Ok(()) => Ok(object.into_inner()),
                Err(()) => Err(Some(object.into_inner())),
            }
        }
    }

    /// Returns whether a returned object must not be lent again, because it is closed or in the
    /// middle of a transaction. Called for every returned object, on the caller's thread, so it
    /// must not wait. If it panics, the object is closed, and the panic continues in the caller.
    /// An [interrupted](crate::Loan) object is closed without a question.
    fn is_broken(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether a returned object is in the middle of something that its caller did not wait
    /// for, such as a query. It is then closed, like one in an unfinished
    /// [exchange](crate::Loan::exchange); unlike with a broken object, nothing is suspected of the others.
    /// Called for every returned object that is not broken, on the caller's thread, so it must not
    /// wait. A panic has the same effect as in [`is_broken`](Self::is_broken).
    fn is_interrupted(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether a returned object must be checked before it is lent again, because only a
    /// request to the server shows in what state its caller left it. The keeper checks it in the
    /// background, while others wait for it. Called for every returned object that is not broken,
    /// on the caller's thread, so it must not wait. A panic has the same effect as in
    /// [`is_broken`](Self::is_broken).
    fn needs_check(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether the [check](Self::check) of a returned object begins at once, on the caller's
    /// thread: it is polled once there. If it is ready, as a check that asks no server is, the object
    /// can be lent again at once; otherwise the keeper goes on with it. Asked for every returned
    /// object that [needs a check](Self::needs_check). The answer must be `false` where `check` needs
    /// a runtime that the thread does not have.
    ///
    /// It calls [`check`](Self::check), not [`check_owned`](Self::check_owned), and allocates its
    /// future. A panic has the same effect as in [`is_broken`](Self::is_broken).
    fn checks_at_once(&self, object: &mut Self::Object) -> bool {
        let _ = object;
        false
    }

    /// Returns whether opening is pointless after this error, for example after a wrong password.
    /// All waiting callers then get the error at once, unless they can still get existing objects.
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
