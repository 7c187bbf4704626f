//! The connection to a client: how it begins, and how it is read and answered.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::blocks::Blocks;
use super::protocol::{PROTOCOLS, Protocol};
use super::session::Session;
use super::welcome::Welcome;
use super::{Address, End, Ended, Fault, Go, Progress, known_protocols, next_block, welcome_from};

/// What a server says first, before the number of its protocol.
const GREETING: &[u8; 8] = b"TracyPrf";

/// What a client answers.
const WELCOME: u8 = 1;
const OTHER_PROTOCOL: u8 = 2;
const NOT_AVAILABLE: u8 = 3;

/// How long a client may take to answer, and to let a connection come about.
const ANSWER: Duration = Duration::from_secs(3);

/// The pause between two attempts to reach a program that does not run yet.
const PAUSE: Duration = Duration::from_millis(20);

/// So often a client may end the connection without an answer: it does so for a moment while it begins and ends.
const HANGUPS_MAX: u32 = 20;

/// How often the watcher is asked whether the recording goes on.
const WATCH: Duration = Duration::from_millis(50);

/// How long a client that is told to end may stay silent.
const SILENCE: Duration = Duration::from_secs(10);

/// So many blocks wait between the thread that reads and the one that takes them apart, at most 16 MB.
const WAITING_MAX: usize = 64;

/// How many sizes are shown.
const LARGEST: usize = 5;

/// A client that has agreed to a protocol.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    protocol: &'static Protocol,
    welcome: Welcome,
}

impl Client {
    /// The program's name, as it says.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.welcome.program
    }

    /// The number of its protocol.
    #[must_use]
    pub fn protocol(&self) -> u32 {
        self.protocol.number
    }

    /// The versions of Tracy that speak it.
    #[must_use]
    pub fn versions(&self) -> &'static str {
        self.protocol.versions
    }

    /// Whether it only records while somebody listens, so that blocks from before are not in the recording.
    #[must_use]
    pub fn is_on_demand(&self) -> bool {
        self.welcome.is_on_demand
    }
}

/// Waits for a program at this address, and agrees with it on a protocol. `None` if `go_on`, which is asked many times a
/// second, ends the waiting.
///
/// # Errors
/// If there is no such host, if what answers is no client of Tracy or speaks another protocol, or if the client was recorded
/// before.
pub fn connect(
    address: &Address,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Client>, Fault> {
    let mut protocols = PROTOCOLS.iter();
    let mut protocol = &PROTOCOLS[0];
    let mut hangups = 0;
    let places = places(address)?;
    while go_on() {
        let Some(stream) = places.iter().find_map(reached) else {
            thread::sleep(PAUSE);
            continue;
        };
        match greet(stream, protocol) {
            Answer::Client(client) => return Ok(Some(client)),
            Answer::OtherProtocol => match protocols.find(|next| next.number < protocol.number) {
                Some(next) => protocol = next,
                None => return Err(Fault::Peer(no_protocol_in_common(address))),
            },
            Answer::HungUp if hangups < HANGUPS_MAX => {
                hangups += 1;
                thread::sleep(PAUSE);
            }
            Answer::HungUp => {
                return Err(Fault::Peer(format!(
                    "{address} ends each connection without a word, expected a program with Tracy's client"
                )));
            }
            Answer::Fault(what) => return Err(Fault::Peer(format!("{address} {what}"))),
        }
    }
    Ok(None)
}

fn places(address: &Address) -> Result<Vec<SocketAddr>, Fault> {
    let Address { host, port } = address;
    let places: Vec<_> = (host.as_str(), *port)
        .to_socket_addrs()
        .map_err(|_| Fault::Peer(format!("{host} is not the name or the address of a machine")))?
        .collect();
    match places.is_empty() {
        true => Err(Fault::Peer(format!("{host} has no address"))),
        false => Ok(places),
    }
}

fn reached(place: &SocketAddr) -> Option<TcpStream> {
    TcpStream::connect_timeout(place, ANSWER).ok()
}

fn no_protocol_in_common(address: &Address) -> String {
    format!(
        "{address} speaks none of Tracy's protocols {}; build the program with one of these versions",
        known_protocols()
    )
}

/// What comes of a greeting.
enum Answer {
    Client(Client),
    OtherProtocol,
    HungUp,
    Fault(String),
}

fn greet(mut stream: TcpStream, protocol: &'static Protocol) -> Answer {
    let greeting = [&GREETING[..], &protocol.number.to_le_bytes()].concat();
    let mut status = [0];
    let answered = stream
        .set_read_timeout(Some(ANSWER))
        .and_then(|()| stream.set_nodelay(true))
        .and_then(|()| stream.write_all(&greeting))
        .and_then(|()| stream.read_exact(&mut status));
    if let Err(error) = answered {
        return match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Answer::Fault(
                "does not answer: another profiler is connected to the program, or it has no Tracy's client".to_owned(),
            ),
            _ => Answer::HungUp,
        };
    }
    match status[0] {
        WELCOME => match welcome_from(&mut stream, protocol) {
            Ok(welcome) => match stream.set_read_timeout(None) {
                Ok(()) => Answer::Client(Client { stream, protocol, welcome }),
                Err(_) => Answer::HungUp,
            },
            Err(fault) => Answer::Fault(format!("is no client of Tracy: {fault}")),
        },
        OTHER_PROTOCOL => Answer::OtherProtocol,
        NOT_AVAILABLE => Answer::Fault(
            "was recorded before, and tells its memory once: start the program again".to_owned(),
        ),
        other => Answer::Fault(format!("answers {other}, expected a program with Tracy's client")),
    }
}

