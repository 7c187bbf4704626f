//! The load: clients that order over HTTP, wait for the answer, think, and order again.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use axum::http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use millpond_demos::Random;
use millpond_lend::with_causes;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// One in so many orders is given up by its client, who hangs up.
const HANGS_UP_ONE_IN: u64 = 60;

/// How long such a client waits.
const PATIENCE: Duration = Duration::from_millis(3);

/// How long a client thinks between two orders, in milliseconds.
const THINKS_MS: (f32, f32) = (15.0, 45.0);

/// What is ordered.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) clients: u64,
    /// How many orders, of all clients.
    pub(crate) orders: u64,
    /// How many have their answer.
    pub(crate) answered: Arc<AtomicU64>,
}

/// How the orders ended.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) acknowledged: BTreeSet<i64>,
    /// When orders were acknowledged.
    pub(crate) answered_at: Vec<Instant>,
    /// The database failed while it had them: they may be in the table.
    pub(crate) failed: BTreeSet<i64>,
    /// Their client hung up: they may be in the table.
    pub(crate) hung_up: BTreeSet<i64>,
    /// No connection was to be had, and why.
    pub(crate) refused: Vec<(i64, String)>,
    /// No answer has come, and why.
    pub(crate) unanswered: Vec<(i64, String)>,
}

impl Tally {
    /// How many orders are told of.
    pub(crate) fn answers(&self) -> u64 {
        let counted = self.acknowledged.len() + self.failed.len() + self.hung_up.len();
        (counted + self.refused.len() + self.unanswered.len()) as u64
    }

    fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.answered_at.extend(other.answered_at);
        self.failed.extend(other.failed);
        self.hung_up.extend(other.hung_up);
        self.refused.extend(other.refused);
        self.unanswered.extend(other.unanswered);
    }
}

/// Has all clients order at once; returns when every order has ended.
pub(crate) async fn run(load: Load) -> io::Result<Tally> {
    let clients: Vec<_> =
        (0..load.clients).map(|client| tokio::spawn(order_all(client, load.clone()))).collect();
    let mut tally = Tally::default();
    for client in clients {
        tally.add(client.await??);
    }
    Ok(tally)
}

/// One client: its share of the orders, one after the other.
async fn order_all(client: u64, load: Load) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut random = Random::new(client);
    let mut line = Line::connect(load.address).await?;
    for id in (client..load.orders).step_by(load.clients as usize) {
        let number = id as i64;
        if id % HANGS_UP_ONE_IN == HANGS_UP_ONE_IN - 1 {
            // Whether it was served in time is all the same.
            let _ = tokio::time::timeout(PATIENCE, line.order(number)).await;
            line = Line::connect(load.address).await?;
            tally.hung_up.insert(number);
        } else {
            match line.order(number).await {
                Ok((StatusCode::CREATED, _)) => {
                    tally.acknowledged.insert(number);
                    tally.answered_at.push(Instant::now());
                }
                Ok((StatusCode::INTERNAL_SERVER_ERROR, _)) => {
                    tally.failed.insert(number);
                }
                Ok((StatusCode::SERVICE_UNAVAILABLE, why)) => tally.refused.push((number, why)),
                Ok((status, why)) => tally.unanswered.push((number, format!("{status} {why}"))),
                Err(error) => {
                    tally.unanswered.push((number, with_causes(&error).to_string()));
                    line = Line::connect(load.address).await?;
                }
            }
        }
        load.answered.fetch_add(1, SeqCst);
        let think = random.between(THINKS_MS.0, THINKS_MS.1);
        tokio::time::sleep(Duration::from_secs_f32(think / 1e3)).await;
    }
    Ok(tally)
}

/// A client's connection to the service; dropped, it hangs up.
struct Line {
    sender: SendRequest<Empty<Bytes>>,
    connection: JoinHandle<()>,
    address: SocketAddr,
}

impl Line {
    async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TokioIo::new(TcpStream::connect(address).await?);
        let (sender, connection) = handshake(stream).await.map_err(io::Error::other)?;
        // Its end shows in the sender: every request fails.
        let connection = tokio::spawn(async move { drop(connection.await) });
        Ok(Self { sender, connection, address })
    }

    async fn order(&mut self, id: i64) -> Result<(StatusCode, String), hyper::Error> {
        let request = Request::post(format!("/orders/{id}"))
            .header(header::HOST, self.address.to_string())
            .body(Empty::new())
            .expect("a request of digits is well-formed");
        let answer = self.sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.connection.abort();
    }
}
