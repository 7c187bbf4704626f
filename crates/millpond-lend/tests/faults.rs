//! Faults of the network between a lender and a real PostgreSQL server, by a proxy on loopback.
#![cfg(all(feature = "tokio-postgres", feature = "tokio"))]

#[path = "common/nothing_left.rs"]
mod nothing_left;
#[path = "common/postgres_server.rs"]
mod postgres_server;

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{AcquireError, Lender, TokioTimer, Unopened};
use nothing_left::closes_and_leaves_nothing;
use postgres_server::{Server, with_server};

/// How long a query may take before its caller gives up: a connection that is silent does not say so. A busy machine
/// answers sooner.
const QUERY_MAX: Duration = Duration::from_secs(20);

/// What the proxy does.
#[derive(Debug, Default)]
struct Faults {
    accepted: AtomicU64,
    /// How many connections are open.
    open: AtomicU64,
    /// Connections of up to this number are silent for ever: what is sent on them is lost.
    silent_to: AtomicU64,
    /// New connections are silent, too.
    swallows_new: AtomicBool,
    /// New connections are closed at once.
    refuses_new: AtomicBool,
    /// So long a new connection waits before anything is forwarded.
    accept_ms: AtomicU64,
    ends: AtomicBool,
    clients: Mutex<Vec<TcpStream>>,
}

impl Faults {
    /// Closes every connection.
    fn drop_all(&self) {
        for client in self.clients.lock().unwrap().drain(..) {
            let _ = client.shutdown(Shutdown::Both);
        }
    }

    /// Nothing comes through any more on any connection of now, and none says so.
    fn stall_all(&self) {
        self.silent_to.store(self.accepted.load(SeqCst), SeqCst);
    }

    fn is_silent(&self, number: u64) -> bool {
        number <= self.silent_to.load(SeqCst)
    }

    fn serve(&self, number: u64, client: &TcpStream, socket: &PathBuf) {
        thread::sleep(Duration::from_millis(self.accept_ms.load(SeqCst)));
        let Ok(server) = UnixStream::connect(socket) else { return };
        self.open.fetch_add(1, SeqCst);
        thread::scope(|scope| {
            scope.spawn(|| {
                self.forward(number, &server, client);
                let _ = client.shutdown(Shutdown::Both);
            });
            self.forward(number, client, &server);
            let _ = server.shutdown(Shutdown::Both);
        });
        self.open.fetch_sub(1, SeqCst);
    }

    /// Forwards until one end closes.
    fn forward(&self, number: u64, mut from: impl Read, mut to: impl Write) {
        let mut buffer = [0; 4_096];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if !self.is_silent(number) && to.write_all(&buffer[..length]).is_err() {
                return;
            }
        }
    }
}

/// A proxy in front of a server; it ends when it is dropped.
struct Proxy {
    address: SocketAddr,
    faults: Arc<Faults>,
}

impl Proxy {
    fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let faults = Arc::new(Faults::default());
        let proxy = Self { address, faults: Arc::clone(&faults) };
        let socket = server.socket();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if faults.ends.load(SeqCst) {
                    return;
                }
                if faults.refuses_new.load(SeqCst) {
                    continue;
                }
                let number = faults.accepted.fetch_add(1, SeqCst) + 1;
                if faults.swallows_new.load(SeqCst) {
                    faults.silent_to.fetch_max(number, SeqCst);
                }
                faults.clients.lock().unwrap().push(client.try_clone().unwrap());
                let (faults, socket) = (Arc::clone(&faults), socket.clone());
                thread::spawn(move || faults.serve(number, &client, &socket));
            }
        });
        proxy
    }

    fn maker(&self) -> Postgres {
        let mut config = tokio_postgres::Config::new();
        config.host("127.0.0.1").port(self.address.port()).user("cook").dbname("postgres");
        Postgres::new(config)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.faults.ends.store(true, SeqCst);
        self.faults.drop_all();
        let _ = TcpStream::connect(self.address);
    }
}

/// A lender of four connections through a proxy, all of which are open and idle, and work.
async fn lender_of_four(proxy: &Proxy, check_after_idle_ms: u64) -> Lender<Postgres> {
    let (lender, keeper) = Lender::builder(proxy.maker())
        .capacity(4)
        .acquire_timeout(Duration::from_millis(120_000))
        .check_after_idle(Duration::from_millis(check_after_idle_ms))
        .build();
    tokio::spawn(keeper.run(TokioTimer));
    let loans = lender.acquire_many(4).await.unwrap();
    for loan in &loans {
        loan.simple_query("select 1").await.unwrap();
    }
    lender
}

/// Runs a query on each of so many loans at once, and returns how many fail or are not answered.
async fn errors_of(lender: &Lender<Postgres>, count: usize) -> usize {
    let tasks: Vec<_> = (0..count)
        .map(|_| {
            let lender = lender.clone();
            tokio::spawn(async move {
                let loan = lender.acquire().await.expect("a loan");
                let answer = tokio::time::timeout(QUERY_MAX, loan.simple_query("select 1")).await;
                let is_well = matches!(answer, Ok(Ok(_)));
                if !is_well {
                    loan.discard();
                }
                is_well
            })
        })
        .collect();
    let mut errors = 0;
    for task in tasks {
        errors += usize::from(!task.await.unwrap());
    }
    errors
}

