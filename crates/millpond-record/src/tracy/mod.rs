//! Tracy's server side: it takes what a program with Tracy's client says of its memory, as Tracy's own capture does.
//!
//! [`connect`] waits for the program, [`record`] writes its recording until it ends, and [`reread`] does the same with a
//! stream that was kept. What a peer says is not trusted: a stream that is none ends the recording with one clear line, and
//! memory is in proportion to what is alive, and to the call sites that there are.

mod address;
mod blocks;
mod connection;
mod protocol;
mod session;
mod welcome;

pub use address::{Address, PORT};
pub use connection::{Client, connect, record};

use std::fmt;
use std::io::{self, Read, Write};

use crate::recording::Counts;
use blocks::Blocks;
use protocol::{PROTOCOLS, Protocol};
use session::Session;
use welcome::{ON_DEMAND_BYTES, Welcome};

/// Why there is no recording, or none any more.
#[derive(Debug)]
pub enum Fault {
    /// The peer cannot be reached, or is no client that can be recorded.
    Peer(String),
    /// What the client says is not Tracy's stream.
    Stream(String),
    /// The recording cannot be written.
    Output(io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(what) | Self::Stream(what) => f.write_str(what),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Whether a recording goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// It goes on.
    On,
    /// It ends: names that were asked for are still waited for.
    End,
    /// It ends at once.
    Quit,
}

/// How a recording ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The program has ended, and has said all.
    Program,
    /// The recorder was told to end.
    Asked,
    /// The program has crashed, and its client has said so: of what, if it came to say that, too.
    Crashed(String),
    /// The connection ended before the program did, or the program ended without a word: it crashed or was killed.
    Lost,
    /// The stream is not Tracy's from here on: what is wrong with it.
    Broken(String),
}

/// What a recording has so far.
#[derive(Debug, Clone)]
pub struct Progress {
    /// Its blocks.
    pub counts: Counts,
    /// How many call sites and pools have names, and how many there are.
    pub names: (u64, u64),
    /// The sizes with most bytes alive, and how many blocks each has.
    pub largest: Vec<(u64, u64)>,
}

/// A recording that has ended.
#[derive(Debug)]
pub struct Ended<W> {
    /// What it was written to.
    pub out: W,
    /// What it has.
    pub counts: Counts,
    /// How many call sites and pools have names, and how many there are.
    pub names: (u64, u64),
    /// How it ended.
    pub end: End,
}

impl<W> Ended<W> {
    /// The same without what it was written to.
    pub fn map_out(self) -> Ended<()> {
        let Self { counts, names, end, .. } = self;
        Ended { out: (), counts, names, end }
    }
}

impl Ended<()> {
    fn of(session: Session<'_>, end: End) -> Result<Self, Fault> {
        let names = session.names();
        // Whether the client came to end the talk after a crash depends on its threads.
        let end = match (end, session.crash()) {
            (End::Program | End::Asked | End::Lost, Some(text)) => End::Crashed(text),
            (end, _) => end,
        };
        let counts = session.finish(matches!(end, End::Program | End::Asked))?;
        Ok(Self { out: (), counts, names, end })
    }

    fn with_out<W>(self, out: W) -> Ended<W> {
        let Self { out: (), counts, names, end } = self;
        Ended { out, counts, names, end }
    }
}

/// Reads a stream that was kept: the number of its protocol in four bytes, and what the client said after it had agreed to
/// that.
///
/// # Errors
/// If its beginning is not that of such a stream, or if the recording cannot be written.
pub fn reread<W: Write>(mut stream: impl Read, mut out: W) -> Result<Ended<W>, Fault> {
    Ok(reread_to(&mut stream, &mut out)?.with_out(out))
}

fn reread_to(mut stream: &mut dyn Read, out: &mut dyn Write) -> Result<Ended<()>, Fault> {
    let number = u32::from_le_bytes(bytes(&mut stream)?);
    let Some(protocol) = PROTOCOLS.iter().find(|protocol| protocol.number == number) else {
        return Err(Fault::Stream(format!("protocol {number}, expected {}", known_protocols())));
    };
    let welcome = welcome_from(&mut stream, protocol)?;
    let mut session = Session::begin(protocol, &welcome, out)?;
    let mut blocks = Blocks::new();
    let mut stored = Vec::new();
    let end = loop {
        match next_block(&mut stream, &mut stored) {
            Ok(Some(())) => {}
            Ok(None) if session.has_ended() => break End::Program,
            Ok(None) => break End::Lost,
            Err(what) => break End::Broken(what),
        }
        let taken = blocks.decompress(&stored).map_err(Fault::Stream);
        match taken.and_then(|block| session.block(block)) {
            Ok(()) => {}
            Err(Fault::Stream(what)) => break End::Broken(what),
            Err(other) => return Err(other),
        }
        // The answers are in the stream already.
        session.queries();
    };
    Ended::of(session, end)
}

fn welcome_from(stream: &mut impl Read, protocol: &Protocol) -> Result<Welcome, Fault> {
    let mut bytes = vec![0; protocol.welcome_bytes];
    stream.read_exact(&mut bytes).map_err(|_| ends_too_early())?;
    let welcome = Welcome::of(protocol, &bytes).map_err(Fault::Stream)?;
    if welcome.is_on_demand {
        stream.read_exact(&mut [0; ON_DEMAND_BYTES]).map_err(|_| ends_too_early())?;
    }
    Ok(welcome)
}

fn bytes<const N: usize>(stream: &mut impl Read) -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).map_err(|_| ends_too_early())?;
    Ok(bytes)
}

fn ends_too_early() -> Fault {
    Fault::Stream("the stream ends within its beginning".to_owned())
}

/// Reads the next block as it is stored; `None` at the end of the stream.
fn next_block(stream: &mut impl Read, stored: &mut Vec<u8>) -> Result<Option<()>, String> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Ok(()) => {}
        Err(_) => return Ok(None),
    }
    stored.resize(blocks::stored_bytes(length)?, 0);
    match stream.read_exact(stored) {
        Ok(()) => Ok(Some(())),
        // A connection that breaks within a block is one that breaks.
        Err(_) => Ok(None),
    }
}

/// What is known of each protocol, a line each: `ci/tracy/check` compares it with the headers of Tracy's client.
#[doc(hidden)]
#[must_use]
pub fn protocol_tables() -> String {
    PROTOCOLS.iter().map(|protocol| protocol.line() + "\n").collect()
}

/// The protocols that are known, for a message.
fn known_protocols() -> String {
    let known = PROTOCOLS.iter().map(|of| format!("{} (Tracy {})", of.number, of.versions));
    known.collect::<Vec<_>>().join(", ")
}
