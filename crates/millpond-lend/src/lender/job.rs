//! What the maker carries out for a lender.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::error::LoanHandle;
use crate::maker::Maker;

/// How a job ended.
pub(super) enum Outcome<M: Maker> {
    Opened(Box<M::Object>),
    OpenFailed(Arc<M::Error>, bool),
    Checked(Box<M::Object>),
    CheckFailed(Box<M::Object>),
    Closed,
    /// The object is gone, for an unknown reason.
    Lost,
}

/// A task that the maker is carrying out.
pub(super) struct Job<M: Maker> {
    pub(super) handle: LoanHandle,
    pub(super) future: Pin<Box<dyn Future<Output = Outcome<M>> + Send>>,
}

impl<M: Maker> Job<M> {
    /// Polls without a waker: whoever gets the job polls it again.
    pub(super) fn poll_once(&mut self) -> Poll<Outcome<M>> {
        self.future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }
}