/// Records the program until it ends, or until `watch` says so, which is asked some twenty times a second. A client that
/// dies, and a stream that is wrong, end the recording: what came before is in it.
///
/// # Errors
/// If the recording cannot be written.
pub fn record<W: Write>(
    client: Client,
    mut out: W,
    watch: &mut dyn FnMut(&dyn Fn() -> Progress) -> Go,
) -> Result<Ended<W>, Fault> {
    Ok(record_to(client, &mut out, watch)?.with_out(out))
}

fn record_to(
    client: Client,
    out: &mut dyn Write,
    watch: &mut dyn FnMut(&dyn Fn() -> Progress) -> Go,
) -> Result<Ended<()>, Fault> {
    let Client { mut stream, protocol, welcome } = client;
    let mut session = Session::begin(protocol, &welcome, out)?;
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let reader = stream.try_clone()?;
    let thread = thread::Builder::new().spawn(move || read(reader, &sender))?;
    let mut asked_at = Instant::now();
    let mut heard_at = Instant::now();
    let mut is_ending = false;
    let mut quit = false;
    let end = loop {
        match receiver.recv_timeout(WATCH) {
            Ok(Ok(block)) => {
                heard_at = Instant::now();
                match session.block(&block) {
                    Ok(()) => {}
                    Err(Fault::Stream(what)) => break Ok(End::Broken(what)),
                    Err(other) => break Err(other),
                }
            }
            Ok(Err(what)) => break Ok(End::Broken(what)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if session.has_ended() => break Ok(End::Program),
            Err(RecvTimeoutError::Disconnected) if is_ending => break Ok(End::Asked),
            Err(RecvTimeoutError::Disconnected) => break Ok(End::Lost),
        }
        let queries = session.queries();
        if !queries.is_empty() {
            // If the client is gone, so is the end that is read, and there is still something to read.
            let _ = stream.write_all(&queries);
        }
        if session.is_over() {
            break Ok(if is_ending { End::Asked } else { End::Program });
        }
        if asked_at.elapsed() >= WATCH {
            asked_at = Instant::now();
            match watch(&|| progress(&session)) {
                Go::On => {}
                Go::End => is_ending = true,
                Go::Quit => (is_ending, quit) = (true, true),
            }
            if is_ending {
                session.end_soon();
            }
            if quit || is_ending && heard_at.elapsed() >= SILENCE {
                session.give_up_questions();
            }
            if is_ending && heard_at.elapsed() >= 2 * SILENCE {
                break Ok(End::Asked);
            }
        }
    };
    // The thread that reads ends with the connection; what it still holds is dropped.
    let _ = stream.shutdown(Shutdown::Both);
    drop(receiver);
    let _ = thread.join();
    Ended::of(session, end?)
}

fn progress(session: &Session<'_>) -> Progress {
    Progress { counts: session.counts(), names: session.names(), largest: session.largest(LARGEST) }
}

/// Reads blocks until the connection ends, or until nobody wants them. The error is what is wrong with a block.
fn read(mut stream: TcpStream, sender: &SyncSender<Result<Vec<u8>, String>>) {
    let mut blocks = Blocks::new();
    let mut stored = Vec::new();
    loop {
        let next = match next_block(&mut stream, &mut stored) {
            Ok(Some(())) => blocks.decompress(&stored).map(<[u8]>::to_vec),
            Ok(None) => return,
            Err(what) => Err(what),
        };
        let is_last = next.is_err();
        if sender.send(next).is_err() || is_last {
            return;
        }
    }
}
