//! [`Loan`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::thread;

use super::shared::{Boxed, Shared};
use crate::error::LoanHandle;
use crate::maker::Maker;
use crate::quiet::drop_all;

/// An object that a lender has lent. Dropping the loan returns the object, to the first waiting
/// caller.
///
/// An object that may be in the middle of something is closed instead: if the loan is dropped
/// because its thread panics, or if it was used by an [`exchange`](Self::exchange) that did not
/// finish. [`Closings::interrupted`](crate::Closings::interrupted) counts these.
///
/// Dropping it needs no runtime, and it may outlive the lender. A leaked loan
/// ([`std::mem::forget`]) never gives up its place; [`AcquireError::TimedOut`](crate::AcquireError)
/// shows the source line that acquired it.
pub struct Loan<M: Maker> {
    shared: Arc<Shared<M>>,
    handle: LoanHandle,
    /// `None` only while the loan ends.
    object: Option<Boxed<M>>,
    /// Whether an [`Exchange`] has begun and not finished.
    is_in_exchange: bool,
}

impl<M: Maker> Loan<M> {
    #[inline]
    pub(super) fn new(shared: Arc<Shared<M>>, handle: LoanHandle, object: Boxed<M>) -> Self {
        Self { shared, handle, object: Some(object), is_in_exchange: false }
    }

    /// Begins an exchange with what is behind the object, such as a request and its response: until
    /// [`Exchange::finish`] is called, the object is not fit for another caller.
    ///
    /// If the exchange does not finish, the object is closed when the loan ends: after an early
    /// return, after a panic, and if the future that holds the loan is dropped at an `await`, as by
    /// a timeout or a client that hangs up. Use it for an object whose next answer would be the one
    /// that nobody waits for any more.
    ///
    /// ```
    /// # use std::convert::Infallible;
    /// # use millpond_lend::{Lender, Maker};
    /// # struct Lines;
    /// # impl Maker for Lines {
    /// #     type Object = Line;
    /// #     type Error = Infallible;
    /// #     async fn open(&self) -> Result<Line, Infallible> { Ok(Line) }
    /// #     async fn check(&self, _: &mut Line) -> Result<(), Infallible> { Ok(()) }
    /// # }
    /// # struct Line;
    /// # impl Line {
    /// #     async fn send(&mut self, _: &str) -> std::io::Result<()> { Ok(()) }
    /// #     async fn receive(&mut self) -> std::io::Result<String> { Ok("soup".into()) }
    /// # }
    /// async fn ask(lender: &Lender<Lines>, question: &str) -> std::io::Result<String> {
    ///     let mut loan = lender.acquire().await.map_err(std::io::Error::other)?;
    ///     let mut line = loan.exchange();
    ///     line.send(question).await?;
    ///     let answer = line.receive().await?;
    ///     line.finish();
    ///     Ok(answer)
    /// }
    /// # let (lender, keeper) = Lender::builder(Lines).build();
    /// # keeper.run_on_thread()?;
    /// # assert_eq!(futures_lite::future::block_on(ask(&lender, "dish?"))?, "soup");
    /// # assert_eq!(lender.stats().closings.total(), 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn exchange(&mut self) -> Exchange<'_, M> {
        self.is_in_exchange = true;
        Exchange { loan: self }
    }

    /// Returns the object's handle: slot and generation, such as `3v7`. No other object ever has
    /// the same handle.
    #[must_use]
    pub fn handle(&self) -> LoanHandle {
        self.handle
    }

    /// Ends the loan, and closes the object instead of lending it again.
    pub fn discard(mut self) {
        let Some(object) = self.object.take() else { return };
        let handle = self.handle;
        drop_all(self.shared.with(|books, now_us| books.ledger.discard(now_us, handle, object)));
    }

    /// Ends the loan, and returns the object to the caller for good; the lender may open another
    /// one.
    #[must_use]
    pub fn detach(mut self) -> M::Object {
        let object = self.object.take();
        let handle = self.handle;
        self.shared.with(|books, now_us| books.ledger.detach(now_us, handle));
        match object {
            Some(object) => *object,
            None => unreachable!("a loan that has not ended has an object"),
        }
    }
}

impl<M: Maker> Drop for Loan<M> {
    #[inline]
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        if self.is_in_exchange || thread::panicking() {
            self.shared.give_back_interrupted(self.handle, object);
        } else {
            self.shared.give_back(self.handle, object);
        }
    }
}

impl<M: Maker> Deref for Loan<M> {
    type Target = M::Object;

    #[inline]
    fn deref(&self) -> &M::Object {
        match &self.object {
            Some(object) => object,
            None => unreachable!("a loan that has not ended has an object"),
        }
    }
}

impl<M: Maker> DerefMut for Loan<M> {
    #[inline]
    fn deref_mut(&mut self) -> &mut M::Object {
        match &mut self.object {
            Some(object) => object,
            None => unreachable!("a loan that has not ended has an object"),
        }
    }
}

impl<M: Maker<Object: fmt::Debug>> fmt::Debug for Loan<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loan").field("handle", &self.handle).field("object", &self.object).finish()
    }
}

/// A loan in the middle of an exchange; returned by [`Loan::exchange`].
///
/// If it is dropped before it has [finished](Self::finish), or leaked, the object is closed when the
/// loan ends.
#[must_use = "an exchange that does not `finish` costs the object"]
pub struct Exchange<'a, M: Maker> {
    loan: &'a mut Loan<M>,
}

impl<M: Maker> Exchange<'_, M> {
    /// Ends the exchange: the object is fit for another caller again.
    pub fn finish(self) {
        self.loan.is_in_exchange = false;
    }
}

impl<M: Maker> Deref for Exchange<'_, M> {
    type Target = M::Object;

    fn deref(&self) -> &M::Object {
        self.loan
    }
}

impl<M: Maker> DerefMut for Exchange<'_, M> {
    fn deref_mut(&mut self) -> &mut M::Object {
        self.loan
    }
}

impl<M: Maker<Object: fmt::Debug>> fmt::Debug for Exchange<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("loan", &self.loan).finish()
    }
}
