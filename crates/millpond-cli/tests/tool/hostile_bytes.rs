//! Traces and summaries with bytes changed, cut and doubled: refused or read, never a panic.
//!
//! `MILLPOND_FUZZ_FACTOR=100 cargo test --release -p millpond-cli --test tool hostile_bytes` tries a
//! hundred times as many.

use crate::common::planning::{RULES, is_one_line, plan_loans};
use crate::common::{Random, gzip, zstd};
use millpond_plan::input::Source;
use millpond_plan::loans::{Format, recorded};
use millpond_plan::merge::{Inputs, MergeRules, merge};
use millpond_plan::plan::{Headroom, plan};
use millpond_plan::progress::Silent;
use millpond_plan::trace::{self, Event, Watch};

/// Checks that what an importer lets through makes sense.
#[derive(Default)]
struct Sense {
    live: Vec<Option<u32>>,
    tick: u32,
    left: usize,
}

impl Watch for Sense {
    fn birth(&mut self, event: Event) {
        assert!(event.tick >= self.tick);
        self.tick = event.tick;
        let key = event.key as usize;
        self.live.resize(self.live.len().max(key + 1), None);
        assert_eq!(self.live[key].replace(event.class), None);
    }

    fn death(&mut self, event: Event) {
        assert!(event.tick >= self.tick);
        self.tick = event.tick;
        assert_eq!(self.live[event.key as usize].take(), Some(event.class));
    }

    fn left(&mut self, class: u32, key: u32, last_tick: u32) {
        assert!(last_tick >= self.tick);
        assert_eq!(self.live[key as usize], Some(class));
        self.left += 1;
    }
}

/// How many attempts to make where so many are enough for every day.
fn attempts(everyday: u32) -> u32 {
    let factor = std::env::var("MILLPOND_FUZZ_FACTOR").ok().and_then(|f| f.parse().ok());
    everyday * factor.unwrap_or(1)
}

fn source(bytes: Vec<u8>) -> Source {
    Source::from_memory(bytes.leak())
}

fn read_and_plan(bytes: Vec<u8>) {
    read_and_plan_source(&source(bytes.clone()).up_to_its_end());
    read_and_plan_source(&source(bytes));
}

fn read_and_plan_source(source: &Source) {
    let mut sense = Sense::default();

    let read = source.open().and_then(|input| trace::read(input, &mut sense, &mut Silent));
    if let Ok(summary) = &read {
        assert_eq!(sense.left as u64, summary.births - summary.deaths);
        assert_eq!(sense.left, sense.live.iter().flatten().count());
    }
    // Refused by both or by neither, and for the same reason.
    match (read, plan("fuzzed", source, &RULES)) {
        (Ok(summary), Ok(plan)) => {
            assert_eq!(summary, plan.summary);
            assert!(plan.proof().holds());
        }
        (Err(read), Err(planned)) => assert_eq!(read, planned),
        (read, planned) => panic!("{read:?} against {planned:?}"),
    }
}

const LIFETIMES: &str = "tick,event,id,class,size\n0,alloc,1,Imp,64\n0,alloc,2,Demon,128\n\
    3,free,1,Imp,64\n3,alloc,3,Imp,64\n7,alloc,4,Imp,64\n9,free,2,Demon,\n9,free,3,Imp,64\n";

const HEAPTRACK: &str = "v 10400 3\nX game\nI 1000 40000\ns 4 game\ns 4 main\ns 3 new\n\
    i 1000 1 2 0 5\ni 2000 1 3 0 1 2 0 9\nt 1 0\nt 2 1\na 10 1\na 20 2\nc 0\n+ 0\n+ 1\n+ 1\nc a\n\
    - 1\n- 0\n+ 0\nR 50\nc 14\n- 0\n# strings: 3\n";

const HEAP: &str = "millpond heap 1\nx game\nt 1 a1 b1\nc 1\n+ 10 30 1\n+ 20 30 1\nr 10 30 40 1\n- 30\nc 9\n\
    t 2 b1\n+ 10 30 2\n- 20\nn a1\tspawn\tmain.rs\nn b1\tmain\tmain.rs\ne 0\n";

const TABLE: &str = "ms,event,address,size,stack\n0,alloc,7f10,24,f;g(int, int);main\n0,alloc,7f20,24,f;main\n\
    1,free,7f10\n3,alloc,7f10,40,\n9,free,7f20\n";

const LIVE: &str = "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n\
    0,alloc,0,sparks,17\n0,stats,0,sparks,20,1,1,0,1,0,0,0,0,12\n5,alloc,1,sparks,3\n7,free,0,sparks,17\n\
    9,stats,0,sparks,20,1,2,0,2,1,4,0,0,300\n9,end,3,recorder\n";

const LOANS: &str = "asked_us,got_us,returned_us,pool\n0,0,2000,orders\n0,500,2500,orders\n\
    100,,900,orders\n5000,5100,9000,mail\n";

