//! What a client says, and what is asked of it.

use std::collections::{HashSet, VecDeque};
use std::io::{self, Write};

use super::Fault;
use super::protocol::{Kind, Protocol};
use super::welcome::Welcome;
use crate::recording::{Counts, Recording};
use crate::text::name;

/// The kinds of questions to the client. A question is its kind, an address in the client, and four bytes that are 0 in
/// all that is asked here.
const TERMINATE: u8 = 0;
const STRING: u8 = 1;
const DISCONNECT: u8 = 9;
const CALLSTACK_FRAME: u8 = 10;

/// So many questions are open at once. They fit into any buffer of a socket: neither side ever waits for the other to read.
const OPEN_MAX: usize = 256;

/// So many addresses and pools are asked for; more names, a recording does not hold.
const ASKED_MAX: usize = 1 << 20;

/// How far the talk has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The client says what happens.
    Recording,
    /// The recorder wants to end: what happens is passed over, open questions are still answered.
    Ending,
    /// The client was asked to end the talk.
    Disconnecting,
    /// The client has said that nothing more happens.
    Ended,
    /// The client was told that it may go.
    Over,
}

/// The talk with a client, and the recording that comes of it.
pub(super) struct Session<'w> {
    protocol: &'static Protocol,
    kinds: Vec<Kind>,
    /// Its code is compiled with that of the session, with this crate's profile, for all that is written to.
    recording: Recording<&'w mut dyn Write>,
    state: State,
    ms_per_tick: f64,
    /// The time of the first event, and of the last one of the serial queue, in the client's ticks.
    first: Option<i64>,
    serial: i64,
    /// The call stack that was sent last, and whether it is that of the next event of the serial queue.
    stack: Vec<u64>,
    has_stack: bool,
    /// The name of the pool of the next event that has one.
    pool: u64,
    /// The texts that were sent last.
    single: Vec<u8>,
    second: Vec<u8>,
    /// The address whose functions come next.
    address: Option<Functions>,
    /// The name of the set of frames that is counted: of all frames if there are such, else the first one with a name.
    frames: Option<u64>,
    /// What was asked for once, and which of it has no answer.
    asked: HashSet<(u8, u64), foldhash::fast::RandomState>,
    open: HashSet<(u8, u64), foldhash::fast::RandomState>,
    queries: VecDeque<(u8, u64)>,
    /// The addresses that have a name.
    named: u64,
    crash: Option<Crash>,
}

/// A crash that the client has told, with its own text of it.
#[derive(Debug)]
struct Crash {
    address: u64,
    text: Vec<u8>,
}

/// What is known of an address while its functions are told.
#[derive(Debug)]
struct Functions {
    address: u64,
    /// The program or library.
    module: Vec<u8>,
    /// How many functions are left.
    functions: u8,
    has_name: bool,
}

impl<'w> Session<'w> {
    pub(super) fn begin(
        protocol: &'static Protocol,
        welcome: &Welcome,
        out: &'w mut dyn Write,
    ) -> io::Result<Self> {
        Ok(Self {
            protocol,
            kinds: protocol.kinds(),
            recording: Recording::begin(out, "tracy", welcome.program.as_bytes())?,
            state: State::Recording,
            ms_per_tick: welcome.ns_per_tick / 1e6,
            first: None,
            serial: 0,
            stack: Vec::new(),
            has_stack: false,
            pool: 0,
            single: Vec::new(),
            second: Vec::new(),
            address: None,
            frames: None,
            asked: HashSet::default(),
            open: HashSet::default(),
            queries: VecDeque::new(),
            named: 0,
            crash: None,
        })
    }

    /// Takes a block of whole events.
    pub(super) fn block(&mut self, block: &[u8]) -> Result<(), Fault> {
        let mut rest = block;
        while let Some(&number) = rest.first() {
            let number = usize::from(number);
            let (Some(&kind), Some(&size)) =
                (self.kinds.get(number), self.protocol.sizes.get(number))
            else {
                let (version, last) = (self.protocol.number, self.kinds.len() - 1);
                return Err(Fault::Stream(format!(
                    "event {number}, expected 0 to {last} in protocol {version}"
                )));
            };
            let (event, after) = split(rest, usize::from(size))?;
            rest = self.event(kind, event, after)?;
        }
        Ok(())
    }