/// All four can be had again and work, and it is printed how long after the end of the fault; `recovery`
/// tests by a simulated clock that this is less than a second. Then the lender closes and leaves nothing
/// open, at the proxy or at the server.
async fn serves_in_full_and_leaves_nothing(
    lender: &Lender<Postgres>,
    proxy: &Proxy,
    server: &Server,
    fault_ended: Instant,
) {
    let give_up = Instant::now() + Duration::from_secs(120);
    let loans = loop {
        match lender.acquire_many(4).await {
            Ok(loans) => break loans,
            Err(error) => assert!(Instant::now() < give_up, "{error}"),
        }
    };
    for loan in &loans {
        loan.simple_query("select 1").await.unwrap();
    }
    drop(loans);
    println!("full service {} ms after the fault", fault_ended.elapsed().as_millis());
    assert_eq!(errors_of(lender, 40).await, 0);
    let open = || proxy.faults.open.load(SeqCst);
    closes_and_leaves_nothing(lender, &server.config("postgres"), open).await;
}

#[test]
fn dropped_connections_cost_one_error_each() {
    with_server("proxy-drop", "", async |server| {
        let proxy = Proxy::start(server);
        let lender = lender_of_four(&proxy, 1_000_000).await;
        proxy.faults.drop_all();
        let ended = Instant::now();
        let errors = errors_of(&lender, 40).await;
        assert!(errors <= 4, "{errors}");
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, ended).await;
    });
}

#[test]
fn silent_connections_cost_one_error_each() {
    with_server("proxy-stall", "", async |server| {
        let proxy = Proxy::start(server);
        let lender = lender_of_four(&proxy, 1_000_000).await;
        proxy.faults.stall_all();
        assert_eq!(errors_of(&lender, 40).await, 4);
        // The callers have noticed by now, each after its own time limit.
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, Instant::now()).await;
    });
}

#[test]
fn silent_connections_that_are_checked_cost_no_error() {
    with_server("proxy-check", "", async |server| {
        let proxy = Proxy::start(server);
        let lender = lender_of_four(&proxy, 50).await;
        proxy.faults.stall_all();
        tokio::time::sleep(Duration::from_millis(60)).await;
        let asked = Instant::now();
        assert_eq!(errors_of(&lender, 40).await, 0);
        let give_up = Instant::now() + Duration::from_secs(120);
        while lender.stats().closings.check < 4 {
            assert!(Instant::now() < give_up, "{:?}", lender.stats());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, asked).await;
    });
}

#[test]
fn a_slow_accept_is_waited_for_and_not_asked_twice() {
    with_server("proxy-slow", "", async |server| {
        let proxy = Proxy::start(server);
        proxy.faults.accept_ms.store(100, SeqCst);
        // One at a time: the only one is never impatient.
        let (lender, keeper) = Lender::builder(proxy.maker())
            .capacity(4)
            .openings_max(1)
            .acquire_timeout(Duration::from_millis(120_000))
            .open_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        assert_eq!(errors_of(&lender, 40).await, 0);
        let stats = lender.stats();
        assert!(stats.opened <= 4 && stats.open_failed == 0, "{stats:?}");
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, Instant::now()).await;
    });
}

#[test]
fn a_black_hole_is_a_time_out_and_service_comes_back_with_the_network() {
    with_server("proxy-hole", "", async |server| {
        let proxy = Proxy::start(server);
        proxy.faults.swallows_new.store(true, SeqCst);
        let (lender, keeper) = Lender::builder(proxy.maker())
            .capacity(4)
            .acquire_timeout(Duration::from_millis(3_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let error = lender.acquire().await.map(drop).unwrap_err();
        let AcquireError::TimedOut { unopened: Some(_), .. } = &error else { panic!("{error}") };
        assert!(error.source().is_some_and(|cause| cause.is::<Unopened>()), "{error}");
        assert!(lender.stats().open_failed > 0);

        proxy.faults.swallows_new.store(false, SeqCst);
        let ended = Instant::now();
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, ended).await;
    });
}

/// All connections are open and idle when the network swallows everything, for longer than an opening may
/// take.
#[test]
fn service_comes_back_with_a_network_that_was_away_for_long() {
    with_server("proxy-away", "", async |server| {
        let proxy = Proxy::start(server);
        let lender = lender_of_four(&proxy, 50).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        proxy.faults.stall_all();
        proxy.faults.swallows_new.store(true, SeqCst);
        let waiting = {
            let lender = lender.clone();
            tokio::spawn(async move { errors_of(&lender, 40).await })
        };
        let give_up = Instant::now() + Duration::from_secs(120);
        while (lender.stats().out, lender.stats().waiting) != (0, 40) {
            assert!(Instant::now() < give_up, "{:?}", lender.stats());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert_eq!((lender.stats().out, lender.stats().waiting), (0, 40));
        proxy.faults.swallows_new.store(false, SeqCst);
        let ended = Instant::now();
        assert_eq!(waiting.await.unwrap(), 0);
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, ended).await;
    });
}

#[test]
fn a_refusal_is_named_and_service_comes_back_with_the_server() {
    with_server("proxy-refuse", "", async |server| {
        let proxy = Proxy::start(server);
        let lender = lender_of_four(&proxy, 1_000_000).await;
        proxy.faults.refuses_new.store(true, SeqCst);
        proxy.faults.drop_all();
        let waiting = {
            let lender = lender.clone();
            tokio::spawn(async move { errors_of(&lender, 40).await })
        };
        let give_up = Instant::now() + Duration::from_secs(120);
        while lender.stats().open_failed == 0 {
            assert!(Instant::now() < give_up, "nothing is opened");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        proxy.faults.refuses_new.store(false, SeqCst);
        let ended = Instant::now();
        let errors = waiting.await.unwrap();
        assert!(errors <= 4, "{errors}");
        serves_in_full_and_leaves_nothing(&lender, &proxy, server, ended).await;
    });
}
