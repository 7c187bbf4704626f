//! Recordings of this very program, read back line by line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static HEAP: millpond_heap::Heap = millpond_heap::Heap::system();

/// A process has one recording at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// What a recording says, if it makes sense from the first line to the last.
#[derive(Default)]
struct Said {
    /// By size and stack: births.
    births: HashMap<(u64, u64), u64>,
    /// Changes of size: from, to.
    resizes: Vec<(u64, u64)>,
    live: HashMap<u64, u64>,
    names: HashMap<u64, String>,
    stacks: HashMap<u64, Vec<u64>>,
    end: Option<u64>,
}

impl Said {
    #[track_caller]
    fn of(text: &str) -> Self {
        let mut said = Self::default();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("millpond heap 1"));
        assert!(lines.next().unwrap().starts_with("x /"));
        for line in lines {
            assert!(said.end.is_none(), "{line} after the end");
            let (letter, rest) = line.split_at(1);
            if letter == "n" {
                let mut columns = rest.trim_start().split('\t');
                let address = u64::from_str_radix(columns.next().unwrap(), 16).unwrap();
                said.names.entry(address).or_default().push_str(columns.next().unwrap());
                continue;
            }
            let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
            let numbers: Vec<u64> = rest.split_whitespace().map(hex).collect();
            match (letter, numbers.as_slice()) {
                ("+", &[address, size, place]) => said.birth(address, size, place),
                ("-", &[address]) => {
                    said.live.remove(&address);
                }
                ("r", &[old, new, size, place]) => {
                    if let Some(before) = said.live.remove(&old) {
                        said.resizes.push((before, size));
                    }
                    said.birth(new, size, place);
                }
                ("t", [place, stack @ ..]) => {
                    assert_eq!(said.stacks.insert(*place, stack.to_vec()), None);
                }
                ("c", &[_]) => {}
                ("e", &[cut]) => said.end = Some(cut),
                _ => panic!("{line}"),
            }
        }
        said
    }

    fn birth(&mut self, address: u64, size: u64, place: u64) {
        assert!(place == 0 || self.stacks.contains_key(&place), "{place}");
        *self.births.entry((size, place)).or_default() += 1;
        assert_eq!(self.live.insert(address, size), None, "{address:x} is born twice");
    }

    fn births_of(&self, size: u64) -> u64 {
        self.births.iter().filter(|(kind, _)| kind.0 == size).map(|(_, births)| births).sum()
    }
}

#[inline(never)]
fn make_block(byte: u8) -> Box<[u8; 12_345]> {
    std::hint::black_box(Box::new([byte; 12_345]))
}

