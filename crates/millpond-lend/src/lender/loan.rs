//! [`Loan`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::shared::{Boxed, Shared};
use crate::error::LoanHandle;
use crate::maker::Maker;
use crate::quiet::drop_all;

/// An object that a lender has lent. Dropping the loan returns the object, to the first waiting
/// caller.
///
/// Dropping it needs no runtime, and it may outlive the lender. A leaked loan
/// ([`std::mem::forget`]) keeps its place for ever; [`AcquireError::TimedOut`](crate::AcquireError)
/// shows the source line that acquired it.
pub struct Loan<M: Maker> {
    shared: Arc<Shared<M>>,
    handle: LoanHandle,
    /// `None` only while the loan ends.
    object: Option<Boxed<M>>,
}

impl<M: Maker> Loan<M> {
    #[inline]
    pub(super) fn new(shared: Arc<Shared<M>>, handle: LoanHandle, object: Boxed<M>) -> Self {
        Self { shared, handle, object: Some(object) }
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
        if let Some(object) = self.object.take() {
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
