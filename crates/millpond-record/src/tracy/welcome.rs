//! What a client says first of itself.

use super::protocol::Protocol;
use crate::text::name;

/// Whether the client records only while somebody listens.
const ON_DEMAND: u8 = 1;

/// A program's name has at most so many bytes.
const PROGRAM_BYTES: usize = 64;

/// What a client that records on demand says after its welcome: the number of frames, and the time.
pub(super) const ON_DEMAND_BYTES: usize = 16;

/// The welcome of a client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Welcome {
    pub(super) program: String,
    /// The length of the client's unit of time.
    pub(super) ns_per_tick: f64,
    pub(super) is_on_demand: bool,
}

impl Welcome {
    /// Reads it; it has as many bytes as the protocol says.
    pub(super) fn of(protocol: &Protocol, bytes: &[u8]) -> Result<Self, String> {
        let mut timer = [0; 8];
        timer.copy_from_slice(&bytes[..8]);
        let ns_per_tick = f64::from_le_bytes(timer);
        // Tracy's unit is at most a nanosecond and at least a tick of the processor; others have clocks of a microsecond.
        if !(1e-6..=1e6).contains(&ns_per_tick) {
            return Err(format!("a clock of {ns_per_tick:e} ns, expected 1e-6 to 1e6"));
        }
        let program = &bytes[protocol.name_at..protocol.name_at + PROGRAM_BYTES];
        let end = program.iter().position(|&byte| byte == 0).unwrap_or(PROGRAM_BYTES);
        let is_on_demand = bytes[protocol.flags_at] & ON_DEMAND != 0;
        Ok(Self { program: name(&program[..end]), ns_per_tick, is_on_demand })
    }
}
