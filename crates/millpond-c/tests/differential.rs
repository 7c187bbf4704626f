//! The same operations on a pool through the C header and on Rust's `Pool`: the same handles, refusals, runs, counters
//! and sums.

mod support;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, Refusal};
use support::{here, library, made, run, strict};

/// A sequence of numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn status_of_claim(kind: InsertAtErrorKind) -> i32 {
    match kind {
        InsertAtErrorKind::OutOfRange => 9,
        InsertAtErrorKind::Stale => 10,
        InsertAtErrorKind::Occupied => 13,
        InsertAtErrorKind::Retired => 14,
        InsertAtErrorKind::BeyondLifetimes => 15,
        other => panic!("{other:?}"),
    }
}

fn status_of_check(checked: Result<(), Refusal>) -> i32 {
    match checked {
        Ok(()) => 0,
        Err(Refusal::OutOfRange) => 9,
        Err(Refusal::Stale) => 10,
        Err(Refusal::NeverIssued) => 11,
        Err(Refusal::OtherPool) => 12,
        Err(other) => panic!("{other:?}"),
    }
}

/// Which pool, and how much happens in it.
#[derive(Clone, Copy)]
struct Case {
    slots: usize,
    lifetimes: u32,
    wraps: bool,
    name: &'static str,
    steps: usize,
}

/// Operations, and what Rust's pool answers to each.
fn played<R: ReuseOrder, H: HandleLayout + 'static>(case: Case, seed: u64) -> (String, String) {
    let mut builder = Pool::<u64>::builder().capacity(case.slots).reuse(R::default()).handle::<H>();
    if case.name != "-" {
        builder = builder.name(case.name);
    }
    if case.lifetimes > 0 {
        builder = builder.lifetimes(case.lifetimes);
    }
    let mut pool = if case.wraps { builder.wrap() } else { builder }.build();
    let mut past = pool.snapshot();
    let mut random = Random(seed);
    let mut known = vec![0_u64; 3];
    let (mut script, mut answers) = (String::from("p\n"), String::from("0\n"));
    for step in 0..case.steps {
        // Mostly handles that were issued; some that never were.
        let bits = match random.below(12) {
            0 => random.next() << 20 ^ random.next(),
            1 => known[random.below(known.len())] ^ 1 << random.below(64),
            _ => known[random.below(known.len())],
        };
        // Handles of four bytes travel in as many.
        let bits = if size_of::<H>() == 4 { bits & 0xffff_ffff } else { bits };
        let handle = H::from_bits(bits);
        let number = random.next() % 1000;
        // Phases in which the pool fills, and in which it empties.
        let fills = step / 97 % 2 == 0;
        let (line, answer) = match random.below(40) {
            0 => ("s".into(), pool.checksum().to_string()),
            1 => {
                let s = pool.stats();
                let text = format!(
                    "{} {} {} {} {} {} {}",
                    s.live, s.peak, s.retired, s.inserted, s.removed, s.refused, s.evicted
                );
                ("d".into(), text)
            }
            at @ 2..=4 => {
                let runs = pool.runs().fold(String::new(), |mut text, (first, run)| {
                    let _ = write!(text, "{first}+{} ", run.len());
                    text
                });
                (if at == 2 { "w" } else { "v" }.into(), runs)
            }
            5 if step % 7 == 0 => {
                pool.clear();
                ("c".into(), "c".into())
            }
            6 => {
                pool.save_into(&mut past).unwrap();
                ("p".into(), "0".into())
            }
            7 if step % 3 == 0 => {
                pool.restore(&past).unwrap();
                ("b".into(), "0".into())
            }
            8 | 9 => {
                let status = match handle {
                    None => 15,
                    Some(handle) => pool
                        .insert_at(handle, number)
                        .map_or_else(|e| status_of_claim(e.kind()), |_| 0),
                };
                (format!("a {bits} {number}"), status.to_string())
            }
            10 | 11 => {
                // A negative key never occurs, so the numbers compare as in C.
                let (handle, gone) = match pool.try_insert_or_evict(number, |_, value| *value) {
                    Ok((handle, gone)) => {
                        (handle.to_bits(), gone.map_or(0, |(gone, _)| gone.to_bits()))
                    }
                    Err(_) => (0, 0),
                };
                if handle != 0 {
                    known.push(handle);
                }
                (format!("e 0 {number}"), format!("{handle} {gone}"))
            }
            12 | 13 => {
                let status = handle.map_or(11, |handle| status_of_check(pool.check(handle)));
                (format!("k {bits}"), status.to_string())
            }
            14..=19 => {
                let found = handle.and_then(|handle| pool.get(handle)).copied();
                (format!("g {bits}"), found.unwrap_or(0).to_string())
            }
            // What is out: half of it comes back, and the rest is given up.
            20 => {
                let gone = handle.and_then(|handle| pool.detach(handle));
                let answer = format!("{} {}", u8::from(gone.is_some()), gone.unwrap_or(0));
                (format!("o {bits}"), answer)
            }
            21 => {
                let out = pool.detached().nth(random.below(pool.detached().len()));
                let bits = out.map_or(bits, H::to_bits);
                let back = H::from_bits(bits).is_some_and(|out| pool.reattach(out, number).is_ok());
                (format!("h {bits} {number}"), u8::from(back).to_string())
            }
            22 => {
                let out = pool.detached().nth(random.below(pool.detached().len()));
                let bits = out.map_or(bits, H::to_bits);
                let freed = H::from_bits(bits).is_some_and(|out| pool.free_detached(out));
                (format!("x {bits}"), u8::from(freed).to_string())
            }
            at if (at < 35) == fills => {
                let handle = pool.insert(number).map_or(0, H::to_bits);
                if handle != 0 {
                    known.push(handle);
                }
                (format!("i 0 {number}"), handle.to_string())
            }
            _ => {
                let removed = handle.is_some_and(|handle| pool.remove(handle).is_some());
                (format!("r {bits}"), u8::from(removed).to_string())
            }
        };
        if known.len() > case.slots * 2 + 3 {
            known.swap_remove(random.below(case.slots));
        }
        writeln!(script, "{line}").unwrap();
        writeln!(answers, "{answer}").unwrap();
    }
    (script, answers)
}

