//! The peak: how much memory the system had to give for one replay in which every byte is written,
//! measured in a process of its own for each allocator.

use std::process::Command;

use serde::{Deserialize, Serialize};

use super::allocators::{Allocator, Visitor, visit_all};
use super::{Replay, events};

/// What one allocator needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Peak {
    pub(crate) allocator: String,
    pub(crate) is_general: bool,
    pub(crate) bytes: usize,
}

/// The option that makes this program [print a peak](print_peak) and do nothing else.
const OPTION: &str = "--heap-peak";

/// Measures all allocators for which `wanted` is true; nothing where the system does not tell.
pub(crate) fn peaks(wanted: &dyn Fn(&str) -> bool) -> Vec<Peak> {
    struct Collector<'a>(Vec<Peak>, &'a dyn Fn(&str) -> bool);
    impl Visitor for Collector<'_> {
        fn visit<A: Allocator>(&mut self) {
            if !(self.1)(A::NAME) {
                return;
            }
            if let Some(bytes) = peak_of(A::NAME) {
                let is_general = super::is_general(A::KIND);
                self.0.push(Peak { allocator: A::NAME.to_owned(), is_general, bytes });
            }
        }
    }
    let mut collector = Collector(Vec::new(), wanted);
    visit_all(&mut collector);
    collector.0
}

fn peak_of(name: &str) -> Option<usize> {
    let program = std::env::current_exe().ok()?;
    // The option that allows an unoptimised build is for this child as for its parent.
    let output = Command::new(program).args(["--unoptimised", OPTION, name]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Replays once through the allocator of this name, and prints the bytes of the peak. Prints nothing
/// where the system does not tell.
pub(crate) fn print_peak(name: &str) {
    struct Finder<'a>(&'a str);
    impl Visitor for Finder<'_> {
        fn visit<A: Allocator>(&mut self) {
            if A::NAME == self.0 {
                let Some(bytes) = measure::<A>() else { return };
                println!("{bytes}");
            }
        }
    }
    visit_all(&mut Finder(name));
}

/// The resident bytes that one replay adds at most.
fn measure<A: Allocator>() -> Option<usize> {
    // The trace itself, and the array of addresses, all of it written.
    events();
    let memory = vec![std::ptr::dangling_mut(); events().len()];
    give_back_what_is_free();
    // The peak so far is forgotten.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS:")?;
    // Only now, as some take memory when they are created.
    let mut replay = Replay { allocator: A::new(), memory, sum: 0 };
    replay.replay(|memory, bytes| {
        // SAFETY: the memory has so many bytes; volatile, as nothing reads most of them.
        (1..bytes).for_each(|at| unsafe { memory.wrapping_add(at).write_volatile(1) });
    });
    Some(status("VmHWM:")?.saturating_sub(before) * 1024)
}

/// So that the trace's own leftovers do not serve the replay.
fn give_back_what_is_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: it takes any number, and touches nothing that is in use.
        unsafe { malloc_trim(0) };
    }
}

/// A figure of this process, in KiB.
fn status(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