const LOG: &str = concat!(
    "2026-11-22 09:16:56.200 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"BEGIN\",2026-11-22 09:16:56 UTC,\
     3/3,0,LOG,00000,\"duration: 0.016 ms  statement: begin\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.210 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",2026-11-22 09:16:56 UTC,\
     3/3,0,LOG,00000,\"duration: 0.016 ms  plan:\nQuery Text: select\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.220 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"PARSE\",2026-11-22 09:16:56 UTC,\
     3/3,0,LOG,00000,\"duration: 0.016 ms  parse s1: select\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.225 UTC,\"cook\",\"shop\",31,\"[local]\",b.2,5,\"SELECT\",2026-11-22 09:16:56 UTC,\
     4/0,0,LOG,00000,\"Dauer: 0.016 ms  Anweisung: select\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.230 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"COMMIT\",2026-11-22 09:16:56 UTC,\
     3/0,0,LOG,00000,\"duration: 0.064 ms  statement: \n\"\"commit\"\"\",,,,,,,,,\"psql\"\n",
);

/// The formats that a plan of pools is made from.
const TRACES: [&str; 5] = [LIFETIMES, HEAPTRACK, HEAP, TABLE, LIVE];

/// Bytes that mean something in one of the formats.
const TELLING: &[u8] = b"\":\n\r,0123456789abcdefvXIsitaRSA+- #\x00\xff";

fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let to = (at + random.below(12) as usize).min(bytes.len());
        let byte = TELLING[random.below(TELLING.len() as u64) as usize];
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => drop(bytes.drain(at..to)),
            _ => {
                let part = bytes[at..to].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

#[test]
fn the_unchanged_traces_are_read() {
    for text in TRACES {
        assert!(plan("x", &source(text.into()), &RULES).is_ok());
        read_and_plan(text.into());
    }
}

#[test]
fn changed_text() {
    let mut random = Random(1);
    for text in TRACES {
        for _ in 0..attempts(1000) {
            read_and_plan(mutated(text.as_bytes(), &mut random));
        }
    }
}

#[test]
fn changed_loans() {
    let mut random = Random(6);
    for (text, format, is_read) in [(LOANS, Format::Loans, 2), (LOG, Format::PostgresLog, 1)] {
        let whole = recorded(&source(text.into()), &[]).unwrap();
        assert_eq!((whole.format, whole.pools.len()), (format, is_read));
        for _ in 0..attempts(500) {
            let bytes = mutated(text.as_bytes(), &mut random);
            plan_loans(&source(bytes.clone()).up_to_its_end());
            plan_loans(&source(bytes));
        }
    }
}

#[test]
fn changed_compressed_data() {
    let mut random = Random(2);
    for packed in [gzip(LIFETIMES.as_bytes()), zstd(HEAPTRACK.as_bytes())] {
        for _ in 0..attempts(400) {
            read_and_plan(mutated(&packed, &mut random));
        }
    }
}

const SUMMARY: &str = "session,format,ticks,ticks_per_second,level,class,births,peak_live,p99_live,left_live,\
    bytes_max,births_worst,busiest_lifo,busiest_fifo,worth_a_pool,life_median,life_p95,lives,ages\n\
    a,lifetimes,350,35,map01,Imp,9,3,3,1,16,1,4,3,true,7,7,7:8,40:1\n\
    a,lifetimes,350,35,map01,Demon,5,5,5,5,,5,1,1,true,7,7,,9:2 40:3\n\
    b,lifetimes,99,,\"map 1, north\",Imp,1000,7,7,0,16,70,400,143,false,7,7,0:600 63:400,\n";

/// Merges what the bytes say; what is let through makes sense.
fn read_and_merge(bytes: Vec<u8>) {
    let rules = MergeRules {
        quantile_percent: 60.0,
        headroom: Headroom { percent: 0.0 },
        by: None,
        all: true,
        session_seconds: 3600.0,
    };
    match merge(&mut Inputs::from_memory("fuzzed", bytes.leak()), &rules) {
        Ok(groups) => {
            for group in groups {
                assert!(group.refused <= group.sessions * 4 / 10, "{group:?}");
                for class in group.classes {
                    assert!(class.capacity > 0 && class.peak_max > 0, "{class:?}");
                    assert!(class.sessions <= group.sessions, "{class:?}");
                    let exceeds = u64::from(class.peak_max > class.capacity);
                    assert!(class.refused_in >= exceeds && class.refused_in <= group.refused);
                }
            }
        }
        Err(failure) => is_one_line(&failure.to_string()),
    }
}

#[test]
fn changed_summaries() {
    read_and_merge(SUMMARY.into());
    let mut random = Random(4);
    for _ in 0..attempts(1000) {
        read_and_merge(mutated(SUMMARY.as_bytes(), &mut random));
    }
    for _ in 0..attempts(200) {
        read_and_merge(mutated(&gzip(SUMMARY.as_bytes()), &mut random));
    }
}

#[test]
fn noise() {
    let mut random = Random(3);
    for head in [
        &b""[..],
        b"tick,event,id,class\n",
        b"v 10400 3\n",
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"\xff\xfet\0",
        b"\xfe\xff",
        b"PK\x03\x04",
    ] {
        for _ in 0..attempts(150) {
            let length = random.below(200);
            let noise = (0..length).map(|_| random.below(256) as u8);
            read_and_plan(head.iter().copied().chain(noise).collect());
        }
    }
}
