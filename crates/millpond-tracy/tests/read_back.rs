//! What pools say to Tracy, read back by millpond's own reader of Tracy's stream. The program under test is this one in a
//! process of its own, since a process has one client.

use std::process::Command;

use millpond::Pool;
use millpond::recorder::Recorder;
use millpond_record::tracy::{Address, End, Go, connect, record};
use millpond_tracy::Pools;

/// In the process with the client.
const IS_PROGRAM: &str = "MILLPOND_TEST_TRACY_PROGRAM";

/// 300 sparks, 120 of them at once, of a full pool that refuses ten more; and a pool that nobody records.
fn program() {
    let recorder = Recorder::to_writer(Pools::new().object_bytes("sparks", 48)).expect("a thread");
    let mut sparks = Pool::builder().capacity(120).name("sparks").build();
    let mut secrets = Pool::builder().capacity(9).name("secrets").build();
    sparks.record(&recorder);
    let mut live = std::collections::VecDeque::new();
    for n in 0..300_u32 {
        if live.len() == 120 {
            sparks.remove(live.pop_front().expect("it is full"));
        }
        live.push_back(sparks.insert(n).expect("there is room"));
    }
    (0..10).for_each(|n| assert!(sparks.insert(n).is_err()));
    assert!(secrets.insert(1).is_ok());
    recorder.tick();
    recorder.finish().expect("nothing fails");
}

#[test]
fn what_pools_say_is_what_tracy_hears() {
    if std::env::var_os(IS_PROGRAM).is_some() {
        return program();
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|of| of.local_addr());
    let address: Address = port.expect("a port").to_string().parse().expect("an address");
    let port = address.to_string().rsplit(':').next().expect("it has one").to_owned();
    let mut program = Command::new(std::env::current_exe().expect("this one"))
        .args(["what_pools_say_is_what_tracy_hears", "--exact", "--nocapture"])
        .env(IS_PROGRAM, "1")
        .env("TRACY_PORT", port)
        // It ends only after somebody has heard it.
        .env("TRACY_NO_EXIT", "1")
        .spawn()
        .expect("this one");
    let mut is_running = || program.try_wait().is_ok_and(|status| status.is_none());
    let client = connect(&address, &mut is_running).expect("a client").expect("it waits for us");
    let ended = record(client, Vec::new(), &mut |_| Go::On).expect("memory");
    assert!(program.wait().expect("it ends").success());
    assert_eq!(ended.end, End::Program);
    let counts = ended.counts;
    // The recorder ends the lives that are open when a pool is dropped after it.
    assert_eq!((counts.births, counts.from_before, counts.twice), (300, 0, 0));
    assert!(counts.deaths >= 180);
    let text = String::from_utf8(ended.out).expect("text");
    let births = text.lines().filter(|line| line.starts_with("+ "));
    assert!(births.clone().all(|line| line.split(' ').nth(2) == Some("30")), "48 bytes");
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("n ")).collect();
    assert!(names.iter().any(|line| line.contains("\tsparks\t")), "{names:?}");
    assert!(!text.contains("secrets"), "nobody records that pool");
}