    /// Takes an event; returns what comes after it and its text.
    #[inline]
    fn event<'b>(&mut self, kind: Kind, event: &[u8], after: &'b [u8]) -> Result<&'b [u8], Fault> {
        match kind {
            Kind::Other => {}
            Kind::OtherText => return Ok(text(after, 2, 0)?.1),
            Kind::OtherLongText => return Ok(text(after, 4, 0)?.1),
            Kind::StackSerial => self.has_stack = true,
            Kind::StackElsewhere => self.has_stack = false,
            Kind::Time { at } => {
                self.serial_time(i64_at(event, at));
            }
            Kind::Birth { is_named, has_stack } => {
                let time = self.serial_time(i64_at(event, 1));
                if !(std::mem::take(&mut self.has_stack) && has_stack) {
                    self.stack.clear();
                }
                let pool = if is_named { self.pool } else { 0 };
                if self.state == State::Recording {
                    self.clock(time)?;
                    let number = self.number_of(pool)?;
                    let bytes = u64_at(event, 19) >> 16;
                    self.recording.birth((pool, u64_at(event, 13)), bytes, number)?;
                }
            }
            Kind::Death { is_named } => {
                let time = self.serial_time(i64_at(event, 1));
                self.has_stack = false;
                let (pool, address) = (if is_named { self.pool } else { 0 }, u64_at(event, 13));
                // To free nothing is allowed, and no death.
                if self.state == State::Recording && address != 0 {
                    self.clock(time)?;
                    self.recording.death((pool, address))?;
                }
            }
            Kind::Discard => {
                let time = self.serial_time(i64_at(event, 1));
                self.has_stack = false;
                if self.state == State::Recording {
                    self.clock(time)?;
                    self.recording.discard(u64_at(event, 13))?;
                }
            }
            Kind::FrameSize => {
                let (address, functions) = (u64_at(event, 1), event[9]);
                if self.open.remove(&(CALLSTACK_FRAME, address)) {
                    let module = std::mem::take(&mut self.single);
                    self.address = Some(Functions { address, module, functions, has_name: false });
                    self.functions_left();
                }
            }
            Kind::Frame => self.function()?,
            Kind::Terminate => {
                if self.state != State::Over {
                    self.state = State::Ended;
                }
            }
            Kind::Crash => self.crashed(u64_at(event, 9)),
            Kind::FrameMark => self.frame_mark(i64_at(event, 1), u64_at(event, 9))?,
            Kind::Single { is_short } => {
                let (single, rest) = self.short_text(after, is_short)?;
                self.single.clear();
                self.single.extend_from_slice(single);
                return Ok(rest);
            }
            Kind::Second { is_short } => {
                let (second, rest) = self.short_text(after, is_short)?;
                self.second.clear();
                self.second.extend_from_slice(second);
                return Ok(rest);
            }
            Kind::PoolName => self.pool = u64_at(event, 1),
            Kind::String => {
                let (string, rest) = text(after, 2, 0)?;
                let name = u64_at(event, 1);
                if self.open.remove(&(STRING, name)) {
                    match &mut self.crash {
                        Some(crash) if crash.address == name => string.clone_into(&mut crash.text),
                        _ => {
                            self.named += 1;
                            self.recording.name(name, string, b"", b"")?;
                        }
                    }
                }
                return Ok(rest);
            }
            Kind::Stack => {
                let (addresses, rest) = text(after, 2, 0)?;
                self.stack.clear();
                self.stack.extend(addresses.chunks_exact(8).map(|bytes| u64_at(bytes, 0)));
                return Ok(rest);
            }
        }
        Ok(after)
    }

    /// A text whose length has one or two bytes. Where both are in use, the longer one counts from 256.
    fn short_text<'b>(
        &self,
        after: &'b [u8],
        is_short: bool,
    ) -> Result<(&'b [u8], &'b [u8]), Fault> {
        let more = if self.protocol.numbers.has_short_strings { 256 } else { 0 };
        if is_short { text(after, 1, 0) } else { text(after, 2, more) }
    }

    /// The time of an event of the serial queue, which counts from the one before.
    #[inline]
    fn serial_time(&mut self, since: i64) -> i64 {
        self.serial = self.serial.wrapping_add(since);
        self.serial
    }

    /// The time in milliseconds since the first event.
    #[inline]
    fn ms(&mut self, time: i64) -> u32 {
        let first = *self.first.get_or_insert(time);
        // Saturates at both ends.
        (time.wrapping_sub(first) as f64 * self.ms_per_tick) as u32
    }

    #[inline]
    fn clock(&mut self, time: i64) -> io::Result<()> {
        let ms = self.ms(time);
        self.recording.clock(ms)
    }

    fn frame_mark(&mut self, time: i64, name: u64) -> io::Result<()> {
        // Frames with a name are parts of a frame, or those of another window: they count where there are no others.
        let counted = self.frames.is_none_or(|counted| counted == name) || name == 0;
        if counted && self.state == State::Recording {
            self.frames = Some(name);
            let ms = self.ms(time);
            self.recording.frame(ms)?;
        }
        Ok(())
    }

    /// The number of the call stack that was sent last, of a block in a pool. The pool is its innermost function, by the
    /// address of its name.
    #[inline]
    fn number_of(&mut self, pool: u64) -> io::Result<u32> {
        if pool != 0 {
            self.stack.insert(0, pool);
        }
        let (number, is_new) = self.recording.stack(&self.stack)?;
        if is_new {
            let mut stack = std::mem::take(&mut self.stack).into_iter();
            if pool != 0 {
                stack.next();
                self.ask(STRING, pool);
            }
            stack.for_each(|address| self.ask(CALLSTACK_FRAME, address));
        }
        Ok(number)
    }

    fn ask(&mut self, kind: u8, address: u64) {
        if self.asked.len() < ASKED_MAX && self.asked.insert((kind, address)) {
            self.queries.push_back((kind, address));
        }
    }

    /// The client catches the signal of a crash, and then ends as any program does.
    fn crashed(&mut self, address: u64) {
        if self.crash.is_none() {
            self.crash = Some(Crash { address, text: Vec::new() });
            self.queries.push_back((STRING, address));
        }
    }

    /// A function at the current address: the last two texts are its name and its file.
    fn function(&mut self) -> io::Result<()> {
        let Some(of) = &mut self.address else { return Ok(()) };
        let name: &[u8] = if is_unknown(&self.single) { b"" } else { &self.single };
        let file: &[u8] = match () {
            // The file of a constructor is the library's; its name says the type, which is what one wants to read.
            () if is_constructor(name) || is_unknown(&self.second) => b"",
            () => &self.second,
        };
        self.recording.name(of.address, name, file, &of.module)?;
        of.has_name |= !name.is_empty();
        of.functions -= 1;
        self.functions_left();
        Ok(())
    }

    fn functions_left(&mut self) {
        if let Some(of) = self.address.take_if(|of| of.functions == 0) {
            self.named += u64::from(of.has_name);
        }
    }

    /// What is to be said to the client now.
    pub(super) fn queries(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut say = |kind: u8, address: u64| {
            bytes.push(kind);
            bytes.extend(address.to_le_bytes());
            bytes.extend([0; 4]);
        };
        if self.state != State::Disconnecting && self.state != State::Over {
            while self.open.len() < OPEN_MAX
                && let Some((kind, address)) = self.queries.pop_front()
            {
                self.open.insert((kind, address));
                say(kind, address);
            }
            let is_all_answered = self.open.is_empty() && self.queries.is_empty();
            match self.state {
                // A client that ends the talk answers no more questions about call stacks.
                State::Ending if is_all_answered => {
                    say(DISCONNECT, 0);
                    self.state = State::Disconnecting;
                }
                State::Ended if is_all_answered => {
                    say(TERMINATE, 0);
                    self.state = State::Over;
                }
                _ => {}
            }
        }
        bytes
    }

    /// Ends the recording: what happens from now on is not in it.
    pub(super) fn end_soon(&mut self) {
        if self.state == State::Recording {
            self.state = State::Ending;
        }
    }

    /// Gives up the questions that have no answer yet.
    pub(super) fn give_up_questions(&mut self) {
        self.queries.clear();
        self.open.clear();
    }

    /// Whether the client has said that nothing more happens.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended | State::Over)
    }

    /// Whether all is said.
    pub(super) fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// How the program has crashed, as far as its client has said: the first line of its text.
    pub(super) fn crash(&self) -> Option<String> {
        let text = &self.crash.as_ref()?.text;
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        Some(name(line).trim_end_matches('.').to_owned())
    }

    /// How many addresses and pools have a name, and how many were met.
    pub(super) fn names(&self) -> (u64, u64) {
        (self.named, self.asked.len() as u64)
    }

    pub(super) fn counts(&self) -> Counts {
        self.recording.counts()
    }

    /// The sizes with most bytes alive, and how many blocks each has.
    pub(super) fn largest(&self, most: usize) -> Vec<(u64, u64)> {
        self.recording.largest(most)
    }

    pub(super) fn finish(self, is_whole: bool) -> io::Result<Counts> {
        Ok(self.recording.end(is_whole)?.1)
    }
}

/// What Tracy says in place of a name that it does not know.
fn is_unknown(text: &[u8]) -> bool {
    text.is_empty() || text.starts_with(b"[unknown]") || text == b"(unknown)"
}

/// A function of Rust's library whose name has the type that it makes: `new<game::Bullet>`, as debug information has it.
fn is_constructor(name: &[u8]) -> bool {
    name.starts_with(b"new<") || name.starts_with(b"new_uninit<") || name.starts_with(b"from<")
}

#[inline]
fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), Fault> {
    bytes.split_at_checked(at).ok_or_else(|| {
        let left = bytes.len();
        Fault::Stream(format!("a block ends within an event: {left} bytes, expected {at}"))
    })
}

/// A text after a length of so many bytes, to which `more` is added; and what comes after it.
fn text(after: &[u8], length_bytes: usize, more: usize) -> Result<(&[u8], &[u8]), Fault> {
    let (length, rest) = split(after, length_bytes)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    split(rest, length + more)
}

/// The eight bytes of an event from here on; all sizes that are read are those of a table, which a test compares.
#[inline]
fn u64_at(event: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&event[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[inline]
fn i64_at(event: &[u8], at: usize) -> i64 {
    u64_at(event, at) as i64
}
