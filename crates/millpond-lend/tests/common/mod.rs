//! A maker whose faults the tests control, and futures that are polled by hand.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures_lite::future::block_on;
use millpond_lend::{AcquireError, Builder, Lender, Loan, Maker, Timer};

/// Why opening or checking failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub &'static str);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Fault {}

/// What a server does, and what it has seen.
#[derive(Debug, Default)]
pub struct Server {
    pub opened: AtomicU64,
    pub closed: AtomicU64,
    pub begun: AtomicU64,
    pub checks: AtomicU64,
    /// Connections of before this number are dead.
    pub dead_before: AtomicU64,
    pub is_down: AtomicBool,
    pub refuses_password: AtomicBool,
    pub hangs: AtomicBool,
    pub panics: AtomicBool,
    pub open_ms: AtomicU64,
}

impl Server {
    pub fn existing(&self) -> u64 {
        self.opened.load(SeqCst) - self.closed.load(SeqCst)
    }

    /// All connections of now are dead from now on.
    pub fn restart(&self) {
        self.dead_before.store(self.opened.load(SeqCst) + 1, SeqCst);
    }
}

/// A connection; the server sees when it is dropped.
#[derive(Debug)]
pub struct Connection {
    pub number: u64,
    pub is_broken: bool,
    pub server: Arc<Server>,
}

impl Connection {
    pub fn works(&self) -> bool {
        self.number >= self.server.dead_before.load(SeqCst)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.server.closed.fetch_add(1, SeqCst);
    }
}

/// Connects to a [`Server`].
#[derive(Debug, Clone, Default)]
pub struct Client(pub Arc<Server>);

impl Maker for Client {
    type Object = Connection;
    type Error = Fault;

    async fn open(&self) -> Result<Connection, Fault> {
        self.0.begun.fetch_add(1, SeqCst);
        if self.0.hangs.load(SeqCst) {
            std::future::pending::<()>().await;
        }
        let open_ms = self.0.open_ms.load(SeqCst);
        if open_ms > 0 {
            async_io::Timer::after(Duration::from_millis(open_ms)).await;
        }
        assert!(!self.0.panics.load(SeqCst), "the maker panics, as the test wants it");
        if self.0.refuses_password.load(SeqCst) {
            return Err(Fault("wrong password"));
        }
        if self.0.is_down.load(SeqCst) {
            return Err(Fault("connection refused"));
        }
        let number = self.0.opened.fetch_add(1, SeqCst) + 1;
        Ok(Connection { number, is_broken: false, server: Arc::clone(&self.0) })
    }

    async fn check(&self, connection: &mut Connection) -> Result<(), Fault> {
        self.0.checks.fetch_add(1, SeqCst);
        if self.0.hangs.load(SeqCst) {
            std::future::pending::<()>().await;
        }
        if connection.works() { Ok(()) } else { Err(Fault("connection reset")) }
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        connection.is_broken
    }

    fn is_final(&self, error: &Fault) -> bool {
        error.0 == "wrong password"
    }
}

/// The timer of smol and async-std, which runs anywhere.
#[derive(Debug, Clone, Copy)]
pub struct AnyTimer;

impl Timer for AnyTimer {
    async fn sleep_until(&self, deadline: Instant) {
        async_io::Timer::at(deadline).await;
    }
}

/// Times that no busy machine exceeds. A test sets those that it is about to shorter ones.
pub fn patient<M, L>(builder: Builder<M, L>) -> Builder<M, L> {
    builder
        .acquire_timeout(Duration::from_millis(60_000))
        .open_timeout(Duration::from_millis(60_000))
        .check_after_idle(Duration::from_millis(600_000))
        .check_timeout(Duration::from_millis(60_000))
        .close_timeout(Duration::from_millis(60_000))
}

/// A [patient] lender whose keeper has a thread.
pub fn lender_of(
    build: impl FnOnce(
        Builder<Client, millpond_lend::Asynchronous>,
    ) -> Builder<Client, millpond_lend::Asynchronous>,
) -> (Lender<Client>, Arc<Server>) {
    let server = Arc::new(Server::default());
    let (lender, keeper) = build(patient(Lender::builder(Client(Arc::clone(&server))))).build();
    keeper.run_on_thread().expect("a thread");
    (lender, server)
}

/// Counts how often it was woken.
#[derive(Debug, Default)]
pub struct Bell(pub AtomicU64);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Polls once.
pub fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let waker = Waker::from(Arc::new(Bell::default()));
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

/// A loan from a lender with a short acquire timeout, which opening an object may exceed on a busy machine.
#[track_caller]
pub fn loan_of<M: Maker>(lender: &Lender<M>) -> Loan<M> {
    loop {
        match block_on(lender.acquire()) {
            Ok(loan) => return loan,
            Err(error) => assert!(matches!(error, AcquireError::TimedOut { .. }), "{error}"),
        }
    }
}

/// Waits until something is so; gives up after a minute.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < give_up, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
