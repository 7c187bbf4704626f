//! Which mutant this process plays: a number in `MILLPOND_MUTANT`, or none. Added to the copy of the
//! library by `ci/mutants`.
//!
//! With a path in `MILLPOND_REACHED`, the places of mutants that the process comes to are written to
//! that file instead, 4 bytes for each.

extern crate std;

use core::intrinsics::const_eval_select;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::env;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;

/// No mutant has this number: it stands for writing down what is reached.
const WRITE_DOWN: u32 = u32::MAX;

static ACTIVE: AtomicU32 = AtomicU32::new(0);
static REACHED: OnceLock<File> = OnceLock::new();
static SEEN: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];

/// The active mutant, if its number is of this range, else 0; always 0 while the compiler evaluates.
#[inline]
pub(crate) const fn active(first: u32, last: u32) -> u32 {
    const fn none(_: u32, _: u32) -> u32 {
        0
    }
    const_eval_select((first, last), none, active_now)
}

#[inline]
fn active_now(first: u32, last: u32) -> u32 {
    let active = ACTIVE.load(Relaxed);
    if active.wrapping_sub(first) <= last - first {
        return active;
    }
    if active == WRITE_DOWN {
        write_down(first);
    }
    0
}

#[cold]
fn write_down(place: u32) {
    if !SEEN[place as usize].swap(true, Relaxed) {
        REACHED.get().unwrap().write_all(&place.to_le_bytes()).unwrap();
    }
}

/// Before `main`, as the tests that count allocations must not see this one.
extern "C" fn start() {
    if let Some(path) = env::var_os("MILLPOND_REACHED") {
        REACHED.get_or_init(|| OpenOptions::new().append(true).create(true).open(path).unwrap());
        ACTIVE.store(WRITE_DOWN, Relaxed);
    } else if let Ok(number) = env::var("MILLPOND_MUTANT") {
        ACTIVE.store(number.parse().unwrap(), Relaxed);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

/// The iterator of a function that returns `impl Iterator`, or that of a mutant of it.
#[derive(Clone)]
pub(crate) enum OneOf<A, B> {
    First(A),
    Other(B),
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for OneOf<A, B> {
    type Item = A::Item;

    fn next(&mut self) -> Option<A::Item> {
        match self {
            Self::First(first) => first.next(),
            Self::Other(other) => other.next(),
        }
    }
}
