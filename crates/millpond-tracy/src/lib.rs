#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod client;

use std::collections::HashMap;
use std::ffi::CString;
use std::io::{self, Write};

use client::Name;

/// Says to Tracy what a [`Recorder`](millpond::recorder::Recorder) writes: it is the recorder's output.
#[derive(Debug, Default)]
pub struct Pools {
    /// The bytes of an object, by the name of its pool.
    bytes: HashMap<String, usize>,
    pools: HashMap<String, Pool>,
    /// The beginning of a line whose end is not written yet.
    line: Vec<u8>,
}

/// The names of a pool in Tracy. They last as long as the program, and a pool that comes again has the same ones.
#[derive(Debug, Clone, Copy)]
struct Pool {
    memory: Name,
    live: Name,
    refused: Name,
    bytes: usize,
}

impl Pools {
    /// Pools whose objects have no size in Tracy: each counts as one byte.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the size of the objects in the pools of this name, such as `size_of::<Bullet>()`.
    #[must_use]
    pub fn object_bytes(mut self, pool: impl Into<String>, bytes: usize) -> Self {
        self.bytes.insert(pool.into(), bytes.max(1));
        self
    }

    fn pool(&mut self, name: &str) -> Pool {
        if let Some(known) = self.pools.get(name) {
            return *known;
        }
        let bytes = self.bytes.get(name).copied().unwrap_or(1);
        let new = Pool {
            memory: lasting(name),
            live: lasting(&format!("{name} live")),
            refused: lasting(&format!("{name} refused")),
            bytes,
        };
        self.pools.insert(name.to_owned(), new);
        new
    }

    /// Takes a line of a live trace; those that say nothing of a pool are passed over.
    fn say(&mut self, line: &str) {
        let columns: Vec<&str> = line.split(',').collect();
        let [_, event, id, name, rest @ ..] = &columns[..] else { return };
        let Ok(id) = id.parse::<u64>() else { return };
        match *event {
            // The number of an object is its alone in the whole trace.
            "alloc" => {
                let pool = self.pool(name);
                client::born(id + 1, pool.bytes, pool.memory);
            }
            "free" => client::died(id + 1, self.pool(name).memory),
            "stats" => {
                let number = |at: usize| rest.get(at).and_then(|text| text.parse::<u64>().ok());
                let pool = self.pool(name);
                // Capacity, live, peak, retired, inserted, removed, refused.
                if let (Some(live), Some(refused)) = (number(1), number(6)) {
                    client::plot(pool.live, live as f64);
                    client::plot(pool.refused, refused as f64);
                }
            }
            _ => {}
        }
    }
}

/// A name that lasts as long as the program. There is one for each name of a pool, not for each pool.
fn lasting(name: &str) -> Name {
    let name: String = name.chars().filter(|&c| c != '\0').collect();
    Box::leak(CString::new(name).unwrap_or_default().into_boxed_c_str())
}

impl Write for Pools {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(&rest[..end]);
            if let Ok(text) = std::str::from_utf8(&line) {
                self.say(text);
            }
            line.clear();
            self.line = line;
            rest = &rest[end + 1..];
        }
        self.line.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