fn compare<R: ReuseOrder, H: HandleLayout + 'static>(order: u32, index_bits: u32, case: Case) {
    let program = made("differential").join("replay");
    let (script, expected) =
        played::<R, H>(case, u64::from(order * 100 + index_bits) * 77 + case.slots as u64 + 1);
    let arguments = [
        case.slots.to_string(),
        order.to_string(),
        index_bits.to_string(),
        case.lifetimes.to_string(),
        u32::from(case.wraps).to_string(),
        case.name.to_owned(),
    ];
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = script.clone();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    for (at, ((asked, answer), expected)) in
        script.lines().zip(said.lines()).zip(expected.lines()).enumerate()
    {
        assert_eq!(
            answer,
            expected,
            "{} {index_bits}, {} slots, step {at}: {asked}",
            R::NAME,
            case.slots
        );
    }
    assert!(output.status.success(), "{} {index_bits}: {}", R::NAME, output.status);
    assert_eq!(said.lines().count(), expected.lines().count());
}

fn every_layout<R: ReuseOrder>(order: u32, case: Case) {
    compare::<R, Handle<u64>>(order, 0, case);
    compare::<R, Handle32<u64, 16>>(order, 16, case);
    compare::<R, Handle32<u64, 20>>(order, 20, case);
    compare::<R, Handle32<u64, 24>>(order, 24, case);
}

fn every_order(case: Case) {
    every_layout::<Lifo>(0, case);
    every_layout::<Fifo>(1, case);
    every_layout::<LowestFirst>(2, case);
    every_layout::<Roster>(3, case);
}

#[test]
fn a_pool_in_c_is_a_pool_in_rust() {
    let Some(library) = library() else { return };
    let program = made("differential").join("replay");
    run(strict("gcc")
        .args(["-O2"])
        .arg(here().join("tests/replay.c"))
        .arg(library)
        .arg("-o")
        .arg(program));
    let plain = Case { slots: 70, lifetimes: 0, wraps: false, name: "-", steps: 3000 };
    every_order(plain);
    every_order(Case { slots: 3, lifetimes: 2, steps: 400, ..plain });
    every_order(Case { slots: 9, lifetimes: 3, wraps: true, name: "sparks", ..plain });
    // Large enough for a bitmap that is gathered.
    every_order(Case { slots: 700, name: "many", ..plain });
    every_order(Case { slots: 0, steps: 100, ..plain });
}