#[test]
fn every_birth_is_written_with_its_size_and_place() {
    let _alone = alone();
    let path = file("exact.heap");
    let recording = HEAP.record(&path).unwrap();
    assert!(HEAP.record(&path).is_err(), "one at a time");
    let kept: Vec<_> = (0..7).map(make_block).collect();
    drop(kept);
    let mut buffer: Vec<u8> = Vec::with_capacity(7777);
    buffer.reserve_exact(8888);
    drop(std::hint::black_box(buffer));
    let recorded = recording.finish().unwrap();
    drop(make_block(9));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!((recorded.bytes, recorded.is_cut), (text.len() as u64, false));
    let said = Said::of(&text);
    assert_eq!(said.end, Some(0));
    assert_eq!(said.births_of(12_345), 7);
    assert!(said.live.values().all(|size| *size != 12_345), "all have died");
    assert_eq!(said.resizes.iter().filter(|r| **r == (7777, 8888)).count(), 1);
    let (&(_, place), _) = said.births.iter().find(|(kind, _)| kind.0 == 12_345).unwrap();
    let named = said.stacks[&place]
        .iter()
        .any(|address| said.names.get(address).is_some_and(|name| name.contains("make_block")));
    assert!(named, "{text}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn threads_are_recorded_in_an_order_that_could_be() {
    let _alone = alone();
    let path = file("threads.heap");
    let recording = HEAP.record(&path).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let sender = sender.clone();
            scope.spawn(move || {
                for n in 0..500_usize {
                    // Half of them die in another thread.
                    let block = vec![thread; 3001 + n % 3];
                    if n % 2 == 0 { sender.send(block).unwrap() } else { drop(block) }
                }
            });
        }
        drop(sender);
        scope.spawn(move || receiver.into_iter().for_each(drop));
    });
    recording.finish().unwrap();
    let said = Said::of(&std::fs::read_to_string(&path).unwrap());
    assert_eq!((3001..=3003).map(|size| said.births_of(size)).sum::<u64>(), 2000);
    assert!(said.live.values().all(|size| !(3001..=3003).contains(size)));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_recording_keeps_to_its_limit() {
    let _alone = alone();
    let path = file("limit.heap");
    let recording = HEAP.record_up_to(&path, 100_000).unwrap();
    for byte in 0..100_u32 {
        (0..1000).for_each(|_| drop(make_block(byte as u8)));
    }
    let recorded = recording.finish().unwrap();
    assert!(recorded.is_cut);
    let text = std::fs::read_to_string(&path).unwrap();
    let events = text.lines().filter(|line| !line.starts_with('n')).map(|line| line.len() + 1);
    assert!(events.sum::<usize>() <= 100_000);
    assert_eq!(Said::of(&text).end, Some(1));
    std::fs::remove_file(path).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let _alone = alone();
    let recording = HEAP.record("/dev/full").unwrap();
    (0..10_000).for_each(|n| drop(make_block(n as u8)));
    let error = recording.finish().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{error}");
    // And the next one works.
    let path = file("after.heap");
    HEAP.record(&path).unwrap().finish().unwrap();
    assert_eq!(Said::of(&std::fs::read_to_string(&path).unwrap()).end, Some(0));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn nowhere_is_no_place_for_a_recording() {
    let _alone = alone();
    assert!(HEAP.record(file("no").join("where.heap")).is_err());
}

#[test]
fn a_file_that_is_no_recording_is_kept() {
    let _alone = alone();
    let path = file("game.rs");
    for foreign in ["fn main() {}\n", "millpond heap", "millpond heap 2\n"] {
        std::fs::write(&path, foreign).unwrap();
        let error = HEAP.record(&path).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
    }
    // An earlier recording and an empty file are replaced.
    std::fs::write(&path, "").unwrap();
    for _ in 0..2 {
        HEAP.record(&path).unwrap().finish().unwrap();
    }
    assert_eq!(Said::of(&std::fs::read_to_string(&path).unwrap()).end, Some(0));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn of_many_that_start_at_once_one_records() {
    let _alone = alone();
    let threads = 8;
    for round in 0..30 {
        let barrier = std::sync::Barrier::new(threads);
        let started = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (barrier, started) = (&barrier, &started);
                scope.spawn(move || {
                    let path = file(&format!("race-{thread}.heap"));
                    barrier.wait();
                    let recording = HEAP.record(&path);
                    started
                        .fetch_add(recording.is_ok().into(), std::sync::atomic::Ordering::Relaxed);
                    barrier.wait();
                    drop(recording);
                    let _ = std::fs::remove_file(path);
                });
            }
        });
        assert_eq!(started.into_inner(), 1, "round {round}");
    }
}

const CHILD: &str = "MILLPOND_HEAP_TEST_CHILD";

/// Not a test of its own: the program that the next test starts.
#[test]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let recording = HEAP.record(path).unwrap();
    drop(make_block(1));
    std::mem::forget(recording);
    std::process::exit(7);
}

#[test]
#[cfg(unix)]
fn a_program_that_exits_leaves_a_whole_recording() {
    let path = file("exit.heap");
    let this = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(this);
    let status = command.args(["--exact", "child"]).env(CHILD, &path).output().unwrap().status;
    assert_eq!(status.code(), Some(7));
    let said = Said::of(&std::fs::read_to_string(&path).unwrap());
    assert_eq!((said.end, said.births_of(12_345)), (Some(0), 1));
    std::fs::remove_file(path).unwrap();
}

const FORKING_CHILD: &str = "MILLPOND_HEAP_TEST_FORKING_CHILD";

/// Not a test of its own: the program that the next test starts.
#[test]
#[cfg(unix)]
fn forking_child() {
    let Some(path) = std::env::var_os(FORKING_CHILD) else { return };
    let recording = HEAP.record(path).unwrap();
    drop(make_block(1));
    // SAFETY: the child does nothing that other threads of the parent could have left half done.
    let process = unsafe { libc::fork() };
    if process == 0 {
        (0..20_000_u32).for_each(|n| drop(make_block(n as u8)));
        let Err(refused) = HEAP.record("/dev/null") else { std::process::abort() };
        let why = refused.to_string();
        if !why.starts_with("this process was forked by one that was recording") {
            eprintln!("{why}");
            std::process::abort();
        }
        // SAFETY: may be called at any time; runs what is registered for the exit.
        unsafe { libc::exit(0) };
    }
    let mut status = 0;
    // SAFETY: the place may be written.
    assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
    assert_eq!(status, 0);
    drop(make_block(2));
    recording.finish().unwrap();
}

#[test]
#[cfg(unix)]
fn a_forked_process_leaves_its_parents_recording_alone() {
    let path = file("fork.heap");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", "forking_child"]).env(FORKING_CHILD, &path).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let said = Said::of(&std::fs::read_to_string(&path).unwrap());
    assert_eq!((said.end, said.births_of(12_345)), (Some(0), 2));
    std::fs::remove_file(path).unwrap();
}
