//! `millpond soak -- PROGRAM` as a user calls it, on programs that behave and programs that do not.

use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use crate::millpond;
use millpond_testkit::{Directory, refused};

/// Soaks a script of the shell, for three seconds, with half a second to warm up.
fn soak(directory: &Directory, more: &[&str], script: &str) -> Output {
    soak_for("3s", "0.5s", directory, more, script)
}

/// Soaks a script that ends by itself; the time is one that no busy machine exceeds.
fn soak_until_it_ends(directory: &Directory, warm_up: &str, more: &[&str], script: &str) -> Output {
    soak_for("120s", warm_up, directory, more, script)
}

fn soak_for(
    time: &str,
    warm_up: &str,
    directory: &Directory,
    more: &[&str],
    script: &str,
) -> Output {
    let mut command = millpond(directory);
    command.args(["--for", time, "--warm-up", warm_up]);
    command.args(more).args(["--", "sh", "-c", script]).output().unwrap()
}

/// A string that grows by a MiB each turn: much more than the megabyte that the soak allows, however few turns a
/// busy machine takes.
const CREEPS: &str = "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do x=$x$x; done; \
                      y=; while :; do y=$y$x; sleep 0.05; done";

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_program_that_stays_as_it_is_passes_and_is_asked_to_end() {
    let directory = Directory::new();
    let script = "trap 'echo ended >> ended; exit 0' TERM; while :; do sleep 0.05; done";
    let output = soak(&directory, &[], script);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(
        summary.contains("resident memory: ") && summary.contains("in the first quarter"),
        "{summary}"
    );
    assert_eq!(directory.names(), ["ended"], "it was asked, not killed");
}

#[test]
fn a_program_whose_memory_creeps_fails_with_the_reason() {
    let directory = Directory::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let output = soak(&directory, &[], CREEPS);
            assert_eq!(output.status.code(), Some(1), "{}", told(&output));
            assert!(told(&output).contains("soak: resident memory drifts: "), "{}", told(&output));
            assert_eq!(told(&output).lines().count(), 1);
        });
        scope.spawn(|| {
            let output = soak(&directory, &["--drift", "4000000"], CREEPS);
            assert_eq!(output.status.code(), Some(0), "as much is allowed: {}", told(&output));
        });
    });
}

/// The system may put huge pages together hours later, with memory that the program has not asked for.
#[test]
fn a_program_gets_no_huge_pages_nor_do_the_processes_that_it_starts() {
    let directory = Directory::new();
    let script = "sh -c 'cat /proc/$$/status > status; sleep 1'";
    let output = soak(&directory, &[], script);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let status = std::fs::read_to_string(directory.path().join("status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
    // Linux says so since 5.0.
    assert!(line.is_none_or(|enabled| enabled.trim() == "0"), "{line:?}");
}

#[test]
fn a_program_that_fails_or_cannot_be_seen_is_told() {
    let directory = Directory::new();
    let soak =
        |warm_up, more: &[&str], script| soak_until_it_ends(&directory, warm_up, more, script);
    let output = soak("60s", &[], "exit 7");
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("exit status: 7"), "{}", told(&output));
    let output = soak("60s", &[], "kill -SEGV $$");
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("signal: 11") && told(&output).lines().count() == 1);
    let output = soak("0s", &[], "sleep 1.5; exit 0");
    assert_eq!(output.status.code(), Some(0), "an early end is none with an error");
    let output = soak("60s", &[], "exit 0");
    assert!(told(&output).contains("the run ended within the warm-up"), "{}", told(&output));
    let output = soak("0s", &["--live", "game.trace"], "sleep 1");
    assert!(told(&output).contains("wrote no live trace to game.trace"), "{}", told(&output));
    let output = millpond(&directory).args(["--", "./nowhere"]).output().unwrap();
    assert!(refused(&output).contains("./nowhere"));
    let output = millpond(&directory).args(["--live", "x"]).output().unwrap();
    assert!(refused(&output).contains("PROGRAM"));
    let output = millpond(&directory).args(["--threads", "2", "--", "true"]).output();
    assert!(refused(&output.unwrap()).contains("cannot be used with"));
}

/// A script that starts the game is soaked as the game is.
#[test]
fn processes_that_the_program_starts_are_watched_and_ended_with_it() {
    let directory = Directory::new();
    directory.file("game.sh", format!("trap '' TERM; echo $$ > id; {CREEPS}"));
    let output = soak(&directory, &[], "sh game.sh & wait; echo unreachable");
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("soak: resident memory drifts: "), "{}", told(&output));
    let id = std::fs::read_to_string(directory.path().join("id")).unwrap();
    // A process that has ended and that nobody has waited for has no memory. Its end may take a moment.
    let give_up = Instant::now() + Duration::from_secs(60);
    let has_memory = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", id.trim()));
        status.unwrap_or_default().contains("RssAnon")
    };
    while has_memory() {
        assert!(Instant::now() < give_up, "it ignores requests, but it must end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A program that cannot save its state when it is asked to end is no program that can be left alone for days.
#[test]
fn a_program_that_ignores_the_request_to_end_fails() {
    let directory = Directory::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let output = soak(&directory, &[], "trap '' TERM; while :; do sleep 0.05; done");
            assert_eq!(output.status.code(), Some(1), "{}", told(&output));
            let says = "soak: it did not end within 5 s of SIGTERM, and was killed";
            assert!(told(&output).contains(says), "{}", told(&output));
        });
        scope.spawn(|| {
            let script = "(trap '' TERM; while :; do sleep 0.05; done) & wait";
            let output = soak(&directory, &[], script);
            assert_eq!(output.status.code(), Some(1), "{}", told(&output));
            let says = "a process that it has started did not end within 5 s";
            assert!(told(&output).contains(says), "{}", told(&output));
        });
    });
}

/// What a recorder writes, a line each tenth of a second, with `$n` one more in each.
fn recorded(capacity: &str, peak: &str, refused: &str) -> String {
    let header = "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms";
    format!(
        "echo {header} > game.trace; n=0; while :; do n=$((n + 1)); ms=$((n * 100)); \
         echo \"$ms,stats,0,bullets,{capacity},1,{peak},0,9,8,{refused},0,0,$ms\" >> game.trace; sleep 0.1; done"
    )
}

#[test]
fn pools_that_grow_refuse_or_reach_new_peaks_fail_with_the_reason() {
    let soak_game = |script: String| {
        let directory = Directory::new();
        // An earlier run's trace does not count.
        directory.file("game.trace", "from before\n");
        soak(&directory, &["--live", "game.trace"], &script)
    };
    // Each takes three seconds, and next to nothing of the processor.
    thread::scope(|scope| {
        scope.spawn(|| {
            let output = soak_game(recorded("100", "50", "3"));
            assert_eq!(output.status.code(), Some(0), "{}", told(&output));
            let summary = String::from_utf8(output.stdout).unwrap();
            assert!(
                summary.contains("pool bullets: capacity 100, peak 50, refused 3"),
                "{summary}"
            );
        });
        for (script, reason) in [
            (recorded("$((100 + n))", "50", "3"), "pool bullets: the capacity grew from "),
            (recorded("100", "$((50 + n))", "3"), "pool bullets: the peak rose from "),
            (recorded("100", "50", "$n"), "pool bullets: the refusals rose from "),
        ] {
            scope.spawn(move || {
                let output = soak_game(script);
                assert_eq!(output.status.code(), Some(1), "{}", told(&output));
                assert!(told(&output).contains(reason), "{}", told(&output));
            });
        }
    });
}
