//! Bytes as the stream of Tracy's client: recorded, and the recording is planned whatever it says, or refused in one line.
//!
//! The first byte says the protocol, and whether the rest is a stream as it is sent, or its events, which the fuzzer reaches
//! more easily without the compression around them.

#![no_main]

mod common;

use millpond_record::tracy::{End, reread};

/// The protocols, and how long the client's welcome is.
const PROTOCOLS: [(u32, usize); 4] = [(69, 1178), (74, 1178), (76, 1170), (82, 1170)];

/// The most events in a block of a stream that is made here.
const BLOCK_BYTES: usize = 60_000;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let (protocol, welcome_bytes) = PROTOCOLS[usize::from(first >> 1 & 3)];
    let mut stream = protocol.to_le_bytes().to_vec();
    if first & 1 == 0 {
        stream.extend(rest);
    } else {
        let mut welcome = vec![0; welcome_bytes];
        welcome[..8].copy_from_slice(&1000.0_f64.to_le_bytes());
        stream.extend(welcome);
        rest.chunks(BLOCK_BYTES).for_each(|events| stream.extend(block(events)));
    }
    match reread(&stream[..], Vec::new()) {
        Ok(ended) => {
            if let End::Broken(what) = &ended.end {
                common::is_one_line(what);
            }
            if ended.counts.births > 0 && is_planned(bytes) {
                common::planned(&ended.out);
            }
        }
        Err(fault) => common::is_one_line(&fault.to_string()),
    }
});

/// Whether a recording is planned, too: one in sixteen, because that takes longer by far than to record it, and the target
/// `heap` does nothing else.
fn is_planned(bytes: &[u8]) -> bool {
    let mixed = bytes.iter().fold(0_u32, |mixed, &byte| (mixed ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    mixed >> 28 == 0
}

/// A block of literals.
fn block(events: &[u8]) -> Vec<u8> {
    let mut block = vec![(events.len().min(15) << 4) as u8];
    if events.len() >= 15 {
        let more = events.len() - 15;
        block.extend(std::iter::repeat_n(255, more / 255));
        block.push((more % 255) as u8);
    }
    block.extend(events);
    [&(block.len() as u32).to_le_bytes()[..], &block].concat()
}
